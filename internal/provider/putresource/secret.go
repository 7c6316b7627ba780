package putresource

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// Secret is a field of an object that is a secret. A configuration has it in one of two attributes: the
// one that the state stores, or the write-only one.
type Secret[T any] struct {
	Attribute   string
	At          func(*T) **string
	Required    func(T) bool // whether Ops Manager requires it to create or replace an object
	Excluded    func(T) bool // whether an object can't have it, so that a PUT must lack it
	Lacks       func(T) bool // whether a response says that the object can't have it; set if Excluded is
	IsKept      bool         // whether Ops Manager keeps it if a PUT lacks it
	Removal     string       // how to remove one; if it is set, an empty text in the configuration says that there is none
	Description string
}

// field returns the secret as a field of an object.
func (s Secret[T]) field() tf.Field[T] { return tf.TextField(s.Attribute, s.At) }

// compared returns a text that differs between different secrets, and is empty if an object lacks it.
func (s Secret[T]) compared(object T) string {
	if text := *s.At(&object); text != nil {
		return "=" + *text // also an empty one
	}
	return ""
}

// isExcluded reports whether an object can't have the secret.
func (s Secret[T]) isExcluded(object T) bool { return s.Excluded != nil && s.Excluded(object) }

// isLacking reports whether a response says that the object can't have the secret.
func (s Secret[T]) isLacking(live T) bool { return s.Lacks != nil && s.Lacks(live) }

// all returns the fields of an object, and its secrets.
func (t *Type[T]) all() tf.Fields[T] {
	all := slices.Clone(t.Fields)
	for _, s := range t.Secrets {
		all = append(all, s.field())
	}
	return all
}

// Hidden is a field that may have masks in a response. The object then lacks it.
type Hidden[T any] struct {
	Attribute string
	Text      func(T) string // a text that shows whether it changes, with or without masks; empty without the field
	Describe  func(T) string // how messages show it, with or without masks
	// CouldShow reports whether what an object has, with or without masks, could be what another one has.
	CouldShow func(shown, wanted T) bool
}

// isHidden reports whether a field may be masked in a response.
func (t *Type[T]) isHidden(attribute string) bool {
	return t.Hidden != nil && t.Hidden.Attribute == attribute
}

// isSilentRemoval reports whether an update removes a secret without a difference in its plan: Terraform shows none between
// no text in the state and an empty one in the configuration, because the attribute is sensitive. An adoption shows it in
// overwrites.
func (t *target[T]) isSilentRemoval(s Secret[T]) bool {
	was := tf.SecretOf(t.prior, s.Attribute)
	is := tf.SecretOf(t.plan, s.Attribute)
	text := *s.At(&t.planned)
	return t.prior != nil && text != nil && *text == "" && was.Text.IsNull() && is.Version.Equal(was.Version)
}

// checkSilentRemovals returns an error for each of these secrets that a live object shows, unless the whole object that is
// sent can't have it, which the plan shows. It warns of those that the object may have without showing them.
func (t *target[T]) checkSilentRemovals(live, whole T) (diags diag.Diagnostics) {
	for _, s := range t.Secrets {
		isShown := *s.At(&live) != nil
		switch {
		case !t.isSilentRemoval(s):
		case isShown && !s.isExcluded(whole):
			diags.Append(t.onID(t.summary(t.verb()), "%s is an empty text, which says that there is none, but Ops Manager returns one that is not in the Terraform state. The plan does not show its removal, so the provider does not remove it. "+
				"Configure it. To remove it, %s.", s.Attribute, s.Removal))
		case !isShown && !s.isLacking(live):
			diags.AddWarning(t.name()+" May Lose a Secret", fmt.Sprintf("%s is an empty text, which says that there is none. Ops Manager returns none, but not every version returns this field. "+
				"If there is one, this update removes it. To keep it, configure it.", s.Attribute))
		}
	}
	return diags
}

// stillHas reports whether Ops Manager still returns a changed secret as it was before: unredacted, with other hosts, or with
// a mask whose visible part is not that of the new one.
func (t *target[T]) stillHas(s Secret[T], before, held T) bool {
	secret := tf.Text(*s.At(&t.wanted))
	was := tf.Text(*s.At(&before))
	shown := *s.At(&held)
	if shown == nil || *shown != was || opsmanager.CouldShow(was, secret) {
		return false
	}
	return opsmanager.IsMask(was, opsmanager.InSecret) ||
		t.known.Secrets.IsClear(s.Attribute, was) ||
		opsmanager.HaveOtherHosts(was, secret)
}

// isReadable reports whether Ops Manager is known to return the secret of a live object unredacted.
func (t *target[T]) isReadable(s Secret[T], live T) bool {
	shown := *s.At(&live)
	return shown != nil && t.known.Secrets.IsClear(s.Attribute, *shown)
}

// isConfigured reports whether a configuration may have a secret.
func (t *target[T]) isConfigured(attribute string) bool {
	return tf.SecretOf(t.config, attribute).IsSet()
}

// hasOther reports whether a live object has a secret that is neither the wanted one nor the one that the plan saw.
func (t *target[T]) hasOther(s Secret[T], live T) bool {
	text, isKnown := t.shownOrGone(live)[s.Attribute]
	want := *s.At(&t.planned)
	isChanged := t.looksDifferent(s.Attribute, text)
	if t.isAdoption {
		isChanged = want != nil && t.plannedOverwrite(s.Attribute).ValueString() == ""
	}
	isExcluded := text == "" && s.isExcluded(t.planned)
	return isKnown && isChanged && !isExcluded && (want == nil || *want == "" || !opsmanager.CouldShow(text, *want))
}

// hasOtherMasked reports whether a live object has another value in a masked field than the plan saw.
func (t *target[T]) hasOtherMasked(f tf.Field[T], live T) bool {
	if !f.IsMasked(live) || t.Hidden.CouldShow(live, t.wanted) {
		return false
	}
	return t.looksDifferent(f.Attribute, t.Hidden.Text(live))
}

// shownOrGone returns the secrets of a response, and those that Ops Manager no longer returns, as an empty
// text.
func (t *target[T]) shownOrGone(live T) map[string]string {
	found := t.shown(live)
	for _, s := range t.Secrets {
		_, isShown := found[s.Attribute]
		wasShown := t.known.Secrets.Fingerprints[s.Attribute] != nil
		if wasShown && !isShown && !s.isLacking(live) {
			found[s.Attribute] = ""
		}
	}
	return found
}

// looksDifferent reports whether a response has a secret in another form than when it was read last. A mask of
// the secret in the state is no other one: a newer version of Ops Manager may mask what it returned unredacted.
func (t *target[T]) looksDifferent(attribute, shown string) bool {
	text := tf.As[types.String](t.prior, attribute).ValueString()
	return t.known.Secrets.Differs(attribute, shown) && (text == "" || !opsmanager.CouldShow(shown, text))
}

// refreshSecrets removes from a state the secrets that were changed elsewhere, so that the next plan
// sets them again. A secret that each read returns in a different form is masked at random, which says
// nothing. What was known of it is forgotten until the next write.
func (t *target[T]) refreshSecrets(ctx context.Context, state tf.Values, live T) {
	shown := t.shownOrGone(live)
	maps.DeleteFunc(shown, func(attribute, text string) bool { return !t.looksDifferent(attribute, text) })
	if len(shown) == 0 {
		return
	}
	again, err := t.Calls.Get(ctx, t.Data, t.id)
	if err != nil {
		return // the next refresh shows it
	}
	second := t.shown(*again)
	for attribute, text := range shown {
		if second[attribute] != text {
			if t.known.Secrets.Differs(attribute, second[attribute]) {
				delete(t.known.Secrets.Fingerprints, attribute)
			}
			continue
		}
		t.known.Secrets.Saw(attribute, text)
		if f := t.field(attribute); f != nil { // masked
			state[attribute] = f.Value(*new(T))
		} else {
			tf.RemoveSecret(state, attribute)
		}
	}
}

// lost returns the secrets that a PUT of an object would lose: those that neither the plan nor a response has. A response
// without a secret doesn't say that there is none.
func (t *target[T]) lost(whole, live T) (lost []string) {
	for _, s := range t.Secrets {
		isPlanned := *s.At(&t.planned) != nil
		isRequired := s.Required != nil && s.Required(whole)
		isSafe := isPlanned || s.isExcluded(whole) || s.IsKept || t.isReadable(s, live)
		if !isSafe && (isRequired || !s.isLacking(live)) {
			lost = append(lost, s.Attribute)
		}
	}
	return lost
}

// lostLater returns the secrets that an apply would lose. One that is configured is known during the apply, and one that Ops
// Manager returns unredacted is there to send back.
func (t *target[T]) lostLater(whole, live T) []string {
	return slices.DeleteFunc(t.lost(whole, live), func(attribute string) bool {
		return t.isConfigured(attribute) || t.known.Secrets.Clear[attribute]
	})
}

// unknownSecrets returns the error of a PUT that would lose secrets, or nil if there are none.
func (t *target[T]) unknownSecrets(lost []string) diag.Diagnostic {
	none := ""
	if len(lost) == 0 {
		return nil
	}
	isRemovable := func(s Secret[T]) bool { return s.Removal != "" && slices.Contains(lost, s.Attribute) }
	if slices.ContainsFunc(t.Secrets, isRemovable) {
		none = " If there is none, set it to \"\"."
	}
	if t.isEnd {
		return t.onID("Unknown Secret", "A change replaces the whole %s. A destroy has only the secrets in the Terraform state, which lacks %s, and Ops Manager may return that with a mask, or not at all. "+
			"Nothing was changed. Configure it in the attribute that the state stores and apply, or set on_destroy = \"keep\".%s", t.Word, strings.Join(lost, ", "), none)
	}
	return t.onID("Unknown Secret", "A change replaces the whole %s, and Ops Manager may return its secrets with a mask, or not at all, so the provider has to send all of them. "+
		"Configure %[2]s, or the write-only form with _wo, and leave out ignore_changes for it.%[3]s Nothing was changed.", t.Word, strings.Join(lost, ", "), none)
}

// masked returns the members that are sent and may have a mask in place of a secret: those that are not configured, where
// a secret is sent only if it is configured or known to be returned unredacted, and those that the provider does not know. A
// mask is not the same in both of two responses, or looks like one.
func (t *target[T]) masked(first, live, sent T) []string {
	names := opsmanager.UnknownNames(sent)
	for _, s := range t.Secrets {
		*s.At(&sent) = nil
	}
	found := opsmanager.MaskedTexts(sent, t.toAPI(t.config))
	for _, name := range opsmanager.UnknownSecrets(first, live) {
		if slices.ContainsFunc(names, func(sent string) bool { return sent == name || strings.HasSuffix(sent, "."+name) }) {
			found = append(found, name)
		}
	}
	return found
}

// known is what the private state has: what is known of how Ops Manager returns an object.
type known struct {
	Returned []string    `json:"returned,omitempty"` // the fields that Ops Manager has ever returned
	Secrets  tf.ReadBack `json:"secrets,omitzero"`
}

const knownKey = "known"

func readKnown(ctx context.Context, private tf.PrivateState, diags *diag.Diagnostics) (k known) {
	tf.ReadPrivate(ctx, private, knownKey, &k, diags)
	return k
}

func (k known) wasReturned(attribute string) bool { return slices.Contains(k.Returned, attribute) }

// noteReturned adds the fields of a response to those that Ops Manager has ever returned.
func (t *target[T]) noteReturned(response T) {
	for _, f := range t.Fields {
		if !f.IsMissing(response) && !t.known.wasReturned(f.Attribute) {
			t.known.Returned = append(t.known.Returned, f.Attribute)
		}
	}
}

// shown returns the secrets of an object as a response has them, by attribute.
func (t *Type[T]) shown(object T) map[string]string {
	found := map[string]string{}
	for _, s := range t.Secrets {
		if text := *s.At(&object); text != nil {
			found[s.Attribute] = *text
		}
	}
	for _, f := range t.Fields {
		if f.IsMasked(object) {
			found[f.Attribute] = t.Hidden.Text(object)
		}
	}
	return found
}

// storeKnown stores which fields Ops Manager returns, and how it returned the secrets in a read after a write.
func (t *target[T]) storeKnown(ctx context.Context, private tf.PrivateState, done result[T], diags *diag.Diagnostics) {
	t.noteReturned(done.Returned)
	now := known{Returned: t.known.Returned}
	if len(t.Secrets) > 0 {
		whole := t.whole(done.Live)
		shown := t.shown(done.Returned)
		sent := t.shown(whole)
		if t.Hidden != nil {
			sent[t.Hidden.Attribute] = t.Hidden.Text(whole)
		}
		t.mistrust(shown, sent, done) // does nothing after a creation, before which there were none
		for _, s := range t.Secrets {
			_, isShown := shown[s.Attribute]
			if text := *s.At(&t.planned); text != nil && *text == "" && !isShown {
				shown[s.Attribute] = "" // if there is one later, another client has set it
			}
		}
		now.Secrets = tf.NewReadBack(shown, sent)
		for attribute, text := range shown {
			if t.known.Secrets.IsClear(attribute, text) { // and was not taken
				now.Secrets.Clear[attribute] = true
			}
		}
	}
	tf.WritePrivate(ctx, private, knownKey, now, diags)
}

// mistrust looks for secrets that another client may have changed after an update: the response showed what was sent, and
// the read after it neither that nor what was there before. What is stored is then that of the response, so the next plan sets
// it again. A mask that each response has in another form says nothing. A secret that stays as it was is an error of check.
func (t *target[T]) mistrust(shown, sent map[string]string, done result[T]) {
	responded := t.shown(done.Response)
	for attribute, was := range t.shown(done.Live) {
		read, isRead := shown[attribute]
		text, isShown := responded[attribute]
		switch {
		case !isShown, !isRead, read == was, read == text, opsmanager.CouldShow(read, sent[attribute]):
		case opsmanager.CouldShow(text, sent[attribute]):
			shown[attribute] = text
		default:
			delete(shown, attribute)
		}
	}
}

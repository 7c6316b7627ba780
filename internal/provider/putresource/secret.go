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
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
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

// Hidden is a field that may have masks in a response. The object then lacks it.
type Hidden[T any] struct {
	Attribute string
	Text      func(T) string // a text that shows whether it changes, with or without masks; empty without the field
	Describe  func(T) string // how messages show it, with or without masks
	// CouldShow reports whether what an object has, with or without masks, could be what another one has.
	CouldShow func(shown, wanted T) bool
}

// known is what the private state has: what is known of how Ops Manager returns an object, and in a plan, the
// object that it creates.
type known struct {
	Returned []string         `json:"returned,omitempty"` // the fields that Ops Manager has ever returned
	Secrets  secrets.ReadBack `json:"secrets,omitzero"`
	Creates  string           `json:"creates,omitempty"` // the object that the plan creates or adopts
	Planned  bool             `json:"planned,omitempty"` // an update, whose values the second plan of a replacement gets
}

const knownKey = "known"

func readKnown(ctx context.Context, private tfmodel.PrivateState, diags *diag.Diagnostics) (k known) {
	tfmodel.ReadPrivate(ctx, private, knownKey, &k, diags)
	return k
}

func (k known) wasReturned(attribute string) bool { return slices.Contains(k.Returned, attribute) }

// values returns the attributes of a configuration, a plan or a state. From then on, the client hides
// the secrets among them.
func (r *lifecycle[T]) values(ctx context.Context, from interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}, diags *diag.Diagnostics) tfmodel.Values {
	read := tfmodel.ValuesFrom(ctx, from, diags)
	for _, s := range r.Secrets {
		r.Hide(secrets.Of(read, s.Attribute).Texts()...)
	}
	return read
}

// secretsToSend returns the secrets that a request sends, by attribute: the planned ones, and the
// write-only ones of the configuration.
func (t *Type[T]) secretsToSend(config, plan tfmodel.Values) map[string]string {
	found := map[string]string{}
	for _, s := range t.Secrets {
		if text := secrets.Of(plan, s.Attribute).ToSend(secrets.Of(config, s.Attribute)); text != nil {
			found[s.Attribute] = *text
		}
	}
	return found
}

// secretsThatChange returns those of the secrets to send that the plan changes.
func (t *Type[T]) secretsThatChange(toSend map[string]string, plan, prior tfmodel.Values) map[string]string {
	changed := maps.Clone(toSend)
	maps.DeleteFunc(changed, func(attribute, _ string) bool {
		return prior != nil && secrets.Of(plan, attribute) == secrets.Of(prior, attribute)
	})
	return changed
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

// isHidden reports whether a field may be masked in a response.
func (t *Type[T]) isHidden(attribute string) bool {
	return t.Hidden != nil && t.Hidden.Attribute == attribute
}

// lostMasked returns the fields that are masked in the live object, and that a PUT would lose: neither the
// plan nor the state has them.
func (t *target[T]) lostMasked(live, whole T) (lost []string) {
	for _, f := range t.Fields {
		if f.IsMasked(live) && f.IsMissing(t.wanted) && (f.IsMissing(whole) || tfmodel.IsEmpty(f.Value(whole))) {
			lost = append(lost, f.Attribute)
		}
	}
	return lost
}

// setSecrets sets the secrets of what a PUT sends, and returns those that it would lose. One that is not configured
// is sent as the live object has it, if Ops Manager is known to return it unredacted. Nothing else may be sent
// back: it may be a mask. A response without a secret doesn't say that there is none.
func (t *Type[T]) setSecrets(whole *T, live T, toSend map[string]string, known known) (missing []string) {
	for _, s := range t.Secrets {
		shown := *s.At(&live)
		text, ok := toSend[s.Attribute]
		switch {
		case s.Excluded != nil && s.Excluded(*whole):
			*s.At(whole) = nil
		case ok && text == "":
			*s.At(whole) = nil
		case ok:
			*s.At(whole) = &text
		case shown != nil && known.Secrets.IsClear(s.Attribute, *shown):
			*s.At(whole) = shown
		case s.IsKept:
			*s.At(whole) = nil
		case s.Required != nil && s.Required(*whole):
			missing = append(missing, s.Attribute)
		case s.Lacks != nil && s.Lacks(live): // the live object, or in a plan the prior one
		default:
			missing = append(missing, s.Attribute)
		}
	}
	return missing
}

// unshownRemovals returns the secrets that a plan says are none while the state has no text of them: Terraform shows no
// difference between no text and an empty one of a sensitive attribute.
func (t *Type[T]) unshownRemovals(toSend map[string]string, plan, prior tfmodel.Values) (attributes []string) {
	for attribute, text := range toSend {
		was, is := secrets.Of(prior, attribute), secrets.Of(plan, attribute)
		if text == "" && was.Text.IsNull() && is.Version.Equal(was.Version) {
			attributes = append(attributes, attribute)
		}
	}
	slices.Sort(attributes)
	return attributes
}

// refuseRemovals adds an error for each of the secrets that a live object shows, unless the whole object that is sent
// can't have it, which the plan shows. If the ID is not nil, it also warns of those that the object may have without
// showing them.
func (t *Type[T]) refuseRemovals(verb string, id, unshown []string, live, whole T, diags *diag.Diagnostics) {
	shown := t.shown(live)
	for _, s := range t.Secrets {
		_, isShown := shown[s.Attribute]
		isExcluded := s.Excluded != nil && s.Excluded(whole)
		isLacking := s.Lacks != nil && s.Lacks(live)
		switch {
		case !slices.Contains(unshown, s.Attribute):
		case isShown && !isExcluded:
			diags.Append(t.onID(t.summary(verb), "%s is an empty text, which says that there is none, but Ops Manager returns one that is not in the Terraform state. The plan does not show its removal, so the provider does not remove it. "+
				"Configure it. To remove it, %s.", s.Attribute, s.Removal))
		case !isShown && id != nil && !isLacking:
			diags.AddWarning(t.name(id)+" May Lose a Secret", fmt.Sprintf("%s is an empty text, which says that there is none. Ops Manager returns none, but not every version returns this field. "+
				"If there is one, this update removes it. To keep it, configure it.", s.Attribute))
		}
	}
}

// secretText returns a text that differs between different secrets, and is empty if there is none. An empty secret is one.
func secretText(secret *string) string {
	if secret == nil {
		return ""
	}
	return "=" + *secret
}

// showSecrets reports whether an object shows each changed secret: unredacted, in another form than before, or not at all if
// it was removed.
func (t *target[T]) showSecrets(before, held T) bool {
	was, is := t.shown(before), t.shown(held)
	for attribute, secret := range t.newSecrets {
		shown, isShown := is[attribute]
		isNew := isShown && (shown == secret || shown != was[attribute])
		isRemoved := !isShown && secret == ""
		if !isNew && !isRemoved {
			return false
		}
	}
	return true
}

// isStill reports whether Ops Manager still returns a changed secret as it was before: unredacted, with other hosts, or with
// a mask whose visible part is not that of the new one.
func (t *target[T]) isStill(attribute string, before, held T) bool {
	secret, was := t.newSecrets[attribute], t.shown(before)[attribute]
	shown, isShown := t.shown(held)[attribute]
	tells := opsmanager.IsMask(shown, opsmanager.InSecret) || t.known.Secrets.IsClear(attribute, shown) || opsmanager.HaveOtherHosts(shown, secret)
	return isShown && shown == was && tells && !opsmanager.CouldShow(shown, secret)
}

// missingSecrets returns the secrets that the creation of an object requires and that are not set.
func (t *Type[T]) missingSecrets(object T, isSet func(attribute string) bool) (missing []string) {
	for _, s := range t.Secrets {
		if s.Required != nil && s.Required(object) && !isSet(s.Attribute) {
			missing = append(missing, s.Attribute)
		}
	}
	return missing
}

// isOtherIn returns a function that reports whether a secret is neither the wanted one nor the one that the plan saw.
func (t *target[T]) isOtherIn(attribute string) func(live T) bool {
	return func(live T) bool {
		text, isKnown := t.shownOrGone(live, t.known)[attribute]
		want, isSent := t.toSend[attribute]
		isOther := t.isOtherSecret(attribute, text, t.prior, t.known)
		if t.overwrites != nil {
			isOther = isSent && plannedText(*t.overwrites, attribute) == ""
		}
		isWanted := text == "" && t.excludes(attribute) || want != "" && opsmanager.CouldShow(text, want)
		if t.isHidden(attribute) {
			isWanted = t.Hidden.CouldShow(live, t.wanted)
		}
		return isKnown && isOther && !isWanted
	}
}

// excludes reports whether the planned object can't have a secret.
func (t *target[T]) excludes(attribute string) bool {
	return slices.ContainsFunc(t.Secrets, func(s Secret[T]) bool {
		return s.Attribute == attribute && s.Excluded != nil && s.Excluded(t.planned)
	})
}

// shownOrGone returns the secrets of a response, and those that Ops Manager no longer returns, as an empty
// text.
func (t *Type[T]) shownOrGone(live T, known known) map[string]string {
	found := t.shown(live)
	for _, s := range t.Secrets {
		if _, isShown := found[s.Attribute]; !isShown && known.Secrets.Fingerprints[s.Attribute] != nil && (s.Lacks == nil || !s.Lacks(live)) {
			found[s.Attribute] = ""
		}
	}
	return found
}

// isOtherSecret reports whether a response has a secret in another form than when it was read last. A mask of
// the secret in the state is no other one: a newer version of Ops Manager may mask what it returned unredacted.
func (t *Type[T]) isOtherSecret(attribute, shown string, state tfmodel.Values, known known) bool {
	text := tfmodel.As[types.String](state, attribute)
	return known.Secrets.Differs(attribute, shown) && (text.ValueString() == "" || !opsmanager.CouldShow(shown, text.ValueString()))
}

// storeKnown stores how Ops Manager returned the secrets after a write, and which optional fields it returns. If the
// response showed what was sent, and the read after it neither that nor what was there before, another client may have
// changed the secret: what is stored is then that of the response, so the next plan sets it again. After a creation, the
// read counts. A mask that each response has in another form says nothing.
func (t *target[T]) storeKnown(ctx context.Context, private tfmodel.PrivateState, done result[T], diags *diag.Diagnostics) {
	now := known{Returned: t.known.Returned}
	t.noteReturned(&now, done.Held)
	if len(t.Secrets) > 0 {
		whole, _ := t.whole(done.Step)
		shown, sent, before := t.shown(done.Held), t.shown(whole), t.shown(done.Live)
		if t.Hidden != nil {
			sent[t.Hidden.Attribute] = t.Hidden.Text(whole)
		}
		for attribute, text := range t.shown(done.Response) {
			read, isShown := shown[attribute]
			was, hadOne := before[attribute]
			isAsBefore := !hadOne || read == was && !t.known.Secrets.IsClear(attribute, read)
			switch {
			case !isShown, read == text, isAsBefore, opsmanager.CouldShow(read, sent[attribute]):
			case opsmanager.CouldShow(text, sent[attribute]):
				shown[attribute] = text
			default:
				delete(shown, attribute)
			}
		}
		for attribute, text := range t.toSend {
			if _, isShown := shown[attribute]; text == "" && !isShown {
				shown[attribute] = "" // if there is one later, another client has set it
			}
		}
		now.Secrets = secrets.NewReadBack(shown, sent)
		for attribute, text := range shown {
			if t.known.Secrets.IsClear(attribute, text) { // and was not taken
				now.Secrets.Clear[attribute] = true
			}
		}
	}
	tfmodel.WritePrivate(ctx, private, knownKey, now, diags)
}

// refreshSecrets returns a state without the secrets that were changed elsewhere, so that the next plan
// sets them again. A secret that each read returns in a different form is masked at random, which says
// nothing. What was known of it is forgotten until the next write.
func (r *lifecycle[T]) refreshSecrets(ctx context.Context, state tfmodel.Values, live T, id []string, known known) tfmodel.Values {
	shown := r.shownOrGone(live, known)
	maps.DeleteFunc(shown, func(attribute, text string) bool { return !r.isOtherSecret(attribute, text, state, known) })
	if len(shown) == 0 {
		return state
	}
	again, err := r.Calls.Get(ctx, r.Data, id)
	if err != nil {
		return state // the next refresh shows it
	}
	second, updated := r.shown(*again), maps.Clone(state)
	for attribute, text := range shown {
		switch {
		case second[attribute] == text:
			if i := slices.Index(r.Fields.Attributes(), attribute); i >= 0 { // masked
				updated[attribute] = r.Fields[i].Value(*new(T))
			} else {
				secrets.Remove(updated, attribute)
			}
			known.Secrets.Saw(attribute, text)
		case known.Secrets.Differs(attribute, second[attribute]):
			delete(known.Secrets.Fingerprints, attribute)
		}
	}
	return updated
}

// noteReturned adds the fields of a response to those that Ops Manager has ever returned.
func (t *Type[T]) noteReturned(known *known, response T) {
	for _, f := range t.Fields {
		if !f.IsMissing(response) && !known.wasReturned(f.Attribute) {
			known.Returned = append(known.Returned, f.Attribute)
		}
	}
}

// overwrittenSecret returns the text of overwrites for a secret.
func (t *Type[T]) overwrittenSecret(attribute string, live T, config tfmodel.Values) types.String {
	configured := secrets.Of(config, attribute)
	text := configured.ToSend(configured)
	shown, isShown := t.shown(live)[attribute]
	switch {
	case !configured.IsSet():
		return types.StringNull()
	case text == nil: // unknown
		return types.StringUnknown()
	case isShown && shown == *text:
		return types.StringNull()
	case isShown:
		return types.StringValue("(sensitive value) -> (sensitive value)")
	}
	return types.StringValue("not shown -> (sensitive value)")
}

// unknownSecrets is the error of a PUT that would lose a secret.
func (t *Type[T]) unknownSecrets(verb string, missing []string) diag.Diagnostic {
	none := ""
	if slices.ContainsFunc(t.Secrets, func(s Secret[T]) bool { return s.Removal != "" && slices.Contains(missing, s.Attribute) }) {
		none = " If there is none, set it to \"\"."
	}
	if verb == "Reset" || verb == "Delete" {
		return t.onID("Unknown Secret", "A change replaces the whole %s. A destroy has only the secrets in the Terraform state, which lacks %s, and Ops Manager may return that with a mask, or not at all. "+
			"Nothing was changed. Configure it in the attribute that the state stores and apply, or set on_destroy = \"keep\".%s", t.Word, strings.Join(missing, ", "), none)
	}
	return t.onID("Unknown Secret", "A change replaces the whole %s, and Ops Manager may return its secrets with a mask, or not at all, so the provider has to send all of them. "+
		"Configure %[2]s, or the write-only form with _wo, and leave out ignore_changes for it.%[3]s Nothing was changed.", t.Word, strings.Join(missing, ", "), none)
}

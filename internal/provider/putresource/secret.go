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

// field returns the secret as a field of an object.
func (s Secret[T]) field() tfmodel.Field[T] { return tfmodel.TextField(s.Attribute, s.At) }

// all returns the fields of an object, and its secrets.
func (t *Type[T]) all() tfmodel.Fields[T] {
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

// isUnshown reports whether a plan says that there is no secret while the state has no text of it: Terraform shows no
// difference between no text and an empty one of a sensitive attribute.
func (t *target[T]) isUnshown(s Secret[T]) bool {
	was, is, text := secrets.Of(t.prior, s.Attribute), secrets.Of(t.plan, s.Attribute), *s.At(&t.planned)
	return t.prior != nil && text != nil && *text == "" && was.Text.IsNull() && is.Version.Equal(was.Version)
}

// refuseRemovals returns an error for each of these secrets that a live object shows, unless the whole object that is sent
// can't have it, which the plan shows. It warns of those that the object may have without showing them.
func (t *target[T]) refuseRemovals(live, whole T) (diags diag.Diagnostics) {
	for _, s := range t.Secrets {
		isShown := *s.At(&live) != nil
		isExcluded := s.Excluded != nil && s.Excluded(whole)
		isLacking := s.Lacks != nil && s.Lacks(live)
		switch {
		case !t.isUnshown(s):
		case isShown && !isExcluded:
			diags.Append(t.onID(t.summary(t.verb), "%s is an empty text, which says that there is none, but Ops Manager returns one that is not in the Terraform state. The plan does not show its removal, so the provider does not remove it. "+
				"Configure it. To remove it, %s.", s.Attribute, s.Removal))
		case !isShown && !isLacking:
			diags.AddWarning(t.name()+" May Lose a Secret", fmt.Sprintf("%s is an empty text, which says that there is none. Ops Manager returns none, but not every version returns this field. "+
				"If there is one, this update removes it. To keep it, configure it.", s.Attribute))
		}
	}
	return diags
}

// isStill reports whether Ops Manager still returns a changed secret as it was before: unredacted, with other hosts, or with
// a mask whose visible part is not that of the new one.
func (t *target[T]) isStill(s Secret[T], before, held T) bool {
	secret, was, shown := tfmodel.Text(*s.At(&t.wanted)), tfmodel.Text(*s.At(&before)), *s.At(&held)
	if shown == nil || *shown != was {
		return false
	}
	tells := opsmanager.IsMask(was, opsmanager.InSecret) || t.known.Secrets.IsClear(s.Attribute, was) || opsmanager.HaveOtherHosts(was, secret)
	return tells && !opsmanager.CouldShow(was, secret)
}

// isConfigured reports whether a configuration may have a secret.
func (t *target[T]) isConfigured(attribute string) bool {
	return secrets.Of(t.config, attribute).IsSet()
}

// isOther reports whether a live object has a secret that is neither the wanted one nor the one that the plan saw.
func (t *target[T]) isOther(s Secret[T], live T) bool {
	text, isKnown := t.shownOrGone(live)[s.Attribute]
	want := *s.At(&t.planned)
	isOther := t.isChanged(s.Attribute, text)
	if t.verb == "Adopt" {
		isOther = want != nil && t.plannedOverwrite(s.Attribute) == ""
	}
	isExcluded := text == "" && s.Excluded != nil && s.Excluded(t.planned)
	return isKnown && isOther && !isExcluded && (want == nil || *want == "" || !opsmanager.CouldShow(text, *want))
}

// shownOrGone returns the secrets of a response, and those that Ops Manager no longer returns, as an empty
// text.
func (t *target[T]) shownOrGone(live T) map[string]string {
	found := t.shown(live)
	for _, s := range t.Secrets {
		if _, isShown := found[s.Attribute]; !isShown && t.known.Secrets.Fingerprints[s.Attribute] != nil && (s.Lacks == nil || !s.Lacks(live)) {
			found[s.Attribute] = ""
		}
	}
	return found
}

// isChanged reports whether a response has a secret in another form than when it was read last. A mask of
// the secret in the state is no other one: a newer version of Ops Manager may mask what it returned unredacted.
func (t *target[T]) isChanged(attribute, shown string) bool {
	text := tfmodel.As[types.String](t.prior, attribute).ValueString()
	return t.known.Secrets.Differs(attribute, shown) && (text == "" || !opsmanager.CouldShow(shown, text))
}

// refreshSecrets removes from a state the secrets that were changed elsewhere, so that the next plan
// sets them again. A secret that each read returns in a different form is masked at random, which says
// nothing. What was known of it is forgotten until the next write.
func (t *target[T]) refreshSecrets(ctx context.Context, state tfmodel.Values, live T) {
	shown := t.shownOrGone(live)
	maps.DeleteFunc(shown, func(attribute, text string) bool { return !t.isChanged(attribute, text) })
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
			secrets.Remove(state, attribute)
		}
	}
}

// unknownSecrets returns the error of a PUT that would lose secrets, or nil if there are none.
func (t *target[T]) unknownSecrets(missing []string) diag.Diagnostic {
	none := ""
	if len(missing) == 0 {
		return nil
	}
	if slices.ContainsFunc(t.Secrets, func(s Secret[T]) bool { return s.Removal != "" && slices.Contains(missing, s.Attribute) }) {
		none = " If there is none, set it to \"\"."
	}
	if t.isEnd() {
		return t.onID("Unknown Secret", "A change replaces the whole %s. A destroy has only the secrets in the Terraform state, which lacks %s, and Ops Manager may return that with a mask, or not at all. "+
			"Nothing was changed. Configure it in the attribute that the state stores and apply, or set on_destroy = \"keep\".%s", t.Word, strings.Join(missing, ", "), none)
	}
	return t.onID("Unknown Secret", "A change replaces the whole %s, and Ops Manager may return its secrets with a mask, or not at all, so the provider has to send all of them. "+
		"Configure %[2]s, or the write-only form with _wo, and leave out ignore_changes for it.%[3]s Nothing was changed.", t.Word, strings.Join(missing, ", "), none)
}

package wholeobject

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

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
	IsKept      bool         // whether Ops Manager keeps it if a PUT lacks it
	Description string
}

// The keys of the private state.
const (
	returnedKey = "returned" // the optional fields that Ops Manager has ever returned
	createsKey  = "creates"  // the object that a plan creates; only until it is applied
)

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
func (n *Noun[T]) secretsToSend(config, plan tfmodel.Values) map[string]string {
	found := map[string]string{}
	for _, s := range n.Secrets {
		if text := secrets.Of(plan, s.Attribute).ToSend(secrets.Of(config, s.Attribute)); text != nil {
			found[s.Attribute] = *text
		}
	}
	return found
}

// secretsThatChange returns those of the secrets to send that the plan changes.
func (n *Noun[T]) secretsThatChange(toSend map[string]string, plan, prior tfmodel.Values) map[string]string {
	changed := maps.Clone(toSend)
	maps.DeleteFunc(changed, func(attribute, _ string) bool {
		return prior != nil && secrets.Of(plan, attribute) == secrets.Of(prior, attribute)
	})
	return changed
}

// shown returns the secrets of an object as a response has them, by attribute.
func (n *Noun[T]) shown(object T) map[string]string {
	found := map[string]string{}
	for _, s := range n.Secrets {
		if text := *s.At(&object); text != nil {
			found[s.Attribute] = *text
		}
	}
	if n.Masked != nil {
		maps.Copy(found, n.Masked(object))
	}
	return found
}

// isMasked reports whether a field is masked in a response.
func (n *Noun[T]) isMasked(response T, attribute string) bool {
	if n.Masked == nil {
		return false
	}
	_, is := n.Masked(response)[attribute]
	return is
}

// lostMasked returns the fields that are masked in the live object, and that a PUT would lose: neither the
// plan nor the state has them.
func (n *Noun[T]) lostMasked(c change[T], whole T) (lost []string) {
	for _, f := range n.Fields {
		if n.isMasked(c.live, f.Attribute) && f.IsMissing(c.wanted) && (f.IsMissing(whole) || isEmpty(f.Value(whole))) {
			lost = append(lost, f.Attribute)
		}
	}
	return lost
}

// setSecrets sets the secrets of what a PUT sends. One that is not configured is sent as the live object
// has it, if Ops Manager is known to return it in clear. Nothing else may be sent back: it may be a mask.
func (n *Noun[T]) setSecrets(whole *T, live T, toSend map[string]string, known secrets.ReadBack) (missing []string) {
	for _, s := range n.Secrets {
		shown := *s.At(&live)
		text, ok := toSend[s.Attribute]
		switch {
		case s.Excluded != nil && s.Excluded(*whole):
			*s.At(whole) = nil
		case ok:
			*s.At(whole) = &text
		case shown != nil && known.IsClear(s.Attribute, *shown):
			*s.At(whole) = shown
		case s.IsKept:
			*s.At(whole) = nil
		case shown != nil, s.Required != nil && s.Required(*whole):
			missing = append(missing, s.Attribute)
		}
	}
	return missing
}

// showSecrets reports whether each secret in a response could be the one that was sent: it is the same, or
// it differs from the one before.
func (n *Noun[T]) showSecrets(sent, before, held T) bool {
	was, is := n.shown(before), n.shown(held)
	for attribute, secret := range n.shown(sent) {
		if shown, ok := is[attribute]; ok && shown == was[attribute] && !secrets.CouldShow(shown, secret) {
			return false
		}
	}
	return true
}

// missingSecrets returns the secrets that the creation of an object requires and that are not set.
func (n *Noun[T]) missingSecrets(object T, isSet func(attribute string) bool) (missing []string) {
	for _, s := range n.Secrets {
		if s.Required != nil && s.Required(object) && !isSet(s.Attribute) {
			missing = append(missing, s.Attribute)
		}
	}
	return missing
}

// secretsSincePlan says which of the secrets that a PUT sets are no longer those that the plan saw.
func (n *Noun[T]) secretsSincePlan(live T, sets func(attribute string) bool, prior tfmodel.Values, known secrets.ReadBack) (changed []string) {
	for attribute := range n.otherThanKnown(live, prior, known) {
		if sets(attribute) {
			changed = append(changed, attribute+" is another secret than the one that the plan saw")
		}
	}
	slices.Sort(changed)
	return changed
}

// otherThanKnown returns the secrets that Ops Manager returns in another form than it did when it was read
// last, and those that it no longer returns, as an empty text.
func (n *Noun[T]) otherThanKnown(live T, state tfmodel.Values, known secrets.ReadBack) map[string]string {
	found := n.shown(live)
	for _, s := range n.Secrets {
		if _, isShown := found[s.Attribute]; !isShown && known.Fingerprints[s.Attribute] != nil && (s.Excluded == nil || !s.Excluded(live)) {
			found[s.Attribute] = ""
		}
	}
	maps.DeleteFunc(found, func(attribute, text string) bool { return !isOtherSecret(attribute, text, state, known) })
	return found
}

// otherSecrets says which secrets of a new object are not those that were sent. A mask in a known form shows
// that by itself, and any other text only by a change that lasts.
func (r *lifecycle[T]) otherSecrets(ctx context.Context, id []string, sent, before, now T) (other []string) {
	was, is, want := r.shown(before), r.shown(now), r.shown(sent)
	for attribute, text := range is {
		if text == want[attribute] || want[attribute] == "" || secrets.CouldShow(text, want[attribute]) {
			continue
		}
		isStable := func() bool {
			again, err := r.Calls.Get(ctx, r.Data, id)
			return err == nil && r.shown(*again)[attribute] == text
		}
		if secrets.IsMasked(text) || was[attribute] != text && isStable() {
			other = append(other, attribute+" is another secret")
		}
	}
	slices.Sort(other)
	return other
}

// isOtherSecret reports whether a response has a secret in another form than after the last write. A mask of
// the secret in the state is no other one: a newer version of Ops Manager may mask what it returned in clear.
func isOtherSecret(attribute, shown string, state tfmodel.Values, known secrets.ReadBack) bool {
	text := tfmodel.As[types.String](state, attribute)
	return known.Differs(attribute, shown) && (text.IsNull() || !secrets.CouldShow(shown, text.ValueString()))
}

// storeKnown stores how Ops Manager returned the secrets after a write, and which optional fields it
// returns. It stores nothing about a mask that the next read returns in a different form, because such a
// mask does not show a change.
func (r *lifecycle[T]) storeKnown(ctx context.Context, private tfmodel.PrivateState, id []string, sent, held T, diags *diag.Diagnostics) {
	r.noteReturned(ctx, private, held, diags)
	if len(r.Secrets) == 0 {
		return
	}
	shown := r.shown(held)
	if again, err := r.Calls.Get(ctx, r.Data, id); err == nil && !maps.Equal(shown, r.shown(*again)) {
		second := r.shown(*again)
		maps.DeleteFunc(shown, func(attribute, text string) bool { return second[attribute] != text })
	}
	tfmodel.WritePrivate(ctx, private, secrets.ReadBackKey, secrets.NewReadBack(shown, r.shown(sent)), diags)
}

// known returns how Ops Manager returned the secrets after the last write.
func (r *lifecycle[T]) known(ctx context.Context, private tfmodel.PrivateState, diags *diag.Diagnostics) (known secrets.ReadBack) {
	if len(r.Secrets) > 0 {
		tfmodel.ReadPrivate(ctx, private, secrets.ReadBackKey, &known, diags)
	}
	return known
}

// refreshSecrets returns a state without the secrets that were changed elsewhere, so that the next plan
// sets them again. A secret that each read returns in a different form is masked at random, which says
// nothing. What was known of it is forgotten until the next write.
func (r *lifecycle[T]) refreshSecrets(ctx context.Context, state tfmodel.Values, live T, id []string, req, resp tfmodel.PrivateState, diags *diag.Diagnostics) tfmodel.Values {
	known := r.known(ctx, req, diags)
	shown := r.otherThanKnown(live, state, known)
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
			r.forget(updated, attribute)
			known.Saw(attribute, text)
		case known.Differs(attribute, second[attribute]):
			delete(known.Fingerprints, attribute)
		}
	}
	tfmodel.WritePrivate(ctx, resp, secrets.ReadBackKey, known, diags)
	return updated
}

// forget removes a secret, or a field that is masked, from a state.
func (n *Noun[T]) forget(state tfmodel.Values, attribute string) {
	for _, f := range n.Fields {
		if f.Attribute == attribute {
			state[attribute] = f.Value(*new(T))
			return
		}
	}
	secrets.Remove(state, attribute)
}

// noteReturned adds the optional fields of a response to those that Ops Manager has ever returned, and
// returns the attributes of those that are missing now. Ops Manager leaves such a field out if it is not
// set. So once it was returned, a response without it says that someone removed it. Before that, this
// version of Ops Manager may not return it at all.
func (r *lifecycle[T]) noteReturned(ctx context.Context, private tfmodel.PrivateState, response T, diags *diag.Diagnostics) (removed []string) {
	if len(r.Optional) == 0 {
		return nil
	}
	var before []string
	tfmodel.ReadPrivate(ctx, private, returnedKey, &before, diags)
	missing := slices.DeleteFunc(r.optional().Missing(response), func(attribute string) bool { return r.isMasked(response, attribute) })
	removed = slices.DeleteFunc(slices.Clone(missing), func(attribute string) bool { return !slices.Contains(before, attribute) })
	after := slices.DeleteFunc(slices.Clone(r.Optional), func(attribute string) bool {
		return slices.Contains(missing, attribute) && !slices.Contains(before, attribute)
	})
	if !slices.Equal(before, after) {
		tfmodel.WritePrivate(ctx, private, returnedKey, after, diags)
	}
	return removed
}

// withoutRemoved returns a state without the values that someone removed. An empty one already says that there
// is none.
func (r *lifecycle[T]) withoutRemoved(state tfmodel.Values, removed []string, live T) tfmodel.Values {
	updated := maps.Clone(state)
	for _, f := range r.Fields {
		if slices.Contains(removed, f.Attribute) && !isEmpty(state[f.Attribute]) {
			updated[f.Attribute] = f.Value(live)
		}
	}
	return updated
}

// isEmpty reports whether a value is an empty text or list.
func isEmpty(value attr.Value) bool {
	switch value := value.(type) {
	case types.String:
		return value.Equal(types.StringValue(""))
	case types.Set:
		return !value.IsNull() && !value.IsUnknown() && len(value.Elements()) == 0
	}
	return false
}

// overwrittenSecret returns the text of overwrites for a secret.
func (n *Noun[T]) overwrittenSecret(attribute string, live T, config tfmodel.Values) types.String {
	configured := secrets.Of(config, attribute)
	text := configured.ToSend(configured)
	shown, isShown := n.shown(live)[attribute]
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
func (n *Noun[T]) unknownSecrets(verb string, missing []string) diag.Diagnostic {
	if verb == "Reset" || verb == "Delete" {
		return n.onID("Unknown Secret", "A change replaces the whole %s. A destroy has only the secrets in the Terraform state, which lacks %s, and Ops Manager may return that with a mask. "+
			"Nothing was changed. Configure it in the attribute that the state stores and apply, or set on_destroy = \"keep\".", n.Word, strings.Join(missing, ", "))
	}
	return n.onID("Unknown Secret", "A change replaces the whole %s, and Ops Manager may return %[2]s with a mask, so the provider can't keep it. "+
		"Configure %[2]s, and don't ignore its changes. Nothing was changed.", n.Word, strings.Join(missing, ", "))
}

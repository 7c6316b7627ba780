package putresource

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// Create creates an object, or adopts one that exists. It stores nothing if anything fails: Terraform
// would taint the resource, and replace it with the next apply.
func (r *lifecycle[T]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	diags := &resp.Diagnostics
	config := r.valuesOf(ctx, req.Config, diags)
	plan := r.valuesOf(ctx, req.Plan, diags)
	if diags.HasError() {
		return
	}
	t := r.target(config, plan, nil, known{})
	ctx, end := t.begin(ctx, diags)
	if end == nil {
		return
	}
	defer end()
	var done *result[T]
	if r.Calls.Add != nil {
		done = t.add(ctx, diags)
	} else {
		switch live, gone := t.find(ctx, "Create", diags); {
		case live != nil:
			done = t.adopt(ctx, *live, diags)
		case gone != nil && t.isOverwriting():
			t.isAdoption = true
			diags.Append(t.goneSincePlan(gone))
		case gone != nil:
			done = t.create(ctx, diags)
		}
	}
	if diags.HasError() {
		if done != nil {
			diags.AddError(r.summary("Create"), fmt.Sprintf("The %s exists in Ops Manager, and was left out of the Terraform state, because the next apply would otherwise replace it. "+
				"Configure the values that Ops Manager keeps. %s", r.Word, t.howToAdopt()))
		}
		return
	}
	r.Claim(r.key(t.id), connection.Applied)
	tf.WriteValues(ctx, &resp.State, r.Fields.Applied(plan, done.Now), diags)
	tf.WriteValues(ctx, resp.Identity, r.ID.Of(plan), diags)
	t.storeKnown(ctx, resp.Private, *done, diags)
}

// Read refreshes the state.
func (r *lifecycle[T]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	diags := &resp.Diagnostics
	state := r.valuesOf(ctx, req.State, diags)
	if diags.HasError() {
		return
	}
	// Also set if the object is gone: Terraform before 1.12 requires it for a removal.
	tf.WriteValues(ctx, resp.Identity, r.ID.Of(state), diags)
	t := r.target(nil, nil, state, readKnown(ctx, req.Private, diags))
	isProtected := tf.As[types.Bool](state, deletionProtection).ValueBool()
	if !t.claim(connection.HasIt(t.deletes())|connection.Refuses.If(isProtected), diags) {
		return
	}
	if r.KeepsState(diags) {
		t.claim(connection.Refreshed, diags)
		return
	}
	live, err := r.Calls.Get(ctx, r.Data, t.id)
	switch {
	case opsmanager.IsMissing(err, r.Kind):
		r.Claim(r.key(t.id), connection.Gone)
		resp.State.RemoveResource(ctx)
		return
	case opsmanager.MayBeUnreadable(err, r.Kind) && t.known.Returned == nil:
		diags.AddAttributeWarning(path.Root(r.ID.Attributes[0]), t.name()+" Not Refreshed", fmt.Sprintf(
			"Ops Manager did not return this %s, so the Terraform state was kept. The plan does not show changes made outside Terraform, or a deletion. %s", r.Word, tf.Sentence(err)))
	case err != nil:
		diags.Append(r.failed("Read", err))
		return
	default:
		if refused := r.CannotSendBack(*live); refused != nil {
			diags.AddWarning(t.name()+" Can't Be Changed", refused.Detail())
		}
		t.noteReturned(*live)
		r.Recall(live, t.toAPI(state))
		state = r.Fields.FromAPI(state, *live, t.known.Returned...)
		t.refreshSecrets(ctx, state, *live)
		tf.WritePrivate(ctx, resp.Private, knownKey, t.known, diags)
		tf.WriteValues(ctx, &resp.State, state, diags)
	}
	t.claim(connection.Refreshed, diags)
}

// Update changes what the plan changes, and sends everything else as it is live.
func (r *lifecycle[T]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	diags := &resp.Diagnostics
	config := r.valuesOf(ctx, req.Config, diags)
	plan := r.valuesOf(ctx, req.Plan, diags)
	prior := r.valuesOf(ctx, req.State, diags)
	if diags.HasError() {
		return
	}
	t := r.target(config, plan, prior, readKnown(ctx, req.Private, diags))
	tf.TakePlan(ctx, resp.Private, diags)
	updated := plan
	if !r.all().AreMissing(t.wanted) {
		ctx, end := t.begin(ctx, diags)
		if end == nil {
			return
		}
		defer end()
		done := t.apply(ctx, diags)
		switch {
		case done == nil && t.isUnclear:
			updated = t.withoutUnclear()
		case done == nil:
			return
		case diags.HasError():
			updated = t.takenInPart(*done)
		default:
			updated = r.Fields.Applied(plan, done.Now)
		}
		if done != nil {
			t.storeKnown(ctx, resp.Private, *done, diags)
		}
	}
	tf.WriteValues(ctx, &resp.State, updated, diags)
	tf.WriteValues(ctx, resp.Identity, r.ID.Of(plan), diags)
}

// takenInPart returns the state after a request that succeeded and that Ops Manager took in part.
func (t *target[T]) takenInPart(done result[T]) tf.Values {
	state := maps.Clone(t.plan)
	held := t.Fields.FromAPI(t.prior, done.Now, t.known.Returned...)
	for _, f := range t.Fields {
		if state[f.Attribute] = held[f.Attribute]; tf.Has(done.NotTaken, f.Attribute) {
			state[f.Attribute] = f.Value(done.Returned)
		}
	}
	for _, s := range t.Secrets {
		if tf.Has(done.NotTaken, s.Attribute) { // the read may be an old one
			tf.RemoveSecret(state, s.Attribute)
		}
	}
	return state
}

// withoutUnclear returns the prior state without what a failed request may have changed, if a refresh may not show that:
// secrets, masked fields, what responses never have, and what they lack after it was removed. So the next plan sets it,
// whether the configuration stays or is reverted.
func (t *target[T]) withoutUnclear() tf.Values {
	state := maps.Clone(t.prior)
	none := *new(T)
	for _, s := range t.Secrets {
		text := *s.At(&t.wanted)
		showsRemoval := t.known.Secrets.Fingerprints[s.Attribute] != nil // the next refresh
		if text != nil && (*text != "" || !showsRemoval) {
			tf.RemoveSecret(state, s.Attribute)
		}
	}
	for _, f := range t.Fields {
		mayBeUnsaid := !t.known.wasReturned(f.Attribute) || t.removes(f)
		mayBeUnseen := t.isHidden(f.Attribute) || mayBeUnsaid && f.IsUnsaid(none, t.known.Returned)
		if !f.IsMissing(t.wanted) && mayBeUnseen {
			state[f.Attribute] = f.Value(none)
		}
	}
	return state
}

// Delete does what on_destroy says. It refuses to end an object that is not the one of the state. It
// keeps an object that this process created or adopted: with create_before_destroy, Terraform destroys the
// old object of a replacement last, and both are the same. It also keeps the object of a replaced
// or tainted resource if the same plan adopts it.
func (r *lifecycle[T]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	diags := &resp.Diagnostics
	state := r.valuesOf(ctx, req.State, diags)
	if diags.HasError() {
		return
	}
	t := r.target(nil, nil, state, readKnown(ctx, req.Private, diags))
	planned := tf.TakePlan(ctx, resp.Private, diags)
	switch {
	case r.HasClaim(r.key(t.id), connection.Applied), r.Adopts && planned.Creates == r.key(t.id):
		diags.AddWarning(t.name()+" Not Deleted", fmt.Sprintf("This apply creates or adopts the %s that it also destroys as the old object of the resource. "+
			"Both are the same %[1]s, so the old object was only removed from the Terraform state.", r.Word))
		return
	case tf.As[types.Bool](state, deletionProtection).ValueBool():
		diags.Append(t.protected(false))
		return
	case !t.deletes():
		return
	case planned.IsTainted():
		resp.Diagnostics.Append(tf.UnplannedEnd(t.name()))
		return
	}
	ctx, end := t.begin(ctx, diags)
	if end == nil {
		return
	}
	defer end()
	if r.Reset != nil {
		t.apply(ctx, diags)
		return
	}
	live, err := t.write().Read(ctx)
	switch {
	case opsmanager.MayBeUnreadable(err, r.Kind) && r.Fields.AreMissing(t.planned):
		live = &t.planned
	case err != nil:
		diags.Append(t.failure(err)) // which leaves nil out
		return
	}
	if left := t.delete(ctx, *live, diags); left != nil { // and the next plan shows it
		tf.WriteValues(ctx, &resp.State, r.Fields.FromAPI(state, *left), diags)
	}
}

// delete deletes an object that is as the plan showed it. If Ops Manager can't return objects, and so nothing
// is known, it deletes the object with the ID. If Ops Manager refuses the deletion for a reason that may end
// later, it waits, and first changes what may end it. It returns what that leaves in Ops Manager.
func (t *target[T]) delete(ctx context.Context, live T, diags *diag.Diagnostics) (left *T) {
	isBlocked := func(err error) bool { return err != nil && t.Blocked != nil && t.Blocked(err) }
	send := func() error {
		return t.write().End(ctx, t.Client, t.Kind, live, func(attempt context.Context, _ T) error {
			return t.Calls.Delete(attempt, t.Data, t.id)
		})
	}
	settings := t.settings(live)
	err := send()
	if isBlocked(err) && t.mayRelease(live) {
		var problems diag.Diagnostics
		if left = t.release(ctx, &problems); problems.HasError() {
			diags.Append(tf.WithMore(t.notDeleted(err), fmt.Sprintf("\n\nOps Manager may accept it after a change that the provider could not make: %s To make it yourself, set %s and apply, then destroy again.",
				problems.Errors()[0].Detail(), t.released())))
			return nil
		}
		if left != nil {
			live = *left
		}
		err = send()
	}
	refusal := err
	if isBlocked(err) {
		tflog.Info(ctx, "Ops Manager refuses to delete an object that is in use, so the deletion is tried again until the timeout", map[string]any{"object": t.name(), "refusal": err.Error()})
		_ = t.Wait(ctx, func() (bool, error) {
			read, failed := t.write().Read(ctx)
			switch {
			case opsmanager.IsMissing(failed, t.Kind):
				err = failed
			case failed == nil:
				live = *read
				refusal = err
				err = send()
			}
			return !isBlocked(err), nil
		})
	}
	switch {
	case err == nil, opsmanager.IsMissing(err, t.Kind):
		diags.AddWarning(t.name()+" Deleted", settings)
		return nil
	case ctx.Err() != nil:
		err = refusal
	}
	d := t.notDeleted(err)
	if left != nil {
		d = tf.WithMore(d, "\n\nThe destroy has set "+t.released()+", and left it so. To use the "+t.Word+" again, configure the value that it had before, and apply.")
	}
	diags.Append(d)
	return left
}

// mayRelease reports whether an object lacks what may end the refusal of its deletion.
func (t *target[T]) mayRelease(object T) bool {
	return t.Release != nil && len(t.values().Differences(*t.Release, object)) > 0
}

// release changes what may end the refusal of a deletion, and returns the object, or nil if that failed.
func (t *target[T]) release(ctx context.Context, diags *diag.Diagnostics) (released *T) {
	t.wanted = *t.Release
	done := t.apply(ctx, diags)
	t.wanted = t.Object(t.id)
	if done == nil {
		return nil
	}
	t.planned = t.Fields.With(t.planned, *t.Release)
	t.prior = t.Fields.FromAPI(t.prior, t.planned)
	return &done.Now
}

// settings describes a deleted object, so that it can be created again.
func (t *target[T]) settings(live T) string {
	object := t.Fields.Complete(live, t.planned)
	text := "These were its settings. To create it again, use:\n\n" + t.block(object)
	missing := t.lacking(object)
	if t.Hidden != nil && t.Hidden.Text(object) != "" {
		missing = append(missing, t.Hidden.Attribute)
	}
	if len(missing) > 0 {
		text += "\n\nAdd these, which are not shown: " + strings.Join(missing, ", ") + "."
	}
	if unknown := opsmanager.UnknownNames(live); len(unknown) > 0 {
		text += "\n\nIt also had settings that the provider does not know: " + opsmanager.Sanitize(strings.Join(unknown, ", ")) + "."
	}
	return text
}

// notDeleted is the error of a failed deletion. Ops Manager documents neither a status nor a code for an
// object in use.
func (t *target[T]) notDeleted(err error) diag.Diagnostic {
	d := t.failed("Delete", err)
	e, ok := errors.AsType[*opsmanager.Error](err)
	refusals := []int{http.StatusBadRequest, http.StatusForbidden, http.StatusConflict, http.StatusUnprocessableEntity}
	mayBeInUse := ok && slices.Contains(refusals, e.Status) && !tf.IsNotAPI(e)
	switch {
	case mayBeInUse && (e.Code == "" || tf.AdviceFor(e) == ""):
		return tf.WithMore(d, fmt.Sprintf("\n\n%s To only remove %s from the Terraform state, set on_destroy = \"keep\" and apply that first. "+tf.Deposed, t.InUse, t.quoted()))
	case opsmanager.IsUnclear(err):
		return tf.WithMore(d, " The "+t.Word+" stays in the Terraform state until a plan finds that it is gone.")
	}
	return d
}

// block returns the fields that an object has as an indented resource block.
func (t *target[T]) block(object T) string {
	var width int
	var lines [][2]string
	for i, attribute := range t.ID.Attributes {
		if t.Attributes[attribute].IsRequired() { // not the ID that Ops Manager chose
			width = max(width, len(attribute))
			lines = append(lines, [2]string{attribute, tf.HCLString(t.id[i])})
		}
	}
	for _, f := range t.Fields {
		width = max(width, len(f.Attribute))
		if !f.IsMissing(object) && !f.Value(object).IsNull() && !t.isHidden(f.Attribute) {
			lines = append(lines, [2]string{f.Attribute, tf.TextOf(f.Value(object))})
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "  resource %q \"example\" {\n", "opsmanager_"+t.Name)
	for _, line := range lines {
		fmt.Fprintf(&text, "    %-*s = %s\n", width, line[0], line[1])
	}
	return text.String() + "  }"
}

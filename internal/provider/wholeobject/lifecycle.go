package wholeobject

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Read refreshes the state. A field that a response lacks keeps its value. An explicit null is a value.
func (r *lifecycle[T]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := tfmodel.ValuesFrom(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	// Also set if the object is gone: Terraform before 1.12 requires it for a removal.
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, resp.Identity, r.identity(state))...)
	if r.KeepsState(&resp.Diagnostics) {
		return
	}
	id, _ := r.id(state)
	live, err := r.Calls.Get(ctx, r.Client, id)
	switch {
	case r.isGone(err):
		resp.State.RemoveResource(ctx)
		return
	case r.isUnreadable(err):
		resp.Diagnostics.Append(r.notRefreshed(id, err))
	case err != nil:
		resp.Diagnostics.Append(diagnostics.Failure(r.summary("Read"), err, r.Codes))
		return
	default:
		resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, r.Fields.FromAPI(state, *live))...)
	}
	r.run().Plan(r.key(id), func(p *planned) { p.inState, p.deletes = true, r.deletes(state) })
}

// Create creates an object, or adopts one that exists. It stores nothing if anything fails: Terraform
// would taint the resource, and replace it with the next apply.
func (r *lifecycle[T]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan := tfmodel.ValuesFrom(ctx, req.Plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready(r.summary("Create"), &resp.Diagnostics) {
		return
	}
	id, _ := r.id(plan)
	r.run().StartApply()
	done := TakeTurn(ctx, r.Data, r.name(id), r.summary("Create"), &resp.Diagnostics)
	if done == nil {
		return
	}
	defer done()
	settled := r.createOrAdopt(ctx, id, plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if r.reportAdjusted(ctx, r.toAPI(plan), settled, &resp.Diagnostics); resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.existsNow(id))
		return
	}
	r.run().Adopt(r.key(id))
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, r.Fields.Applied(plan, settled))...)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, resp.Identity, r.identity(plan))...)
}

// createOrAdopt returns what Ops Manager holds afterwards. It reads first, because the effect of creating
// an object that exists may be a replacement.
func (r *lifecycle[T]) createOrAdopt(ctx context.Context, id []string, plan tfmodel.Values, diags *diag.Diagnostics) (settled T) {
	live, err := r.Calls.Get(ctx, r.Client, id)
	switch {
	case r.isGone(err):
		return r.create(ctx, id, plan, err, diags)
	case r.isUnreadable(err):
		diags.Append(r.unreadable("Create", id, err))
	case err != nil:
		diags.Append(diagnostics.Failure(r.summary("Create"), err, r.Codes))
	case r.neverAdopts(plan):
		diags.Append(r.alreadyExists(id))
	case r.run().HasAdopted(r.key(id)):
		diags.Append(r.managedTwice(id)) // the plan did not know the ID
	default:
		return r.adopt(ctx, id, *live, plan, diags)
	}
	return settled
}

// create creates an object. It reads the object again after the settle time, because another run may
// have created it at the same time, and Ops Manager may replace what exists.
func (r *lifecycle[T]) create(ctx context.Context, id []string, plan tfmodel.Values, gone error, diags *diag.Diagnostics) (settled T) {
	wanted := r.toAPI(plan)
	planned, _ := plan[overwrites].(types.Object)
	switch missing := r.missing(plan); {
	case len(missing) > 0:
		diags.Append(r.nothingToAdopt(id, missing, gone))
		return settled
	case slices.ContainsFunc(r.Fields, func(f tfmodel.Field[T]) bool { return plannedText(planned, f) != "" }):
		diags.Append(Gone(r.ID.Attributes[0], r.summary("Adopt"), r.quoted(id), gone))
		return settled
	}
	response, err := r.Calls.Post(ctx, r.Client, wanted)
	if err != nil {
		diags.Append(r.notCreated(id, err))
		return settled
	}
	isWanted := func(held T) bool {
		return len(r.Fields.Differences(wanted, r.Fields.Complete(held, wanted))) == 0
	}
	settled, ok := ReadUntilAgrees(ctx, r.Data, response, r.reader(id), isWanted)
	if ok {
		select {
		case <-ctx.Done():
		case <-time.After(r.SettleTime):
		}
		if now, err := r.Calls.Get(ctx, r.Client, id); err == nil && !isWanted(*now) {
			diags.Append(r.createdTwice(id, tfmodel.Returned(r.Fields.Differences(wanted, *now))))
		}
	}
	return r.Fields.Complete(settled, wanted)
}

// adopt changes a live object to the planned values, if the plan has shown what that overwrites.
func (r *lifecycle[T]) adopt(ctx context.Context, id []string, live T, plan tfmodel.Values, diags *diag.Diagnostics) (settled T) {
	wanted := r.toAPI(plan)
	planned, _ := plan[overwrites].(types.Object)
	if planned.IsUnknown() { // a replacement, whose plan shows the whole object
		planned = r.overwritten(live, wanted, plan)
		plan[overwrites] = planned
	}
	return r.set(ctx, "Adopt", id, live, wanted, wanted, func(live T) (changed []string) {
		for _, f := range r.Fields {
			if !differs(f, wanted, live) || plannedText(planned, f) == change(f, live, wanted) {
				continue
			}
			before := strings.TrimSuffix(plannedText(planned, f), " -> "+shown(f, wanted))
			if before == "" {
				before = shown(f, wanted)
			}
			changed = append(changed, sincePlan(f, live, before))
		}
		return changed
	}, diags)
}

// plannedText returns the text of a field in overwrites, or nothing.
func plannedText[T any](planned types.Object, f tfmodel.Field[T]) string {
	return tfmodel.As[types.String](planned.Attributes(), f.Attribute).ValueString()
}

func (r *lifecycle[T]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	prior, plan := tfmodel.ValuesFrom(ctx, req.State, &resp.Diagnostics), tfmodel.ValuesFrom(ctx, req.Plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r.run().StartApply()
	id, _ := r.id(prior)
	wanted, updated := r.Object(id), plan
	if r.Fields.SetChanges(&wanted, plan, prior); !r.Fields.AreMissing(wanted) {
		settled, ok := r.update(ctx, id, wanted, plan, prior, &resp.Diagnostics)
		if !ok {
			return
		}
		updated = r.Fields.Applied(plan, settled)
		if r.reportAdjusted(ctx, wanted, settled, &resp.Diagnostics); resp.Diagnostics.HasError() {
			updated = r.Fields.FromAPI(prior, settled)
		} else {
			WarnChangedAlong(r.name(id), r.Fields.Unplanned(wanted, r.toAPI(plan), r.toAPI(prior), settled), &resp.Diagnostics)
		}
	}
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, updated)...)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, resp.Identity, r.identity(plan))...)
}

// update changes the wanted values, if each of them is what the plan saw, which is the prior state.
func (r *lifecycle[T]) update(ctx context.Context, id []string, wanted T, plan, prior tfmodel.Values, diags *diag.Diagnostics) (settled T, ok bool) {
	summary, before := r.summary("Update"), r.toAPI(prior)
	if !r.Ready(summary, diags) {
		return settled, false
	}
	done := TakeTurn(ctx, r.Data, r.name(id), summary, diags)
	if done == nil {
		return settled, false
	}
	defer done()
	live, err := r.Calls.Get(ctx, r.Client, id)
	switch {
	case r.isGone(err):
		diags.Append(Gone(r.ID.Attributes[0], summary, r.quoted(id), err))
		return settled, false
	case r.isUnreadable(err):
		diags.Append(r.unreadable("Update", id, err))
		return settled, false
	case err != nil:
		diags.Append(diagnostics.Failure(summary, err, r.Codes))
		return settled, false
	}
	settled = r.set(ctx, "Update", id, *live, wanted, r.toAPI(plan), func(live T) (changed []string) {
		for _, f := range r.Fields {
			if differs(f, wanted, live) && !f.IsMissing(live) && !f.Value(live).Equal(f.Value(before)) {
				changed = append(changed, sincePlan(f, live, shown(f, before)))
			}
		}
		return changed
	}, diags)
	return settled, !diags.HasError()
}

// errRefused ends a change that the provider refuses to send.
var errRefused = errors.New("refused")

// set changes a live object to the wanted values, and returns what Ops Manager holds afterwards. Before
// each request, it reads and compares: changed returns the values that are neither wanted nor what the
// plan saw. If nothing is left to change, it sends nothing.
func (r *lifecycle[T]) set(ctx context.Context, verb string, id []string, live, wanted, planned T, changed func(live T) []string, diags *diag.Diagnostics) (settled T) {
	var sent T
	var refused diag.Diagnostics
	isChanged := func(live T) bool { return len(changed(live)) > 0 }
	response, err := r.change(ctx, &live, r.reader(id), isChanged, func(attempt context.Context, now T) (*T, error) {
		if isChanged(now) {
			refused.Append(r.changedSincePlan(verb, id, changed(now)))
			return nil, errRefused
		}
		if len(r.Fields.Differences(wanted, now)) == 0 {
			return &now, nil
		}
		sent = r.whole(id, now, wanted, planned)
		r.requireWhole(verb, sent, nil, &refused)
		if r.rejectMasks(ctx, verb, id, sent, now, &refused); refused.HasError() {
			return nil, errRefused
		}
		live = now
		return r.Calls.Put(attempt, r.Client, sent)
	})
	if diags.Append(refused...); refused.HasError() {
		return settled
	}
	isEmpty := errors.Is(err, opsmanager.ErrEmptyResponse) // a success only if a read confirms it
	if err == nil || isEmpty {
		held, agrees := ReadUntilAgrees(ctx, r.Data, response, r.reader(id), func(held T) bool {
			return len(r.Fields.Differences(sent, r.Fields.Complete(held, sent))) == 0
		})
		if agrees || !isEmpty {
			WarnNotReturned(r.name(id), r.Fields.Differences(r.unreturned(live, sent, wanted), r.Object(id)), diags)
			return r.Fields.Complete(held, sent)
		}
	}
	diags.Append(diagnostics.Failure(r.summary(verb), err, r.Codes))
	return settled
}

// change calls write with a live object, and again with what it has become before each repetition. Reads
// may lag behind writes, so it reads an object that is not the expected one again until the settle time is
// over.
func (r *lifecycle[T]) change(ctx context.Context, live *T, read func(context.Context) (*T, error), isOther func(live T) bool, write func(ctx context.Context, live T) (*T, error)) (*T, error) {
	return opsmanager.Change(ctx, r.Client, live, read, func(attempt context.Context, now *T) (*T, error) {
		if isOther(*now) {
			r.Settle(ctx, func() bool {
				if again, err := read(ctx); err == nil {
					now = again
				}
				return !isOther(*now)
			})
		}
		return write(attempt, *now)
	})
}

// whole returns what a PUT sends: the live object with the wanted values. What Ops Manager does not return
// has its planned value, so that nothing that someone set is left out.
func (n *Noun[T]) whole(id []string, live, wanted, planned T) T {
	whole := n.Fields.Complete(n.Fields.Complete(n.Fields.Complete(n.Object(id), wanted), live), planned)
	n.Unknown(&whole, live)
	return whole
}

// unreturned returns the fields that were sent although they don't change and the live object lacks them.
func (n *Noun[T]) unreturned(live, sent, wanted T) T {
	return n.Fields.Only(sent, func(f tfmodel.Field[T]) bool { return !f.IsList() && f.IsMissing(wanted) && f.Value(live).IsNull() })
}

// requireWhole adds an error if a PUT would lack a field that it needs. What is configured may be unknown.
func (n *Noun[T]) requireWhole(verb string, whole T, config tfmodel.Values, diags *diag.Diagnostics) {
	missing := slices.DeleteFunc(n.Fields.Missing(whole), func(attribute string) bool {
		value, configured := config[attribute]
		return !slices.Contains(n.Required, attribute) || configured && !value.IsNull()
	})
	if len(missing) > 0 {
		diags.Append(n.incomplete(verb, missing))
	}
}

// rejectMasks adds an error if a member that is sent, and that the provider does not know, may have a mask
// in place of a secret. A mask is not the same in each response, or looks like one.
func (r *lifecycle[T]) rejectMasks(ctx context.Context, verb string, id []string, sent, live T, diags *diag.Diagnostics) {
	names := opsmanager.UnknownNames(sent)
	if len(names) == 0 {
		return
	}
	again, err := r.Calls.Get(ctx, r.Client, id)
	if err != nil {
		diags.Append(diagnostics.Failure(r.summary(verb), err, r.Codes))
		return
	}
	masked := slices.DeleteFunc(opsmanager.UnknownSecrets(live, *again), func(name string) bool { return !slices.Contains(names, name) })
	if len(masked) > 0 {
		diags.Append(r.unknownSecret(masked))
	}
}

// reportAdjusted adds an error for each wanted value that Ops Manager has changed.
func (r *lifecycle[T]) reportAdjusted(ctx context.Context, wanted, settled T, diags *diag.Diagnostics) {
	for _, d := range tfmodel.Returned(r.Fields.Differences(wanted, settled)) {
		diags.Append(d.Adjusted(ctx, ""))
	}
}

// reader returns a function that reads an object.
func (r *lifecycle[T]) reader(id []string) func(context.Context) (*T, error) {
	return func(ctx context.Context) (*T, error) { return r.Calls.Get(ctx, r.Client, id) }
}

// Delete does what on_destroy says. It refuses to delete an object that is not the one of the state. It
// keeps an object that this process created or adopted: with create_before_destroy, Terraform destroys the
// old object of a replacement last, and both are the same.
func (r *lifecycle[T]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := tfmodel.ValuesFrom(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	summary := r.summary("Delete")
	id, _ := r.id(state)
	r.run().StartApply()
	switch {
	case r.run().HasAdopted(r.key(id)):
		resp.Diagnostics.Append(r.keptForNew(id))
		return
	case r.isProtected(state):
		resp.Diagnostics.Append(r.protected(id))
		return
	case !r.deletes(state), !r.Ready(summary, &resp.Diagnostics):
		return
	}
	if done := TakeTurn(ctx, r.Data, r.name(id), summary, &resp.Diagnostics); done != nil {
		defer done()
		r.delete(ctx, id, r.toAPI(state), &resp.Diagnostics)
	}
}

// delete deletes an object that has at least one of the known values. If Ops Manager can't return objects,
// and so nothing is known, it deletes the object with the ID. It does not repeat a request over an object
// that has changed since, which may be a new one.
func (r *lifecycle[T]) delete(ctx context.Context, id []string, known T, diags *diag.Diagnostics) {
	summary, read, sent := r.summary("Delete"), r.reader(id), false
	live, err := read(ctx)
	switch {
	case r.isGone(err):
		return
	case r.isUnreadable(err) && r.Fields.AreMissing(known):
		live = &known
	case err != nil:
		diags.Append(diag.NewErrorDiagnostic(summary, diagnostics.Explain(err, r.Codes)+"\n\nNothing was deleted."))
		return
	}
	isOther := func(now T) bool {
		return r.isOther(known, now) || sent && len(r.Fields.Differences(*live, now)) > 0
	}
	_, err = r.change(ctx, live, read, isOther, func(attempt context.Context, now T) (*T, error) {
		if isOther(now) {
			before := known
			if sent {
				before = *live
			}
			diags.Append(r.otherObject(id, r.changes(before, now), sent))
			return nil, errRefused
		}
		live, sent = &now, true
		return nil, r.Calls.Delete(attempt, r.Client, id)
	})
	switch {
	case errors.Is(err, errRefused):
	case err == nil, r.isGone(err):
		diags.AddWarning(r.name(id)+" Deleted", r.settings(id, known, *live))
	default:
		diags.Append(r.notDeleted(id, err))
	}
}

// isOther reports whether every known value that Ops Manager returns differs, so that this is another object
// with the same ID.
func (n *Noun[T]) isOther(known, live T) bool {
	compared := n.Fields.Only(known, func(f tfmodel.Field[T]) bool { return !f.IsMissing(live) && !f.IsMissing(known) })
	fields := 0
	for _, f := range n.Fields {
		if !f.IsMissing(compared) {
			fields++
		}
	}
	return fields > 0 && len(n.Fields.Differences(compared, live)) == fields
}

package putresource

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Read refreshes the state.
func (r *lifecycle[T]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := r.values(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	// Also set if the object is gone: Terraform before 1.12 requires it for a removal.
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, resp.Identity, r.ID.Of(state))...)
	if r.KeepsState(&resp.Diagnostics) {
		return
	}
	id, _ := r.id(state)
	live, err := r.Calls.Get(ctx, r.Data, id)
	switch {
	case opsmanager.IsMissing(err, r.Kind):
		resp.State.RemoveResource(ctx)
		return
	case r.isUnreadable(err):
		resp.Diagnostics.Append(r.warningOnID(r.name(id)+" Not Refreshed",
			"Ops Manager did not return this %s, so the Terraform state was kept. The plan does not show changes made outside Terraform, or a deletion. %s", r.Word, diagnostics.Sentence(err)))
	case err != nil:
		resp.Diagnostics.Append(diagnostics.Failure(r.summary("Read"), err, r.Codes...))
		return
	default:
		for _, d := range r.refused(*live) {
			resp.Diagnostics.AddWarning(r.name(id)+" Can't Be Changed", d.Detail())
		}
		known := readKnown(ctx, req.Private, &resp.Diagnostics)
		r.noteReturned(&known, *live)
		r.Recall(live, r.toAPI(state))
		state = r.Fields.FromAPI(state, *live, known.Returned...)
		state = r.refreshSecrets(ctx, state, *live, id, known)
		tfmodel.WritePrivate(ctx, resp.Private, knownKey, known, &resp.Diagnostics)
		resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, state)...)
	}
	r.run().Plan(r.key(id), func(p *planned) { p.deletes = r.deletes(state) })
}

// Create creates an object, or adopts one that exists. It stores nothing if anything fails: Terraform
// would taint the resource, and replace it with the next apply.
func (r *lifecycle[T]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	config, plan := r.values(ctx, req.Config, &resp.Diagnostics), r.values(ctx, req.Plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !r.Ready(r.summary("Create"), &resp.Diagnostics) {
		return
	}
	ctx, cancel := r.within(ctx, attributes.TimeoutsOf(plan).Create, r.WriteTimeout, &resp.Diagnostics)
	defer cancel()
	if r.Calls.Add != nil {
		r.add(ctx, plan, resp)
		return
	}
	id, _ := r.id(plan)
	unlock := r.lock(ctx, id, r.summary("Create"), &resp.Diagnostics)
	if unlock == nil {
		return
	}
	defer unlock()
	t := &target[T]{lifecycle: r, verb: "Create", id: id, config: config, wanted: r.toAPI(plan), planned: r.toAPI(plan), toSend: r.secretsToSend(config, plan)}
	t.newSecrets = t.toSend
	done := t.createOrAdopt(ctx, plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		if done != nil {
			resp.Diagnostics.AddError(r.summary("Create"), fmt.Sprintf("The %s exists in Ops Manager, and was left out of the Terraform state, because the next apply would otherwise replace it. "+
				"Configure the values that Ops Manager keeps. %s", r.Word, r.howToAdopt(id)))
		}
		return
	}
	r.run().Adopt(r.key(id))
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, r.Fields.Applied(plan, done.Now))...)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, resp.Identity, r.ID.Of(plan))...)
	t.storeKnown(ctx, resp.Private, *done, &resp.Diagnostics)
}

// add creates an object whose ID Ops Manager chooses. An error would taint the resource then, so there are only warnings.
func (r *lifecycle[T]) add(ctx context.Context, plan tfmodel.Values, resp *resource.CreateResponse) {
	object := r.toAPI(plan)
	id, created, found, err := r.Calls.Add(ctx, r.Data, object)
	if err != nil {
		d := diagnostics.Failure(r.summary("Create"), err, r.Codes...)
		if found != "" {
			d = diagnostics.WithTexts(d, d.Summary(), d.Detail()+"\n\nThe provider stored nothing. "+found)
		}
		resp.Diagnostics.Append(d)
		return
	}
	for i, attribute := range r.ID.Attributes {
		if plan[attribute].IsUnknown() { // a configured one may have capitals
			plan[attribute] = types.StringValue(id[i])
		}
	}
	t := &target[T]{lifecycle: r, verb: "Create", id: id, wanted: object, planned: object}
	var problems diag.Diagnostics
	done := t.checkCreation(ctx, created, &problems)
	for _, d := range problems {
		resp.Diagnostics.AddWarning(d.Summary(), d.Detail())
	}
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, r.Fields.Applied(plan, done.Now))...)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, resp.Identity, r.ID.Of(plan))...)
	t.storeKnown(ctx, resp.Private, *done, &resp.Diagnostics)
}

// checkCreation finds out what Ops Manager made of a creation, and reports what it did not take.
func (t *target[T]) checkCreation(ctx context.Context, created *T, diags *diag.Diagnostics) *result[T] {
	creation := step[T]{Request: t.withSecrets(t.wanted, t.newSecrets), After: t.wanted}
	done := result[T]{Step: creation, First: creation}
	t.recalled = t.wanted
	if created != nil {
		t.Recall(created, t.wanted)
		done.Held = *created
	}
	done = t.write().Check(ctx, done)
	t.report(done, diags)
	return &done
}

// createOrAdopt returns the object that it created or changed, or nil. It reads first, because the effect of creating an
// object that exists may be a replacement.
func (t *target[T]) createOrAdopt(ctx context.Context, plan tfmodel.Values, diags *diag.Diagnostics) *result[T] {
	live, err := t.Calls.Find(ctx, t.Data, t.id)
	switch {
	case opsmanager.IsMissing(err, t.Kind):
		return t.create(ctx, plan, err, diags)
	case t.isUnreadable(err):
		diags.Append(t.unreadable("Create", t.id, err))
	case err != nil:
		diags.Append(diagnostics.Failure(t.summary("Create"), err, t.Codes...))
	case !t.Adopts:
		diags.Append(t.alreadyExists(t.id))
	case t.run().HasAdopted(t.key(t.id)):
		diags.Append(t.managedTwice(t.id)) // the plan did not know the ID
	default:
		planned, _ := plan[overwrites].(types.Object)
		if planned.IsUnknown() { // the plan has said that it can't show this
			planned = t.overwritten(*live, t.wanted, plan)
			plan[overwrites] = planned
		}
		t.verb, t.overwrites = "Adopt", &planned
		return t.apply(ctx, diags)
	}
	return nil
}

// errExists ends a creation whose object exists before its request is repeated.
var errExists = errors.New("it exists now")

// sendNew sends the request that creates an object, and does not repeat it if the object exists then.
func (r *lifecycle[T]) sendNew(ctx context.Context, id []string, object T) (*T, error) {
	prepare := func(ctx context.Context) (*T, error) {
		if r.Calls.Prepare == nil {
			return &object, nil
		}
		ready, err := r.Calls.Prepare(ctx, r.Data, object)
		if err != nil {
			return nil, err
		}
		if masked := append(opsmanager.UnknownSecrets(*ready, *ready), opsmanager.MaskedTexts(*ready, object)...); len(masked) > 0 {
			return nil, diagnostics.Explained{Diagnostic: r.unknownSecret(masked)}
		}
		return ready, nil
	}
	ready, err := prepare(ctx)
	if err != nil {
		return nil, err
	}
	return opsmanager.Change(ctx, r.Client, r.Kind, ready, func(ctx context.Context) (*T, error) {
		switch _, err := r.Calls.Find(ctx, r.Data, id); {
		case err == nil:
			return nil, errExists
		case !opsmanager.IsMissing(err, r.Kind):
			return nil, err
		}
		return prepare(ctx)
	}, func(attempt context.Context, ready *T) (*T, error) { return r.Calls.Create(attempt, r.Data, *ready) })
}

// create creates an object, and returns it, or nil.
func (t *target[T]) create(ctx context.Context, plan tfmodel.Values, gone error, diags *diag.Diagnostics) *result[T] {
	planned, _ := plan[overwrites].(types.Object)
	object := t.wanted
	missing := slices.DeleteFunc(t.Fields.Missing(object), func(attribute string) bool { return !slices.Contains(t.Required, attribute) })
	_ = t.setSecrets(&object, object, t.toSend, t.known) // a new object has none to lose
	missing = append(missing, t.missingSecrets(object, func(attribute string) bool { return t.toSend[attribute] != "" })...)
	switch {
	case len(missing) > 0:
		diags.Append(t.nothingToAdopt(t.id, missing, gone))
		return nil
	case showsAny(planned):
		diags.Append(t.goneSincePlan("Adopt", t.id, gone))
		return nil
	}
	created, err := t.sendNew(ctx, t.id, object)
	if err != nil {
		diags.Append(t.notCreated(t.id, err))
		return nil
	}
	return t.checkCreation(ctx, created, diags)
}

// plannedText returns the text of an attribute in overwrites, or nothing.
func plannedText(planned types.Object, attribute string) string {
	return tfmodel.As[types.String](planned.Attributes(), attribute).ValueString()
}

// showsAny reports whether overwrites has a text.
func showsAny(planned types.Object) bool {
	hasText := func(text attr.Value) bool { return !text.IsNull() && !text.IsUnknown() }
	return slices.ContainsFunc(slices.Collect(maps.Values(planned.Attributes())), hasText)
}

// Update changes what the plan changes, and sends everything else as it is live.
func (r *lifecycle[T]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	config, prior, plan := r.values(ctx, req.Config, &resp.Diagnostics), r.values(ctx, req.State, &resp.Diagnostics), r.values(ctx, req.Plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := r.within(ctx, attributes.TimeoutsOf(plan).Update, r.WriteTimeout, &resp.Diagnostics)
	defer cancel()
	id, _ := r.id(prior)
	t := &target[T]{
		lifecycle: r, verb: "Update", id: id, wanted: r.Object(id), planned: r.toAPI(plan), toSend: r.secretsToSend(config, plan),
		prior: prior, recalled: r.toAPI(prior), config: config, known: readKnown(ctx, req.Private, &resp.Diagnostics),
	}
	t.newSecrets, t.unshown = r.secretsThatChange(t.toSend, plan, prior), r.unshownRemovals(t.toSend, plan, prior)
	updated := plan
	if r.Fields.SetChanges(&t.wanted, plan, prior); !r.Fields.AreMissing(t.wanted) || len(t.newSecrets) > 0 {
		done := t.update(ctx, &resp.Diagnostics)
		switch {
		case done == nil && t.isUnclear:
			updated = t.withoutUnclear()
		case done == nil:
			return
		case resp.Diagnostics.HasError():
			updated = t.takenInPart(*done, plan)
		default:
			updated = r.Fields.Applied(plan, done.Now)
		}
		if done != nil {
			t.storeKnown(ctx, resp.Private, *done, &resp.Diagnostics)
		}
	}
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, updated)...)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, resp.Identity, r.ID.Of(plan))...)
}

// takenInPart returns the state after a request that succeeded and that Ops Manager took in part.
func (t *target[T]) takenInPart(done result[T], plan tfmodel.Values) tfmodel.Values {
	state := t.Fields.FromAPI(t.prior, done.Now, t.known.Returned...)
	for _, setting := range []string{onDestroy, deletionProtection, timeoutsOf} { // which need no request
		if planned, ok := plan[setting]; ok {
			state[setting] = planned
		}
	}
	for _, d := range done.NotTaken {
		if f := t.field(d.Attribute); f != nil {
			state[d.Attribute] = f.Value(done.Held)
		}
	}
	for attribute := range t.newSecrets {
		if !tfmodel.Has(done.NotTaken, attribute) {
			secrets.Copy(state, plan, attribute)
		}
	}
	return state
}

// withoutUnclear returns the prior state without what a failed request may have changed, if a refresh may not show that:
// secrets, masked fields, what responses never have, and what they lack after it was removed. So the next plan sets it,
// whether the configuration stays or is reverted.
func (t *target[T]) withoutUnclear() tfmodel.Values {
	state := maps.Clone(t.prior)
	for attribute, text := range t.newSecrets {
		isShownWhenRemoved := text == "" && t.known.Secrets.Fingerprints[attribute] != nil // by the next refresh
		if !isShownWhenRemoved {
			secrets.Remove(state, attribute)
		}
	}
	for _, f := range t.Fields {
		none := *new(T)
		mayBeUnsaid := !t.known.wasReturned(f.Attribute) || tfmodel.IsEmpty(f.Value(t.wanted))
		isUnshown := t.isHidden(f.Attribute) || mayBeUnsaid && f.IsUnsaid(none, t.known.Returned)
		if !f.IsMissing(t.wanted) && isUnshown {
			state[f.Attribute] = f.Value(none)
		}
	}
	return state
}

// update changes the object, and returns it, or nil if that failed.
func (t *target[T]) update(ctx context.Context, diags *diag.Diagnostics) *result[T] {
	summary := t.summary(t.verb)
	if !t.Ready(summary, diags) {
		return nil
	}
	unlock := t.lock(ctx, t.id, summary, diags)
	if unlock == nil {
		return nil
	}
	defer unlock()
	return t.apply(ctx, diags)
}

// within returns the context of a write, which a timeout may limit.
func (r *lifecycle[T]) within(ctx context.Context, timeout func(context.Context, time.Duration) (time.Duration, diag.Diagnostics), unset time.Duration, diags *diag.Diagnostics) (context.Context, context.CancelFunc) {
	if r.WriteTimeout == 0 {
		return context.WithCancel(ctx)
	}
	return attributes.Within(ctx, timeout, unset, diags)
}

// Delete does what on_destroy says. It refuses to end an object that is not the one of the state. It
// keeps an object that this process created or adopted: with create_before_destroy, Terraform destroys the
// old object of a replacement last, and both are the same. It also keeps the object of a replaced
// or tainted resource if the same plan adopts it.
func (r *lifecycle[T]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := r.values(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := r.within(ctx, attributes.TimeoutsOf(state).Delete, r.DeleteTimeout, &resp.Diagnostics)
	defer cancel()
	id, _ := r.id(state)
	t := &target[T]{
		lifecycle: r, verb: "Delete", id: id, planned: r.toAPI(state), toSend: r.secretsToSend(nil, state),
		prior: state, recalled: r.toAPI(state), known: readKnown(ctx, req.Private, &resp.Diagnostics),
	}
	if r.Reset != nil {
		t.verb, t.wanted, t.planned = "Reset", *r.Reset, r.Fields.Complete(*r.Reset, t.planned)
	}
	summary := r.summary(t.verb)
	switch {
	case r.run().HasAdopted(r.key(id)), t.known.Creates == r.key(id):
		resp.Diagnostics.AddWarning(r.name(id)+" Not Deleted", fmt.Sprintf("This apply creates or adopts the %s that it also destroys as the old object of the resource. "+
			"Both are the same %[1]s, so the old object was only removed from the Terraform state.", r.Word))
		return
	case r.isProtected(state):
		resp.Diagnostics.Append(r.protected(id, false))
		return
	case !r.deletes(state), !r.Ready(summary, &resp.Diagnostics):
		return
	}
	unlock := r.lock(ctx, id, summary, &resp.Diagnostics)
	if unlock == nil {
		return
	}
	defer unlock()
	if r.Reset != nil {
		t.apply(ctx, &resp.Diagnostics)
		return
	}
	live, err := t.read(ctx)
	switch {
	case r.isUnreadable(err) && r.Fields.AreMissing(t.planned):
		live = &t.planned
	case err != nil:
		resp.Diagnostics.Append(t.failure(err)) // which leaves nil out
		return
	}
	if left := t.delete(ctx, *live, &resp.Diagnostics); left != nil { // and the next plan shows it
		resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, r.Fields.FromAPI(state, *left))...)
	}
}

// delete deletes an object that is as the plan showed it. If Ops Manager can't return objects, and so nothing
// is known, it deletes the object with the ID. If Ops Manager refuses the deletion for a reason that may end
// later, it waits, and first changes what may end it. It returns what that leaves in Ops Manager.
func (t *target[T]) delete(ctx context.Context, live T, diags *diag.Diagnostics) (left *T) {
	isBlocked := func(err error) bool { return err != nil && t.Blocked != nil && t.Blocked(err) }
	send := func() error {
		return t.write().End(ctx, t.Client, t.Kind, live, func(attempt context.Context, last T) error {
			live = last
			return t.Calls.Delete(attempt, t.Data, t.id)
		})
	}
	planned, before := t.planned, live
	err := send()
	if isBlocked(err) && t.Release != nil && len(t.left(*t.Release, live, t.known.Returned)) > 0 {
		var problems diag.Diagnostics
		if left = t.release(ctx, &problems); problems.HasError() {
			d := t.notDeleted(t.id, err)
			diags.Append(diagnostics.WithTexts(d, d.Summary(), fmt.Sprintf("%s\n\nOps Manager may accept it after a change that the provider could not make: %s To make it yourself, set %s and apply, then destroy again.",
				d.Detail(), problems.Errors()[0].Detail(), t.released())))
			return nil
		}
		if left != nil {
			live = *left
		}
		err = send()
	}
	if isBlocked(err) {
		refusal := err
		tflog.Info(ctx, "Ops Manager refuses to delete an object that is in use, so the deletion is tried again until the timeout", map[string]any{"object": t.name(t.id), "refusal": err.Error()})
		_ = t.Wait(ctx, func() (bool, error) {
			read, failed := t.read(ctx)
			switch {
			case opsmanager.IsMissing(failed, t.Kind):
				err = failed
			case failed == nil:
				live = *read
				if err = send(); isBlocked(err) {
					refusal = err
				}
			}
			return !isBlocked(err), nil
		})
		if err != nil && ctx.Err() != nil && !opsmanager.IsMissing(err, t.Kind) {
			err = refusal
		}
	}
	switch {
	case err == nil, opsmanager.IsMissing(err, t.Kind):
		diags.AddWarning(t.name(t.id)+" Deleted", t.settings(t.id, planned, before))
		return nil
	default:
		d := t.notDeleted(t.id, err)
		if left != nil {
			d = diagnostics.WithTexts(d, d.Summary(), d.Detail()+"\n\nThe destroy has set "+t.released()+", and left it so. To use the "+t.Word+" again, configure the value that it had before, and apply.")
		}
		diags.Append(d)
	}
	return left
}

// release changes what may end the refusal of a deletion, and returns the object, or nil if that failed.
func (t *target[T]) release(ctx context.Context, diags *diag.Diagnostics) (released *T) {
	t.wanted = *t.Release
	done := t.apply(ctx, diags)
	t.wanted = t.Object(t.id)
	if done == nil {
		return nil
	}
	t.planned, t.prior = t.Fields.Complete(*t.Release, t.planned), maps.Clone(t.prior)
	for _, f := range t.Fields {
		if !f.IsMissing(*t.Release) {
			t.prior[f.Attribute] = f.Value(*t.Release)
		}
	}
	return &done.Now
}

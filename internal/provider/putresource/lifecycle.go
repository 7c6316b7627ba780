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
	done := r.lock(ctx, id, r.summary("Create"), &resp.Diagnostics)
	if done == nil {
		return
	}
	defer done()
	c := change[T]{verb: "Create", id: id, config: config, wanted: r.toAPI(plan), planned: r.toAPI(plan), toSend: r.secretsToSend(config, plan)}
	c.newSecrets = c.toSend
	if exists := r.createOrAdopt(ctx, &c, plan, &resp.Diagnostics); resp.Diagnostics.HasError() {
		if exists {
			resp.Diagnostics.AddError(r.summary("Create"), fmt.Sprintf("The %s exists in Ops Manager, and was left out of the Terraform state, because the next apply would otherwise replace it. "+
				"Configure the values that Ops Manager keeps. %s", r.Word, r.howToAdopt(id)))
		}
		return
	}
	r.run().Adopt(r.key(id))
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, r.Fields.Applied(plan, r.settled(&c)))...)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, resp.Identity, r.ID.Of(plan))...)
	r.storeKnown(ctx, resp.Private, &c, &resp.Diagnostics)
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
	c := change[T]{verb: "Create", id: id, wanted: object, planned: object, sent: object}
	r.readHeld(ctx, &c, created)
	var problems diag.Diagnostics
	r.reportTaken(&c, &problems)
	for _, d := range problems {
		resp.Diagnostics.AddWarning(d.Summary(), d.Detail())
	}
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, r.Fields.Applied(plan, r.settled(&c)))...)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, resp.Identity, r.ID.Of(plan))...)
	r.storeKnown(ctx, resp.Private, &c, &resp.Diagnostics)
}

// createOrAdopt reports whether it created or changed an object. It reads first, because the effect of
// creating an object that exists may be a replacement.
func (r *lifecycle[T]) createOrAdopt(ctx context.Context, c *change[T], plan tfmodel.Values, diags *diag.Diagnostics) (ok bool) {
	live, err := r.Calls.Find(ctx, r.Data, c.id)
	switch {
	case opsmanager.IsMissing(err, r.Kind):
		return r.create(ctx, c, plan, err, diags)
	case r.isUnreadable(err):
		diags.Append(r.unreadable("Create", c.id, err))
	case err != nil:
		diags.Append(diagnostics.Failure(r.summary("Create"), err, r.Codes...))
	case !r.Adopts:
		diags.Append(r.alreadyExists(c.id))
	case r.run().HasAdopted(r.key(c.id)):
		diags.Append(r.managedTwice(c.id)) // the plan did not know the ID
	default:
		c.verb, c.live = "Adopt", *live
		planned, _ := plan[overwrites].(types.Object)
		if planned.IsUnknown() { // the plan has said that it can't show this
			planned = r.overwritten(c.live, c.wanted, plan)
			plan[overwrites] = planned
		}
		c.overwrites = &planned
		return r.set(ctx, c, diags)
	}
	return false
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

// create creates an object, and reports whether it did.
func (r *lifecycle[T]) create(ctx context.Context, c *change[T], plan tfmodel.Values, gone error, diags *diag.Diagnostics) (ok bool) {
	planned, _ := plan[overwrites].(types.Object)
	c.sent = c.wanted
	missing := slices.DeleteFunc(r.Fields.Missing(c.sent), func(attribute string) bool { return !slices.Contains(r.Required, attribute) })
	r.setSecrets(&c.sent, c.sent, c.toSend, c.known)
	missing = append(missing, r.missingSecrets(c.sent, func(attribute string) bool { return c.toSend[attribute] != "" })...)
	switch {
	case len(missing) > 0:
		diags.Append(r.nothingToAdopt(c.id, missing, gone))
		return false
	case showsAny(planned):
		diags.Append(r.goneSincePlan("Adopt", c.id, gone))
		return false
	}
	response, err := r.sendNew(ctx, c.id, c.sent)
	if err != nil {
		diags.Append(r.notCreated(c.id, err))
		return false
	}
	r.readHeld(ctx, c, response)
	r.reportTaken(c, diags)
	return true
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
	c := change[T]{
		verb: "Update", id: id, wanted: r.Object(id), planned: r.toAPI(plan), toSend: r.secretsToSend(config, plan),
		prior: prior, config: config, known: readKnown(ctx, req.Private, &resp.Diagnostics),
	}
	c.newSecrets, c.unshown = r.secretsThatChange(c.toSend, plan, prior), r.unshownRemovals(c.toSend, plan, prior)
	updated := plan
	if r.Fields.SetChanges(&c.wanted, plan, prior); !r.Fields.AreMissing(c.wanted) || len(c.newSecrets) > 0 {
		isDone := r.update(ctx, &c, &resp.Diagnostics)
		switch {
		case !isDone && c.isUnclear:
			updated = r.withoutUnclear(&c, prior)
		case !isDone:
			return
		case resp.Diagnostics.HasError():
			updated = r.takenInPart(&c, plan, prior)
		default:
			updated = r.Fields.Applied(plan, r.settled(&c))
		}
		if isDone {
			r.storeKnown(ctx, resp.Private, &c, &resp.Diagnostics)
		}
	}
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, updated)...)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, resp.Identity, r.ID.Of(plan))...)
}

// takenInPart returns the state after a request that succeeded and that Ops Manager took in part.
func (r *lifecycle[T]) takenInPart(c *change[T], plan, prior tfmodel.Values) tfmodel.Values {
	state := r.Fields.FromAPI(prior, r.settled(c))
	for _, f := range r.notTaken(c) {
		state[f.Attribute] = f.Value(c.held)
	}
	notTaken := r.secretsNotTaken(c)
	for attribute := range c.newSecrets {
		if !slices.Contains(notTaken, attribute) {
			secrets.Copy(state, plan, attribute)
		}
	}
	return state
}

// withoutUnclear returns a state without the secrets that a failed request may have changed, and without the fields that it
// may have removed and whose absence from a response says nothing: a refresh may not show which ones Ops Manager has. So
// the next plan sets them, whether the configuration stays or is reverted.
func (r *lifecycle[T]) withoutUnclear(c *change[T], prior tfmodel.Values) tfmodel.Values {
	state := maps.Clone(prior)
	for attribute, text := range c.newSecrets {
		isShownWhenRemoved := text == "" && c.known.Secrets.Fingerprints[attribute] != nil // by the next refresh
		if !isShownWhenRemoved {
			secrets.Remove(state, attribute)
		}
	}
	for _, f := range r.Fields {
		if !f.IsMissing(c.wanted) && r.isHidden(f.Attribute) {
			state[f.Attribute] = f.Value(*new(T))
		}
	}
	return state
}

// update reads and changes an object, and reports whether the request succeeded.
func (r *lifecycle[T]) update(ctx context.Context, c *change[T], diags *diag.Diagnostics) (ok bool) {
	summary := r.summary(c.verb)
	if !r.Ready(summary, diags) {
		return false
	}
	done := r.lock(ctx, c.id, summary, diags)
	if done == nil {
		return false
	}
	defer done()
	live, err := r.Calls.Get(ctx, r.Data, c.id)
	switch {
	case opsmanager.IsMissing(err, r.Kind):
		diags.Append(r.goneSincePlan(c.verb, c.id, err))
	case r.isUnreadable(err):
		diags.Append(r.unreadable(c.verb, c.id, err))
	case err != nil:
		diags.Append(diagnostics.Failure(summary, err, r.Codes...))
	default:
		c.live = *live
		return r.set(ctx, c, diags)
	}
	return false
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
	c := change[T]{verb: "Delete", id: id, planned: r.toAPI(state), toSend: r.secretsToSend(nil, state), prior: state, known: readKnown(ctx, req.Private, &resp.Diagnostics)}
	if r.Reset != nil {
		c.verb, c.isEnd = "Reset", true
		c.wanted, c.planned = *r.Reset, r.Fields.Complete(*r.Reset, c.planned)
	}
	summary := r.summary(c.verb)
	switch {
	case r.run().HasAdopted(r.key(id)), c.known.Creates == r.key(id):
		resp.Diagnostics.AddWarning(r.name(id)+" Not Deleted", fmt.Sprintf("This apply creates or adopts the %s that it also destroys as the old object of the resource. "+
			"Both are the same %[1]s, so the old object was only removed from the Terraform state.", r.Word))
		return
	case r.isProtected(state):
		resp.Diagnostics.Append(r.protected(id, false))
		return
	case !r.deletes(state), !r.Ready(summary, &resp.Diagnostics):
		return
	}
	done := r.lock(ctx, id, summary, &resp.Diagnostics)
	if done == nil {
		return
	}
	defer done()
	live, err := r.Calls.Get(ctx, r.Data, id)
	switch {
	case opsmanager.IsMissing(err, r.Kind):
		return
	case r.isUnreadable(err) && r.Fields.AreMissing(c.planned):
		live = &c.planned
	case err != nil:
		resp.Diagnostics.AddError(summary, diagnostics.Explain(err, r.Codes...)+"\n\nNothing was changed.")
		return
	}
	c.live = *live
	if r.Reset != nil {
		r.set(ctx, &c, &resp.Diagnostics)
		return
	}
	if left := r.delete(ctx, &c, &resp.Diagnostics); left != nil { // and the next plan shows it
		resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, r.Fields.FromAPI(state, *left))...)
	}
}

// delete deletes an object that is as the plan showed it. If Ops Manager can't return objects, and so nothing
// is known, it deletes the object with the ID. If Ops Manager refuses the deletion for a reason that may end
// later, it waits, and first changes what may end it. It returns what that leaves in Ops Manager.
func (r *lifecycle[T]) delete(ctx context.Context, c *change[T], diags *diag.Diagnostics) (left *T) {
	isBlocked := func(err error) bool { return err != nil && r.Blocked != nil && r.Blocked(err) }
	send := func() error {
		_, err := r.request(ctx, c, r.reader(c.id), func(attempt context.Context) (*T, error) { return nil, r.Calls.Delete(attempt, r.Data, c.id) })
		return err
	}
	err := send()
	if isBlocked(err) && r.Release != nil && len(r.left(*r.Release, c.live, c.known.Returned)) > 0 {
		var problems diag.Diagnostics
		if r.release(ctx, c, &problems); problems.HasError() {
			d := r.notDeleted(c.id, err)
			diags.Append(diagnostics.WithTexts(d, d.Summary(), fmt.Sprintf("%s\n\nOps Manager may accept it after a change that the provider could not make: %s To make it yourself, set %s and apply, then destroy again.",
				d.Detail(), problems.Errors()[0].Detail(), r.released())))
			return nil
		}
		left = &c.live
		err = send()
	}
	if isBlocked(err) {
		refusal := err
		tflog.Info(ctx, "Ops Manager refuses to delete an object that is in use, so the deletion is tried again until the timeout", map[string]any{"object": r.name(c.id), "refusal": err.Error()})
		_ = r.Wait(ctx, func() (bool, error) {
			live, failed := r.Calls.Get(ctx, r.Data, c.id)
			switch {
			case opsmanager.IsMissing(failed, r.Kind):
				err = failed
			case failed == nil:
				c.live = *live
				if err = send(); isBlocked(err) {
					refusal = err
				}
			}
			return !isBlocked(err), nil
		})
		if err != nil && ctx.Err() != nil && !opsmanager.IsMissing(err, r.Kind) {
			err = refusal
		}
	}
	switch {
	case err == nil, opsmanager.IsMissing(err, r.Kind):
		diags.AddWarning(r.name(c.id)+" Deleted", r.settings(c.id, c.planned, c.live))
		return nil
	default:
		d := r.notDeleted(c.id, err)
		if left != nil {
			d = diagnostics.WithTexts(d, d.Summary(), d.Detail()+"\n\nThe destroy has set "+r.released()+", and left it so. To use the "+r.Word+" again, configure the value that it had before, and apply.")
		}
		diags.Append(d)
	}
	return left
}

// release changes what may end the refusal of a deletion.
func (r *lifecycle[T]) release(ctx context.Context, c *change[T], diags *diag.Diagnostics) {
	live, err := r.Calls.Get(ctx, r.Data, c.id)
	if err != nil {
		diags.Append(diagnostics.Failure(r.summary("Read"), err, r.Codes...))
		return
	}
	c.live, c.wanted = *live, *r.Release
	if r.set(ctx, c, diags) {
		c.live, c.planned, c.wanted = r.settled(c), r.Fields.Complete(*r.Release, c.planned), r.Object(c.id)
		c.prior = maps.Clone(c.prior)
		for _, f := range r.only(func(f tfmodel.Field[T]) bool { return !f.IsMissing(*r.Release) }) {
			c.prior[f.Attribute] = f.Value(*r.Release)
		}
	}
}

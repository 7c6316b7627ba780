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
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Read refreshes the state. A field that a response lacks keeps its value, unless Ops Manager has returned
// it before and leaves it out if it is not set. An explicit null is a value.
func (r *lifecycle[T]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := r.values(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	// Also set if the object is gone: Terraform before 1.12 requires it for a removal.
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, resp.Identity, r.identity(state))...)
	if r.KeepsState(&resp.Diagnostics) {
		return
	}
	id, _ := r.id(state)
	live, err := r.Calls.Get(ctx, r.Data, id)
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
		removed := r.noteReturned(ctx, resp.Private, *live, &resp.Diagnostics)
		state = r.withoutRemoved(r.Fields.FromAPI(state, *live), removed, *live)
		state = r.refreshSecrets(ctx, state, *live, id, req.Private, resp.Private, &resp.Diagnostics)
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
	defer r.nameIDs(ctx, plan, true, &resp.Diagnostics)
	id, _ := r.id(plan)
	r.run().StartApply()
	done := r.takeTurn(ctx, id, r.summary("Create"), &resp.Diagnostics)
	if done == nil {
		return
	}
	defer done()
	c := change[T]{verb: "Create", id: id, wanted: r.toAPI(plan), planned: r.toAPI(plan), toSend: r.secretsToSend(config, plan)}
	c.newSecrets = c.toSend
	sent, held := r.createOrAdopt(ctx, c, plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if r.reportAdjusted(ctx, c.wanted, held, &resp.Diagnostics); resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.existsNow(id))
		return
	}
	r.run().Adopt(r.key(id))
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, r.Fields.Applied(plan, r.settled(held, sent)))...)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, resp.Identity, r.identity(plan))...)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, createsKey, nil)...)
	r.storeKnown(ctx, resp.Private, id, sent, held, &resp.Diagnostics)
}

// createOrAdopt returns what it sent, and what Ops Manager returns afterwards. It reads first, because the
// effect of creating an object that exists may be a replacement.
func (r *lifecycle[T]) createOrAdopt(ctx context.Context, c change[T], plan tfmodel.Values, diags *diag.Diagnostics) (sent, held T) {
	live, err := r.find(ctx, c.id)
	switch {
	case r.isGone(err):
		return r.create(ctx, c, plan, err, diags)
	case r.isUnreadable(err):
		diags.Append(r.unreadable("Create", c.id, err))
	case err != nil:
		diags.Append(diagnostics.Failure(r.summary("Create"), err, r.Codes))
	case r.neverAdopts(plan):
		diags.Append(r.alreadyExists(c.id))
	case r.run().HasAdopted(r.key(c.id)):
		diags.Append(r.managedTwice(c.id)) // the plan did not know the ID
	default:
		c.verb, c.live = "Adopt", *live
		return r.adopt(ctx, c, plan, diags)
	}
	return sent, held
}

// find reads an object for a creation.
func (r *lifecycle[T]) find(ctx context.Context, id []string) (*T, error) {
	if r.Calls.Find != nil {
		return r.Calls.Find(ctx, r.Data, id)
	}
	return r.Calls.Get(ctx, r.Data, id)
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
		if masked := opsmanager.UnknownSecrets(*ready, *ready); len(masked) > 0 {
			return nil, diagnostics.Explained{Diagnostic: r.unknownSecret(masked)}
		}
		return ready, nil
	}
	ready, err := prepare(ctx)
	if err != nil {
		return nil, err
	}
	return opsmanager.Change(ctx, r.Client, ready, func(ctx context.Context) (*T, error) {
		switch _, err := r.find(ctx, id); {
		case err == nil:
			return nil, errExists
		case !r.isGone(err):
			return nil, err
		}
		return prepare(ctx)
	}, func(attempt context.Context, ready *T) (*T, error) { return r.Calls.Create(attempt, r.Data, *ready) })
}

// create creates an object. It reads the object again after the settle time, because another run may
// have created it at the same time, and Ops Manager may replace what exists.
func (r *lifecycle[T]) create(ctx context.Context, c change[T], plan tfmodel.Values, gone error, diags *diag.Diagnostics) (sent, held T) {
	planned, _ := plan[overwrites].(types.Object)
	sent = c.wanted
	missing := slices.DeleteFunc(r.Fields.Missing(sent), func(attribute string) bool { return !slices.Contains(r.Required, attribute) })
	r.setSecrets(&sent, sent, c.toSend, secrets.ReadBack{})
	missing = append(missing, r.missingSecrets(sent, func(attribute string) bool { return c.toSend[attribute] != "" })...)
	switch {
	case len(missing) > 0:
		diags.Append(r.nothingToAdopt(c.id, missing, gone))
		return sent, held
	case slices.ContainsFunc(r.Fields, func(f tfmodel.Field[T]) bool { return plannedText(planned, f.Attribute) != "" }):
		diags.Append(r.goneSincePlan("Adopt", c.id, gone))
		return sent, held
	}
	response, err := r.sendNew(ctx, c.id, sent)
	if err != nil {
		diags.Append(r.notCreated(c.id, err))
		return sent, held
	}
	isSent := func(held T) bool { return r.agrees(sent, held) }
	held, ok := readUntilAgrees(ctx, r.Data, response, r.reader(c.id), isSent)
	before := held
	if len(r.Secrets) > 0 { // the response may have them in clear
		if first, err := r.Calls.Get(ctx, r.Data, c.id); err == nil {
			before = *first
		}
	}
	if ok {
		select {
		case <-ctx.Done():
		case <-time.After(r.SettleTime):
		}
		if now, err := r.Calls.Get(ctx, r.Data, c.id); err == nil {
			changed := r.otherSecrets(ctx, c.id, sent, before, *now)
			if !isSent(*now) {
				changed = append(r.changes(sent, *now), changed...)
			}
			if len(changed) > 0 {
				diags.Append(r.createdTwice(c.id, changed))
			}
		}
	}
	return sent, held
}

// adopt changes a live object to the planned values, if the plan has shown what that overwrites.
func (r *lifecycle[T]) adopt(ctx context.Context, c change[T], plan tfmodel.Values, diags *diag.Diagnostics) (sent, held T) {
	wanted := c.wanted
	planned, _ := plan[overwrites].(types.Object)
	if planned.IsUnknown() { // the plan has said that it can't show this
		planned = r.overwritten(c.live, wanted, plan)
		plan[overwrites] = planned
	}
	c.sincePlan = func(live T) (changed []string) {
		for _, f := range r.Fields {
			if !r.differs(f, wanted, live) || plannedText(planned, f.Attribute) == r.overwrite(f, live, wanted) {
				continue
			}
			before := strings.TrimSuffix(plannedText(planned, f.Attribute), " -> "+shown(f, wanted))
			if before == "" {
				before = shown(f, wanted)
			}
			changed = append(changed, sincePlan(f, live, before))
		}
		for attribute := range c.toSend {
			if text, ok := r.shown(live)[attribute]; ok && text != c.toSend[attribute] && plannedText(planned, attribute) == "" && !secrets.CouldShow(text, c.toSend[attribute]) {
				changed = append(changed, attribute+" is another secret than the configured one, which the plan saw")
			}
		}
		return changed
	}
	return r.set(ctx, c, diags)
}

// plannedText returns the text of an attribute in overwrites, or nothing.
func plannedText(planned types.Object, attribute string) string {
	return tfmodel.As[types.String](planned.Attributes(), attribute).ValueString()
}

// Update changes what the plan changes, and sends everything else as it is live.
func (r *lifecycle[T]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	config, prior, plan := r.values(ctx, req.Config, &resp.Diagnostics), r.values(ctx, req.State, &resp.Diagnostics), r.values(ctx, req.Plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := r.within(ctx, attributes.TimeoutsOf(plan).Update, r.WriteTimeout, &resp.Diagnostics)
	defer cancel()
	defer r.nameIDs(ctx, plan, true, &resp.Diagnostics)
	r.run().StartApply()
	id, _ := r.id(prior)
	c := change[T]{verb: "Update", id: id, wanted: r.Object(id), planned: r.toAPI(plan), toSend: r.secretsToSend(config, plan), known: r.known(ctx, req.Private, &resp.Diagnostics)}
	c.newSecrets = r.secretsThatChange(c.toSend, plan, prior)
	updated := plan
	if r.Fields.SetChanges(&c.wanted, plan, prior); !r.Fields.AreMissing(c.wanted) || len(c.newSecrets) > 0 {
		sent, held, ok := r.update(ctx, c, prior, resp.Private, &resp.Diagnostics)
		if !ok {
			return
		}
		settled := r.settled(held, sent)
		updated = r.Fields.Applied(plan, settled)
		if r.reportAdjusted(ctx, c.wanted, settled, &resp.Diagnostics); resp.Diagnostics.HasError() {
			updated = r.Fields.FromAPI(prior, settled)
		} else {
			r.warnChangedAlong(id, r.Fields.Unplanned(c.wanted, c.planned, sent, settled), &resp.Diagnostics)
		}
		r.storeKnown(ctx, resp.Private, id, sent, held, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, updated)...)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, resp.Identity, r.identity(plan))...)
}

// update changes the wanted values, if each of them is what the plan saw, which is the prior state.
func (r *lifecycle[T]) update(ctx context.Context, c change[T], prior tfmodel.Values, private tfmodel.PrivateState, diags *diag.Diagnostics) (sent, held T, ok bool) {
	summary := r.summary(c.verb)
	if !r.Ready(summary, diags) {
		return sent, held, false
	}
	done := r.takeTurn(ctx, c.id, summary, diags)
	if done == nil {
		return sent, held, false
	}
	defer done()
	live, err := r.Calls.Get(ctx, r.Data, c.id)
	switch {
	case r.isGone(err):
		diags.Append(r.goneSincePlan(c.verb, c.id, err))
		return sent, held, false
	case r.isUnreadable(err):
		diags.Append(r.unreadable(c.verb, c.id, err))
		return sent, held, false
	case err != nil:
		diags.Append(diagnostics.Failure(summary, err, r.Codes))
		return sent, held, false
	}
	c.live, c.removed = *live, r.noteReturned(ctx, private, *live, diags)
	c.sincePlan = r.sincePrior(c, prior)
	sent, held = r.set(ctx, c, diags)
	return sent, held, !diags.HasError()
}

// sincePrior returns a function that says which of the values that a change sets are no longer those of
// the prior state.
func (r *lifecycle[T]) sincePrior(c change[T], prior tfmodel.Values) func(live T) []string {
	before := r.toAPI(prior)
	return func(live T) (changed []string) {
		for _, f := range r.Fields {
			isRemoved := slices.Contains(c.removed, f.Attribute) && !f.IsMissing(before)
			if r.differs(f, c.wanted, live) && (isRemoved || f.IsList() || !f.IsMissing(live)) && !f.Value(live).Equal(f.Value(before)) {
				changed = append(changed, sincePlan(f, live, shown(f, before)))
			}
		}
		sets := func(attribute string) bool {
			_, isSent := c.toSend[attribute]
			return isSent || r.isMasked(live, attribute)
		}
		return append(changed, r.secretsSincePlan(live, sets, prior, c.known)...)
	}
}

// within returns the context of a write, which a timeout may limit.
func (r *lifecycle[T]) within(ctx context.Context, timeout func(context.Context, time.Duration) (time.Duration, diag.Diagnostics), unset time.Duration, diags *diag.Diagnostics) (context.Context, context.CancelFunc) {
	if r.Timeouts == nil {
		return context.WithCancel(ctx)
	}
	return attributes.Within(ctx, timeout, unset, diags)
}

// nameIDs adds names to the IDs in diagnostics.
func (r *lifecycle[T]) nameIDs(ctx context.Context, values tfmodel.Values, isApply bool, diags *diag.Diagnostics) {
	if id, known := r.id(values); r.NameIDs != nil && known && values != nil {
		r.NameIDs(ctx, r.Data, id, isApply, diags)
	}
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
	defer r.nameIDs(ctx, state, true, &resp.Diagnostics)
	id, _ := r.id(state)
	r.run().StartApply()
	var created string
	tfmodel.ReadPrivate(ctx, req.Private, createsKey, &created, &resp.Diagnostics)
	switch {
	case r.run().HasAdopted(r.key(id)), created == r.key(id):
		resp.Diagnostics.Append(r.keptForNew(id))
		return
	case r.isProtected(state):
		resp.Diagnostics.Append(r.protected(id))
		return
	case !r.deletes(state), !r.Ready(r.ending(), &resp.Diagnostics):
		return
	}
	done := r.takeTurn(ctx, id, r.ending(), &resp.Diagnostics)
	if done == nil {
		return
	}
	defer done()
	live, err := r.Calls.Get(ctx, r.Data, id)
	c := change[T]{verb: "Delete", id: id, planned: r.toAPI(state), toSend: r.secretsToSend(nil, state), known: r.known(ctx, req.Private, &resp.Diagnostics)}
	switch {
	case r.isGone(err):
		return
	case r.isUnreadable(err) && r.Fields.AreMissing(c.planned):
		live = &c.planned
	case err != nil:
		resp.Diagnostics.AddError(r.ending(), diagnostics.Explain(err, r.Codes)+"\n\nNothing was changed.")
		return
	}
	c.live, c.removed = *live, r.noteReturned(ctx, resp.Private, *live, &resp.Diagnostics)
	switch {
	case r.Reset != nil:
		r.reset(ctx, c, state, &resp.Diagnostics)
	default:
		if left := r.delete(ctx, c, state, &resp.Diagnostics); left != nil { // and the next plan shows it
			resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, r.Fields.FromAPI(state, *left))...)
		}
	}
}

// reset sets what on_destroy = "reset" sets.
func (r *lifecycle[T]) reset(ctx context.Context, c change[T], state tfmodel.Values, diags *diag.Diagnostics) {
	c.verb, c.isEnd = "Reset", true
	c.wanted, c.planned = *r.Reset, r.Fields.Complete(*r.Reset, c.planned)
	c.sincePlan = r.sincePrior(c, state)
	if _, held := r.set(ctx, c, diags); !diags.HasError() {
		r.reportAdjusted(ctx, c.wanted, held, diags)
	}
}

// delete deletes an object that has at least one of the known values. If Ops Manager can't return objects,
// and so nothing is known, it deletes the object with the ID. It does not repeat a request over an object
// that has changed since, which may be a new one. If Ops Manager refuses the deletion for a reason that may
// end by itself, it waits, and first changes what may end it. It returns what that leaves in Ops Manager.
func (r *lifecycle[T]) delete(ctx context.Context, c change[T], state tfmodel.Values, diags *diag.Diagnostics) (left *T) {
	isBlocked := func(err error) bool { return err != nil && r.Blocked != nil && r.Blocked(err) }
	known := c.planned
	err := r.send(ctx, &c, c.live, known, false, diags)
	if isBlocked(err) && r.Release != nil && len(r.Fields.Differences(*r.Release, c.live)) > 0 {
		known = r.Fields.Complete(*r.Release, known)
		settled, problem := r.release(ctx, c, known, state)
		if problem != nil {
			diags.Append(r.notReleased(c.id, err, problem))
			return nil
		}
		c.live, left = settled, &settled
		err = r.send(ctx, &c, c.live, known, true, diags)
	}
	if isBlocked(err) {
		refusal := err
		_ = r.Wait(ctx, func() (bool, error) {
			live, failed := r.Calls.Get(ctx, r.Data, c.id)
			switch {
			case r.isGone(failed):
				err = failed
			case failed == nil:
				if err = r.send(ctx, &c, *live, known, true, diags); isBlocked(err) {
					refusal = err
				}
			}
			return !isBlocked(err), nil
		})
		if err != nil && ctx.Err() != nil && !r.isGone(err) {
			err = refusal
		}
	}
	switch {
	case errors.Is(err, errRefused):
	case err == nil, r.isGone(err):
		diags.AddWarning(r.name(c.id)+" Deleted", r.settings(c.id, known, c.live))
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

// release changes what may end the refusal of a deletion. It returns what Ops Manager holds afterwards, or
// why it can't.
func (r *lifecycle[T]) release(ctx context.Context, c change[T], planned T, state tfmodel.Values) (settled T, problem diag.Diagnostic) {
	live, err := r.Calls.Get(ctx, r.Data, c.id)
	if err != nil {
		return settled, diagnostics.Failure(r.summary("Read"), err, r.Codes)
	}
	var problems diag.Diagnostics
	c.live, c.wanted, c.planned = *live, *r.Release, planned
	c.sincePlan = r.sincePrior(c, state)
	if _, settled = r.set(ctx, c, &problems); problems.HasError() {
		return settled, problems.Errors()[0]
	}
	return settled, nil
}

// send sends the request that deletes a live object, unless it is another one than the known one, or has
// changed since the request was sent before.
func (r *lifecycle[T]) send(ctx context.Context, c *change[T], live, known T, sent bool, diags *diag.Diagnostics) error {
	isOther := func(now T) bool {
		return r.isOther(known, now) || sent && len(r.Fields.Differences(c.live, now)) > 0
	}
	_, err := r.change(ctx, &live, r.reader(c.id), isOther, func(attempt context.Context, now T) (*T, error) {
		if isOther(now) {
			before := known
			if sent {
				before = c.live
			}
			diags.Append(r.otherObject(c.id, r.changes(before, now), sent))
			return nil, errRefused
		}
		c.live, sent = now, true
		return nil, r.Calls.Delete(attempt, r.Data, c.id)
	})
	return err
}

// isOther reports whether every known value that Ops Manager returns differs, so that this is another object
// with the same ID. Switches and numbers count only if nothing else is known: two objects often have the
// same defaults.
func (n *Noun[T]) isOther(known, live T) bool {
	var telling, all tfmodel.Fields[T]
	for _, f := range n.Fields {
		if f.IsMissing(live) || f.IsMissing(known) {
			continue
		}
		all = append(all, f)
		switch f.Value(known).(type) {
		case types.Bool, types.Int64:
		default:
			telling = append(telling, f)
		}
	}
	if len(telling) == 0 {
		telling = all
	}
	return len(telling) > 0 && len(telling.Differences(known, live)) == len(telling)
}

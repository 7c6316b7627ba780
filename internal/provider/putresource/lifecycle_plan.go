package putresource

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// planned is what the resources of one process have planned for an object.
type planned struct {
	deletes bool // a state has the object, and its destroy deletes it
	kept    bool // a plan keeps or changes it
	ended   bool // a plan deletes it
	adopted bool // a plan adopts it

	id     []string
	values tfmodel.Values // of a plan that keeps, creates or adopts it; what is not configured is null for a creation or an adoption
	isNew  bool
}

// runs is what the resources of one process share: what they plan for each object, and which objects they
// have created or adopted.
var runs connection.Shared[connection.Tracker[string, planned]]

func (r *lifecycle[T]) run() *connection.Tracker[string, planned] { return runs.Of(r.Data) }

func (r *lifecycle[T]) key(id []string) string { return keyOf(r.Name, r.label(id)) }

func keyOf(resourceType, label string) string { return resourceType + " " + label }

// RecordPlan records that a plan keeps, creates or adopts an object.
func RecordPlan(d *connection.Data, resourceType, label string, id []string, values tfmodel.Values, isNew bool) {
	runs.Of(d).Plan(keyOf(resourceType, label), func(p *planned) { p.id, p.values, p.isNew = id, values, isNew })
}

// IsPlanned reports whether a function returns true for any object of a type that the plans of this process
// keep, create or adopt.
func IsPlanned(d *connection.Data, resourceType string, is func(id []string, values tfmodel.Values, isNew bool) bool) bool {
	return runs.Of(d).Any(func(key string, p planned) bool {
		return p.values != nil && strings.HasPrefix(key, keyOf(resourceType, "")) && is(p.id, p.values, p.isNew)
	})
}

// lock waits for the lock of an object, because each resource sends all of it, and returns a function that
// releases it. If the plan did not know the ID of what a creation adopts, that is also how a destroy of the
// same object notices it. If ctx ends before, lock adds an error, and returns nil.
func (r *lifecycle[T]) lock(ctx context.Context, id []string, summary string, diags *diag.Diagnostics) (unlock func()) {
	unlock, err := r.Lock(ctx, r.name(id))
	if err != nil {
		diags.AddError(summary, "Another resource of this run was changing "+r.name(id)+" until the run was interrupted or the time was over. Nothing was changed. Apply again.")
		return nil
	}
	return unlock
}

// ModifyPlan plans only what the apply can do, and shows what it deletes and overwrites.
//
// Terraform plans a replacement twice: first an update, whose warnings are shown, and then a creation. It
// plans the replacement of a tainted resource once, as a creation. It passes the private data of that plan
// to Delete, which keeps what the plan adopts.
func (r *lifecycle[T]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	prior := r.values(ctx, req.State, &resp.Diagnostics)
	known := readKnown(ctx, req.Private, &resp.Diagnostics) // Delete needs that of a replaced object
	if req.Plan.Raw.IsNull() {
		r.planDestroy(ctx, prior, known, false, &resp.Diagnostics)
		return
	}
	config, plan := r.values(ctx, req.Config, &resp.Diagnostics), r.values(ctx, req.Plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	switch {
	case prior == nil:
		r.planCreation(ctx, config, plan, known.Planned, &resp.Diagnostics)
		if shown, _ := plan[overwrites].(types.Object); r.Adopts && !tfmodel.IsKnown(shown) && !resp.Diagnostics.HasError() {
			resp.Diagnostics.Append(r.unseen(shown))
		}
		if id, _ := r.id(plan); r.Adopts {
			known.Creates = r.key(id)
		}
	case slices.ContainsFunc(slices.Concat(r.ID.Attributes, r.Immutable), func(attribute string) bool { return !plan[attribute].Equal(prior[attribute]) }):
		known.Planned = false // not by this plan
		r.planDestroy(ctx, prior, known, true, &resp.Diagnostics)
		if _, isKnown := r.id(plan); !isKnown && r.Calls.Add == nil && (r.deletes(prior) || !r.Adopts) && !resp.Diagnostics.HasError() {
			// If it turned out to be the same, create_before_destroy would leave only a deposed object.
			id, _ := r.id(prior)
			resp.Diagnostics.Append(r.onID("Unable to Replace "+r.Title, "%s is only known after apply, so Terraform replaces this resource, even if the ID turns out to be %q again. "+
				"Use an ID that is known when you plan: write the ID itself, or first apply what it depends on with -target. Then plan again. "+
				"If this error stops 'terraform destroy', run it with -refresh=false.", strings.Join(r.ID.Attributes, " or "), r.label(id)))
		}
	default:
		r.planUpdate(ctx, config, plan, prior, known, &resp.Diagnostics)
		known.Planned = true
	}
	tfmodel.WritePrivate(ctx, resp.Private, knownKey, known, &resp.Diagnostics)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.Plan, plan)...)
}

// planUpdate plans an update, or no change. What is not configured keeps the value of the state.
func (r *lifecycle[T]) planUpdate(ctx context.Context, config, plan, prior tfmodel.Values, known known, diags *diag.Diagnostics) {
	id, _ := r.id(prior)
	planned := r.run().Plan(r.key(id), func(p *planned) { p.kept, p.deletes = true, r.deletes(prior) })
	switch {
	case planned.ended:
		diags.Append(r.deletedAndManaged(id))
	case planned.kept, planned.adopted:
		diags.Append(r.managedTwice(id))
	}
	r.Fields.Keep(plan, config, prior)
	if shown, ok := prior[overwrites]; ok {
		plan[overwrites] = shown
	}
	before, changed := r.toAPI(prior), r.Object(id)
	r.Fields.SetChanges(&changed, plan, prior)
	r.check(ctx, Plan[T]{id, config, plan, prior, &before, changed}, diags)
	toSend := r.secretsToSend(config, plan)
	newSecrets := r.secretsThatChange(toSend, plan, prior)
	if len(newSecrets) == 0 && r.Fields.AreMissing(changed) {
		return
	}
	if written := r.onlyWritten(config, toSend, newSecrets); len(written) > 0 {
		diags.AddWarning(r.name(id)+" Will Get Its Write-Only Secrets", fmt.Sprintf("An update replaces the whole %s, so this one also sends the configured %s. "+
			"A plan can't compare that with what Ops Manager has, so only a run with the real value may apply it.", r.Word, strings.Join(written, ", ")))
	}
	if r.hasUnknown(plan) {
		return
	}
	r.requireLost("Update", r.toAPI(plan), known.Returned, diags)
	if unshown := r.unshownRemovals(toSend, plan, prior); len(unshown) > 0 && r.Client != nil {
		if live, err := r.Calls.Get(ctx, r.Data, id); err == nil { // otherwise, the apply finds out
			r.refuseRemovals("Update", id, unshown, *live, r.toAPI(plan), diags)
		}
	}
	missing := slices.DeleteFunc(r.secretsToLose(plan, prior, toSend, known), func(attribute string) bool { return secrets.Of(config, attribute).IsSet() })
	if len(missing) > 0 {
		diags.Append(r.unknownSecrets("Update", missing))
	}
}

// secretsToLose returns the secrets that a PUT with some values would lose. One that Ops Manager returns unredacted
// is there to send back.
func (t *Type[T]) secretsToLose(values, prior tfmodel.Values, toSend map[string]string, known known) (missing []string) {
	whole := t.toAPI(values)
	return slices.DeleteFunc(t.setSecrets(&whole, t.toAPI(prior), toSend, known), func(attribute string) bool { return known.Secrets.Clear[attribute] })
}

// aboutDeletion returns what a plan can tell of a deletion: what the object holds, what follows a refusal of Ops
// Manager, and the error if the provider refuses it.
func (r *lifecycle[T]) aboutDeletion(ctx context.Context, id []string, prior tfmodel.Values) (text string, refused diag.Diagnostics) {
	if r.Holds != nil && r.Data != nil && r.Client != nil {
		ctx, cancel := context.WithTimeout(ctx, 3*time.Second) // as for a name in a message
		defer cancel()
		if live, err := r.Calls.Get(ctx, r.Data, id); err == nil {
			text, refused = r.Holds(*live), r.refused(*live)
		}
	}
	switch {
	case r.Blocked == nil: // then it is not tried again
	case r.Release != nil && len(r.left(*r.Release, r.toAPI(prior), nil)) > 0:
		text += " After a refusal, the apply sets " + r.released() + ", if it has all secrets, and tries again until timeouts.delete."
	default:
		text += " After a refusal, the apply tries again until timeouts.delete."
	}
	return text, refused
}

// planDestroy says what a destroy does. Another plan of this run must not manage an object that it ends.
func (r *lifecycle[T]) planDestroy(ctx context.Context, prior tfmodel.Values, known known, isReplacement bool, diags *diag.Diagnostics) {
	id, _ := r.id(prior)
	switch {
	case r.run().HasAdopted(r.key(id)): // the old object of a replacement, which Delete keeps
	case r.isProtected(prior):
		diags.Append(r.protected(id, isReplacement))
	case !r.deletes(prior):
		diags.Append(diagnostics.Forgotten(r.name(id), fmt.Sprintf("Ops Manager keeps the %s as it is, because on_destroy is not %q in the Terraform state.", r.Word, r.ends())))
	default:
		if before := r.run().Plan(r.key(id), func(p *planned) { p.ended = true }); before.kept || before.adopted {
			diags.Append(r.deletedAndManaged(id))
			return
		}
		if r.refuseLossByReset(prior, known, diags); diags.HasError() {
			return
		}
		about, refused := r.aboutDeletion(ctx, id, prior)
		if diags.Append(refused...); !refused.HasError() {
			diags.Append(r.deletion(id, about, isReplacement))
		}
	}
}

// refuseLossByReset adds an error if a reset would lose secrets, or fields that it needs. A destroy has those of the state
// only.
func (t *Type[T]) refuseLossByReset(prior tfmodel.Values, known known, diags *diag.Diagnostics) {
	if t.Reset == nil || len(t.left(*t.Reset, t.toAPI(prior), known.Returned)) == 0 {
		return
	}
	t.requireLost("Reset", t.toAPI(prior), known.Returned, diags)
	if missing := t.secretsToLose(prior, prior, t.secretsToSend(nil, prior), known); len(missing) > 0 {
		diags.Append(t.unknownSecrets("Reset", missing))
	}
}

// planCreation plans a creation or an adoption. What exists, and may not be adopted, is an error, also if
// it is the object of a resource that is renamed, replaced or tainted. The second plan of a replacement adopts
// what the first one kept.
func (r *lifecycle[T]) planCreation(ctx context.Context, config, plan tfmodel.Values, isSecond bool, diags *diag.Diagnostics) {
	config = maps.Clone(config)
	for attribute, value := range r.Defaults {
		if config[attribute].IsNull() {
			config[attribute], plan[attribute] = value, value
		}
	}
	id, isKnown := r.id(config)
	if r.Calls.Add != nil {
		r.check(ctx, Plan[T]{id, config, plan, nil, nil, r.toAPI(config)}, diags)
		return
	}
	if r.Adopts {
		plan[overwrites] = types.ObjectUnknown(r.overwritesTypes())
	}
	if !isKnown || r.Client == nil {
		if !r.Adopts { // so nothing is live
			attributes.CheckNew(ctx, r.Attributes, config, nil, diags)
		}
		return
	}
	live, err := r.Calls.Find(ctx, r.Data, id)
	switch {
	case opsmanager.IsMissing(err, r.Kind):
		wanted := r.toAPI(config)
		if missing := r.missing(config); len(missing) > 0 {
			diags.Append(r.nothingToAdopt(id, missing, err))
		}
		if r.Adopts {
			plan[overwrites] = r.overwritten(wanted, wanted, nil)
		}
		r.check(ctx, Plan[T]{id, config, plan, nil, nil, wanted}, diags)
	case r.isUnreadable(err):
		diags.Append(r.unreadable("Create", id, err))
	case err != nil:
		diags.Append(diagnostics.Failure(r.summary("Preview"), err, r.Codes...))
	case !r.Adopts:
		diags.Append(r.alreadyExists(id))
	default:
		r.planAdoption(ctx, id, config, plan, *live, isSecond, diags)
	}
}

// planAdoption plans what the adoption of a live object overwrites.
func (r *lifecycle[T]) planAdoption(ctx context.Context, id []string, config, plan tfmodel.Values, live T, isSecond bool, diags *diag.Diagnostics) {
	wanted := r.toAPI(config)
	before := r.run().Plan(r.key(id), func(p *planned) { p.adopted = true })
	switch {
	case before.ended, before.deletes:
		diags.Append(r.deletedAndManaged(id))
		return
	case before.adopted, before.kept && !isSecond:
		diags.Append(r.managedTwice(id))
		return
	}
	shown := r.overwritten(live, wanted, config)
	plan[overwrites] = shown
	if showsAny(shown) {
		whole := r.Fields.Complete(wanted, live)
		r.requireWhole("Adopt", whole, config, diags)
		missing := r.setSecrets(&whole, live, r.secretsToSend(config, config), known{})
		missing = slices.DeleteFunc(missing, func(attribute string) bool { return secrets.Of(config, attribute).IsSet() })
		if len(missing) > 0 {
			diags.Append(r.unknownSecrets("Adopt", missing))
		}
	}
	r.check(ctx, Plan[T]{id, config, plan, nil, &live, r.Fields.Changed(wanted, live)}, diags)
}

// check records what a plan does with an object, refuses new values that Ops Manager does not accept, and warns.
func (r *lifecycle[T]) check(ctx context.Context, p Plan[T], diags *diag.Diagnostics) {
	live := p.Prior
	if live == nil && p.Before != nil {
		live = r.Fields.FromAPI(r.ID.Of(p.Config), *p.Before)
	}
	if attributes.CheckNew(ctx, r.Attributes, p.Config, live, diags); diags.HasError() {
		return
	}
	values := p.Values
	if p.Prior == nil {
		values = p.Config
	}
	RecordPlan(r.Data, r.Name, r.label(p.ID), p.ID, values, p.Before == nil)
	if r.Check != nil && r.Client != nil {
		r.Check(ctx, r.Data, p, diags)
	}
}

// onlyWritten returns the write-only secrets that an update sends although the plan does not change them.
func (t *Type[T]) onlyWritten(config tfmodel.Values, toSend, changed map[string]string) (attributes []string) {
	for attribute := range toSend {
		if _, isChanged := changed[attribute]; !isChanged && !secrets.Of(config, attribute).WriteOnly.IsNull() {
			attributes = append(attributes, attribute+secrets.WriteOnly)
		}
	}
	slices.Sort(attributes)
	return attributes
}

// missing returns the attributes that a creation requires and that are null.
func (t *Type[T]) missing(config tfmodel.Values) (missing []string) {
	for _, attribute := range t.Required {
		if config[attribute].IsNull() {
			missing = append(missing, attribute)
		}
	}
	if t.hasUnknown(config) {
		return missing
	}
	return append(missing, t.missingSecrets(t.toAPI(config), func(attribute string) bool { return secrets.Of(config, attribute).IsSet() })...)
}

// hasUnknown reports whether any field is unknown. It may say which secrets are required.
func (t *Type[T]) hasUnknown(values tfmodel.Values) bool {
	return slices.ContainsFunc(t.Fields, func(f tfmodel.Field[T]) bool { return values[f.Attribute].IsUnknown() })
}

func (t *Type[T]) overwritesTypes() tfmodel.Overwrites {
	names := t.Fields.Attributes()
	for _, s := range t.Secrets {
		names = append(names, s.Attribute)
	}
	return tfmodel.OverwritesOf(names)
}

// overwritten returns the value of overwrites: a text for each wanted value that differs from the live one.
// What the configuration does not know yet is unknown.
func (t *Type[T]) overwritten(live, wanted T, config tfmodel.Values) types.Object {
	texts := map[string]attr.Value{}
	for _, f := range t.Fields {
		texts[f.Attribute] = types.StringNull()
		if value := config[f.Attribute]; value != nil && !tfmodel.IsKnown(value) {
			texts[f.Attribute] = types.StringUnknown()
		}
	}
	for _, f := range t.left(wanted, live, nil) {
		if value := config[f.Attribute]; value != nil && tfmodel.IsKnown(value) {
			texts[f.Attribute] = types.StringValue(t.overwrite(f, live, wanted))
		}
	}
	for _, s := range t.Secrets {
		texts[s.Attribute] = t.overwrittenSecret(s.Attribute, live, config)
	}
	return types.ObjectValueMust(t.overwritesTypes(), texts)
}

// overwrite returns the text of overwrites for a field.
func (t *Type[T]) overwrite(f tfmodel.Field[T], live, wanted T) string {
	held := t.text(f, live)
	if f.IsUnsaid(live, nil) {
		held = tfmodel.NotReturned
	}
	return tfmodel.Overwrite(held, t.text(f, wanted))
}

// text returns a value as a plan shows it.
func (t *Type[T]) text(f tfmodel.Field[T], object T) string {
	if text, ok := f.Value(object).(types.String); ok && text.ValueString() != "" {
		return opsmanager.Sanitize(text.ValueString())
	}
	return t.inSentence(f, object)
}

// inSentence returns a value as sentences show it, where a text has quotation marks.
func (t *Type[T]) inSentence(f tfmodel.Field[T], object T) string {
	if text := t.literal(f, object); text != "null" {
		return text
	}
	return notSet
}

// notSet is what messages say of a field that is not set.
const notSet = "not set"

// literal returns a value in HCL, or the description of a field that may have masks.
func (t *Type[T]) literal(f tfmodel.Field[T], object T) string {
	if t.isHidden(f.Attribute) && t.Hidden.Text(object) != "" {
		return opsmanager.Sanitize(t.Hidden.Describe(object))
	}
	if text := f.Literal(&object); text != nil {
		return opsmanager.Sanitize(*text)
	}
	return "null"
}

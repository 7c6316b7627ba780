package putresource

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// Planned is an object that a plan keeps, creates or adopts.
type Planned struct {
	ID     []string
	Values tf.Values // what is not configured is null for a creation or an adoption
	IsNew  bool
}

// key names an object for its claims.
func (r *lifecycle[T]) key(id []string) string { return r.Name + " " + r.label(id) }

// RecordPlan records that a plan keeps, creates or adopts an object of a type.
func RecordPlan(d *connection.Data, resourceType string, p Planned) {
	connection.Note(d, resourceType, func(all *[]Planned) { *all = append(*all, p) })
}

// claim adds a claim to those of the object. It adds an error, and returns false, if that conflicts with an earlier one.
func (t *target[T]) claim(claim connection.Claim, diags *diag.Diagnostics) bool {
	conflict := t.Claim(t.key(t.id), claim)
	switch conflict {
	case connection.Ended:
		title := t.Title + " Destroyed and Managed in One Plan"
		effect := t.ends() + "s the " + t.quoted()
		diags.Append(tf.EndedAndManaged(path.Root(t.ID.Attributes[0]), title, t.Name, effect, t.Word))
	case connection.Twice:
		diags.Append(t.managedTwice())
	}
	return conflict == connection.None
}

// AllPlanned returns the objects of a type that the plans of this process keep, create or adopt.
func AllPlanned(d *connection.Data, resourceType string) []Planned {
	return connection.Noted[[]Planned](d, resourceType)
}

// useOf names an object for the claims of what refers to it. A reference may leave out the last part of an ID.
func useOf(object string) string { return "use of " + strings.ToLower(object) }

// ClaimUse claims that a plan keeps or sets a reference to an object, such as "blockstore s1" in an attribute. It adds an error if
// another plan of this run ends the object.
func ClaimUse(d *connection.Data, attribute, object string, diags *diag.Diagnostics) {
	if d.Claim(useOf(object), connection.Keeps) == connection.Ended {
		diags.Append(usedAndEnded(attribute, object))
	}
}

// claimEnd claims the end of the object. It adds an error, and returns false, if another plan of this run keeps or creates the
// object, or keeps or sets a reference to it.
func (t *target[T]) claimEnd(diags *diag.Diagnostics) bool {
	if !t.claim(connection.Ends, diags) || !t.claimUnknown(connection.Ends, diags) {
		return false
	}
	for _, object := range []string{t.key(t.id), t.key(t.id[:1])} {
		if t.Claim(useOf(object), connection.Ends) == connection.Ended {
			diags.Append(usedAndEnded(t.ID.Attributes[0], object))
			return false
		}
	}
	return true
}

// usedAndEnded is the error of a plan that deletes what another resource of it refers to.
func usedAndEnded(attribute, object string) diag.Diagnostic {
	return onAttribute(attribute, "Deleted and Used in One Plan", "This plan deletes %s, and keeps or sets a reference to it in a different resource. "+
		"Ops Manager refuses the deletion, or later starts no backup that needs it. Take it out of the filters of opsmanager_project_backup_job_config, and apply that first. "+
		"A filter without head_root_directory names all daemons of its machine. If the snapshot_store or the deployment_configs of an opsmanager_backup_config name it, "+
		"its backup may use it: removing these attributes moves nothing, so end that backup, or move it in the console of Ops Manager. Or keep what would be deleted, with on_destroy = %q. "+
		"If this error stops 'terraform destroy', run it with -refresh=false.", opsmanager.Sanitize(object), keepOnDestroy)
}

// claimUnknown adds a claim to those of an object whose ID is not known yet. It adds an error, and returns false, if a plan ends
// an object of this type and creates or adopts one with an unknown ID.
func (t *target[T]) claimUnknown(claim connection.Claim, diags *diag.Diagnostics) bool {
	if t.Claim(t.Name+" with an unknown ID", claim) != connection.Ended {
		return true
	}
	effect := fmt.Sprintf("%[1]ss a %[2]s, because of on_destroy in the Terraform state, and creates or adopts one whose ID", t.ends(), t.Word)
	diags.Append(tf.EndedAndUnknown(path.Root(t.ID.Attributes[0]), t.Title+" Is Not Known Yet", effect, t.Word))
	return false
}

// ModifyPlan plans only what the apply can do, and shows what it deletes and overwrites.
//
// Terraform plans a replacement twice: first an update, whose warnings are shown, and then a creation. It
// plans the replacement of a tainted resource once, as a creation. It passes the private data of that plan
// to Delete, which keeps what the plan adopts.
func (r *lifecycle[T]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	diags := &resp.Diagnostics
	config := r.valuesOf(ctx, req.Config, diags)
	plan := r.valuesOf(ctx, req.Plan, diags)
	prior := r.valuesOf(ctx, req.State, diags)
	stored := readKnown(ctx, req.Private, diags)
	if diags.HasError() {
		return
	}
	if plan == nil {
		r.target(nil, nil, prior, stored).planDestroy(ctx, false, diags)
		return
	}
	id, _ := r.idOf(plan)
	if prior != nil {
		id, _ = r.idOf(prior)
	}
	isSecond := tf.NotePlan(ctx, req, resp, r.key(id)).First == r.key(id)
	switch {
	case prior == nil:
		for attribute, value := range r.Defaults {
			if config[attribute].IsNull() {
				plan[attribute] = value
			}
		}
		r.target(config, plan, nil, known{}).planCreation(ctx, isSecond, diags)
	case r.isReplaced(plan, prior):
		t := r.target(nil, nil, prior, stored)
		t.planDestroy(ctx, true, diags)
		_, isKnown := r.idOf(plan)
		mayEndItself := r.Calls.Add == nil && (t.deletes() || !r.Adopts)
		if !isKnown && mayEndItself && !diags.HasError() {
			// If it turned out to be the same, create_before_destroy would leave only a deposed object.
			diags.Append(r.onID("Unable to Replace "+r.Title, "%s is only known after apply, so Terraform replaces this resource, even if the ID turns out to be %q again. "+
				"Use an ID that is known when you plan: write the ID itself, or first apply what it depends on with -target. Then plan again. "+
				"If this error stops 'terraform destroy', run it with -refresh=false.", strings.Join(r.ID.Attributes, " or "), r.label(t.id)))
		}
	default:
		r.Fields.Keep(plan, config, prior)
		if shown, ok := prior[overwrites]; ok {
			plan[overwrites] = shown
		}
		r.target(config, plan, prior, stored).planUpdate(ctx, diags)
	}
	tf.WriteValues(ctx, &resp.Plan, plan, diags)
}

// isReplaced reports whether a plan changes an attribute that forces replacement.
func (t *Type[T]) isReplaced(plan, prior tf.Values) bool {
	for attribute, of := range t.Attributes {
		text, _ := of.(schema.StringAttribute)
		if text.Required && len(text.PlanModifiers) > 0 && !plan[attribute].Equal(prior[attribute]) {
			return true
		}
	}
	return false
}

// planUpdate plans an update, or no change. What is not configured keeps the value of the state.
func (t *target[T]) planUpdate(ctx context.Context, diags *diag.Diagnostics) {
	t.claim(connection.Keeps|connection.WouldEnd.If(t.deletes()), diags)
	before := t.toAPI(t.prior)
	t.examine(ctx, &before, diags)
	if t.all().AreMissing(t.wanted) {
		return
	}
	var written []string // the write-only secrets that the update sends although the plan does not change them
	for _, s := range t.Secrets {
		isOnlySent := *s.At(&t.planned) != nil && *s.At(&t.wanted) == nil
		if isOnlySent && !tf.SecretOf(t.config, s.Attribute).WriteOnly.IsNull() {
			written = append(written, s.Attribute+tf.WriteOnly)
		}
	}
	if slices.Sort(written); written != nil {
		diags.AddWarning(t.name()+" Will Get Its Write-Only Secrets", fmt.Sprintf("An update replaces the whole %s, so this one also sends the configured %s. "+
			"A plan can't compare that with what Ops Manager has, so only a run with the real value may apply it.", t.Word, strings.Join(written, ", ")))
	}
	if t.hasUnknown() {
		return
	}
	// What the apply needs besides, the live object may have.
	isLost := func(f tf.Field[T]) bool { return f.IsLost(t.planned, t.known.Returned) }
	if slices.ContainsFunc(t.Fields, isLost) {
		diags.Append(t.incomplete(t.planned))
	}
	if slices.ContainsFunc(t.Secrets, t.isSilentRemoval) && t.Client != nil {
		if live, err := t.Calls.Get(ctx, t.Data, t.id); err == nil { // otherwise, the apply finds out
			diags.Append(t.checkSilentRemovals(*live, t.planned)...)
		}
	}
	diags.Append(t.unknownSecrets(t.lostLater(t.planned, before)))
}

// planDestroy says what a destroy does. Another plan of this run must not manage an object that it ends.
func (t *target[T]) planDestroy(ctx context.Context, isReplacement bool, diags *diag.Diagnostics) {
	switch {
	case t.HasClaim(t.key(t.id), connection.Applied): // the old object of a replacement, which Delete keeps
	case tf.As[types.Bool](t.prior, deletionProtection).ValueBool():
		diags.Append(t.protected(isReplacement))
	case !t.deletes():
		t.claim(connection.Forgets, diags)
		diags.Append(tf.Forgotten(t.name(), fmt.Sprintf("Ops Manager keeps the %s as it is, because on_destroy is not %q in the Terraform state.", t.Word, t.ends())))
	default:
		if !t.claimEnd(diags) {
			return
		}
		before := t.toAPI(t.prior)
		isReset := t.Reset != nil && len(t.values().Differences(*t.Reset, before)) > 0
		if isReset {
			diags.Append(t.incomplete(before), t.unknownSecrets(t.lostLater(t.planned, before)))
		}
		if !diags.HasError() {
			diags.Append(t.deletion(ctx, isReplacement))
		}
	}
}

// deletion returns the warning about a destroy, with what the object holds, what follows a refusal of Ops Manager, and what
// to do instead, or the error if the provider refuses it.
func (t *target[T]) deletion(ctx context.Context, isReplacement bool) diag.Diagnostic {
	about := ""
	next := ""
	if t.Holds != nil && t.HasClient() {
		ctx, cancel := context.WithTimeout(ctx, 3*time.Second) // as for a name in a message
		defer cancel()
		if live, err := t.Calls.Get(ctx, t.Data, t.id); err == nil {
			if refused := t.CannotSendBack(*live); refused != nil {
				return refused
			}
			about = t.Holds(*live)
		}
	}
	switch {
	case t.Reset != nil:
		return diag.NewWarningDiagnostic(t.name()+" Will Be Reset", fmt.Sprintf("on_destroy is %q in the Terraform state, so destroying this resource %s. To keep the %s as it is, %s",
			resetOnDestroy, t.Deletion, t.Word, tf.KeepFirst))
	case t.Blocked == nil: // then it is not tried again
	case t.mayRelease(t.planned):
		next = " After a refusal, the apply sets " + t.released() + ", if it has all secrets, and tries again until timeouts.delete."
	default:
		next = " After a refusal, the apply tries again until timeouts.delete."
	}
	return diag.NewWarningDiagnostic(t.name()+" Will Be Deleted", fmt.Sprintf("%s%s%s A resource with a different provider alias, or in another state, may still manage it. To keep the %s, %s %s",
		t.Deletion, about, next, t.Word, tf.KeepFirst, t.instead(isReplacement)))
}

// planCreation plans a creation or an adoption. What exists, and may not be adopted, is an error, also if
// it is the object of a resource that is renamed, replaced or tainted.
func (t *target[T]) planCreation(ctx context.Context, isSecond bool, diags *diag.Diagnostics) {
	if t.Adopts {
		t.plan[overwrites] = types.ObjectUnknown(t.overwritesTypes())
	}
	_, isKnown := t.idOf(t.plan)
	switch {
	case t.Calls.Add != nil:
		t.examine(ctx, nil, diags)
	case !isKnown && !t.claimUnknown(connection.Adopts, diags):
		return
	case isKnown && t.Client == nil && !t.claim(connection.Adoption(isSecond), diags):
		return
	case isKnown && t.Client != nil:
		switch live, gone := t.find(ctx, "Preview", diags); {
		case live != nil:
			t.planAdoption(ctx, *live, isSecond, diags)
		case gone != nil:
			if t.Adopts {
				t.plan[overwrites] = t.overwritesTypes().Object(nil, func(string) bool { return false })
			}
			t.examine(ctx, nil, diags)
		}
	case !t.Adopts: // so nothing is live
		tf.CheckNew(ctx, t.Attributes, t.config, nil, diags)
	}
	if diags.HasError() {
		return
	}
	tf.CheckTainted(t.Unplanned(ctx, t.Name), t.IsKept, diags)
	if t.Adopts && !tf.IsKnown(t.plan[overwrites]) {
		diags.Append(t.unseen())
	}
}

// planAdoption plans what the adoption of a live object overwrites. The second plan of a replacement adopts what the first
// one kept.
func (t *target[T]) planAdoption(ctx context.Context, live T, isSecond bool, diags *diag.Diagnostics) {
	if !t.claim(connection.Adoption(isSecond), diags) {
		return
	}
	t.plan[overwrites] = t.overwritesOf(live)
	if whole := t.Fields.Complete(t.wanted, live); t.isOverwriting() {
		diags.Append(t.incomplete(whole), t.unknownSecrets(t.lostLater(whole, live)))
	}
	t.examine(ctx, &live, diags)
}

// examine records what a plan does with an object, refuses new values that Ops Manager does not accept, and warns. The object
// before the apply is nil if there is none.
func (t *target[T]) examine(ctx context.Context, before *T, diags *diag.Diagnostics) {
	p := Plan[T]{ID: t.id, Config: t.config, Values: t.plan, Prior: t.prior, Before: before, Changed: t.wanted}
	live := t.prior
	values := t.plan
	if live == nil {
		values = t.config
	}
	if before != nil {
		p.Changed = t.Fields.Changed(t.wanted, *before)
		if live == nil {
			live = t.Fields.FromAPI(t.ID.Of(t.config), *before)
		}
	}
	if tf.CheckNew(ctx, t.Attributes, t.config, live, diags); diags.HasError() {
		return
	}
	RecordPlan(t.Data, t.Name, Planned{ID: t.id, Values: values, IsNew: before == nil})
	if t.Check != nil && t.Client != nil {
		t.Check(ctx, t.Data, p, diags)
	}
}

// hasUnknown reports whether any configured field is known only during the apply.
func (t *target[T]) hasUnknown() bool { return slices.ContainsFunc(t.Fields.Attributes(), t.isUnknown) }

func (t *Type[T]) overwritesTypes() tf.Overwrites {
	return tf.OverwritesOf(t.all().Attributes())
}

// overwritesOf returns the value of overwrites. What the configuration does not know yet is unknown.
func (t *target[T]) overwritesOf(live T) types.Object {
	return t.overwritesTypes().Object(t.overwritten(live), t.isUnknown)
}

// overwritten returns a text for each wanted value that differs from the live one.
func (t *target[T]) overwritten(live T) map[string]string {
	texts := map[string]string{}
	for _, d := range t.values().Differences(t.wanted, live) {
		f := t.field(d.Attribute)
		held := "not shown"
		wanted := "(sensitive value)"
		switch _, isShown := t.shown(live)[d.Attribute]; {
		case f != nil && f.IsUnsaid(live, nil):
			held = tf.NotReturned
			wanted = t.text(*f, t.wanted)
		case f != nil:
			held = t.text(*f, live)
			wanted = t.text(*f, t.wanted)
		case isShown:
			held = wanted
		}
		texts[d.Attribute] = tf.Overwrite(held, wanted)
	}
	return texts
}

// isUnknown reports whether a configured value is known only during the apply.
func (t *target[T]) isUnknown(attribute string) bool {
	if t.field(attribute) != nil {
		value, isThere := t.config[attribute]
		return isThere && !tf.IsKnown(value)
	}
	_, isKnown := t.shown(t.planned)[attribute]
	return t.isConfigured(attribute) && !isKnown
}

// plannedOverwrite returns the text of overwrites that the plan has for a value, or null.
func (t *target[T]) plannedOverwrite(attribute string) types.String {
	return tf.As[types.String](tf.As[types.Object](t.plan, overwrites).Attributes(), attribute)
}

// isOverwriting reports whether the plan shows that the adoption overwrites anything.
func (t *target[T]) isOverwriting() bool {
	return slices.ContainsFunc(t.all().Attributes(), func(attribute string) bool {
		return t.plannedOverwrite(attribute).ValueString() != ""
	})
}

// text returns a value as a plan shows it.
func (t *Type[T]) text(f tf.Field[T], object T) string {
	if text, ok := f.Value(object).(types.String); ok && text.ValueString() != "" {
		return opsmanager.Sanitize(text.ValueString())
	}
	return t.inSentence(f, object)
}

// inSentence returns a value as sentences show it, where a text has quotation marks.
func (t *Type[T]) inSentence(f tf.Field[T], object T) string {
	if text := t.literal(f, object); text != "null" {
		return text
	}
	return notSet
}

// notSet is what messages say of a field that is not set.
const notSet = "not set"

// literal returns a value in HCL, or the description of a field that may have masks.
func (t *Type[T]) literal(f tf.Field[T], object T) string {
	if t.isHidden(f.Attribute) && t.Hidden.Text(object) != "" {
		return opsmanager.Sanitize(t.Hidden.Describe(object))
	}
	return opsmanager.Sanitize(*cmp.Or(f.Literal(&object), new("null")))
}

var plainWord = regexp.MustCompile(`^[\w./:@%+,=-]+$`)

// shellWord quotes a text for a POSIX shell if it needs quotes.
func shellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// unseen warns that a plan can't show what an adoption overwrites, in all fields or in some.
func (t *target[T]) unseen() diag.Diagnostic {
	isShown := func(attribute string) bool { return !t.plannedOverwrite(attribute).IsUnknown() }
	what := slices.DeleteFunc(t.all().Attributes(), isShown)
	slices.Sort(what)
	return diag.NewAttributeWarningDiagnostic(path.Root(t.ID.Attributes[0]), "Overwritten Values of "+t.Title+" Will Not Be Shown",
		fmt.Sprintf("What this plan needs to know is known only during the apply, so it can't show what it overwrites in %s if the %[2]s exists. Use values that are known when you plan, or import the %[2]s.", cmp.Or(strings.Join(what, ", "), "the "+t.Word), t.Word))
}

// managedTwice is the error of a second resource that keeps or adopts an object in one run.
func (t *target[T]) managedTwice() diag.Diagnostic {
	return t.onID(t.Title+" in Two Resources", "Two resources of this run manage the %s, and each would overwrite the values of the other. "+tf.KeepOne, t.quoted())
}

// released returns what a destroy sets before it deletes an object, as a configuration has it.
func (t *target[T]) released() string {
	var values []string
	for _, d := range t.values().Differences(*t.Release, *new(T)) {
		values = append(values, d.Attribute+" = "+d.Wanted)
	}
	return strings.Join(values, ", ")
}

// instead returns how to rename a resource, or how to move to an object with a new ID.
func (t *Type[T]) instead(isReplacement bool) string {
	if !isReplacement || t.Calls.Add != nil {
		return tf.Renamed
	}
	return fmt.Sprintf("The ID of a %[1]s can't be changed: a replacement deletes this one, manages another, and moves nothing. "+
		"If it is in use, keep this block and add one with the new ID. Then move what uses the old %[1]s, and remove its block last.", t.Word)
}

func (t *target[T]) protected(isReplacement bool) diag.Diagnostic {
	return onAttribute(deletionProtection, t.Title+" Is Protected", "deletion_protection of %s is true in the Terraform state, so it was not destroyed, and no request was sent. "+
		"%s Otherwise, set deletion_protection = false and apply, then destroy or replace it. "+tf.Deposed, t.quoted(), t.instead(isReplacement))
}

// unreadable is the error of writing an object that Ops Manager does not return.
func (t *target[T]) unreadable(err error) diag.Diagnostic {
	return t.onID(t.summary(t.verb()), "%s\n\nThe provider creates or changes a %[2]s only after it has read it, so no change was sent. "+
		"If the API of this Ops Manager can't return a %[2]s, you can still import it and delete it:\n\n  terraform import ADDRESS %[3]s", tf.Explain(err, t.Codes...), t.Word, shellWord(t.label(t.id)))
}

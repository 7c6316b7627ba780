package putresource

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Create creates an object, or adopts one that exists. It stores nothing if anything fails: Terraform
// would taint the resource, and replace it with the next apply. An object whose ID Ops Manager chose can't be found
// again, so it is stored with warnings.
func (r *lifecycle[T]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	config, plan := r.values(ctx, req.Config, &resp.Diagnostics), r.values(ctx, req.Plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	t := r.target(config, plan, nil, known{})
	ctx, end := t.begin(ctx, &resp.Diagnostics)
	if end == nil {
		return
	}
	defer end()
	var problems diag.Diagnostics
	done := t.createOrAdopt(ctx, &problems)
	for _, d := range problems {
		if r.Calls.Add != nil && done != nil {
			d = diag.NewWarningDiagnostic(d.Summary(), d.Detail())
		}
		resp.Diagnostics.Append(d)
	}
	if resp.Diagnostics.HasError() {
		if done != nil {
			resp.Diagnostics.AddError(r.summary("Create"), fmt.Sprintf("The %s exists in Ops Manager, and was left out of the Terraform state, because the next apply would otherwise replace it. "+
				"Configure the values that Ops Manager keeps. %s", r.Word, t.howToAdopt()))
		}
		return
	}
	r.Claim(r.key(t.id), connection.Applied)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, &resp.State, r.Fields.Applied(plan, done.Now))...)
	resp.Diagnostics.Append(tfmodel.WriteValues(ctx, resp.Identity, r.ID.Of(plan))...)
	t.storeKnown(ctx, resp.Private, *done, &resp.Diagnostics)
}

// createOrAdopt returns the object that it created or changed, or nil. It reads first, because the effect of creating an
// object that exists may be a replacement.
func (t *target[T]) createOrAdopt(ctx context.Context, diags *diag.Diagnostics) *result[T] {
	if t.Calls.Add != nil {
		return t.checkCreation(ctx, t.add(ctx, diags), diags)
	}
	live, gone := t.find(ctx, "Create", diags)
	switch {
	case live != nil && t.HasClaim(t.key(t.id), connection.Applied):
		diags.Append(t.managedTwice()) // the plan did not know the ID
	case live != nil:
		if t.plan[overwrites].IsUnknown() { // the plan has said that it can't show this
			t.plan[overwrites] = t.overwritesOf(*live)
		}
		return t.apply(ctx, diags)
	case gone != nil && t.isOverwriting():
		t.verb = "Adopt"
		diags.Append(t.goneSincePlan(gone))
	case gone != nil:
		return t.checkCreation(ctx, t.create(ctx, diags), diags)
	}
	return nil
}

// find reads the object of a creation. It returns the object if it is to be adopted, why there is none if it is to be created,
// or neither after an error, whose title has a verb.
func (t *target[T]) find(ctx context.Context, verb string, diags *diag.Diagnostics) (live *T, gone error) {
	live, err := t.Calls.Find(ctx, t.Data, t.id)
	missing := t.missing()
	switch {
	case err == nil && t.Adopts:
		t.verb = "Adopt"
		return live, nil
	case err == nil:
		diags.Append(t.onID(t.name()+" Already Exists", "This plan would create the %[1]s, but it exists.\n\n%[2]s\n\n"+
			"If you renamed the resource that manages it, add a moved block. If the resource is tainted, run 'terraform untaint ADDRESS'. "+
			"A replacement can't create a %[1]s under the same ID while it exists, and changing the configuration requires none. "+
			"If this error stops 'terraform destroy', run it with -refresh=false.", t.Word, t.howToAdopt()))
	case opsmanager.MayBeUnreadable(err, t.Kind):
		diags.Append(t.unreadable(err))
	case !opsmanager.IsMissing(err, t.Kind):
		diags.Append(t.failed(verb, err))
	case len(missing) > 0:
		diags.AddAttributeError(path.Root(missing[0]), t.summary("Create"), fmt.Sprintf("There is no %s, and creating it requires %s as well. Configure that, or check the ID. %s",
			t.quoted(), strings.Join(missing, ", "), diagnostics.Sentence(err)))
	default:
		return nil, err
	}
	return nil, nil
}

// missing returns the attributes that a creation requires and that are not configured. Those that are not known yet may say
// which secrets are required.
func (t *target[T]) missing() []string {
	missing := slices.DeleteFunc(slices.Clone(t.Required), func(attribute string) bool {
		return !t.field(attribute).IsMissing(t.planned) || t.isUnknown(attribute)
	})
	if t.hasUnknown() {
		return missing
	}
	return append(missing, slices.DeleteFunc(t.requiredSecrets(t.planned), t.isConfigured)...)
}

// requiredSecrets returns the secrets that the creation of an object requires.
func (t *Type[T]) requiredSecrets(object T) (required []string) {
	for _, s := range t.Secrets {
		if s.Required != nil && s.Required(object) {
			required = append(required, s.Attribute)
		}
	}
	return required
}

// howToAdopt explains how to manage an object that exists.
func (t *target[T]) howToAdopt() string {
	if t.Adopts {
		return fmt.Sprintf("To manage it as it is, import it with an import block, or run:\n\n  terraform import ADDRESS %s\n\nwhere ADDRESS is the address of this resource. "+
			"To change it to the configured values, plan again: the plan shows in overwrites what that changes.", shellWord(t.label(t.id)))
	}
	return fmt.Sprintf("To manage it, add this import block, with the name of this resource in place of NAME:\n\n"+
		"  import {\n    to = opsmanager_%s.NAME\n    id = %s\n  }\n\nThe plan then shows what the configuration changes.", t.Name, tfmodel.HCLString(t.label(t.id)))
}

// errExists ends a creation whose object exists before its request is repeated.
var errExists = errors.New("it exists now")

// create sends the request that creates the object, and does not repeat it if the object exists then. It returns nil if that
// failed.
func (t *target[T]) create(ctx context.Context, diags *diag.Diagnostics) *T {
	object := t.wanted
	_ = t.setSecrets(&object, object) // a new object has none to lose
	prepare := func(ctx context.Context) (*T, error) {
		if t.Calls.Prepare == nil {
			return &object, nil
		}
		ready, err := t.Calls.Prepare(ctx, t.Data, object)
		if err != nil {
			return nil, err
		}
		if masked := t.unknownSecret(append(opsmanager.UnknownSecrets(*ready, *ready), opsmanager.MaskedTexts(*ready, object)...)); masked != nil {
			return nil, diagnostics.Explained{Diagnostic: masked}
		}
		return ready, nil
	}
	created, err := prepare(ctx)
	if err == nil {
		created, err = opsmanager.Change(ctx, t.Client, t.Kind, created, func(ctx context.Context) (*T, error) {
			switch _, err := t.Calls.Find(ctx, t.Data, t.id); {
			case err == nil:
				return nil, errExists
			case !opsmanager.IsMissing(err, t.Kind):
				return nil, err
			}
			return prepare(ctx)
		}, func(attempt context.Context, ready *T) (*T, error) { return t.Calls.Create(attempt, t.Data, *ready) })
	}
	if err != nil {
		diags.Append(t.notCreated(err))
		return nil
	}
	return created
}

// add creates an object whose ID Ops Manager chooses, and returns nil if that failed.
func (t *target[T]) add(ctx context.Context, diags *diag.Diagnostics) *T {
	id, created, found, err := t.Calls.Add(ctx, t.Data, t.wanted)
	if err != nil {
		d := t.failed("Create", err)
		if found != "" {
			d = diagnostics.And(d, "\n\nThe provider stored nothing. "+found)
		}
		diags.Append(d)
		return nil
	}
	t.id = id
	for i, attribute := range t.ID.Attributes {
		if t.plan[attribute].IsUnknown() { // a configured one may have capitals
			t.plan[attribute] = types.StringValue(id[i])
		}
	}
	return created
}

// checkCreation finds out what Ops Manager made of a creation, unless it failed, and reports what it did not take.
func (t *target[T]) checkCreation(ctx context.Context, created *T, diags *diag.Diagnostics) *result[T] {
	if created == nil {
		return nil
	}
	t.Recall(created, t.wanted)
	creation := step[T]{Request: t.wanted, After: t.wanted}
	done := t.write().Check(ctx, result[T]{Step: creation, First: creation, Returned: *created})
	t.report(done, diags)
	return &done
}

// notCreated is the error of a failed creation.
func (t *target[T]) notCreated(err error) diag.Diagnostic {
	d := t.failed("Create", err)
	e, _ := errors.AsType[*opsmanager.Error](err)
	isExplained := slices.ContainsFunc(t.Codes, func(c diagnostics.Codes) bool { return c.Advice[opsmanager.CodeOf(err)] != "" })
	switch {
	case opsmanager.MayHaveChanged(err):
		next := "says how to import it"
		if t.Adopts {
			next = "adopts it"
		}
		return diagnostics.And(d, fmt.Sprintf(" Nothing was stored: if the %s exists then, the plan %s.", t.Word, next))
	case e != nil && e.Status == http.StatusConflict && !isExplained:
		return diagnostics.And(d, fmt.Sprintf("\n\nIf the %s already exists: %s", t.Word, t.howToAdopt()))
	}
	return d
}

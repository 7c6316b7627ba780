// Package putresource has the lifecycle of resources whose objects can only be replaced as a whole. A PUT
// sends every field of the object, also those that a plan does not change and those that this version of
// the provider does not know. Roles of values have the names of package tf.
package putresource

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// Type describes a resource type whose objects a PUT replaces as a whole. Its lifecycle is that of all such
// types: schema, identity, import, plan, creation, adoption, refresh, update and deletion.
type Type[T any] struct {
	Name        string // without the provider's name, such as "deployment_region"
	Title       string // in the titles of messages, such as "Deployment Region"
	Word        string // in sentences, such as "region"
	Of          string // what the ID is that of, if that is not the object, such as " of Project"
	Description string

	ID tf.ImportID // the attributes that identify an object, and how it is imported
	Described[T]
	Secrets  []Secret[T]
	Hidden   *Hidden[T] // the field that may be masked, or nil
	Defaults tf.Values  // what a creation sets if it is not configured

	// Adopts says that Ops Manager also has the objects without Terraform. So each creation adopts what
	// exists, and a destroy keeps it if on_destroy is not set. Other objects that exist are imported.
	Adopts bool

	WriteTimeout time.Duration // the default of timeouts, except for a deletion; zero if there is no such attribute

	Codes []tf.Codes
	Kind  opsmanager.Object // whose code says that an object does not exist

	Object func(id []string) T // an object that only has an ID
	Calls  Calls[T]
	// Merge completes what a PUT sends with what only the live object has, such as the members that this
	// version of the provider does not know.
	Merge func(whole *T, live T)
	// Recall sets what a response leaves out of the elements of a list to what is known of them. It is optional.
	Recall func(response *T, known T)
	// CannotSendBack returns the error for a live object that the provider can't send back, or nil. It is optional,
	// and requires Holds.
	CannotSendBack func(live T) diag.Diagnostic

	End[T]

	// Validate checks a configuration. It is optional.
	Validate func(config tf.Values, diags *diag.Diagnostics)
	// Check warns about what a plan keeps, creates, adopts or changes. It is optional.
	Check func(ctx context.Context, d *connection.Data, p Plan[T], diags *diag.Diagnostics)
}

// End describes how a destroy ends an object.
type End[T any] struct {
	Deletion string              // what to know about a deletion, in sentences, or what a reset does, as the rest of a sentence
	Holds    func(live T) string // what is in an object, as a sentence for the plan of its deletion. It is optional.
	InUse    string              // what to do if Ops Manager refuses a deletion because the object is in use

	// Reset has the values that on_destroy = "reset" sets, if Ops Manager can't delete the object.
	Reset *T
	// Blocked reports whether Ops Manager refused a deletion for a reason that may end later. It is nil
	// if there is no such reason. Release has the values that may end it.
	Blocked func(error) bool
	Release *T
}

// Plan is what a plan knows of an object.
type Plan[T any] struct {
	ID      []string
	Config  tf.Values
	Values  tf.Values
	Prior   tf.Values // nil for a creation
	Before  *T        // the live object of an adoption, or the one of the prior state; nil for a new one
	Changed T         // the fields that the apply changes
}

// Calls are the calls of the client for one object.
type Calls[T any] struct {
	Get Read[T]
	// Find reads an object for a creation, and may take more as a sign that there is none than Get, which
	// makes a refresh forget the object. It is Get if it is nil.
	Find Read[T]
	// Prepare waits until an object can be created, and completes it with what exists of it. It is optional.
	Prepare Send[T]
	Create  Send[T]
	// Add creates an object whose ID Ops Manager chooses, instead of Create. Such an object is never adopted. If it
	// may have been created although the request failed, found says what was found.
	Add    func(ctx context.Context, d *connection.Data, object T) (id []string, created *T, found string, err error)
	Put    Send[T]
	Delete func(ctx context.Context, d *connection.Data, id []string) error // nil with Reset
}

type (
	// Read reads an object.
	Read[T any] func(ctx context.Context, d *connection.Data, id []string) (*T, error)
	// Send sends an object, and returns what Ops Manager made of it.
	Send[T any] func(ctx context.Context, d *connection.Data, object T) (*T, error)
)

// Method returns the call of a method of the client that takes an object.
func Method[T any](of func(*opsmanager.Client, context.Context, T) (*T, error)) Send[T] {
	return func(ctx context.Context, d *connection.Data, object T) (*T, error) { return of(d.Client, ctx, object) }
}

// The attributes that all types have.
const (
	deletionProtection = "deletion_protection"
	onDestroy          = "on_destroy"
	overwrites         = "overwrites"
)

// deleteTimeout is the default of timeouts.delete.
const deleteTimeout = 5 * time.Minute

// The values of on_destroy.
const (
	deleteOnDestroy = "delete"
	resetOnDestroy  = "reset"
	keepOnDestroy   = "keep"
)

// lifecycle is the resource of a type.
type lifecycle[T any] struct {
	connection.Resource
	*Type[T]
}

// Constructor returns what the provider registers.
func (t *Type[T]) Constructor() func() resource.Resource {
	t.Codes = append(t.Codes, tf.Codes{Fields: append(t.Fields.Attributes(), t.ID.Attributes...)})
	if t.Calls.Find == nil {
		t.Calls.Find = t.Calls.Get
	}
	if t.Recall == nil {
		t.Recall = func(*T, T) {}
	}
	if t.CannotSendBack == nil {
		t.CannotSendBack = func(T) diag.Diagnostic { return nil }
	}
	return func() resource.Resource { return &lifecycle[T]{connection.Resource{TypeName: t.Name}, t} }
}

func (r *lifecycle[T]) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	all := maps.Clone(r.Attributes)
	for _, s := range r.Secrets {
		tf.AddSecretAttributes(all, s.Attribute, s.Description, s.Removal != "")
	}
	unset := r.ends()
	effect := "deletes the " + r.Word
	if r.Reset != nil {
		effect = r.Deletion
	}
	if r.Adopts {
		unset = keepOnDestroy
		all[overwrites] = r.overwritesTypes().Attribute("What adopting a " + r.Word + " overwrites.")
	} else {
		all[deletionProtection] = tf.DeletionProtection(r.Word)
	}
	all[onDestroy] = schema.StringAttribute{
		Optional: true, Validators: []validator.String{stringvalidator.OneOf(r.ends(), keepOnDestroy)},
		MarkdownDescription: fmt.Sprintf("When you destroy: `%s` %s. `keep` only removes it from the state. Apply a new value first. Defaults to `%s`.", r.ends(), effect, unset),
	}
	if r.WriteTimeout > 0 {
		text := func(d time.Duration) string { return "Defaults to `" + strings.TrimSuffix(d.String(), "0s") + "`." }
		all["timeouts"] = tf.TimeoutsAttribute(ctx, timeouts.Opts{
			Create: true, Update: true, Delete: true,
			CreateDescription: text(r.WriteTimeout), UpdateDescription: text(r.WriteTimeout), DeleteDescription: text(deleteTimeout),
		})
	}
	resp.Schema = schema.Schema{MarkdownDescription: r.Description, Attributes: all}
}

// ends returns the value of on_destroy that ends the object, and the word for that in sentences.
func (t *Type[T]) ends() string {
	if t.Reset != nil {
		return resetOnDestroy
	}
	return deleteOnDestroy
}

// ValidateConfig rejects what Ops Manager never accepts.
func (r *lifecycle[T]) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	diags := &resp.Diagnostics
	config := r.valuesOf(ctx, req.Config, diags)
	if diags.HasError() {
		return
	}
	for _, s := range r.Secrets {
		tf.SecretOf(config, s.Attribute).Validate(path.Root(s.Attribute+tf.Version), s.Attribute, diags)
	}
	if r.Validate != nil {
		r.Validate(config, diags)
	}
}

func (r *lifecycle[T]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = r.ID.Schema()
}

// ImportState imports an object by its ID or identity, and reports why it can't be read: Terraform only
// says that it doesn't exist.
func (r *lifecycle[T]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	diags := &resp.Diagnostics
	id := r.ID.Set(ctx, req, resp)
	if id == nil || r.Client == nil {
		return
	}
	t := &target[T]{lifecycle: r, id: id}
	switch live, err := r.Calls.Get(ctx, r.Data, id); {
	case opsmanager.MayBeUnreadable(err, r.Kind):
		diags.AddAttributeWarning(path.Root(r.ID.Attributes[0]), "Unverified "+t.name(), fmt.Sprintf(
			"Ops Manager did not return this %s, so the provider can't tell whether it exists. Check its ID in the administration console. %s", r.Word, tf.Sentence(err)))
	case opsmanager.IsMissing(err, r.Kind):
		diags.AddError(r.summary("Import"), fmt.Sprintf("There is no %s: %s\n\nCheck the ID. To create the %s, remove the import and apply.", t.quoted(), tf.Sentence(err), r.Word))
	case err != nil:
		diags.Append(r.failed("Import", err))
	default:
		diags.Append(r.CannotSendBack(*live)) // which leaves nil out
	}
}

// Listed returns an object for the list resource, which leaves it out if it can't be imported, or if Terraform would
// print control characters of its ID.
func (t *Type[T]) Listed(live T, id ...string) sources.Listed {
	id, isValid := t.ID.Check(id)
	name := t.label(id)
	switch {
	case !isValid:
		return sources.LeftOut(strings.Trim(name, t.ID.Separator), "It can't be imported. "+t.ID.Advice)
	case opsmanager.Sanitize(name) != name:
		return sources.LeftOut(name, "Its ID has blanks or characters that are not safe to print. Import the "+t.Word+" by its ID.")
	}
	identity := tf.Values{}
	for i, attribute := range t.ID.Attributes {
		identity[attribute] = types.StringValue(id[i])
	}
	return sources.Listed{Name: name, Identity: identity, Resource: t.Fields.FromAPI(identity, live)}
}

// deletes reports whether the destroy of the state deletes or resets the object.
func (t *target[T]) deletes() bool {
	value := tf.As[types.String](t.prior, onDestroy).ValueString()
	return value != keepOnDestroy && (value != "" || !t.Adopts)
}

// onAttribute returns an error on an attribute.
func onAttribute(attribute, summary, format string, args ...any) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(attribute), summary, fmt.Sprintf(format, args...))
}

// onID returns an error on the attribute that identifies an object.
func (t *Type[T]) onID(summary, format string, args ...any) diag.Diagnostic {
	return onAttribute(t.ID.Attributes[0], summary, format, args...)
}

// label returns the ID of an object as it is imported.
func (t *Type[T]) label(id []string) string { return strings.Join(id, t.ID.Separator) }

// name returns the name of the object for the titles of messages.
func (t *target[T]) name() string { return t.Title + t.Of + " " + t.label(t.id) }

// quoted returns the name of the object for sentences.
func (t *target[T]) quoted() string {
	if t.Of != "" {
		return t.Word + strings.ToLower(t.Of) + " " + t.label(t.id)
	}
	return fmt.Sprintf("%s %q", t.Word, t.label(t.id))
}

func (t *Type[T]) summary(verb string) string { return "Unable to " + verb + " " + t.Title }

// failed returns the diagnostic of a failed call.
func (t *Type[T]) failed(verb string, err error) diag.Diagnostic {
	return tf.Failure(t.summary(verb), err, t.Codes...)
}

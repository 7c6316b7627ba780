package wholeobject

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/imports"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Noun describes a resource whose objects a PUT replaces as a whole. Its lifecycle is that of all such
// nouns: schema, identity, import, plan, creation, adoption, refresh, update and deletion.
type Noun[T any] struct {
	Type        string // without the provider's name, such as "deployment_region"
	Title       string // in the titles of messages, such as "Deployment Region"
	Word        string // in sentences, such as "region"
	Description string

	ID         imports.ID                  // the attributes that identify an object, and how it is imported
	IDTexts    []string                    // the descriptions of these attributes in the identity
	Attributes map[string]schema.Attribute // the fields and the ID, without those that all nouns have
	Fields     tfmodel.Fields[T]
	Required   []string // the attributes that a creation requires, and that no PUT may lack

	Codes    diagnostics.Codes
	NotFound []string // the codes that say that an object does not exist. A 404 without one proves nothing.
	Deletion string   // what to know about a deletion, in sentences
	InUse    string   // what to do if Ops Manager refuses a deletion because the object is in use

	Object func(id []string) T // an object that only has an ID
	Calls  Calls[T]
	// Unknown copies the members that this version of the provider does not know.
	Unknown func(to *T, live T)
	// Check warns about planned values. changed has those that the apply changes. It is optional.
	Check func(id []string, changed T, diags *diag.Diagnostics)
	// MayBeUnreadable reports that the API of an Ops Manager may lack the call that reads an object.
	MayBeUnreadable bool
}

// Calls are the calls of the client for one object.
type Calls[T any] struct {
	Get    func(ctx context.Context, c *opsmanager.Client, id []string) (*T, error)
	Post   func(ctx context.Context, c *opsmanager.Client, object T) (*T, error) // nil if every creation is an adoption
	Put    func(ctx context.Context, c *opsmanager.Client, object T) (*T, error)
	Delete func(ctx context.Context, c *opsmanager.Client, id []string) error
}

// The attributes that all nouns have.
const (
	adoptExisting      = "adopt_existing"
	deletionProtection = "deletion_protection"
	onDestroy          = "on_destroy"
	overwrites         = "overwrites"
)

// The values of on_destroy.
const (
	deleteOnDestroy = "delete"
	keepOnDestroy   = "keep"
)

// lifecycle is the resource of a noun.
type lifecycle[T any] struct {
	connection.Resource
	*Noun[T]
}

var (
	_ resource.ResourceWithConfigure   = (*lifecycle[struct{}])(nil)
	_ resource.ResourceWithIdentity    = (*lifecycle[struct{}])(nil)
	_ resource.ResourceWithImportState = (*lifecycle[struct{}])(nil)
	_ resource.ResourceWithModifyPlan  = (*lifecycle[struct{}])(nil)
)

// Constructor returns what the provider registers.
func (n *Noun[T]) Constructor() func() resource.Resource {
	return func() resource.Resource { return &lifecycle[T]{Noun: n} }
}

func (r *lifecycle[T]) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.Type
}

func (r *lifecycle[T]) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	all := maps.Clone(r.Attributes)
	all[deletionProtection] = attributes.DeletionProtection(r.Word)
	all[onDestroy] = schema.StringAttribute{
		Optional: true, Validators: []validator.String{stringvalidator.OneOf(deleteOnDestroy, keepOnDestroy)},
		MarkdownDescription: fmt.Sprintf("What a destroy does: `delete` deletes the %s in Ops Manager, and `keep` only removes it from the Terraform state. "+
			"A destroy uses the value in the state: set it and apply before you destroy. `deletion_protection` takes precedence. Defaults to `delete`.", r.Word),
	}
	texts := map[string]schema.Attribute{}
	for _, f := range r.Fields {
		texts[f.Attribute] = schema.StringAttribute{Computed: true, MarkdownDescription: "The live value and the configured one. It is null if they are equal."}
	}
	all[overwrites] = schema.SingleNestedAttribute{
		Computed: true, Attributes: texts,
		MarkdownDescription: fmt.Sprintf("The values that creating this resource overwrites, if it adopts a %s that exists, such as `a -> b`. They stay in the state as the plan had them.", r.Word),
	}
	if r.Calls.Post != nil {
		all[adoptExisting] = schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: fmt.Sprintf("Whether creating this resource adopts a %[1]s that exists, and changes it to the configured values. The plan shows in `overwrites` which values that changes. "+
				"If `false`, creating it fails if the %[1]s exists. Defaults to `false`.", r.Word),
		}
	}
	resp.Schema = schema.Schema{MarkdownDescription: r.Description, Attributes: all}
}

func (r *lifecycle[T]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema.Attributes = map[string]identityschema.Attribute{}
	for i, attribute := range r.ID.Attributes {
		resp.IdentitySchema.Attributes[attribute] = identityschema.StringAttribute{RequiredForImport: true, Description: r.IDTexts[i]}
	}
}

// ImportState imports an object by its ID or identity, and reports why it can't be read: Terraform only
// says that it doesn't exist.
func (r *lifecycle[T]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id := r.ID.Set(ctx, req, resp)
	if id == nil || r.Client == nil {
		return
	}
	switch _, err := r.Calls.Get(ctx, r.Client, id); {
	case r.isUnreadable(err):
		resp.Diagnostics.Append(r.unverified(id, err))
	case r.isGone(err):
		resp.Diagnostics.AddError(r.summary("Import"), fmt.Sprintf("There is no %s: %s\n\nCheck the ID. To create the %s, remove the import and apply.", r.quoted(id), diagnostics.Sentence(err), r.Word))
	case err != nil:
		resp.Diagnostics.Append(diagnostics.Failure(r.summary("Import"), err, r.Codes))
	}
}

// id returns the ID of an object, and whether all of it is known.
func (n *Noun[T]) id(values tfmodel.Values) (id []string, known bool) {
	known = true
	for _, attribute := range n.ID.Attributes {
		part := tfmodel.As[types.String](values, attribute)
		id, known = append(id, part.ValueString()), known && !part.IsUnknown()
	}
	return id, known
}

// identity returns the attributes that identify an object.
func (n *Noun[T]) identity(values tfmodel.Values) tfmodel.Values {
	identity := tfmodel.Values{}
	for _, attribute := range n.ID.Attributes {
		identity[attribute] = values[attribute]
	}
	return identity
}

// toAPI returns an object without the fields that are null or unknown.
func (n *Noun[T]) toAPI(values tfmodel.Values) T {
	id, _ := n.id(values)
	object := n.Object(id)
	n.Fields.Set(&object, values)
	return object
}

// adopts returns whether a creation adopts an object that exists.
func (n *Noun[T]) adopts(config tfmodel.Values) types.Bool {
	if n.Calls.Post == nil {
		return types.BoolValue(true)
	}
	return tfmodel.As[types.Bool](config, adoptExisting)
}

// neverAdopts reports whether it is known that a creation adopts nothing.
func (n *Noun[T]) neverAdopts(config tfmodel.Values) bool {
	adopts := n.adopts(config)
	return !adopts.IsUnknown() && !adopts.ValueBool()
}

// deletes reports whether the destroy of a state deletes the object.
func (n *Noun[T]) deletes(state tfmodel.Values) bool {
	return tfmodel.As[types.String](state, onDestroy).ValueString() != keepOnDestroy
}

func (n *Noun[T]) isProtected(state tfmodel.Values) bool {
	return tfmodel.As[types.Bool](state, deletionProtection).ValueBool()
}

// isGone reports whether an error says, with a documented code, that an object does not exist.
func (n *Noun[T]) isGone(err error) bool {
	return opsmanager.IsGone(err) && slices.Contains(n.NotFound, codeOf(err))
}

// isUnreadable reports whether a read failed because Ops Manager may not have the call. The object may
// exist nevertheless.
func (n *Noun[T]) isUnreadable(err error) bool {
	return n.MayBeUnreadable && (opsmanager.IsUnsupported(err) || opsmanager.IsBareNotFound(err))
}

// label returns the ID of an object as it is imported.
func (n *Noun[T]) label(id []string) string { return strings.Join(id, n.ID.Separator) }

// name returns the name of an object for the titles of messages.
func (n *Noun[T]) name(id []string) string { return n.Title + " " + n.label(id) }

// quoted returns the name of an object for sentences.
func (n *Noun[T]) quoted(id []string) string { return fmt.Sprintf("%s %q", n.Word, n.label(id)) }

func (n *Noun[T]) summary(verb string) string { return "Unable to " + verb + " " + n.Title }

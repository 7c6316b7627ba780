// Package listresources implements what the list resources have in common. A type describes its list
// resource with a [List].
package listresources

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// List describes a list resource, with which a query lists the existing objects of a resource.
type List[T any] struct {
	Name        string              // without the provider's, such as "backup_daemon"
	Title       string              // of the objects in diagnostics, such as "Backup Daemons"
	Codes       []diagnostics.Codes // for diagnostics.Failure
	Description string              // which says how the objects are sorted
	Requires    string              // such as "the role `Project Read Only`"
	Attributes  map[string]schema.Attribute

	// Read calls Ops Manager.
	Read func(ctx context.Context, query Query) (*opsmanager.List[T], error)
	// Sort sorts the items, if Read does not return them sorted, and may leave some out.
	Sort func([]T) []T
	// Object converts an item. It returns nil for an item that can't be imported, and in addition
	// a warning if the user should know that.
	Object func(ctx context.Context, query Query, item T) (*Object, diag.Diagnostic)
	// AtOnce is how many items are converted in parallel, if Object calls Ops Manager.
	AtOnce int
}

// Query is a query of Terraform.
type Query struct {
	*connection.Data

	IncludesResource bool // whether Terraform requests the attributes

	config tfmodel.Values
}

// ID returns a configured ID in lower case, as Ops Manager returns it.
func (q Query) ID(attribute string) string {
	return strings.ToLower(tfmodel.As[types.String](q.config, attribute).ValueString())
}

// Object is an object that a query lists.
type Object struct {
	Name     string // shown by Terraform
	Identity tfmodel.Values
	Resource tfmodel.Values // attributes that are not among them are null
}

// ID returns a required attribute that is the ID of a project or a cluster.
func ID(description string) schema.Attribute {
	return schema.StringAttribute{Required: true, Validators: attributes.ObjectIDValidators(), MarkdownDescription: description + "."}
}

// Constructor returns what the provider registers.
func (l List[T]) Constructor() func() list.ListResource {
	return func() list.ListResource { return &configured[T]{connection.Resource{TypeName: l.Name}, &l} }
}

// configured is a list resource with the provider's data.
type configured[T any] struct {
	connection.Resource

	description *List[T]
}

func (l *configured[T]) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: l.description.Description + "\n\n-> Requires " + l.description.Requires + ".",
		Attributes:          l.description.Attributes,
	}
}

func (l *configured[T]) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	summary := "Unable to List " + l.description.Title
	config, diags := tfmodel.ReadValues(ctx, req.Config)
	if diags.HasError() || !l.Ready(summary, &diags) {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	query := Query{l.Data, req.IncludeResource, config}
	read, err := l.description.Read(ctx, query)
	if err != nil {
		stream.Results = list.ListResultsStreamDiagnostics(diag.Diagnostics{diagnostics.Failure(summary, err, append(slices.Clone(l.description.Codes), diagnostics.MissingForRead)...)})
		return
	}
	items := read.Results
	if l.description.Sort != nil {
		items = l.description.Sort(items)
	}
	stream.Results = func(push func(list.ListResult) bool) { l.description.push(ctx, req, query, items, push) }
}

// push sends items to Terraform in order, as many as it requests. It converts the next ones while
// it sends one.
func (l *List[T]) push(ctx context.Context, req list.ListRequest, query Query, items []T, push func(list.ListResult) bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var pending []chan *list.ListResult
	for listed := int64(0); ; {
		for len(items) > 0 && len(pending) < max(l.AtOnce, 1) && (req.Limit == 0 || int64(len(pending)) < req.Limit-listed) {
			item, one := items[0], make(chan *list.ListResult, 1)
			items, pending = items[1:], append(pending, one)
			go func() { one <- l.result(ctx, req, query, item) }()
		}
		if len(pending) == 0 {
			return
		}
		result := <-pending[0]
		pending = pending[1:]
		switch {
		case result == nil:
		case !push(*result):
			return
		case result.Identity != nil: // not only a warning
			listed++
		}
	}
}

// result returns an item as Terraform requests it: with or without its attributes. It returns nil
// for an item that is left out.
func (l *List[T]) result(ctx context.Context, req list.ListRequest, query Query, item T) *list.ListResult {
	object, warning := l.Object(ctx, query, item)
	switch {
	case object == nil && warning == nil:
		return nil
	case object == nil:
		return &list.ListResult{Diagnostics: diag.Diagnostics{warning}}
	}
	result := req.NewListResult(ctx)
	result.DisplayName = object.Name
	result.Diagnostics.Append(tfmodel.WriteValues(ctx, result.Identity, object.Identity)...)
	if !req.IncludeResource {
		return &result
	}
	values := make(tfmodel.Values, len(object.Resource))
	for name, attribute := range req.ResourceSchema.GetAttributes() {
		if value := object.Resource[name]; value != nil && !value.IsNull() {
			values[name] = value
			continue
		}
		of := attribute.GetType()
		values[name], _ = of.ValueFromTerraform(ctx, tftypes.NewValue(of.TerraformType(ctx), nil)) // null, which each type has
	}
	result.Diagnostics.Append(tfmodel.WriteValues(ctx, result.Resource, values)...)
	return &result
}

package sources

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// ListResource describes a list resource, with which a query lists the existing objects of a resource.
type ListResource[T any] struct {
	Name        string     // without the provider's, such as "backup_daemon"
	Title       string     // of the objects in diagnostics, such as "Backup Daemons"
	Codes       []tf.Codes // for tf.Failure
	Description string     // which says how the objects are sorted
	Requires    string     // such as "the role `Project Read Only`"
	Attributes  map[string]schema.Attribute

	// Read calls Ops Manager.
	Read func(ctx context.Context, query Query) (*opsmanager.List[T], error)
	// Sort sorts the items, if Read does not return them sorted.
	Sort func([]T) []T
	// Object converts an item. One that it leaves out has a reason, for a warning.
	Object func(ctx context.Context, query Query, item T) Listed
	// AtOnce is how many items are converted in parallel, if Object calls Ops Manager.
	AtOnce int
}

// Query is a query of Terraform.
type Query struct {
	*connection.Data

	IncludesResource bool // whether Terraform requests the attributes

	config tf.Values
}

// ID returns a configured ID in lower case, as Ops Manager returns it.
func (q Query) ID(attribute string) string {
	return strings.ToLower(tf.As[types.String](q.config, attribute).ValueString())
}

// Listed is an object that a query lists, or leaves out.
type Listed struct {
	Name     string // shown by Terraform, or in the warning
	Identity tf.Values
	Resource tf.Values // attributes that are not among them are null

	LeftOut string // why it is left out, as a sentence
}

// LeftOut returns an object that a query leaves out.
func LeftOut(name, reason string) Listed {
	return Listed{Name: cmp.Or(opsmanager.Sanitize(name), "Without an ID"), LeftOut: reason}
}

// QueryID returns a required attribute that is the ID of a project or a cluster.
func QueryID(description string) schema.Attribute {
	return schema.StringAttribute{
		Required:            true,
		Validators:          tf.ObjectIDValidators(),
		MarkdownDescription: description + ".",
	}
}

// Constructor returns what the provider registers.
func (l ListResource[T]) Constructor() func() list.ListResource {
	return func() list.ListResource {
		return &configuredList[T]{connection.Resource{TypeName: l.Name}, &l}
	}
}

// configuredList is a list resource with the provider's data.
type configuredList[T any] struct {
	connection.Resource

	description *ListResource[T]
}

func (l *configuredList[T]) ListResourceConfigSchema(
	_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse,
) {
	resp.Schema = schema.Schema{
		MarkdownDescription: l.description.Description + "\n\n-> Requires " + l.description.Requires + ".",
		Attributes:          l.description.Attributes,
	}
}

func (l *configuredList[T]) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	summary := "Unable to List " + l.description.Title
	var diags diag.Diagnostics
	config := tf.ReadValues(ctx, req.Config, &diags)
	if diags.HasError() || !l.Ready(summary, &diags) {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	query := Query{l.Data, req.IncludeResource, config}
	read, err := l.description.Read(ctx, query)
	if err != nil {
		codes := append(slices.Clone(l.description.Codes), tf.MissingForRead)
		stream.Results = list.ListResultsStreamDiagnostics(diag.Diagnostics{tf.Failure(summary, err, codes...)})
		return
	}
	items := read.Results
	if l.description.Sort != nil {
		items = l.description.Sort(items)
	}
	stream.Results = func(push func(list.ListResult) bool) {
		names := map[string][]string{} // of what is left out, by the reason
		if l.description.push(ctx, req, query, items, names, push) {
			l.description.warn(names, push)
		}
	}
}

// push sends items to Terraform in order, as many as it requests. It converts the next ones while
// it sends one. It reports whether Terraform continues.
func (l *ListResource[T]) push(
	ctx context.Context, req list.ListRequest, query Query, items []T, leftOut map[string][]string, push func(list.ListResult) bool,
) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var pending []chan Listed
	for listed := int64(0); ; {
		most := max(l.AtOnce, 1)
		if req.Limit > 0 {
			most = int(min(int64(most), req.Limit-listed))
		}
		for len(items) > 0 && len(pending) < most {
			item := items[0]
			one := make(chan Listed, 1)
			items = items[1:]
			pending = append(pending, one)
			go func() { one <- l.Object(ctx, query, item) }()
		}
		if len(pending) == 0 {
			return true
		}
		object := <-pending[0]
		pending = pending[1:]
		switch {
		case object.LeftOut != "":
			leftOut[object.LeftOut] = append(leftOut[object.LeftOut], object.Name)
		case !push(result(ctx, req, object)):
			return false
		default:
			listed++
		}
	}
}

// warn sends a warning for each reason to leave something out. Terraform combines those with equal titles.
func (l *ListResource[T]) warn(leftOut map[string][]string, push func(list.ListResult) bool) {
	const mostNamed = 20
	for _, reason := range slices.Sorted(maps.Keys(leftOut)) {
		names := leftOut[reason]
		title := strings.TrimSuffix(l.Title, "s") + " " + names[0]
		if len(names) > 1 {
			title = fmt.Sprintf("%s %s and %d More", l.Title, names[0], len(names)-1)
			reason += tf.FirstLines(names, mostNamed)
		}
		if !push(list.ListResult{Diagnostics: diag.Diagnostics{diag.NewWarningDiagnostic(title+" Not Listed", reason)}}) {
			return
		}
	}
}

// result returns an object as Terraform requests it: with or without its attributes.
func result(ctx context.Context, req list.ListRequest, object Listed) list.ListResult {
	result := req.NewListResult(ctx)
	result.DisplayName = object.Name
	tf.WriteValues(ctx, result.Identity, object.Identity, &result.Diagnostics)
	if !req.IncludeResource {
		return result
	}
	values := make(tf.Values, len(object.Resource))
	for name, attribute := range req.ResourceSchema.GetAttributes() {
		if value := object.Resource[name]; value != nil && !value.IsNull() {
			values[name] = value
			continue
		}
		of := attribute.GetType()
		values[name], _ = of.ValueFromTerraform(ctx, tftypes.NewValue(of.TerraformType(ctx), nil)) // null, which each type has
	}
	tf.WriteValues(ctx, result.Resource, values, &result.Diagnostics)
	return result
}

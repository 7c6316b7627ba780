package sources

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// List describes a data source that reads a list.
type List[T any] struct {
	Name        string     // without the provider's, such as "clusters"
	Title       string     // of the items in diagnostics, such as "Clusters"
	Codes       []tf.Codes // for tf.Failure
	Description string
	Deprecation string
	Attributes  map[string]schema.Attribute // other than those that the other fields add
	Paged       bool                        // adds page_num, items_per_page and total_count
	Linked      bool                        // adds links
	Results     string                      // the description of results, which says how they are sorted
	Items       Columns[T]

	// Read calls Ops Manager.
	Read func(ctx context.Context, client *opsmanager.Client, config Config) (*opsmanager.List[T], error)
	// Sort sorts the items, if Read does not return them sorted.
	Sort func([]T) []T

	// Identify returns the ID of an item, and a label for messages. If it is set, items without an
	// ID produce a warning. In the warning, Singular names one item, such as "cluster", and
	// IDAttribute is the attribute that is null.
	Identify              func(T) (id, label *string)
	Singular, IDAttribute string

	// ByName adds a map of IDs by name.
	ByName ByName[T]

	// Values returns the values of the other computed attributes, which depend on the sorted items.
	Values func(config Config, items []T) map[string]attr.Value
}

// ByName describes an attribute that is a map of IDs by name.
type ByName[T any] struct {
	Attribute   string // such as "ids_by_name"
	Description string

	// Of returns the ID and the name of an item. One that does not belong into the map has no ID.
	Of func(T) (id, name *string)
}

// Constructor returns what the provider registers.
func (l List[T]) Constructor() func() datasource.DataSource {
	items := ObjectOf(l.Items...)
	attributes := Merge(l.Attributes, map[string]schema.Attribute{"results": items.ListAttribute(l.Results)})
	if l.Paged {
		maps.Copy(attributes, pageAttributes)
	}
	if l.Linked {
		attributes["links"] = links.ListAttribute("Links of the first page." + hostOfLinks)
	}
	if l.ByName.Of != nil {
		attributes[l.ByName.Attribute] = schema.MapAttribute{
			Computed:            true,
			ElementType:         types.StringType,
			MarkdownDescription: l.ByName.Description + namesText,
		}
	}
	return DataSource{
		Name:    l.Name,
		Summary: "Unable to List " + l.Title,
		Codes:   l.Codes,
		Schema: schema.Schema{
			MarkdownDescription: l.Description,
			DeprecationMessage:  l.Deprecation,
			Attributes:          attributes,
		},
		Read: func(ctx context.Context, client *opsmanager.Client, config Config, diags *diag.Diagnostics) (map[string]attr.Value, error) {
			return l.read(ctx, client, items, config, diags)
		},
	}.Constructor()
}

const namesText = " `terraform test` can mock this map, but not `results`."

func (l List[T]) read(
	ctx context.Context, client *opsmanager.Client, object Object[T], config Config, diags *diag.Diagnostics,
) (map[string]attr.Value, error) {
	list, err := l.Read(ctx, client, config)
	if err != nil {
		return nil, err
	}
	items := list.Results
	place := ""
	if _, ok := config["project_id"]; ok {
		place = " in Project " + config.Text("project_id")
	}
	if l.Sort != nil {
		items = l.Sort(items)
	}
	if items == nil {
		items = []T{} // the list is empty, and not null
	}
	if l.Identify != nil {
		l.warnWithoutID(items, place, diags)
	}
	results, err := l.results(ctx, client, object, items)
	if err != nil {
		return nil, err
	}
	values := map[string]attr.Value{
		"results":     results,
		"total_count": types.Int64PointerValue(list.TotalCount),
		"links":       links.List(list.Links),
	}
	if l.ByName.Of != nil {
		values[l.ByName.Attribute] = l.ByName.ids(items, l.Title, place, diags)
	}
	if l.Values != nil {
		maps.Copy(values, l.Values(config, items))
	}
	return values, nil
}

// mostNamed is how many items a warning names.
const mostNamed = 20

// warnWithoutID adds a warning about the items that have no ID.
func (l List[T]) warnWithoutID(items []T, place string, diags *diag.Diagnostics) {
	var labels []string
	for _, item := range items {
		if id, label := l.Identify(item); tf.NonEmpty(id) == nil {
			labels = append(labels, fmt.Sprintf("%q", tf.OrDash(label)))
		}
	}
	if len(labels) == 0 {
		return
	}
	which := l.Singular
	if len(labels) > 1 {
		which += "s"
	}
	diags.AddWarning(l.Title+" Without an ID"+place, fmt.Sprintf("Ops Manager lists %d %s without an ID: %s. The %s of such a result is null, so nothing can refer to it. Check the %s in Ops Manager.",
		len(labels), which, strings.Join(tf.First(labels, mostNamed), ", "), l.IDAttribute, which))
}

// results converts the items. It fails before they take too much memory. If they take much, other data
// sources with large results wait until the context ends.
func (l List[T]) results(ctx context.Context, client *opsmanager.Client, object Object[T], items []T) (types.List, error) {
	results := make([]attr.Value, len(items))
	size := 0
	isLarge := false
	for i, item := range items {
		results[i] = object.Value(&item)
		size += sizeOf(results[i])
		if size > largeBytes && !isLarge {
			isLarge = true
			if err := client.BeginLargeAnswer(ctx); err != nil {
				return types.List{}, err
			}
		}
		if size > maxBytes {
			advice := "This data source always reads the whole list, so use IDs instead of it, and check that base_url is the address of your Ops Manager."
			if l.Paged {
				advice = "Read one page at a time: set page_num, and a smaller items_per_page."
			}
			return types.List{}, fmt.Errorf("the %d items that Ops Manager returned would take more than %d GiB of memory. %s", len(items), maxBytes>>30, advice)
		}
	}
	return types.ListValueMust(object.valueType, results), nil
}

const (
	largeBytes  = 8 << 20 // of the results of a data source
	maxBytes    = 1 << 30
	sizeOfValue = 1024 // in bytes; measured with snapshots, their parts, clusters and backup configurations
	sizeOfByte  = 8    // of a text; measured with texts of 30,000 bytes
)

// sizeOf estimates the most memory that a value takes until Terraform receives it, in bytes. The
// framework copies all values several times, and half of the memory is waiting for the garbage
// collector.
func sizeOf(value attr.Value) int {
	size := sizeOfValue
	switch value := value.(type) {
	case types.String:
		size += sizeOfByte * len(value.ValueString())
	case types.Object:
		for _, attribute := range value.Attributes() {
			size += sizeOf(attribute)
		}
	case interface{ Elements() []attr.Value }:
		for _, element := range value.Elements() {
			size += sizeOf(element)
		}
	}
	return size
}

// ids returns the IDs of items by their names. It leaves out names that several items have, and items without a name, and
// adds a warning about them.
func (n ByName[T]) ids(items []T, title, place string, diags *diag.Diagnostics) types.Map {
	found := map[string][]string{}
	for _, item := range items {
		id, of := n.Of(item)
		name := tf.Text(of)
		if tf.NonEmpty(id) != nil && !slices.Contains(found[name], *id) {
			found[name] = append(found[name], *id)
		}
	}
	if unnamed := found[""]; unnamed != nil {
		which := opsmanager.Sanitize(strings.Join(tf.First(unnamed, mostNamed), ", "))
		diags.AddWarning(title+" Without a Name"+place, n.Attribute+" leaves them out: "+which+". Use their IDs.")
		delete(found, "")
	}
	ids := map[string]attr.Value{}
	ambiguous := ""
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if len(found[name]) == 1 {
			ids[name] = types.StringValue(found[name][0])
		} else {
			ambiguous += fmt.Sprintf("\n  - %q: %s", name, opsmanager.Sanitize(strings.Join(found[name], ", ")))
		}
	}
	if ambiguous != "" {
		diags.AddWarning(title+" With the Same Name"+place, n.Attribute+" leaves out each name that has more than one ID:"+ambiguous+"\n\nChoose one of them by its ID.")
	}
	return types.MapValueMust(types.StringType, ids)
}

// Merge returns the attributes of several maps.
func Merge(several ...map[string]schema.Attribute) map[string]schema.Attribute {
	merged := map[string]schema.Attribute{}
	for _, attributes := range several {
		maps.Copy(merged, attributes)
	}
	return merged
}

// pageAttributes are the attributes of a list that can be read by page.
var pageAttributes = map[string]schema.Attribute{
	"page_num": schema.Int64Attribute{
		Optional:            true,
		CustomType:          tf.WholeNumberType{},
		Validators:          []validator.Int64{int64validator.AtLeast(1)},
		MarkdownDescription: "Page to read, `1` or more. Defaults to all pages, or to `1` with `items_per_page`.",
	},
	"items_per_page": schema.Int64Attribute{
		Optional:            true,
		CustomType:          tf.WholeNumberType{},
		Validators:          []validator.Int64{int64validator.Between(1, opsmanager.MaxItemsPerPage)},
		MarkdownDescription: fmt.Sprintf("Items on a page, `1` to `%d`. The documented default is `100`.", opsmanager.MaxItemsPerPage),
	},
	"total_count": schema.Int64Attribute{
		Computed: true, MarkdownDescription: "Number of items on all pages, if Ops Manager counts them.",
	},
}

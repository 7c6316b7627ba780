// Package sources implements what data sources and list resources have in common. A data source is a [DataSource], or a
// [List] if it reads several items, and [Columns] describe what it returns. A list resource is a [ListResource].
package sources

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// DataSource describes a data source.
type DataSource struct {
	Name       string     // without the provider's, such as "cluster"
	Summary    string     // of errors, such as "Unable to Read Cluster"
	Codes      []tf.Codes // for tf.Failure
	Schema     schema.Schema
	Validators []datasource.ConfigValidator

	// Read returns the values of computed attributes. Values of attributes that are
	// configured, or that the schema does not have, are ignored.
	Read func(ctx context.Context, client *opsmanager.Client, config Config, diags *diag.Diagnostics) (map[string]attr.Value, error)
}

// Constructor returns what the provider registers.
func (d DataSource) Constructor() func() datasource.DataSource {
	return func() datasource.DataSource { return &configured{description: &d} }
}

// Config holds the configured values of a data source by attribute.
type Config map[string]attr.Value

// Text returns the value of a string attribute, or "" if it is null.
func (c Config) Text(attribute string) string {
	return tf.As[types.String](c, attribute).ValueString()
}

// Int64 returns the value of a numeric attribute, or 0 if it is null.
func (c Config) Int64(attribute string) int64 {
	return tf.As[types.Int64](c, attribute).ValueInt64()
}

// Page returns the page that page_num and items_per_page select, or every page.
func (c Config) Page() opsmanager.Page {
	return opsmanager.Page{Number: c.Int64("page_num"), Size: c.Int64("items_per_page")}
}

// configured is a data source with the provider's data.
type configured struct {
	connection.DataSource

	description *DataSource
}

func (d *configured) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + d.description.Name
}

func (d *configured) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.description.Schema
}

func (d *configured) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return d.description.Validators
}

func (d *configured) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	diags := &resp.Diagnostics
	config := tf.ReadValues(ctx, req.Config, diags)
	if diags.HasError() || !d.Ready(d.description.Summary, diags) {
		return
	}
	read, err := d.description.Read(ctx, d.Client, config, diags)
	if err != nil {
		diags.Append(tf.Failure(d.description.Summary, err, append(slices.Clone(d.description.Codes), tf.MissingForRead)...))
	}
	if diags.HasError() {
		return
	}
	values := maps.Clone(config)
	for attribute, value := range config {
		if computed, ok := read[attribute]; ok && value.IsNull() {
			values[attribute] = computed
		}
	}
	tf.WriteValues(ctx, &resp.State, values, diags)
}

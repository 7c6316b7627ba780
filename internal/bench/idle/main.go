// Command idle is a provider that does nothing, with the schemas of the real
// one: what Terraform and the framework cost by themselves. It validates
// nothing, identifies nothing, calls nothing, and is served as a plain provider is.
package main

//go:generate go run ./generate

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func main() {
	err := providerserver.Serve(context.Background(), func() provider.Provider { return idleProvider{} },
		providerserver.ServeOpts{Address: "terraform.local/local/opsmanager"})
	if err != nil {
		log.Fatal(err)
	}
}

type idleProvider struct{}

func (idleProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "opsmanager"
}

func (idleProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = providerSchema()
}

func (idleProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (idleProvider) Resources(context.Context) []func() resource.Resource {
	var all []func() resource.Resource
	for name := range resourceSchemas {
		all = append(all, func() resource.Resource { return idleResource{name} })
	}
	return all
}

func (idleProvider) DataSources(context.Context) []func() datasource.DataSource {
	var all []func() datasource.DataSource
	for name := range dataSourceSchemas {
		all = append(all, func() datasource.DataSource { return idleDataSource{name} })
	}
	return all
}

func (idleProvider) ListResources(context.Context) []func() list.ListResource {
	var all []func() list.ListResource
	for name := range listSchemas {
		all = append(all, func() list.ListResource { return idleList{idleResource{name}} })
	}
	return all
}

type idleResource struct{ name string }

func (r idleResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = r.name
}

func (r idleResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = resourceSchemas[r.name]()
}

// The framework answers with the state and the plan that came.

func (idleResource) Create(context.Context, resource.CreateRequest, *resource.CreateResponse) {}
func (idleResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse)       {}
func (idleResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// Update takes the plan, and the state for what that leaves open.
func (idleResource) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var planned, prior map[string]tftypes.Value
	if err := req.Plan.Raw.As(&planned); err != nil {
		resp.Diagnostics.AddError("Unexpected Plan", err.Error())
	}
	if err := req.State.Raw.As(&prior); err != nil {
		resp.Diagnostics.AddError("Unexpected State", err.Error())
	}
	for name, value := range planned {
		if !value.IsKnown() {
			planned[name] = prior[name]
		}
	}
	resp.State.Raw = tftypes.NewValue(req.Plan.Raw.Type(), planned)
}

// idleList is there for its schema alone.
type idleList struct{ idleResource }

func (l idleList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = listSchemas[l.name]()
}

func (idleList) List(context.Context, list.ListRequest, *list.ListResultsStream) {}

type idleDataSource struct{ name string }

func (d idleDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = d.name
}

func (d idleDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = dataSourceSchemas[d.name]()
}

func (d idleDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	if d.name == "opsmanager_config_server_snapshots" {
		readSnapshots(ctx, req, resp)
	}
}

// Command idle serves a provider that does nothing, with the schemas of the real
// one. It shows what Terraform and the plugin framework cost by themselves.
package main

import (
	"context"
	"errors"
	"log"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	opsmanager "terraform-provider-opsmanager/internal/provider"
)

func main() {
	err := providerserver.Serve(context.Background(), newProvider, providerserver.ServeOpts{Address: "terraform.local/local/opsmanager"})
	if err != nil {
		log.Fatal(err)
	}
}

func newProvider() provider.Provider {
	return idleProvider{opsmanager.New("bench")().(wholeProvider)} //nolint:forcetypeassert // it has list resources and actions
}

// The idle types embed only the basic interfaces, so the framework does not see
// the optional ones that the real types implement: ModifyPlan, ValidateConfig and
// the identities.

type idleProvider struct{ wholeProvider }

// wholeProvider is a provider with all that the real one has a schema of.
type wholeProvider interface {
	provider.ProviderWithListResources
	Actions(context.Context) []func() action.Action
}

func (p idleProvider) Schema(ctx context.Context, req provider.SchemaRequest, resp *provider.SchemaResponse) {
	p.wholeProvider.Schema(ctx, req, resp)
	resp.Schema = plain(resp.Schema)
}

func (idleProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (p idleProvider) Resources(ctx context.Context) []func() resource.Resource {
	var all []func() resource.Resource
	for _, constructor := range p.wholeProvider.Resources(ctx) {
		all = append(all, func() resource.Resource { return idleResource{constructor()} })
	}
	return all
}

func (p idleProvider) DataSources(ctx context.Context) []func() datasource.DataSource {
	var all []func() datasource.DataSource
	for _, constructor := range p.wholeProvider.DataSources(ctx) {
		all = append(all, func() datasource.DataSource { return idleDataSource{constructor()} })
	}
	return all
}

type idleResource struct{ resource.Resource }

func (r idleResource) Schema(ctx context.Context, req resource.SchemaRequest, resp *resource.SchemaResponse) {
	r.Resource.Schema(ctx, req, resp)
	resp.Schema = plain(resp.Schema)
}

// The framework returns the state and the plan of the request.

func (idleResource) Create(context.Context, resource.CreateRequest, *resource.CreateResponse) {}
func (idleResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse)       {}
func (idleResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// Update stores the plan, with unknown values from the prior state.
func (idleResource) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var planned, prior map[string]tftypes.Value
	if err := errors.Join(req.Plan.Raw.As(&planned), req.State.Raw.As(&prior)); err != nil {
		resp.Diagnostics.AddError("Unexpected Values", err.Error())
	}
	for name, value := range planned {
		if !value.IsKnown() {
			planned[name] = prior[name]
		}
	}
	resp.State.Raw = tftypes.NewValue(req.Plan.Raw.Type(), planned)
}

type idleDataSource struct{ datasource.DataSource }

func (d idleDataSource) Schema(ctx context.Context, req datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	d.DataSource.Schema(ctx, req, resp)
	resp.Schema = plain(resp.Schema)
}

// plain returns a schema without validators, plan modifiers, defaults and custom
// types.
func plain[S any](schema S) S {
	stripped, _ := reflect.TypeAssert[S](strip(reflect.ValueOf(schema)))
	return stripped
}

func strip(from reflect.Value) reflect.Value {
	to := reflect.New(from.Type()).Elem()
	to.Set(from)
	for field, value := range to.Fields() {
		switch field.Name {
		case "Validators", "PlanModifiers", "Default", "CustomType":
			value.SetZero()
		case "NestedObject":
			value.Set(strip(value))
		case "Attributes":
			attributes := reflect.MakeMap(value.Type())
			for name, attribute := range value.Seq2() {
				attributes.SetMapIndex(name, strip(attribute.Elem()))
			}
			value.Set(attributes)
		}
	}
	return to
}

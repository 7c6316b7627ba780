package providertest

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/emulator"
)

// Workspace is a configured provider in the process of the test. It calls the provider as Terraform
// does: it merges configuration and state, plans and applies, and fails the test if Terraform would
// reject a result. That takes about a millisecond instead of seconds. It imitates
// node_resource_abstract_instance.go in Terraform's internal/terraform.
type Workspace struct {
	T       T
	Context context.Context // of each call; set it to interrupt a call
	Server  tfprotov6.ProviderServer
	Schema  *tfprotov6.GetProviderSchemaResponse

	Settings Values // of the provider

	mu        sync.Mutex         // of the next three, because an apply can have several resources at once
	refreshed map[*Resource]bool // since it was configured
	planned   map[*Resource]bool // since it was configured, or applied a plan
	applied   bool               // a plan, since it was configured
	unused    atomic.Bool        // since it was configured
}

// NewWorkspace configures the provider for a service. The settings take precedence over the
// defaults.
func NewWorkspace(t T, s *Service, settings ...Values) *Workspace {
	t.Helper()
	return NewWorkspaceOn(t, s.NewServer(settleTime), s, settings...)
}

// providerSchema returns the schema of the provider.
var providerSchema = sync.OnceValues(func() (*tfprotov6.GetProviderSchemaResponse, error) {
	return newServer(quick(0)).GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
})

// NewWorkspaceOn is like NewWorkspace, with a given provider server.
func NewWorkspaceOn(t T, server tfprotov6.ProviderServer, s *Service, settings ...Values) *Workspace {
	t.Helper()
	schema, err := providerSchema()
	if err != nil || len(Diagnostics(schema.Diagnostics).Errors()) > 0 {
		t.Fatalf("schema: %v %v", err, schema)
	}
	// A wait that never ends fails with what it waits for, before go test ends the whole package.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	w := &Workspace{
		T:       t,
		Context: ctx,
		Server:  server,
		Schema:  schema,
	}
	w.Settings = Values{
		"base_url":    s.URL,
		"public_key":  emulator.DefaultPublicKey,
		"private_key": emulator.DefaultPrivateKey,
		"max_retries": 0,
	}
	for _, given := range settings {
		maps.Copy(w.Settings, given)
	}
	w.Configure()
	return w
}

// Configure configures the provider for another plan or apply. Terraform starts a provider for
// each plan and apply, which all resources share.
func (w *Workspace) Configure() {
	w.T.Helper()
	w.refreshed = map[*Resource]bool{}
	w.planned = map[*Resource]bool{}
	w.applied = false
	configured, err := w.Server.ConfigureProvider(context.Background(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.11.0",
		Config:           w.Dynamic(w.Schema.Provider, w.Settings),
	})
	if err != nil || len(Diagnostics(configured.Diagnostics).Errors()) > 0 {
		w.T.Fatalf("configure: %v %v", err, Diagnostics(configured.Diagnostics).Errors())
	}
	w.unused.Store(true)
}

// configureAgain configures the provider for another plan or apply, unless it has just been
// configured.
func (w *Workspace) configureAgain() {
	w.T.Helper()
	if !w.unused.Load() {
		w.Configure()
	}
}

// Read reads a data source.
func (w *Workspace) Read(typeName string, config Values) (Values, Diagnostics) {
	w.T.Helper()
	w.unused.Store(false)
	schema := w.Schema.DataSourceSchemas[typeName]
	configured := w.Dynamic(schema, config)
	validated, err := w.Server.ValidateDataResourceConfig(w.Context, &tfprotov6.ValidateDataResourceConfigRequest{
		TypeName: typeName,
		Config:   configured,
	})
	if err != nil {
		w.T.Fatalf("validate: %v", err)
	}
	if diags := Diagnostics(validated.Diagnostics); len(diags.Errors()) > 0 {
		return nil, diags
	}
	resp, err := w.Server.ReadDataSource(w.Context, &tfprotov6.ReadDataSourceRequest{TypeName: typeName, Config: configured})
	if err != nil {
		w.T.Fatalf("read: %v", err)
	}
	diags := Diagnostics(resp.Diagnostics)
	if len(diags.Errors()) > 0 {
		return nil, diags
	}
	decoded, err := resp.State.Unmarshal(schema.ValueType())
	if err != nil {
		w.T.Fatalf("decode: %v", err)
	}
	found, _ := Plain(decoded).(Values)
	return found, diags
}

// MustRead reads a data source, and fails on any error.
func (w *Workspace) MustRead(t *testing.T, typeName string, config Values) Values {
	t.Helper()
	data, diags := w.Read(typeName, config)
	if len(diags.Errors()) > 0 {
		t.Fatal(diags.Errors())
	}
	return data
}

// ResultValues returns one attribute of each of a data source's results.
func ResultValues(t *testing.T, data Values, attribute string) []string {
	t.Helper()
	results, ok := data["results"].([]any)
	if !ok {
		t.Fatalf("results are %v", data["results"])
	}
	ids := []string{}
	for _, item := range results {
		if fields, ok := item.(Values); ok {
			ids = append(ids, fmt.Sprint(fields[attribute]))
		}
	}
	return ids
}

// Listed is one result of a query.
type Listed struct {
	Diagnostics
	Name     string
	Identity *tfprotov6.ResourceIdentityData
	Resource tftypes.Value // null unless it was requested
}

// Query lists resources of a type as terraform query does.
func (w *Workspace) Query(typeName string, config Values, includeResource bool, limit int64) []Listed {
	w.T.Helper()
	return slices.Collect(w.Stream(typeName, config, includeResource, limit))
}

// Stream lists resources like Query, and yields each result when it arrives. It stops at the first
// error, as Terraform does.
func (w *Workspace) Stream(typeName string, config Values, includeResource bool, limit int64) iter.Seq[Listed] {
	w.T.Helper()
	w.unused.Store(false)
	configured := w.Dynamic(w.Schema.ListResourceSchemas[typeName], config)
	server, ok := w.Server.(tfprotov6.ListResourceServer)
	if !ok {
		w.T.Fatalf("the provider has no list resources")
	}
	validated, err := server.ValidateListResourceConfig(w.Context, &tfprotov6.ValidateListResourceConfigRequest{
		TypeName: typeName,
		Config:   configured,
	})
	if err != nil {
		w.T.Fatalf("validate: %v", err)
	}
	if diags := Diagnostics(validated.Diagnostics); len(diags.Errors()) > 0 {
		return slices.Values([]Listed{{Diagnostics: diags}})
	}
	stream, err := server.ListResource(w.Context, &tfprotov6.ListResourceRequest{
		TypeName:        typeName,
		Config:          configured,
		IncludeResource: includeResource,
		Limit:           limit,
	})
	if err != nil {
		w.T.Fatalf("list: %v", err)
	}
	m := w.NewResource(typeName)
	return func(yield func(Listed) bool) {
		for result := range stream.Results {
			one := Listed{
				Diagnostics: result.Diagnostics,
				Name:        result.DisplayName,
				Identity:    result.Identity,
				Resource:    m.State,
			}
			if result.Resource != nil {
				one.Resource = m.decoded(result.Resource)
			}
			if !yield(one) || len(one.Errors()) > 0 {
				return
			}
		}
	}
}

// Listing returns the objects among the results of a query, and the warnings about what it leaves out.
func Listing(results []Listed) (objects []Listed, leftOut []string) {
	for _, one := range results {
		leftOut = append(leftOut, one.Warnings()...)
		if one.Identity != nil {
			objects = append(objects, one)
		}
	}
	return objects, leftOut
}

// Names returns the display names of the objects among results.
func Names(results []Listed) []string {
	var found []string
	objects, _ := Listing(results)
	for _, one := range objects {
		found = append(found, one.Name)
	}
	return found
}

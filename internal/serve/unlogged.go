package serve

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// frameworkServer has all interfaces of the framework's servers. terraform-plugin-go
// checks for the optional ones, so a wrapper must implement them too.
type frameworkServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
	tfprotov6.StateStoreServer
}

// unlogged passes requests on without their contexts.
type unlogged struct{ frameworkServer }

// Unlogged returns a server that handles the requests for each resource and data source
// without the values of their contexts, which are only the loggers of the SDK. The
// framework keeps every context until the provider ends (registerContext in its
// internal/proto6server), and loggers are large: with them, a plan of 4,000 schedules
// takes 12 times the memory and 1.4 times the processor time.
func Unlogged(server tfprotov6.ProviderServer) tfprotov6.ProviderServer {
	return unlogged{server.(frameworkServer)} //nolint:forcetypeassert // a test checks the framework's servers
}

// call calls a method with a new context that is canceled with the given one.
func call[Q, A any](ctx context.Context, method func(context.Context, Q) (A, error), request Q) (A, error) {
	own, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	return method(own, request)
}

func (u unlogged) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return call(ctx, u.frameworkServer.ValidateResourceConfig, req)
}

func (u unlogged) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return call(ctx, u.frameworkServer.UpgradeResourceState, req)
}

func (u unlogged) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return call(ctx, u.frameworkServer.UpgradeResourceIdentity, req)
}

func (u unlogged) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return call(ctx, u.frameworkServer.ReadResource, req)
}

func (u unlogged) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return call(ctx, u.frameworkServer.PlanResourceChange, req)
}

func (u unlogged) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return call(ctx, u.frameworkServer.ApplyResourceChange, req)
}

func (u unlogged) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return call(ctx, u.frameworkServer.ImportResourceState, req)
}

func (u unlogged) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return call(ctx, u.frameworkServer.ValidateDataResourceConfig, req)
}

func (u unlogged) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return call(ctx, u.frameworkServer.ReadDataSource, req)
}

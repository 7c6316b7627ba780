package serve_test

import (
	"context"
	"runtime"
	"testing"
	"weak"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"terraform-provider-opsmanager/internal/provider"
	"terraform-provider-opsmanager/internal/serve"
)

type loggersKey struct{}

// loggers stand for what the SDK has each context carry.
type loggers struct{ _ [4096]byte }

// requests are those that Terraform sends for each resource or data source.
var requests = map[string]func(context.Context, tfprotov6.ProviderServer){
	"ValidateResourceConfig": func(ctx context.Context, s tfprotov6.ProviderServer) {
		_, _ = s.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{})
	},
	"UpgradeResourceState": func(ctx context.Context, s tfprotov6.ProviderServer) {
		_, _ = s.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{})
	},
	"UpgradeResourceIdentity": func(ctx context.Context, s tfprotov6.ProviderServer) {
		_, _ = s.UpgradeResourceIdentity(ctx, &tfprotov6.UpgradeResourceIdentityRequest{})
	},
	"ReadResource": func(ctx context.Context, s tfprotov6.ProviderServer) {
		_, _ = s.ReadResource(ctx, &tfprotov6.ReadResourceRequest{})
	},
	"PlanResourceChange": func(ctx context.Context, s tfprotov6.ProviderServer) {
		_, _ = s.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{})
	},
	"ApplyResourceChange": func(ctx context.Context, s tfprotov6.ProviderServer) {
		_, _ = s.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{})
	},
	"ImportResourceState": func(ctx context.Context, s tfprotov6.ProviderServer) {
		_, _ = s.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{})
	},
	"ValidateDataResourceConfig": func(ctx context.Context, s tfprotov6.ProviderServer) {
		_, _ = s.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{})
	},
	"ReadDataSource": func(ctx context.Context, s tfprotov6.ProviderServer) {
		_, _ = s.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{})
	},
}

// The framework keeps what a context carries; once it no longer does, there is no
// use for Unlogged.
func TestNothingIsKeptOfARequestThatIsDone(t *testing.T) {
	t.Parallel()
	for name, request := range requests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := providerserver.NewProtocol6(provider.New("test")())()
			if !keeps(server, request) {
				t.Error("the framework keeps nothing any more")
			}
			if keeps(serve.Unlogged(server), request) {
				t.Error("loggers are kept")
			}
			runtime.KeepAlive(server)
		})
	}
}

// keeps says whether a server keeps the loggers of a request that is done.
func keeps(server tfprotov6.ProviderServer, request func(context.Context, tfprotov6.ProviderServer)) bool {
	carried := ask(server, request)
	runtime.GC()
	return carried.Value() != nil
}

// ask sends a request, and returns the loggers that its context carried.
func ask(server tfprotov6.ProviderServer, request func(context.Context, tfprotov6.ProviderServer)) weak.Pointer[loggers] {
	carried := new(loggers)
	request(context.WithValue(context.Background(), loggersKey{}, carried), server)
	return weak.Make(carried)
}

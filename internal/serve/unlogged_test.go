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
	"ValidateResourceConfig":     sending(tfprotov6.ProviderServer.ValidateResourceConfig),
	"UpgradeResourceState":       sending(tfprotov6.ProviderServer.UpgradeResourceState),
	"UpgradeResourceIdentity":    sending(tfprotov6.ProviderServer.UpgradeResourceIdentity),
	"ReadResource":               sending(tfprotov6.ProviderServer.ReadResource),
	"PlanResourceChange":         sending(tfprotov6.ProviderServer.PlanResourceChange),
	"ApplyResourceChange":        sending(tfprotov6.ProviderServer.ApplyResourceChange),
	"ImportResourceState":        sending(tfprotov6.ProviderServer.ImportResourceState),
	"ValidateDataResourceConfig": sending(tfprotov6.ProviderServer.ValidateDataResourceConfig),
	"ReadDataSource":             sending(tfprotov6.ProviderServer.ReadDataSource),
}

// sending sends an empty request: what becomes of it does not matter.
func sending[Q, A any](method func(tfprotov6.ProviderServer, context.Context, *Q) (A, error)) func(context.Context, tfprotov6.ProviderServer) {
	return func(ctx context.Context, server tfprotov6.ProviderServer) { _, _ = method(server, ctx, new(Q)) }
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

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

// loggers stands in for the values that the SDK adds to each context.
type loggers struct{ _ [4096]byte }

// requests are the requests that Terraform sends for each resource or data source.
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

// sending returns a function that sends an empty request. The result does not matter.
func sending[Q, A any](method func(tfprotov6.ProviderServer, context.Context, *Q) (A, error)) func(context.Context, tfprotov6.ProviderServer) {
	return func(ctx context.Context, server tfprotov6.ProviderServer) { _, _ = method(server, ctx, new(Q)) }
}

// If the framework no longer keeps the values of contexts, isUnlogged can be removed.
func TestUnloggedServerKeepsNothingOfARequest(t *testing.T) {
	t.Parallel()
	for name, request := range requests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := providerserver.NewProtocol6(provider.New("test")())()
			if !keeps(server, request) {
				t.Error("the framework no longer keeps the values of contexts")
			}
			if keeps(serve.Printable(server, true), request) {
				t.Error("the loggers are kept")
			}
			runtime.KeepAlive(server)
		})
	}
}

// keeps reports whether a server keeps the loggers of a request after its end. One garbage collection may miss
// them, because what is left on a stack, or was reached while it ran, counts as used.
func keeps(server tfprotov6.ProviderServer, request func(context.Context, tfprotov6.ProviderServer)) bool {
	carried := send(server, request)
	for range 20 {
		runtime.GC()
		if carried.Value() == nil {
			return false
		}
	}
	return true
}

// send sends a request from another goroutine, whose stack ends with it, and returns the loggers of its context.
func send(server tfprotov6.ProviderServer, request func(context.Context, tfprotov6.ProviderServer)) weak.Pointer[loggers] {
	sent := make(chan weak.Pointer[loggers])
	go func() {
		carried := new(loggers)
		request(context.WithValue(context.Background(), loggersKey{}, carried), server)
		sent <- weak.Make(carried)
	}()
	return <-sent
}

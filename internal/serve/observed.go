package serve

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Observer is a provider that is told about the states that Terraform reads, and knows names.
type Observer interface {
	provider.Provider
	Namer

	// StateRead is called with the state of each resource, as JSON, when Terraform reads it. For a
	// resource that it doesn't refresh, that is the only call. An error ends the plan.
	StateRead(ctx context.Context, typeName string, state []byte) diag.Diagnostics
}

// observed tells an observer about the states that Terraform reads.
type observed struct {
	frameworkServer
	Namer
	observer Observer
}

// Observed returns the server of a provider, which is told about the states that Terraform reads if
// it is an [Observer]. Terraform asks the provider to upgrade each state, whatever its version. The
// framework passes this on only if the version differs.
func Observed(p provider.Provider) tfprotov6.ProviderServer {
	server := providerserver.NewProtocol6(p)()
	if observer, ok := p.(Observer); ok {
		return observed{server.(frameworkServer), observer, observer} //nolint:forcetypeassert // a test checks the framework's servers
	}
	return server
}

func (o observed) UpgradeResourceState(
	ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	resp, err := o.frameworkServer.UpgradeResourceState(ctx, req)
	if err != nil || req.RawState == nil {
		return resp, err
	}
	for _, one := range o.observer.StateRead(ctx, req.TypeName, req.RawState.JSON) {
		severity := tfprotov6.DiagnosticSeverityError
		if one.Severity() == diag.SeverityWarning {
			severity = tfprotov6.DiagnosticSeverityWarning
		}
		resp.Diagnostics = append(resp.Diagnostics, &tfprotov6.Diagnostic{
			Severity: severity,
			Summary:  one.Summary(),
			Detail:   one.Detail(),
		})
	}
	return resp, nil
}

// ReadDataSource ends the context of a data source after the framework has converted its results. Until
// then, other large ones wait.
func (o observed) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	return o.frameworkServer.ReadDataSource(ctx, req)
}

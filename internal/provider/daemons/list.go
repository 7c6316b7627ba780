package daemons

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// listed is an object that terraform query lists.
type listed struct {
	name       string
	identity   any            // a model
	attributes tfmodel.Values // the others are null
}

// push passes listed objects to Terraform, as many as it asks for.
func push(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream, summary string, all []listed) {
	if req.Limit > 0 {
		all = all[:min(int64(len(all)), req.Limit)]
	}
	stream.Results = func(push func(list.ListResult) bool) {
		for _, one := range all {
			result := req.NewListResult(ctx)
			result.DisplayName = one.name
			result.Diagnostics.Append(tfmodel.Write(ctx, result.Identity, one.identity)...)
			if req.IncludeResource {
				result.Diagnostics.Append(include(ctx, summary, one.attributes, result)...)
			}
			if !push(result) {
				return
			}
		}
	}
}

// include writes the attributes of a listed object.
func include(ctx context.Context, summary string, attributes tfmodel.Values, result list.ListResult) diag.Diagnostics {
	for name, attribute := range result.Resource.Schema.GetAttributes() {
		if _, known := attributes[name]; known {
			continue
		}
		value, err := attribute.GetType().ValueFromTerraform(ctx, tftypes.NewValue(attribute.GetType().TerraformType(ctx), nil))
		if err != nil {
			return diag.Diagnostics{diag.NewErrorDiagnostic(summary, diagnostics.Sentence(err))}
		}
		attributes[name] = value
	}
	return tfmodel.WriteValues(ctx, result.Resource, attributes)
}

// Package listresources has what list resources share.
package listresources

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/provider/diagnostics"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Limit ends the description of each list resource.
const Limit = "Terraform stops after `limit` results, `100` by default."

// Object is an object that a query lists.
type Object struct {
	Name     string // shown by Terraform
	Identity any    // a model
	Resource any    // a model, or tfmodel.Values with the attributes that are not null
}

// Stream sends objects to Terraform, as many as it requests.
func Stream(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream, found []Object) {
	if req.Limit > 0 {
		found = found[:min(int64(len(found)), req.Limit)]
	}
	stream.Results = func(push func(list.ListResult) bool) {
		for _, object := range found {
			if !push(Result(ctx, req, object)) {
				return
			}
		}
	}
}

// Result returns an object as Terraform requests it: with or without its resource.
func Result(ctx context.Context, req list.ListRequest, object Object) list.ListResult {
	result := req.NewListResult(ctx)
	result.DisplayName = object.Name
	result.Diagnostics.Append(tfmodel.Write(ctx, result.Identity, object.Identity)...)
	if !req.IncludeResource {
		return result
	}
	values, ok := object.Resource.(tfmodel.Values)
	if !ok {
		result.Diagnostics.Append(tfmodel.Write(ctx, result.Resource, object.Resource)...)
		return result
	}
	for name, attribute := range req.ResourceSchema.GetAttributes() {
		if _, known := values[name]; known {
			continue
		}
		null, err := attribute.GetType().ValueFromTerraform(ctx, tftypes.NewValue(attribute.GetType().TerraformType(ctx), nil))
		if err != nil {
			result.Diagnostics.AddError("Unable to List Resources", diagnostics.Sentence(err))
			return result
		}
		values[name] = null
	}
	result.Diagnostics.Append(tfmodel.WriteValues(ctx, result.Resource, values)...)
	return result
}

// Fail ends a query with diagnostics.
func Fail(stream *list.ListResultsStream, diags ...diag.Diagnostic) {
	stream.Results = list.ListResultsStreamDiagnostics(diags)
}

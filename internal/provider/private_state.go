package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/provider/diagnostics"
)

// readPrivate decodes the document of a key, and reports whether there was one that
// could be decoded.
func readPrivate(ctx context.Context, private privateState, key string, into any, diags *diag.Diagnostics) bool {
	document, found := private.GetKey(ctx, key)
	diags.Append(found...)
	return len(document) > 0 && json.Unmarshal(document, into) == nil // another version may have written it
}

func writePrivate(ctx context.Context, private privateState, key string, value any, diags *diag.Diagnostics) {
	document, err := json.Marshal(value)
	if err != nil {
		diags.AddError("Unable to Write the Private State", diagnostics.Sentence(err))
		return
	}
	diags.Append(private.SetKey(ctx, key, document)...)
}

// privateState is what the framework keeps for a resource beside its state.
type privateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

package tfmodel

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/provider/diagnostics"
)

// ReadPrivate decodes the document of a key into a value, and reports whether there was
// one that could be decoded.
func ReadPrivate(ctx context.Context, private PrivateState, key string, into any, diags *diag.Diagnostics) bool {
	document, found := private.GetKey(ctx, key)
	diags.Append(found...)
	return len(document) > 0 && json.Unmarshal(document, into) == nil // a different version may have written it
}

// WritePrivate stores a value as the document of a key.
func WritePrivate(ctx context.Context, private PrivateState, key string, value any, diags *diag.Diagnostics) {
	document, err := json.Marshal(value)
	if err != nil {
		diags.AddError("Unable to Write the Private State", diagnostics.Sentence(err))
		return
	}
	diags.Append(private.SetKey(ctx, key, document)...)
}

// PrivateState is the data that Terraform keeps for a resource in addition to its state.
type PrivateState interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

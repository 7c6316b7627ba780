package tf

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/base64"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// IsContent reports whether a text that should be a path looks like the content of a file,
// such as a private key in PEM or in base64.
func IsContent(text string) bool {
	text = strings.TrimSpace(text)
	const der = 0x30 // the first byte of keys, certificates and key stores
	decoded := decode(text)
	return strings.Contains(text, "-----BEGIN") || strings.ContainsFunc(text, unicode.IsControl) ||
		len(decoded) > 40 && (decoded[0] == der || bytes.Contains(decoded, []byte("-----BEGIN")))
}

// hasPrivateKey reports whether a text that should be a certificate has a private key in it.
func hasPrivateKey(text string) bool {
	decoded := decode(text)
	if strings.Contains(text, "PRIVATE KEY") || bytes.Contains(decoded, []byte("PRIVATE KEY")) {
		return true
	}
	_, pkcs8 := x509.ParsePKCS8PrivateKey(decoded)
	_, pkcs1 := x509.ParsePKCS1PrivateKey(decoded)
	_, ec := x509.ParseECPrivateKey(decoded)
	return pkcs8 == nil || pkcs1 == nil || ec == nil
}

// decode returns the bytes of a text in base64, or nil.
func decode(text string) []byte {
	decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		return nil
	}
	return decoded
}

// MisplacedSecret rejects a secret that is in the wrong attribute. Its error neither shows the
// value nor has a place, because Terraform would print that line of the configuration, or
// the value of a variable in it. Terraform validates again in an apply, when all values are
// known, so the secret reaches no plan, no state and no request.
type MisplacedSecret struct {
	summary, detail string
	is              func(text string) bool
}

var (
	// NoContent is for the path of a file or a directory, and rejects the content of a file.
	NoContent = MisplacedSecret{"Invalid File Path", "The value must be the path of a file or a directory, but it looks like the content of a file.", IsContent}
	// NoKey is for a certificate, and rejects a private key.
	NoKey = MisplacedSecret{"Private Key in a Certificate", "The value must be a certificate, but it contains a private key. Remove the key, because Ops Manager does not need it.", hasPrivateKey}
)

// Description implements [validator.String].
func (m MisplacedSecret) Description(context.Context) string { return m.detail }

// MarkdownDescription implements [validator.String].
func (m MisplacedSecret) MarkdownDescription(context.Context) string { return m.detail }

// ValidateString implements [validator.String].
func (m MisplacedSecret) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	attribute, _ := req.Path.Steps().LastStep() // the other steps may contain the elements of a set
	m.Check(attribute.String(), req.ConfigValue.ValueString(), &resp.Diagnostics)
}

// Check adds an error and returns false if a value is a misplaced secret.
func (m MisplacedSecret) Check(attribute, text string, diags *diag.Diagnostics) bool {
	if m.is(text) {
		diags.AddError(m.summary, attribute+": "+m.detail)
		return false
	}
	return true
}

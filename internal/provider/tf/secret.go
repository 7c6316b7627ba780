package tf

import (
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Suffixes of the attributes of a secret.
const (
	WriteOnly = "_wo"
	Version   = "_wo_version"
)

// AddSecretAttributes adds the attributes of a secret to a schema. Their validators reject only empty texts, unless one
// says that there is no secret: an error on a secret would make Terraform print it.
func AddSecretAttributes(attributes map[string]schema.Attribute, attribute, description string, mayBeEmpty bool) {
	validators := []validator.String{stringvalidator.LengthAtLeast(1)}
	if mayBeEmpty {
		validators = nil
	}
	attributes[attribute] = schema.StringAttribute{
		Optional:            true,
		Sensitive:           true,
		Validators:          validators,
		MarkdownDescription: description + " Stored in the state, unlike `" + attribute + WriteOnly + "`.",
	}
	attributes[attribute+WriteOnly] = schema.StringAttribute{
		Optional:            true,
		Sensitive:           true,
		WriteOnly:           true,
		Validators:          validators,
		MarkdownDescription: "Write-only `" + attribute + "`. Requires `" + attribute + Version + "`.",
	}
	attributes[attribute+Version] = schema.Int64Attribute{
		Optional:            true,
		CustomType:          WholeNumberType{},
		Validators:          []validator.Int64{int64validator.AlsoRequires(path.MatchRelative().AtParent().AtName(attribute + WriteOnly))},
		MarkdownDescription: "Any whole number. Change it to send a new `" + attribute + WriteOnly + "`.",
	}
}

// Secret is the value of a secret in a configuration, a plan or a state. Each part may be
// null.
type Secret struct {
	Text, WriteOnly types.String
	Version         types.Int64
}

// SecretOf returns the secret with an attribute in some values, which may be those of a nested
// object.
func SecretOf(values map[string]attr.Value, attribute string) Secret {
	return Secret{
		Text:      As[types.String](values, attribute),
		WriteOnly: As[types.String](values, attribute+WriteOnly),
		Version:   As[types.Int64](values, attribute+Version),
	}
}

// IsSet reports whether the configuration may have a secret.
func (v Secret) IsSet() bool { return !v.Text.IsNull() || !v.WriteOnly.IsNull() }

// IsEmpty reports whether the configuration says that there is no secret.
func (v Secret) IsEmpty() bool { return IsEmpty(v.Text) || IsEmpty(v.WriteOnly) }

// Texts returns the secret in its known parts.
func (v Secret) Texts() []string {
	return []string{v.Text.ValueString(), v.WriteOnly.ValueString()}
}

// ToSend returns the secret that a request sends: the planned one, or the configured
// write-only one of the planned version. It is nil if the configuration has none, or if the
// plan ignores the configured one.
func (v Secret) ToSend(config Secret) *string {
	switch {
	case !v.Text.IsNull():
		return StringPointer(v.Text)
	case !config.WriteOnly.IsNull() && v.Version.Equal(config.Version):
		return StringPointer(config.WriteOnly)
	}
	return nil
}

// Validate rejects a secret that is configured twice, and a write-only one without a
// version. The error is at a path that is not the secret's, because Terraform prints the
// line that it is on.
func (v Secret) Validate(at path.Path, attribute string, diags *diag.Diagnostics) {
	switch {
	case !v.Text.IsNull() && !v.WriteOnly.IsNull():
		diags.AddAttributeError(at, "Secret Configured Twice", fmt.Sprintf("Set either %[1]s or %[1]s_wo.", attribute))
	case !v.WriteOnly.IsNull() && v.Version.IsNull():
		diags.AddAttributeError(at, "Secret Without a Version", fmt.Sprintf("Terraform can't see that %[1]s_wo changed. Set %[1]s_wo_version to any whole number, and change it with the secret.", attribute))
	}
}

// RemoveSecret sets a secret and its version to null, so that the next plan sets it again.
func RemoveSecret(values map[string]attr.Value, attribute string) {
	values[attribute], values[attribute+Version] = types.StringNull(), types.Int64Null()
}

// ReadBack recognizes secrets as Ops Manager returned them after the last write, without
// storing them. Each key is an attribute.
type ReadBack struct {
	Salt         []byte            `json:"salt"`
	Fingerprints map[string][]byte `json:"fingerprints"`
	Clear        map[string]bool   `json:"clear,omitempty"` // the secrets that were returned as they were sent
}

// NewReadBack returns the ReadBack of secrets that Ops Manager returned after a write that sent
// some, by attribute.
func NewReadBack(shown, sent map[string]string) ReadBack {
	r := ReadBack{
		Salt:         make([]byte, 16),
		Fingerprints: map[string][]byte{},
		Clear:        map[string]bool{},
	}
	_, _ = rand.Read(r.Salt) // never fails
	for attribute, text := range shown {
		r.Fingerprints[attribute] = r.fingerprint(text)
		if was, ok := sent[attribute]; ok && was == text {
			r.Clear[attribute] = true
		}
	}
	return r
}

// Saw records that Ops Manager returned a secret in another form than after the last write.
func (r ReadBack) Saw(attribute, text string) {
	r.Fingerprints[attribute] = r.fingerprint(text)
	delete(r.Clear, attribute)
}

// Rounds is the number of rounds of a fingerprint. Only tests change it.
var Rounds = 10_000

// fingerprint returns a slow hash, because a secret may have a weak password.
func (r ReadBack) fingerprint(text string) []byte {
	key, err := pbkdf2.Key(sha256.New, text, r.Salt, Rounds, sha256.Size)
	if err != nil {
		panic(err) // in FIPS 140 mode only, for short salts and keys
	}
	return key
}

// IsClear reports whether the text in a response is the secret of the last write. Any other text
// may be a mask, whose forms are not all known, and a request with a mask may store it.
func (r ReadBack) IsClear(attribute, shown string) bool {
	return r.Clear[attribute] && r.isSame(attribute, shown)
}

// isSame reports whether Ops Manager now returns a secret in the same form as after the last write.
func (r ReadBack) isSame(attribute, shown string) bool {
	return slices.Equal(r.Fingerprints[attribute], r.fingerprint(shown))
}

// Differs reports whether Ops Manager now returns a secret in a different form than after the
// last write.
func (r ReadBack) Differs(attribute, shown string) bool {
	return r.Fingerprints[attribute] != nil && !r.isSame(attribute, shown)
}

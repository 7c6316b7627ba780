package stores

import (
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Suffixes of the attributes of a secret.
const (
	writeOnly = "_wo"
	version   = "_wo_version"
)

// mask matches what Ops Manager 8.0.26 and later return instead of a secret or a part of
// it. Neither its forms nor all of its places are documented.
var mask = regexp.MustCompile(`\[?REDACTED\]?|\*{3,}`)

// couldShow reports whether a response could show a secret: as it is, or masked.
func couldShow(shown, secret string) bool {
	parts := mask.Split(shown, -1)
	return shown == secret || len(parts) > 1 && strings.HasPrefix(secret, parts[0]) && strings.HasSuffix(secret, parts[len(parts)-1])
}

// isMasked reports whether a response shows a secret with a mask.
func isMasked(shown string) bool { return mask.MatchString(shown) }

// secretValue is the value of a secret in a configuration, a plan or a state. Each part
// may be null.
type secretValue struct {
	text, writeOnly types.String
	version         types.Int64
}

// secretOf returns the secret with an attribute in some values, which may be those of a
// nested object.
func secretOf(values map[string]attr.Value, attribute string) secretValue {
	text, _ := values[attribute].(types.String)
	written, _ := values[attribute+writeOnly].(types.String)
	number, _ := values[attribute+version].(types.Int64)
	return secretValue{text, written, number}
}

// isSet reports whether the configuration may have a secret.
func (v secretValue) isSet() bool { return !v.text.IsNull() || !v.writeOnly.IsNull() }

// toSend returns the secret that a request sends: the planned one, or the configured
// write-only one of the planned version. It is nil if the configuration has none, or if the
// plan ignores the configured one.
func (v secretValue) toSend(config secretValue) *string {
	switch {
	case !v.text.IsNull():
		return tfmodel.StringPointer(v.text)
	case !config.writeOnly.IsNull() && v.version.Equal(config.version):
		return tfmodel.StringPointer(config.writeOnly)
	}
	return nil
}

// readBack recognizes secrets as Ops Manager returned them after the last write, without
// storing them. Each key is an attribute.
type readBack struct {
	Salt         []byte            `json:"salt"`
	Fingerprints map[string][]byte `json:"fingerprints"`
}

// readBackKey is the key of the private data that has the readBack.
const readBackKey = "read_back"

func newReadBack(shown map[string]string) readBack {
	r := readBack{Salt: make([]byte, 16), Fingerprints: map[string][]byte{}}
	_, _ = rand.Read(r.Salt) // never fails
	for attribute, text := range shown {
		r.Fingerprints[attribute] = r.fingerprint(text)
	}
	return r
}

// fingerprint returns a slow hash, because a connection string may have a weak password. A
// masked text has none.
func (r readBack) fingerprint(text string) []byte {
	iterations := 10_000
	if isMasked(text) {
		iterations = 1
	}
	key, err := pbkdf2.Key(sha256.New, text, r.Salt, iterations, sha256.Size)
	if err != nil {
		panic(err) // in FIPS 140 mode only, for short salts and keys
	}
	return key
}

// differs reports whether Ops Manager now returns a secret in another form than after the
// last write.
func (r readBack) differs(attribute, shown string) bool {
	known, ok := r.Fingerprints[attribute]
	return ok && !slices.Equal(known, r.fingerprint(shown))
}

// Attributes of the secrets that are no text of their own.
const (
	clientSecret       = "client_secret" // in oidc
	customCertificates = "custom_certificates"
)

// shownSecrets returns the secrets of a store, as they are in a response, by attribute.
func (k *storeKind) shownSecrets(store opsmanager.BackupStore) map[string]string {
	shown := map[string]string{}
	for _, s := range k.secrets {
		if text := *s.api(&store); text != nil {
			shown[s.attribute] = *text
		}
	}
	if store.OIDC != nil && store.OIDC.ClientSecret != nil {
		shown[clientSecret] = *store.OIDC.ClientSecret
	}
	if store.CustomCertificates != nil {
		certificates := slices.Clone(*store.CustomCertificates)
		slices.SortFunc(certificates, func(a, b opsmanager.Certificate) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		text, _ := json.Marshal(certificates) // can't fail
		shown[customCertificates] = string(text)
	}
	return shown
}

// hasMask reports whether one of the certificates is masked.
func hasMask(certificates *[]opsmanager.Certificate) bool {
	return certificates != nil && slices.ContainsFunc(*certificates, func(c opsmanager.Certificate) bool { return isMasked(c.CertString) })
}

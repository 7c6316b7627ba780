package tf_test

import (
	"bytes"
	"crypto/pbkdf2"
	"crypto/sha256"
	"testing"

	"terraform-provider-opsmanager/internal/provider/tf"
)

// A secret may look masked.
func TestEachFingerprintIsSlow(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"", "hunter2", "hunter***2", "[REDACTED]", "mongodb://user:***@db.example.com"} {
		known := tf.NewReadBack(map[string]string{"uri": secret}, nil)
		slow, err := pbkdf2.Key(sha256.New, secret, known.Salt, 10_000, sha256.Size)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(known.Fingerprints["uri"], slow) {
			t.Errorf("%q has a fast fingerprint", secret)
		}
		if known.Differs("uri", secret) || !known.Differs("uri", secret+"x") || known.Differs("password", secret) {
			t.Errorf("%q is not recognized", secret)
		}
	}
}

package infrastructure_test

import (
	"fmt"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// writeOnly returns a configuration with its secrets in write-only attributes of a version.
func writeOnly(config values, version int) values {
	changed := providertest.With(config)
	for attribute := range s3Secrets {
		if changed[attribute] != nil {
			changed[attribute+"_wo"], changed[attribute+"_wo_version"], changed[attribute] = changed[attribute], version, nil
		}
	}
	return changed
}

func TestKeysAreNotRequiredWhenARoleReplacesThem(t *testing.T) {
	t.Parallel()
	providertest.OnEachVersion(t, both, func(t *testing.T, version string) {
		s, r := startS3Blockstore(t, emulator.Options{ServiceVersion: version})
		r.MustApply(s3Config())
		r.MustApply(s3Config(values{"s3_auth_method": "IAM_ROLE", "aws_access_key": nil, "aws_secret_key": nil}))
		if sent := fmt.Sprint(providertest.LastSent(t, s, "PUT")); strings.Contains(sent, "***") {
			t.Errorf("sent a mask in %s", sent)
		}
		r.MustApply(s3Config())
	})
}

func TestClientSecretThatIsNotConfiguredIsKept(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"8.0.26", "8.0.27"} { // unredacted, and masked
		s, r := startS3Blockstore(t, emulator.Options{ServiceVersion: version})
		oidc := values{"oidc_enabled": true, "oidc_method": "callback", "oidc_token_uri": "https://t.example.com", "oidc_client_id": "c"}
		r.MustApply(s3Config(oidc, values{"oidc_client_secret": "c0rrect-secret"}))
		held := func() object {
			found, _ := s.BackupStore(emulator.S3Blockstore, "new")["oidc"].(object)
			return found
		}
		r.MustApply(s3Config(oidc, values{"oidc_client_id": "d"}))
		if held()["clientSecret"] != "c0rrect-secret" || held()["clientId"] != "d" {
			t.Errorf("held %v", held())
		}
		r.MustApply(s3Config()) // unset, all of it is kept
		if held()["clientSecret"] != "c0rrect-secret" || held()["enabled"] != true {
			t.Errorf("held %v", held())
		}
		r.MustApply(s3Config(values{"oidc_enabled": false}))
		if held()["clientSecret"] != "c0rrect-secret" || held()["enabled"] != false {
			t.Errorf("held %v", held())
		}
	}
}

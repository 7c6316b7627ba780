package stores_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// writeOnly returns a configuration with its secrets in write-only attributes of a version.
func writeOnly(config providertest.Values, version int) providertest.Values {
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
		for _, config := range []providertest.Values{s3Config(), writeOnly(s3Config(), 1)} {
			s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: version})
			r.MustApply(config)
			r.MustApply(providertest.With(providertest.Values{"s3_auth_method": "IAM_ROLE"}, withoutKeys(config)))
			if sent := fmt.Sprint(providertest.LastSent(t, s, "PUT")); strings.Contains(sent, "***") {
				t.Errorf("sent a mask in %s", sent)
			}
			r.MustApply(config)
		}
	})
}

// withoutKeys returns a configuration without the keys for the bucket and the way to
// authenticate.
func withoutKeys(config providertest.Values) providertest.Values {
	changed := maps.Clone(config)
	maps.DeleteFunc(changed, func(attribute string, _ any) bool {
		return strings.HasPrefix(attribute, "aws_") || attribute == "s3_auth_method"
	})
	return changed
}

func TestClientSecretThatIsNotConfiguredIsKept(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"8.0.26", "8.0.27"} { // unredacted, and masked
		s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: version})
		oidc := providertest.Values{"oidc_enabled": true, "oidc_method": "callback", "oidc_token_uri": "https://t.example.com", "oidc_client_id": "c"}
		r.MustApply(s3Config(oidc, providertest.Values{"oidc_client_secret": "c0rrect-secret"}))
		held := func() map[string]any {
			found, _ := s.BackupStore(emulator.S3Blockstore, "new")["oidc"].(map[string]any)
			return found
		}
		r.MustApply(s3Config(oidc, providertest.Values{"oidc_client_id": "d"}))
		if held()["clientSecret"] != "c0rrect-secret" || held()["clientId"] != "d" {
			t.Errorf("held %v", held())
		}
		r.MustApply(s3Config()) // unset, all of it is kept
		if held()["clientSecret"] != "c0rrect-secret" || held()["enabled"] != true {
			t.Errorf("held %v", held())
		}
		r.MustApply(s3Config(providertest.Values{"oidc_enabled": false}))
		if held()["clientSecret"] != "c0rrect-secret" || held()["enabled"] != false {
			t.Errorf("held %v", held())
		}
	}
}

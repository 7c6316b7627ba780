package stores_test

import (
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestResourcesConform(t *testing.T) {
	t.Parallel()
	providertest.CheckConformance(t, storeRegistrations())
}

func TestSecretOfAStoreIsNeverLost(t *testing.T) {
	t.Parallel()
	const otherURI = "mongodb://other:battery@db.example.com:27017"
	for _, secret := range []struct {
		typeName string
		providertest.Secret
	}{
		{providertest.BlockstoreType, providertest.Secret{Attribute: "uri", Field: "uri", After: otherURI}},
		{providertest.S3BlockstoreType, providertest.Secret{Attribute: "uri", Field: "uri", After: otherURI}},
		{providertest.S3BlockstoreType, providertest.Secret{Attribute: "aws_access_key", Field: "awsAccessKey", After: "AKIAOTHERBATTERY0002"}},
		{providertest.S3BlockstoreType, providertest.Secret{Attribute: "aws_secret_key", Field: "awsSecretKey", After: "other-battery-staple"}},
		{providertest.BlockstoreType, providertest.Secret{Attribute: "oidc_client_secret", Field: "oidc.clientSecret", Before: "c0rrect-horse", After: "other-battery"}},
	} {
		all := storeRegistrations()
		r := all[slices.IndexFunc(all, func(r providertest.Registration) bool { return r.TypeName == secret.typeName && r.Created })]
		r.Options = emulator.Options{ServiceVersion: readable}
		if secret.Attribute == "oidc_client_secret" {
			r.Options.ServiceVersion = "8.0.26" // which has the field, and returns it unredacted
			r.Config = providertest.With(r.Config, providertest.Values{
				"oidc_enabled": true, "oidc_method": "callback", "oidc_token_uri": "https://login.example.com/token", "oidc_client_id": "backup",
			})
		} else {
			secret.Before = s3Secrets[secret.Attribute].(string) //nolint:forcetypeassert // it is a text
		}
		secret.Beside, secret.BesideChanged = providertest.Values{"labels": []any{"east"}}, providertest.Values{"labels": []any{"west"}}
		secret.BesideField = "labels"
		t.Run(secret.typeName+" "+secret.Attribute, func(t *testing.T) {
			t.Parallel()
			providertest.CheckSecret(t, r, secret.Secret)
		})
	}
}

func TestStoreKeepsWhatAnotherClientChangesBeforeAnyRead(t *testing.T) {
	t.Parallel()
	providertest.CheckLateChanges(t, storeRegistrations()[0])
}

func TestMaskInAStoreIsNeverSentBack(t *testing.T) {
	t.Parallel()
	for _, r := range storeRegistrations() {
		switch {
		case r.Config["deletion_protection"] == true:
			continue
		case r.Attributes["s3BucketName"] != "":
			r = withCertificates(r)
			r.Config = providertest.With(r.Config, providertest.Values{
				"custom_certificates": []any{certificate("a.pem", "A")}, "s3_region_override": "eu",
				"oidc_enabled": true, "oidc_method": "callback", "oidc_token_uri": "https://t.example.com", "oidc_client_id": "c", "oidc_client_secret": "s", "oidc_scope": "s",
			})
			r.Options.ServiceVersion = "8.0.27"
			r.Options.Unknowns.DeletesAssignableStores = false // so that a destroy sends a PUT first
		}
		providertest.CheckMasks(t, r, "uri", "awsAccessKey", "awsSecretKey", "oidc.clientSecret")
	}
}

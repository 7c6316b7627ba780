package infrastructure_test

import (
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestResourcesConform(t *testing.T) {
	t.Parallel()
	providertest.CheckConformance(t, slices.Concat(storeRegistrations(), regionRegistrations(), daemonRegistrations(), jobConfigRegistrations()))
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
		{
			providertest.BlockstoreType,
			providertest.Secret{Attribute: "oidc_client_secret", Field: "oidc.clientSecret", Before: "c0rrect-horse", After: "other-battery"},
		},
	} {
		all := storeRegistrations()
		r := all[slices.IndexFunc(all, func(r providertest.Registration) bool { return r.TypeName == secret.typeName && r.Created })]
		r.Options = emulator.Options{ServiceVersion: readable}
		if secret.Attribute == "oidc_client_secret" {
			r.Options.ServiceVersion = "8.0.26" // which has the field, and returns it unredacted
			r.Config = r.Config.With(values{
				"oidc_enabled": true, "oidc_method": "callback", "oidc_token_uri": "https://login.example.com/token", "oidc_client_id": "backup",
			})
		} else {
			secret.Before = s3Secrets[secret.Attribute].(string) //nolint:forcetypeassert // it is a text
		}
		secret.Beside, secret.BesideChanged = values{"labels": []any{"east"}}, values{"labels": []any{"west"}}
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

// withOptionalOfS3 returns the registration of an S3 store whose configuration has the optional fields, too.
func withOptionalOfS3(r providertest.Registration) providertest.Registration {
	r = withCertificates(r)
	r.Config = r.Config.With(values{
		"custom_certificates": []any{certificate("a.pem", "A")}, "s3_region_override": "eu",
		"oidc_enabled": true, "oidc_method": "callback", "oidc_token_uri": "https://t.example.com", "oidc_client_id": "c",
		"oidc_client_secret": "s", "oidc_scope": "s",
	})
	r.Options.ServiceVersion = "8.0.27"
	return r
}

func TestMaskInAStoreIsNeverSentBack(t *testing.T) {
	t.Parallel()
	for _, r := range storeRegistrations() {
		switch {
		case r.Config["deletion_protection"] == true:
			continue
		case r.Attributes["s3BucketName"] != "":
			r = withOptionalOfS3(r)
			r.Options.Unknowns.DeletesAssignableStores = false // so that a destroy sends a PUT first
		}
		providertest.CheckMasks(t, r, "uri", "awsAccessKey", "awsSecretKey", "oidc.clientSecret")
	}
}

func TestAbsenceOfAFieldOfAStore(t *testing.T) {
	t.Parallel()
	for _, r := range storeRegistrations() {
		switch {
		case r.Config["deletion_protection"] == true:
			continue
		case r.TypeName == providertest.S3BlockstoreType:
			r = withOptionalOfS3(r)
			r.Config = r.Config.With(values{"object_lock_enabled": true, "object_retention_mode": "GOVERNANCE", "object_retention_days": 3})
			r.Changes = append(slices.Clone(r.Changes), values{"oidc_token_resource": "r"})
		}
		providertest.CheckAbsences(t, r, map[string]string{
			"assignmentEnabled": providertest.Needed, "labels": providertest.Unset, "loadFactor": providertest.Unsaid,
			"maxCapacityGB": providertest.UnsetOnceReturned,
			"ssl":           providertest.Unsaid, "encryptedCredentials": providertest.Unsaid, "writeConcern": providertest.UnsetOnceReturned,
			"oidc.enabled": providertest.UnsetOnceReturned, "oidc.method": providertest.UnsetOnceReturned, "oidc.tokenUri": providertest.UnsetOnceReturned,
			"oidc.clientId": providertest.UnsetOnceReturned, "oidc.scope": providertest.UnsetOnceReturned, "oidc.tokenResource": providertest.UnsetOnceReturned,
			"s3BucketName": providertest.Needed, "s3BucketEndpoint": providertest.Needed, "s3MaxConnections": providertest.Needed,
			"pathStyleAccessEnabled": providertest.Needed, "sseEnabled": providertest.Needed, "acceptedTos": providertest.Needed,
			"s3AuthMethod": providertest.Unsaid, "s3RegionOverride": providertest.UnsetOnceReturned, "disableProxyS3": providertest.Unsaid,
			"customCertificates": providertest.UnsetOnceReturned, "objectLockEnabled": providertest.Unsaid,
			"objectRetentionMode": providertest.UnsetOnceReturned, "objectRetentionDays": providertest.UnsetOnceReturned,
			"storePath": providertest.Needed, "mmapv1CompressionSetting": providertest.Unsaid, "wtCompressionSetting": providertest.Unsaid,
		})
	}
}

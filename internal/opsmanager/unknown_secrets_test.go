package opsmanager_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestUnknownSecretsAreRecognized(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		read, again string // the other members of a store
		want        string
	}{
		{`"newSetting": "east"`, `"newSetting": "east"`, ""},
		{`"newSetting": "<hidden>"`, `"newSetting": "<hidden>"`, "newSetting"},
		{`"newSetting": "AKIA****WXYZ"`, `"newSetting": "AKIA****WXYZ"`, "newSetting"},
		{`"newSetting": "5f2a"`, `"newSetting": "77c1"`, "newSetting"},
		{`"newSetting": "5f2a"`, ``, "newSetting"},
		{`"newSetting": "-----"`, `"newSetting": "-----"`, "newSetting"},
		{`"lastSeen": "2026-11-20T08:15:00Z"`, `"lastSeen": "2026-11-20T08:15:01Z"`, ""},
		{`"lastSeen": "2026-11-20T08:15:00Z"`, `"lastSeen": "5f2a"`, "lastSeen"},
		{`"sslPEMKeyPwd": "5f2a"`, `"sslPEMKeyPwd": "5f2a"`, "sslPEMKeyPwd"},
		{`"pwd": "5f2a"`, `"pwd": "5f2a"`, "pwd"},
		{`"kmipPass": "5f2a"`, `"kmipPass": "5f2a"`, "kmipPass"},
		{`"sas": "5f2a"`, `"sas": "5f2a"`, "sas"},
		{`"encryptionKey": "5f2a"`, `"encryptionKey": "5f2a"`, "encryptionKey"},
		{`"signature": "5f2a"`, `"signature": "5f2a"`, "signature"},
		{`"passive": "yes"`, `"passive": "yes"`, ""},
		{`"newSize": 1, "newFlag": true`, `"newSize": 2, "newFlag": false`, ""},
		{`"newPassword": "5f2a"`, `"newPassword": "5f2a"`, "newPassword"},
		{`"newPassword": ""`, `"newPassword": ""`, ""},
		{`"newPassword": null`, `"newPassword": null`, ""},
		{`"newSetting": null`, `"newSetting": ""`, "newSetting"},
		{`"hasPassword": true`, `"hasPassword": true`, ""},
		{
			`"keyVault": {"vaultId": "v", "awsAccessKeyPath": "a", "awsSecretKeyPath": "b"}`,
			`"keyVault": {"vaultId": "v", "awsAccessKeyPath": "a", "awsSecretKeyPath": "b"}`, "",
		},
		{`"vault": {"tokens": ["5f2a"]}`, `"vault": {"tokens": ["5f2a"]}`, "vault"},
		{`"oidc": {"enabled": true, "newSecret": "5f2a"}`, `"oidc": {"enabled": true, "newSecret": "5f2a"}`, "oidc.newSecret"},
		{
			`"customCertificates": [{"filename": "a", "certString": "b", "key": "***"}]`,
			`"customCertificates": [{"filename": "a", "certString": "b", "key": "***"}]`, "customCertificates.key",
		},
		{`"uri": "mongodb://REDACTED@x", "awsSecretKey": "***"`, `"uri": "x", "awsSecretKey": "y"`, ""}, // these are known
	} {
		stores := make([]opsmanager.BackupStore, 2)
		for i, more := range []string{test.read, test.again} {
			document := strings.TrimSuffix(`{"id": "x", `+more, ", ") + "}"
			succeed(t, json.Unmarshal([]byte(document), &stores[i]))
		}
		equal(t, fmt.Sprint(test.read, " and ", test.again), strings.Join(opsmanager.UnknownSecrets(stores[0], stores[1]), " "), test.want)
	}
}

func TestAnUnknownMemberMayHaveASecretUnlessItIsANumberOrABoolean(t *testing.T) {
	t.Parallel()
	for member, want := range map[string]bool{`"text"`: true, "null": true, "[1]": true, "{}": true, "1": false, "true": false, "false": false} {
		var config opsmanager.JobConfig
		if err := json.Unmarshal([]byte(`{"newSetting": `+member+`}`), &config); err != nil {
			t.Fatal(err)
		}
		if got := opsmanager.MayHaveUnknownSecret(config); got != want {
			t.Errorf("%s: got %t", member, got)
		}
	}
}

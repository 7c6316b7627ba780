package opsmanager

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/certificates"
)

// masksOfSecrets are all forms of masks that are documented, or that servers and clients are known to use.
var masksOfSecrets = []string{
	"<redacted>", "<REDACTED>", "REDACTED", "[REDACTED]", "[redacted]", "**REDACTED**", "***", "********", "•••", "••••••••", "AKIA****WXYZ", "abc***", "***xyz",
	"xxxx", "xxxxxxxx", "XXXXXXXX", "<hidden>", "(hidden)", "[hidden]", "hidden", "HIDDEN", "<masked>", "[masked]", "masked", "[PROTECTED]", "<protected>", "protected", "-----", "...",
}

func TestMaskOfASecretIsNeverSentBackInAnAutomationConfiguration(t *testing.T) {
	t.Parallel()
	for _, mask := range masksOfSecrets {
		for name, member := range map[string]any{
			"autoPwd": mask, "newAutoPwd": mask, "key": mask, "newKey": mask, "bindQueryPassword": mask, "autoPEMKeyFilePwd": mask, "passwordHash": mask, "salt": mask,
			"a list of passwords": map[string]any{"passwords": []any{"a", mask}},
			"an object of a list": []any{map[string]any{"user": "a", "initPwd": mask}},
			"a secret":            map[string]any{"secret": map[string]any{"value": "a", "token": mask}},
		} {
			document, _ := json.Marshal(map[string]any{"version": 7, "auth": map[string]any{name: member}, "backupVersions": []any{}})
			if changed, err := configOf(t, string(document)).WithBackupModules([]string{"a"}, nil); !errors.Is(err, errConfigMasked) || changed != nil {
				t.Errorf("%s is %q: %v", name, mask, err)
			}
		}
	}
}

func TestSecretThatIsNoMaskIsSentBackInAnAutomationConfiguration(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"c0rrect horse", "x", "xxx", "ab**c", "", "-a-", "mongodb://u:p@db1"} {
		document, _ := json.Marshal(map[string]any{"version": 7, "auth": map[string]any{"autoPwd": secret, "keyfile": "/etc/hidden/key"}})
		if changed, err := configOf(t, string(document)).WithBackupModules([]string{"a"}, nil); err != nil || changed == nil {
			t.Errorf("%q: %v", secret, err)
		}
	}
}

func TestMaskOfAnUnknownMemberIsRecognized(t *testing.T) {
	t.Parallel()
	for _, mask := range masksOfSecrets {
		var store BackupStore
		document, _ := json.Marshal(map[string]any{"id": "x", "newSetting": mask})
		if err := decode(document, &store); err != nil {
			t.Fatal(err)
		}
		if found := UnknownSecrets(store, store); len(found) != 1 {
			t.Errorf("%q: found %v", mask, found)
		}
	}
}

func TestMaskMayShowItsSecretOnly(t *testing.T) {
	t.Parallel()
	const secret = "abc0rrectxyz"
	for _, shown := range []string{secret, "REDACTED", "[REDACTED]", "<redacted>", "***", "abc***", "***xyz", "abc****xyz", "••••", "xxxxxxxx", "hidden", "<hidden>", "(hidden)", "[PROTECTED]"} {
		if !CouldShow(shown, secret) {
			t.Errorf("%q can't show the secret", shown)
		}
	}
	for _, shown := range []string{"", "other", "other***", "***other", "abc0rrect", "mongodb://u@hidden.example.com"} {
		if CouldShow(shown, secret) {
			t.Errorf("%q shows the secret", shown)
		}
	}
	if CouldShow("mongodb://u:p@hidden.example.com", "mongodb://u:p@other.example.com") {
		t.Error("the name of a host is no mask")
	}
	if CouldShow("***", "") || !CouldShow("", "") {
		t.Error("a mask shows no secret")
	}
	if CouldShow("ab***ba", "aba") {
		t.Error("a character shows as two")
	}
}

func TestFrameOfACertificateIsNoCertificate(t *testing.T) {
	t.Parallel()
	authority, err := certificates.NewAuthority("a")
	if err != nil {
		t.Fatal(err)
	}
	certificate := string(certificates.EncodeCertificate(authority.Certificate))
	framed := func(text string) string {
		return "-----BEGIN CERTIFICATE-----\n" + text + "\n-----END CERTIFICATE-----\n"
	}
	for _, text := range []string{certificate, certificate + certificate, "# a comment\n" + certificate, strings.ReplaceAll(certificate, "\n", "\r\n")} {
		if !IsCertificate(text) {
			t.Errorf("no certificate: %s", text)
		}
	}
	for _, text := range append([]string{"", "PEM", framed(""), certificate + framed("REDACTED"), certificate + framed("***"), certificate[:len(certificate)-30]}, masksOfSecrets...) {
		for _, text := range []string{text, framed(text)} {
			if text != framed(certificate) && IsCertificate(text) {
				t.Errorf("a certificate: %s", text)
			}
		}
	}
}

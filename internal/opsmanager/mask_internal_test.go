package opsmanager

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/tools/certificates"
	"terraform-provider-opsmanager/internal/tools/masks"
)

// masksOfSecrets are the masks of what is known to be a secret.
var masksOfSecrets = slices.Concat(masks.Everywhere, masks.OfParts, masks.OfSecrets, masks.OfPartsOfSecrets)

func TestMaskCountsByWhatIsKnownOfItsPlace(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		texts []string
		from  Place // the first place in which they are masks
	}{
		{masks.Everywhere, InText},
		{masks.OfParts, InText},
		{slices.Concat(masks.OfSecrets, masks.OfPartsOfSecrets), InSecret},
		{masks.Doubtful, InUnknown},
		{masks.Secrets, InUnknown + 1},
	} {
		for _, text := range test.texts {
			for place := InText; place <= InUnknown; place++ {
				if IsMask(text, place) != (place >= test.from) {
					t.Errorf("%q in place %d", text, place)
				}
			}
		}
	}
	for _, text := range masks.Names {
		if IsMask(text, InText) {
			t.Errorf("%q is no mask", text)
		}
	}
}

func TestMaskOfASecretIsNeverSentBackInAnAutomationConfiguration(t *testing.T) {
	t.Parallel()
	for _, mask := range slices.Concat(masksOfSecrets, masks.Doubtful) {
		members := map[string]any{
			"a list of passwords": map[string]any{"passwords": []any{"a", mask}},
			"an object of a list": []any{map[string]any{"user": "a", "initPwd": mask}},
			"a list in a list":    map[string]any{"keys": []any{map[string]any{"key": []any{[]any{mask}}}}},
			"a secret":            map[string]any{"secret": map[string]any{"value": "a", "token": mask}},
		}
		for _, name := range []string{
			"autoPwd", "newAutoPwd", "key", "newKey", "bindQueryPassword", "autoPEMKeyFilePwd", "passwordHash", "salt",
			"tlsPemPassword", "storedKey",
		} {
			members[name] = mask
		}
		if IsMask(mask, InText) {
			members["restoreUrl"] = []any{map[string]any{"text": mask}}
		}
		for name, member := range members {
			document, _ := json.Marshal(map[string]any{"version": 7, "auth": map[string]any{name: member}, "backupVersions": []any{}})
			if changed, err := configOf(t, string(document)).WithBackupModules([]string{"a"}, nil); !errors.Is(err, errConfigMasked) || changed != nil {
				t.Errorf("%s is %q: %v", name, mask, err)
			}
		}
	}
}

func TestSecretThatIsNoMaskIsSentBackInAnAutomationConfiguration(t *testing.T) {
	t.Parallel()
	for _, secret := range slices.Concat(masks.Secrets, []string{""}) {
		document, _ := json.Marshal(map[string]any{"version": 7, "auth": map[string]any{"autoPwd": secret, "newAutoPwd": nil, "keyfile": "/etc/hidden/key"}})
		if changed, err := configOf(t, string(document)).WithBackupModules([]string{"a"}, nil); err != nil || changed == nil {
			t.Errorf("%q: %v", secret, err)
		}
	}
}

func TestMaskOfAnUnknownMemberIsRecognized(t *testing.T) {
	t.Parallel()
	for _, mask := range slices.Concat(masksOfSecrets, masks.Doubtful) {
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

func TestMaskedTextOfARequestIsNamedUnlessItIsConfigured(t *testing.T) {
	t.Parallel()
	const mask = "[REDACTED]"
	sent := JobConfig{
		LabelFilter:  &Replaced[string]{"hidden", mask},
		DaemonFilter: &Replaced[DaemonMachine]{{Machine: "b", Unknown: UnknownFields{"zone": []byte(`["***"]`)}}},
	}
	if found := MaskedTexts(sent, JobConfig{}); !slices.Equal(slices.Sorted(slices.Values(found)), []string{"labelFilter", "zone"}) {
		t.Errorf("found %v", found)
	}
	if found := MaskedTexts(sent, sent); len(found) > 0 {
		t.Errorf("found %v, which is configured", found)
	}
	if found := MaskedTexts(sent, JobConfig{SyncStoreFilter: &Replaced[string]{mask}}); len(found) != 2 {
		t.Errorf("found %v: another member is configured", found)
	}
}

func TestMaskMayShowItsSecretOnly(t *testing.T) {
	t.Parallel()
	const secret, uri = "abc0rrectxyz", "mongodb://backup:p@db.example.com"
	for _, mask := range slices.Concat(masks.Everywhere, masks.OfSecrets, []string{
		secret, "abc***", "***xyz", "abc****xyz", "abc••••xyz", "abc…xyz", "xxxxxxyz", "abcxxxx", "abc<hidden>", "abc[PROTECTED]xyz",
	}) {
		if !CouldShow(mask, secret) {
			t.Errorf("%q can't show the secret", mask)
		}
	}
	for _, shown := range []string{
		"mongodb://REDACTED:REDACTED@db.example.com", "mongodb://backup:<redacted>@db.example.com",
		"mongodb://redacted:redacted@db.example.com", "mongodb://backup:xxxxx@db.example.com",
		"mongodb://backup:hidden@db.example.com", "mongodb://hidden@db.example.com", "mongodb://***@db.example.com", "mongodb://***", "[REDACTED]",
	} {
		if !CouldShow(shown, uri) {
			t.Errorf("%q can't show the connection string", shown)
		}
	}
	for _, shown := range []string{
		"mongodb://other:hidden@db.example.com", "mongodb://other:xxxxx@db.example.com",
		"mongodb://REDACTED:REDACTED@other.example.com", "mongodb://other:***@db.example.com",
		"mongodb://redacted:redacted@other.example.com",
	} {
		if CouldShow(shown, uri) {
			t.Errorf("%q shows the connection string", shown)
		}
	}
	for _, shown := range append([]string{
		"", "other", "other***", "***other", "abc0rrect", "other…", "xxxxother", "otherxxxx", "other<hidden>",
		"mongodb://u@hidden.example.com",
	}, masks.Secrets...) {
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
		if !IsCertificate(text) || IsMask(text, InUnknown) {
			t.Errorf("no certificate: %s", text)
		}
	}
	for _, text := range slices.Concat([]string{
		"", "PEM", framed(""), certificate + framed("REDACTED"), certificate + framed("***"), certificate[:len(certificate)-30],
	}, masksOfSecrets, masks.Doubtful) {
		for _, text := range []string{text, framed(text)} {
			if text != framed(certificate) && IsCertificate(text) {
				t.Errorf("a certificate: %s", text)
			}
		}
	}
}

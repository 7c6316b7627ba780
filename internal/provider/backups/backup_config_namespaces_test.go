package backups_test

import (
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

func TestPlanWarnsIfNewSnapshotsWillLackData(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		excluded, included []any // before
		change             values
		reason             string
	}{
		"a namespace more is excluded":  {[]any{"tmp"}, nil, values{"excluded_namespaces": []any{"tmp", "shop"}}, "excluded_namespaces gets new elements"},
		"a namespace less is excluded":  {[]any{"tmp", "shop"}, nil, values{"excluded_namespaces": []any{"tmp"}}, ""},
		"a namespace less is included":  {nil, []any{"tmp", "shop"}, values{"included_namespaces": []any{"shop"}}, "included_namespaces loses elements"},
		"a namespace more is included":  {nil, []any{"tmp"}, values{"included_namespaces": []any{"shop", "tmp"}}, ""},
		"only some are included":        {nil, nil, values{"included_namespaces": []any{"shop"}}, "included_namespaces is set"},
		"exclusions replace inclusions": {nil, []any{"tmp"}, values{"excluded_namespaces": []any{"shop"}}, ""},
		"another setting":               {[]any{"tmp"}, nil, values{"ssl_enabled": true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.BackupConfigType)
			s.SetBackupConfig(payments, ledger, object{"excludedNamespaces": test.excluded, "includedNamespaces": test.included})
			r.ImportID(payments + "/" + ledger).WantNone(t)
			r.Configure()
			warned := slices.DeleteFunc(r.Plan(backupConfig(ledger, test.change)).Warnings(), func(text string) bool {
				return !strings.Contains(text, "Will Lack Data")
			})
			if test.reason != "" {
				providertest.WantOne(t, warned, "New Snapshots of Cluster ledger ("+ledger+") Will Lack Data", "because "+test.reason+".", "costs a resync")
			} else if len(warned) > 0 {
				t.Error(warned)
			}
		})
	}
}

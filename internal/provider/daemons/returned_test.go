package daemons_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// A PUT replaces the whole object, so it could put back what someone removed.
func TestFieldThatWasRemovedElsewhereIsDriftAndNeverRestoredSilently(t *testing.T) {
	t.Parallel()
	isSet := func(value any) bool {
		list, isList := value.([]any)
		return value != nil && (!isList || len(list) > 0)
	}
	for attribute, test := range map[string]struct {
		typeName, field       string
		config, change, other providertest.Values
	}{
		"num_workers": {
			providertest.DaemonType, "numWorkers", daemon(unused, providertest.Values{"num_workers": 4}),
			providertest.Values{"labels": []any{"east"}}, providertest.Values{"labels": []any{"west"}},
		},
		"head_disk_type": {
			providertest.DaemonType, "headDiskType", daemon(unused, providertest.Values{"head_disk_type": "SSD"}),
			providertest.Values{"labels": []any{"east"}}, providertest.Values{"labels": []any{"west"}},
		},
		"labels": {
			providertest.DaemonType, "labels", daemon(unused, providertest.Values{"labels": []any{"east"}}),
			providertest.Values{"backup_jobs_enabled": false}, providertest.Values{"backup_jobs_enabled": true},
		},
		"kmip_client_cert_path": {
			providertest.JobConfigType, "kmipClientCertPath", jobConfig(payments, kmip),
			byLabel, providertest.Values{"label_filter": []any{"west"}},
		},
		"daemon_filter": {
			providertest.JobConfigType, "daemonFilter", jobConfig(payments, providertest.Values{"daemon_filter": []any{providertest.Values{"machine": unused}}}),
			byLabel, providertest.Values{"label_filter": []any{"west"}},
		},
	} {
		t.Run(attribute, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, test.typeName, emulator.Options{})
			set, held := func(fields map[string]any) { s.SetBackupDaemon(unused, headRoot, fields) }, func() map[string]any { return s.BackupDaemon(unused, headRoot) }
			if test.typeName == providertest.JobConfigType {
				set, held = func(fields map[string]any) { s.SetJobConfig(payments, fields) }, func() map[string]any { return s.JobConfig(payments) }
			}
			r.MustApply(test.config)
			changed := providertest.With(test.config, test.change)
			early := r.Plan(changed) // made before the change
			set(map[string]any{test.field: nil, "kmipClientCertPassword": nil})
			r.Configure()
			providertest.WantOne(t, r.Apply(early, nil).Errors(), "changed since the plan: "+attribute+" is ")
			if held := held(); isSet(held[test.field]) {
				t.Errorf("an update of another field restored %v", held[test.field])
			}
			r.MustRefresh()
			if got := r.Plan(changed).Changes(); !slices.Contains(got, attribute) {
				t.Errorf("the plan changes %q", got)
			}
			r.Configure()
			r.MustApply(changed)
			if !isSet(held()[test.field]) {
				t.Error("the apply did not set it")
			}
			if attribute == "kmip_client_cert_path" {
				return // without the attribute, the path is not managed
			}
			delete(changed, attribute)
			set(map[string]any{test.field: nil})
			r.MustRefresh()
			r.MustApply(providertest.With(changed, test.other))
			if held := held(); isSet(held[test.field]) {
				t.Errorf("an update restored %v, which is not configured", held[test.field])
			}
		})
	}
}

func TestFieldThatIsNeverReturnedIsSentAndNamed(t *testing.T) {
	t.Parallel()
	for attribute, test := range map[string]struct {
		typeName, field, named string
		config, change         providertest.Values
	}{
		"num_workers":         {providertest.DaemonType, "numWorkers", "num_workers = 4", daemon(unused, providertest.Values{"num_workers": 4}), providertest.Values{"labels": []any{"east"}}},
		"backup_jobs_enabled": {providertest.DaemonType, "backupJobsEnabled", "backup_jobs_enabled = true", daemon(unused, providertest.Values{"backup_jobs_enabled": true}), providertest.Values{"labels": []any{"east"}}},
		"kmip_client_cert_path": {
			providertest.JobConfigType, "kmipClientCertPath", `kmip_client_cert_path = "/etc/kmip.pem"`, jobConfig(payments, kmip), byLabel,
		},
	} {
		t.Run(attribute, func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t, emulator.Options{})
			proxy.Handle(providertest.Rewrite(func(_ *http.Request, document map[string]any) { delete(document, test.field) }))
			r := providertest.NewWorkspaceOn(t, proxy.NewServer(20*time.Millisecond), proxy.Service, nil).NewResource(test.typeName)
			r.MustApply(test.config)
			r.Configure()
			diags := r.MustApply(providertest.With(test.config, test.change))
			providertest.WantOne(t, diags.Warnings(), "Not Returned", test.named)
			sent := proxy.Sent(http.MethodPut, "")
			if last := sent[len(sent)-1]; !strings.Contains(last, fmt.Sprintf("%q:", test.field)) {
				t.Errorf("sent %s", last)
			}
		})
	}
}

// Without a note of the removal, a path that is not in the state would count as not managed.
func TestCertificateThatIsReturnedAgainIsNoLongerDrift(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.JobConfigType, emulator.Options{})
	config := jobConfig(payments, kmip)
	r.MustApply(config)
	for range 2 {
		for _, step := range []struct {
			path    any
			changes []string
		}{{nil, []string{"kmip_client_cert_path"}}, {nil, []string{"kmip_client_cert_path"}}, {"/etc/kmip.pem", nil}, {"/etc/clicked.pem", []string{"kmip_client_cert_path"}}} {
			s.SetJobConfig(payments, map[string]any{"kmipClientCertPath": step.path})
			r.Configure()
			r.MustRefresh()
			if got := r.Plan(config).Changes(); !slices.Equal(got, step.changes) {
				t.Errorf("with the path %v, the plan changes %q", step.path, got)
			}
		}
	}
}

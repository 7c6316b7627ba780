package daemons_test

import (
	"net/http"
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// A newer version of Ops Manager has members that the provider does not know.
func TestUpdateKeepsTheSettingsThatTheProviderDoesNotKnow(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.DaemonType, emulator.Options{})
	s.SetBackupDaemon(unused, headRoot, map[string]any{"newSetting": "x", "machine": map[string]any{"zone": "z"}, "labels": []any{"old"}, "assignmentEnabled": true})
	r.MustApply(daemon(unused, providertest.Values{"labels": []any{"east"}}))
	providertest.WantLastSent(t, s, "PUT", `{"newSetting": "x", "machine": {"zone": "z", "machine": "om-au.example.com", "headRootDirectory": "/data/backup/"},
		"configured": true, "assignmentEnabled": true, "backupJobsEnabled": true, "garbageCollectionEnabled": true, "resourceUsageEnabled": false,
		"restoreQueryableJobsEnabled": false, "labels": ["east"]}`)

	s, r = providertest.StartResource(t, providertest.JobConfigType, emulator.Options{})
	s.SetJobConfig(payments, map[string]any{"newSetting": "x", "daemonFilter": []any{map[string]any{"machine": inUse, "weight": 2.0}}})
	r.MustApply(jobConfig(payments, byLabel, reset))
	providertest.WantLastSent(t, s, "PUT", `{"newSetting": "x", "labelFilter": ["east"], "daemonFilter": [{"machine": "om-ny.example.com", "weight": 2}], "privateLinkEnabled": false}`)
	r.Configure()
	if errors := r.Destroy().Errors(); len(errors) > 0 {
		t.Errorf("destroy: %q", errors)
	}
	providertest.WantLastSent(t, s, "PUT", `{"newSetting": "x", "labelFilter": [], "privateLinkEnabled": false}`)
}

// A PUT would send it back as an empty text.
func TestNullInAListIsNotSentBack(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t, emulator.Options{})
	r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.JobConfigType)
	config := jobConfig(payments, byLabel)
	r.MustApply(config)
	p := r.Plan(jobConfig(payments, providertest.Values{"label_filter": []any{"west"}}))
	proxy.ResetRequests()
	proxy.Handle(providertest.Rewrite(func(_ *http.Request, document map[string]any) { document["syncStoreFilter"] = []any{nil} }))
	providertest.WantOne(t, r.Apply(p, nil).Errors(), "Unable to Update Backup Job Configuration", "syncStoreFilter has the wrong type, null")
	providertest.WantWrites(t, proxy.Service)
}

// A PUT may store the mask of a secret.
func TestFirstConfigurationNeverSendsTheMaskOfASettingThatTheProviderDoesNotKnow(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{"newSetting": map[string]any{"mode": "[REDACTED]"}, "labels": []any{"[REDACTED]"}} {
		s, r := providertest.StartResource(t, providertest.DaemonType, emulator.Options{})
		s.SetBackupDaemon(unconfigured, "", map[string]any{name: value})
		providertest.WantOne(t, r.Apply(r.Plan(daemon(unconfigured)), nil).Errors(), "Unknown Secret", name, "newer version")
		providertest.WantWrites(t, s)
	}
}

func TestConfiguredLabelsThatLookLikeMasksAreSent(t *testing.T) {
	t.Parallel()
	labels := []any{"[REDACTED]", "a***"}
	_, d := providertest.StartResource(t, providertest.DaemonType, emulator.Options{})
	d.MustApply(daemon(unconfigured, providertest.Values{"labels": labels}))
	_, j := providertest.StartResource(t, providertest.JobConfigType, emulator.Options{})
	for _, password := range []string{"c0rrect***", "[hidden]"} {
		config := jobConfig(payments, kmip, providertest.Values{"label_filter": labels, "kmip_client_cert_password": password})
		j.MustApply(config)
		providertest.WantEmptyPlan(t, j.Plan(config))
	}
}

func TestFieldThatAnotherClientRemovedIsDrift(t *testing.T) {
	t.Parallel()
	for attribute, value := range map[string]any{"num_workers": 4, "head_disk_type": "SSD", "labels": []any{"east"}} {
		s, r := providertest.StartResource(t, providertest.DaemonType, emulator.Options{})
		config := daemon(unused, providertest.Values{attribute: value})
		r.MustApply(config)
		s.SetBackupDaemon(unused, headRoot, map[string]any{"numWorkers": nil, "headDiskType": nil, "labels": nil})
		r.MustRefresh()
		if got := r.Plan(config).Changes(); !slices.Equal(got, []string{attribute}) {
			t.Errorf("%s: the plan changes %q", attribute, got)
		}
	}
}

// A response without the certificate does not say that there is none, and a PUT without it would remove it.
func TestCertificateThatIsNotReturnedIsNotRemoved(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t, emulator.Options{})
	proxy.Service.SetJobConfig(payments, map[string]any{"labelFilter": []any{"east"}})
	r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.JobConfigType)
	config := jobConfig(payments, byLabel, kmip, providertest.Values{"on_destroy": "reset"})
	r.MustApply(config)
	proxy.Handle(providertest.Rewrite(func(_ *http.Request, document map[string]any) { delete(document, "kmipClientCertPath") }))
	r.MustRefresh()
	p := r.Plan(providertest.With(config, providertest.Values{"label_filter": []any{"west"}}))
	if got := p.Changes(); !slices.Equal(got, []string{"label_filter"}) {
		t.Errorf("the plan changes %q", got)
	}
	providertest.WantOne(t, r.Apply(p, nil).Errors(), "kmip_client_cert_path is not returned, and the plan showed", "terraform state rm ADDRESS")
	providertest.WantOne(t, r.Destroy().Errors(), "kmip_client_cert_path is not returned, and the plan showed")
	if held := proxy.Service.JobConfig(payments); held["kmipClientCertPath"] == nil {
		t.Errorf("the service holds %v", held)
	}
}

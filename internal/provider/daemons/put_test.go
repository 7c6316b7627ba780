package daemons_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// newer is what a newer version of Ops Manager adds to an object.
var newer = map[string]any{"newSetting": map[string]any{"mode": "x", "limits": []any{1.0, "y"}}}

func TestUpdateKeepsTheSettingsThatTheProviderDoesNotKnow(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.DaemonType, emulator.Options{})
	s.SetBackupDaemon(unused, headRoot, newer)
	s.SetBackupDaemon(unused, headRoot, map[string]any{"machine": map[string]any{"zone": "z"}, "labels": []any{"old"}, "assignmentEnabled": true})
	r.MustApply(daemon(unused, providertest.Values{"labels": []any{"east"}}))
	providertest.WantLastSent(t, s, "PUT", `{"newSetting": {"mode": "x", "limits": [1, "y"]}, "machine": {"zone": "z", "machine": "om-au.example.com", "headRootDirectory": "/data/backup/"},
		"configured": true, "assignmentEnabled": true, "backupJobsEnabled": true, "garbageCollectionEnabled": true, "resourceUsageEnabled": false,
		"restoreQueryableJobsEnabled": false, "labels": ["east"]}`)

	s, r = providertest.StartResource(t, providertest.JobConfigType, emulator.Options{})
	s.SetJobConfig(payments, newer)
	s.SetJobConfig(payments, map[string]any{"daemonFilter": []any{map[string]any{"machine": inUse, "weight": 2.0}}})
	r.MustApply(jobConfig(payments, byLabel))
	providertest.WantLastSent(t, s, "PUT", `{"newSetting": {"mode": "x", "limits": [1, "y"]}, "labelFilter": ["east"], "daemonFilter": [{"machine": "om-ny.example.com", "weight": 2}], "privateLinkEnabled": false}`)
	r.MustApply(jobConfig(payments, providertest.Values{"daemon_filter": []any{daemon(unused), providertest.Values{"machine": inUse}}}))
	providertest.WantLastSent(t, s, "PUT", `{"newSetting": {"mode": "x", "limits": [1, "y"]}, "labelFilter": ["east"],
		"daemonFilter": [{"machine": "om-au.example.com", "headRootDirectory": "/data/backup/"}, {"machine": "om-ny.example.com", "weight": 2}], "privateLinkEnabled": false}`)
	r.MustApply(jobConfig(payments, reset))
	r.Configure()
	if errors := r.Destroy().Errors(); len(errors) > 0 {
		t.Errorf("destroy: %q", errors)
	}
	providertest.WantLastSent(t, s, "PUT", `{"newSetting": {"mode": "x", "limits": [1, "y"]}, "labelFilter": [], "privateLinkEnabled": false}`)
}

// Leaving them out would reset what someone has set.
func TestSettingsThatOpsManagerReturnsAndRejectsPreventAChange(t *testing.T) {
	t.Parallel()
	options := emulator.Options{Unknowns: emulator.Unknowns{RejectsReturnedMembers: true}}
	s, r := providertest.StartResource(t, providertest.DaemonType, options)
	s.SetBackupDaemon(unused, headRoot, newer)
	diags := r.Apply(r.Plan(daemon(unused, providertest.Values{"labels": []any{"east"}})), nil)
	providertest.WantOne(t, diags.Errors(), "Unable to Adopt Backup Daemon", "400 Bad Request", "newSetting")

	s, r = providertest.StartResource(t, providertest.JobConfigType, options)
	s.SetJobConfig(payments, newer)
	diags = r.Apply(r.Plan(jobConfig(payments, byLabel)), nil)
	providertest.WantOne(t, diags.Errors(), "Unable to Adopt Backup Job Configuration", "400 Bad Request", "newSetting")
	if held := s.JobConfig(payments); held["newSetting"] == nil {
		t.Errorf("the service holds %v", held)
	}
}

// A PUT may store the mask of a secret.
func TestMaskOfASettingThatTheProviderDoesNotKnowIsNeverSent(t *testing.T) {
	t.Parallel()
	for name, masked := range map[string]map[string]any{
		"a mask":               {"newSetting": map[string]any{"mode": "[REDACTED]"}},
		"another mask":         {"newSetting": []any{"<hidden>"}},
		"the name of a secret": {"newSetting": map[string]any{"token": "5f2a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.DaemonType, emulator.Options{})
			s.SetBackupDaemon(unused, headRoot, masked)
			p := r.Plan(daemon(unused, providertest.Values{"labels": []any{"east"}}))
			providertest.WantOne(t, r.Apply(p, nil).Errors(), "Unknown Secret", "newSetting", "newer version")
			r.State = r.Null()
			s.SetBackupDaemon(unconfigured, "", masked)
			p = r.Plan(daemon(unconfigured))
			providertest.WantOne(t, r.Apply(p, nil).Errors(), "Unknown Secret", "newSetting", "newer version")
			providertest.WantWrites(t, s)

			s, r = providertest.StartResource(t, providertest.JobConfigType, emulator.Options{})
			s.SetJobConfig(payments, masked)
			p = r.Plan(jobConfig(payments, byLabel))
			providertest.WantOne(t, r.Apply(p, nil).Errors(), "Unknown Secret", "newSetting", "newer version")
			providertest.WantWrites(t, s)
		})
	}
}

package infrastructure_test

import (
	"fmt"
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestBackupDaemonsDataSource(t *testing.T) {
	t.Parallel()
	providertest.CheckListSource(t, providertest.Source{
		Type:    "opsmanager_backup_daemons",
		Prepare: func(s *providertest.Service) { s.RemoveBackupDaemon("om-new.example.com", headRoot) }, // it would register after some requests
		ID:      "machine", Lost: `{"machine": {"headRootDirectory": "/lost/"}}`, Warns: []string{
			"Backup Daemons Without an ID", `lists 1 backup daemon without an ID: "/lost/"`,
		},
	})
}

func TestEveryFieldOfTheDaemonsIsListed(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	data := providertest.NewWorkspace(t, s).MustRead(t, providertest.DaemonsType, nil)
	if got := providertest.ResultValues(t, data, "machine"); !slices.Equal(got, []string{unused, unconfigured, inUse}) {
		t.Fatalf("daemons %q", got)
	}
	results, _ := data["results"].([]any)
	want := values{
		"machine": inUse, "head_root_directory": headRoot, "configured": true, "assignment_enabled": true, "backup_jobs_enabled": true,
		"garbage_collection_enabled": true, "resource_usage_enabled": true, "restore_queryable_jobs_enabled": true,
		"head_disk_type": "SSD", "num_workers": 6, "labels": []any{"east", "production"},
	}
	providertest.WantEqual(t, results[2], want)
	if fields, _ := results[1].(values); fields["head_root_directory"] != nil || fields["configured"] != false {
		t.Errorf("a daemon that was never configured is %v", fields)
	}
}

func TestListedDaemonsAreSortedByMachineAndHeadDirectory(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{Seed: &emulator.Seed{}})
	s.Inject(emulator.Fault{Status: 200, Body: `{"totalCount": 5, "results": [
		{"machine": {"machine": "om-1", "headRootDirectory": "/a/"}},
		{"machine": {"headRootDirectory": "/a/"}},
		{"machine": {"machine": "om"}},
		{"machine": {"machine": "om", "headRootDirectory": "/b/"}},
		{"machine": {"machine": "om", "headRootDirectory": "/a/"}}]}`})
	data, _ := providertest.NewWorkspace(t, s).Read(providertest.DaemonsType, nil)
	got := fmt.Sprint(providertest.ResultValues(t, data, "machine"), providertest.ResultValues(t, data, "head_root_directory"))
	if want := "[om om om om-1 <nil>] [/a/ /b/ <nil> /a/ /a/]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

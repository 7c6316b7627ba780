package daemons_test

import (
	"fmt"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestTerraformShowsAndAppliesWhatAnAdoptionOverwrites(t *testing.T) {
	t.Parallel()
	r := providertest.StartRun(t, emulator.Options{})
	set := func(workers float64) {
		r.Service.SetBackupDaemon(unused, headRoot, map[string]any{"numWorkers": workers})
	}
	set(6)
	r.Configure(fmt.Sprintf("resource \"opsmanager_backup_daemon\" \"one\" {\n  machine             = %q\n  head_root_directory = %q\n  num_workers         = 4\n}\n", unused, headRoot))
	providertest.WantContains(t, r.Succeeds("plan", "-out=saved"), "overwrites", "6 -> 4")
	set(7)
	providertest.WantContains(t, r.Fails("apply", "saved"), "inconsistent final plan", ".overwrites", "7 -> 4")
	providertest.WantWrites(t, r.Service)

	r.Succeeds("apply", "-auto-approve")
	providertest.WantWrites(t, r.Service, "PUT /admin/backup/daemon/configs/om-au.example.com/%2Fdata%2Fbackup%2F")
	r.Succeeds("plan", "-detailed-exitcode")
}

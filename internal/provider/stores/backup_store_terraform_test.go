package stores_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// oneStore returns the resource block of an S3 blockstore. The expressions replace its attributes.
func oneStore(t *testing.T, expressions map[string]string, more string) string {
	t.Helper()
	written := map[string]string{}
	maps.Copy(written, expressions)
	for attribute, value := range s3Config() {
		if written[attribute] == "" {
			literal, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			written[attribute] = string(literal)
		}
	}
	var text strings.Builder
	for _, attribute := range slices.Sorted(maps.Keys(written)) {
		fmt.Fprintf(&text, "  %s = %s\n", attribute, written[attribute])
	}
	return "resource \"opsmanager_s3_blockstore\" \"one\" {\n" + text.String() + more + "\n}\n"
}

const createFirst = "  lifecycle {\n    create_before_destroy = true\n  }"

func TestTerraformGivesANewBucketANewStore(t *testing.T) {
	t.Parallel()
	for name, lifecycle := range map[string]string{"deleted first": "", "created first": createFirst} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := providertest.StartRun(t, emulator.Options{Unknowns: emulator.Unknowns{DeletesAssignableStores: true}})
			r.Configure(oneStore(t, nil, lifecycle))
			r.Succeeds("apply", "-auto-approve")
			r.Service.ResetRequests()

			other := map[string]string{"s3_bucket_name": `"other"`}
			r.Configure(oneStore(t, other, lifecycle))
			providertest.WantContains(t, r.Fails("apply", "-auto-approve"), "Unable to Change S3 Blockstore", `s3_bucket_name`, "choose a new id")
			r.Succeeds("taint", "opsmanager_s3_blockstore.one")
			r.Fails("apply", "-auto-approve")
			r.Succeeds("untaint", "opsmanager_s3_blockstore.one")
			providertest.WantWrites(t, r.Service)

			r.Configure(oneStore(t, nil, lifecycle))
			r.Succeeds("plan", "-detailed-exitcode")
			other["id"] = `"other"`
			r.Configure(oneStore(t, other, lifecycle))
			r.Succeeds("apply", "-auto-approve")
			r.Succeeds("plan", "-detailed-exitcode")
			if r.Service.BackupStore(emulator.S3Blockstore, "new") != nil || r.Service.BackupStore(emulator.S3Blockstore, "other") == nil {
				t.Error("the store was not replaced")
			}
			r.Succeeds("destroy", "-auto-approve")
		})
	}
}

// Terraform deletes what is no longer configured before it changes what refers to it.
func TestTerraformDeletesAStoreOnlyAfterAnApplyThatRemovesItFromAFilter(t *testing.T) {
	t.Parallel()
	r := providertest.StartRun(t, emulator.Options{})
	const store = "resource \"opsmanager_file_system_store\" \"one\" {\n  id                 = \"new\"\n  store_path         = \"/mnt/new\"\n  assignment_enabled = true\n  timeouts           = { delete = \"2s\" }\n}\n"
	filter := func(elements string) string {
		return fmt.Sprintf("resource \"opsmanager_project_backup_job_config\" \"one\" {\n  project_id            = %q\n  snapshot_store_filter = [%s]\n}\n", providertest.Payments, elements)
	}
	r.Configure(store + filter(`{ id = opsmanager_file_system_store.one.id, type = "fileSystemStore" }`))
	r.Succeeds("apply", "-auto-approve")
	r.Configure(filter(""))
	providertest.WantContains(t, r.Fails("apply", "-auto-approve"), "BACKUP_CANNOT_REMOVE_FS_STORE_CONFIG", "while the store's resource block is still there")
	r.Configure(store + filter(""))
	r.Succeeds("apply", "-auto-approve")
	r.Configure(filter(""))
	providertest.WantContains(t, r.Succeeds("apply", "-auto-approve"), "1 destroyed")
}

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

func TestTerraformKeepsAStoreWhoseValuesTurnOutToBeTheSame(t *testing.T) {
	t.Parallel()
	r := providertest.StartRun(t, emulator.Options{Unknowns: emulator.Unknowns{DeletesAssignableStores: true}})
	body := func(trigger, value string, attributes ...string) string {
		expressions := map[string]string{}
		for _, attribute := range attributes {
			expressions[attribute] = "terraform_data.late.output"
		}
		return fmt.Sprintf("resource \"terraform_data\" \"late\" {\n  input            = %q\n  triggers_replace = %q\n}\n", value, trigger) + oneStore(t, expressions, "")
	}
	r.Configure(body("a", "bucket", "s3_bucket_name"))
	r.Succeeds("apply", "-auto-approve")
	r.Service.ResetRequests()
	r.Configure(body("b", "bucket", "s3_bucket_name"))
	providertest.WantContains(t, r.Succeeds("apply", "-auto-approve"), "1 destroyed") // terraform_data.late
	providertest.WantWrites(t, r.Service)

	r.Configure(body("c", "other", "s3_bucket_name"))
	providertest.WantContains(t, r.Fails("apply", "-auto-approve"), "Unable to Change S3 Blockstore")
	providertest.WantWrites(t, r.Service)

	r.Configure(body("d", "new", "id"))
	providertest.WantContains(t, r.Fails("apply", "-auto-approve"), "Unable to Replace S3 Blockstore", "known when you plan")
	providertest.WantWrites(t, r.Service)
}

// Each alias has a process of its own, so neither knows what the other one plans.
func TestTerraformWarnsWhenAStoreMovesToAnotherAlias(t *testing.T) {
	t.Parallel()
	r := providertest.StartRun(t, emulator.Options{Unknowns: emulator.Unknowns{DeletesAssignableStores: true}})
	alias := strings.Replace(r.Service.Config(""), "{", "{\n alias = \"b\"", 1)
	inAlias := func(name string) string {
		return strings.Replace(oneStore(t, map[string]string{"provider": "opsmanager.b"}, ""), `"one"`, `"`+name+`"`, 1)
	}
	one := oneStore(t, nil, "")
	r.Configure(alias + one)
	r.Succeeds("apply", "-auto-approve")
	r.Configure(alias + one + inAlias("two") + "import {\n  to = opsmanager_s3_blockstore.two\n  id = \"new\"\n}\n")
	r.Succeeds("apply", "-auto-approve")
	r.Succeeds("plan", "-detailed-exitcode")
	r.Service.ResetRequests()
	r.Configure(alias + inAlias("two"))
	providertest.WantContains(t, r.Succeeds("plan"), "S3 Blockstore new Will Be Deleted", "moved block")
	r.Configure(alias + "moved {\n  from = opsmanager_s3_blockstore.one\n  to   = opsmanager_s3_blockstore.renamed\n}\n" + inAlias("renamed"))
	r.Succeeds("state", "rm", "opsmanager_s3_blockstore.two")
	r.Succeeds("apply", "-auto-approve")
	r.Succeeds("plan", "-detailed-exitcode")
	providertest.WantWrites(t, r.Service)
}

func TestTerraformShowsTheAssignmentThatAFailedDestroyTurnedOff(t *testing.T) {
	t.Parallel()
	r := providertest.StartRun(t, emulator.Options{})
	r.Configure(oneStore(t, map[string]string{"timeouts": `{ delete = "6s" }`}, ""))
	r.Succeeds("apply", "-auto-approve")
	r.Service.UseBackupStore(emulator.S3Blockstore, "new", "project Payments")
	providertest.WantContains(t, r.Succeeds("plan", "-destroy"), "sets assignment_enabled = false")
	providertest.WantContains(t, r.Fails("destroy", "-auto-approve"), "Unable to Delete S3 Blockstore", "no jobs are bound")
	providertest.WantContains(t, r.Succeeds("plan", "-refresh=false"), "assignment_enabled", "false -> true")
	r.Succeeds("apply", "-auto-approve")
	r.Succeeds("plan", "-detailed-exitcode")
	if held := r.Service.BackupStore(emulator.S3Blockstore, "new"); held["assignmentEnabled"] != true {
		t.Errorf("held %v", held)
	}
	r.Service.UseBackupStore(emulator.S3Blockstore, "new")
	r.Succeeds("destroy", "-auto-approve")
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

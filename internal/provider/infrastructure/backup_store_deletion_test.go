package infrastructure_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestAssignableS3BlockstoreIsDeleted(t *testing.T) {
	t.Parallel()
	providertest.OnEachVersion(t, both, func(t *testing.T, version string) {
		s, r := startS3Blockstore(t, emulator.Options{ServiceVersion: version})
		r.MustApply(s3Config())
		s.ResetRequests()
		r.Destroy().WantNoErrors(t)
		const one = " /admin/backup/snapshot/s3Configs/new"
		providertest.WantWrites(t, s, "DELETE"+one, "PUT"+one, "DELETE"+one)
		if sent := providertest.LastSent(t, s, "PUT"); sent["assignmentEnabled"] != false || sent["uri"] != mongoURI["uri"] ||
			sent["awsSecretKey"] != s3Secrets["aws_secret_key"] {
			t.Errorf("sent %v", sent)
		}
	})
}

func TestDeletedStoreIsShownWithTheNamesOfItsSecrets(t *testing.T) {
	t.Parallel()
	_, r := providertest.StartResource(t, providertest.S3OplogStoreType)
	r.MustApply(storeKinds[4].config(
		"new", values{"assignment_enabled": false, "labels": []any{"a", "b"}, "custom_certificates": []any{certificate("ca.pem", "A")}},
	))
	diags := r.Destroy()
	diags.WantNoErrors(t)
	shown := strings.Join(diags.Warnings(), "\n")
	providertest.WantContains(
		t, shown, `labels                    = ["a", "b"]`,
		"Add these, which are not shown: aws_access_key, aws_secret_key, uri, custom_certificates.",
	)
	for _, secret := range s3Secrets {
		if strings.Contains(shown, fmt.Sprint(secret)) {
			t.Errorf("shows %v", secret)
		}
	}
}

func TestPlanSaysWhetherTheDeletedStoreMayBeEmpty(t *testing.T) {
	t.Parallel()
	for used, want := range map[any]string{
		nil:     "no snapshot is in it. After a refusal, the apply tries again",
		0.0:     "no snapshot is in it. Its used_size is 0. After a refusal, the apply tries again",
		90253.0: "no snapshot is in it. Its used_size is 90253, so it may still contain snapshots. After a refusal, the apply tries again",
	} {
		t.Run(fmt.Sprint(used), func(t *testing.T) {
			t.Parallel()
			s, r := startS3Blockstore(t)
			r.MustApply(s3Config(values{"assignment_enabled": false}))
			s.SetBackupStore(emulator.S3Blockstore, "new", object{"usedSize": used})
			r.Plan(nil).WantWarning(t, "S3 Blockstore new Will Be Deleted: Ops Manager deletes the store only if no backup uses it and "+want)
		})
	}
	s, r := providertest.StartResource(t, providertest.OplogStoreType)
	r.MustApply(mongoURI.With(values{"id": "new"}))
	s.SetBackupStore(emulator.OplogStore, "new", object{"usedSize": 90253.0})
	r.Plan(nil).WantWarning(t, "if no backup uses it. After a refusal") // an oplog store never has snapshots
}

func TestStoreInUseIsNotDeleted(t *testing.T) {
	t.Parallel()
	for _, k := range storeKinds {
		t.Run(k.typeName, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, k.typeName)
			config := k.config("new", shortTimeouts)
			r.MustApply(config)
			s.UseBackupStore(k.kind, "new", "project Payments")
			r.Destroy().WantError(
				t, "Please make sure no jobs are bound", "while the store's resource block is still there",
				"First, remove the store from the backup job configuration of each project", "deletes all snapshots of the backup",
				`on_destroy = "keep"`,
			)
			isReleased := k.secrets["aws_access_key"] != nil
			if held := s.BackupStore(k.kind, "new"); held["assignmentEnabled"] != !isReleased {
				t.Errorf("the store is left with %v", held)
			}
			// The next plan shows what the destroy has changed, even without a refresh.
			changes := fmt.Sprint(r.Plan(config).Changes())
			if want := map[bool]string{true: "[assignment_enabled]", false: "[]"}[isReleased]; changes != want {
				t.Errorf("the next plan changes %s", changes)
			}
			r.MustRefresh()
			r.MustApply(config)
			s.UseBackupStore(k.kind, "new")
			r.Destroy().WantNoErrors(t)
		})
	}
}

// onRefusal calls a function after the nth deletion of a store was refused.
func onRefusal(proxy *providertest.FaultProxy, nth int32, do func()) {
	var refusals atomic.Int32
	proxy.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
		service.ServeHTTP(w, request)
		if request.Method == http.MethodDelete && refusals.Add(1) == nth {
			do()
		}
	})
}

func TestDestroyWaitsUntilTheStoreIsNoLongerUsed(t *testing.T) {
	t.Parallel()
	for _, k := range storeKinds {
		t.Run(k.typeName, func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t)
			r := providertest.NewWorkspace(t, proxy.Service).NewResource(k.typeName)
			r.MustApply(k.config("new"))
			proxy.UseBackupStore(k.kind, "new", "project Payments")
			onRefusal(proxy, 2, func() { proxy.UseBackupStore(k.kind, "new") })
			diags := r.Destroy()
			diags.WantNoErrors(t)
			providertest.WantEqual(t, proxy.BackupStore(k.kind, "new"), object(nil))
			words := strings.Fields(strings.Join(diags.Warnings(), " "))
			providertest.WantContains(t, strings.Join(words, " "), "assignment_enabled = true") // as before the destroy
		})
	}
}

func TestStoreThatOthersCreateAgainDuringTheDestroyIsNotDeleted(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	r := providertest.NewWorkspace(t, proxy.Service).NewResource(providertest.FileSystemStoreType)
	r.MustApply(storeKinds[2].config("new"))
	proxy.UseBackupStore(emulator.FileSystemStore, "new", "project Payments")
	theirs := object{
		"storePath": "/mnt/theirs", "assignmentEnabled": false, "labels": []any{"theirs"}, "loadFactor": 7.0,
		"mmapv1CompressionSetting": "GZIP", "wtCompressionSetting": "NONE",
	}
	onRefusal(proxy, 2, func() {
		proxy.RemoveBackupStore(emulator.FileSystemStore, "new")
		proxy.SetBackupStore(emulator.FileSystemStore, "new", theirs)
	})
	r.Destroy().WantError(t, "changed since the plan", `store_path is "/mnt/theirs", and the plan showed "/mnt/new"`, "Plan again")
	if proxy.BackupStore(emulator.FileSystemStore, "new") == nil {
		t.Error("the store of others was deleted")
	}
}

// The destroy can't turn the assignment off without the secrets. So waiting does not help.
func TestDestroyWithoutKnownSecretsFailsAtOnce(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := providertest.StartResourceInMemory(t, providertest.S3BlockstoreType, emulator.Options{ServiceVersion: masking})
		config := writeOnly(s3Config(), 1)
		r.MustApply(config)
		p, start := r.Plan(nil), time.Now()
		r.Apply(p).WantError(t, "Unable to Delete", "uri", "assignment_enabled = false and apply, then destroy again")
		if waited := time.Since(start); waited > time.Minute {
			t.Errorf("it waited for %s", waited)
		}
		r.MustApply(config.With(values{"assignment_enabled": false}))
		r.Destroy().WantNoErrors(t)
		providertest.WantEqual(t, s.BackupStore(emulator.S3Blockstore, "new"), object(nil))
	})
}

func TestDestroyDoesNotTurnTheAssignmentOffOverAChangedStore(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		proxy := providertest.FaultProxyInMemory()
		r := s3BlockstoreOn(t, proxy.Service)
		r.MustApply(s3Config(shortTimeouts))
		proxy.UseBackupStore(emulator.S3Blockstore, "new", "project Payments")
		onRefusal(proxy, 1, func() {
			proxy.SetBackupStore(emulator.S3Blockstore, "new", object{"loadFactor": 7.0, "labels": []any{"west"}, "newSetting": "x"})
		})
		r.Destroy().WantError(t, "Please make sure no jobs are bound", "changed since the plan", "load_factor is 7, and the plan showed 2")
		held := proxy.BackupStore(emulator.S3Blockstore, "new")
		if held["assignmentEnabled"] != true || held["loadFactor"] != 7.0 || fmt.Sprint(held["labels"]) != "[west]" || held["newSetting"] != "x" {
			t.Errorf("holds %v", held)
		}
	})
}

// A plan stores no secret that it has seen, and a destroy overwrites none.
func TestDestroyOfAStoreWithAnotherSecretIsRefused(t *testing.T) {
	t.Parallel()
	const theirs = "mongodb://them:c0rrect-theirs@theirs.example.com:27017"
	for _, k := range storeKinds[:2] {
		for _, config := range []values{k.config("new", shortTimeouts), writeOnly(k.config("new", shortTimeouts), 1)} {
			providertest.InBubble(t, func(t *testing.T) {
				s, r := providertest.StartResourceInMemory(t, k.typeName, emulator.Options{ServiceVersion: masking})
				r.MustApply(config)
				s.SetBackupStore(k.kind, "new", object{"uri": theirs})
				s.ResetRequests()
				r.Apply(r.Plan(nil)).WantError(t, "uri is another secret than the one that Terraform knows", "terraform apply -refresh-only")
				providertest.WantWrites(t, s)
				r.MustRefresh()
				errors, held := r.Destroy().Errors(), s.BackupStore(k.kind, "new")
				if k.kind == emulator.S3Blockstore { // which needs a PUT before it can be deleted
					providertest.WantOne(t, errors, "uri, and Ops Manager may return that with a mask", "Nothing was changed")
				} else if held != nil || len(errors) > 0 {
					t.Errorf("holds %v: %q", held, errors)
				}
			})
		}
	}
}

func TestDestroyContinuesIfTheAnswerToItsChangeIsLost(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	r := providertest.NewWorkspace(t, s, values{"max_retries": 2}).NewResource(providertest.S3BlockstoreType)
	r.MustApply(s3Config())
	p := r.Plan(nil)
	s.ResetRequests()
	s.Inject(emulator.Fault{Method: "PUT", DropAfter: true})
	r.Apply(p).WantNoErrors(t)
	const one = " /admin/backup/snapshot/s3Configs/new"
	providertest.WantWrites(t, s, "DELETE"+one, "PUT"+one, "DELETE"+one)
}

// Terraform passes the private state of the creation to the destroy of the old object.
func TestReplacedStoreIsDeletedWithTheSecretsThatAreKnown(t *testing.T) {
	t.Parallel()
	s, r := startS3Blockstore(t, emulator.Options{ServiceVersion: readable})
	config := writeOnly(s3Config(), 1)
	r.MustApply(config)
	r.Plan(config.With(values{"id": "elsewhere"})).WantWarning(
		t, "S3 Blockstore new Will Be Deleted",
		"After a refusal, the apply sets assignment_enabled = false, if it has all secrets, and tries again until timeouts.delete",
		"add one with the new ID",
	)
	r.Configure()
	r.MustApply(config.With(values{"id": "elsewhere"}))
	if s.BackupStore(emulator.S3Blockstore, "new") != nil || s.BackupStore(emulator.S3Blockstore, "elsewhere") == nil {
		t.Error("the store was not replaced")
	}
}

package backups_test

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

func TestATaintedBackupConfigEndsNoBackup(t *testing.T) {
	t.Parallel()
	for _, onDestroy := range []string{"stop", "terminate"} {
		s, r := startBackupConfig(t)
		config := backupConfig(cards, values{"on_destroy": onDestroy})
		r.Create(config)
		r.Tainted = true
		r.Configure()
		r.MustRefresh()
		r.Plan(backupConfig(cards, values{"on_destroy": "keep"})).WantError(t, "[on_destroy]", cards, "terraform untaint")
		wantSent(t, s, cards)
	}
}

func TestATaintedBackupConfigEndsNoBackupThatWasNotRefreshed(t *testing.T) {
	t.Parallel()
	for _, onDestroy := range []string{"stop", "terminate"} {
		for _, late := range []string{"", "cluster_id"} {
			s, r := startBackupConfig(t)
			config := backupConfig(cards, values{"on_destroy": onDestroy})
			r.Create(config)
			r.Tainted = true
			r.Configure()
			known := values{}
			if late != "" {
				known[late], config[late] = config[late], providertest.Unknown
			}
			r.Apply(r.Plan(config), known).WantError(t, "[on_destroy]", cards, "terraform untaint")
			wantSent(t, s, cards)
			r.Tainted = false
			if diags := r.Destroy(); len(diags.Errors()) > 0 {
				t.Errorf("a destroy afterwards: %q", diags.Errors())
			}
		}
	}
}

// With create_before_destroy, Terraform plans the destroy of the old object during the apply, and not before.
func TestATaintedBackupConfigEndsNoBackupAfterItsReplacementIsCreated(t *testing.T) {
	t.Parallel()
	for _, onDestroy := range []string{"stop", "terminate"} {
		for _, isLate := range []bool{false, true} {
			s, r := startBackupConfig(t)
			r.Create(backupConfig(cards, values{"on_destroy": onDestroy}))
			r.Tainted, r.CreateBeforeDestroy = true, true
			r.MustRefresh()
			config, known := backupConfig(ledger, values{"on_destroy": onDestroy}), values{}
			if isLate {
				known["cluster_id"], config["cluster_id"] = config["cluster_id"], providertest.Unknown
			}
			r.Apply(r.Plan(config), known).WantError(t, "Tainted Resource Not Destroyed", cards, "deposed")
			wantSent(t, s, cards)
		}
	}
}

func TestATaintedBackupConfigThatKeepsItsBackupIsReplaced(t *testing.T) {
	t.Parallel()
	_, r := startBackupConfig(t)
	config := backupConfig(cards, nil)
	r.Create(config)
	r.Tainted = true
	r.Configure()
	r.MustRefresh()
	if errors := r.Plan(config).Errors(); len(errors) > 0 {
		t.Errorf("refused: %q", errors)
	}
}

func TestARenamedBackupConfigEndsNoBackup(t *testing.T) {
	t.Parallel()
	_, old := startBackupConfig(t)
	old.Create(backupConfig(cards, values{"on_destroy": "terminate"}))
	renamed := old.NewResource(providertest.BackupConfigType)
	keep := backupConfig(strings.ToUpper(cards), nil)
	for name, plan := range map[string]func() []string{
		"refreshed":     func() []string { old.Refresh(); return renamed.Plan(keep).Errors() },
		"destroy first": func() []string { old.Plan(nil); return renamed.Plan(keep).Errors() },
		"create first":  func() []string { renamed.Plan(keep); return old.Plan(nil).Errors() },
	} {
		old.Configure()
		if errors := plan(); len(errors) != 1 {
			t.Errorf("%s: %q", name, errors)
		} else {
			providertest.WantContains(t, strings.ToLower(errors[0]), "[on_destroy]", cards, "moved block")
		}
	}
}

func TestABackupIsNotEndedIfItMayBeTheOneToAdopt(t *testing.T) {
	t.Parallel()
	for _, onDestroy := range []string{"stop", "terminate"} {
		for name, test := range map[string]struct {
			late    []string
			project string
			allowed bool
		}{
			"unknown cluster":                      {late: []string{"cluster_id"}},
			"unknown project":                      {late: []string{"project_id"}},
			"both unknown":                         {late: []string{"project_id", "cluster_id"}},
			"unknown cluster of another project":   {late: []string{"cluster_id"}, project: "64f0c2a19b3d5e7f80a1b2c4", allowed: true},
			"unknown cluster, project in capitals": {late: []string{"cluster_id"}, project: strings.ToUpper(payments)},
		} {
			s, old := startBackupConfig(t)
			old.Create(backupConfig(cards, values{"on_destroy": onDestroy}))
			config := backupConfig(cards, values{"status_name": "STARTED"})
			if test.project != "" {
				config["project_id"] = test.project
			}
			for _, attribute := range test.late {
				config[attribute] = providertest.Unknown
			}
			renamed := old.NewResource(providertest.BackupConfigType)
			for order, plan := range map[string]func() []string{
				"destroy first": func() []string { old.Plan(nil); return renamed.Plan(config).Errors() },
				"create first":  func() []string { renamed.Plan(config); return old.Plan(nil).Errors() },
			} {
				old.Configure()
				switch errors := plan(); {
				case test.allowed && len(errors) > 0:
					t.Errorf("%s, %s: refused: %q", name, order, errors)
				case !test.allowed:
					providertest.WantOne(t, errors, "[cluster_id]", "only known after apply", "moved block", "-target")
				}
			}
			wantSent(t, s, cards)
		}
	}
}

func TestABackupWithAnUnknownIDIsAdoptedWhileOthersAreKeptOrDestroyedWithoutAnEnd(t *testing.T) {
	t.Parallel()
	_, kept := startBackupConfig(t)
	terminates := backupConfig(cards, values{"on_destroy": "terminate"})
	kept.Create(terminates)
	forgotten := kept.NewResource(providertest.BackupConfigType)
	forgotten.Create(backupConfig(fraud, nil))
	adopted := kept.NewResource(providertest.BackupConfigType)
	kept.Configure()
	kept.MustRefresh()
	forgotten.MustRefresh()
	p := adopted.Plan(values{"project_id": payments, "cluster_id": providertest.Unknown, "on_destroy": "terminate"})
	for _, errors := range [][]string{kept.Plan(terminates).Errors(), forgotten.Plan(nil).Errors(), p.Errors()} {
		if len(errors) > 0 {
			t.Errorf("refused: %q", errors)
		}
	}
	warnings := strings.Join(p.Warnings(), "\n")
	providertest.WantContains(
		t, warnings, "Snapshots of a Cluster With an Unknown ID Will Be Deleted by a Later Destroy",
		"Will Be Overwritten Without a Preview",
	)
}

// Terraform plans resources in any order.
func TestATerminationDeletesNoSnapshotThatTheSamePlanKeeps(t *testing.T) {
	t.Parallel()
	type order struct {
		isKeptFirst bool
		onDestroy   string
		hold        any
	}
	var orders []order
	for _, hold := range []any{true, providertest.Unknown, false, nil} {
		for _, onDestroy := range []string{"terminate", "stop"} {
			orders = append(orders, order{true, onDestroy, hold}, order{false, onDestroy, hold})
		}
	}
	for _, test := range orders {
		s, backup := startBackupConfig(t)
		backup.Create(backupConfig(cards, values{"on_destroy": test.onDestroy}))
		const id = "000000000000000000000001"
		s.SetSnapshot(payments, cards, id, object{"complete": true, "doNotDelete": test.hold != nil, "expires": "2099-01-01T00:00:00Z"})
		snapshot := backup.NewResource(providertest.OnDemandSnapshotType)
		snapshot.ImportID(payments + "/" + cards + "/" + id)
		kept := values{"project_id": payments, "cluster_id": cards, "do_not_delete": test.hold}
		if test.hold == false {
			kept["expires"] = "2099-01-01"
		}
		backup.Configure()
		plans := []func() []string{func() []string { return snapshot.Plan(kept).Errors() }, func() []string { return backup.Plan(nil).Errors() }}
		if !test.isKeptFirst {
			slices.Reverse(plans)
		}
		errors := append(plans[0](), plans[1]()...)
		if test.onDestroy == "stop" && len(errors) > 0 {
			t.Errorf("a stop: %q", errors)
		} else if test.onDestroy == "terminate" {
			providertest.WantOne(t, errors, "terminat", "do_not_delete = false", "-refresh=false")
		}
		backup.Configure() // a destroy of both
		if errors := append(snapshot.Plan(nil).Errors(), backup.Plan(nil).Errors()...); len(errors) > 0 {
			t.Errorf("a destroy of both: %q", errors)
		}
	}
}

func TestATerminationMayNotDeleteTheSnapshotThatTheSamePlanTakes(t *testing.T) {
	t.Parallel()
	for late, says := range map[string]string{
		"cluster_id":     "Cluster of the Snapshot Is Not Known Yet",
		"project_id":     "Cluster of the Snapshot Is Not Known Yet",
		"retention_days": "Kept and Deleted in One Plan",
	} {
		_, backup := startBackupConfig(t)
		backup.Create(backupConfig(cards, values{"on_destroy": "terminate"}))
		backup.Configure()
		backup.Plan(nil).WantNoErrors(t)
		snapshot := backup.NewResource(providertest.OnDemandSnapshotType)
		taken := values{"project_id": payments, "cluster_id": cards, "retention_days": 3}
		taken[late] = providertest.Unknown
		snapshot.Plan(taken).WantError(t, says, "-refresh=false")
	}
}

func TestATerminationDeletesNoSnapshotThatTheSameRunRestores(t *testing.T) {
	t.Parallel()
	const needed = "Termination Would Delete Snapshots of Cluster "
	config := values{
		"project_id": payments, "cluster_id": ledger, "snapshot_id": "66b0c530c4d6e8f0a2b4c600",
		"max_downloads": 1, "expiration_hours": 1,
	}
	for _, isFirst := range []bool{true, false} {
		s, backup := startBackupConfig(t)
		backup.Create(backupConfig(ledger, values{"on_destroy": "terminate"}))
		restore := backup.NewResource(providertest.RestoreJobType)
		backup.Configure()
		if isFirst {
			providertest.WantOne(
				t, append(restore.Plan(config).Errors(), backup.Plan(nil).Errors()...), needed, "in a later apply",
				"-refresh=false", "state rm",
			)
		} else {
			backup.Plan(nil)
			restore.Plan(config).WantError(t, "Restore of a Snapshot That the Same Plan Deletes", "in a later apply", "-refresh=false")
		}
		for _, late := range []values{{"cluster_id": providertest.Unknown}, {"project_id": providertest.Unknown}} {
			backup.Configure()
			if isFirst {
				restore.Plan(config.With(late))
				backup.Plan(nil).WantError(t, needed, "not known yet")
			} else {
				backup.Plan(nil)
				restore.Plan(config.With(late)).WantError(t, "Cluster of the Restore Is Not Known Yet", "one after the other", "-refresh=false")
			}
		}
		backup.Configure() // another plan may have taken it before
		termination := backup.Plan(nil)
		backup.Configure()
		restore.ApplyReplanned(restore.Plan(config)).WantNoErrors(t)
		s.ResetRequests()
		backup.Apply(termination).WantError(t, needed)
		providertest.WantWrites(t, s)
	}
}

func TestATerminationWaitsForARestoreInProgress(t *testing.T) {
	t.Parallel()
	config := values{
		"project_id": payments, "cluster_id": ledger, "snapshot_id": "66b0c530c4d6e8f0a2b4c600",
		"max_downloads": 1, "expiration_hours": 1, "timeouts": values{"create": "1ms"},
	}
	for name, test := range map[string]struct {
		reads  int
		config values // of the restore then
		isKept bool
	}{
		"kept":        {1000, config, true},
		"forgotten":   {1000, nil, true},
		"again":       {1000, config.With(values{"triggers": values{"drill": "2"}}), true},
		"kept, ended": {-1, config, false},
	} {
		for _, isFirst := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, first %t", name, isFirst), func(t *testing.T) {
				t.Parallel()
				_, backup := startBackupConfig(t, emulator.Options{RestoreReads: test.reads})
				backup.Create(backupConfig(ledger, values{"on_destroy": "terminate"}))
				restore := backup.NewResource(providertest.RestoreJobType)
				restore.Apply(restore.Plan(config), nil).WantNoErrors(t)
				backup.Configure()
				restore.MustRefresh()
				plans := []func() []string{
					func() []string { return restore.Plan(test.config).Errors() },
					func() []string { return backup.Plan(nil).Errors() },
				}
				if !isFirst {
					slices.Reverse(plans)
				}
				errors := append(plans[0](), plans[1]()...)
				if isRefused := len(errors) > 0; isRefused != test.isKept {
					t.Errorf("%q", errors)
				}
				for _, refused := range errors {
					providertest.WantContains(t, refused, "terminat", "in a later apply", "-refresh=false")
				}
			})
		}
	}
}

func TestATerminationDeletesNoSnapshotOfAnActionOfTheSamePlan(t *testing.T) {
	t.Parallel()
	ids := values{"project_id": payments, "cluster_id": ledger}
	for typeName, config := range map[string]values{
		providertest.OnDemandSnapshotType: {"retention_days": 9},
		providertest.RestoreJobType: {
			"snapshot_id": "66b0c530c4d6e8f0a2b4c600", "target_project_id": payments, "target_cluster_id": cards,
			"target_cluster_name": "cards",
		},
	} {
		_, backup := startBackupConfig(t)
		backup.Create(backupConfig(ledger, values{"on_destroy": "terminate"}))
		backup.Configure()
		if errors := backup.PlanAction(typeName, ids.With(config)).Errors(); len(errors) > 0 {
			t.Errorf("%s: %q", typeName, errors)
		}
		backup.Plan(nil).WantError(t, "Termination Would Delete Snapshots of Cluster ", "action")
	}
}

// Terraform plans the destroy of a deposed object again during the apply, so nothing tells what its plan has shown.
func TestADeposedBackupConfigDeletesNoHeldSnapshot(t *testing.T) {
	t.Parallel()
	for _, isHeld := range []bool{true, false} {
		s, r := startBackupConfig(t, emulator.Options{TransitionReads: -1})
		r.MustApply(backupConfig(cards, values{"on_destroy": "terminate"}))
		if isHeld {
			s.SetSnapshot(payments, cards, "000000000000000000000001", object{"complete": true, "doNotDelete": true})
		}
		r.Configure()
		s.ResetRequests()
		errors := r.DeleteDeposed().Errors()
		if isHeld {
			providertest.WantOne(t, errors, "Unable to End the Backup", "000000000000000000000001", "deposed object", "state rm")
			providertest.WantWrites(t, s)
		} else if len(errors) > 0 || len(s.Writes()) == 0 {
			t.Errorf("sent %q, errors %q", s.Writes(), errors)
		}
	}
}

func TestADeposedBackupConfigEndsNoBackup(t *testing.T) {
	t.Parallel()
	_, current := startBackupConfig(t)
	config := backupConfig(cards, values{"on_destroy": "terminate"})
	current.Create(config)
	deposed := current.NewResource(providertest.BackupConfigType)
	deposed.State, deposed.Private, deposed.Identity = current.State, current.Private, current.Identity
	for _, refreshes := range []bool{false, true} {
		current.Configure()
		if refreshes {
			current.MustRefresh()
			deposed.MustRefresh()
		}
		current.Plan(config)
		deposed.Plan(nil).WantError(t, "[on_destroy]", cards, "deposed")
	}
}

// OpenTofu refreshes what a removed block forgets.
func TestABackupConfigIsForgottenWhileAnotherResourceKeepsItsBackup(t *testing.T) {
	t.Parallel()
	_, kept := startBackupConfig(t)
	config := backupConfig(cards, values{"on_destroy": "terminate"})
	kept.Create(config)
	forgotten := kept.NewResource(providertest.BackupConfigType)
	forgotten.State, forgotten.Private, forgotten.Identity = kept.State, kept.Private, kept.Identity
	kept.Configure()
	forgotten.MustRefresh()
	kept.MustRefresh()
	providertest.WantEmptyPlan(t, kept.Plan(config))
}

func TestABackupConfigThatIsGoneLeavesTheState(t *testing.T) {
	t.Parallel()
	s, r := startBackupConfig(t)
	r.Create(backupConfig(cards, values{"on_destroy": "terminate"}))
	r.Configure()
	s.Inject(emulator.Fault{
		Method: http.MethodGet, Path: "/backupConfigs", Status: http.StatusNotFound,
		Body: `{"error":404,"errorCode":"BACKUP_CONFIG_NOT_FOUND"}`,
	})
	r.Refresh().WantNone(t)
	providertest.WantNoState(t, r)
}

func TestABackupConfigStaysInTheStateIfItsClusterIsRemoved(t *testing.T) {
	t.Parallel()
	for _, onDestroy := range []string{"terminate", "stop", "keep"} {
		s, r := startBackupConfig(t)
		config := backupConfig(cards, values{"on_destroy": onDestroy})
		r.Create(config)
		s.RemoveCluster(payments, cards)
		r.Configure()
		r.Refresh().WantError(
			t, "[cluster_id] Unable to Read Backup Configuration", "CLUSTER_NOT_FOUND", "terraform state rm",
			"terraform destroy -refresh=false",
		)
		errors := r.Destroy().Errors() // without a refresh
		if (len(errors) == 0) != (onDestroy == "keep") {
			t.Errorf("%s: the destroy had the errors %q", onDestroy, errors)
		}
		r.State = r.Null()
		r.Configure()
		r.Plan(config).WantError(t, "[cluster_id]", "no cluster "+cards, "remove this resource", "terraform destroy -refresh=false")
	}
}

func TestADestroyTerminatesOnce(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := providertest.StartResourceInMemory(t, providertest.BackupConfigType, emulator.Options{TransitionReads: 1000})
		r.Create(backupConfig(ledger, values{"on_destroy": "terminate", "timeouts": values{"delete": "2s"}}))
		r.Configure()
		restarted := make(chan struct{})
		go func() {
			defer close(restarted)
			for len(sent(s, ledger)) < 2 {
				select {
				case <-t.Context().Done():
					return
				case <-time.After(time.Millisecond):
				}
			}
			s.SetBackupStatus(payments, ledger, "INACTIVE")
			s.SetBackupStatus(payments, ledger, "STARTED") // another client starts a new backup
		}()
		diags := r.Apply(r.Plan(nil), nil)
		select {
		case <-restarted:
		case <-time.After(5 * time.Second):
			t.Fatalf("sent %q: %v", sent(s, ledger), diags.Errors())
		}
		diags.WantError(t, ledger, "does not repeat")
		wantSent(t, s, ledger, `{"statusName":"STOPPED"}`, `{"statusName":"TERMINATING"}`)
	})
}

func TestBackupThatMovesToTheClusterOfAnotherResourceIsAnErrorInEachOrder(t *testing.T) {
	t.Parallel()
	for _, isNew := range []bool{false, true} {
		for _, isOtherFirst := range []bool{false, true} {
			_, moved := startBackupConfig(t)
			moved.Create(backupConfig(ledger, nil))
			other := moved.NewResource(providertest.BackupConfigType)
			config := backupConfig(cards, nil)
			if !isNew {
				other.Create(config)
			}
			moved.Configure()
			var errors []string
			if isOtherFirst {
				errors = append(other.Plan(config).Errors(), moved.Plan(config).Errors()...)
			} else {
				errors = append(moved.Plan(config).Errors(), other.Plan(config).Errors()...)
			}
			providertest.WantOne(t, errors, "in Two Resources")
		}
	}
}

func TestEndOfABackupThatWasAdoptedBeforeItRanIsAChangeOfThePlan(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"PROVISIONING", "PAUSED"} {
		s, r := startBackupConfig(t, emulator.Options{TransitionReads: 1000})
		s.SetBackupConfig(payments, cards, object{"statusName": status})
		config := backupConfig(cards, nil)
		r.Create(config)
		s.SetBackupStatus(payments, cards, "INACTIVE")
		r.Configure()
		r.MustRefresh()
		p := r.Plan(config)
		if p.IsEmpty() || len(p.Warnings()) == 0 || !strings.Contains(p.Warnings()[0], "Has Ended") {
			t.Errorf("%s: changes %v, warnings %q", status, p.Changes(), p.Warnings())
		}
	}
}

func TestAPlanDoesNotDeleteAStoreOrARegionThatABackupOfItNames(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		typeName, id string
		names        values
	}{
		"a store": {
			providertest.S3BlockstoreType, "ny-s3-1",
			values{"snapshot_store": values{"snapshot_store_type": "s3blockstore", "snapshot_store_id": "ny-s3-1"}},
		},
		"a region": {
			providertest.RegionType, providertest.NewYork,
			values{"deployment_configs": []any{values{"rs_id": "cards-rs", "deployment_id": providertest.NewYork}}},
		},
	} {
		for _, isDeletedFirst := range []bool{false, true} {
			for _, named := range []values{nil, test.names} {
				_, r := startBackupConfig(t)
				used := r.NewResource(test.typeName)
				used.ImportID(test.id).WantNoErrors(t)
				plans := []func() []string{
					func() []string { return r.Plan(backupConfig(cards, named)).Errors() },
					func() []string { return used.Plan(nil).Errors() },
				}
				if isDeletedFirst {
					slices.Reverse(plans)
				}
				first, second := plans[0](), plans[1]()
				if len(first) > 0 || named == nil && len(second) > 0 {
					t.Fatalf("%s: %q, %q", name, first, second)
				}
				if named != nil {
					providertest.WantOne(t, second, "Deleted and Used in One Plan", test.id, "removing these attributes moves nothing")
				}
			}
		}
	}
}

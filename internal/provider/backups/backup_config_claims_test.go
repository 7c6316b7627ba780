package backups_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// The plan of a tainted resource knows its state only after a refresh.
func TestATaintedBackupConfigEndsNoBackup(t *testing.T) {
	t.Parallel()
	for _, onDestroy := range []string{"stop", "terminate"} {
		for _, late := range []string{"", "cluster_id"} {
			s, r := startBackupConfig(t)
			config, known := backupConfig(cards, values{"on_destroy": onDestroy}), values{}
			r.Create(config)
			r.Tainted = true
			r.Configure()
			if late != "" {
				known[late], config[late] = config[late], unknown
			}
			says := []string{"[on_destroy]", cards, "terraform untaint"}
			r.Apply(r.Plan(config), known).WantError(t, says...)
			r.Configure()
			r.MustRefresh()
			r.Plan(backupConfig(cards, values{"on_destroy": "keep"})).WantError(t, says...)
			wantSent(t, s, cards)
			r.Tainted = false
			r.Configure()
			r.Destroy().WantNoErrors(t)
		}
	}
}

// With create_before_destroy, Terraform plans the destroy of the old object during the apply, and not before.
func TestATaintedBackupConfigEndsNoBackupAfterItsReplacementIsCreated(t *testing.T) {
	t.Parallel()
	for _, onDestroy := range []string{"stop", "terminate"} {
		for _, isLate := range []bool{false, true} {
			s, r := manage(t, backupConfig(cards, values{"on_destroy": onDestroy}))
			r.Tainted, r.CreateBeforeDestroy = true, true
			r.MustRefresh()
			config, known := backupConfig(ledger, values{"on_destroy": onDestroy}), values{}
			if isLate {
				known["cluster_id"], config["cluster_id"] = config["cluster_id"], unknown
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
	r.Plan(config).WantNoErrors(t)
}

func TestARenamedBackupConfigEndsNoBackup(t *testing.T) {
	t.Parallel()
	providertest.EachOrder(t, func(t *testing.T, plan providertest.PlanBoth) {
		_, old := manage(t, backupConfig(cards, terminates))
		renamed, keep := another(old), backupConfig(strings.ToUpper(cards), nil)
		old.Configure()
		errors := plan(old.Planning(nil), renamed.Planning(keep)).Errors()
		providertest.WantOne(t, errors, "[on_destroy]", "oved block")
		providertest.WantContains(t, strings.ToLower(errors[0]), cards)
		old.Configure()
		old.MustRefresh()
		renamed.Plan(keep).WantError(t, "[on_destroy]", "oved block")
	})
}

func TestABackupIsNotEndedIfItMayBeTheOneToAdopt(t *testing.T) {
	t.Parallel()
	lateCluster := values{"cluster_id": unknown}
	for name, test := range map[string]struct {
		late      values
		isAllowed bool
	}{
		"unknown cluster":                      {late: lateCluster},
		"unknown project":                      {late: values{"project_id": unknown}},
		"both unknown":                         {late: lateCluster.With(values{"project_id": unknown})},
		"unknown cluster of another project":   {lateCluster.With(values{"project_id": "64f0c2a19b3d5e7f80a1b2c4"}), true},
		"unknown cluster, project in capitals": {late: lateCluster.With(values{"project_id": strings.ToUpper(payments)})},
	} {
		for _, onDestroy := range []string{"stop", "terminate"} {
			t.Run(name+", "+onDestroy, func(t *testing.T) {
				t.Parallel()
				providertest.EachOrder(t, func(t *testing.T, plan providertest.PlanBoth) {
					s, old := manage(t, backupConfig(cards, values{"on_destroy": onDestroy}))
					old.Configure()
					diags := plan(old.Planning(nil), another(old).Planning(started(cards, test.late)))
					if test.isAllowed {
						diags.WantNoErrors(t)
					} else {
						diags.WantError(t, "[cluster_id]", "only known after apply", "moved block", "-target")
					}
					wantSent(t, s, cards)
				})
			})
		}
	}
}

func TestABackupWithAnUnknownIDIsAdoptedWhileOthersAreKeptOrDestroyedWithoutAnEnd(t *testing.T) {
	t.Parallel()
	_, kept := startBackupConfig(t)
	terminates := backupConfig(cards, terminates)
	kept.Create(terminates)
	forgotten := another(kept)
	forgotten.Create(backupConfig(fraud, nil))
	adopted := another(kept)
	kept.Configure()
	kept.MustRefresh()
	forgotten.MustRefresh()
	p := adopted.Plan(values{"project_id": payments, "cluster_id": unknown, "on_destroy": "terminate"})
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
	for _, isHeld := range []any{true, unknown, false, nil} {
		for onDestroy, says := range map[string][]string{"terminate": {"terminat", "do_not_delete = false", "-refresh=false"}, "stop": nil} {
			providertest.EachOrder(t, func(t *testing.T, plan providertest.PlanBoth) {
				s, backup := manage(t, backupConfig(cards, values{"on_destroy": onDestroy}))
				s.SetSnapshot(payments, cards, held, object{"complete": true, "doNotDelete": isHeld != nil, "expires": "2099-01-01T00:00:00Z"})
				snapshot := backup.NewResource(providertest.OnDemandSnapshotType)
				snapshot.ImportID(payments + "/" + cards + "/" + held)
				kept := values{"project_id": payments, "cluster_id": cards, "do_not_delete": isHeld}
				if isHeld == false {
					kept["expires"] = "2099-01-01"
				}
				backup.Configure()
				plan(snapshot.Planning(kept), backup.Planning(nil)).WantOutcome(t, says...)
				backup.Configure()
				plan(snapshot.Planning(nil), backup.Planning(nil)).WantNoErrors(t)
			})
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
		_, backup := manage(t, backupConfig(cards, terminates))
		backup.Configure()
		backup.Plan(nil).WantNoErrors(t)
		snapshot := backup.NewResource(providertest.OnDemandSnapshotType)
		taken := values{"project_id": payments, "cluster_id": cards, "retention_days": 3}
		taken[late] = unknown
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
		s, backup := manage(t, backupConfig(ledger, terminates))
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
		for _, late := range []values{{"cluster_id": unknown}, {"project_id": unknown}} {
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.EachOrder(t, func(t *testing.T, plan providertest.PlanBoth) {
				_, backup := startInMemory(t, emulator.Options{RestoreReads: test.reads})
				backup.Create(backupConfig(ledger, terminates))
				restore := backup.NewResource(providertest.RestoreJobType)
				restore.Apply(restore.Plan(config), nil).WantNoErrors(t)
				backup.Configure()
				restore.MustRefresh()
				errors := plan(restore.Planning(test.config), backup.Planning(nil)).Errors()
				if isRefused := len(errors) > 0; isRefused != test.isKept {
					t.Errorf("%q", errors)
				}
				for _, refused := range errors {
					providertest.WantContains(t, refused, "terminat", "in a later apply", "-refresh=false")
				}
			})
		})
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
		_, backup := manage(t, backupConfig(ledger, terminates))
		backup.Configure()
		backup.PlanAction(typeName, ids.With(config)).WantNoErrors(t)
		backup.Plan(nil).WantError(t, "Termination Would Delete Snapshots of Cluster ", "action")
	}
}

// Terraform plans the destroy of a deposed object again during the apply, so nothing tells what its plan has shown.
func TestADeposedBackupConfigDeletesNoHeldSnapshot(t *testing.T) {
	t.Parallel()
	for _, says := range [][]string{{"Unable to End the Backup", held, "deposed object", "state rm"}, nil} {
		s, r := startBackupConfig(t, emulator.Options{TransitionReads: -1})
		r.MustApply(backupConfig(cards, terminates))
		if says != nil {
			hold(s, held)
		}
		r.Configure()
		s.ResetRequests()
		wantEnd(t, s, r.DeleteDeposed(), says...)
	}
}

func TestADeposedBackupConfigEndsNoBackup(t *testing.T) {
	t.Parallel()
	_, current := startBackupConfig(t)
	config := backupConfig(cards, terminates)
	current.Create(config)
	deposed := another(current)
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
	config := backupConfig(cards, terminates)
	kept.Create(config)
	forgotten := another(kept)
	forgotten.State, forgotten.Private, forgotten.Identity = kept.State, kept.Private, kept.Identity
	kept.Configure()
	forgotten.MustRefresh()
	kept.MustRefresh()
	providertest.WantEmptyPlan(t, kept.Plan(config))
}

func TestABackupConfigThatIsGoneLeavesTheState(t *testing.T) {
	t.Parallel()
	s, r := manage(t, backupConfig(cards, terminates))
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
		s, r := startInMemory(t, emulator.Options{TransitionReads: 1000})
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
		providertest.EachOrder(t, func(t *testing.T, plan providertest.PlanBoth) {
			_, moved := manage(t, backupConfig(ledger, nil))
			other, config := another(moved), backupConfig(cards, nil)
			if !isNew {
				other.Create(config)
			}
			moved.Configure()
			plan(moved.Planning(config), other.Planning(config)).WantError(t, "in Two Resources")
		})
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
	for typeName, test := range map[string]struct {
		id    string
		names values
	}{
		providertest.S3BlockstoreType: {"ny-s3-1", inStore("ny-s3-1")},
		providertest.RegionType:       {providertest.NewYork, inRegion("cards-rs", providertest.NewYork)},
	} {
		providertest.EachOrder(t, func(t *testing.T, plan providertest.PlanBoth) {
			_, r := startInMemory(t)
			used := r.NewResource(typeName)
			used.ImportID(test.id).WantNoErrors(t)
			plan(r.Planning(backupConfig(cards, nil)), used.Planning(nil)).WantNoErrors(t)
			r.Configure()
			plan(r.Planning(backupConfig(cards, test.names)), used.Planning(nil)).WantError(
				t, "Deleted and Used in One Plan", test.id, "removing these attributes moves nothing",
			)
		})
	}
}

package backups_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// reports is a replica set whose backup was never started.
const reports = "650a2177e1f3a5b7c9d00e42"

// fraud is a replica set whose backup is stopped.
const fraud = "650a1e4a0f2c3d5b7e9f1a2b"

func backupConfig(cluster string, fields values) values {
	config := values{"project_id": payments, "cluster_id": cluster}
	maps.Copy(config, fields)
	return config
}

// sent returns the bodies of the changes of a backup configuration.
func sent(s *providertest.Service, cluster string) []string {
	return s.Sent("PATCH", "/backupConfigs/"+cluster)
}

func wantSent(t *testing.T, s *providertest.Service, cluster string, want ...string) {
	t.Helper()
	providertest.WantSent(t, s, "PATCH", "/backupConfigs/"+cluster, want...)
}

const startBody = `{"statusName":"STARTED","storageEngineName":"WIRED_TIGER","syncSource":"PRIMARY"}`

// startBackupConfig starts a service, and returns a backup configuration on it without a state.
func startBackupConfig(t *testing.T, options ...emulator.Options) (*providertest.Service, *providertest.Resource) {
	t.Helper()
	return providertest.StartResource(t, providertest.BackupConfigType, options...)
}

// backupConfigOn returns a backup configuration on a service without a state.
func backupConfigOn(t providertest.T, s *providertest.Service) *providertest.Resource {
	return providertest.NewWorkspace(t, s).NewResource(providertest.BackupConfigType)
}

// manage starts a service in memory, and returns a backup configuration on it that was applied.
func manage(t *testing.T, config values) (*providertest.Service, *providertest.Resource) {
	t.Helper()
	s, r := startInMemory(t)
	r.MustApply(config)
	return s, r
}

// startInMemory is startBackupConfig for a bubble.
func startInMemory(t *testing.T, options ...emulator.Options) (*providertest.Service, *providertest.Resource) {
	t.Helper()
	return providertest.StartResourceInMemory(t, providertest.BackupConfigType, options...)
}

// another returns a backup configuration of the same run, at another address.
func another(r *providertest.Resource) *providertest.Resource {
	return r.NewResource(providertest.BackupConfigType)
}

var terminates = values{"on_destroy": "terminate"}

// destroyOf lets a resource manage the backup of cards, and plans its destroy.
func destroyOf(r *providertest.Resource, onDestroy string) *providertest.Plan {
	r.MustApply(backupConfig(cards, values{"on_destroy": onDestroy}))
	r.Configure()
	return r.Plan(nil)
}

// inStore and inRegion configure where the snapshots of a backup are.
func inStore(id string) values {
	return values{"snapshot_store": values{"snapshot_store_type": "s3blockstore", "snapshot_store_id": id}}
}

func inRegion(replicaSet, region string) values {
	return values{"deployment_configs": []any{values{"rs_id": replicaSet, "deployment_id": region}}}
}

const held = "000000000000000000000001"

// hold adds a snapshot of cards that is held.
func hold(s *providertest.Service, id string) {
	s.SetSnapshot(payments, cards, id, object{"complete": true, "doNotDelete": true, "created": object{"date": "2026-01-02T03:04:05Z"}})
}

func TestABackupIsStartedStoppedAndStartedAgain(t *testing.T) {
	t.Parallel()
	s, r := manage(t, started(reports, nil))
	wantSent(t, s, reports, startBody)
	providertest.WantAttributes(t, r, values{"status_name": "STARTED", "storage_engine_name": "WIRED_TIGER"})

	stopped := backupConfig(reports, values{"status_name": "STOPPED"})
	r.Plan(stopped).WantWarning(t, reports, "no snapshots")
	r.MustApply(stopped)
	wantSent(t, s, reports, startBody, `{"statusName":"STOPPED"}`)

	again := started(reports, nil)
	r.Plan(again).WantWarning(t, reports, "Restart", "expired")
	r.MustApply(again)
	wantSent(t, s, reports, startBody, `{"statusName":"STOPPED"}`, startBody)
}

func TestAStartFromInactiveSendsEveryConfiguredField(t *testing.T) {
	t.Parallel()
	s, r := startBackupConfig(t)
	r.MustApply(backupConfig(reports, values{
		"status_name": "STARTED", "ssl_enabled": true, "excluded_namespaces": []any{"tmp", "shop.carts"}, "sync_source": "SECONDARY",
	}))
	wantSent(
		t, s, reports,
		`{"statusName":"STARTED","storageEngineName":"WIRED_TIGER","syncSource":"SECONDARY","sslEnabled":true,"excludedNamespaces":["shop.carts","tmp"]}`,
	)
}

func TestAnAdoptionWithoutAnotherStatusKeepsIt(t *testing.T) {
	t.Parallel()
	for cluster, status := range map[string]string{reports: "INACTIVE", fraud: "STOPPED", cards: "STARTED"} {
		s, r := manage(t, backupConfig(cluster, nil))
		providertest.WantAttributes(t, r, values{"status_name": status})
		r.State = r.Null()
		r.MustApply(started(cards, nil))
		providertest.WantWrites(t, s)
	}
}

func TestDestroyingABackupConfigKeepsTheBackup(t *testing.T) {
	t.Parallel()
	for _, onDestroy := range []any{nil, "keep"} {
		s, r := manage(t, backupConfig(cards, values{"on_destroy": onDestroy}))
		r.Plan(nil).WantWarning(
			t, "Backup Configuration Will Be Removed Only From the State: ", "cluster "+cards,
			`because on_destroy is neither "stop" nor "terminate" in the Terraform state`, "add a moved block",
			"apply that before you destroy",
		)
		r.Destroy()
		providertest.WantNoState(t, r)
		wantSent(t, s, cards)
	}
}

func TestDestroyingABackupConfigStopsTheBackupIfConfigured(t *testing.T) {
	t.Parallel()
	s, r := manage(t, backupConfig(cards, values{"on_destroy": "stop"}))
	r.Plan(nil).WantWarning(t, cards, "no snapshots", "different provider alias", "moved block")
	r.Destroy()
	wantSent(t, s, cards, `{"statusName":"STOPPED"}`)
}

func TestDestroyingABackupConfigTerminatesTheBackupIfConfigured(t *testing.T) {
	t.Parallel()
	for cluster, want := range map[string][]string{
		cards:   {`{"statusName":"STOPPED"}`, `{"statusName":"TERMINATING"}`},
		fraud:   {`{"statusName":"TERMINATING"}`},
		reports: nil,
	} {
		s, r := startBackupConfig(t)
		config := backupConfig(cluster, terminates)
		p := r.Plan(config)
		p.WantWarning(t, cluster, "deletes all snapshots")
		r.Apply(p)
		says := []string{cluster, "Will Be Terminated", "all snapshots", "deleted", "different provider alias", "moved block"}
		if cluster == reports {
			says = []string{cluster, "Has Already Ended", "is INACTIVE", "nothing to terminate"}
		}
		r.Plan(nil).WantWarning(t, says...)
		r.Destroy().WantNoErrors(t)
		wantSent(t, s, cluster, want...)
	}
}

func TestABackupIsNotTerminatedByAReplacement(t *testing.T) {
	t.Parallel()
	s, r := startBackupConfig(t)
	config := backupConfig(cards, terminates)
	r.Create(config)
	elsewhere := backupConfig(ledger, terminates)
	r.Plan(elsewhere).WantError(t, "[on_destroy]", cards, `on_destroy = "keep"`)
	r.PlanReplacement(config).WantError(t, "[on_destroy]", cards, `on_destroy = "keep"`)
	wantSent(t, s, cards)
}

func TestAnUnknownIDEndsNoBackup(t *testing.T) {
	t.Parallel()
	for _, onDestroy := range []string{"stop", "terminate"} {
		for _, id := range []string{"cluster_id", "project_id"} {
			s, r := startBackupConfig(t)
			config := backupConfig(cards, values{"on_destroy": onDestroy})
			r.Create(config)
			config[id] = unknown
			r.Plan(config).WantError(t, "[on_destroy]", cards, "not known yet")
			wantSent(t, s, cards)
		}
	}
}

func TestAnInactiveBackupIsConfiguredAsItIsImported(t *testing.T) {
	t.Parallel()
	s, r := startBackupConfig(t)
	r.ImportID(payments + "/" + reports)
	config := backupConfig(reports, values{"status_name": "INACTIVE"})
	providertest.WantEmptyPlan(t, r.Plan(config))
	s.SetBackupConfig(payments, reports, object{"statusName": "STARTED"})
	r.MustRefresh()
	r.Plan(config).WantError(t, "[status_name]", "no request for INACTIVE")
}

func TestABackupThatWasTerminatedInTheConsoleDoesNotBlockPlans(t *testing.T) {
	t.Parallel()
	s, r := startBackupConfig(t)
	config := backupConfig(fraud, values{"status_name": "STOPPED"})
	r.MustApply(config)
	s.SetBackupConfig(payments, fraud, object{"statusName": "INACTIVE"})
	r.MustRefresh()
	p := r.Plan(config)
	providertest.WantEqual(t, p.Changes(), []string{"provisioned"})
	providertest.WantEach(t, p.Warnings(), []string{"[status_name]", fraud, "INACTIVE", "cannot be stopped"}, []string{"[status_name]", fraud, "Has Ended"})
	s.ResetRequests()
	r.MustApply(config)
	if writes := s.Writes(); len(writes) > 0 {
		t.Errorf("the apply sent %q", writes)
	}
	r.Plan(config).WantWarning(t, "[status_name]", fraud, "INACTIVE", "cannot be stopped")

	started := started(fraud, nil)
	if p := r.Plan(started); !slices.Contains(p.Changes(), "status_name") || len(p.Errors()) > 0 {
		t.Errorf("the plan changes %v: %v", p.Changes(), p.Errors())
	}
}

func TestAnInvalidBackupConfigIsAnErrorOnItsAttribute(t *testing.T) {
	t.Parallel()
	type row struct {
		fields values // of fraud, unless they have a cluster
		says   []string
	}
	rows := map[string]row{
		"a shard":            {values{"cluster_id": providertest.OrdersShard}, []string{"[cluster_id]", providertest.Orders}},
		"INACTIVE":           {values{"status_name": "INACTIVE"}, []string{"[status_name]", "STARTED", "STOPPED"}},
		"a timeout of 0":     {values{"timeouts": values{"create": "0s"}}, []string{"[timeouts]", `"0s"`, "longer than 0"}},
		"a time in the past": {values{"timeouts": values{"delete": "-5s"}}, []string{"[timeouts]", `"-5s"`, "longer than 0"}},
		"nothing to stop":    {values{"cluster_id": reports, "status_name": "STOPPED"}, []string{"[status_name]", "INACTIVE"}},
		"both lists": {
			values{"excluded_namespaces": []any{"a"}, "included_namespaces": []any{"b"}}, []string{"[included_namespaces]", "either"},
		},
		"a null namespace":          {values{"excluded_namespaces": []any{nil}}, []string{"[excluded_namespaces", "Null"}},
		"a password without a user": {values{"password": "hidden"}, []string{"[username]", "Password Without a User"}},
		"a user without a password": {values{"username": "backup"}, []string{"[username]", "password"}},
		"an unknown password without a version": {
			values{"username": "backup", "password_wo": "hidden"}, []string{"[password_wo_version]", "Secret Without a Version"},
		},
		"two passwords": {
			values{"username": "backup", "password": "hidden", "password_wo": "hidden", "password_wo_version": 1},
			[]string{"[password_wo_version]", "either password or password_wo"},
		},
		"an unknown value of on_destroy": {values{"on_destroy": "delete"}, []string{"[on_destroy]", "terminate"}},
		"a cluster that does not exist": {
			values{"cluster_id": strings.Repeat("f", 24)}, []string{"[cluster_id]", "CLUSTER_NOT_FOUND", "Check the cluster ID"},
		},
		"a cluster of another project": {values{"project_id": "64f0c2a19b3d5e7f80a1b2c4"}, []string{"_NOT_FOUND"}},
		"an undocumented status":       {values{"status_name": "PAUSED"}, []string{"[status_name]", "STARTED or STOPPED", "Remove status_name"}},
		"TERMINATING":                  {values{"status_name": "TERMINATING"}, []string{"[status_name]", "no request for TERMINATING"}},
	}
	for _, namespace := range []string{".a", "", "a b.c"} {
		rows["excluded "+namespace] = row{
			values{"excluded_namespaces": []any{namespace}}, []string{"[excluded_namespaces", fmt.Sprintf("%q", namespace)},
		}
	}
	for _, namespace := range []string{"a.b\n", "admin", "local.x"} {
		rows["included "+namespace] = row{
			values{"included_namespaces": []any{namespace}}, []string{"[included_namespaces", fmt.Sprintf("%q", namespace)},
		}
	}
	for name, test := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startBackupConfig(t)
			p := r.Plan(backupConfig(fraud, test.fields))
			p.WantError(t, test.says...)
			providertest.WantUnsaid(t, p.Errors(), "hidden")
			providertest.WantWrites(t, s)
		})
	}
	s, r := startBackupConfig(t)
	s.SetBackupConfig(payments, fraud, object{"includedNamespaces": []any{"local.x"}})
	r.MustApply(backupConfig(fraud, values{"included_namespaces": []any{"local.x"}})) // which the server has
	r.Plan(backupConfig(fraud, values{"included_namespaces": []any{"admin"}})).WantError(t, "[included_namespaces]", `"admin"`)
}

func TestABackupConfigThatAppearsLaterIsPlannedWithoutAPreview(t *testing.T) {
	t.Parallel()
	for _, conflicts := range []bool{false, true} {
		seed := emulator.DefaultSeed()
		for i, cluster := range seed.Projects[0].Clusters {
			if cluster.ID == cards {
				seed.Projects[0].Clusters[i].BackupConfig = nil // not monitored yet
			}
		}
		_, r := startBackupConfig(t, emulator.Options{Seed: seed, Unknowns: emulator.Unknowns{UnmonitoredIsConflict: conflicts}})
		p := r.Plan(backupConfig(cards, nil))
		p.WantWarning(t, "[cluster_id] Cluster cards ("+cards+") Has No Backup Configuration Yet", "The apply fails unless Ops Manager has one by then")
		p.WantNoErrors(t)
	}
}

func TestTwoResourcesForOneBackupAreAnError(t *testing.T) {
	t.Parallel()
	_, one := startBackupConfig(t)
	two := another(one)
	config, capitals := backupConfig(cards, nil), backupConfig(strings.ToUpper(cards), nil)
	for range 2 { // before and after it was applied
		one.Configure()
		one.Plan(config)
		two.Plan(capitals).WantError(
			t, "[cluster_id]", "Backup of Cluster cards ("+strings.ToUpper(cards)+") in Two Resources", "state rm",
		)
		one.Configure()
		one.Create(config)
		one.MustRefresh()
	}
	one.Configure()
	two.Plan(capitals)
	one.Plan(config).WantError(t, "[cluster_id]", cards, "in Two Resources")

	one.Configure()
	one.Plan(backupConfig(ledger, nil)) // a replacement is planned twice
	two.Plan(capitals).WantNoErrors(t)
	one.Configure()
	one.PlanReplacement(config).WantNoErrors(t)
}

func TestTwoCreationsOfOneBackupWhoseIDIsLateAreAnError(t *testing.T) {
	t.Parallel()
	s, one := startBackupConfig(t)
	two := another(one)
	late := func(ssl bool) values {
		return values{"project_id": payments, "cluster_id": unknown, "ssl_enabled": ssl}
	}
	first, second := one.Plan(late(false)), two.Plan(late(true))
	known := values{"cluster_id": cards}
	one.Apply(first, known).WantNoErrors(t)
	two.Apply(second, known).WantError(t, "[cluster_id]", "in Two Resources")
	wantSent(t, s, cards, `{"sslEnabled":false}`)
}

func TestAFirstStartIsNotCalledALoss(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(*providertest.Resource){
		"imported": func(r *providertest.Resource) { r.ImportID(payments + "/" + reports) },
		"adopted":  func(r *providertest.Resource) { r.Create(backupConfig(reports, nil)) },
		"new":      func(*providertest.Resource) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startBackupConfig(t)
			first(r)
			config := started(reports, values{"ssl_enabled": false})
			r.Plan(config).WantNoWarnings(t)
			r.MustApply(config)
			s.SetBackupStatus(payments, reports, "INACTIVE")
			for range 2 { // until an apply
				r.MustRefresh()
				r.Plan(config).WantWarning(t, "[status_name]", "Has Ended", "was STARTED when Terraform read it last, and is INACTIVE now", "new backup")
			}
			r.MustApply(config)
			r.Plan(config).WantNoWarnings(t)
		})
	}

	s, r := startBackupConfig(t)
	s.SetBackupStatus(payments, reports, "PROVISIONING")
	p := r.Plan(started(reports, nil))
	p.WantNoWarnings(t)
	wantOverwrites(t, p, nil)

	_, r = startBackupConfig(t)
	r.ImportID(payments + "/" + reports)
	r.Plan(backupConfig(reports, values{"status_name": "STOPPED"})).WantWarning(t, "Will Not Be Stopped", "The plan leaves it as it is")
}

func TestABackupThatIsTerminatingIsStartedWithAWarning(t *testing.T) {
	t.Parallel()
	s, r := startBackupConfig(t, emulator.Options{TransitionReads: 1_000})
	s.SetBackupStatus(payments, reports, "TERMINATING")
	r.ImportID(payments + "/" + reports)
	r.Plan(started(reports, nil)).WantWarning(t, "[status_name]", reports, "TERMINATING, which deletes its snapshots", "starts a new backup")
}

func TestATransitionIsConfiguredAsItIsImported(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"TERMINATING", "PROVISIONING"} {
		s, r := startBackupConfig(t, emulator.Options{TransitionReads: 1_000})
		s.SetBackupStatus(payments, reports, status)
		r.ImportID(payments + "/" + reports)
		config := backupConfig(reports, values{"status_name": status})
		providertest.WantEmptyPlan(t, r.Plan(config))
		for _, later := range []string{"INACTIVE", "STARTED", "STOPPED"} {
			s.SetBackupConfig(payments, reports, object{"statusName": later})
			r.MustRefresh()
			p := r.Plan(config)
			warnings := p.Warnings()
			if hasEnded := later == "INACTIVE" && status != "TERMINATING"; hasEnded {
				providertest.WantOne(t, warnings[1:], "Has Ended")
				warnings = warnings[:1]
			} else {
				providertest.WantEmptyPlan(t, p)
			}
			providertest.WantOne(t, warnings, "[status_name]", reports, status, "leaves it as it is", "Remove status_name")
		}
		config["ssl_enabled"] = false
		r.Create(config)
		wantSent(t, s, reports, `{"sslEnabled":false}`)
	}
}

func TestAStatusThatTheProviderDoesNotKnowIsNoticedInThePlan(t *testing.T) {
	t.Parallel()
	for _, status := range []any{"FROZEN", nil} {
		for _, wanted := range []string{"STARTED", "STOPPED"} {
			s, r := startBackupConfig(t)
			s.SetBackupConfig(payments, fraud, object{"statusName": status})
			for range 2 { // a creation, and an update
				warnings := strings.Join(r.Plan(backupConfig(fraud, values{"status_name": wanted})).Warnings(), "\n")
				providertest.WantContains(t, warnings, "Status of the Backup of Cluster fraud ("+fraud+") May Not Be Changed", "the apply fails")
				r.ImportID(payments + "/" + fraud)
			}
		}
	}
}

func TestAShardIsNotImported(t *testing.T) {
	t.Parallel()
	d, r := startFaulty(t)
	id := payments + "/" + providertest.OrdersShard
	r.ImportID(id).WantError(t, "[cluster_id]", "Unable to Import Backup Configuration", providertest.Orders)
	d.Handle(providertest.Rewrite(func(_ *http.Request, document object) {
		if results, isList := document["results"].([]any); isList {
			document["results"] = append(results, nil)
		}
	}))
	r.ImportID(id).WantError(t, "[cluster_id]", "Unable to Import Backup Configuration", "Use the ID of the sharded cluster.")
}

func TestBackupConfigsAreQueriedAsTheyAreImported(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	w := providertest.NewWorkspace(t, s)
	results := w.Query(providertest.BackupConfigType, values{"project_id": payments}, true, 0)
	if got, want := providertest.Names(results), []string{"cards", "fraud", "invoices", "ledger", "orders", "reports"}; !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
	for _, one := range results {
		r := w.NewResource(providertest.BackupConfigType)
		r.ImportIdentity(one.Identity).WantNoErrors(t)
		if !r.State.Equal(one.Resource) {
			t.Errorf("%s is queried as %v and imported as %v", one.Name, providertest.Plain(one.Resource), r.Attributes())
		}
	}
	providertest.WantEqual(t, len(w.Query(providertest.BackupConfigType, values{"project_id": payments}, false, 2)), 2)
}

func TestASnapshotStoreThatDoesNotExistOrIsOffIsAWarning(t *testing.T) {
	t.Parallel()
	s, r := startBackupConfig(t)
	s.SetBackupStore(emulator.Blockstore, "off-1", object{"assignmentEnabled": false})
	store := func(kind, id string) values {
		return backupConfig(cards, values{"snapshot_store": values{"snapshot_store_type": kind, "snapshot_store_id": id}})
	}
	const where = " Store in snapshot_store of Cluster cards (" + cards + ")"
	warned := func(config values) string {
		t.Helper()
		r.Configure()
		return strings.Join(r.Plan(config).Warnings(), "\n")
	}
	for range 2 { // a creation and an update
		providertest.WantContains(
			t, warned(store("s3blockstore", "lon-1")), "[snapshot_store] No Such"+where, "\n  - lon-1, type s3blockstore\n",
			"refer to its resource",
		)
		providertest.WantContains(
			t, warned(store("blockstore", "off-1")), "[snapshot_store] No Assignable"+where, "assignment_enabled", "\n  - off-1\n",
			`Undocumented Value of snapshot_store_type Will Be Sent`, `"blockstore" is configured for cluster cards`,
			`Only "s3blockstore" is documented`,
		)
		providertest.WantContains(t, warned(store("s3blockstore", "ny-nfs-1")), "No Such"+where, "the store with this ID has the type fileSystemStore")
		for _, config := range []values{store("s3blockstore", "ny-s3-1"), store("newKind", "lon-1"), backupConfig(cards, nil)} {
			if text := warned(config); strings.Contains(text, where) ||
				strings.Contains(text, "Undocumented") != strings.Contains(text, `"newKind" is configured`) {
				t.Error(text)
			}
		}
		r.Configure()
		r.MustApply(backupConfig(cards, nil))
	}
}

func TestTerminationKeepsASnapshotThatIsHeldSinceItWasPlanned(t *testing.T) {
	t.Parallel()
	const since = "000000000000000000000002"
	for name, test := range map[string]struct {
		onDestroy string
		change    func(s *providertest.Service)
		says      []string
	}{
		"another hold": {"terminate", func(s *providertest.Service) { hold(s, since) }, []string{
			"Unable to End the Backup", "held", since, "The backup was not terminated", "Plan again",
		}},
		"no change":                {"terminate", func(*providertest.Service) {}, nil},
		"another hold, and a stop": {"stop", func(s *providertest.Service) { hold(s, since) }, nil},
		"not readable":             {"terminate", hideSnapshots, []string{"Unable to End the Backup", "403"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startBackupConfig(t, emulator.Options{TransitionReads: -1})
			hold(s, held)
			p := destroyOf(r, test.onDestroy)
			s.ResetRequests()
			test.change(s)
			wantEnd(t, s, r.Apply(p), test.says...)
		})
	}
}

// hideSnapshots makes the snapshots unreadable.
func hideSnapshots(s *providertest.Service) {
	s.Inject(emulator.Fault{Path: "/snapshots", Times: -1, Status: 403})
}

// wantEnd checks that a destroy ends the backup, or with an error sends nothing.
func wantEnd(t *testing.T, s *providertest.Service, diags providertest.Diagnostics, says ...string) {
	t.Helper()
	diags.WantOutcome(t, says...)
	if hasEnded := len(s.Writes()) > 0; hasEnded != (says == nil) {
		t.Errorf("sent %q", s.Writes())
	}
}

func TestTerminationKeepsASnapshotThatIsHeldOnceTheBackupIsStopped(t *testing.T) {
	t.Parallel()
	d, r := startFaulty(t, emulator.Options{TransitionReads: 1})
	p := destroyOf(r, "terminate")
	d.ResetRequests()
	d.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
		service.ServeHTTP(w, request)
		if request.Method == http.MethodPatch {
			hold(d.Service, held)
		}
	})
	errors := r.Apply(p).Errors()
	providertest.WantEach(t, errors,
		[]string{"Unable to End the Backup", "000000000000000000000001", "The backup was not terminated"},
		[]string{"Backup of Cluster cards", "Is Stopped", "takes no snapshots"})
	providertest.WantSent(t, d.Service, "PATCH", "/backupConfigs/"+cards, `{"statusName":"STOPPED"}`)
}

// acceptOneChange refuses each change but the first one.
func acceptOneChange(d *providertest.FaultProxy) providertest.Handler {
	return func(w http.ResponseWriter, request *http.Request, service http.Handler) {
		if request.Method == http.MethodPatch && len(d.Calls("PATCH")) > 0 {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		service.ServeHTTP(w, request)
	}
}

func TestAPlanShowsThatADestroyHasOnlyStoppedTheBackup(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		asks    values // of the block that is back
		sent    []string
		status  string
		oldRead bool // a refresh before reads an old status
		applies bool // then the block that is back is applied
	}{
		"nothing asks for a status":  {nil, nil, "STOPPED", false, false},
		"a start is asked for":       {values{"status_name": "STARTED"}, []string{startBody}, "STARTED", false, false},
		"after an old read":          {nil, nil, "STOPPED", true, false},
		"after an update of that":    {nil, nil, "STOPPED", true, true},
		"a start that was true then": {values{"status_name": "STARTED"}, []string{startBody}, "STARTED", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, r := startFaulty(t, emulator.Options{TransitionReads: 1})
			p := destroyOf(r, "terminate")
			d.ResetRequests()
			d.Handle(acceptOneChange(d))
			providertest.WantEach(t, r.Apply(p).Errors(), []string{"Unable to End the Backup", "403"}, []string{"Is Stopped"})
			d.Handle(nil)
			d.ResetRequests()
			back := backupConfig(cards, providertest.With(values{"on_destroy": "keep"}, test.asks))
			if test.oldRead {
				d.Handle(providertest.Rewrite(func(_ *http.Request, document object) {
					if document["statusName"] != nil {
						document["statusName"] = "STARTED"
					}
				}))
				r.Configure()
				r.MustRefresh()
				if test.applies {
					r.Apply(r.Plan(back)).WantNoErrors(t)
				}
				d.Handle(nil)
			}
			r.Configure()
			r.Refresh()
			p = r.Plan(back)
			if p.IsEmpty() {
				t.Error("the plan is empty")
			}
			warnings := p.Warnings()
			providertest.WantContains(t, warnings[len(warnings)-1], "[status_name]", "Backup of Cluster cards", "Is Stopped", "was STARTED")
			r.Apply(p).WantNoErrors(t)
			wantSent(t, d.Service, cards, test.sent...)
			providertest.WantAttributes(t, r, values{"status_name": test.status})
			r.Configure()
			r.MustBeSettled(back)
		})
	}
}

func TestAChangeThatFailsAfterItHasStoppedTheBackupSaysSo(t *testing.T) {
	t.Parallel()
	for _, adopts := range []bool{true, false} {
		d, r := startFaulty(t, emulator.Options{TransitionReads: 1})
		if !adopts {
			r.MustApply(backupConfig(cards, nil))
			r.Configure()
		}
		p := r.Plan(backupConfig(cards, values{"status_name": "STOPPED", "ssl_enabled": false}))
		d.ResetRequests()
		d.Handle(acceptOneChange(d))
		providertest.WantEach(t, r.Apply(p).Errors(), []string{"403"}, []string{"Backup of Cluster cards", "Is Stopped"})
	}
}

func TestADestroyThatFailsAfterItsTerminationDoesNotSayThatTheBackupIsStopped(t *testing.T) {
	t.Parallel()
	d, r := startFaulty(t, emulator.Options{TransitionReads: 1})
	p := destroyOf(r, "terminate")
	d.ResetRequests()
	d.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
		if request.Method == http.MethodGet && len(d.Calls("PATCH")) == 2 {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		service.ServeHTTP(w, request)
	})
	providertest.WantEach(t, r.Apply(p).Errors(), []string{"Unable to End the Backup", "403"})
}

func TestAChangeThatFailsDoesNotClaimTheStopOfAnotherClient(t *testing.T) {
	t.Parallel()
	d, r := startFaulty(t, emulator.Options{TransitionReads: 1})
	r.MustApply(backupConfig(cards, nil))
	r.Configure()
	p := r.Plan(backupConfig(cards, values{"ssl_enabled": false}))
	d.SetBackupConfig(payments, cards, object{"statusName": "STOPPED"})
	d.Inject(providertest.Fault{Handler: providertest.Respond(http.StatusForbidden, "")}, http.MethodPatch, 0, true)
	providertest.WantOne(t, r.Apply(p).Errors(), "403")
}

func TestTerminationWithoutAConnectionInItsPlanKeepsHeldSnapshots(t *testing.T) {
	t.Parallel()
	for name, says := range map[string][]string{"a held snapshot": {"Unable to End the Backup", held}, "none": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startBackupConfig(t, emulator.Options{TransitionReads: -1})
			r.MustApply(backupConfig(cards, terminates))
			if says != nil {
				hold(s, held)
			}
			known := r.Settings
			r.Settings = providertest.With(known, values{"base_url": unknown})
			r.Configure()
			p := r.Plan(nil)
			p.WantWarning(t, "Will Be Terminated", "can't show which of them are held", "the apply does not terminate the backup")
			r.Settings = known
			r.Configure()
			s.ResetRequests()
			wantEnd(t, s, r.Apply(p), says...)
		})
	}
}

func TestAPlanSaysIfASyncSourceIsOnlyStored(t *testing.T) {
	t.Parallel()
	s, r := startBackupConfig(t)
	from := func(source string, excluded ...any) values {
		return backupConfig(cards, values{"sync_source": source, "excluded_namespaces": excluded})
	}
	only := fmt.Sprintf("Sync Source of Cluster cards (%s) Will Only Be Stored", cards)
	r.MustApply(from("PRIMARY", "tmp"))
	r.Plan(from("SECONDARY", "tmp")).WantWarning(t, only, "starts or resyncs")
	if warnings := strings.Join(r.Plan(from("SECONDARY")).Warnings(), "\n"); strings.Contains(warnings, only) {
		t.Error(warnings)
	}
	r.MustApply(from("SECONDARY"))
	wantSent(t, s, cards, `{"excludedNamespaces":["tmp"]}`, `{"syncSource":"SECONDARY","excludedNamespaces":[]}`)
}

func TestAMemberThatIsNotAvailableNamesWhereTheOthersAre(t *testing.T) {
	t.Parallel()
	_, r := startBackupConfig(t)
	errors := r.Apply(r.Plan(backupConfig(cards, values{"preferred_member": "nowhere:1"}))).Errors()
	providertest.WantOne(t, errors, "preferred_member", "available_members")
}

func TestTerminationNamesTheSnapshotsThatAreHeld(t *testing.T) {
	t.Parallel()
	holds := func(count int) func(s *providertest.Service) {
		return func(s *providertest.Service) {
			for i := range count {
				hold(s, fmt.Sprintf("%024x", i+1))
			}
		}
	}
	for name, test := range map[string]struct {
		before func(s *providertest.Service)
		says   []string
		not    string
	}{
		"none": {holds(0), []string{"all snapshots"}, "held"},
		"two": {holds(2), []string{
			"That includes snapshots that are held:\n  - ", "000000000000000000000001, created at 2026-01-02T03:04:05Z",
			"000000000000000000000002, created at",
		}, "more"},
		"many": {holds(100), []string{"\n  - and 95 more\n"}, "never"},
		"not read": {
			hideSnapshots, []string{"could not read which of them are held: GET /groups/", "the apply does not terminate the backup"}, "includes",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startBackupConfig(t, emulator.Options{TransitionReads: -1})
			test.before(s)
			p := destroyOf(r, "terminate")
			p.WantWarning(t, append(test.says, "Will Be Terminated", "They cannot be recovered.")...)
			providertest.WantUnsaid(t, p.Warnings(), test.not)
		})
	}
}

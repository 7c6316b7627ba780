package provider_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const (
	reports        = "650a2177e1f3a5b7c9d00e42" // whose backup is INACTIVE
	thirdPartyPath = "/backup/third_party/group/" + payments + "/clusters"
)

var thirdPartyOptions = emulator.Options{ThirdPartyBackup: true, TransitionReads: -1}

// guardedChange is a change of what belongs to the backup of a cluster.
type guardedChange struct {
	typeName      string
	before, after values // the configurations
	sendsNothing  bool   // so that only the plan is refused
}

// guardedChanges has a change of each kind. A policy is not among them: it skips a cluster.
func guardedChanges() map[string]guardedChange {
	ofCards := func(more values) values {
		return providertest.Schedule(cards, more)
	}
	stops := ofCards(values{"status_name": "STOPPED"})
	return map[string]guardedChange{
		"adopting a schedule": {typeName: providertest.ScheduleType, after: ofCards(values{"daily_snapshot_retention_days": 90})},
		"updating a schedule": {
			providertest.ScheduleType, ofCards(values{"daily_snapshot_retention_days": 60}),
			ofCards(values{"daily_snapshot_retention_days": 90}), false,
		},
		"adopting and starting a backup":  {typeName: providertest.BackupConfigType, after: providertest.Schedule(reports, values{"status_name": "STARTED"})},
		"adopting and stopping a backup":  {typeName: providertest.BackupConfigType, after: stops},
		"adopting a backup as it is":      {typeName: providertest.BackupConfigType, after: ofCards(nil), sendsNothing: true},
		"changing a setting of a backup":  {providertest.BackupConfigType, ofCards(nil), ofCards(values{"ssl_enabled": false}), false},
		"stopping a backup":               {providertest.BackupConfigType, ofCards(nil), stops, false},
		"terminating a backup by destroy": {providertest.BackupConfigType, ofCards(values{"on_destroy": "terminate"}), nil, false},
		"taking a snapshot":               {typeName: providertest.OnDemandSnapshotType, after: providertest.Schedule(orders, values{"retention_days": 3})},
	}
}

func TestNothingOfAClusterIsChangedThatAnotherProductBacksUpOrMayBackUp(t *testing.T) {
	t.Parallel()
	for name, change := range guardedChanges() {
		for state, says := range map[string][]string{
			"ACTIVE": {
				"[cluster_id] Cluster Backed Up by Another Product", "Another product backs up cluster", "leaves the cluster alone",
				"terraform state rm",
			},
			"DISCOVERING": {
				"[cluster_id] Third-Party Backup Not Known", `"DISCOVERING", which is not documented`, "leaves the cluster alone",
				"until its backup is INACTIVE or gone", "terraform state rm",
			},
		} {
			t.Run(name+", "+state, func(t *testing.T) {
				t.Parallel()
				s, r := providertest.StartResource(t, change.typeName, thirdPartyOptions)
				if change.before != nil {
					r.MustApply(change.before)
				}
				early := r.Plan(change.after) // while Ops Manager makes the backup
				early.WantNoErrors(t)
				for _, cluster := range []string{cards, orders, reports} {
					s.SetThirdPartyBackup(payments, cluster, state)
				}
				s.ResetRequests()
				if !change.sendsNothing {
					r.Configure()
					r.Apply(early).WantError(t, says...)
				}
				r.Configure()
				r.Plan(change.after).WantError(t, says...)
				if change.typeName == providertest.OnDemandSnapshotType {
					r.PlanAction(change.typeName, change.after).WantError(t, says...)
				}
				providertest.WantWrites(t, s)
			})
		}
	}
}

// A key that only plans may not read the third-party backups. An apply that can't read them changes nothing.
func TestApplyIsRefusedAndThePlanIsNotIfThirdPartyBackupsCanNotBeRead(t *testing.T) {
	t.Parallel()
	asJSON := http.Header{"Content-Type": {"application/json"}}
	for name, change := range guardedChanges() {
		for cause, fault := range map[string]emulator.Fault{
			"no role": {Status: 401, Body: `{"error": 401, "errorCode": "USER_UNAUTHORIZED", "detail": "No."}`, Header: asJSON},
			"a failure": {
				Status: 500, Body: `{"resource": "/", "errorCode": "THIRD_PARTY_DISCOVERY_ERROR", "version": "1", "status": "ERROR"}`,
				Header: asJSON,
			},
			"a page":    {Status: 200, Body: "<html></html>"},
			"an outage": {Status: 503},
			"a proxy":   {Status: 404, Body: "<html><title>404</title></html>", BeforeAuth: true},
			"a gateway": {Status: 404, Body: `{"message": "no route"}`, Header: asJSON, BeforeAuth: true},
		} {
			if change.sendsNothing {
				continue
			}
			t.Run(name+", "+cause, func(t *testing.T) {
				t.Parallel()
				s := providertest.StartService(t, thirdPartyOptions)
				r := providertest.NewWorkspace(t, s, values{"max_retries": 0}).NewResource(change.typeName)
				if change.before != nil {
					r.MustApply(change.before)
				}
				fault.Path, fault.Times = thirdPartyPath, -1
				s.Inject(fault)
				s.ResetRequests()
				r.Configure()
				p := r.Plan(change.after)
				p.WantNoErrors(t)
				r.Apply(p).WantError(
					t, "[cluster_id] Third-Party Backup Not Known", "can't tell whether another product backs up",
					"leaves the cluster alone", "GET /backup/third_party",
				)
				providertest.WantWrites(t, s)
			})
		}
	}
}

func TestThirdPartyBackupsAreReadOnceForEachProjectAndRun(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]emulator.Fault{
		"a list": {}, "no list": {Path: thirdPartyPath, Times: -1, Status: 404},
		"a failure": {Path: thirdPartyPath, Times: -1, Status: 403},
	} {
		s := providertest.StartService(t, thirdPartyOptions)
		s.SetThirdPartyBackup(payments, reports, "INACTIVE")
		if fault.Status != 0 {
			s.Inject(fault)
		}
		w := providertest.NewWorkspace(t, s)
		for _, change := range guardedChanges() {
			if change.before == nil {
				if diags := w.NewResource(change.typeName).Plan(change.after); len(diags.Errors()) > 0 &&
					!strings.Contains(diags.Errors()[0], "Two Resources") {
					t.Errorf("%s: %q", name, diags.Errors())
				}
			}
		}
		calls := slices.DeleteFunc(s.Calls(http.MethodGet), func(call string) bool { return !strings.HasSuffix(call, thirdPartyPath) })
		if len(calls) != 1 {
			t.Errorf("%s: asked %d times", name, len(calls))
		}
	}
}

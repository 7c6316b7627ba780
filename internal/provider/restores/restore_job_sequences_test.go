package restores_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// sequence is a random sequence of applies, faults, changes of the configuration, and restores of
// others.
type sequence struct {
	*providertest.Trial
	t      *rapid.T
	config values

	forgets bool // whether Ops Manager forgets a restore that has ended

	mu      sync.Mutex
	foreign map[string]bool // IDs of the restores that others requested
	next    object          // the restore that another client starts right after the next request; nil for none
	late    time.Duration   // when the next request starts a restore although the client gave up; 0 for never
}

// A sequence starts a restore only if its plan shows one, and only into the confirmed target. It
// never sends a request twice, and no restore is FINISHED except the one that it requested last.
func TestSequencesStartOnlyPlannedRestores(t *testing.T) {
	t.Parallel()
	providertest.CheckSequences(t, func(t *rapid.T) {
		q := &sequence{t: t, foreign: map[string]bool{}, config: intoCards(values{"timeouts": values{"create": "1s", "update": "1s"}})}
		a := providertest.Registration{ResourceType: restoreJobs, Options: emulator.Options{
			OnRequest: func(r emulator.Request) {
				if r.Authenticated && r.Method == http.MethodPost {
					q.startNext()
					q.startLate(r)
				}
			},
			RestoreReads:   rapid.SampledFrom([]int{-1, 1, 10}).Draw(t, "restore reads"),
			RestoreOutcome: rapid.SampledFrom([]string{"FINISHED", "FINISHED", "BROKEN", "KILLED", "CANCELLED"}).Draw(t, "outcome"),
			Unknowns: emulator.Unknowns{
				ForgetsFinishedRestores: rapid.Bool().Draw(t, "forgets restores"),
			},
		}}.Start(t)
		a.Server = a.Service.NewServer(20 * time.Millisecond)
		a.Settings["request_timeout"] = "100ms" // a tenth of that of a request for a restore
		a.Configure()
		for _, id := range []string{heldSnapshot, expiredSnapshot} {
			a.Service.SetSnapshot(payments, ledger, id, object{"complete": true, "doNotDelete": true})
		}
		q.Trial, q.forgets = a, a.Registration.Options.Unknowns.ForgetsFinishedRestores
		t.Repeat(map[string]func(*rapid.T){
			"apply":  func(*rapid.T) { q.apply() },
			"invoke": func(*rapid.T) { q.invoke() },
			"fail":   func(*rapid.T) { q.fail() },
			"trigger": func(*rapid.T) {
				q.set(another(fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "drill"))))
			},
			"source": func(*rapid.T) {
				q.set(values{"snapshot_id": rapid.SampledFrom([]string{heldSnapshot, expiredSnapshot}).Draw(t, "snapshot")})
			},
			"confirm": func(*rapid.T) {
				q.set(values{"target_cluster_name": rapid.SampledFrom([]string{"cards", "cards", "orders"}).Draw(t, "name")})
			},
			"deliver": func(*rapid.T) {
				if rapid.Bool().Draw(t, "to a link") {
					q.set(values{"target_project_id": nil, "target_cluster_id": nil, "target_cluster_name": nil, "max_downloads": 2})
				} else {
					q.set(values{"target_project_id": payments, "target_cluster_id": cards, "target_cluster_name": "cards", "max_downloads": nil})
				}
			},
			"taint": func(*rapid.T) { q.Tainted = !q.State.IsNull() },
			"restore elsewhere": func(*rapid.T) {
				q.setNext()
				if rapid.Bool().Draw(t, "at once") {
					q.startNext()
				}
			},
			"forget": func(*rapid.T) { q.Service.RemoveRestoreJobs(payments, ledger) },
		})
	})
}

// setNext chooses a restore of the same cluster, as another client may start.
func (q *sequence) setNext() {
	fields := object{"snapshotId": rapid.SampledFrom([]string{heldSnapshot, expiredSnapshot}).Draw(q.t, "foreign snapshot"), "pointInTime": false}
	if rapid.Bool().Draw(q.t, "foreign link") {
		fields["delivery"] = object{"methodName": "HTTP", "statusName": "NOT_STARTED", "maxDownloads": 2}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next = fields
}

// startNext starts the restore of another client.
func (q *sequence) startNext() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == nil {
		return
	}
	for _, id := range q.Service.StartRestore(payments, ledger, q.next) {
		q.foreign[id] = true
	}
	q.next = nil
}

// startLate starts the restore of a request that was not answered.
func (q *sequence) startLate(r emulator.Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r.Status != 0 || q.late == 0 {
		return
	}
	var sent object
	if err := json.Unmarshal(r.Body, &sent); err != nil {
		return
	}
	service := q.Service
	time.AfterFunc(q.late, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		for _, id := range service.StartRestore(payments, ledger, object{"snapshotId": sent["snapshotId"], "pointInTime": false}) {
			q.foreign[id] = true // nothing shows that it is not another client's
		}
	})
	q.late = 0
}

// isForeign reports whether another client requested a restore.
func (q *sequence) isForeign(id string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.foreign[id]
}

func (q *sequence) set(fields values) { q.config = q.config.With(fields) }

// fail makes a later request fail: refused, lost before or after it took effect, answered late, cut
// off, or answered with the job of another client.
func (q *sequence) fail() {
	document := func(status int, code string) emulator.Fault {
		return emulator.Fault{
			Status: status,
			Body:   fmt.Sprintf(`{"detail": "No.", "error": %d, "errorCode": %q, "parameters": [], "reason": "No"}`, status, code),
		}
	}
	fault := rapid.SampledFrom([]emulator.Fault{
		{DropBefore: true}, {DropAfter: true}, {Status: 500}, {Status: 409}, {Truncate: 3}, {Unanswered: true}, {Delay: 50 * time.Millisecond},
		document(500, "UNEXPECTED_ERROR"), document(409, "SNAPSHOT_BLOCKS_MISSING"), {Status: 200, Body: "foreign"},
	}).Draw(q.t, "fault")
	fault.Method = rapid.SampledFrom([]string{"POST", "POST", "POST", "GET"}).Draw(q.t, "method")
	if fault.Body == "foreign" {
		fault.Method, fault.Header = "POST", http.Header{"Content-Type": {"application/json"}}
		fault.Body = `{"results": [{"id": "` + nowhere + `", "statusName": "FINISHED", "snapshotId": "` + incompleteSnapshot + `"}], "totalCount": 1}`
		q.mu.Lock()
		for id := range q.foreign {
			fault.Body = strings.Replace(fault.Body, nowhere, id, 1)
		}
		q.mu.Unlock()
	}
	if fault.Method == "GET" {
		fault.Skip = rapid.IntRange(0, 3).Draw(q.t, "skip")
	}
	if fault.Unanswered && fault.Method == "POST" {
		q.mu.Lock()
		q.late = time.Duration(rapid.SampledFrom([]int{0, 1, 30, 200}).Draw(q.t, "late")) * time.Millisecond
		q.mu.Unlock()
	}
	q.Service.Inject(fault)
}

// own returns the IDs of the restores that the sequence has started.
func (q *sequence) own() (ids []string) {
	for _, job := range q.Service.RestoreJobs(payments, ledger) {
		if id := fmt.Sprint(job["id"]); id != seedJob && !q.isForeign(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (q *sequence) apply() {
	q.Configure()
	q.Refresh() // an injected fault may fail it
	prior, requests := q.Attributes(), len(requested(q.Service))
	p := q.Plan(q.config)
	isSame := prior != nil && fmt.Sprint(prior["triggers"]) == fmt.Sprint(q.config["triggers"])
	if len(p.Errors()) > 0 {
		switch { // as the error advises
		case q.Tainted && prior["id"] != nil:
			q.Tainted = false
		case prior != nil && prior["id"] == nil && rapid.Bool().Draw(q.t, "removes the lost restore from the state"):
			q.State, q.Private, q.Tainted = q.Null(), nil, false
		}
		return
	}
	starts := p.Values()["id"] == providertest.Unknown
	if isSame && q.Tainted { // Terraform replaces it, which is another restore if it is not into the same cluster
		isSame = prior["target_cluster_id"] == q.config["target_cluster_id"] &&
			(q.config["target_cluster_id"] != nil || prior["snapshot_id"] == q.config["snapshot_id"])
	}
	switch {
	case prior != nil && prior["id"] == nil:
		q.t.Fatalf("the plan continues after a lost request: %v", prior)
	case starts == isSame:
		q.t.Fatalf("the plan starts a restore: %v, want %v; state %v", starts, !isSame, prior)
	}
	target := q.config["target_cluster_id"]
	if overwrites := contains(p.Warnings(), "Restore Will Overwrite Cluster cards"); overwrites != (starts && target != nil) {
		q.t.Fatalf("the plan starts a restore: %v; warnings %q", starts, p.Warnings())
	}
	before := q.own()
	diags := q.ApplyReplanned(p)
	sent := requested(q.Service)[requests:]
	started := slices.ContainsFunc(q.own(), func(id string) bool { return !slices.Contains(before, id) })
	state := q.Attributes()
	isRecorded := state != nil && fmt.Sprint(state["triggers"]) == fmt.Sprint(q.config["triggers"])
	switch {
	case len(sent) > 1, len(sent) == 1 && !starts:
		q.t.Fatalf("the apply sent %q; the plan starts a restore: %v", sent, starts)
	case len(sent) == 1 && target != nil && (!strings.Contains(sent[0], cards) || q.config["target_cluster_name"] != "cards"):
		q.t.Fatalf("the apply sent %q, but target_cluster_name is %v", sent, q.config["target_cluster_name"])
	case started && !isRecorded:
		q.t.Fatalf("a restore was started, and the state is %v: %q", state, diags.Errors())
	case len(diags.Errors()) == 0 && !isRecorded:
		q.t.Fatalf("the state has no restore: %q", diags.Warnings())
	case len(diags.Errors()) > 0 && isRecorded && (state["status_name"] != "UNKNOWN" || state["id"] != nil):
		q.t.Fatalf("the apply failed, and the state is %v: %q", state, diags.Errors())
	}
	if isGreen := starts && len(diags.Errors()) == 0; isGreen && state["status_name"] != "FINISHED" && !contains(diags.Warnings(), "[status_name]") {
		q.t.Fatalf("the restore is %v, without a warning: %q", state["status_name"], diags.Warnings())
	}
	if id := fmt.Sprint(state["id"]); starts && isRecorded && state["status_name"] == "FINISHED" &&
		(len(sent) == 0 || id == nowhere || q.isForeign(id) || slices.Contains(before, id) || prior != nil && id == prior["id"]) {
		q.t.Fatalf("the state has %v, and the apply sent %q", state, sent)
	}
}

// invoke invokes the action. It is green only if it started a restore, which has finished.
func (q *sequence) invoke() {
	config := ordered(values{
		"snapshot_id": q.config["snapshot_id"], "timeouts": values{"invoke": "1s"},
		"target_cluster_name": rapid.SampledFrom([]string{"cards", "cards", "orders"}).Draw(q.t, "name"),
	})
	q.Configure()
	before, requests := q.own(), len(requested(q.Service))
	_, diags := q.InvokeAction(providertest.RestoreJobType, config)
	sent := requested(q.Service)[requests:]
	finished := 0
	for _, job := range q.Service.RestoreJobs(payments, ledger) {
		id := fmt.Sprint(job["id"])
		if slices.Contains(q.own(), id) && !slices.Contains(before, id) && job["statusName"] == "FINISHED" && job["snapshotId"] == config["snapshot_id"] {
			finished++
		}
	}
	switch isGreen := len(diags.Errors()) == 0; {
	case len(sent) > 1, len(sent) == 1 && config["target_cluster_name"] != "cards":
		q.t.Fatalf("the action sent %q for %v", sent, config)
	case isGreen && (len(sent) != 1 || finished != 1 && !q.forgets):
		q.t.Fatalf("the action is green, sent %q, and finished %d restores", sent, finished)
	}
}

package provider_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// audit is what the tests read of an audit.
type audit struct {
	Verdict string
	Checks  []struct{ Cluster, What, Verdict, Why string }
	Ignored []string `json:"ignored_files"`
}

// verdicts returns the verdict of each check by its cluster and its last word, such as a quarter, a date or an ID.
func (a audit) verdicts() map[string]string {
	found := map[string]string{}
	for _, c := range a.Checks {
		what := regexp.MustCompile(`20\d\d-Q\d|before 2033|deleted|[0-9a-f]{24}`).FindString(c.What)
		found[c.Cluster+" "+what] = c.Verdict
	}
	return found
}

// openAudit returns a copy of the example, which reads a service.
func openAudit(t *testing.T, service *providertest.Service) providertest.Folder {
	t.Helper()
	w := copyExample(t, service, "audit")
	w.Init()
	return w
}

// makeAudit applies the example, which only reads, and returns the audit and its page.
func makeAudit(w providertest.Folder) (made audit, page string) {
	w.T.Helper()
	printed := w.MustRun("apply", "-auto-approve")
	text := w.MustRun("output", "-raw", "json")
	w.Write("audit.json", text)
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		w.T.Fatal(err)
	}
	if warns := strings.Contains(printed, "Check block assertion failed"); warns != (made.Verdict != "passed") {
		w.T.Errorf("the audit is %s, and the apply prints\n%s", made.Verdict, printed)
	}
	return made, w.MustRun("output", "-raw", "html")
}

// auditedSnapshot returns a complete snapshot with more fields.
func auditedSnapshot(id int, more object) object {
	s := object{"id": snapshotID(id), "complete": true, "created": object{"date": "2026-01-02T03:04:05Z", "increment": 1}}
	for name, value := range more {
		s[name] = value
	}
	return s
}

func snapshotID(id int) string { return fmt.Sprintf("66d2a1b0%016x", id) }

// auditedRestore returns a restore that was requested at a time.
func auditedRestore(id int, created, status string, more object) object {
	job := object{"id": fmt.Sprintf("66d4a1b0%016x", id), "snapshotId": snapshotID(1), "created": created, "statusName": status}
	for name, value := range more {
		job[name] = value
	}
	return job
}

// drillFile returns the JUnit file of a drill that restores a cluster.
func drillFile(clusterID, timestamp, errors string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><testsuites>
  <testsuite name="tests/drill.tftest.hcl" tests="1" skipped="0" failures="0" errors="` + errors + `">
    <testcase name="the_newest_snapshot_restores" classname="tests/drill.tftest.hcl" time="2.9" timestamp="` + timestamp + `">
      <system-err><![CDATA[
The apply restores snapshot 66d3f330c4d6e8f0a2b4c602 of cluster ledger
(` + clusterID + `) into this cluster, and replaces all its data.
]]></system-err>
    </testcase>
  </testsuite>
</testsuites>`
}

func TestAuditPassesOnlyWhatIsKnown(t *testing.T) {
	t.Parallel()
	const (
		proved, expiring, silent, empty = "650a00000000000000000001", "650a00000000000000000002", "650a00000000000000000003", "650a00000000000000000004"
		foreign, ending, sharded, shard = "650a00000000000000000005", "650a00000000000000000006", "650a00000000000000000007", "650a00000000000000000008"
		absent                          = "650a00000000000000000099"
		late, early                     = "2033-01-01T00:00:00Z", "2032-12-31T23:59:59Z"
	)
	started := object{"statusName": "STARTED"}
	replicaSet := func(id, name string, snapshots, restores []object) emulator.Cluster {
		return emulator.Cluster{ID: id, Name: name, TypeName: "REPLICA_SET", BackupConfig: started, Snapshots: snapshots, RestoreJobs: restores}
	}
	held, kept := object{"doNotDelete": true, "expires": nil}, object{"doNotDelete": false, "expires": late}
	batch := object{"batchId": "66d4a1b0ffffffffffffffff"}
	terminating := replicaSet(ending, "ending", []object{auditedSnapshot(7, kept)}, nil)
	terminating.BackupConfig = object{"statusName": "TERMINATING"}
	service := providertest.StartService(t, emulator.Options{
		Now: stopped(time.Now()), TransitionTime: -1, TransitionReads: 1_000,
		Seed: &emulator.Seed{Projects: []emulator.Project{{ID: payments, Name: "Payments", Clusters: []emulator.Cluster{
			replicaSet(proved, "proved", []object{auditedSnapshot(1, held), auditedSnapshot(2, kept)}, []object{
				auditedRestore(1, "2026-01-01T00:00:00Z", "FINISHED", nil), auditedRestore(2, "2026-03-31T23:59:59Z", "BROKEN", nil),
			}),
			replicaSet(expiring, "expiring", []object{auditedSnapshot(3, kept), auditedSnapshot(4, object{"doNotDelete": false, "expires": early})}, []object{
				auditedRestore(3, "2026-02-01T00:00:00Z", "BROKEN", nil), auditedRestore(4, "2026-04-01T00:00:00Z", "IN_PROGRESS", nil),
			}),
			replicaSet(silent, "silent", []object{auditedSnapshot(5, object{"doNotDelete": nil, "expires": nil}), auditedSnapshot(6, held)}, nil),
			replicaSet(empty, "empty", nil, nil),
			{ID: foreign, Name: "foreign", TypeName: "REPLICA_SET", ThirdPartyBackup: "ACTIVE"},
			terminating,
			{
				ID: sharded, Name: "sharded", TypeName: "SHARDED_REPLICA_SET", BackupConfig: started,
				RestoreJobs: []object{
					auditedRestore(5, "2026-01-01T00:00:00Z", "FINISHED", batch), auditedRestore(
						6, "2026-04-01T00:00:00Z", "FINISHED", object{"batchId": "66d4a1b0eeeeeeeeeeeeeeee"},
					),
					auditedRestore(7, "2026-01-01T00:00:00Z", "FINISHED", batch),
				},
			},
			{ID: shard, Name: "sharded", ShardOf: sharded, ShardName: "shard-0", TypeName: "REPLICA_SET"},
			{ID: "650a00000000000000000009", Name: "sharded", ShardOf: sharded, ShardName: "shard-1", TypeName: "REPLICA_SET"},
		}}}},
	})
	w := openAudit(t, service)
	entry := func(name, id, more string) string {
		return fmt.Sprintf("  %q = { project_id = %q, cluster_id = %q%s }\n", name, payments, id, more)
	}
	until := ", keep_until = \"" + late + "\""
	w.Write("terraform.tfvars", "quarters = [\"2026-Q1\", \"2026-Q2\"]\nclusters = {\n"+
		entry("<b>proved</b>", proved, until)+entry("expiring", expiring, until)+entry("silent", silent, until)+entry("empty", empty, until)+
		entry("foreign", foreign, until)+entry("ending", ending, until)+entry("absent", absent, until)+entry("sharded", sharded, "")+"}\n"+
		fmt.Sprintf("holds = {\n  %q = \"Legal & Co\"\n  %q = \"Legal\"\n  %q = \"Legal\"\n}\n", snapshotID(1), snapshotID(2), snapshotID(99)))
	if err := os.Mkdir(filepath.Join(w.Dir, "drills"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.Write("drills/proved.xml", drillFile(proved, "2026-06-30T23:00:00Z", "0"))
	w.Write("drills/empty.xml", drillFile(empty, "2026-05-01T00:00:00Z", "1"))
	w.Write("drills/silent.xml", drillFile(silent, "2026-05-01T00:00:00Z", "0")+drillFile(silent, "2026-05-01T00:00:00Z", "1"))
	w.Write("drills/other.xml", drillFile("650a000000000000000000aa", "2026-05-01T00:00:00Z", "0"))
	made, page := makeAudit(w)
	const passed, failed, unknown = "passed", "failed", "not known"
	want := map[string]string{
		"<b>proved</b> before 2033": passed, "<b>proved</b> 2026-Q1": passed, "<b>proved</b> 2026-Q2": passed,
		"expiring before 2033": failed, "expiring 2026-Q1": failed, "expiring 2026-Q2": unknown,
		"silent before 2033": unknown, "silent 2026-Q1": unknown, "silent 2026-Q2": failed,
		"empty before 2033": failed, "empty 2026-Q1": unknown, "empty 2026-Q2": failed,
		"foreign before 2033": unknown, "foreign 2026-Q1": unknown, "foreign 2026-Q2": unknown,
		"ending before 2033": failed, "ending 2026-Q1": unknown, "ending 2026-Q2": unknown,
		"absent before 2033": unknown, "absent 2026-Q1": unknown, "absent 2026-Q2": unknown,
		"sharded 2026-Q1": passed, "sharded 2026-Q2": unknown,
		"<b>proved</b> " + snapshotID(1): passed, "<b>proved</b> " + snapshotID(2): failed,
		"silent " + snapshotID(6): unknown, "none " + snapshotID(99): unknown, // some snapshots could not be read
	}
	if got := made.verdicts(); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	providertest.WantEqual(t, made.Verdict, failed)
	providertest.WantEqual(t, strings.Join(made.Ignored, " "), "other.xml")
	parsed, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	if names := textOf(parsed, "bdi", ""); !strings.Contains(names, "<b>proved</b>") || !strings.Contains(names, "is held by Legal & Co") {
		t.Errorf("the page names %s", names)
	}
	providertest.WantEqual(t, textOf(parsed, "h1", "failed"), "Failed: 7 failed, 15 not known, 5 passed")
	if len(service.Writes()) > 0 {
		t.Errorf("requested %q", service.Writes())
	}

	// Without what fails and what is not known, the same facts pass, until a snapshot is gone that an earlier audit saw.
	w.Write("terraform.tfvars", "quarters = [\"2026-Q1\", \"2026-Q2\"]\nclusters = {\n"+entry("<b>proved</b>", proved, until)+"}\n"+
		fmt.Sprintf("holds = { %q = \"Legal\" }\n", snapshotID(1)))
	made, _ = makeAudit(w)
	providertest.WantEqual(t, made.Verdict, passed)
	w.Write("previous.auto.tfvars", "previous = \"earlier.json\"\n")
	if err := os.Rename(filepath.Join(w.Dir, "audit.json"), filepath.Join(w.Dir, "earlier.json")); err != nil {
		t.Fatal(err)
	}
	made, _ = makeAudit(w)
	providertest.WantEqual(t, made.verdicts()["<b>proved</b> deleted"], passed)
	service.RemoveSnapshot(payments, proved, snapshotID(1))
	made, _ = makeAudit(w)
	providertest.WantEqual(t, made.verdicts()["<b>proved</b> deleted"], failed)
	providertest.WantEqual(t, made.verdicts()["none "+snapshotID(1)], failed)
}

func TestFileOfADrillProvesARestore(t *testing.T) {
	t.Parallel()
	cli := providertest.CLI(t)
	if cli.OpenTofu() || cli.Version.LessThan(junit) {
		t.Skipf("-junit-xml requires Terraform %s; this is %s %s", junit, cli.Name, cli.Version)
	}
	drill := copyExample(t, providertest.StartService(t, emulator.Options{Now: stopped(time.Now())}), "restore-drill")
	drill.Init()
	drill.MustRun("test", "-junit-xml=drill.xml")
	written, err := os.ReadFile(filepath.Join(drill.Dir, "drill.xml"))
	if err != nil {
		t.Fatal(err)
	}

	// Another service, which has no restore of this cluster.
	now := time.Now().UTC()
	quarter := fmt.Sprintf("%d-Q%d", now.Year(), (int(now.Month())+2)/3)
	seed := emulator.Seed{Projects: []emulator.Project{{ID: payments, Name: "Payments", Clusters: []emulator.Cluster{
		{ID: ledger, Name: "ledger", TypeName: "REPLICA_SET", BackupConfig: object{"statusName": "STARTED"}},
	}}}}
	w := openAudit(t, providertest.StartService(t, emulator.Options{Seed: &seed}))
	w.Write("terraform.tfvars", fmt.Sprintf("quarters = [%q]\nclusters = { ledger = { project_id = %q, cluster_id = %q } }\n", quarter, payments, ledger))
	if made, _ := makeAudit(w); made.Verdict != "not known" {
		t.Errorf("without a drill, the audit is %s", made.Verdict)
	}
	if err := os.Mkdir(filepath.Join(w.Dir, "drills"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.Write("drills/drill.xml", string(written))
	if made, _ := makeAudit(w); made.Verdict != "passed" {
		t.Errorf("with a drill, the audit is %s: %+v", made.Verdict, made.Checks)
	}
}

package provider_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// The infrastructure of the example of the same name.
const (
	infrastructureCluster = "650a2177e1f3a5b7c9d00e42" // reports, in Payments; its backup is INACTIVE
	infrastructureDaemon  = "om-new.example.com"
)

const headDirectory = "/data/backup/"

// versionsOfInfrastructure are the versions that the example is tested on.
var versionsOfInfrastructure = []string{"7.0.0", emulator.NewestVersion}

// remains returns the objects of the infrastructure that a service holds.
func remains(s *providertest.Service) []string {
	var found []string
	for _, id := range []string{"lon-s3-1", "lon-s3-2"} {
		if s.BackupStore(emulator.S3Blockstore, id) != nil {
			found = append(found, id)
		}
	}
	if s.BackupStore(emulator.OplogStore, "lon-oplog-1") != nil {
		found = append(found, "lon-oplog-1")
	}
	if s.BackupDaemon(infrastructureDaemon, headDirectory) != nil {
		found = append(found, infrastructureDaemon)
	}
	config := s.JobConfig(payments)
	delete(config, "privateLinkEnabled") // which each one has
	if maps.DeleteFunc(config, func(_ string, value any) bool { return fmt.Sprint(value) == "[]" }); len(config) > 0 {
		found = append(found, "job configuration")
	}
	if status := s.BackupConfig(payments, infrastructureCluster)["statusName"]; status != "INACTIVE" {
		found = append(found, fmt.Sprint(status))
	}
	return found
}

var wholeInfrastructure = []string{"lon-s3-1", "lon-s3-2", "lon-oplog-1", infrastructureDaemon, "job configuration", "STARTED"}

// infrastructureExample has the resources of the example in the order in which Terraform creates them.
type infrastructureExample struct {
	t         *testing.T
	service   *providertest.Service
	workspace *providertest.Workspace
	resources []*providertest.Resource
	configs   []values
}

func newInfrastructure(t *testing.T, version string) *infrastructureExample {
	t.Helper()
	s := providertest.ServiceInMemory(emulator.Options{ServiceVersion: version})
	f := &infrastructureExample{t: t, service: s, workspace: providertest.NewWorkspace(t, s, values{"max_retries": 0})}
	add := func(typeName string, config values) {
		f.resources = append(f.resources, f.workspace.NewResource(typeName))
		f.configs = append(f.configs, config)
	}
	labels := []any{"london"}
	timeouts := values{"create": "10s", "update": "10s", "delete": "10s"}
	for _, id := range []string{"lon-s3-1", "lon-s3-2"} {
		add(providertest.S3BlockstoreType, values{
			"id": id, "uri": "mongodb://db.example.com", "s3_bucket_name": id, "s3_bucket_endpoint": "https://s3.example.com",
			"s3_max_connections": 5, "aws_access_key": "AKIA0123",
			"aws_secret_key": "c0rrect", "path_style_access_enabled": true, "sse_enabled": true, "accepted_tos": true,
			"assignment_enabled": true, "labels": labels, "timeouts": timeouts,
		})
	}
	add(providertest.OplogStoreType, values{
		"id": "lon-oplog-1", "uri_wo": "mongodb://db.example.com", "uri_wo_version": 1, "assignment_enabled": true, "labels": labels,
		"timeouts": timeouts,
	})
	add(providertest.DaemonType, values{
		"machine": infrastructureDaemon, "head_root_directory": headDirectory, "assignment_enabled": true, "backup_jobs_enabled": true,
		"labels": labels, "on_destroy": "delete",
	})
	add(providertest.JobConfigType, values{
		"on_destroy": "reset",
		"project_id": payments, "label_filter": labels, "oplog_store_filter": []any{values{"id": "lon-oplog-1", "type": "oplogStore"}},
		"snapshot_store_filter": []any{values{"id": "lon-s3-1", "type": "s3blockstore"}, values{"id": "lon-s3-2", "type": "s3blockstore"}},
		"daemon_filter":         []any{values{"machine": infrastructureDaemon, "head_root_directory": headDirectory}},
	})
	ids := values{"project_id": payments, "cluster_id": infrastructureCluster}
	add(providertest.BackupConfigType, ids.With(values{"status_name": "STARTED", "on_destroy": "terminate"}))
	add(providertest.ScheduleType, ids.With(values{"snapshot_interval_hours": 24, "daily_snapshot_retention_days": 30}))
	return f
}

// run refreshes and plans all resources, and then applies the plans in their order, as Terraform
// does. It ends with the first error.
func (f *infrastructureExample) run(destroys bool) []string {
	f.t.Helper()
	f.workspace.Configure()
	for _, r := range f.resources {
		if errors := r.Refresh().Errors(); len(errors) > 0 {
			return errors
		}
	}
	plans := make([]*providertest.Plan, len(f.resources))
	order := make([]int, len(f.resources))
	for i, r := range f.resources {
		order[i] = i
		config := f.configs[i]
		if destroys {
			config = nil
		}
		if destroys && r.State.IsNull() {
			continue
		}
		if plans[i] = r.Plan(config); len(plans[i].Errors()) > 0 {
			return plans[i].Errors()
		}
	}
	if destroys {
		slices.Reverse(order)
	}
	f.workspace.Configure()
	for _, i := range order {
		if plans[i] == nil || plans[i].IsEmpty() {
			continue
		}
		if errors := f.resources[i].Apply(plans[i], nil).Errors(); len(errors) > 0 {
			return errors
		}
	}
	return nil
}

func (f *infrastructureExample) mustRun(destroys bool) {
	f.t.Helper()
	if errors := f.run(destroys); len(errors) > 0 {
		f.t.Fatalf("destroys %v: %q", destroys, errors)
	}
}

// importUnanswered imports each store that exists and is in no state, because its creation had no answer.
func (f *infrastructureExample) importUnanswered() {
	f.t.Helper()
	kinds := map[string]emulator.StoreKind{providertest.S3BlockstoreType: emulator.S3Blockstore, providertest.OplogStoreType: emulator.OplogStore}
	for i, r := range f.resources {
		id, _ := f.configs[i]["id"].(string)
		if kind, isStore := kinds[r.TypeName]; isStore && r.State.IsNull() && f.service.BackupStore(kind, id) != nil {
			r.ImportID(id)
		}
	}
}

// wantEmptyPlans fails if something is left to do.
func (f *infrastructureExample) wantEmptyPlans() {
	f.t.Helper()
	f.workspace.Configure()
	for i, r := range f.resources {
		if errors := r.Refresh().Errors(); len(errors) > 0 {
			f.t.Fatalf("refresh: %q", errors)
		}
		providertest.WantEmptyPlan(f.t, r.Plan(f.configs[i]))
	}
}

// Each request of an apply and of a destroy fails once, before or after it took effect. The next
// run completes what is left, once a person has imported what a creation without an answer left.
func TestInterruptedInfrastructureIsCompletedByTheNextRun(t *testing.T) {
	t.Parallel()
	faults := []emulator.Fault{{Status: http.StatusInternalServerError}, {DropAfter: true}}
	for _, destroys := range []bool{false, true} {
		t.Run(fmt.Sprintf("destroys %v", destroys), func(t *testing.T) {
			t.Parallel()
			for request, ended := 0, false; !ended; request++ {
				for i, version := range versionsOfInfrastructure {
					for j, fault := range faults {
						// In the sample, every second request fails in one way on one version.
						if providertest.Sampled(request+2*i+4*j, 8) {
							providertest.InBubble(t, func(t *testing.T) {
								ended = !interruptInfrastructure(t, version, destroys, request, fault) || ended
							})
						}
					}
				}
			}
		})
	}
}

// interruptInfrastructure interrupts a run at a request, and reports whether there was one.
func interruptInfrastructure(t *testing.T, version string, destroys bool, request int, fault emulator.Fault) (hit bool) {
	t.Helper()
	f := newInfrastructure(t, version)
	if destroys {
		f.mustRun(false)
	}
	f.service.ResetRequests()
	fault.Skip = request
	f.service.Inject(fault)
	failed := len(f.run(destroys)) > 0
	hit = len(f.service.Calls()) > request
	f.service.ClearFaults()
	if failed && !hit {
		t.Fatalf("request %d: the run failed without a fault", request)
	}
	f.importUnanswered()
	f.mustRun(destroys)
	if destroys {
		if got := remains(f.service); len(got) > 0 {
			t.Errorf("request %d: the destroy left %q", request, got)
		}
		return hit
	}
	f.wantEmptyPlans()
	if got := remains(f.service); !slices.Equal(got, wholeInfrastructure) {
		t.Errorf("request %d: the applies built %q", request, got)
	}
	return hit
}

// Each input of the example is changed, with -exhaustive one after the other, except for those that a running backup
// is bound to: its daemon, its project and its cluster.
func TestInfrastructureFollowsEachOfItsInputs(t *testing.T) {
	t.Parallel()
	cli := providertest.CLI(t)
	if cli.Version.LessThan(writeOnly) {
		t.Skipf("write-only attributes require Terraform %s; this is %s %s", writeOnly, cli.Name, cli.Version)
	}
	service := providertest.StartService(t)
	inputs := map[string]string{
		"project_id": payments, "cluster_id": infrastructureCluster, "daemon": infrastructureDaemon,
		"metadata_uri": "mongodb://metadata:c0rrect@db.example.com", "oplog_uri": "mongodb://oplog:c0rrect@db.example.com",
		"s3_access_key": "AKIA0123", "s3_secret_key": "c0rrect",
		"s3_endpoint": "https://s3.eu-west-2.amazonaws.com", "labels": `["london"]`,
		"buckets": `{"lon-s3-1": "snapshots-london-1", "lon-s3-2": "snapshots-london-2"}`,
	}
	w := openExample(t, cli, "OPSMANAGER_BASE_URL="+service.URL)
	w.Copy(filepath.Join(examples, "infrastructure", "main.tf"))
	write := func() {
		var text strings.Builder
		for name, value := range inputs {
			if !strings.ContainsAny(value, "[{") {
				value = strconv.Quote(value)
			}
			fmt.Fprintf(&text, "%s = %s\n", name, value)
		}
		w.Write("terraform.tfvars", text.String())
	}
	write()
	w.Init()
	// The backup uses the oldest store.
	w.MustRun("apply", "-auto-approve", `-target=opsmanager_s3_blockstore.snapshots["lon-s3-1"]`)
	w.MustRun("apply", "-auto-approve")
	providertest.WantEqual(t, remains(service), wholeInfrastructure)
	store := func(id, field string) any { return service.BackupStore(emulator.S3Blockstore, id)[field] }
	type input struct {
		name, value string
		applied     func() bool
	}
	groups := [][]input{
		{
			{"metadata_uri", "mongodb://metadata:another@db.example.com", func() bool { return store("lon-s3-2", "uri") == inputs["metadata_uri"] }},
			{"s3_access_key", "AKIA4567", func() bool { return store("lon-s3-1", "awsAccessKey") == "AKIA4567" }},
			{"s3_secret_key", "c0rrect too", func() bool { return store("lon-s3-1", "awsSecretKey") == "c0rrect too" }},
			{"oplog_uri", "mongodb://oplog:another@db.example.com", func() bool { // it needs a new version
				return service.BackupStore(emulator.OplogStore, "lon-oplog-1")["uri"] == "mongodb://oplog:c0rrect@db.example.com"
			}},
		},
		{
			{"s3_endpoint", "https://s3.example.com", func() bool { return store("lon-s3-1", "s3BucketEndpoint") == "https://s3.example.com" }},
			{"labels", `["paris", "london"]`, func() bool { return len(service.JobConfig(payments)["labelFilter"].([]any)) == 2 }},
		},
		// Ops Manager deletes only the store that the backup does not use.
		{{"buckets", `{"lon-s3-1": "snapshots-london-1", "lon-s3-renamed": "snapshots-london-2"}`, func() bool {
			return service.BackupStore(emulator.S3Blockstore, "lon-s3-2") == nil && store("lon-s3-renamed", "s3BucketName") == "snapshots-london-2"
		}}},
		{{"buckets", `{"lon-s3-1": "snapshots-london-1"}`, func() bool { return service.BackupStore(emulator.S3Blockstore, "lon-s3-renamed") == nil }}},
	}
	if isExhaustive := providertest.Sampled(1, 2); isExhaustive {
		groups = slices.Collect(slices.Chunk(slices.Concat(groups...), 1))
	}
	w.Out = io.Discard
	const other = `-var=buckets={lon-s3-1="snapshots-london-1", lon-s3-2="other"}`
	if exitCode, err := w.Run(t.Context(), "apply", "-auto-approve", other); err != nil || exitCode != 1 {
		t.Errorf("another bucket for a store: exit code %d, %v", exitCode, err)
	}
	for _, changes := range groups {
		for _, change := range changes {
			inputs[change.name] = change.value
		}
		write()
		w.MustRun("apply", "-auto-approve")
		for _, change := range changes {
			if !change.applied() {
				t.Errorf("%s = %s was not applied", change.name, change.value)
			}
		}
	}
	w.MustRun("plan", "-detailed-exitcode")
	w.MustRun("destroy", "-auto-approve")
	if got := remains(service); len(got) > 0 {
		t.Errorf("the destroy left %q", got)
	}
}

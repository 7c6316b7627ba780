package provider_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// destruction is what a destroy of a resource does.
type destruction struct {
	typeName string
	config   values
	sends    string // the methods of the requests that change something
	settings values // change that
	changed  string // what a destroy sends with the settings
	refused  bool   // whether the settings refuse it
}

// The phrases of the table of destroys, by the methods that a destroy sends.
var destroyPhrases = map[string]string{"": "only removes it from the state", "DELETE": "**deletes the "}

var destructions = []destruction{
	{typeName: providertest.ScheduleType, config: providertest.Schedule(ledger, nil)},
	{typeName: providertest.PolicyType, config: values{
		"project_ids": []any{payments}, "cluster_ids": []any{ledger}, "schedule": values{"daily_snapshot_retention_days": 60},
	}},
	{typeName: providertest.RestoreJobType, config: providertest.Schedule(ledger, values{"snapshot_id": newest, "max_downloads": 1, "expiration_hours": 1})},
	{
		typeName: providertest.BackupConfigType, config: providertest.Schedule(cards, nil),
		settings: values{"on_destroy": "terminate"}, changed: "PATCH PATCH",
	},
	{
		typeName: providertest.BackupConfigType, config: providertest.Schedule(cards, nil),
		settings: values{"on_destroy": "stop"}, changed: "PATCH",
	},
	{
		typeName: providertest.BackupModuleType, config: values{"project_id": payments, "hostnames": []any{"reports-0.payments.example.com"}},
		settings: values{"on_destroy": "deactivate"}, changed: "PUT",
	},
	{
		typeName: providertest.OnDemandSnapshotType, config: providertest.Schedule(orders, values{"retention_days": 3}),
		settings: values{"on_destroy": "delete"}, refused: true, // there is no later snapshot
	},
	{
		typeName: providertest.DaemonType, config: values{"machine": "om-au.example.com", "head_root_directory": "/data/backup/"},
		settings: values{"on_destroy": "delete"}, changed: "DELETE",
	},
	{
		typeName: providertest.JobConfigType, config: values{"project_id": payments, "label_filter": []any{"east"}},
		settings: values{"on_destroy": "reset"}, changed: "PUT",
	},
	{typeName: providertest.BlockstoreType, config: database, sends: "DELETE", settings: protection, refused: true},
	{typeName: providertest.OplogStoreType, config: database, sends: "DELETE", settings: protection, refused: true},
	{typeName: providertest.SyncStoreType, config: database, sends: "DELETE", settings: protection, refused: true},
	{typeName: providertest.S3BlockstoreType, config: database.With(bucket), sends: "DELETE", settings: protection, refused: true},
	{typeName: providertest.S3OplogStoreType, config: database.With(bucket), sends: "DELETE", settings: protection, refused: true},
	{typeName: providertest.FileSystemStoreType, config: values{"id": "new", "store_path": "/mnt/new"}, sends: "DELETE", settings: protection, refused: true},
	{typeName: providertest.RegionType, config: providertest.Region("NEW", nil), sends: "DELETE", settings: protection, refused: true},
	{typeName: providertest.RegionType, config: providertest.Region("NEW", nil), sends: "DELETE", settings: values{"on_destroy": "keep"}},
	{typeName: "opsmanager_alert_configuration", config: alertOfResync, sends: "DELETE", settings: values{"on_destroy": "keep"}},
}

var (
	alertOfResync = values{
		"project_id": payments, "event_type": "RESYNC_REQUIRED",
		"notifications": []any{values{"type_name": "EMAIL", "email_address": "a@example.com", "delay_min": 0, "interval_min": 5}},
	}
	protection = values{"deletion_protection": true}
	database   = values{"id": "new", "uri": "mongodb://db.example.com"}
	bucket     = values{
		"aws_access_key": "AKIA0123", "aws_secret_key": "c0rrect", "s3_bucket_name": "new",
		"s3_bucket_endpoint": "https://s3.example.com", "s3_max_connections": 5,
		"path_style_access_enabled": false, "sse_enabled": false, "accepted_tos": true,
	}
)

// destroyRow matches a row of the table: the resources, what happens when you destroy, and what changes that.
var destroyRow = regexp.MustCompile(`(?m)^\| (\[.opsmanager_.*?) \| (.*?) \| ?(.*?) ?\|$`)

func TestIndexSaysWhatADestroyDoes(t *testing.T) {
	t.Parallel()
	index, err := os.ReadFile("../../templates/index.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(index), "\n## What happens when you destroy\n")
	table, _, _ = strings.Cut(table, "\n## ")
	does, changes := map[string]string{}, map[string]string{}
	for _, row := range destroyRow.FindAllStringSubmatch(table, -1) {
		for _, name := range regexp.MustCompile("opsmanager_[a-z0-9_]+").FindAllString(row[1], -1) {
			does[name], changes[name] = row[2], row[3]
		}
	}
	w := providertest.NewWorkspace(t, providertest.StartService(t))
	for name := range w.Schema.ResourceSchemas {
		if does[name] == "" {
			t.Errorf("the table has no row for %s", name)
		}
		if !slices.ContainsFunc(destructions, func(d destruction) bool { return d.typeName == name }) {
			t.Errorf("this test does not know what a destroy of %s does: add it", name)
		}
	}
	for _, d := range destructions {
		if phrase := destroyPhrases[d.sends]; phrase == "" || !strings.Contains(does[d.typeName], phrase) {
			t.Errorf("%s: the table says %q, want %q", d.typeName, does[d.typeName], phrase)
		}
		d.check(t, nil, d.sends, false)
		if d.settings == nil {
			continue
		}
		d.check(t, d.settings, d.changed, d.refused)
		for setting, value := range d.settings {
			text, isText := value.(string)
			if want := "`" + setting + " = "; !strings.Contains(changes[d.typeName], want) || isText && !strings.Contains(changes[d.typeName], text) {
				t.Errorf("%s: the table does not say what %s = %v changes: %q", d.typeName, setting, value, changes[d.typeName])
			}
		}
	}
}

// check applies a configuration with some settings, destroys the resource, and checks what the destroy sends.
func (d destruction) check(t *testing.T, settings values, sends string, refused bool) {
	t.Helper()
	s, r := providertest.StartResource(t, d.typeName, emulator.Options{TransitionReads: -1, RestoreReads: -1})
	r.MustApply(d.config.With(settings))
	s.ResetRequests()
	diags := r.Destroy()
	errors := diags.Errors()
	warned := strings.Join(diags.Warnings(), "\n")
	if strings.Contains(warned, `set on_destroy = "keep"`) && !strings.Contains(warned, "deposed object, run 'terraform state rm ADDRESS'") {
		t.Errorf("%s with %v: what keeps no deposed object is the advice of %q", d.typeName, settings, warned)
	}
	var methods []string
	for _, request := range s.Writes() {
		method, _, _ := strings.Cut(request, " ")
		methods = append(methods, method)
	}
	if got := strings.Join(methods, " "); got != sends || (len(errors) > 0) != refused {
		t.Errorf("%s with %v: the destroy sends %q, want %q; errors: %q", d.typeName, settings, got, sends, errors)
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider"
)

// makeCopy runs the survey with -copy, and returns the file.
func (s *service) makeCopy(t *testing.T, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "copy.json")
	if err := run(t.Context(), append(args, "-copy", file), s.getenv, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	return file
}

// serveCopy serves a copy, as make emulator does.
func serveCopy(t *testing.T, file string) *service {
	t.Helper()
	text, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	options := emulator.Defaults()
	options.Lenient = true
	if options.Seed, err = emulator.ReadSeed(text); err != nil {
		t.Fatal(err)
	}
	if err := options.Play(options.Seed.Copy, func(string) bool { return false }); err != nil {
		t.Fatal(err)
	}
	e := emulator.New(options)
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	return &service{e, server.URL}
}

func (s *service) client(t *testing.T) *opsmanager.Client {
	t.Helper()
	config, _, err := provider.FromEnvironment(s.getenv)
	if err != nil {
		t.Fatal(err)
	}
	return opsmanager.NewClient(config)
}

// everything reads all that the provider reads, by what was asked. Failures are among the results.
func (s *service) everything(t *testing.T) map[string]any {
	t.Helper()
	ctx, client, found := t.Context(), s.client(t), map[string]any{}
	add := func(result any, err error, path ...string) {
		if e, ok := errors.AsType[*opsmanager.Error](err); ok {
			result = []any{e.Status, e.Code}
		}
		found[strings.Join(path, " ")] = plain(t, result)
	}
	seed := richSeed()
	projects, err := client.ListProjects(ctx)
	add(projects, err, "projects")
	for _, p := range seed.Projects {
		project, err := client.Project(ctx, p.ID)
		add(project, err, "project", p.ID)
		named, err := client.ProjectByName(ctx, p.Name)
		add(named, err, "project", p.Name)
		clusters, err := client.ListClusters(ctx, p.ID)
		add(clusters, err, "clusters", p.ID)
		configs, err := client.ListBackupConfigs(ctx, p.ID, opsmanager.Page{})
		add(configs, err, "configs", p.ID)
		hosts, err := client.ListHosts(ctx, p.ID)
		add(hosts, err, "hosts", p.ID)
		job, err := client.JobConfig(ctx, p.ID)
		add(job, err, "job config", p.ID)
		for _, c := range p.Clusters {
			cluster, err := client.Cluster(ctx, p.ID, c.ID)
			add(cluster, err, "cluster", c.ID)
			config, err := client.BackupConfig(ctx, p.ID, c.ID)
			add(config, err, "config", c.ID)
			members, err := client.AvailableMembers(ctx, p.ID, c.ID)
			add(members, err, "members", c.ID)
			schedule, err := client.SnapshotSchedule(ctx, p.ID, c.ID)
			add(schedule, err, "schedule", c.ID)
			for _, completed := range []string{"", "true", "false", "all"} {
				snapshots, err := client.ListClusterSnapshots(ctx, p.ID, c.ID, completed, opsmanager.Page{})
				add(snapshots, err, "snapshots", c.ID, completed)
			}
			for _, held := range c.Snapshots {
				snapshot, err := client.ClusterSnapshot(ctx, p.ID, c.ID, held["id"].(string))
				add(snapshot, err, "snapshot", c.ID, held["id"].(string))
			}
			jobs, err := client.ListRestoreJobs(ctx, p.ID, c.ID, "", opsmanager.Page{})
			add(jobs, err, "restore jobs", c.ID)
		}
	}
	for _, kind := range storeKinds {
		stores, err := client.ListBackupStores(ctx, kind.read)
		add(stores, err, "stores", string(kind.read))
		for _, held := range seed.BackupStores[kind.as] {
			store, err := client.BackupStore(ctx, kind.read, held["id"].(string))
			add(store, err, "store", string(kind.read), held["id"].(string))
		}
	}
	daemons, err := client.ListBackupDaemons(ctx)
	add(daemons, err, "daemons")
	if daemons != nil {
		for _, d := range daemons.Results {
			if d.Machine.HeadRootDirectory != nil {
				daemon, err := client.BackupDaemon(ctx, d.Machine.Machine, *d.Machine.HeadRootDirectory)
				add(daemon, err, "daemon", d.Machine.Machine)
			}
		}
	}
	regions, err := client.ListDeploymentRegions(ctx)
	add(regions, err, "regions")
	for _, held := range seed.DeploymentRegions {
		region, err := client.DeploymentRegion(ctx, held["id"].(string))
		add(region, err, "region", held["id"].(string))
	}
	jobs, err := client.ListJobConfigs(ctx)
	add(jobs, err, "job configs")
	return found
}

// plain returns an object without links and secrets.
func plain(t *testing.T, object any) any {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	var decoded any
	if err := json.Unmarshal(text, &decoded); err != nil {
		t.Fatal(err)
	}
	return stripped(decoded)
}

func stripped(value any) any {
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = stripped(value[i])
		}
	case map[string]any:
		for name := range value {
			switch name {
			case "links", "uri", "awsAccessKey", "awsSecretKey", "certString", "clientSecret", "kmipClientCertPassword", "url", "usedSize":
				delete(value, name)
			default:
				value[name] = stripped(value[name])
			}
		}
	}
	return value
}

var copiedVersions = []emulator.Options{
	{ServiceVersion: "6.0.20"},
	{ServiceVersion: "7.0.11"},
	{ServiceVersion: "8.0.13"},
	{},
	{Unknowns: emulator.Unknowns{BothNamespaceLists: true, ReturnsUsername: true, OmitsFalse: true, OldestSnapshotFirst: true, OmitsCreatedTime: true, ReturnsEmptyFilters: true, EngineOfInactive: true}},
	{Unknowns: emulator.Unknowns{InactiveSchedule: 200, UnmonitoredIsConflict: true, ReversesNamespaces: true, WholeClusterHasNoShard: true, OmitsSecretKey: true, ShowsKMIPPassword: true}},
	{MaxItemsPerPage: 100, OmitTotalCount: true, OmitFields: []string{"referenceHourOfDay"}, Unknowns: emulator.Unknowns{InactiveSchedule: 404, BareInactive: true}},
}

func TestACopyIsReadLikeTheOriginal(t *testing.T) {
	t.Parallel()
	for i, options := range copiedVersions {
		options.Lenient, options.Seed = true, richSeed()
		options.Seed.StartingDaemons = nil // they register meanwhile
		original := startService(t, options)
		original.startRestores()
		want := original.everything(t)
		got := serveCopy(t, original.makeCopy(t)).everything(t)
		if len(got) != len(want) || len(got) < 100 {
			t.Errorf("%d and %d readings", len(got), len(want))
		}
		for path := range want {
			if !reflect.DeepEqual(got[path], want[path]) {
				t.Errorf("options %d: %s:\ngot  %v\nwant %v", i, path, got[path], want[path])
			}
		}
	}
}

func TestACopyHasNoSecrets(t *testing.T) {
	t.Parallel()
	for i, options := range copiedVersions {
		options.Lenient = true
		original := startService(t, options)
		original.startRestores()
		original.SetBackupStore(emulator.Blockstore, "plain", map[string]any{"uri": "mongodb://operator:hush%40hush@db.example.com:27017/?authMechanismProperties=AWS_SESSION_TOKEN:hush-hush", "unheardOf": "hush-hush"})
		original.SetBackupStore(emulator.Blockstore, "old", map[string]any{"uri": "mongodb://db.example.com:27017/?w=1;sslPEMKeyPwd=hush;tlsCertificateKeyFile%50assword=hush"})
		original.SetBackupStore(emulator.OplogStore, "list", map[string]any{"uri": "operator:hush-hush@db1:27017,db2:27017"})
		original.SetBackupStore(emulator.S3Blockstore, "keys", map[string]any{
			"awsAccessKey": "AKIAHUSHHUSH", "awsSecretKey": "hush-hush", "oidc": map[string]any{"clientSecret": "hush-hush", "tokenUri": "https://key:hush@idp.example.com/token"},
			"s3BucketEndpoint":   "https://key:hush@minio.example.com:9000",
			"customCertificates": []any{map[string]any{"filename": "ca.pem", "certString": "hush-hush"}},
		})
		file := original.makeCopy(t)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"hush", "AKIAHUSH", "kmip-secret", "unheardOf", "BEGIN CERTIFICATE", "/restore/v2/pull", original.url, emulator.DefaultPrivateKey} {
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("options %d: the copy contains %q", i, secret)
			}
		}
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
}

func TestSecretsAreLeftOutAndMasksStay(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"uri", "mongodb://u:p@h:1/?w=1", "mongodb://left-out-of-the-copy@h:1/?w=1"},
		{"uri", "mongodb://REDACTED:REDACTED@h:1/?w=1", "mongodb://REDACTED:REDACTED@h:1/?w=1"},
		{"uri", "mongodb://****:****@h:1/?w=1", "mongodb://****:****@h:1/?w=1"},
		{"uri", "mongodb://operator:<hidden>@h:1", "mongodb://operator:<hidden>@h:1"},
		{"uri", "mongodb://%5BREDACTED%5D:%2A%2A%2A%2A@h:1", "mongodb://%5BREDACTED%5D:%2A%2A%2A%2A@h:1"},
		{"uri", "mongodb://u:p@h:****@h:1", "mongodb://left-out-of-the-copy@h:1"},
		{"uri", "mongodb://u:p:****@h:1", "mongodb://left-out-of-the-copy@h:1"},
		{"uri", "mongodb://h:1/?tlsCertificateKeyFilePassword=p&w=1", "mongodb://h:1/?tlsCertificateKeyFilePassword=left-out-of-the-copy&w=1"},
		{"uri", "mongodb://h:1/?tlsCertificateKeyFilePassword=****&w=1", "mongodb://h:1/?tlsCertificateKeyFilePassword=****&w=1"},
		{"uri", "mongodb://h:1/?w=1;tlsCertificateKeyFilePassword=p", "mongodb://h:1/?w=1;tlsCertificateKeyFilePassword=left-out-of-the-copy"},
		{"uri", "mongodb://h:1/?sslPEMKeyPwd=p;replica%53et=rs", "mongodb://h:1/?sslPEMKeyPwd=left-out-of-the-copy;replica%53et=rs"},
		{"uri", "mongodb://h:1/?tlsCertificateKeyFile%50assword=p", "mongodb://h:1/?tlsCertificateKeyFile%50assword=left-out-of-the-copy"},
		{"uri", "mongodb://h:1/?p&later=p#p", "mongodb://h:1/?left-out-of-the-copy&later=left-out-of-the-copy#left-out-of-the-copy"},
		{"uri", "u:p@h:1", "left-out-of-the-copy@h:1"},
		{"uri", "u:p://x@h:1", "left-out-of-the-copy@h:1"},
		{"uri", "h1:1,h2:1", "h1:1,h2:1"},
		{"uri", "[REDACTED]", "[REDACTED]"},
		{"s3BucketEndpoint", "https://k:s@minio:9000/b", "https://left-out-of-the-copy@minio:9000/b"},
		{"s3BucketEndpoint", "https://minio:9000/b", "https://minio:9000/b"},
		{"tokenUri", "https://k@idp/token", "https://left-out-of-the-copy@idp/token"},
		{"ingestionEndpoint", "//k:s@h", "//left-out-of-the-copy@h"},
		{"restoreEndpoint", "https://k:s@h", "https://left-out-of-the-copy@h"},
		{"bqProxyEndpoint", "k:s@h:1", "left-out-of-the-copy@h:1"},
		{"laterField", "hush", leftOut},
		{"awsAccessKey", "AKIA****WXYZ", "AKIA****WXYZ"},
		{"awsAccessKey", "AKIAABCDEFGH", leftOut},
		{"awsSecretKey", "****************", "****************"},
		{"awsSecretKey", "a*b", leftOut},
		{"clientSecret", "[REDACTED]", "[REDACTED]"},
		{"kmipClientCertPassword", "redacted?", leftOut},
		{"kmipClientCertPassword", "", ""},
		{"url", "https://h/restore", leftOut},
		{"statusName", "STARTED", "STARTED"},
	} {
		if got := withoutSecret(c[0], c[1]); got != c[2] {
			t.Errorf("%s %q: got %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func TestEachTextOfCopiedObjectsIsKeptOrLeftOut(t *testing.T) {
	t.Parallel()
	lists := []map[string]bool{keptTexts, addresses, secrets}
	found := map[string]bool{}
	var look func(path, name string, kind reflect.Type)
	look = func(path, name string, kind reflect.Type) {
		switch kind.Kind() {
		case reflect.Pointer, reflect.Slice:
			look(path, name, kind.Elem())
		case reflect.Struct:
			for i := range kind.NumField() {
				field := kind.Field(i)
				name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
				if name == "-" || name == "links" {
					continue
				}
				look(path+"."+field.Name, name, field.Type)
			}
		case reflect.String:
			found[name] = true
			count := 0
			for _, list := range lists {
				if list[name] {
					count++
				}
			}
			if count != 1 {
				t.Errorf("%s: %q is in %d of the lists of texts that are kept, addresses and secrets", path, name, count)
			}
		case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		default:
			t.Errorf("%s is a %s, which is not copied", path, kind)
		}
	}
	for _, object := range []any{
		opsmanager.Project{}, opsmanager.Host{}, opsmanager.Cluster{}, opsmanager.BackupConfig{}, opsmanager.SnapshotSchedule{}, opsmanager.ClusterSnapshot{},
		opsmanager.RestoreJob{}, opsmanager.BackupStore{}, opsmanager.BackupDaemon{}, opsmanager.DeploymentRegion{}, opsmanager.JobConfig{},
	} {
		look(reflect.TypeOf(object).Name(), "", reflect.TypeOf(object))
	}
	for _, list := range lists {
		for name := range list {
			if !found[name] {
				t.Errorf("no copied object has the text %q", name)
			}
		}
	}
}

func TestTheSameServerHasTheSameCopy(t *testing.T) {
	t.Parallel()
	var texts [2][]byte
	for i := range texts {
		seed := richSeed()
		seed.StoreBindings = nil // the used size of a store in use grows with each reading
		var err error
		if texts[i], err = os.ReadFile(startService(t, emulator.Options{Seed: seed}).makeCopy(t)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Errorf("%s\n%s", texts[0], texts[1])
	}
}

// denied is the error document for a key that lacks a role.
const denied = `{"error": 401, "errorCode": "USER_UNAUTHORIZED", "detail": "The current user is not authorized to perform this action."}`

func TestWhatCouldNotBeReadIsRefusedOnTheCopy(t *testing.T) {
	t.Parallel()
	for path, asked := range map[string][]string{
		"/admin/backup/":            {"stores snapshot/mongoConfigs", "stores snapshot/s3Configs", "daemons", "regions", "job configs", "job config " + payments, "stores sync/mongoConfigs"},
		"/restoreJobs":              {"restore jobs " + ledger},
		"/snapshotSchedule":         {"schedule " + ledger},
		"/hosts":                    {"hosts " + payments},
		payments + "/clusters":      {"clusters " + payments, "cluster " + ledger, "snapshots " + ledger + " all"},
		payments + "/backupConfigs": {"configs " + payments, "config " + ledger, "schedule " + ledger},
	} {
		original := startService(t, emulator.Options{})
		original.Inject(emulator.Fault{Path: path, Times: -1, Status: http.StatusUnauthorized, Header: http.Header{"Content-Type": {"application/json"}}, Body: denied})
		got := serveCopy(t, original.makeCopy(t)).everything(t)
		for _, one := range asked {
			if want := []any{401.0, "USER_UNAUTHORIZED"}; !reflect.DeepEqual(got[one], want) {
				t.Errorf("%s: %s: got %v", path, one, got[one])
			}
		}
	}
}

func TestAnUnexpectedRefusalOfAListIsCopied(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusBadRequest, http.StatusConflict} {
		original := startService(t, emulator.Options{})
		original.Inject(emulator.Fault{
			Path: ledger + "/restoreJobs", Times: -1, Status: status, Header: http.Header{"Content-Type": {"application/json"}},
			Body: fmt.Sprintf(`{"error": %d, "errorCode": "UNEXPECTED", "detail": "Not now."}`, status),
		})
		got := serveCopy(t, original.makeCopy(t)).everything(t)
		if want := []any{float64(status), "UNEXPECTED"}; !reflect.DeepEqual(got["restore jobs "+ledger], want) {
			t.Errorf("status %d: got %v", status, got["restore jobs "+ledger])
		}
	}
}

func TestAFailedReportLeavesNoCopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startService(t, emulator.Options{})
	args := []string{"-copy", filepath.Join(dir, "copy.json"), "-report", filepath.Join(dir, "missing", "report.json")}
	if err := run(t.Context(), args, s.getenv, io.Discard, io.Discard); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	wantNoFile(t, dir)
}

func TestACopyRefusesWhatTheSurveyDoesNotRead(t *testing.T) {
	t.Parallel()
	original := startService(t, emulator.Options{})
	copied := serveCopy(t, original.makeCopy(t))
	config, err := original.client(t).AutomationConfig(t.Context(), payments)
	if err != nil {
		t.Fatal(err)
	}
	client := copied.client(t)
	for name, ask := range map[string]func(context.Context) error{
		"automation configuration": func(ctx context.Context) error {
			_, err := client.AutomationConfig(ctx, payments)
			return err
		},
		"update of the automation configuration": func(ctx context.Context) error {
			return client.UpdateAutomationConfig(ctx, payments, config)
		},
		"automation agents": func(ctx context.Context) error {
			_, err := client.ListAgents(ctx, payments, opsmanager.AutomationAgent)
			return err
		},
		"backup agents": func(ctx context.Context) error {
			_, err := client.ListAgents(ctx, payments, opsmanager.BackupAgent)
			return err
		},
		"controlled features": func(ctx context.Context) error {
			_, err := client.ControlledFeatures(ctx, payments)
			return err
		},
		"snapshots of a host": func(ctx context.Context) error {
			_, err := client.ListConfigServerSnapshots(ctx, payments, "660000000000000000000001", opsmanager.Page{})
			return err
		},
		"time ranges": func(ctx context.Context) error {
			_, err := client.RestorableTimeRanges(ctx, payments, ledger)
			return err
		},
	} {
		if e, ok := errors.AsType[*opsmanager.Error](ask(t.Context())); !ok || e.Status != http.StatusUnauthorized {
			t.Errorf("%s: got %v", name, e)
		}
	}
}

func TestACopyOfSomeProjectsRefusesTheOthers(t *testing.T) {
	t.Parallel()
	got := serveCopy(t, startService(t, emulator.Options{}).makeCopy(t, "-project", payments)).everything(t)
	for _, one := range []string{"projects", "project " + analytics, "clusters " + analytics, "job configs", "schedule " + events} {
		if failed, ok := got[one].([]any); !ok || failed[0] != 401.0 {
			t.Errorf("%s: got %v", one, got[one])
		}
	}
	if _, ok := got["schedule "+ledger].(map[string]any); !ok {
		t.Errorf("got %v", got["schedule "+ledger])
	}
}

func TestAFailedOrInterruptedCopyLeavesNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken := startService(t, emulator.Options{})
	broken.Inject(emulator.Fault{Path: ledger + "/restoreJobs", Skip: 1, Times: -1, Status: http.StatusInternalServerError})
	if err := run(t.Context(), []string{"-copy", filepath.Join(dir, "copy.json")}, broken.getenv, io.Discard, io.Discard); err == nil {
		t.Error("no error")
	}
	wantNoFile(t, dir)

	ctx, interrupt := context.WithCancel(t.Context())
	s := startService(t, emulator.Options{OnRequest: func(r emulator.Request) {
		if strings.HasSuffix(r.Path, "/availableMembers") {
			interrupt()
		}
	}})
	if err := run(ctx, []string{"-copy", filepath.Join(dir, "copy.json")}, s.getenv, io.Discard, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	wantNoFile(t, dir)
}

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
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider"
	"terraform-provider-opsmanager/internal/providertest"
)

// makeCopy runs the survey with -copy, and returns the file.
func (s *service) makeCopy(t *testing.T, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "copy.json")
	succeed(t, s.run(t, append(args, "-copy", file)...))
	return file
}

// read reads what a copy has, and returns why that failed.
func (s *service) read(t *testing.T) error {
	t.Helper()
	config, _, err := provider.FromEnvironment(s.getenv)
	succeed(t, err)
	return startCopy(t.Context(), config, options{concurrency: 4}, newProgress(io.Discard)).reading.Wait()
}

// serveCopy serves a copy, as make emulator does.
func serveCopy(t *testing.T, file string) *service {
	t.Helper()
	text, err := os.Open(file)
	succeed(t, err)
	defer text.Close()
	options := emulator.Defaults()
	options.Lenient = true
	if options.Seed, err = emulator.ReadSeed(text); err != nil {
		t.Fatal(err)
	}
	succeed(t, options.Play(options.Seed.Copy, func(string) bool { return false }))
	e := emulator.New(options)
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	return &service{e, server.URL}
}

func (s *service) client(t *testing.T) *opsmanager.Client {
	t.Helper()
	config, _, err := provider.FromEnvironment(s.getenv)
	succeed(t, err)
	return opsmanager.NewClient(config)
}

// everything calls each method of the client that reads, by the method and its texts. Failures are among the
// results. A new method needs arguments here.
func (s *service) everything(t *testing.T) map[string]any {
	t.Helper()
	arguments := map[string][][]any{"ListProjects": {{}}, "ListBackupDaemons": {{}}, "ListDeploymentRegions": {{}}, "ListJobConfigs": {{}}}
	add := func(method string, args ...any) { arguments[method] = append(arguments[method], args) }
	seed := richSeed()
	for _, p := range seed.Projects {
		add("ProjectByName", p.Name)
		for _, method := range []string{
			"Project", "ListClusters", "ThirdPartyBackups", "ListHosts", "JobConfig", "AutomationConfig", "ControlledFeatures",
			"ListAlertConfigs", "ListOpenAlerts",
		} {
			add(method, p.ID)
		}
		for _, config := range p.AlertConfigs {
			add("AlertConfig", p.ID, config["id"])
		}
		add("ListBackupConfigs", p.ID, opsmanager.Page{})
		for _, kind := range []opsmanager.AgentType{opsmanager.AutomationAgent, opsmanager.BackupAgent} {
			add("ListAgents", p.ID, kind)
		}
		for _, h := range p.Hosts {
			add("ListConfigServerSnapshots", p.ID, h.ID, opsmanager.Page{})
		}
		for _, c := range p.Clusters[:min(len(p.Clusters), 9)] {
			add("RestoreJob", p.ID, c.ID, "66e000000000000000000000") // which does not exist
			for _, method := range []string{
				"Cluster", "BackupConfig", "AvailableMembers", "BackupConfigWithMembers", "SnapshotSchedule", "ListRestorePoints",
				"RestorableTimeRanges",
			} {
				add(method, p.ID, c.ID)
			}
			for _, completed := range []string{"", "true", "false", "all"} {
				add("ListClusterSnapshots", p.ID, c.ID, completed, opsmanager.Page{})
			}
			for _, held := range c.Snapshots {
				add("ClusterSnapshot", p.ID, c.ID, held["id"])
			}
			add("ListRestoreJobs", p.ID, c.ID, "", opsmanager.Page{})
			for _, job := range s.RestoreJobs(p.ID, c.ID) {
				add("RestoreJob", p.ID, c.ID, job["id"])
				if batch, ok := job["batchId"]; ok {
					add("ListRestoreJobs", p.ID, c.ID, batch, opsmanager.Page{})
				}
			}
		}
	}
	for i, kind := range storeKinds {
		add("ListBackupStores", kind)
		for _, held := range seed.BackupStores[emulator.StoreKinds[i]] {
			add("BackupStore", kind, held["id"])
		}
	}
	for _, d := range seed.BackupDaemons {
		if machine := d["machine"].(map[string]any); machine["headRootDirectory"] != nil {
			add("BackupDaemon", machine["machine"], machine["headRootDirectory"])
		}
	}
	for _, held := range seed.DeploymentRegions {
		add("DeploymentRegion", held["id"])
	}

	found := map[string]any{}
	for method, call := range reflect.ValueOf(s.client(t)).Methods() {
		signature := call.Type()
		isCall := signature.NumIn() > 0 && signature.In(0) == reflect.TypeFor[context.Context]() && signature.NumOut() == 2
		if !isCall || isWrite(method.Name) {
			continue
		}
		if len(arguments[method.Name]) == 0 {
			t.Errorf("nothing is read with %s", method.Name)
		}
		for _, args := range arguments[method.Name] {
			name, values := method.Name, []reflect.Value{reflect.ValueOf(t.Context())}
			for _, arg := range args {
				values = append(values, reflect.ValueOf(arg))
				if text := reflect.ValueOf(arg); text.Kind() == reflect.String && text.Len() > 0 {
					name += " " + text.String()
				}
			}
			results := call.Call(values)
			result := results[0].Interface()
			if err, _ := results[1].Interface().(error); err != nil {
				e, ok := errors.AsType[*opsmanager.Error](err)
				if !ok {
					t.Fatalf("%s: %v", name, err)
				}
				result = []any{e.Status, e.Code}
			}
			found[name] = plain(t, result)
		}
	}
	return found
}

// plain returns an object without links. The used size of a store grows with each reading.
func plain(t *testing.T, object any) any {
	t.Helper()
	text, err := json.Marshal(object)
	succeed(t, err)
	var decoded any
	succeed(t, json.Unmarshal(text, &decoded))
	return withTexts("", decoded, func(_, text string) string { return text })
}

// withTexts returns an object with other texts, and without links and used sizes.
func withTexts(name string, value any, change func(name, text string) string) any {
	switch value := value.(type) {
	case string:
		return change(name, value)
	case []any:
		for i := range value {
			value[i] = withTexts(name, value[i], change)
		}
	case map[string]any:
		for field := range value {
			switch value[field] = withTexts(field, value[field], change); field {
			case "links", "usedSize":
				delete(value, field)
			case "Unknown":
				value[field] = nil
			}
		}
	}
	return value
}

// notCopied are the methods of the client that read what no copy has.
var notCopied = []string{
	"AlertConfig", "AutomationConfig", "ControlledFeatures", "ListAgents", "ListAlertConfigs", "ListConfigServerSnapshots",
	"ListOpenAlerts", "RestorableTimeRanges",
}

// asCopied returns what a copy returns in place of a result of the original. Masks stay.
func asCopied(reading string, result any) any {
	method, _, _ := strings.Cut(reading, " ")
	failure, failed := result.([]any)
	failed = failed && len(failure) == 2
	switch {
	case failed && failure[0] == 405.0: // this version lacks the operation
		return result
	case slices.Contains(notCopied, method):
		return []any{401.0, ""}
	case failed:
		return result
	}
	return withTexts("", result, func(name, text string) string {
		if name == "" || name == "availableMembers" {
			return text
		}
		return withoutSecret(name, text)
	})
}

var copiedVersions = []emulator.Options{
	{ServiceVersion: "6.0.20"},
	{ServiceVersion: "7.0.11"},
	{ServiceVersion: "8.0.13", ThirdPartyBackup: true},
	{},
	{Unknowns: emulator.Unknowns{BothNamespaceLists: true, OmitsFalse: true, OldestSnapshotFirst: true, OmitsCreatedTime: true, ReturnsEmptyFilters: true}},
	{Unknowns: emulator.Unknowns{InactiveSchedule: 200, UnmonitoredIsConflict: true, OmitsSecretKey: true, MasksKMIPPassword: true}},
	{
		MaxItemsPerPage: 100, OmitTotalCount: true, OmitFields: []string{"referenceHourOfDay"},
		Unknowns: emulator.Unknowns{InactiveSchedule: 404, BareInactive: true},
	},
}

func TestACopyIsReadLikeTheOriginal(t *testing.T) {
	t.Parallel()
	for i, options := range copiedVersions {
		options.Lenient, options.Seed = true, richSeed()
		if options.MaxItemsPerPage > 0 {
			options.Seed = crowdedSeed()
		}
		options.Seed.StartingDaemons = nil // they register meanwhile
		original := startService(t, options)
		original.startRestores()
		if options.ThirdPartyBackup {
			original.SetThirdPartyBackup(payments, cards, "ACTIVE")
			original.SetThirdPartyBackup(payments, ledger, "INACTIVE")
		}
		want := original.everything(t)
		got := serveCopy(t, original.makeCopy(t)).everything(t)
		if len(got) != len(want) || len(got) < 100 {
			t.Errorf("%d and %d readings", len(got), len(want))
		}
		for reading := range want {
			if want := asCopied(reading, want[reading]); !reflect.DeepEqual(got[reading], want) {
				t.Errorf("options %d: %s:\ngot  %v\nwant %v", i, reading, got[reading], want)
			}
		}
	}
}

func TestACopyHasNoSecrets(t *testing.T) {
	t.Parallel()
	for i, options := range copiedVersions {
		options.Lenient, options.Seed = true, richSeed()
		options.Seed.Projects[1].Name = "password: hush"
		named := &options.Seed.Projects[1].Clusters[0]
		named.Name, named.ReplicaSetName = "ledger password=hush", "mongodb://backup:hush@db.example.com"
		original := startService(t, options)
		original.startRestores()
		if options.ThirdPartyBackup {
			original.SetThirdPartyBackup(payments, cards, "mongodb://backup:hush@db.example.com")
		}
		original.SetBackupStore(
			emulator.OplogStore, "labeled",
			map[string]any{"uri": "mongodb://db.example.com", "labels": []any{"mongodb://backup:hush@db.example.com"}},
		)
		original.SetBackupStore(
			emulator.Blockstore, "plain",
			map[string]any{
				"uri":       "mongodb://operator:hush%40hush@db.example.com:27017/?authMechanismProperties=AWS_SESSION_TOKEN:hush-hush",
				"unheardOf": "hush-hush",
			},
		)
		original.SetBackupStore(emulator.S3Blockstore, "keys", map[string]any{
			"awsAccessKey": "AKIAHUSHHUSH", "awsSecretKey": "hush-hush", "oidc": map[string]any{
				"clientSecret": "hush-hush", "tokenUri": "https://key:hush@idp.example.com/token",
			},
			"s3BucketEndpoint":   "https://key:hush@minio.example.com:9000",
			"customCertificates": []any{map[string]any{"filename": "ca.pem", "certString": "hush-hush"}},
		})
		file := original.makeCopy(t)
		text, err := os.ReadFile(file)
		succeed(t, err)
		for _, secret := range []string{
			"hush", "AKIAHUSH", "kmip-secret", "unheardOf", "BEGIN CERTIFICATE", "/restore/v2/pull", original.url,
			emulator.DefaultPrivateKey, emulator.AgentAPIKey,
		} {
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
	check := func(name, text, want string) {
		t.Helper()
		if got := withoutSecret(name, text); got != want {
			t.Errorf("%s %q: got %q, want %q", name, text, got, want)
		}
	}
	for name, texts := range map[string][]string{
		"laterField": {
			"hush",
		},
		"awsAccessKey": {
			"AKIAABCDEFGH",
		},
		"awsSecretKey": {
			"a*b",
		},
		"kmipClientCertPassword": {
			"redacted?",
		},
		"url": {
			"https://h/restore",
		},
		"kmipClientCertPath": {
			"-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----", strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", 8),
		},
		"labels": {
			"mongodb://backup:hush@db.example.com", "mongodb://db.example.com/?authMechanismProperties=AWS_SESSION_TOKEN:hush",
			"backup:my hush@db.example.com:27017", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "Bearer hush",
			"Authorization: Basic aHVzaDpodXNo", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "github_pat_11ABCDEFG0abcdefghijkl_hush",
			"sharedKey=hush", "accesskey: hush", "SharedAccessSignature=hush", "pass=hush", "DB_PASS=hush", "pw=hush", "passwd hush",
			"Passwort: hush", "key=hush", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
			"da39a3ee5e6b4b0d3255bfef95601890afd80709 wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY: new", "passwd\thush",
			"xoxb-2147483647-hush", "xapp-1-A0HUSH-2147483647-hush", "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
			"STRIPE_rk_test_4eC39HqLyjWDarjtT1zdp7dc", "glpat-Hush0Hush0Hush0Hush0", "mdb_sa_sk_Hush0Hush0Hush0Hush0",
			"AIzaSyHush0Hush0Hush0Hush0Hush0Hush0_-x",
			"Basic aHVzaDpodXNo",           // hush:hush
			"basic\tYmFja3VwOmh1c2g",       // backup:hush
			"Basic Omh1c2gwaHVzaDBodXNoMA", // :hush0hush0hush0
			"Basic YWRtaW46aHVzaDEy",       // admin:hush12
			"Basic aHVzaA==",               // hush
			"Basic%20aHVzaDpodXNo", "ｐａｓｓｗｏｒｄ：hush", "ｔｏｋｅｎ＝hush", "𝐩𝐚𝐬𝐬𝐰𝐨𝐫𝐝: hush", "backup：hush＠db.example.com",
		},
		"deploymentDescription": {
			"Store: https://key:hush@minio.example.com", "AKIAIOSFODNN7EXAMPLE", "password: hush", "clientSecret = hush",
			"Endpoint=x;AccountKey=hush", "https://x.blob.core.windows.net/b?sv=1&sig=hush", "https://hooks.slack.com/services/T0/B0/hush",
			`AWS: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE123".`, "Slack: xoxe.xoxp-1-Hush0Hush0Hush0",
			"See AIzaSyHush0Hush0Hush0Hush0Hush0Hush0_-x",
			"Send Basic b3BzOmh1c2g", // ops:hush
		},
		"storePath": {
			"/mnt/u%3Apassword%3Dhush",
		},
		"uri": {
			"mongodb://operator:hush%40h:27017", "mongodb:/operator:hush", "operator:hush", "host=h password=hush",
		},
	} {
		for _, text := range texts {
			check(name, text, leftOut)
		}
	}
	for name, texts := range map[string][]string{
		"uri": {
			"mongodb://REDACTED:REDACTED@h:1/?w=1", "mongodb://****:****@h:1/?w=1", "mongodb://operator:<hidden>@h:1",
			"mongodb://%5BREDACTED%5D:%2A%2A%2A%2A@h:1", "mongodb://h:1/?tlsCertificateKeyFilePassword=****&w=1", "h1:1,h2:1",
			"[REDACTED]", "mongodb://h1:1,[::1]:2,%2Ftmp%2Fmongodb-1.sock/admin?w=1",
		},
		"s3BucketEndpoint": {
			"https://minio:9000/b",
		},
		"awsAccessKey": {
			"AKIA****WXYZ",
		},
		"awsSecretKey": {
			"****************",
		},
		"clientSecret": {
			"[REDACTED]",
		},
		"kmipClientCertPassword": {
			"",
		},
		"statusName": {
			"STARTED",
		},
		"kmipClientCertPath": {
			"/etc/kmip/client.pem", "/etc/kmip/hooks/Client1/private-key.pem", `C:\keys\client.pem`,
		},
		"labels": {
			"gold", "eu-west-1:gold", "東京：ｇｏｌｄ", "Ｐａｙｍｅｎｔｓ　Ｐｒｏｄ", "keyboard", "keyboard:gold", "monkey=gold", "bypass: compass=design=1",
		},
		"deploymentDescription": {
			"See https://wiki.example.com/backup", "Basic tier 01 of MongoDB in Europe, basic monitoring, a basic MongoDB cluster",
			"Basic Ops Manager, basic Oplog store, Basic Oracle options, basic storage", "Basic options",
			"Basic mode=1: a basic project with basic backups", "Basic backups of the token bearers. See https://wiki.example.com/key",
		},
		"clusterName": {
			"basic-tier-01", "payments-prod", "risk_live_payments_cluster", "disk_test_payments_cluster", "global-payments-production",
			"xoxo-payments-production", "taxapp-01-production-cluster", "AIzawa-payments-prod",
			"Keyboard-Passenger-EuWest1-Ledger-Cluster-Number7", "ghe_production_cluster_12",
		},
		"hostname": {
			"token-service-0.Key-Vault.passwords.example.com:27017", "eyjafjalla-0.data.example.com",
		},
		"id": {
			"650a1f3c2e4b6d8091a3b5c7",
		},
		"hash": {
			"da39a3ee5e6b4b0d3255bfef95601890afd80709", "DA39A3EE5E6B4B0D3255BFEF95601890AFD80709",
		},
		"created": {
			"2026-11-27T00:00:00Z",
		},
		"username": {
			"backup@EXAMPLE.COM",
		},
		"scope": {
			"openid api://backup/.default",
		},
	} {
		for _, text := range texts {
			check(name, text, text)
		}
	}
	for _, c := range [][3]string{
		{"uri", "mongodb://u:p@h:1/?w=1", "mongodb://left-out-of-the-copy@h:1/?w=1"},
		{"uri", "mongodb://u:p@h:****@h:1", "mongodb://left-out-of-the-copy@h:1"},
		{"uri", "mongodb://u:p:****@h:1", "mongodb://left-out-of-the-copy@h:1"},
		{"uri", "mongodb://h:1/?tlsCertificateKeyFilePassword=p&w=1", "mongodb://h:1/?tlsCertificateKeyFilePassword=left-out-of-the-copy&w=1"},
		{"uri", "mongodb://h:1/?w=1;tlsCertificateKeyFilePassword=p", "mongodb://h:1/?w=1;tlsCertificateKeyFilePassword=left-out-of-the-copy"},
		{"uri", "mongodb://h:1/?sslPEMKeyPwd=p;replica%53et=rs", "mongodb://h:1/?sslPEMKeyPwd=left-out-of-the-copy;replica%53et=rs"},
		{"uri", "mongodb://h:1/?tlsCertificateKeyFile%50assword=p", "mongodb://h:1/?tlsCertificateKeyFile%50assword=left-out-of-the-copy"},
		{"uri", "mongodb://h:1/?p&later=p#p", "mongodb://h:1/?left-out-of-the-copy&later=left-out-of-the-copy#left-out-of-the-copy"},
		{"uri", "u:p@h:1", "left-out-of-the-copy@h:1"},
		{"uri", "u:p://x@h:1", "left-out-of-the-copy@h:1"},
		{"s3BucketEndpoint", "https://k:s@minio:9000/b", "https://left-out-of-the-copy@minio:9000/b"},
		{"tokenUri", "https://k@idp/token", "https://left-out-of-the-copy@idp/token"},
		{"ingestionEndpoint", "//k:s@h", "//left-out-of-the-copy@h"},
		{"restoreEndpoint", "https://k:s@h", "https://left-out-of-the-copy@h"},
		{"bqProxyEndpoint", "k:s@h:1", "left-out-of-the-copy@h:1"},
		{"uri", "h:1;password=hush", "h:1;password=left-out-of-the-copy"},
		{"uri", "h:1&password=hush", "h:1&password=left-out-of-the-copy"},
		{"uri", "mongodb://h:1/?appName=password%3Dhush", "mongodb://h:1/?appName=left-out-of-the-copy"},
		{"scope", "openid u:hush", "openid left-out-of-the-copy"},
	} {
		check(c[0], c[1], c[2])
	}
}

func TestEachTextOfCopiedObjectsIsKeptOrLeftOut(t *testing.T) {
	t.Parallel()
	lists := []map[string]bool{keptTexts, addresses, secretTexts}
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
				if name == "-" || name == "links" || field.Type == reflect.TypeFor[opsmanager.UnknownFields]() {
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
		opsmanager.ThirdPartyBackups{},
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
	usedSize := regexp.MustCompile(`"usedSize":[0-9]+`) // it grows with each reading, also with those of the survey
	var texts [2][]byte
	for i := range texts {
		text, err := os.ReadFile(startService(t, emulator.Options{Seed: richSeed()}).makeCopy(t))
		succeed(t, err)
		texts[i] = usedSize.ReplaceAll(text, nil)
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Errorf("%s\n%s", texts[0], texts[1])
	}
}

// ofLedger are the IDs of a cluster and its project.
const ofLedger = payments + " " + ledger

// denied is the error document for a key that lacks a role.
const denied = `{"error": 401, "errorCode": "USER_UNAUTHORIZED", "detail": "The current user is not authorized to perform this action."}`

func TestWhatCouldNotBeReadIsRefusedOnTheCopy(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path   string
		status int
		asked  []string
	}{
		{"/admin/backup/", 401, []string{
			"ListBackupStores snapshot/mongoConfigs", "ListBackupStores snapshot/s3Configs", "ListBackupDaemons",
			"ListDeploymentRegions", "ListJobConfigs", "JobConfig " + payments, "ListBackupStores sync/mongoConfigs",
		}},
		{"/restoreJobs", 401, []string{"ListRestoreJobs " + ofLedger}},
		{"/third_party/", 401, []string{"ThirdPartyBackups " + payments}},
		{"/snapshotSchedule", 401, []string{"SnapshotSchedule " + ofLedger}},
		{"/hosts", 401, []string{"ListHosts " + payments}},
		{payments + "/clusters", 401, []string{
			"ListClusters " + payments, "Cluster " + ofLedger, "ListClusterSnapshots " + ofLedger + " all",
		}},
		{payments + "/backupConfigs", 401, []string{
			"ListBackupConfigs " + payments, "BackupConfig " + ofLedger, "SnapshotSchedule " + ofLedger,
		}},
		{ledger + "/restoreJobs", 400, []string{"ListRestoreJobs " + ofLedger}}, // which nothing explains
		{ledger + "/restoreJobs", 409, []string{"ListRestoreJobs " + ofLedger}},
	} {
		original := startService(t, emulator.Options{Seed: richSeed()})
		body := fmt.Sprintf(`{"error": %d, "errorCode": "USER_UNAUTHORIZED", "detail": "No."}`, test.status)
		original.Inject(emulator.Fault{Path: test.path, Times: -1, Status: test.status, Header: inJSON, Body: body})
		got := serveCopy(t, original.makeCopy(t)).everything(t)
		for _, one := range test.asked {
			if want := []any{float64(test.status), codeOf(one, "USER_UNAUTHORIZED")}; !reflect.DeepEqual(got[one], want) {
				t.Errorf("%s: %s: got %v", test.path, one, got[one])
			}
		}
	}
}

// codeOf returns the code with which the copy refuses a reading. The errors of third-party backups have none.
func codeOf(reading, code string) string {
	if strings.HasPrefix(reading, "ThirdParty") {
		return ""
	}
	return code
}

func TestWhatOpsManagerFailsToReturnIsRefusedOnTheCopy(t *testing.T) {
	t.Parallel()
	for path, asked := range map[string][]string{
		ledger + "/snapshotSchedule": {"SnapshotSchedule " + ofLedger},
		"/snapshotSchedule":          {"SnapshotSchedule " + ofLedger, "SnapshotSchedule " + payments + " " + cards},
		"/backupConfigs/" + ledger:   {"BackupConfig " + ofLedger, "SnapshotSchedule " + ofLedger},
		ledger + "/snapshots":        {"ListClusterSnapshots " + ofLedger + " all"},
		payments + "/clusters":       {"ListClusters " + payments},
		"/admin/backup/":             {"ListBackupStores snapshot/mongoConfigs", "ListBackupDaemons", "ListDeploymentRegions", "ListJobConfigs"},
		"/third_party/":              {"ThirdPartyBackups " + payments},
		"/admin/backup/daemon":       {"ListBackupDaemons"},
	} {
		for i, concurrency := range []string{"1", "16"} {
			if !providertest.Sampled(len(path)+i, 2) {
				continue
			}
			original := startService(t, emulator.Options{})
			original.Inject(emulator.Fault{
				Path: path, Times: -1, Status: http.StatusInternalServerError,
				Header: inJSON, Body: failing,
			})
			file := filepath.Join(t.TempDir(), "copy.json")
			var out bytes.Buffer
			if err := run(t.Context(), []string{"-copy", file, "-concurrency", concurrency}, original.getenv, &out, io.Discard); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if !regexp.MustCompile(`\nIt refuses what Ops Manager failed to return: \d+ objects or lists\.\n`).MatchString(out.String()) ||
				!regexp.MustCompile(`\nFailed: GET .*`+ids.ReplaceAllString(path, "…")+`.*: 500 Internal Server Error`).MatchString(out.String()) {
				t.Errorf("%s: printed\n%s", path, &out)
			}
			got := serveCopy(t, file).everything(t)
			for _, one := range asked {
				if want := []any{500.0, codeOf(one, "UNEXPECTED_ERROR")}; !reflect.DeepEqual(got[one], want) {
					t.Errorf("%s: %s: got %v", path, one, got[one])
				}
			}
			if _, ok := got["SnapshotSchedule "+payments+" "+orders].(map[string]any); !ok && path != "/snapshotSchedule" {
				t.Errorf("%s: another schedule is %v", path, got["SnapshotSchedule "+payments+" "+orders])
			}
		}
	}
}

func TestAnOddListOfThirdPartyBackupsIsRefusedOnTheCopy(t *testing.T) {
	t.Parallel()
	for _, odd := range oddThirdPartyLists {
		original := startService(t, emulator.Options{Seed: emulator.DefaultSeed()})
		odd.Path, odd.Times = "/third_party/", -1
		original.Inject(odd)
		client := serveCopy(t, original.makeCopy(t, "-project", payments)).client(t)
		if _, err := client.SnapshotSchedule(t.Context(), payments, ledger); err != nil {
			t.Errorf("%d %s: %v", odd.Status, odd.Body, err)
		}
		_, err := client.ThirdPartyBackups(t.Context(), payments)
		if e, ok := errors.AsType[*opsmanager.Error](err); !ok || e.Status != 500 {
			t.Errorf("%d %s: got %v", odd.Status, odd.Body, err)
		}
	}
}

func TestWhatNeverHasAResponseIsLeftOutOfTheCopy(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	config, _, err := provider.FromEnvironment(s.getenv)
	succeed(t, err)
	config.MaxRetries = 0
	s.Inject(emulator.Fault{Path: ledger + "/snapshotSchedule", Times: -1, DropBefore: true})
	c := startCopy(t.Context(), config, options{concurrency: 4}, newProgress(io.Discard))
	if err := c.reading.Wait(); err != nil || len(c.failed) != 1 {
		t.Errorf("%v, %d failed", err, len(c.failed))
	}
}

func TestACopyFailsIfWhatFailedCanBeReadLater(t *testing.T) {
	t.Parallel()
	for _, path := range []string{ledger + "/restoreJobs", cards + "/snapshotSchedule", orders + "/snapshotSchedule"} {
		s := startService(t, emulator.Options{})
		config, _, err := provider.FromEnvironment(s.getenv)
		succeed(t, err)
		s.Inject(emulator.Fault{Path: ledger + "/snapshotSchedule", Times: -1, Status: http.StatusInternalServerError})
		s.Inject(emulator.Fault{Path: path, Times: 1, Status: http.StatusInternalServerError})
		if err := startCopy(t.Context(), config, options{concurrency: 1}, newProgress(io.Discard)).reading.Wait(); err == nil ||
			!strings.Contains(err.Error(), path+" was refused at first, and can be read now") {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

func TestAFailedReportLeavesNoCopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startService(t, emulator.Options{})
	args := []string{"-copy", filepath.Join(dir, "copy.json"), "-report", filepath.Join(dir, "missing", "report.json")}
	if err := s.run(t, args...); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	wantNoFile(t, dir)
}

func TestACopyRefusesAnUpdateOfWhatTheSurveyDoesNotRead(t *testing.T) {
	t.Parallel()
	original := startService(t, emulator.Options{})
	config, err := original.client(t).AutomationConfig(t.Context(), payments)
	succeed(t, err)
	err = serveCopy(t, original.makeCopy(t)).client(t).UpdateAutomationConfig(t.Context(), payments, config)
	if e, ok := errors.AsType[*opsmanager.Error](err); !ok || e.Status != http.StatusUnauthorized {
		t.Errorf("got %v", err)
	}
}

func TestACopyOfSomeProjectsRefusesTheOthers(t *testing.T) {
	t.Parallel()
	got := serveCopy(t, startService(t, emulator.Options{}).makeCopy(t, "-project", payments)).everything(t)
	for _, one := range []string{
		"ListProjects", "Project " + analytics, "ListClusters " + analytics, "ListJobConfigs",
		"SnapshotSchedule " + analytics + " " + events,
	} {
		if failed, ok := got[one].([]any); !ok || failed[0] != 401.0 {
			t.Errorf("%s: got %v", one, got[one])
		}
	}
	if _, ok := got["SnapshotSchedule "+ofLedger].(map[string]any); !ok {
		t.Errorf("got %v", got["SnapshotSchedule "+ofLedger])
	}
}

func TestACopyFailsIfWhatTheKeyMayReadChangesMeanwhile(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]emulator.Fault{
		"a role is lost": {Status: http.StatusUnauthorized, Header: inJSON, Body: denied},
		"the key is revoked": {
			Status: http.StatusUnauthorized, Header: http.Header{"Www-Authenticate": {`Digest realm="r", nonce="n", qop="auth"`}},
			BeforeAuth: true,
		},
		"a page that forbids":      {Status: http.StatusForbidden, Body: "<html>Forbidden</html>", BeforeAuth: true},
		"a page without a backend": {Status: http.StatusNotFound, Body: "default backend - 404", BeforeAuth: true},
		"the project is hidden": {
			Status: http.StatusNotFound, Header: inJSON,
			Body: `{"error": 404, "errorCode": "GROUP_NOT_FOUND", "detail": "No group."}`,
		},
		"a login page": {Status: http.StatusOK, Body: "<html>Sign in</html>", BeforeAuth: true},
	} {
		for _, when := range []emulator.Fault{
			{Skip: 3, Times: -1}, {Skip: 10, Times: -1}, {Skip: 100, Times: -1}, {Skip: 30, Times: 20},
			{Path: payments, Skip: 2, Times: -1}, {Path: payments, Skip: 12, Times: -1}, {Path: "/admin/backup", Skip: 2, Times: -1},
		} {
			fault.Path, fault.Skip, fault.Times = when.Path, when.Skip, when.Times
			if name == "the project is hidden" && fault.Path == "/admin/backup" {
				continue
			}
			s := startService(t, emulator.Options{})
			s.Inject(fault)
			if err := s.read(t); err == nil {
				t.Errorf("%s: %+v: no error", name, when)
			} else if strings.Contains(err.Error(), "canceled") {
				t.Errorf("%s: %+v: got %v", name, when, err)
			}
		}
	}
}

func TestACopyOfNothingIsAnError(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	dir := t.TempDir()
	getenv := func(name string) string {
		if name == "OPSMANAGER_PRIVATE_KEY" {
			return "wrong-secret-key"
		}
		return s.getenv(name)
	}
	err := run(t.Context(), []string{"-project", payments, "-copy", filepath.Join(dir, "copy.json")}, getenv, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "nothing could be read") {
		t.Errorf("got %v", err)
	}
	wantNoFile(t, dir)
}

func TestTheSurveyAndItsCopySendNoMoreRequestsAtATimeThanTheyMay(t *testing.T) {
	t.Parallel()
	for _, most := range []int64{1, 4} {
		original := startService(t, emulator.Options{})
		var now, peak atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n := now.Add(1)
			for before := peak.Load(); before < n && !peak.CompareAndSwap(before, n); before = peak.Load() {
			}
			time.Sleep(time.Millisecond)
			for range 300 { // until there were as many as may be
				if peak.Load() < most {
					time.Sleep(time.Millisecond)
				}
			}
			now.Add(-1) // before the response, after which another request may begin
			original.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		(&service{url: server.URL}).makeCopy(t, "-concurrency", fmt.Sprint(most))
		if peak.Load() != most {
			t.Errorf("%d requests at a time, want %d", peak.Load(), most)
		}
	}
}

// Neither a part of a sharded cluster nor a cluster without a backup has snapshots.
func TestACopyAsksForNoSnapshotsThatCannotExist(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	succeed(t, s.read(t))
	for _, project := range emulator.DefaultSeed().Projects {
		for _, cluster := range project.Clusters {
			isWhole := cluster.ShardOf == ""
			isMonitored := cluster.BackupConfig != nil
			for list, want := range map[string]bool{"snapshots": isWhole && isMonitored, "restoreJobs": isWhole} {
				isOf := func(r emulator.Request) bool { return strings.HasSuffix(r.Path, cluster.ID+"/"+list) }
				if isAsked := slices.ContainsFunc(s.Requests(), isOf); isAsked && !want {
					t.Errorf("%s of %s were read", list, cluster.Name)
				}
			}
		}
	}
}

func TestAFailedOrInterruptedCopyLeavesNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken := startService(t, emulator.Options{})
	broken.Inject(emulator.Fault{Skip: 200, Times: -1, Status: http.StatusInternalServerError})
	if err := broken.run(t, "-copy", filepath.Join(dir, "copy.json")); err == nil {
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

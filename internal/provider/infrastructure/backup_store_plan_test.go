package infrastructure_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestImportKeepsTheBucketThatIsNotConfigured(t *testing.T) {
	t.Parallel()
	s, r := startS3Blockstore(t)
	r.MustApply(s3Config(values{"object_lock_enabled": true, "object_retention_mode": "GOVERNANCE", "object_retention_days": 7}))
	r.Configure()
	imported := r.NewResource(r.TypeName)
	imported.ImportID("new")
	imported.MustApply(s3Secrets.With(values{"id": "new", "labels": []any{"west"}}))
	if held := s.BackupStore(emulator.S3Blockstore, "new"); held["s3BucketName"] != "bucket" || held["objectRetentionDays"] != 7.0 ||
		fmt.Sprint(held["labels"]) != "[west]" {
		t.Errorf("held %v", held)
	}
}

func TestPlanThatMovesAStoreWarnsThatNothingMoves(t *testing.T) {
	t.Parallel()
	const place = "Will Change"
	for name, test := range map[string]struct {
		kind     int
		from, to values
		words    []string // nil without a warning
	}{
		"a directory": {
			2, nil, values{"store_path": "/mnt/other"},
			[]string{"[store_path]", "Location of File System Store new " + place, `changes store_path from "/mnt/`, "stays where it is"},
		},
		"an endpoint": {
			1, nil, values{"s3_bucket_endpoint": "https://other.example.com"},
			[]string{"[s3_bucket_endpoint]", place, `from "https://`},
		},
		"hosts": {
			0, nil, values{"uri": "mongodb://backup:c0rrect-horse@other.example.com"},
			[]string{"[id]", place, "changes the hosts of uri, which were db.example.com."},
		},
		"a password":                {0, nil, values{"uri": "mongodb://backup:c0rrect-2@DB.example.com/?tls=true"}, nil},
		"the order of hosts":        {0, values{"uri": "mongodb://a.example.com,b.example.com"}, values{"uri": "mongodb://b.example.com,a.example.com"}, nil},
		"unseen, to the same hosts": {0, nil, values{"uri": nil, "uri_wo": "mongodb://backup:c0rrect-2@db.example.com", "uri_wo_version": 1}, nil},
		"from an unseen to another": {
			0, values{"uri": nil, "uri_wo": "mongodb://db.example.com", "uri_wo_version": 1},
			values{"uri_wo": "mongodb://x", "uri_wo_version": 2},
			[]string{"[id]", place, "changes the hosts of uri, which were db.example.com."},
		},
		"an unseen password": {
			0, values{"uri": nil, "uri_wo": "mongodb://db.example.com", "uri_wo_version": 1},
			values{"uri_wo": "mongodb://backup:c0rrect-2@db.example.com", "uri_wo_version": 2}, nil,
		},
		"a directory, known late": {2, nil, values{"store_path": providertest.Unknown}, []string{"[store_path]", "May Change", `store_path is "/mnt/`}},
		"hosts, known late":       {0, nil, values{"uri": providertest.Unknown}, []string{"[id]", "May Change", "uri has the hosts db.example.com now"}},
		"an unseen, known late": {
			0, nil, values{"uri": nil, "uri_wo": providertest.Unknown, "uri_wo_version": 1},
			[]string{"[id]", "May Change"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, r := providertest.StartResource(t, storeKinds[test.kind].typeName)
			config := storeKinds[test.kind].config("new", test.from)
			r.MustApply(config)
			changed := config.With(test.to)
			warned := r.Plan(changed).Warnings()
			if test.words == nil {
				if len(warned) > 0 {
					t.Errorf("the plan warns %q", warned)
				}
				return
			}
			providertest.WantOne(t, warned, test.words...)
			if text := fmt.Sprint(warned); strings.Contains(text, "c0rrect") {
				t.Errorf("a secret is in %s", text)
			}
		})
	}
}

func TestPlaceThatOpsManagerDidNotReturnDoesNotChange(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	proxy.Handle(providertest.Rewrite(func(_ *http.Request, store object) { delete(store, "storePath") }))
	r := providertest.NewWorkspace(t, proxy.Service).NewResource(storeKinds[2].typeName)
	r.ImportID("au-nfs-1")
	r.Plan(storeKinds[2].config("au-nfs-1", nil)).WantNoWarnings(t)
}

func TestRequiredValueOfACreationMayBeKnownLate(t *testing.T) {
	t.Parallel()
	for attribute, value := range map[string]any{"s3_max_connections": 5, "accepted_tos": true, "uri": s3Secrets["uri"]} {
		_, r := startS3Blockstore(t)
		p := r.Plan(s3Config(values{attribute: providertest.Unknown}))
		if errors := append(p.Errors(), r.Apply(p, values{attribute: value}).Errors()...); len(errors) > 0 {
			t.Errorf("%s: %q", attribute, errors)
		}
	}
}

func TestRetentionIsNotAddedToAStoreThatExists(t *testing.T) {
	t.Parallel()
	s, r := startS3Blockstore(t)
	r.MustApply(s3Config(values{"object_lock_enabled": true}))
	config := s3Config(values{"object_lock_enabled": true, "object_retention_mode": "GOVERNANCE", "object_retention_days": 7})
	s.ResetRequests()
	errors := r.Plan(config).Errors()
	if len(errors) != 2 || !strings.Contains(errors[0], "[object_retention_mode] Unable to Change S3 Blockstore") ||
		!strings.Contains(errors[0], "is not set") {
		t.Errorf("an update: %q", errors)
	}
	providertest.WantWrites(t, s)
}

func TestNewBucketNeedsANewStore(t *testing.T) {
	t.Parallel()
	s, r := startS3Blockstore(t)
	r.MustApply(s3Config())
	other := s3Config(values{"s3_bucket_name": "other"})
	r.Plan(other).WantError(t, "[s3_bucket_name]", "Unable to Change S3 Blockstore", "choose a new id")
	p := r.Plan(s3Config(values{"s3_bucket_name": providertest.Unknown, "load_factor": 9}))
	s.ResetRequests()
	r.Apply(p, values{"s3_bucket_name": "other"}).WantError(t, "Unable to Change S3 Blockstore")
	providertest.WantWrites(t, s)
	r.MustApply(other.With(values{"id": "other"}))
}

package opsmanager_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
)

const jobConfigProject = "64f0c2a19b3d5e7f80a1b2c3"

// jobConfigFields are all fields of a job configuration under their API names.
const jobConfigFields = `{
	"labelFilter": ["east"], "daemonFilter": [{"machine": "om-ny.example.com", "headRootDirectory": "/data/backup/"}],
	"snapshotStoreFilter": [{"id": "ny-s3-1", "type": "s3blockstore"}], "oplogStoreFilter": [{"id": "ny-oplog-1", "type": "oplogStore"}],
	"syncStoreFilter": ["ny-sync-1"], "kmipClientCertPath": "/etc/kmip.pem", "kmipClientCertPassword": "c0rrect-horse"
}`

func TestJobConfigIsCreatedReadListedAndReplaced(t *testing.T) {
	t.Parallel()
	client, service := emulateWith(t, emulator.Options{ServiceVersion: "7.0.0"})
	ctx := t.Context()
	if _, err := client.JobConfig(ctx, jobConfigProject); !opsmanager.IsMissing(err, opsmanager.ObjectProject) {
		t.Errorf("want 'gone', got %v", err)
	}
	var want opsmanager.JobConfig
	succeed(t, json.Unmarshal([]byte(jobConfigFields), &want))
	want.ID, want.Unknown = jobConfigProject, opsmanager.UnknownFields{"privateLinkEnabled": jsontext.Value("false")}
	created, err := client.UpdateJobConfig(ctx, want)
	succeed(t, err)
	read, err := client.JobConfig(ctx, strings.ToUpper(jobConfigProject))
	succeed(t, err)
	for _, got := range []*opsmanager.JobConfig{created, read} {
		got.Links = nil
		if !reflect.DeepEqual(*got, want) {
			t.Errorf("got %+v, want %+v", *got, want)
		}
	}
	stored, _ := json.Marshal(service.JobConfig(jobConfigProject))
	equal(t, "stored", compact(t, string(stored)), compact(t, strings.Replace(jobConfigFields, "{", `{"privateLinkEnabled": false, `, 1)))
	all, err := client.ListJobConfigs(ctx)
	succeed(t, err)
	equal(t, "job configurations", len(all.Results), 2)
	_, err = client.UpdateJobConfig(ctx, opsmanager.JobConfig{ID: jobConfigProject})
	succeed(t, err)
	equal(t, "fields", len(service.JobConfig(jobConfigProject)), 0)
}

// compact returns a JSON document without spaces, and with sorted fields.
func compact(t *testing.T, document string) string {
	t.Helper()
	var fields map[string]any
	succeed(t, json.Unmarshal([]byte(document), &fields))
	text, err := json.Marshal(fields)
	succeed(t, err)
	return string(text)
}

func TestErrorOfAJobConfigDoesNotQuoteItsPassword(t *testing.T) {
	t.Parallel()
	for _, quoting := range []string{
		`{"error": 400, "reason": "Bad Request", "detail": "c0rrect-horse is wrong"}`, `not JSON "c0rrect-horse"`,
		`{"kmipClientCertPassword": "c0rrect-horse", "id": 5}`,
	} {
		for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
			client := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, status, "", quoting) })
			_, err := client.UpdateJobConfig(t.Context(), opsmanager.JobConfig{ID: jobConfigProject, KMIPClientCertPassword: new("c0rrect-horse")})
			if err == nil || strings.Contains(err.Error(), "c0rrect-horse") {
				t.Errorf("%d %s: %v", status, quoting, err)
			}
		}
	}
}

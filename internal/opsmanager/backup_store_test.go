package opsmanager_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
)

// storeKinds maps the kinds of stores to those of the emulator.
var storeKinds = map[opsmanager.StoreKind]emulator.StoreKind{
	opsmanager.Blockstore: emulator.Blockstore, opsmanager.S3Blockstore: emulator.S3Blockstore, opsmanager.FileSystemStore: emulator.FileSystemStore,
	opsmanager.OplogStore: emulator.OplogStore, opsmanager.S3OplogStore: emulator.S3OplogStore, opsmanager.SyncStore: emulator.SyncStore,
}

// storeFields returns the fields of a store of a kind under their API names.
func storeFields(kind opsmanager.StoreKind) map[string]any {
	fields := map[string]any{"id": "EU/store 1", "assignmentEnabled": false, "labels": []any{"b", "a"}}
	add := func(more map[string]any) {
		for name, value := range more {
			fields[name] = value
		}
	}
	if kind != opsmanager.FileSystemStore {
		add(map[string]any{
			"uri": "mongodb://user:c0rrect-horse@db.example.com:27017", "ssl": true, "encryptedCredentials": false, "writeConcern": "W2",
			"oidc": map[string]any{
				"enabled": true, "method": "callback", "tokenUri": "https://t.example.com", "clientId": "c", "clientSecret": "c0rrect-secret",
				"scope": "s", "tokenResource": "r",
			},
		})
	}
	switch kind {
	case opsmanager.Blockstore:
		add(map[string]any{"loadFactor": 3.0, "maxCapacityGB": 512.0})
	case opsmanager.OplogStore, opsmanager.SyncStore:
		add(map[string]any{"maxCapacityGB": 512.0})
	case opsmanager.FileSystemStore:
		add(map[string]any{"loadFactor": 3.0, "storePath": "/mnt/x", "mmapv1CompressionSetting": "GZIP", "wtCompressionSetting": "NONE"})
	case opsmanager.S3Blockstore, opsmanager.S3OplogStore:
		add(map[string]any{
			"s3BucketName": "bucket", "s3BucketEndpoint": "https://s3.example.com", "s3MaxConnections": 5.0, "pathStyleAccessEnabled": false,
			"sseEnabled": false, "acceptedTos": true, "s3AuthMethod": "KEYS", "awsAccessKey": "c0rrect-access", "awsSecretKey": "c0rrect-key",
			"s3RegionOverride": "eu-1", "customCertificates": []any{map[string]any{"filename": "ca.pem", "certString": "PEM"}}, "disableProxyS3": true,
			"objectLockEnabled": true, "objectRetentionMode": "COMPLIANCE", "objectRetentionDays": 7.0,
		})
		if kind == opsmanager.S3Blockstore {
			add(map[string]any{"loadFactor": 3.0})
		}
	}
	return fields
}

// storeOf decodes a store from its fields.
func storeOf(t *testing.T, fields map[string]any) (store opsmanager.BackupStore) {
	t.Helper()
	document, err := json.Marshal(fields)
	succeed(t, err)
	succeed(t, json.Unmarshal(document, &store))
	return store
}

// forEachStoreKind runs a test for each kind of store, with all of its fields.
func forEachStoreKind(t *testing.T, test func(t *testing.T, kind opsmanager.StoreKind, fields map[string]any)) {
	t.Helper()
	for kind := range storeKinds {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			test(t, kind, storeFields(kind))
		})
	}
}

func TestStoreIsCreatedReadReplacedAndDeletedWithAllItsFields(t *testing.T) {
	t.Parallel()
	forEachStoreKind(t, func(t *testing.T, kind opsmanager.StoreKind, fields map[string]any) {
		client, service := emulateWith(t, emulator.Options{ServiceVersion: "8.0.28"})
		ctx := t.Context()
		want := storeOf(t, fields)

		created, err := client.CreateBackupStore(ctx, kind, want)
		succeed(t, err)
		equal(t, "id", created.ID, want.ID)
		held := service.BackupStore(storeKinds[kind], want.ID)
		for name, value := range fields {
			if !reflect.DeepEqual(held[name], value) {
				t.Errorf("%s is stored as %v, want %v", name, held[name], value)
			}
		}
		want.Labels, want.AssignmentEnabled = &opsmanager.Replaced[string]{}, new(true)
		updated, err := client.UpdateBackupStore(ctx, kind, want)
		succeed(t, err)
		equal(t, "id", updated.ID, want.ID)
		read, err := client.BackupStore(ctx, kind, want.ID)
		succeed(t, err)
		equal(t, "assignment", *read.AssignmentEnabled, true)
		equal(t, "labels", len(*read.Labels), 0)
		all, err := client.ListBackupStores(ctx, kind)
		succeed(t, err)
		if !slices.ContainsFunc(all.Results, func(s opsmanager.BackupStore) bool { return s.ID == want.ID }) {
			t.Errorf("the store is not listed: %v", all.Results)
		}
		want.AssignmentEnabled = new(false)
		_, err = client.UpdateBackupStore(ctx, kind, want)
		succeed(t, err)
		succeed(t, client.DeleteBackupStore(ctx, kind, want.ID))
		_, err = client.BackupStore(ctx, kind, want.ID)
		if err := errors.Join(client.DeleteBackupStore(ctx, kind, want.ID), err); !opsmanager.IsMissing(err, opsmanager.Object(kind)) {
			t.Errorf("want 'missing', got %v", err)
		}
	})
}

func TestEveryFieldOfAStoreIsReadAndSent(t *testing.T) {
	t.Parallel()
	forEachStoreKind(t, func(t *testing.T, kind opsmanager.StoreKind, fields map[string]any) {
		var sent []map[string]any
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				sent = append(sent, decode(t, []byte(read(t, r))))
			}
			document, _ := json.Marshal(fields)
			answer(w, http.StatusOK, "", string(document))
		})
		got, err := client.BackupStore(t.Context(), kind, "EU/store 1")
		succeed(t, err)
		if want := storeOf(t, fields); !reflect.DeepEqual(*got, want) {
			t.Errorf("got %+v, want %+v", *got, want)
		}
		_, err = client.CreateBackupStore(t.Context(), kind, *got)
		succeed(t, err)
		_, err = client.UpdateBackupStore(t.Context(), kind, *got)
		succeed(t, err)
		if !reflect.DeepEqual(sent, []map[string]any{fields, fields}) {
			t.Errorf("sent %v, want %v", sent, fields)
		}
	})
}

func TestFieldsThatOnlyResponsesHaveAreRead(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, "", `{"id":"x","usedSize":12.5,"objectLockEnabledAt":"2025-09-01T08:00:00Z"}`)
	})
	got, err := client.BackupStore(t.Context(), opsmanager.S3Blockstore, "x")
	succeed(t, err)
	if want := (opsmanager.BackupStore{ID: "x", UsedSize: new(12.5), ObjectLockEnabledAt: new("2025-09-01T08:00:00Z")}); !reflect.DeepEqual(*got, want) {
		t.Errorf("got %+v, want %+v", *got, want)
	}
}

func TestResponseForAnotherStoreIsAnError(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "", `{"id":"X"}`) })
	store := opsmanager.BackupStore{ID: "x"} // IDs are case-sensitive
	_, read := client.BackupStore(t.Context(), opsmanager.SyncStore, "x")
	_, created := client.CreateBackupStore(t.Context(), opsmanager.SyncStore, store)
	_, updated := client.UpdateBackupStore(t.Context(), opsmanager.SyncStore, store)
	for _, err := range []error{read, created, updated} {
		if !errors.Is(err, opsmanager.ErrOtherObject) {
			t.Errorf("got %v", err)
		}
	}
}

func TestFailedProbesOfABucketAreRetried(t *testing.T) {
	t.Parallel()
	for _, kind := range []opsmanager.StoreKind{opsmanager.S3Blockstore, opsmanager.S3OplogStore} {
		client, service := emulate(t, retries(2))
		store := storeOf(t, storeFields(kind))
		service.FailProbes(2)
		succeed(t, repeating(t.Context(), client, func(ctx context.Context) error {
			_, err := client.CreateBackupStore(ctx, kind, store)
			return err
		}))
		service.FailProbes(2)
		update := func(ctx context.Context) error {
			_, err := client.UpdateBackupStore(ctx, kind, store)
			return err
		}
		succeed(t, repeating(t.Context(), client, update))
		service.FailProbes(-1)
		equal(t, "attempts", wantError(t, repeating(t.Context(), client, update)).Attempts, 3)
	}
}

func TestOtherFailuresOfStoresAreNotRetried(t *testing.T) {
	t.Parallel()
	const probe = "BACKUP_S3_VALIDATION_FAILED"
	for _, test := range []struct {
		kind     opsmanager.StoreKind
		status   int
		code     string
		attempts map[string]int // of a create, an update and a delete
	}{
		{opsmanager.S3Blockstore, 409, "BACKUP_S3_CONNECTION_FAILED", map[string]int{"create": 1, "update": 1, "delete": 1}},
		{opsmanager.S3Blockstore, 409, "BACKUP_CANNOT_REMOVE_S3_STORE_CONFIG", map[string]int{"create": 1, "update": 1, "delete": 1}},
		{opsmanager.S3Blockstore, 409, probe, map[string]int{"create": 3, "update": 3, "delete": 1}},
		{opsmanager.Blockstore, 409, probe, map[string]int{"create": 1, "update": 1, "delete": 1}},
		{opsmanager.Blockstore, 409, "BACKUP_MONGO_CONNECTION_FAILED", map[string]int{"create": 1, "update": 1, "delete": 1}},
		{opsmanager.Blockstore, 503, "", map[string]int{"create": 1, "update": 3, "delete": 3}},
	} {
		store := opsmanager.BackupStore{ID: "x"}
		for name, call := range map[string]func(context.Context, *opsmanager.Client) error{
			"create": func(ctx context.Context, c *opsmanager.Client) error {
				_, err := c.CreateBackupStore(ctx, test.kind, store)
				return err
			},
			"update": func(ctx context.Context, c *opsmanager.Client) error {
				_, err := c.UpdateBackupStore(ctx, test.kind, store)
				return err
			},
			"delete": func(ctx context.Context, c *opsmanager.Client) error {
				return c.DeleteBackupStore(ctx, test.kind, "x")
			},
		} {
			requests := 0
			client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				requests++
				answer(w, test.status, "application/json", fmt.Sprintf(`{"error":%d,"errorCode":%q,"reason":"r"}`, test.status, test.code))
			}, retries(2))
			_ = wantError(t, repeating(t.Context(), client, func(ctx context.Context) error { return call(ctx, client) }))
			equal(t, fmt.Sprint(name, " of ", test.kind, " after ", test.status, test.code), requests, test.attempts[name])
		}
	}
}

func TestErrorsAndLogsContainNoSecretsOfStores(t *testing.T) {
	t.Parallel()
	store := storeOf(t, storeFields(opsmanager.S3Blockstore))
	store.URI = new("mongodb://user:c0rrect%2Fhorse@db.example.com:27017/?tls=true&tlsCertificateKeyFilePassword=c0rrect%2Bfile&authMechanismProperties=AWS_SESSION_TOKEN:c0rrect-token")
	for name, respond := range map[string]func(w http.ResponseWriter, sent string){
		"an error document that quotes the request": func(w http.ResponseWriter, sent string) {
			answer(w, http.StatusConflict, "application/json", fmt.Sprintf(`{"error":409,"errorCode":"X","detail":%q,"parameters":[%q]}`, sent, sent))
		},
		"a page that quotes the request": func(w http.ResponseWriter, sent string) {
			answer(w, http.StatusBadGateway, "text/html", sent)
		},
		"the password alone": func(w http.ResponseWriter, _ string) {
			answer(w, http.StatusConflict, "application/json", `{"error":409,"errorCode":"X","detail":"c0rrect/horse is c0rrect%2Fhorse"}`)
		},
		"the connection string in another form": func(w http.ResponseWriter, _ string) {
			answer(
				w, http.StatusConflict, "application/json",
				`{"error":409,"errorCode":"X","detail":"cannot connect to mongodb://user:c0rrect%2fhorse@db.example.com:27017/?tls=true"}`,
			)
		},
		"the connection string without its credentials": func(w http.ResponseWriter, _ string) {
			answer(
				w, http.StatusConflict, "application/json",
				`{"error":409,"errorCode":"X","detail":"cannot connect to mongodb://user@db.example.com:27017/?tls=true&tlsCertificateKeyFilePassword=c0rrect%2bfile with token c0rrect-token"}`,
			)
		},
		"the connection string of the request": func(w http.ResponseWriter, _ string) {
			answer(w, http.StatusConflict, "application/json", fmt.Sprintf(`{"error":409,"errorCode":"X","detail":%q}`, *store.URI))
		},
		"a code": func(w http.ResponseWriter, _ string) {
			answer(w, http.StatusNotFound, "application/json", `{"error":404,"errorCode":"c0rrect-access"}`)
		},
		"a header": func(w http.ResponseWriter, _ string) {
			w.Header().Set("X-MongoDB-Service-Version", "versionString=c0rrect-access")
			w.Header().Set("Location", "https://c0rrect-access.example.com/c0rrect%2Fhorse")
			answer(w, http.StatusFound, "text/c0rrect-access", "")
		},
		"a challenge": func(w http.ResponseWriter, _ string) {
			w.Header().Set("WWW-Authenticate", "c0rrect-access")
			answer(w, http.StatusUnauthorized, "", "")
		},
		"an ID of a success": func(w http.ResponseWriter, _ string) {
			answerOK(w, `{"id":"c0rrect-stored","ssl":true}`)
		},
		"a response that is not JSON": func(w http.ResponseWriter, _ string) {
			answerOK(w, `{"id":"EU/store 1","awsSecretKey":"c0rrect-stored","uri":"mongodb://user:c0rrect-stored@`)
		},
		"a response without quotation marks": func(w http.ResponseWriter, _ string) {
			answer(w, http.StatusOK, "text/plain", `id=EU/store 1, awsSecretKey=c0rrect-stored`)
		},
		"a page": func(w http.ResponseWriter, _ string) {
			answer(w, http.StatusOK, "text/html", `<td>awsSecretKey<td>c0rrect-stored`)
		},
		"a title": func(w http.ResponseWriter, _ string) {
			answer(w, http.StatusOK, "text/html", `<title>c0rrect-access&#45;and&#x20;c0rrect&#x2f;horse`)
		},
		"a response of the wrong type": func(w http.ResponseWriter, _ string) {
			answerOK(w, `{"id":"EU/store 1","awsSecretKey":"c0rrect-stored","ssl":"c0rrect-stored"}`)
		},
		"an object without known fields": func(w http.ResponseWriter, _ string) {
			answerOK(w, `{"secretKeys":["c0rrect-stored"]}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var logged []string
			client := serve(t, func(w http.ResponseWriter, r *http.Request) { respond(w, read(t, r)) }, retries(0), func(c *opsmanager.Config) {
				c.Log = func(_ context.Context, message string, fields ...map[string]any) {
					logged = append(logged, fmt.Sprint(message, fields))
				}
			})
			_, created := client.CreateBackupStore(t.Context(), opsmanager.S3Blockstore, store)
			_, updated := client.UpdateBackupStore(t.Context(), opsmanager.S3Blockstore, store)
			_, got := client.BackupStore(t.Context(), opsmanager.S3Blockstore, store.ID)
			_, listed := client.ListBackupStores(t.Context(), opsmanager.S3Blockstore)
			deleted := client.DeleteBackupStore(t.Context(), opsmanager.S3Blockstore, store.ID)
			for _, err := range []error{created, updated, got, listed, deleted} {
				if err == nil { // an object is a valid response to a deletion
					continue
				}
				text := fmt.Sprintf("%v %+v %q", err, *wantError(t, err), logged)
				if strings.Contains(text, "c0rrect") {
					t.Errorf("a secret is shown: %s", text)
				}
				if isAnyMissing(err) {
					t.Errorf("missing: %v", err)
				}
			}
			if len(logged) != 5 {
				t.Errorf("logged %q", logged)
			}
		})
	}
}

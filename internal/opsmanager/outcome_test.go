package opsmanager_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// A refused request changed nothing. If the outcome of a request is unknown, it may have.
func TestOutcomeOfAFailedRequest(t *testing.T) {
	t.Parallel()
	const (
		refused = false
		unknown = true

		login = "<!DOCTYPE html><html><title>Sign in</title></html>"
	)
	document := func(status, code string) string {
		return `{"error": ` + status + `, "reason": "No", "detail": "No.", "errorCode": "` + code + `"}`
	}
	for _, test := range []struct {
		name   string
		status int
		body   string
		want   bool
	}{
		{"a redirect", 302, "", refused},
		{"a 400 of the API", 400, document("400", "INVALID_ATTRIBUTE"), refused},
		{"a 409 of the API without a code", 409, document("409", ""), refused},
		{"a 409 of the API", 409, document("409", "CONFLICT"), refused},
		{"a 404 page", 404, login, refused},
		{"a 404 of a gateway", 404, `{"message": "no route"}`, refused},
		{"a 408 without a body", 408, "", refused},
		{"a 413 without a body", 413, "", refused},

		{"a 500 of the API", 500, document("500", "UNEXPECTED_ERROR"), unknown},
		{"a 500 of the API without a code", 500, document("500", ""), unknown},
		{"a 500 of the API with the code of a decision", 500, document("500", "RESTORE_VALIDATION_FAILED"), refused},
		{"a 503 of the API with the code of a decision", 503, document("503", "SNAPSHOT_BLOCK_VALIDATION_UNAVAILABLE"), refused},
		{"a 500 of the API with an unknown code", 500, document("500", "INTERNAL_ERROR"), unknown},
		{"a 503 of the API with an unknown code", 503, document("503", "BACKUP_UNAVAILABLE"), unknown},
		{"a 500 of the API about another restore", 500, document("500", "CONCURRENT_RESTORES"), refused},
		{"a 499 of the API with an unknown code", 499, document("499", "NEW_CODE"), refused},
		{"a 503 of the API", 503, document("503", "UNEXPECTED_ERROR"), unknown},
		{"a 500 without a body", 500, "", unknown},
		{"a 500 page", 500, login, unknown},
		{"a 500 with the document of another status", 500, document("409", "CONFLICT"), unknown},
		{"a 501", 501, "", refused},
		{"a 502", 502, login, unknown},
		{"a 503", 503, "", unknown},
		{"a 504", 504, login, unknown},
		{"a 502 of a gateway with a code", 502, document("502", "BAD_UPSTREAM"), unknown},
		{"a 504 of a gateway with a code", 504, document("504", "UPSTREAM_TIMEOUT"), unknown},
		{"a success with the document of a gateway", 200, document("504", "UPSTREAM_TIMEOUT"), unknown},
		{"a 505", 505, "", refused},
		{"a 506", 506, "", refused},
		{"a 507", 507, login, refused},
		{"a 508", 508, "", refused},
		{"a 509", 509, "", unknown},
		{"a 510", 510, "", refused},
		{"a 511", 511, login, refused},
		{"a 524", 524, login, unknown},

		{"an empty success", 200, "", unknown},
		{"a success that is null", 200, "null", unknown},
		{"a success that is an empty object", 200, "{}", unknown},
		{"a success that is a list", 200, "[]", unknown},
		{"a success of a gateway", 200, `{"message": "accepted"}`, unknown},
		{"a success that is cut short", 200, `{"clusterId": "` + ledger + `", "snapsh`, unknown},
		{"a success for another cluster", 200, `{"clusterId": "` + nowhere + `"}`, unknown},
		{"a success with a wrong type", 200, `{"snapshotRetentionDays": "many"}`, unknown},
		{"a success in parts", 206, `{"clusterId": "` + ledger + `"}`, unknown},
		{"a login page", 200, login, refused},
		{"a text", 200, "OK", refused},
		{"a cut login page", 200, login[:9], refused},
		{"a success with another encoding", 200, "\x0b\x02\x80{\"id\": 1}\x03", unknown},
		{"a success in UTF-16", 200, "\xff\xfe{\x00}\x00", unknown},
		{"a success with an unknown document", 200, document("500", "INTERNAL_ERROR"), unknown},
		{"a success with an error document", 200, document("409", "CONFLICT"), refused},
		{"a success with an error document without a code", 200, document("409", ""), refused},
		{"a success with the document of a failure", 200, document("500", "UNEXPECTED_ERROR"), unknown},
		{"a success with the document of a decision", 200, document("503", "SNAPSHOT_BLOCK_VALIDATION_UNAVAILABLE"), refused},
		{"an envelope of a refusal", 200, `{"status": 409, "content": ` + document("409", "CONFLICT") + `}`, refused},
		{"an envelope of a refusal without a document", 200, `{"status": 409, "content": {}}`, refused},
		{"an envelope of a failure", 200, `{"status": 500, "content": ` + document("500", "UNEXPECTED_ERROR") + `}`, unknown},
		{"an envelope of a success", 200, `{"status": 200, "content": {"clusterId": "` + ledger + `"}}`, unknown},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client := responding(t, test.status, test.body, retries(0))
			err := wantError(t, changeSchedule(t.Context(), client))
			if opsmanager.IsUnclear(err) != test.want || opsmanager.MayHaveChanged(err) != test.want {
				t.Errorf("unknown: %t, may have changed: %t, want %t: %v", opsmanager.IsUnclear(err), opsmanager.MayHaveChanged(err), test.want, err)
			}
			if isAnyMissing(err) && test.status != 404 {
				t.Errorf("missing: %v", err)
			}
			read := wantError(t, ledgerSchedule(t.Context(), client))
			if opsmanager.IsUnclear(read) != test.want || opsmanager.MayHaveChanged(read) {
				t.Errorf("a read may have changed something: %v", read)
			}
		})
	}
}

func TestDeletionWithAnErrorDocumentIsNoSuccess(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"error": 409, "errorCode": "CONFLICT"}`, `{"status": 409, "content": {"error": 409, "errorCode": "CONFLICT"}}`} {
		err := wantError(t, returning(t, body).DeleteDeploymentRegion(t.Context(), "NY_NJ"))
		if err.Code != "CONFLICT" || opsmanager.MayHaveChanged(err) || !strings.Contains(err.Error(), "409 CONFLICT") {
			t.Errorf("got %v", err)
		}
	}
}

// closed is an address that no test listens on: the system gives out no port below 1024.
const closed = "http://127.0.0.1:1"

func TestRequestWithoutAResponse(t *testing.T) {
	t.Parallel()
	mailServer, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	succeed(t, err)
	t.Cleanup(func() { _ = mailServer.Close() })
	go func() {
		for {
			connection, err := mailServer.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(connection, "220 mail.example.com ESMTP\r\n")
			t.Cleanup(func() { _ = connection.Close() })
		}
	}()
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	succeed(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	untrusted := secure(t, http.NotFoundHandler(), nil)
	httpOnly := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(httpOnly.Close)
	plain := responding(t, http.StatusBadGateway, "", retries(0))

	none := func(ctx context.Context, client *opsmanager.Client) error {
		_, err := client.UpdateSnapshotSchedule(ctx, payments, ledger, opsmanager.SnapshotSchedule{})
		return err
	}
	interrupted := func(ctx context.Context, client *opsmanager.Client) error {
		ctx, interrupt := context.WithCancel(ctx)
		interrupt()
		return changeSchedule(ctx, client)
	}
	remove := func(id string) caller {
		return func(ctx context.Context, client *opsmanager.Client) error {
			return client.DeleteDeploymentRegion(ctx, id)
		}
	}
	for _, test := range []struct {
		name   string
		client *opsmanager.Client
		call   caller
		may    bool
	}{
		{"a change without a response", serve(t, func(_ http.ResponseWriter, r *http.Request) { drop(r) }, retries(0)), changeSchedule, true},
		{
			"a change that is not answered in time",
			serve(t, func(_ http.ResponseWriter, r *http.Request) { hang(r) }, retries(0), func(c *opsmanager.Config) { c.Timeout = 100 * time.Millisecond }),
			changeSchedule, true,
		},
		{"a deletion that fails with 502", plain, remove("NY_NJ"), true},
		{"a read", plain, ledgerSchedule, false},
		{"an empty change", plain, none, false},
		{"a change without an ID", plain, remove(""), false},
		{
			"a connection that is not established in time",
			newClient(t, "https://"+silent.Addr().String(), retries(0), func(c *opsmanager.Config) { c.Timeout = 100 * time.Millisecond }),
			changeSchedule, false,
		},
		{"a change that is interrupted before it is sent", plain, interrupted, false},
		{"a refused connection", newClient(t, closed, retries(0)), changeSchedule, false},
		{"an untrusted certificate", newClient(t, untrusted.URL, retries(0)), changeSchedule, false},
		{"HTTPS to an HTTP port", newClient(t, strings.Replace(httpOnly.URL, "http:", "https:", 1), retries(0)), changeSchedule, false},
		{"HTTPS to a port of another protocol", newClient(t, "https://"+mailServer.Addr().String(), retries(0)), changeSchedule, false},
	} {
		err := wantError(t, test.call(t.Context(), test.client))
		if got := opsmanager.MayHaveChanged(err); got != test.may {
			t.Errorf("%s: %t: %v", test.name, got, err)
		}
	}
}

// changeSchedule changes the schedule of ledger.
func changeSchedule(ctx context.Context, client *opsmanager.Client) error {
	_, err := client.UpdateSnapshotSchedule(ctx, payments, ledger, opsmanager.SnapshotSchedule{SnapshotRetentionDays: new(int64(7))})
	return err
}

func TestOutcomeOfARequestWhoseRepetitionHasNoConnection(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first   http.HandlerFunc
		unknown bool
	}{
		"no response": {func(_ http.ResponseWriter, r *http.Request) { drop(r) }, true},
		"a 503":       {status(503), true},
		"a 429":       {status(429), false},
	} {
		var server *httptest.Server
		server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Connection", "close")
			_ = server.Listener.Close()
			test.first(w, r)
		}))
		t.Cleanup(server.Close)
		err := wantError(t, call[http.MethodPut](t.Context(), newClient(t, server.URL, retries(1))))
		equal(t, name+": attempts", err.Attempts, 2)
		equal(t, name+": unknown", opsmanager.MayHaveChanged(err), test.unknown)
	}
}

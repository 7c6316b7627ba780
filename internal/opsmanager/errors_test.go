package opsmanager_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// failingWith returns the error of a call that receives a given response.
func failingWith(t *testing.T, status int, contentType, body string) *opsmanager.Error {
	t.Helper()
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, status, contentType, body) }, retries(0))
	return wantError(t, client.DeleteDeploymentRegion(t.Context(), "NY_NJ"))
}

func TestEveryFormOfErrorResponseIsParsed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, contentType, body string
		document                bool
		code, detail            string
		parameters              []string
	}{
		{name: "the documented form",
			body:     `{"detail":"No backup.","error":404,"errorCode":"BACKUP_CONFIG_NOT_FOUND","parameters":["a","NY_NJ"],"reason":"Not Found"}`,
			document: true, code: "BACKUP_CONFIG_NOT_FOUND", detail: "No backup.", parameters: []string{"a", "NY_NJ"}},
		{name: "no code", body: `{"detail":"No region.","error":404,"reason":"Not Found"}`, document: true, detail: "No region."},
		{name: "no detail", body: `{"error":404,"errorCode":"X","reason":"Not Found"}`, document: true, code: "X", detail: "Not Found"},
		{name: "a code alone", contentType: "application/json", body: `{"errorCode":"X"}`, detail: `the response was application/json`},
		{name: "a status alone", contentType: "application/json", body: `{"error":404,"message":"x"}`, detail: `the response was application/json`},
		{name: "another status", contentType: "application/json", body: `{"error":500,"detail":"x"}`, detail: `the response was application/json`},
		{name: "nulls", contentType: "text/json", body: `{"detail":null,"error":404,"errorCode":null}`, detail: `the response was text/json`},
		{name: "parameters that are not strings", body: `{"error":404,"errorCode":"X","parameters":[5,12345678901,true,null,{"a":1},"b"]}`,
			document: true, code: "X", parameters: []string{"b"}},
		{name: "parameters that are neither names nor addresses",
			body:     `{"error":404,"errorCode":"X","parameters":["a b","10.0.0.1","::1","delivery.expires","mongodb://h","","p%41"]}`,
			document: true, code: "X", parameters: []string{"10.0.0.1", "::1", "delivery.expires"}},
		{name: "parameters that are not a list", body: `{"error":404,"errorCode":"X","parameters":"b","detail":"d"}`, document: true, code: "X", detail: "d"},
		{name: "a status that is a string", contentType: "text/json", body: `{"error":"404","errorCode":"X"}`, detail: `the response was text/json`},
		{name: "unknown fields", body: `{"error":404,"errorCode":"X","badRequestDetail":{"fields":[]},"detail":"d"}`, document: true, code: "X", detail: "d"},
		{name: "another API's document", contentType: "application/json", body: `{"timestamp":1,"status":404,"error":"Not Found","path":"/api"}`,
			detail: `the response was application/json`},
		{name: "an empty body"},
		{name: "an empty object", contentType: "application/json", body: `{}`, detail: `the response was application/json`},
		{name: "a list", contentType: "application/json", body: `[]`, detail: `the response was application/json`},
		{name: "a truncated document", contentType: "application/json", body: `{"error":404,"errorCode":"X",`, detail: `the response was application/json`},
		{
			name: "a page with a title", contentType: "text/html;charset=utf-8",
			body:   "<html><head><title>\n404  Not\tFound </title></head><body>ignored</body></html>",
			detail: `the response was text/html: "404 Not Found"`,
		},
		{
			name: "a page with a late title", contentType: "text/html",
			body:   "<html><style>" + strings.Repeat("p{}", 5000) + "</style><TITLE id=t>Café – 502</TITLE>",
			detail: `the response was text/html: "Café – 502"`,
		},
		{
			name: "a page with letters that are longer in lower case", contentType: "text/html",
			body: strings.Repeat("İ", 30) + "<title>short</title>", detail: `the response was text/html: "short"`,
		},
		{name: "a page without a title", contentType: "text/html", body: "<h1>Gone</h1>", detail: "the response was text/html"},
		{
			name: "a page with the request in its title", contentType: "text/html", body: "<title>Not found: /groups/1</title>",
			detail: "the response was text/html",
		},
		{
			name: "a page with a word in its title that may be a key", contentType: "text/html", body: "<title>Welcome a1b2</title>",
			detail: "the response was text/html",
		},
		{
			name: "a page with a long title", contentType: "text/html", body: "<title>" + strings.Repeat("word ", 41) + "</title>",
			detail: "the response was text/html",
		},
		{name: "a page with an escaped title", contentType: "text/html", body: "<title>Sign in &amp; go</title>", detail: "the response was text/html"},
		{name: "a media type of another form", contentType: "text/hunter2", body: "x", detail: "the response was of an unknown type"},
		{name: "a detail that may be escaped", body: `{"error":404,"errorCode":"X","detail":"at %2fetc"}`,
			document: true, code: "X", detail: "the detail is not shown, because it may quote a secret"},
		{name: "text", contentType: "text/plain", body: "upstream\nconnect error\x00\x1b[31m", detail: "the response was text/plain"},
		{name: "terminal escape sequences", body: `{"error":404,"errorCode":"X\u001b[31m","detail":"a\u001b[2J\r\nb\u202ec","parameters":["d\u0000"]}`,
			document: true, code: "X [31m", detail: "a [2J b c"},
		{name: "a very long detail", body: `{"error":404,"errorCode":"X","detail":"` + strings.Repeat("ü", 5000) + `"}`,
			document: true, code: "X", detail: strings.Repeat("ü", 1000) + "…"},
		{name: "binary", contentType: "application/octet-stream", body: "\xff\xfe\x00", detail: "the response was application/octet-stream"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := failingWith(t, http.StatusNotFound, test.contentType, test.body)
			equal(t, "status", e.Status, http.StatusNotFound)
			equal(t, "document", e.Document, test.document)
			equal(t, "code", e.Code, test.code)
			equal(t, "detail", e.Detail, test.detail)
			if !slices.Equal(e.Parameters, test.parameters) {
				t.Errorf("parameters: got %q, want %q", e.Parameters, test.parameters)
			}
			equal(t, "method", e.Method, http.MethodDelete)
			equal(t, "path", e.Path, "/admin/backup/backupDeployments/NY_NJ")
			if !utf8.ValidString(e.Error()) {
				t.Errorf("%q is not valid UTF-8", e.Error())
			}
		})
	}
}

func TestErrorTextHasTheRequestAndTheResponse(t *testing.T) {
	t.Parallel()
	const call = "DELETE /admin/backup/backupDeployments/NY_NJ: "
	for _, test := range []struct {
		status     int
		body, want string
	}{
		{409, `{"error":409,"errorCode":"IN_USE","detail":"It is bound."}`, call + "409 Conflict (IN_USE): It is bound."},
		{409, `{"error":409,"detail":"It is bound."}`, call + "409 Conflict: It is bound."},
		{403, "", call + "403 Forbidden"},
		{599, "", call + "599"},
		{400, "bad", call + "400 Bad Request: the response was text/plain"},
	} {
		equal(t, "text", failingWith(t, test.status, "text/plain", test.body).Error(), test.want)
	}
}

func TestStatusTextOfTheServerIsNotShown(t *testing.T) {
	t.Parallel()
	address := raw(t, "HTTP/1.1 503 \x1b[2JAll is well\r\nContent-Length: 5\r\n\r\nshort")
	client := newClient(t, address, retries(0))
	for range 2 { // the second one fails because of the open circuit breaker
		if err := ledgerSchedule(t.Context(), client); strings.Contains(err.Error(), "well") {
			t.Errorf("got %q", err)
		}
	}
}

func TestMalformedResponseLineIsNotShown(t *testing.T) {
	t.Parallel()
	for name, response := range map[string]string{
		"field":   "HTTP/1.1 200 OK\r\nthe-secret of someone\r\n\r\n",
		"version": "HTTP/the-secret 200 OK\r\n\r\n",
		"status":  "HTTP/1.1 the-secret\r\n\r\n",
		"line":    "the-secret\r\n\r\n",
		"coding":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: the-secret\r\n\r\n",
		"codings": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: the-secret\r\n\r\n",
		"length":  "HTTP/1.1 200 OK\r\nContent-Length: the-secret\r\n\r\n",
		"lengths": "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: the-secret\r\n\r\n",
		"trailer": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Content-Length\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := ledgerSchedule(t.Context(), newClient(t, raw(t, response), retries(0)))
			if text := err.Error(); strings.Contains(text, "the-secret") || !strings.Contains(text, "the response is not HTTP: ") {
				t.Errorf("got %q", text)
			}
		})
	}
}

func TestLogShowsNoControlCharactersOfAProxy(t *testing.T) {
	t.Parallel()
	proxy, err := url.Parse(raw(t, "HTTP/1.1 502 \x1b[2JAll is well\r\n\r\n"))
	succeed(t, err)
	logged := ""
	client := newClient(t, "https://om.example.com", retries(0), logging(&logged), func(c *opsmanager.Config) { c.Proxy = proxy })
	if err := ledgerSchedule(t.Context(), client); err == nil || !strings.Contains(logged, "502 Bad Gateway") || strings.Contains(logged, "\x1b") {
		t.Errorf("logged %q, got %v", logged, err)
	}
}

func TestErrorsAndLogsContainNoSecretsThatTheClientKnows(t *testing.T) {
	t.Parallel()
	const hidden = "w0rd of the state"
	proxy, err := url.Parse(raw(
		t,
		"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/plain\r\n\r\nkey%2Fpr1vate pr0xy&#x2F;w0rd dXNlcjpwcjB4eS93MHJk w0rd of\\u0020the state",
	))
	succeed(t, err)
	proxy.User = url.UserPassword("user", "pr0xy/w0rd")
	shown := ""
	client := newClient(t, "http://om.example.com", retries(1), logging(&shown), func(c *opsmanager.Config) {
		c.PrivateKey, c.Proxy = "key/pr1vate", proxy
	})
	client.Hide(hidden, "abc")
	e := wantError(t, ledgerSchedule(t.Context(), client))
	shown += fmt.Sprintf("%v %v %+v", e, e.Err, *e)
	if !strings.Contains(shown, "502") || strings.Contains(shown, "pr1vate") || strings.Contains(shown, "w0rd") || strings.Contains(shown, "dXNl") {
		t.Errorf("a secret is shown: %s", shown)
	}
}

// raw starts a server that sends a text for each request and closes the connection.
func raw(t *testing.T, response string) (address string) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	succeed(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = http.ReadRequest(bufio.NewReader(connection))
			_, _ = io.WriteString(connection, response)
			_ = connection.Close()
		}
	}()
	return "http://" + listener.Addr().String()
}

func TestUnexpectedSuccessStatusIsAnError(t *testing.T) {
	t.Parallel()
	for _, status := range []int{205, 206, 207, 226, 299} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			e := failingWith(t, status, "application/json", anyObject)
			equal(t, "status", e.Status, status)
			equal(t, "points to", e.RedirectedTo, "")
		})
	}
	t.Run("101", func(t *testing.T) {
		t.Parallel()
		address := raw(t, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h9\r\n\r\n"+anyObject)
		equal(t, "status", wantError(t, ledgerSchedule(t.Context(), newClient(t, address))).Status, 101)
	})
}

package opsmanager

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"
	"unicode/utf8"
)

// answering is a transport without a network.
type answering func(*http.Request) *http.Response

func (f answering) RoundTrip(r *http.Request) (*http.Response, error) {
	response := f(r)
	response.Request = r
	return response, nil
}

// clientOf returns a client with a transport.
func clientOf(f answering) *Client {
	c := NewClient(Config{BaseURL: &url.URL{Scheme: "https", Host: "om.example.com"}})
	c.http.Transport = bufferingTransport{next: f}
	return c
}

func answerOf(status int, header http.Header, body []byte) *http.Response {
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(bytes.NewReader(body))}
}

// checkSanitized checks that the texts of an error are printable lines of limited length.
func checkSanitized(t *testing.T, e *Error) {
	t.Helper()
	const longestError = 3 * longestText
	for what, text := range map[string]string{
		"text": e.Error(), "code": e.Code, "detail": e.Detail, "address": e.RedirectedTo, "version": e.ServiceVersion,
		"parameters": strings.Join(e.Parameters, " "),
	} {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%s: not printable: %q", what, text)
		}
		if len(text) > longestError && what != "parameters" { // which are limited one by one
			t.Errorf("%s: %d bytes", what, len(text))
		}
	}
}

func FuzzErrors(f *testing.F) {
	f.Fuzz(func(t *testing.T, status int, contentType, location, version string, body []byte) {
		status = 300 + (status%300+300)%300
		header := http.Header{"Content-Type": {contentType}, "Location": {location}, "X-Mongodb-Service-Version": {"versionString=" + version}}
		err := clientOf(func(*http.Request) *http.Response { return answerOf(status, header, body) }).DeleteDeploymentRegion(t.Context(), "NY_NJ")
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("%d is not an error: %v", status, err)
		}
		checkSanitized(t, e)
		if !strings.HasPrefix(e.Error(), "DELETE /admin/backup/backupDeployments/NY_NJ: ") {
			t.Errorf("the request is missing: %q", e)
		}
		if e.Err != nil {
			return // rejected by net/http
		}
		if e.Status != status || !strings.Contains(e.Error(), strconv.Itoa(status)) {
			t.Errorf("%d became %q", status, e)
		}
		if e.RedirectedTo != "" && (status >= 400 || strings.ContainsAny(e.RedirectedTo, "?#")) {
			t.Errorf("%d redirects to %q", status, e.RedirectedTo)
		}
		if strings.Contains(strings.ToLower(e.Detail), "digest username") {
			t.Errorf("credentials are shown: %q", e)
		}
		for object := range missingCodes {
			if IsMissing(e, object) && (status != http.StatusNotFound || !json.Valid(body) || IsUnsupported(e)) {
				t.Errorf("the %s is wrongly reported as missing: %d %q", object, status, body)
			}
		}
		if !e.Document && (e.Code != "" || e.Parameters != nil) {
			t.Errorf("an error code without an error document: %+v", e)
		}
	})
}

func FuzzListPage(f *testing.F) {
	f.Fuzz(func(t *testing.T, body []byte) {
		read := func(body []byte, page Page) (*List[BackupConfig], error) {
			return clientOf(func(*http.Request) *http.Response { return answerOf(http.StatusOK, http.Header{}, body) }).ListBackupConfigs(t.Context(), "p", page)
		}
		one, err := read(body, Page{Number: 1})
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || !errors.Is(err, errUndocumented) && !errors.Is(err, ErrOtherObject) || e.Status != http.StatusOK {
				t.Fatalf("got %v", err)
			}
			checkSanitized(t, e)
			return
		}
		written, err := json.Marshal(one)
		if err != nil {
			t.Fatal(err)
		}
		again, err := read(written, Page{Number: 1})
		if err != nil || !reflect.DeepEqual(again, one) {
			t.Errorf("%s is read as %+v, and that again as %+v (%v)", body, one, again, err)
		}
		// The server returns this page for every page number.
		whole, err := read(body, Page{})
		if err != nil {
			// Something says that there are more items, but the page repeats, or there
			// are items without an ID, which cannot be identified.
			distinct := map[string]bool{}
			for _, item := range one.Results {
				distinct[stringValue(item.ClusterID)] = true
			}
			counted := one.TotalCount != nil && *one.TotalCount > int64(len(distinct))
			if !one.hasNext() && !counted && !distinct[""] && len(one.Results) < defaultItemsPerPage {
				t.Fatal(err)
			}
			return
		}
		checkSameItems(t, whole.Results, one.Results)
	})
}

// checkSameItems checks that a list has each item with an ID once, in the order in which
// they were served.
func checkSameItems(t *testing.T, got, served []BackupConfig) {
	t.Helper()
	var want, have []string
	for _, item := range served {
		if k := stringValue(item.ClusterID); k != "" && !slices.Contains(want, k) {
			want = append(want, k)
		}
	}
	for _, item := range got {
		if k := stringValue(item.ClusterID); k != "" {
			have = append(have, k)
		}
	}
	if !slices.Equal(have, want) {
		t.Errorf("listed %q, served %q", have, want)
	}
}

// FuzzListReading reads a list with an item for each byte, which has no ID if the byte is
// 0. The total is correct, missing, too high or 0, and links may be missing. Only a total
// that is too high is an error.
func FuzzListReading(f *testing.F) {
	f.Fuzz(func(t *testing.T, sequentialIDs []byte, most uint8, links bool, total uint8, more uint16) {
		var (
			items []BackupConfig
			known [256]bool
		)
		sequentialIDs = sequentialIDs[:min(len(sequentialIDs), 200)]
		counts := total%3 != 0
		for _, b := range sequentialIDs {
			var item BackupConfig
			if b != 0 {
				item.ClusterID = new(strconv.Itoa(int(b)))
			}
			// A page of items without an ID looks like the same page again, unless the
			// total or a link says that there are more items.
			if !known[b] && (b != 0 || links || counts) {
				items = append(items, item)
			}
			known[b] = b != 0
		}
		var count *int64
		switch {
		case counts:
			count = new(int64(len(items)) + int64(total%3-1)*int64(more))
		case more%2 == 0:
			count = new(int64(0))
		}
		var requests atomic.Int32 // pages are read concurrently
		c := clientOf(func(r *http.Request) *http.Response {
			requests.Add(1)
			number, _ := strconv.Atoi(r.URL.Query().Get("pageNum"))
			size, _ := strconv.Atoi(r.URL.Query().Get("itemsPerPage"))
			size = min(size, int(most%9)+1)
			start := min((number-1)*size, len(items))
			page := List[BackupConfig]{Results: items[start:min(start+size, len(items))], Links: []Link{}, TotalCount: count}
			if page.Results == nil {
				page.Results = []BackupConfig{}
			}
			if links {
				page.Links = append(page.Links, Link{Rel: "self"})
				if start+size < len(items) {
					page.Links = append(page.Links, Link{Rel: "next", Href: "https://elsewhere.example.com/"})
				}
			}
			body, err := json.Marshal(page)
			if err != nil {
				panic(err)
			}
			return answerOf(http.StatusOK, http.Header{}, body)
		})
		got, err := c.ListBackupConfigs(t.Context(), "p", Page{})
		if tooHigh := count != nil && *count > int64(len(items)); tooHigh || err != nil {
			if !tooHigh || !errors.Is(err, ErrIncompleteList) {
				t.Fatalf("%d items, after %d requests: %v", len(items), requests.Load(), err)
			}
			return
		}
		checkSameItems(t, got.Results, items)
		if len(got.Results) != len(items) {
			t.Errorf("listed %d items, served %d", len(got.Results), len(items))
		}
	})
}

func FuzzBaseURL(f *testing.F) {
	f.Fuzz(func(t *testing.T, address string) {
		u, err := ParseBaseURL(address)
		if err != nil {
			text := err.Error()
			if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("not printable: %q", text)
			}
			if _, password, found := strings.Cut(address, "@"); found && password != "" && strings.Contains(text, address) {
				t.Errorf("a possible password is repeated: %q", text)
			}
			return
		}
		if u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
			t.Errorf("%q is parsed as %+v", address, u)
		}
		again, err := ParseBaseURL(u.String())
		if err != nil || *again != *u {
			t.Errorf("%q is parsed as %s, and that as %v (%v)", address, u, again, err)
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, get("groups").url(*u), nil)
		if err != nil || request.URL.Hostname() != u.Hostname() || request.URL.Path != "/api/public/v1.0/groups" {
			t.Errorf("%q is requested as %+v (%v)", address, request, err)
		}
		if u.Scheme == "https" && IsPlainHTTP(u, nil) {
			t.Errorf("%q counts as plain HTTP", address)
		}
	})
}

func FuzzPathSegments(f *testing.F) {
	f.Fuzz(func(t *testing.T, id string) {
		sent := 0
		c := clientOf(func(r *http.Request) *http.Response {
			sent++
			escaped, ok := strings.CutPrefix(r.URL.RequestURI(), apiPath+"/admin/backup/backupDeployments/")
			if decoded, err := url.PathUnescape(escaped); !ok || err != nil || decoded != id || strings.ContainsAny(escaped, "/?#") {
				t.Errorf("%q is requested as %s", id, r.URL.RequestURI())
			}
			return answerOf(http.StatusOK, http.Header{}, []byte(`{"deploymentDescription":"EU"}`))
		})
		_, err := c.DeploymentRegion(t.Context(), id)
		if wanted := !IsInvalidID(id); wanted != (err == nil) || wanted != (sent == 1) {
			t.Errorf("%q: %v after %d requests", id, err, sent)
		}
	})
}

// FuzzChallenge sends arbitrary challenges, which may come from any server.
func FuzzChallenge(f *testing.F) {
	f.Fuzz(func(t *testing.T, challenge string) {
		const key = "the-private-key"
		var answers []string
		transport := newDigestTransport("public", key, 0, answering(func(r *http.Request) *http.Response {
			if answer := r.Header.Get("Authorization"); answer != "" {
				answers = append(answers, answer)
			}
			return answerOf(http.StatusUnauthorized, http.Header{"Www-Authenticate": {challenge}}, nil)
		}))
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://om.example.com/api", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := transport.RoundTrip(request)
		if err == nil {
			err = response.Body.Close()
		}
		if err != nil {
			t.Errorf("%q: %v", challenge, err)
		}
		if len(answers) > maxChallenges {
			t.Errorf("answered %d times", len(answers))
		}
		for _, answer := range answers {
			if !strings.HasPrefix(answer, "Digest ") || strings.Contains(answer, key) && !strings.Contains(challenge, key) ||
				strings.ContainsAny(answer, "\r\n") {
				t.Errorf("%q is answered with %q", challenge, answer)
			}
		}
	})
}

// FuzzSecretsInResponses puts a secret, in any form, anywhere in a response.
func FuzzSecretsInResponses(f *testing.F) {
	forms := slices.Concat(escapes, charsets, encodings)
	for i := range forms {
		f.Add(uint8(i), uint8(i), uint8(0), uint8(i), "a ", " b")
		f.Add(uint8(i), uint8(i), uint8(i), uint8(i+len(places)/2), `C:\`, "")
	}
	f.Fuzz(func(t *testing.T, secret, first, second, at uint8, before, after string) {
		known, p := awkward[int(secret)%len(awkward)], places[int(at)%len(places)]
		form := escapes[int(second)%len(escapes)].apply(forms[int(first)%len(forms)].apply(known))
		checkHidden(t, p.name, known, form, newQuoter(known).shownOf(t, p, before+form+after))
	})
}

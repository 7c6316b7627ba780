package opsmanager

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Error is the one failure of this package: the service refused, answered
// something that its API does not document, or could not be reached.
type Error struct {
	Method string // of the request, such as PATCH
	Path   string // below the base URL, such as /groups/{id}/backupConfigs

	Changes bool // whether the request asks for a change

	Status     int      // of the answer; 0 where there was none
	Document   bool     // the answer was the API's own error document
	Code       string   // its errorCode, such as BACKUP_CONFIG_NOT_FOUND; may be empty
	Detail     string   // its detail, for people; else what another answer said, in short
	Parameters []string // its parameters, which explain the code

	RedirectedTo   string // where an answer pointed instead of answering, without its query
	Unchallenged   bool   // a 401 that asked for no Digest that can be answered, so that it is not about the key pair
	AsksFor        string // what it asked for instead, such as Basic; may be empty
	ServiceVersion string // what the service last said of its version

	Attempts int           // how often it was tried
	Elapsed  time.Duration // how long that took

	Err error // why there was no answer, or why it could not be read
}

func (e *Error) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s: ", e.Method, e.Path)
	switch {
	case e.Err != nil:
		text.WriteString(sanitize(e.Err.Error(), longestText))
	default:
		text.WriteString(strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status))))
		if e.Code != "" {
			fmt.Fprintf(&text, " (%s)", e.Code)
		}
		switch {
		case e.RedirectedTo != "":
			fmt.Fprintf(&text, ": it points to %s", e.RedirectedTo)
		case e.Detail != "":
			fmt.Fprintf(&text, ": %s", e.Detail)
		}
		if e.AsksFor != "" {
			fmt.Fprintf(&text, "; it asks for %s", e.AsksFor)
		}
	}
	if e.Attempts > 1 {
		fmt.Fprintf(&text, " (gave up after %d attempts in %s)", e.Attempts, e.Elapsed.Round(time.Millisecond))
	}
	return text.String()
}

func (e *Error) Unwrap() error { return e.Err }

// IsGone reports whether an error means that the object does not exist. Only the
// API's own error document, which repeats the status and says why, tells so: a proxy's 404 does not, nor does a code that
// speaks of the path or of a malformed id.
func IsGone(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusNotFound && e.Document &&
		e.Code != "RESOURCE_NOT_FOUND" && !strings.HasPrefix(e.Code, "INVALID_")
}

// IsUnsupported reports whether an error means that this service has no such
// operation.
func IsUnsupported(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Status {
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	}
	return e.Status == http.StatusNotFound && e.Code == "RESOURCE_NOT_FOUND"
}

// IsUnclear reports whether it is unknown what came of a failed request: its answer
// is missing or cannot be read, or the service failed half-way.
func IsUnclear(err error) bool {
	var e *Error
	switch {
	case !errors.As(err, &e):
		return false
	case e.Err == nil:
		return e.Status >= http.StatusInternalServerError && e.Status != http.StatusNotImplemented
	}
	var (
		untrusted *tls.CertificateVerificationError
		notTLS    tls.RecordHeaderError
	)
	notSent := errors.Is(err, errInvalidID) || errors.Is(err, errNotSent) || isDialError(err) ||
		errors.As(err, &untrusted) || errors.As(err, &notTLS) || errors.Is(err, http.ErrSchemeMismatch)
	return !notSent
}

// MayHaveChanged reports whether a failed request may have changed something.
func MayHaveChanged(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Changes && IsUnclear(err)
}

// errorFromAnswer reads an answer of any shape: the API's error document, an
// empty body, HTML, text.
func errorFromAnswer(response *http.Response, answer []byte) Error {
	e := Error{Status: response.StatusCode}
	switch {
	case response.StatusCode >= 400:
	case response.StatusCode >= 300:
		if location, err := response.Location(); err == nil {
			e.RedirectedTo = sanitize((&url.URL{Scheme: location.Scheme, Host: location.Host, Path: location.Path}).String(), longestText)
		}
		return e // its body repeats the address, query and all
	default:
		return e
	}
	if response.StatusCode == http.StatusUnauthorized && response.Request.Header.Get("Authorization") == "" {
		e.Unchallenged = true
		_, e.AsksFor = answerableChallenge(response)
	}
	var document struct {
		Detail     string            `json:"detail"`
		Error      any               `json:"error"`
		ErrorCode  string            `json:"errorCode"`
		Parameters []json.RawMessage `json:"parameters"`
		Reason     string            `json:"reason"`
	}
	// A field of another type than documented is passed over, the others count.
	err := json.Unmarshal(answer, &document)
	var otherType *json.UnmarshalTypeError
	isJSON := err == nil || errors.As(err, &otherType)
	repeatsStatus := document.Error == float64(response.StatusCode)
	says := document.ErrorCode != "" || document.Detail != "" || document.Reason != ""
	if !isJSON || !repeatsStatus || !says {
		e.Detail = strings.TrimPrefix(excerpt(response.Header, answer), "; ")
		return e
	}
	e.Document = true
	e.Code = sanitize(document.ErrorCode, longestName)
	e.Detail = sanitize(document.Detail, longestText)
	if e.Detail == "" {
		e.Detail = sanitize(document.Reason, longestText)
	}
	for _, p := range document.Parameters {
		text := string(p)
		_ = json.Unmarshal(p, &text) // what is no string stands as it is written
		e.Parameters = append(e.Parameters, sanitize(text, longestText))
	}
	return e
}

// statusText returns the status of an answer in the words of the standard: the server's
// own may be anything.
func statusText(response *http.Response) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", response.StatusCode, http.StatusText(response.StatusCode)))
}

// describeJSONError says why an answer cannot be read, in words of JSON, not of Go.
func describeJSONError(err error) error {
	var other *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &other):
		return fmt.Errorf("%w: %w", errUndocumented, err)
	case other.Field == "":
		return fmt.Errorf("%w: it is of another type, %s", errUndocumented, other.Value)
	}
	return fmt.Errorf("%w: %s is of another type, %s", errUndocumented, other.Field, other.Value)
}

// How much is shown of what came over the network, in bytes.
const (
	longestText    = 2_000
	longestExcerpt = 200
	longestName    = 100
)

// Some proxies' pages and debugging servers show the request that they refuse.
var sentCredentials = regexp.MustCompile(`(?is)digest\s+username=.*?response=.{0,8}?(?:[0-9a-f]{32,}|…)`)

// Presentable makes a text of an answer fit to stand in a message: one line of
// printable UTF-8, at most 2,000 bytes long.
func Presentable(text string) string { return sanitize(text, longestText) }

// sanitize makes what came over the network fit to be shown: one line of
// printable UTF-8, bounded, without the credentials that a request had.
func sanitize(text string, longest int) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	text = sentCredentials.ReplaceAllLiteralString(text, "Digest …") // after what might have hidden them
	if len(text) <= longest {
		return text
	}
	for !utf8.RuneStart(text[longest]) {
		longest--
	}
	return text[:longest] + "…"
}

var htmlTitle = regexp.MustCompile(`(?i)<title[^>]*>([^<]+)`)

// excerpt says what an undocumented answer was, in a clause to append: enough to
// recognise a proxy's or a login page, and no more.
func excerpt(header http.Header, answer []byte) string {
	text := string(answer[:min(len(answer), maxFailureBytes)])
	if title := htmlTitle.FindStringSubmatch(text); title != nil {
		text = html.UnescapeString(title[1])
	}
	if text = sanitize(text, longestExcerpt); text == "" {
		return ""
	}
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	if kind = sanitize(kind, longestName); kind == "" {
		kind = "no content type"
	}
	return fmt.Sprintf("; it was %s: %q", kind, text)
}

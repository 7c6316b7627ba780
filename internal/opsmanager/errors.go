package opsmanager

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
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

	Status     int      // of the answer; 0 where there was none
	Document   bool     // the answer was the API's own error document
	Code       string   // its errorCode, such as BACKUP_CONFIG_NOT_FOUND; may be empty
	Detail     string   // its detail, for people; else what another answer said, in short
	Parameters []string // its parameters, which explain the code

	RedirectedTo   string // where an answer pointed instead of answering
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
		text.WriteString(e.Err.Error())
	default:
		fmt.Fprintf(&text, "%d %s", e.Status, http.StatusText(e.Status))
		if e.Code != "" {
			fmt.Fprintf(&text, " (%s)", e.Code)
		}
		if e.Detail != "" {
			fmt.Fprintf(&text, ": %s", e.Detail)
		}
	}
	if e.Attempts > 1 {
		fmt.Fprintf(&text, " (gave up after %d attempts in %s)", e.Attempts, e.Elapsed.Round(time.Millisecond))
	}
	return text.String()
}

func (e *Error) Unwrap() error { return e.Err }

// IsGone reports whether an error means that the object does not exist. Only the
// API's own error document says so: a proxy's 404 does not, nor does a code that
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

// errorFromAnswer reads an answer of any shape: the API's error document, an
// empty body, HTML, text.
func errorFromAnswer(response *http.Response, answer []byte) Error {
	e := Error{Status: response.StatusCode}
	if location, err := response.Location(); err == nil && response.StatusCode < 400 {
		location.RawQuery, location.Fragment, location.User = "", "", nil
		e.RedirectedTo = location.String()
	}
	var document struct {
		Detail     string `json:"detail"`
		Error      *int   `json:"error"`
		ErrorCode  string `json:"errorCode"`
		Parameters []any  `json:"parameters"`
		Reason     string `json:"reason"`
	}
	if err := json.Unmarshal(answer, &document); err != nil || document.Error == nil && document.ErrorCode == "" {
		e.Detail = strings.TrimPrefix(excerpt(response.Header, answer), "; ")
		return e
	}
	e.Document = true
	e.Code = document.ErrorCode
	e.Detail = document.Detail
	if e.Detail == "" {
		e.Detail = document.Reason
	}
	for _, p := range document.Parameters {
		e.Parameters = append(e.Parameters, fmt.Sprint(p))
	}
	return e
}

// excerpt says what an undocumented answer was, in a clause to append: enough to
// recognise a proxy's or a login page, and no more.
func excerpt(header http.Header, answer []byte) string {
	const longest = 200
	text := strings.ToValidUTF8(string(answer[:min(len(answer), 8*longest)]), "")
	if start := strings.Index(strings.ToLower(text), "<title>"); start >= 0 {
		text, _, _ = strings.Cut(text[start+len("<title>"):], "<")
	}
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if text == "" {
		return ""
	}
	if len(text) > longest {
		cut := longest
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	if kind == "" {
		kind = "no content type"
	}
	return fmt.Sprintf("; it was %s: %q", kind, text)
}

package opsmanager

import (
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

	Status     int      // of the answer; 0 where there was none
	Document   bool     // the answer was the API's own error document
	Code       string   // its errorCode, such as BACKUP_CONFIG_NOT_FOUND; may be empty
	Detail     string   // its detail, for people; else what another answer said, in short
	Parameters []string // its parameters, which explain the code

	RedirectedTo   string // where an answer pointed instead of answering, without its query
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
		e.RedirectedTo = (&url.URL{Scheme: location.Scheme, Host: location.Host, Path: location.Path}).String()
		return e // its body repeats the address, query and all
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
	_, isStatus := document.Error.(float64)
	if err != nil && !errors.As(err, &otherType) || !isStatus && document.ErrorCode == "" {
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
		text := string(p)
		_ = json.Unmarshal(p, &text) // what is no string stands as it is written
		e.Parameters = append(e.Parameters, text)
	}
	return e
}

var htmlTitle = regexp.MustCompile(`(?i)<title[^>]*>([^<]+)`)

// excerpt says what an undocumented answer was, in a clause to append: enough to
// recognise a proxy's or a login page, and no more.
func excerpt(header http.Header, answer []byte) string {
	const longest = 200
	answer = answer[:min(len(answer), maxFailureBytes)]
	text := strings.ToValidUTF8(string(answer), "")
	if title := htmlTitle.FindStringSubmatch(text); title != nil {
		text = html.UnescapeString(title[1])
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

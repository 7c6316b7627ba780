package opsmanager

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Error is the error of every call. Ops Manager rejected the request, the response is
// not one that the API documents, or there was no response.
type Error struct {
	Method string // HTTP method, such as PATCH
	Path   string // path after the version of the API, such as /groups/{id}/backupConfigs

	Role    Role // the lowest one that may make the request
	Changes bool // whether the request asks for a change

	Status     int      // HTTP status; 0 if there was no response
	Document   bool     // whether the response is the API's error document
	Code       string   // its errorCode, such as BACKUP_CONFIG_NOT_FOUND; may be empty
	Detail     string   // its detail, or the media type of another response
	Parameters []string // those of its parameters that are names or addresses; they are not printed

	RedirectedTo   string // server of a redirect's target, such as https://login.example.com
	Unchallenged   bool   // whether a 401 had no Digest challenge to answer, so the key pair was not used
	AsksFor        string // the challenges of such a 401, such as Basic; may be empty
	Stale          bool   // whether a 401 is about an expired nonce, so it says nothing about the key pair
	ServiceVersion string // version that Ops Manager last reported

	Attempts   int           // number of attempts
	Elapsed    time.Duration // duration of all attempts
	RetryAfter time.Duration // how long a 429 or 503 asks to wait, at most RetryWaitMax

	Err error // why there is no response, or why it cannot be used

	IsOutage bool // whether the call had no connection, or the circuit breaker was open after it

	client         *Client
	documentStatus int   // status in the error document; it differs from Status if that is a success
	sent           bool  // whether the last attempt had a connection
	unclearBefore  bool  // whether an earlier attempt may have taken effect
	mayRepeat      bool  // whether Change may make another attempt
	unread         error // why Change could not read the object for another attempt
	versioned      bool  // whether the response has the version of Ops Manager, which no other server reports
	notJSON        bool  // whether the response is a page or a text in place of JSON
	otherJSON      bool  // whether the response is a JSON object, but not the API's error document
}

// Error returns the request, the response or the cause, and the number of attempts.
func (e *Error) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s: ", e.Method, e.Path)
	switch {
	case e.Err != nil:
		text.WriteString(Sanitize(e.Err.Error()))
	default:
		text.WriteString(statusText(e.Status))
		if e.Code != "" {
			fmt.Fprintf(&text, " (%s)", e.Code)
		}
		switch {
		case e.RedirectedTo != "":
			fmt.Fprintf(&text, ": redirects to %s", e.RedirectedTo)
		case e.Detail != "":
			fmt.Fprintf(&text, ": %s", e.Detail)
		}
		if e.AsksFor != "" {
			fmt.Fprintf(&text, "; the server asks for %s", e.AsksFor)
		}
		if e.Stale {
			text.WriteString("; the server keeps replying that the nonce is stale")
		}
	}
	if e.Attempts > 1 {
		fmt.Fprintf(&text, " (gave up after %d attempts in %s)", e.Attempts, e.Elapsed.Round(time.Millisecond))
	}
	if e.unread != nil {
		fmt.Fprintf(&text, ". It was not sent again, because the read before that failed: %s", e.unread)
	}
	return text.String()
}

func (e *Error) Unwrap() error { return e.Err }

// IsReported is [Client.IsReported] of the client whose call failed.
func (e *Error) IsReported(what string) bool { return e.client.IsReported(what) }

// CodeOf returns the code of an error of the API, or "" if it has none.
func CodeOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// errorFromResponse returns the error for a response in any form: the API's error
// document, an empty body, HTML or text. Its texts do not contain the secrets.
func errorFromResponse(response *http.Response, content []byte, quotes quoting, hidden secrets) Error {
	e := Error{Status: response.StatusCode, versioned: serviceVersion(response.Header) != ""}
	switch {
	case response.StatusCode >= 400:
	case response.StatusCode >= 300:
		if location, err := response.Location(); err == nil {
			e.RedirectedTo = serverOf(location, hidden)
		}
		return e // the body repeats the target with its query
	default:
		return e
	}
	if response.StatusCode == http.StatusUnauthorized {
		offered, others := answerableChallenge(response)
		e.Unchallenged = response.Request.Header.Get("Authorization") == ""
		e.Stale = offered != nil && offered.Stale
		if e.Unchallenged {
			e.AsksFor = others
		}
	}
	document, status := errorDocumentOf(content)
	if status != response.StatusCode {
		e.otherJSON = bytes.HasPrefix(bytes.TrimSpace(content), []byte("{"))
		e.Detail = quotes.page(response.Header, content, hidden)
		return e
	}
	e.setDocument(document, status, quotes, hidden)
	return e
}

// errorDocument is the API's error document.
type errorDocument struct {
	Detail     string            `json:"detail"`
	Error      any               `json:"error"`
	ErrorCode  string            `json:"errorCode"`
	Parameters []json.RawMessage `json:"parameters"`
	Reason     string            `json:"reason"`
}

// errorDocumentOf returns the API's error document and the status in it, or 0 if the response is
// something else.
func errorDocumentOf(content []byte) (document errorDocument, status int) {
	// Fields of the wrong type are ignored.
	err := json.Unmarshal(content, &document)
	var wrongType *json.UnmarshalTypeError
	isJSON := err == nil || errors.As(err, &wrongType)
	number, _ := document.Error.(float64)
	hasMessage := document.ErrorCode != "" || document.Detail != "" || document.Reason != ""
	status = int(number)
	if !isJSON || !hasMessage || !isFailure(status) || number != float64(status) {
		return document, 0
	}
	return document, status
}

func isFailure(status int) bool { return status >= 400 && status < 600 }

// failureIn returns the error document of a successful response and the status in it, or 0 if
// there is none. It may be in an envelope, whose status counts even without a document.
func failureIn(content []byte) (document errorDocument, status int) {
	if len(content) > maxFailureBytes {
		return document, 0 // an error document is short, and decoding a long one as such would take much memory
	}
	var envelope struct {
		Status  int             `json:"status"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(content, &envelope) == nil && isFailure(envelope.Status) && len(envelope.Content) > 0 {
		document, _ = errorDocumentOf(envelope.Content)
		return document, envelope.Status
	}
	return errorDocumentOf(content)
}

// setDocument sets the fields that come from the API's error document.
func (e *Error) setDocument(document errorDocument, status int, quotes quoting, hidden secrets) {
	e.documentStatus = status
	if e.Code = quotes.words(document.ErrorCode, longestLine, hidden); quotes == quoteCodes {
		e.Code = errorCode.FindString(hidden.sanitize(document.ErrorCode, longestLine))
	}
	e.Document = e.Code == secrets(nil).sanitize(document.ErrorCode, longestLine) // else it has no code of the API
	detail := cmp.Or(document.Detail, document.Reason)
	if e.Detail = quotes.words(detail, longestText, hidden); e.Detail == "" && detail != "" {
		e.Detail = "the detail is not shown, because it may quote a secret"
	}
	if quotes == quoteCodes {
		return
	}
	for _, p := range document.Parameters[:min(len(document.Parameters), mostParameters)] {
		var text string
		if json.Unmarshal(p, &text) == nil && text != "" && isWord(text) && hidden.sanitize(text, longestLine) == text {
			e.Parameters = append(e.Parameters, text)
		}
	}
}

// unusable returns the error of a successful response that cannot be used, for the reason err.
func unusable(response *http.Response, content []byte, err error, quotes quoting, hidden secrets) Error {
	if page := quotes.page(response.Header, content, hidden); page != "" {
		err = fmt.Errorf("%w; %s", err, page)
	}
	e := Error{
		Status:  response.StatusCode,
		Err:     err,
		notJSON: isNotJSON(content),
	}
	if document, status := failureIn(content); status != 0 {
		e.setDocument(document, status, quotes, hidden)
		e.Err = fmt.Errorf("%w: %d, with an error document: %s", errUndocumented, response.StatusCode,
			strings.TrimSpace(fmt.Sprintf("%d %s %s", status, e.Code, e.Detail)))
	}
	return e
}

// statusText returns a status with its standard text. The text that the server sent is not
// trusted.
func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

// Maximum lengths of sanitized text, in bytes, and the maximum number of parameters that are kept.
const (
	longestText    = 2_000
	longestLine    = 200
	mostParameters = 20
)

// userInfo matches the credentials in a URL, such as the connection string of a store.
var userInfo = regexp.MustCompile(`://[^\s/"'<>]+@`)

// Sanitize returns a text from a response in a form that is safe to print: one line
// of printable UTF-8, at most 2,000 bytes long, without credentials.
func Sanitize(text string) string { return secrets(nil).sanitize(text, longestText) }

// sanitize is Sanitize with a maximum length, and without the secrets.
func (s secrets) sanitize(text string, longest int) string {
	if len(s) == 0 && len(text) <= longest && isWord(text) {
		return text
	}
	text = s.hide(printable(text[:min(len(text), maxFailureBytes)])) // first, because what follows may cut a secret
	text = userInfo.ReplaceAllLiteralString(text, "://…@")
	if len(text) <= longest {
		return text
	}
	for !utf8.RuneStart(text[longest]) {
		longest--
	}
	return text[:longest] + "…"
}

// isWord reports whether a text has only letters and digits of ASCII, and what times and names have
// between them. Most texts are words, and the patterns of sanitize take a microsecond.
func isWord(text string) bool {
	for _, c := range []byte(text) {
		if (c < '0' || c > ':') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

// printable returns a text as one line of printable UTF-8.
func printable(text string) string {
	words := strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	})
	return strings.Join(words, " ")
}

// quoting is what errors quote of the error documents of a call. Of another response, they quote the
// title of a page at most.
type quoting int

const (
	quoteDocuments quoting = iota
	quoteSentences         // no text with a link, which may be one for downloads
	quoteCodes             // only codes: the rest may quote a document that is full of secrets
)

var errorCode = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$`)

// doubtful matches texts that may be escaped, for JSON, source code, HTML, a URL or an e-mail, and
// echoes of the Authorization header. A backslash before a letter may be part of a path of Windows.
var doubtful = regexp.MustCompile(`(?i)\\([^a-z]|$|[ux][\da-f{]|N\{)|%u?[\da-f]{2}|&(#|\w+;)|(?-i:=3D)|(=[\da-f]{2}){2}|digest\s+username`)

// words returns a text without secrets, or nothing if it may have one that is not recognized. A link has
// at least a slash, which may be escaped.
func (q quoting) words(text string, longest int, hidden secrets) string {
	text = text[:min(len(text), maxFailureBytes)]
	joined := printable(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text))
	text = printable(text)
	isSplit := joined != text && hidden.hide(joined) != joined // a secret, as in UTF-16
	if q == quoteCodes || isSplit || q == quoteSentences && strings.ContainsAny(text, `/\%&#=@+<>`) || doubtful.MatchString(text) {
		return ""
	}
	return hidden.sanitize(text, longest)
}

// serverOf returns the server of a redirect's target, or nothing if the target has a secret.
func serverOf(target *url.URL, hidden secrets) string {
	whole := printable(target.String())
	if !plainHost.MatchString(target.Host) || hidden.hide(whole) != whole {
		return ""
	}
	return target.Scheme + "://" + target.Host
}

var (
	plainHost  = regexp.MustCompile(`^[a-zA-Z0-9.:[\]-]+$`)
	mediaType  = regexp.MustCompile(`^[a-z]+/[a-z.+-]+$`)
	plainTitle = regexp.MustCompile(`(?i)<title[^>]*>(\s*(?:(?:\pL{1,20}|\d{1,4})[\s.,:!|()–—-]+)*(?:\pL{1,20}|\d{1,4})[\s.!)]*)</title`)
)

// page returns a clause about a response that is not a document of the API: its media type, and
// its title if that looks like one of a login page or a proxy's error page.
func (q quoting) page(header http.Header, content []byte, hidden secrets) string {
	if len(bytes.TrimSpace(content)) == 0 {
		return ""
	}
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	if !mediaType.MatchString(kind) || hidden.sanitize(kind, longestLine) != kind {
		kind = "of an unknown type"
	}
	title := plainTitle.FindSubmatch(content[:min(len(content), maxFailureBytes)])
	if title != nil && q != quoteCodes {
		if text := printable(string(title[1])); hidden.sanitize(text, longestLine) == text {
			return fmt.Sprintf("the response was %s: %q", kind, text)
		}
	}
	return "the response was " + kind
}

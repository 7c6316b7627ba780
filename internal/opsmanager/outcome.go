package opsmanager

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"unicode"
)

// outcome is a form of a failed call. If the call was refused, the request changed nothing.
// Otherwise it is unclear whether the request took effect.
type outcome struct {
	form    string // and why it is a refusal or not
	matches func(*Error) bool
	refused bool
}

// outcomes are all forms of failed calls. The first one that matches decides.
var outcomes = []outcome{
	{"no error document after an attempt that may have taken effect: the refusal is about the last attempt only", func(e *Error) bool { return e.unclearBefore && !e.Document }, false},
	{"not sent: there was no connection, or it was not trusted, or the call ended before that", func(e *Error) bool { return e.Status == 0 && !e.sent }, true},
	{"no response, or one that is cut off: Ops Manager may have done it before", func(e *Error) bool { return e.Status == 0 }, false},
	{"an error document with a status below 500", func(e *Error) bool { return e.documentStatus != 0 && e.documentStatus < http.StatusInternalServerError }, true},
	{"an error document with the code of a decision: Ops Manager made it before it did anything", func(e *Error) bool { return e.Document && slices.Contains(decidingCodes, e.Code) }, true},
	{"another error document: Ops Manager failed, perhaps halfway", func(e *Error) bool { return e.Document }, false},
	{"a page or a text: a login page or a proxy that did not pass the request on", func(e *Error) bool { return e.notJSON }, true},
	{"a success that cannot be used: another object's response, or JSON of another form", func(e *Error) bool { return e.Status < http.StatusMultipleChoices }, false},
	{"a redirect or a client error, from Ops Manager or from a proxy", func(e *Error) bool { return e.Status < http.StatusInternalServerError }, true},
	{"a server error that says that the request cannot be served", func(e *Error) bool { return slices.Contains(unservedStatuses, e.Status) }, true},
	{"any other server error: a proxy may have passed the request on", func(*Error) bool { return true }, false},
}

// unservedStatuses are the server errors with which a server or a proxy refuses a request.
var unservedStatuses = []int{
	http.StatusNotImplemented, http.StatusHTTPVersionNotSupported, http.StatusVariantAlsoNegotiates, http.StatusInsufficientStorage,
	http.StatusLoopDetected, http.StatusNotExtended, http.StatusNetworkAuthenticationRequired,
}

// IsUnclear reports whether a failed request may have taken effect, for what is stored and said of it. Whether it is sent
// again, allowsRepeat decides.
func IsUnclear(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return false
	}
	i := slices.IndexFunc(outcomes, func(o outcome) bool { return o.matches(e) })
	return !outcomes[i].refused
}

// MayHaveChanged reports whether a failed request may have made a change.
func MayHaveChanged(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Changes && IsUnclear(err)
}

// decidingCodes are the codes with which Ops Manager refuses a request, and that may have a status
// above 500, or whose status is not documented. Nothing is known about other codes with such a status,
// which may come from a gateway.
var decidingCodes = []string{
	"RESTORE_VALIDATION_FAILED", "SNAPSHOT_BLOCKS_MISSING", "SNAPSHOT_BLOCK_VALIDATION_UNAVAILABLE",
	"CONCURRENT_RESTORES", "CONCURRENT_RESTORES_JOB_IDS", upgrading,
}

// isNotJSON reports whether the body of a response is a text, and neither JSON nor the beginning of it.
// Nothing is known about a body that is not a text, such as one with another encoding.
func isNotJSON(content []byte) bool {
	content = bytes.TrimSpace(bytes.TrimPrefix(content, []byte("\ufeff")))
	isBinary := bytes.ContainsFunc(content, func(r rune) bool { return r < ' ' && !unicode.IsSpace(r) })
	return len(content) > 0 && !isBinary && !json.Valid(content) && content[0] != '{' && content[0] != '['
}

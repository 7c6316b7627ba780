package opsmanager

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
)

// outcome is a form of a failed call. If the call was refused, the request changed nothing.
// Otherwise its outcome is unknown.
type outcome struct {
	form    string // and why it is a refusal or not
	matches func(*Error) bool
	refused bool
}

// outcomes are all forms of failed calls. The first one that matches decides.
var outcomes = []outcome{
	{"no error document after an attempt that may have taken effect: the refusal is about the last attempt only", func(e *Error) bool { return e.unclearBefore && !e.Document }, false},
	{"not sent: there is no connection, or it is not trusted", (*Error).wasNotSent, true},
	{"no response, or one that is cut off: Ops Manager may have done it before", (*Error).lacksResponse, false},
	{"an error document with the code of a decision: Ops Manager made it before it did anything", (*Error).hasDecidingCode, true},
	{"an error document with a status below 500", func(e *Error) bool { return e.documentStatus != 0 && e.documentStatus < http.StatusInternalServerError }, true},
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

// IsUnclear reports whether a failed request may have taken effect.
func IsUnclear(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	i := slices.IndexFunc(outcomes, func(o outcome) bool { return o.matches(e) })
	return !outcomes[i].refused
}

// MayHaveChanged reports whether a failed request may have made a change.
func MayHaveChanged(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Changes && IsUnclear(err)
}

// wasNotSent reports whether a call failed before its request was sent.
func (e *Error) wasNotSent() bool {
	var (
		untrusted *tls.CertificateVerificationError
		notTLS    tls.RecordHeaderError
		refusal   ProxyRefusal
	)
	return e.Err != nil && (errors.Is(e.Err, errInvalidID) || errors.Is(e.Err, errNotSent) || isDialError(e.Err) || errors.As(e.Err, &refusal) ||
		errors.As(e.Err, &untrusted) || errors.As(e.Err, &notTLS) || errors.Is(e.Err, http.ErrSchemeMismatch))
}

func (e *Error) lacksResponse() bool { return e.Status == 0 }

// hasDecidingCode reports whether the response is an error document whose code says why Ops
// Manager refused the request. Some of them have a status above 500, such as
// SNAPSHOT_BLOCK_VALIDATION_UNAVAILABLE. The codes of a gateway say that it got no response from Ops
// Manager.
func (e *Error) hasDecidingCode() bool {
	isGateway := slices.ContainsFunc([]int{e.Status, e.documentStatus}, func(status int) bool {
		return status == http.StatusBadGateway || status == http.StatusGatewayTimeout
	})
	return e.Document && e.Code != "" && e.Code != "UNEXPECTED_ERROR" && !isGateway
}

// isNotJSON reports whether the body of a response is neither JSON nor the beginning of it.
func isNotJSON(content []byte) bool {
	content = bytes.TrimSpace(bytes.TrimPrefix(content, []byte("\ufeff")))
	return len(content) > 0 && !json.Valid(content) && content[0] != '{' && content[0] != '['
}

package opsmanager

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
)

// apiPath is the path of the public API, up to its version.
const apiPath = "/api/public/"

const defaultVersion = "v1.0"

// endpoint is an operation of the API on one resource.
type endpoint struct {
	method     string
	version    string   // of the API; v1.0 if empty
	path       []string // unescaped segments after the version
	directory  string   // of a file system; the segment after path, unless it is empty
	query      url.Values
	effect     effect
	retryCodes []string // error codes of temporary failures that changed nothing, so the call is retried
	secrets    []string // in the request body
	quotes     quoting
}

// effect is the effect of a call on the objects of Ops Manager. Retries depend on it, and
// not on the HTTP method.
type effect int

const (
	notIdempotent effect = iota // the zero value, because it is the safe one
	idempotent                  // repeating the call has no further effect
	readOnly
)

// get returns the endpoint that reads the resource at a path.
func get(path ...string) endpoint {
	return endpoint{method: http.MethodGet, path: path, effect: readOnly}
}

func (e endpoint) apiVersion() string { return cmp.Or(e.version, defaultVersion) }

// urlPath returns the path after the API version, with each segment escaped.
func (e endpoint) urlPath() string {
	var path strings.Builder
	for _, segment := range e.path {
		path.WriteString("/" + url.PathEscape(segment))
	}
	if e.directory != "" {
		path.WriteString("/" + url.PathEscape(e.directory))
	}
	return path.String()
}

// url returns the URL of the endpoint on the server at base.
func (e endpoint) url(base url.URL) string {
	base.RawPath = apiPath + e.apiVersion() + e.urlPath()
	base.Path, _ = url.PathUnescape(base.RawPath)
	base.RawQuery = e.query.Encode()
	return base.String()
}

// failure completes the error of a call.
func (e endpoint) failure(f Error) *Error {
	f.Method, f.Version, f.Path, f.Changes = e.method, e.apiVersion(), e.urlPath(), e.effect != readOnly
	return &f
}

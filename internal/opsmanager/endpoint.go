package opsmanager

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// apiPath is the path of the public API.
const apiPath = "/api/public/v1.0"

// endpoint is an operation of the API on one resource.
type endpoint struct {
	method     string
	path       []string // unescaped segments after the version
	directory  string   // of a file system; the segment after path, unless it is empty
	query      url.Values
	effect     effect
	role       Role
	object     []objectID // IDs that an object in the response must have
	retryCodes []string   // error codes of temporary failures that changed nothing
	secrets    []string   // in the request body
	quotes     quoting
}

// effect is the effect of a call on the objects of Ops Manager. Retries depend on it, and
// not on the HTTP method.
type effect int

const (
	changes effect = iota // an object: only Change repeats it, after a read. The zero value, because it is the safe one
	starts                // or creates something: only Change repeats it, and only if Ops Manager certainly did nothing
	readOnly
)

// Role is a role of an API key.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/user-roles/
type Role string

// The lowest roles that the documentation names for a call.
const (
	ProjectReadOnly        Role = "Project Read Only"
	ProjectBackupAdmin     Role = "Project Backup Admin"
	ProjectAutomationAdmin Role = "Project Automation Admin"
	GlobalBackupAdmin      Role = "Global Backup Admin"
	TimeRangeReader        Role = "Project Backup Admin or Global Read Only"
	SnapshotDeleter        Role = "Project Backup Admin, or Global Backup Admin within the point-in-time window"
)

// get returns the endpoint that reads the resource at a path.
func get(path ...string) endpoint {
	return endpoint{
		method: http.MethodGet,
		path:   path,
		effect: readOnly,
		role:   ProjectReadOnly,
	}
}

// inProject returns the endpoint that reads a resource of a project.
func inProject(projectID string, path ...string) endpoint {
	return get(append([]string{"groups", projectID}, path...)...).about(hexID("groupId", projectID))
}

// administration returns an endpoint for a resource that all projects share.
func administration(method string, effect effect, path ...string) endpoint {
	return endpoint{
		method: method,
		effect: effect,
		role:   GlobalBackupAdmin,
		path:   append([]string{"admin", "backup"}, path...),
	}
}

// changing returns the endpoint that changes the resource.
func (e endpoint) changing(method string, effect effect) endpoint {
	e.method = method
	e.effect = effect
	e.role = ProjectBackupAdmin
	return e
}

// about returns the endpoint with more IDs that an object in the response must have.
func (e endpoint) about(ids ...objectID) endpoint {
	e.object = append(e.object, ids...)
	return e
}

// objectID is an ID in a request.
type objectID struct {
	field         string // name in the API
	value         string
	caseSensitive bool
}

// hexID returns an ID of hexadecimal digits. Their case does not matter.
func hexID(field, value string) objectID { return objectID{field: field, value: value} }

// identified is an object in a response.
type identified interface {
	// ids returns the IDs of the object, in the order of those of its endpoint. One that the response
	// leaves out is empty. The last one identifies the object in a list. An object in another one has none.
	ids() []string
}

// hexDigits matches the IDs that Ops Manager generates.
var hexDigits = regexp.MustCompile(`^[0-9a-fA-F]{24}$`)

// checkObject returns an error if an object has a different ID than the requested one.
func (c *Client) checkObject(e endpoint, o identified) error {
	for i, returned := range o.ids()[:len(e.object)] {
		id := e.object[i]
		if returned == "" || returned == id.value || !id.caseSensitive && strings.EqualFold(returned, id.value) {
			continue
		}
		got := ""
		if hexDigits.MatchString(returned) {
			got = fmt.Sprintf(", got %q", returned)
		}
		return c.failure(e, Error{Status: http.StatusOK, Err: fmt.Errorf("%w: requested %s %q%s", ErrOtherObject, id.field, id.value, got)})
	}
	return nil
}

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
	base.RawPath = apiPath + e.urlPath()
	base.Path, _ = url.PathUnescape(base.RawPath)
	base.RawQuery = e.query.Encode()
	return base.String()
}

// failure completes the error of a call.
func (e endpoint) failure(f Error) *Error {
	f.Method = e.method
	f.Path = e.urlPath()
	f.Role = e.role
	f.Changes = e.effect != readOnly
	return &f
}

// undocumented returns the error of a successful response that is not as documented.
func (e endpoint) undocumented(format string, args ...any) *Error {
	return e.failure(Error{Status: http.StatusOK, Err: fmt.Errorf("%w: %s", errUndocumented, fmt.Sprintf(format, args...))})
}

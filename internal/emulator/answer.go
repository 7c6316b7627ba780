package emulator

import (
	"maps"
	"net"
	"net/http"
	"strconv"
)

// reply is a response.
type reply struct {
	status   int // 0 closes the connection
	header   http.Header
	body     []byte
	truncate int // number of bytes of the body to send; 0 means all
}

var dropped = reply{}

func (a reply) send(w http.ResponseWriter) {
	if a.status == 0 {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), a.header)
	if a.status != http.StatusNoContent && a.status != http.StatusNotModified {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
	if a.truncate > 0 && a.truncate < len(a.body) {
		a.body = a.body[:a.truncate] // net/http then closes the connection
	}
	_, _ = w.Write(a.body) // fails if the client has closed the connection
}

// refusal is an error of the API. The code is empty if none is documented. What finds one while it handles
// a call panics with it, because nearly every step can; [Emulator.handle] recovers.
type refusal struct {
	status     int
	code       string
	detail     string
	parameters []string
	bare       bool // without an error document
}

func refuse(status int, code, detail string, parameters ...string) *refusal {
	return &refusal{
		status:     status,
		code:       code,
		detail:     detail,
		parameters: parameters,
	}
}

// notOnAccessList returns the error for a caller whose address is not on the access list of the key.
// The address is in the parameters only.
func notOnAccessList(r *http.Request) *refusal {
	address, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		address = r.RemoteAddr
	}
	return refuse(http.StatusForbidden, "RESOURCE_REQUIRES_ACCESS_LIST", "This resource requires access through an access list of ip ranges.", address)
}

// errorDocument returns the error document: detail, error, errorCode, parameters and reason.
func (r *refusal) errorDocument() map[string]any {
	document := map[string]any{
		"detail":     r.detail,
		"error":      r.status,
		"parameters": append([]string{}, r.parameters...),
		"reason":     http.StatusText(r.status),
	}
	if r.code != "" {
		document["errorCode"] = r.code
	}
	return document
}

// otherErrorDocument returns the error document of the calls for third-party backups.
func (r *refusal) otherErrorDocument(path string) map[string]any {
	return map[string]any{
		"resource":  path,
		"errorCode": r.code,
		"version":   "1",
		"status":    "ERROR",
	}
}

// notFound returns a 404 of a server that does not use the error document.
func notFound(contentType, text string) reply {
	return reply{
		status: http.StatusNotFound,
		header: http.Header{"Content-Type": {contentType}},
		body:   []byte(text),
	}
}

func invalidParameter(name string) *refusal {
	return refuse(http.StatusBadRequest, "INVALID_QUERY_PARAMETER", "Invalid query parameter "+name+".", name)
}

func missingAttribute(name string) *refusal {
	return refuse(http.StatusBadRequest, "MISSING_ATTRIBUTE", "The required attribute "+name+" was not specified.", name)
}

func invalidAttribute(name string) *refusal {
	return refuse(http.StatusBadRequest, "INVALID_ATTRIBUTE", "Invalid attribute "+name+" specified.", name)
}

func readOnlyAttribute(name string) *refusal {
	return refuse(http.StatusBadRequest, "ATTRIBUTE_READ_ONLY", "The attribute "+name+" is read-only and cannot be changed by the user.", name)
}

func invalidType(name string) *refusal {
	return refuse(http.StatusBadRequest, "INVALID_JSON_ATTRIBUTE", "Received JSON for the attribute "+name+" is of the wrong type.", name)
}

func invalidEnum(name, value string) *refusal {
	detail := "An invalid enumeration value " + value + " was specified for the attribute " + name + "."
	return refuse(http.StatusBadRequest, "INVALID_ENUM_VALUE", detail, value, name)
}

func notAuthorized() *refusal {
	return refuse(http.StatusUnauthorized, "USER_UNAUTHORIZED", "The current user is not authorized to perform this action.")
}

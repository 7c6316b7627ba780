package emulator

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// ServeHTTP handles a request. To close the connection, it panics with
// [http.ErrAbortHandler].
func (e *Emulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 16<<20)) // an automation configuration has all processes of a project
	request := e.record(r, body)

	var answer reply
	if err != nil {
		answer = e.failure(refuse(http.StatusRequestEntityTooLarge, "", "The request body could not be read."))
	} else {
		answer = e.handleRequest(r, body, request)
	}

	// The request is recorded before the response is sent, so a client that has the response finds
	// it in Requests.
	e.mu.Lock()
	request.Status = answer.status
	done := *request
	e.mu.Unlock()
	if e.options.OnRequest != nil {
		defer e.options.OnRequest(done)
	}
	answer.send(w)
}

// handleRequest applies the latency, the faults before authentication, Digest and the
// faults after it to a request, and serves it.
func (e *Emulator) handleRequest(r *http.Request, body []byte, request *Request) reply {
	if wait(r.Context(), e.options.Latency) != nil {
		return dropped
	}
	return e.fault(r, true).apply(r.Context(), func() reply {
		target := e.target(r)
		if !strings.HasPrefix(target.EscapedPath()+"/", BasePath+"/") {
			return notFound("text/html;charset=utf-8", "<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head><body><h1>Page not found</h1></body></html>\n")
		}
		if verdict := e.digest.check(r); verdict != accepted {
			e.mu.Lock()
			request.Challenged = verdict == stale || r.Header.Get("Authorization") == ""
			e.mu.Unlock()
			return e.challenged(r, verdict == stale)
		}
		r.URL = target
		e.mu.Lock()
		request.Authenticated = true
		e.unlisted++
		isListed := e.options.UnlistedCalls >= 0 && e.unlisted > e.options.UnlistedCalls
		e.mu.Unlock()
		if !isListed {
			return e.failure(notOnAccessList(r))
		}
		return e.fault(r, false).apply(r.Context(), func() reply {
			return e.serve(r, body, request)
		})
	})
}

// target returns the URL of a request. If the emulator is lenient, a slash before and after its
// path don't matter: MongoDB's Kubernetes operator sends the second one, and a base URL that
// ends with a slash leads to the first one.
func (e *Emulator) target(r *http.Request) *url.URL {
	if !e.options.Lenient {
		return r.URL
	}
	trimmed := *r.URL
	trimmed.RawPath = "/" + strings.Trim(r.URL.EscapedPath(), "/")
	trimmed.Path, _ = url.PathUnescape(trimmed.RawPath) // the server has parsed it
	return &trimmed
}

func (e *Emulator) serve(r *http.Request, body []byte, record *Request) reply {
	path := strings.TrimPrefix(r.URL.EscapedPath(), BasePath)
	segments := strings.Split(path, "/")
	var allowed []string
	for _, route := range e.routes {
		vars, ok := route.matches(segments)
		if !ok {
			continue
		}
		if route.method == r.Method {
			return e.run(route, &call{
				Request: r,
				version: e.version,
				key:     e.options.keyOf(parseDigest(r.Header.Get("Authorization"))["username"]),
				record:  record,
				vars:    vars,
				body:    body,
			})
		}
		allowed = append(allowed, route.method)
	}
	if e.options.UnknownRoutes != APIDocument {
		return unknownRoute(e.options.UnknownRoutes)
	}
	if allowed == nil {
		return e.failure(refuse(http.StatusNotFound, "RESOURCE_NOT_FOUND", "Cannot find resource "+BasePath+path+".", BasePath+path))
	}
	// No error code is documented for an unknown method.
	answer := e.failure(refuse(http.StatusMethodNotAllowed, "", "The method "+r.Method+" is not allowed for this resource."))
	answer.header.Set("Allow", strings.Join(allowed, ", "))
	return answer
}

// record records a request, unless the options say otherwise.
func (e *Emulator) record(r *http.Request, body []byte) *Request {
	header := r.Header.Clone()
	header.Del("Authorization")
	request := &Request{
		Method: r.Method,
		Path:   strings.TrimPrefix(r.URL.EscapedPath(), BasePath),
		Query:  r.URL.RawQuery,
		Header: header,
		Body:   body,
	}
	if e.options.Unrecorded {
		return request
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests = append(e.requests, request)
	return request
}

// Requests returns all requests since the last reset in order of arrival, including those
// that received a challenge. If [Options.Unrecorded] is set, it returns none.
func (e *Emulator) Requests() []Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	requests := make([]Request, len(e.requests))
	for i, request := range e.requests {
		requests[i] = *request
		requests[i].Header = request.Header.Clone()
		requests[i].Body = slices.Clone(request.Body)
	}
	return requests
}

// ResetRequests clears the requests and the number of challenges.
func (e *Emulator) ResetRequests() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests = nil
	e.challenges = 0
}

// Challenges returns the number of Digest challenges that were sent since the last reset.
func (e *Emulator) Challenges() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.challenges
}

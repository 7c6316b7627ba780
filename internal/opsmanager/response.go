package opsmanager

import (
	"context"
	"errors"
	"net/http"
	"net/url"
)

// ErrReadOnly is the cause of an [*Error] if the transport of [Config].Wrap refused a request, because
// it only lets requests through that read. It is not tried again.
var ErrReadOnly = errors.New("not sent, because only GET requests are allowed")

// Response is a response of Ops Manager as it is. Its body is in UTF-8 and may contain secrets.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	// Failure is the error of any other call that gets this response, or nil if it is a success.
	Failure *Error
}

// Raw sends a request for the path after the API version, and returns the response with its status,
// whatever that is. It is for programs that look at the form of responses. If body is nil, none is sent.
// A GET is retried like all reads, and another request is not. It fails only without a response.
func (c *Client) Raw(ctx context.Context, method string, query url.Values, body any, path ...string) (*Response, error) {
	e := get(path...)
	e.query = query
	if method != http.MethodGet {
		e = e.changing(method, starts)
	}
	got, err := c.exchange(ctx, e, body)
	if err != nil {
		return nil, err
	}
	defer got.close()
	response := &Response{
		Status: got.response.StatusCode,
		Header: got.response.Header,
		Body:   inUTF8(got.response.Header, got.content),
	}
	if !succeeded(got.response) {
		response.Failure = c.refusal(e, got, response.Body)
	}
	return response, nil
}

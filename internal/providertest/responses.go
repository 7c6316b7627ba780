package providertest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"
)

// Handler responds to a request instead of the service. It may call the service.
type Handler = func(http.ResponseWriter, *http.Request, http.Handler)

// Respond responds to each request with a status, a body, and headers as pairs of name and value.
func Respond(status int, page string, header ...string) Handler {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		_, _ = io.Copy(io.Discard, r.Body)
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, page)
	}
}

// Record passes a request to the service, and returns the recorded response.
func Record(r *http.Request, service http.Handler) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	service.ServeHTTP(recorder, r)
	return recorder
}

// Send sends a recorded response with another body.
func Send(w http.ResponseWriter, recorded *httptest.ResponseRecorder, body []byte) {
	maps.Copy(w.Header(), recorded.Header())
	w.WriteHeader(recorded.Code)
	_, _ = w.Write(body)
}

// Rewrite passes requests to the service, and changes each object in its responses.
func Rewrite(change func(r *http.Request, document map[string]any)) Handler {
	return func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		recorded := Record(r, service)
		var document map[string]any
		if recorded.Code >= 300 || json.Unmarshal(recorded.Body.Bytes(), &document) != nil {
			Send(w, recorded, recorded.Body.Bytes())
			return
		}
		change(r, document)
		body, err := json.Marshal(document)
		if err != nil {
			panic(err)
		}
		recorded.Header().Del("Content-Length")
		Send(w, recorded, body)
	}
}

// isWrite reports whether a request changes something. A GET and an empty PATCH do not.
func isWrite(r *http.Request) bool { return r.Method != http.MethodGet && r.ContentLength > 2 }

// onWrites applies a handler to the requests that change something.
func onWrites(happens Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		if isWrite(r) {
			happens(w, r, service)
		} else {
			service.ServeHTTP(w, r)
		}
	}
}

// controlCharacters can hide a message in a terminal, or start another one.
const controlCharacters = "\x1b[2K\u202e\u009b\r\nINJECTED\ttext\u2028"

// AddControlCharacters passes requests to the service, and appends control characters and another
// line to each text of the chosen fields of its responses.
func AddControlCharacters(chosen func(field string) bool) Handler {
	return func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		recorded := Record(r, service)
		body := recorded.Body.Bytes()
		var document any
		if json.Unmarshal(body, &document) == nil && recorded.Code != http.StatusUnauthorized {
			body, _ = json.Marshal(corrupt("", document, chosen))
			recorded.Header().Del("Content-Length")
		}
		Send(w, recorded, body)
	}
}

func corrupt(field string, value any, chosen func(field string) bool) any {
	switch value := value.(type) {
	case string:
		if chosen(field) {
			return value + controlCharacters
		}
	case []any:
		for i := range value {
			value[i] = corrupt(field, value[i], chosen)
		}
	case map[string]any:
		for name := range value {
			value[name] = corrupt(name, value[name], chosen)
		}
	}
	return value
}

func retryInAnHour(w http.ResponseWriter, r *http.Request, service http.Handler) {
	Respond(429, "", "Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))(w, r, service)
}

func redirectToHTTPS(w http.ResponseWriter, r *http.Request, service http.Handler) {
	Respond(301, "", "Location", "https://"+r.Host+r.URL.Path)(w, r, service)
}

// refuse responds as to invalid credentials.
func refuse(w http.ResponseWriter, r *http.Request, service http.Handler) {
	r.Header.Del("Authorization")
	recorded := Record(r, service)
	Send(w, recorded, recorded.Body.Bytes())
}

// stale responds as to an expired nonce.
func stale(w http.ResponseWriter, r *http.Request, service http.Handler) {
	r.Header.Del("Authorization")
	recorded := Record(r, service)
	offered := recorded.Header().Get("WWW-Authenticate")
	recorded.Header().Set("WWW-Authenticate", strings.Replace(offered, "stale=false", "stale=true", 1))
	Send(w, recorded, recorded.Body.Bytes())
}

// drop closes the connection before the service receives the request.
func drop(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

// DropAfter closes the connection after the request took effect.
func DropAfter(_ http.ResponseWriter, r *http.Request, service http.Handler) {
	Record(r, service)
	panic(http.ErrAbortHandler)
}

// EmptyPUT responds to a PUT, which the service receives, with an empty body.
func EmptyPUT(w http.ResponseWriter, r *http.Request, service http.Handler) {
	if r.Method != http.MethodPut {
		service.ServeHTTP(w, r)
		return
	}
	Record(r, service)
}

// Hang never responds. The service does not receive the request.
func Hang(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
	_, _ = io.Copy(io.Discard, r.Body) // only after reading the body does the server notice a client that gives up
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

// RespondTooLate never responds, but the request takes effect.
func RespondTooLate(_ http.ResponseWriter, r *http.Request, service http.Handler) {
	Record(r, service)
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

// cutOff breaks the connection in the middle of a body.
func cutOff(w http.ResponseWriter, r *http.Request, service http.Handler) {
	recorded := Record(r, service)
	whole := recorded.Body.Bytes()
	recorded.Header().Set("Content-Length", strconv.Itoa(len(whole)))
	Send(w, recorded, whole[:len(whole)/2])
}

// cutShort sends half of a body as if it were complete.
func cutShort(w http.ResponseWriter, r *http.Request, service http.Handler) {
	recorded := Record(r, service)
	half := recorded.Body.Bytes()[:recorded.Body.Len()/2]
	recorded.Header().Set("Content-Length", strconv.Itoa(len(half)))
	Send(w, recorded, half)
}

func asText(w http.ResponseWriter, r *http.Request, service http.Handler) {
	recorded := Record(r, service)
	recorded.Header().Set("Content-Type", "text/plain")
	Send(w, recorded, recorded.Body.Bytes())
}

// gigabyte streams a gigabyte while the client reads.
func gigabyte(w http.ResponseWriter, r *http.Request, _ http.Handler) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	chunk := bytes.Repeat([]byte(" "), 1<<20)
	for range 1 << 10 {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

package providertest

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"terraform-provider-opsmanager/internal/emulator"
)

// LostResponses are the ways in which a connection or a stream ends after a request took effect, and before
// its response.
var LostResponses = func() map[string]func(*LostResponse) {
	ways := map[string]func(*LostResponse){
		"HTTP/1, closed": func(l *LostResponse) { _ = l.connection.Close() },
		"HTTP/1, reset": func(l *LostResponse) {
			_ = l.plain.SetLinger(0)
			_ = l.plain.Close()
		},
		"HTTP/1, half a response": func(l *LostResponse) {
			_, _ = io.WriteString(l.connection, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
			_ = l.connection.Close()
		},
		"HTTP/2, closed": func(l *LostResponse) { _ = l.connection.Close() },
		"HTTP/2, reset": func(l *LostResponse) {
			_ = l.plain.SetLinger(0)
			_ = l.plain.Close()
		},
		"HTTP/2, GOAWAY(0)": func(l *LostResponse) { _ = l.framer.WriteGoAway(0, http2.ErrCodeNo, nil) },
	}
	for _, code := range []http2.ErrCode{http2.ErrCodeProtocol, http2.ErrCodeCancel, http2.ErrCodeRefusedStream, http2.ErrCodeInternal} {
		ways["HTTP/2, "+code.String()] = func(l *LostResponse) { _ = l.framer.WriteRSTStream(l.stream, code) }
	}
	return ways
}()

// LostResponse is a request that took effect, and has no response yet.
type LostResponse struct {
	connection net.Conn
	plain      *net.TCPConn
	framer     *http2.Framer // nil over HTTP/1
	stream     uint32
}

// LoseResponses starts a server with TLS in front of a service. It loses the response to each request of a method
// with credentials, in one of the ways of LostResponses. It returns its address.
func LoseResponses(t *testing.T, e *emulator.Emulator, way, method string) (url string) {
	t.Helper()
	loses := func(r *http.Request) bool { return r.Method == method && r.Header.Get("Authorization") != "" }
	protocol, _, _ := strings.Cut(way, ",")
	settings := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*Certificates().Trusted}}
	if protocol == "HTTP/1" {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !loses(r) {
				e.ServeHTTP(w, r)
				return
			}
			Record(r, e)
			connection, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			LostResponses[way](newLostResponse(connection, nil, 0))
		}))
		server.TLS = settings
		server.StartTLS()
		t.Cleanup(server.Close)
		return server.URL
	}
	settings.NextProtos = []string{http2.NextProtoTLS}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", settings)
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	t.Cleanup(running.Wait) // the context of the test ends before
	context.AfterFunc(t.Context(), func() { _ = listener.Close() })
	running.Go(func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			context.AfterFunc(t.Context(), func() { _ = connection.Close() })
			running.Go(func() { serveFrames(connection, e, loses, LostResponses[way]) })
		}
	})
	return "https://" + listener.Addr().String()
}

func newLostResponse(connection net.Conn, framer *http2.Framer, stream uint32) *LostResponse {
	l := &LostResponse{connection: connection, framer: framer, stream: stream}
	if secure, ok := connection.(*tls.Conn); ok {
		l.plain, _ = secure.NetConn().(*net.TCPConn)
	}
	return l
}

// serveFrames serves one connection of HTTP/2, one request after the other.
func serveFrames(connection net.Conn, handler http.Handler, loses func(*http.Request) bool, lose func(*LostResponse)) {
	if _, err := io.CopyN(io.Discard, connection, int64(len(http2.ClientPreface))); err != nil {
		return
	}
	framer := http2.NewFramer(connection, connection)
	framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	_ = framer.WriteSettings()
	requests, bodies := map[uint32]*http.Request{}, map[uint32]*bytes.Buffer{}
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		id := frame.Header().StreamID
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				_ = framer.WriteSettingsAck()
			}
		case *http2.PingFrame:
			_ = framer.WritePing(true, frame.Data)
		case *http2.MetaHeadersFrame:
			bodies[id] = new(bytes.Buffer)
			requests[id] = httptest.NewRequestWithContext(context.Background(), frame.PseudoValue("method"), frame.PseudoValue("path"), bodies[id])
			for _, field := range frame.RegularFields() {
				requests[id].Header.Add(field.Name, field.Value)
			}
		case *http2.DataFrame:
			_, _ = bodies[id].Write(frame.Data())
		}
		if part, isPart := frame.(interface{ StreamEnded() bool }); !isPart || !part.StreamEnded() {
			continue
		}
		r := requests[id]
		r.ContentLength = int64(bodies[id].Len())
		recorded := Record(r, handler)
		if loses(r) {
			time.Sleep(10 * time.Millisecond) // until the client waits for the response
			lose(newLostResponse(connection, framer, id))
			continue
		}
		writeFrames(framer, id, recorded)
	}
}

// writeFrames writes a response.
func writeFrames(framer *http2.Framer, id uint32, recorded *httptest.ResponseRecorder) {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	_ = encoder.WriteField(hpack.HeaderField{Name: ":status", Value: strconv.Itoa(recorded.Code)})
	for name, values := range recorded.Header() {
		for _, value := range values {
			_ = encoder.WriteField(hpack.HeaderField{Name: strings.ToLower(name), Value: value})
		}
	}
	_ = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block.Bytes(), EndHeaders: true})
	for chunk := range slices.Chunk(recorded.Body.Bytes(), 16<<10) {
		_ = framer.WriteData(id, false, chunk)
	}
	_ = framer.WriteData(id, true, nil)
}

package providertest

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"terraform-provider-opsmanager/internal/emulator"
)

// LosingService is a service over TLS that can lose the response to a request that took effect.
type LosingService struct {
	*Service

	conns sync.Map // by address

	mu   sync.Mutex
	path string // suffix of the path of the POST whose response is lost; empty for none
	lose func(*lostResponse)
}

// losingTimeout is longer than any timeout of a test that uses a LosingService.
const losingTimeout = time.Minute

// lostResponse is a response to a request that took effect.
type lostResponse struct {
	writer   http.ResponseWriter
	request  *http.Request
	recorded *httptest.ResponseRecorder
	conn     *countedConn
	stream   uint32 // of HTTP/2
}

// countedConn is a connection whose requests are counted.
type countedConn struct {
	net.Conn
	requests atomic.Uint32
}

// StartLosingService starts a service over TLS, with HTTP/2 or only with HTTP/1.
func StartLosingService(t *testing.T, options emulator.Options, isHTTP2 bool) *LosingService {
	t.Helper()
	s := &LosingService{}
	server := httptest.NewUnstartedServer(s)
	server.EnableHTTP2 = isHTTP2
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*Certificates().Trusted}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // broken connections are expected
	server.Config.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		s.conns.Store(conn.RemoteAddr().String(), &countedConn{Conn: conn})
		return ctx
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	s.Service = &Service{Emulator: emulator.New(options.Fixed()), URL: server.URL}
	return s
}

// Lose loses the response to the next POST whose path has a suffix, in one of the LostResponses.
func (s *LosingService) Lose(way, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.path = path
	s.lose = lostResponses[way]
}

// ServeHTTP passes a request to the service, and may lose the response.
func (s *LosingService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	known, _ := s.conns.Load(r.RemoteAddr)
	conn, _ := known.(*countedConn)
	stream := 2*conn.requests.Add(1) - 1
	s.mu.Lock()
	lose := s.lose
	if s.path == "" || r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, s.path) || r.Header.Get("Authorization") == "" {
		lose = nil
	} else {
		s.path = ""
	}
	s.mu.Unlock()
	if lose == nil {
		s.Emulator.ServeHTTP(w, r)
		return
	}
	recorded := httptest.NewRecorder()
	s.Emulator.ServeHTTP(recorded, r)
	lose(&lostResponse{w, r, recorded, conn, stream})
}

// LostResponses are the ways in which a response is lost, over HTTP/2 or over HTTP/1.
func LostResponses(isHTTP2 bool) (ways []string) {
	for way := range lostResponses {
		if isHTTP2 || !strings.HasPrefix(way, "HTTP/2") {
			ways = append(ways, way)
		}
	}
	slices.Sort(ways)
	return ways
}

// LostResponseSettings are settings with which the provider trusts a LosingService, and gives up a response that is
// lost in a way, and no other, however busy the machine is. It waits ten times as long for a snapshot or a restore.
func LostResponseSettings(way string) Values {
	timeout := "30s"
	if way == noResponse {
		timeout = "500ms"
	}
	return Values{
		"ca_cert_pem":     Certificates().Authority,
		"request_timeout": timeout,
		"max_retries":     3,
	}
}

// noResponse is the only way in which the provider waits until a timeout.
const noResponse = "no response"

var lostResponses = map[string]func(*lostResponse){
	"the connection is reset": func(l *lostResponse) {
		if plain, ok := l.conn.Conn.(*tls.Conn); ok {
			if tcp, ok := plain.NetConn().(*net.TCPConn); ok {
				_ = tcp.SetLinger(0)
			}
			_ = plain.NetConn().Close()
		}
		l.end()
	},
	noResponse: func(l *lostResponse) {
		select {
		case <-l.request.Context().Done():
		case <-time.After(losingTimeout):
		}
		l.end()
	},
	"a body that is cut off": func(l *lostResponse) {
		l.writer.Header().Set("Content-Type", "application/json")
		_, _ = l.writer.Write(l.recorded.Body.Bytes()[:l.recorded.Body.Len()/2])
		_ = http.NewResponseController(l.writer).Flush()
		l.end()
	},
	"500": status(http.StatusInternalServerError),
	"502": status(http.StatusBadGateway),
	"503": status(http.StatusServiceUnavailable),
	"504": status(http.StatusGatewayTimeout),

	"HTTP/2: PROTOCOL_ERROR": reset(http2.ErrCodeProtocol),
	"HTTP/2: CANCEL":         reset(http2.ErrCodeCancel),
	"HTTP/2: REFUSED_STREAM": reset(http2.ErrCodeRefusedStream),
	"HTTP/2: GOAWAY(0)": func(l *lostResponse) {
		l.frame(http2.FrameGoAway, 0, binary.BigEndian.AppendUint64(nil, 0)) // no stream was processed; NO_ERROR
		_ = l.conn.Close()
		l.end()
	},
}

// end ends the request without a response.
func (l *lostResponse) end() { panic(http.ErrAbortHandler) }

func status(code int) func(*lostResponse) {
	return func(l *lostResponse) { http.Error(l.writer, http.StatusText(code), code) }
}

// reset ends the stream with an error.
func reset(code http2.ErrCode) func(*lostResponse) {
	return func(l *lostResponse) {
		l.frame(http2.FrameRSTStream, l.stream, binary.BigEndian.AppendUint32(nil, uint32(code)))
		l.end()
	}
}

// frame sends a frame of HTTP/2, between those of the server.
func (l *lostResponse) frame(kind http2.FrameType, stream uint32, payload []byte) {
	header := []byte{0, 0, byte(len(payload)), byte(kind), 0} // a length of 24 bits, a type, no flags
	_, _ = l.conn.Write(append(binary.BigEndian.AppendUint32(header, stream), payload...))
}

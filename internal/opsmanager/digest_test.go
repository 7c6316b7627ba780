package opsmanager_test

import (
	"cmp"
	"context"
	"crypto/md5"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestEveryChallengeOfOpsManagerIsAnswered(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"qop", "op", "none"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			client, service := emulateWith(t, emulator.Options{Challenge: form})
			for method, call := range call {
				if err := call(t.Context(), client); err != nil && wantError(t, err).Status == http.StatusUnauthorized {
					t.Errorf("%s: %v", method, err)
				}
			}
			_, err := client.ListBackupConfigs(t.Context(), payments, opsmanager.Page{Number: 1, Size: 2}) // the query is part of the digest
			succeed(t, err)
			equal(t, "challenges", service.Challenges(), 1)
		})
	}
}

func TestConcurrentFirstRequestsShareOneChallenge(t *testing.T) {
	t.Parallel()
	client, service := emulateWith(t, emulator.Options{Latency: 20 * time.Millisecond})
	for _, err := range concurrently(10, func(int) error { return ledgerSchedule(t.Context(), client) }) {
		t.Error(err)
	}
	equal(t, "challenges", service.Challenges(), 1)
	equal(t, "requests", len(service.Requests()), 11)
}

// workers makes 200 calls with ten workers, like Terraform.
func workers(t *testing.T, client *opsmanager.Client) {
	t.Helper()
	for _, err := range callMany(t, client, 200) {
		succeed(t, err)
	}
}

func TestWorkersSucceedWhileNoncesExpire(t *testing.T) {
	t.Parallel()
	for uses, least := range map[int]int{5: 40, 1: 200} {
		t.Run(fmt.Sprintf("after %d uses", uses), func(t *testing.T) {
			t.Parallel()
			client, service := emulateWith(t, emulator.Options{NonceUses: uses})
			workers(t, client)
			// Each call is challenged at most once.
			if n := service.Challenges(); n < least || n > 201 {
				t.Errorf("%d challenges for 200 calls", n)
			}
		})
	}
	t.Run("all at the same time", func(t *testing.T) {
		t.Parallel()
		// Expires by the number of requests, because time depends on the machine.
		d := &nonceServer{stale: "true", accepts: func(request, issued, _ int) bool { return request/50 == issued/50 }}
		workers(t, serve(t, d.ServeHTTP))
		if challenges := d.requests - 200; challenges < 4 || challenges > 101 {
			t.Errorf("%d challenges for 200 calls", challenges)
		}
	})
}

// nonceServer is a server with Digest authentication. It answers a request that it does
// not accept with a new nonce. Unlike the emulator, it does not verify digests.
type nonceServer struct {
	// accepts decides on a request by its number, the number of the request that got its
	// nonce, and how often the nonce was used.
	accepts func(request, issued, uses int) bool
	stale   string // the stale parameter of challenges

	mu       sync.Mutex
	requests int
	uses     map[string]int
}

func (d *nonceServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests++
	_, nonce, answered := strings.Cut(r.Header.Get("Authorization"), `nonce="`)
	if nonce, _, _ = strings.Cut(nonce, `"`); answered {
		if d.uses == nil {
			d.uses = map[string]int{}
		}
		d.uses[nonce]++
		issued, _ := strconv.Atoi(strings.TrimPrefix(nonce, "nonce-"))
		if d.accepts(d.requests, issued, d.uses[nonce]) {
			answerOK(w, anyObject)
			return
		}
	}
	w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Digest realm="r", nonce="nonce-%d", algorithm=MD5, qop="auth", stale=%s`, d.requests, d.stale))
	answer(w, http.StatusUnauthorized, "application/json", "{}")
}

func TestExpiredNonceIsReplacedWithoutStale(t *testing.T) {
	t.Parallel()
	d := &nonceServer{stale: "false", accepts: func(_, _, uses int) bool { return uses <= 2 }}
	client := serve(t, d.ServeHTTP)
	for range 10 {
		succeed(t, ledgerSchedule(t.Context(), client))
	}
	// One request for the first challenge, ten calls, and four requests with a nonce that
	// was used twice already.
	equal(t, "requests", d.requests, 1+10+4)
}

func TestRejectionForMissingRightsDoesNotAffectLaterCalls(t *testing.T) {
	t.Parallel()
	refuse := false
	d := &nonceServer{stale: "false", accepts: func(_, _, uses int) bool { return !refuse && uses == 1 }}
	client := serve(t, d.ServeHTTP)
	succeed(t, ledgerSchedule(t.Context(), client))
	refuse = true
	err := ledgerSchedule(t.Context(), client)
	equal(t, "status", wantError(t, err).Status, http.StatusUnauthorized)
	equal(t, "requests", d.requests, 4) // two per call, because a rejected nonce may have expired
	refuse = false
	succeed(t, ledgerSchedule(t.Context(), client))
}

func TestEndlessStaleNoncesAreAnError(t *testing.T) {
	t.Parallel()
	d := &nonceServer{stale: "true", accepts: func(int, int, int) bool { return false }}
	client := serve(t, d.ServeHTTP)
	err := ledgerSchedule(t.Context(), client)
	equal(t, "status", wantError(t, err).Status, http.StatusUnauthorized)
	equal(t, "requests", d.requests, 6)
	equal(t, "stale", wantError(t, err).Stale, true)
	fails(t, "text", err, "; the server keeps replying that the nonce is stale")

	d = &nonceServer{stale: "true", accepts: func(request, _, _ int) bool { return request >= 5 }}
	succeed(t, ledgerSchedule(t.Context(), serve(t, d.ServeHTTP)))
}

func TestWrongKeyIsNotRetried(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"qop", "op"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			client, service := emulateWith(t, emulator.Options{Challenge: form}, func(c *opsmanager.Config) { c.PrivateKey = "wrong" })
			for call, want := range []int{2, 1, 1} {
				service.ResetRequests()
				err := ledgerSchedule(t.Context(), client)
				equal(t, "status", wantError(t, err).Status, http.StatusUnauthorized)
				equal(t, "unchallenged", wantError(t, err).Unchallenged, false)
				equal(t, fmt.Sprintf("requests of call %d", call+1), len(service.Requests()), want)
			}
		})
	}
}

func TestUnanswerableChallengesAreNamedInTheError(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		challenges []string
		asksFor    string
	}{
		"none":                  {nil, ""},
		"empty":                 {[]string{" , "}, ""},
		"Basic":                 {[]string{`Basic realm="r"`}, "Basic"},
		"several other schemes": {[]string{"Negotiate YIIB==, NTLM", `Basic realm="Digest nonce=x"`}, "Basic, Negotiate, NTLM"},
		"another algorithm":     {[]string{`Digest realm="r", nonce="n", algorithm=MD5-sess, qop="auth"`}, "an unsupported form of Digest"},
		"another qop":           {[]string{`Digest realm="r", nonce="n", qop="auth-conf"`}, "an unsupported form of Digest"},
		"no nonce":              {[]string{`Digest realm="r"`}, "an unsupported form of Digest"},
		"unterminated string":   {[]string{`Digest realm="r`}, "an unsupported form of Digest"},
		"no scheme":             {[]string{`realm="r", nonce="n"`}, ""},
		"an unknown scheme":     {[]string{"s3cr3t realm=x, Bearer"}, "Bearer"},
		"duplicate":             {[]string{"Basic, Basic"}, "Basic"},
		"escape sequences":      {[]string{"Digest nonce=n, algorithm=\"\x9b2Jx\""}, "an unsupported form of Digest"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requests := 0
			client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				requests++
				w.Header()["Www-Authenticate"] = test.challenges
				answer(w, http.StatusUnauthorized, "application/json", `{"error":401,"errorCode":"NOT_IN_GROUP","detail":"no"}`)
			})
			err := ledgerSchedule(t.Context(), client)
			equal(t, "status", wantError(t, err).Status, http.StatusUnauthorized)
			equal(t, "code", wantError(t, err).Code, "NOT_IN_GROUP")
			equal(t, "unchallenged", wantError(t, err).Unchallenged, true)
			equal(t, "asks for", wantError(t, err).AsksFor, test.asksFor)
			if test.asksFor != "" {
				fails(t, "text", err, "the server asks for "+test.asksFor)
			}
			equal(t, "requests", requests, 1)
		})
	}
}

// curl answers all of these too.
func TestEveryValidFormOfADigestChallengeIsAnswered(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		challenges []string
		realm      string // defaults to r
		qop        bool
	}{
		"plain":                       {challenges: []string{`Digest realm="r", nonce="n", qop="auth"`}, qop: true},
		"RFC 2069":                    {challenges: []string{`Digest realm="r", nonce="n"`}},
		"Basic before it":             {challenges: []string{`Basic realm="b, Digest nonce=x", Digest realm="r", nonce="n", qop="auth"`}, qop: true},
		"Basic after it":              {challenges: []string{`Digest realm="r", nonce="n", qop="auth", Basic realm="b"`}, qop: true},
		"a bare scheme before it":     {challenges: []string{`Negotiate, Digest realm="r", nonce="n", qop="auth"`}, qop: true},
		"a token before it":           {challenges: []string{`Negotiate YII/B+==, Digest realm="r", nonce="n", qop="auth"`}, qop: true},
		"another field before it":     {challenges: []string{"Negotiate", `Digest realm="r", nonce="n", qop="auth"`}, qop: true},
		"an unknown algorithm before": {challenges: []string{`Digest realm="r", nonce="x", algorithm=SHA3, Digest realm="r", nonce="n"`}},
		"the scheme in capitals":      {challenges: []string{`DIGEST realm="r", nonce="n", qop="auth"`}, qop: true},
		"names in capitals":           {challenges: []string{`digest REALM="r", Nonce="n", QOP="auth"`}, qop: true},
		"qop in capitals":             {challenges: []string{`Digest realm="r", nonce="n", qop="AUTH"`}, qop: true},
		"qop without quotes":          {challenges: []string{`Digest realm="r", nonce="n", qop=auth`}, qop: true},
		"several qops":                {challenges: []string{`Digest realm="r", nonce="n", qop=" auth-int ,auth "`}, qop: true},
		"empty qop":                   {challenges: []string{`Digest realm="r", nonce="n", qop=""`}},
		"algorithm in quotes":         {challenges: []string{`Digest realm="r", nonce="n", algorithm="md5"`}},
		"tabs":                        {challenges: []string{"Digest\trealm=\"r\",\tnonce=\"n\"\t,\tqop=\"auth\""}, qop: true},
		"blanks around equals signs":  {challenges: []string{`Digest realm = "r", nonce= n, qop ="auth"`}, qop: true},
		"no blanks":                   {challenges: []string{`Digest realm="r",nonce="n",qop="auth"`}, qop: true},
		"commas at the end":           {challenges: []string{`Digest realm="r", nonce="n", qop="auth", ,`}, qop: true},
		"commas at the start":         {challenges: []string{`,, Digest realm="r",, nonce="n"`}},
		"unknown parameters":          {challenges: []string{`Digest realm="r", x_y="1", domain=/api, nonce="n", x.y!=z`}},
		"escapes":                     {challenges: []string{`Digest realm="a \"b\" \\ \c", nonce="n", qop="auth"`}, realm: `a "b" \ c`, qop: true},
		"a realm in Latin-1":          {challenges: []string{"Digest realm=\"caf\xe9\", nonce=\"n\", qop=\"auth\""}, realm: "caf\xe9", qop: true},
		"a realm in UTF-8":            {challenges: []string{`Digest realm="café", nonce="n", qop="auth", charset=UTF-8`}, realm: "café", qop: true},
		"an empty realm":              {challenges: []string{`Digest realm="", nonce="n", qop="auth"`}, realm: "none", qop: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			realm := cmp.Or(test.realm, "r")
			if realm == "none" {
				realm = ""
			}
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				given := sentDigest(r)
				if given == nil {
					w.Header()["Www-Authenticate"] = test.challenges
					answer(w, http.StatusUnauthorized, "application/json", "{}")
					return
				}
				equal(t, "realm", given["realm"], realm)
				equal(t, "nonce", given["nonce"], "n")
				equal(t, "with a qop", given["qop"] == "auth", test.qop)
				ha1, ha2 := md5Hex("user:"+realm+":"+"key"), md5Hex(r.Method+":"+r.URL.RequestURI())
				want := md5Hex(ha1 + ":n:" + ha2)
				if test.qop {
					want = md5Hex(strings.Join([]string{ha1, "n", given["nc"], given["cnonce"], "auth", ha2}, ":"))
				}
				equal(t, "response", given["response"], want)
				answerOK(w, anyObject)
			}, func(c *opsmanager.Config) { c.PublicKey, c.PrivateKey = "user", "key" })
			succeed(t, ledgerSchedule(t.Context(), client))
		})
	}
}

var (
	digestParameter = regexp.MustCompile(`(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^",]*))`)
	quotedPair      = regexp.MustCompile(`\\(.)`)
)

// sentDigest returns the Digest parameters of a request, or nil if it has none.
func sentDigest(r *http.Request) map[string]string {
	sent, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Digest ")
	if !ok {
		return nil
	}
	parameters := map[string]string{}
	for _, p := range digestParameter.FindAllStringSubmatch(sent, -1) {
		parameters[p[1]] = p[3] + quotedPair.ReplaceAllString(p[2], "$1")
	}
	return parameters
}

func md5Hex(text string) string { return fmt.Sprintf("%x", md5.Sum([]byte(text))) }

// perClientServer keeps one nonce per client, like Apache's mod_auth_digest. It identifies
// clients by the parameter opaque.
type perClientServer struct {
	once    bool // a nonce is valid for one request, and the response has the next one
	inOrder bool // the counts of a nonce must be in order

	mu         sync.Mutex
	clients    map[string]*perClientNonce
	challenges int
}

type perClientNonce struct {
	nonce string
	count int
}

func (s *perClientServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.accepts(w, r) {
		answerOK(w, anyObject)
	}
}

// accepts reports whether a request is accepted, or else sends a challenge.
func (s *perClientServer) accepts(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	given := sentDigest(r)
	client := s.clients[given["opaque"]]
	if client != nil {
		client.count++
	}
	stale := client != nil && given["nonce"] != client.nonce
	if client != nil && !stale && (!s.inOrder || given["nc"] == fmt.Sprintf("%08x", client.count)) {
		if s.once {
			client.nonce, client.count = rand.Text(), 0
		}
		return true
	}
	opaque := given["opaque"]
	if client == nil {
		opaque, client = rand.Text(), &perClientNonce{}
		s.clients[opaque] = client
	}
	client.nonce, client.count = rand.Text(), 0
	s.challenges++
	w.Header().Set(
		"WWW-Authenticate",
		fmt.Sprintf(`Digest realm="r", nonce="%s", opaque="%s", algorithm=MD5, qop="auth", stale=%t`, client.nonce, opaque, stale),
	)
	answer(w, http.StatusUnauthorized, "application/json", "{}")
	return false
}

func TestRequestsTakeTurnsIfTheServerKeepsOneNoncePerClient(t *testing.T) {
	t.Parallel()
	const workers, calls = 20, 20
	for name, service := range map[string]*perClientServer{
		"nonces for one request": {once: true},
		"counts in order":        {inOrder: true},
		"both":                   {once: true, inOrder: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service.clients = map[string]*perClientNonce{}
			client := serve(t, service.ServeHTTP)
			for _, err := range concurrently(workers, func(int) error {
				for range calls {
					if err := ledgerSchedule(t.Context(), client); err != nil {
						return err
					}
				}
				return nil
			}) {
				t.Error(err)
			}
			// A worker may be challenged several times before requests take turns, in each call that it has begun, and once
			// afterwards, or once for each request.
			most := workers * (2*maxChallenges + 1)
			if service.once {
				most += workers * calls
			}
			if service.challenges > most {
				t.Errorf("%d challenges for %d calls", service.challenges, workers*calls)
			}
		})
	}
}

// maxChallenges is the same as in the client.
const maxChallenges = 5

// meeting returns a function that returns once so many goroutines have called it.
func meeting(t *testing.T, number int32) func() {
	t.Helper()
	var arrived atomic.Int32
	all := make(chan struct{})
	return func() {
		if arrived.Add(1) == number {
			close(all)
		}
		select {
		case <-all:
		case <-time.After(10 * time.Second):
			t.Error("the calls are not concurrent")
		}
	}
}

func TestMissingRightsDoNotMakeRequestsTakeTurns(t *testing.T) {
	t.Parallel()
	const calls = 5
	meet := meeting(t, calls)
	client := rejecting(t, func(r *http.Request) bool { return r.Method == http.MethodDelete }, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch {
			meet()
		}
		answerOK(w, anyObject)
	})
	succeed(t, ledgerSchedule(t.Context(), client))
	for _, err := range concurrently(calls, func(int) error { return client.DeleteDeploymentRegion(t.Context(), "NY_NJ") }) {
		equal(t, "status", wantError(t, err).Status, http.StatusUnauthorized)
	}
	for _, err := range concurrently(calls, func(int) error { return changeSchedule(t.Context(), client) }) {
		t.Error(err)
	}
}

func TestRequestsAreConcurrentWithoutAuthentication(t *testing.T) {
	t.Parallel()
	const calls = 5
	meet := meeting(t, calls)
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		equal(t, "credentials", r.Header.Get("Authorization"), "")
		if r.Method == http.MethodDelete {
			meet()
		}
		answerOK(w, anyObject)
	})
	succeed(t, ledgerSchedule(t.Context(), client))
	for _, err := range concurrently(calls, func(int) error { return client.DeleteDeploymentRegion(t.Context(), "NY_NJ") }) {
		t.Error(err)
	}
}

func TestServerCanStartToRequireAuthentication(t *testing.T) {
	t.Parallel()
	open := true
	d := &nonceServer{stale: "false", accepts: func(int, int, int) bool { return true }}
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if open {
			answerOK(w, anyObject)
			return
		}
		d.ServeHTTP(w, r)
	})
	succeed(t, ledgerSchedule(t.Context(), client))
	open = false
	for range 3 {
		succeed(t, ledgerSchedule(t.Context(), client))
	}
	equal(t, "requests", d.requests, 4)
}

func TestBodyIsSentAgainAfterAChallenge(t *testing.T) {
	t.Parallel()
	client, service := emulateWith(t, emulator.Options{NonceUses: 1})
	for _, days := range []int64{3, 4, 5} {
		_, err := client.UpdateSnapshotSchedule(t.Context(), payments, ledger, opsmanager.SnapshotSchedule{SnapshotRetentionDays: &days})
		succeed(t, err)
	}
	bodies := []string{}
	for _, r := range service.Requests() {
		bodies = append(bodies, string(r.Body))
	}
	three, four, five := `{"snapshotRetentionDays":3}`, `{"snapshotRetentionDays":4}`, `{"snapshotRetentionDays":5}`
	equal(t, "bodies", strings.Join(bodies, " "), strings.Join([]string{three, three, four, four, five, five}, " "))
}

func TestWaitForTheFirstChallengeEndsWithTheContext(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	client := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived) // panics if there is a second request
		hang(r)
	})
	firstContext, cancelFirst := context.WithCancel(t.Context())
	defer cancelFirst()
	first := make(chan error, 1)
	go func() { first <- ledgerSchedule(firstContext, client) }()
	<-arrived

	secondContext, cancelSecond := context.WithCancel(t.Context())
	second := make(chan error, 1)
	go func() { second <- ledgerSchedule(secondContext, client) }()
	cancelSecond()
	select {
	case err := <-second:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the call did not end with its context")
	}
	cancelFirst()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestFailedFirstRequestLetsTheNextOneObtainTheChallenge(t *testing.T) {
	t.Parallel()
	client, service := emulate(t, retries(0))
	service.Inject(emulator.Fault{BeforeAuth: true, DropBefore: true})
	service.Inject(emulator.Fault{BeforeAuth: true, Status: http.StatusBadGateway})
	for range 2 {
		if err := ledgerSchedule(t.Context(), client); err == nil {
			t.Fatal("the fault was not injected")
		}
	}
	for _, err := range concurrently(5, func(int) error { return ledgerSchedule(t.Context(), client) }) {
		t.Error(err)
	}
	equal(t, "challenges", service.Challenges(), 1)
}

func TestRequestThatIsSentTwiceIsNotRejected(t *testing.T) {
	t.Parallel()
	client, service := emulate(t)
	service.Inject(emulator.Fault{DropBefore: true}) // the client sends a GET again at once
	succeed(t, ledgerSchedule(t.Context(), client))
	service.Inject(emulator.Fault{DropBefore: true, Times: 2})
	succeed(t, ledgerSchedule(t.Context(), client))
}

// The server has accepted the answer to the challenge, so it rejects a second one, and the key is right.
func TestRequestIsNotRejectedForAnAnswerThatWasLost(t *testing.T) {
	t.Parallel()
	d := &nonceServer{stale: "false", accepts: func(_, _, uses int) bool { return uses == 1 }}
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if d.requests == 1 {
			d.ServeHTTP(httptest.NewRecorder(), r)
			drop(r)
		}
		d.ServeHTTP(w, r)
	}, retries(0))
	succeed(t, ledgerSchedule(t.Context(), client))
	equal(t, "requests", d.requests, 4)
}

func TestConnectionIsReusedAfterChallenges(t *testing.T) {
	t.Parallel()
	connections := map[string]bool{}
	requests := 0
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		connections[r.RemoteAddr] = true
		_, _ = io.Copy(io.Discard, r.Body)
		if requests++; requests%2 == 1 {
			w.Header().Set("WWW-Authenticate", `Digest realm="r", nonce="n", qop="auth", stale=true`)
			answer(w, http.StatusUnauthorized, "text/html", strings.Repeat("please ", 1000))
			return
		}
		answerOK(w, anyObject)
	})
	for range 3 {
		succeed(t, ledgerSchedule(t.Context(), client))
	}
	equal(t, "requests", requests, 6)
	equal(t, "connections", len(connections), 1)
}

// There are as many workers as Terraform can reasonably have. After the challenge, the
// server responds when all of them have sent a request, so each has its own connection.
func TestConnectionsOfManyWorkersAreReused(t *testing.T) {
	t.Parallel()
	const workers = 50
	var mu sync.Mutex
	connections := map[string]bool{}
	waiting, expected, all := 0, 1, make(chan struct{})
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		connections[r.RemoteAddr] = true
		turn := all
		if waiting++; waiting == expected {
			waiting, expected, all = 0, workers, make(chan struct{})
			close(turn)
		}
		mu.Unlock()
		select {
		case <-turn:
			answerOK(w, anyObject)
		case <-r.Context().Done():
		}
	})
	succeed(t, ledgerSchedule(t.Context(), client))
	for range 3 {
		for _, err := range concurrently(workers, func(int) error { return ledgerSchedule(t.Context(), client) }) {
			t.Error(err)
		}
	}
	equal(t, "connections", len(connections), workers)
}

func TestOnlyTheFirstChallengesAreRead(t *testing.T) {
	t.Parallel()
	var challenges strings.Builder
	for i := range 15 {
		fmt.Fprintf(&challenges, "scheme%d, ", i)
	}
	challenges.WriteString("Basic" + strings.Repeat(", NTLM", 10_000))
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", challenges.String())
		w.WriteHeader(http.StatusUnauthorized)
	})
	equal(t, "asks for", wantError(t, ledgerSchedule(t.Context(), client)).AsksFor, "Basic")
}

// rejecting starts a service behind Digest, and returns a client for it. It rejects some requests
// with a new challenge.
func rejecting(t *testing.T, rejects func(r *http.Request) bool, serves http.HandlerFunc, changes ...change) *opsmanager.Client {
	t.Helper()
	return serve(t, behindDigest(rejects, serves), changes...)
}

func behindDigest(rejects func(r *http.Request) bool, serves http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if sentDigest(r) == nil || rejects(r) {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Digest realm="r", nonce="%s", qop="auth"`, rand.Text()))
			answer(w, http.StatusUnauthorized, "application/json", "{}")
			return
		}
		serves(w, r)
	}
}

func TestHangingRequestDoesNotFailOthersAfterARejection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		isRejected := func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/REJECTED") }
		client := newClient(t, "http://127.0.0.1:9", withoutNetwork(behindDigest(isRejected, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/HANGS") {
				hang(r)
				return
			}
			time.Sleep(10 * time.Millisecond)
			answerOK(w, anyObject)
		})), retries(0), func(c *opsmanager.Config) { c.Timeout = 500 * time.Millisecond })
		succeed(t, ledgerSchedule(t.Context(), client))
		hanging := make(chan error, 1)
		go func() {
			_, err := client.DeploymentRegion(t.Context(), "HANGS")
			hanging <- err
		}()
		time.Sleep(50 * time.Millisecond)
		failures := concurrently(20, func(i int) error {
			if i == 0 {
				_, err := client.DeploymentRegion(t.Context(), "REJECTED")
				return err
			}
			return ledgerSchedule(t.Context(), client)
		})
		if len(failures) != 1 || wantError(t, failures[0]).Status != http.StatusUnauthorized {
			t.Errorf("got %v", failures)
		}
		if err := <-hanging; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func TestOneCoincidenceDoesNotMakeRequestsTakeTurns(t *testing.T) {
	t.Parallel()
	const calls = 5
	var rejected atomic.Int32
	meet := meeting(t, calls)
	client := rejecting(t, func(r *http.Request) bool {
		return strings.HasSuffix(r.URL.Path, "/FLAKY") && rejected.Add(1) <= 2
	}, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/TOGETHER") {
			meet()
		}
		time.Sleep(20 * time.Millisecond)
		answerOK(w, anyObject)
	})
	succeed(t, ledgerSchedule(t.Context(), client))
	region := func(id string) error { _, err := client.DeploymentRegion(t.Context(), id); return err }
	for _, err := range concurrently(10, func(i int) error {
		if i == 0 {
			return region("FLAKY")
		}
		return ledgerSchedule(t.Context(), client)
	}) {
		t.Error(err)
	}
	for _, err := range concurrently(calls, func(int) error { return region("TOGETHER") }) {
		t.Error(err)
	}
}

func TestChangeThatWaitsForItsTurnIsNotSentAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	service := &perClientServer{inOrder: true, clients: map[string]*perClientNonce{}}
	ctx, interrupt := context.WithCancel(t.Context())
	var before, after atomic.Int32
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			if ctx.Err() != nil {
				after.Add(1)
			} else if before.Add(1) == 30 {
				interrupt()
			}
			time.Sleep(5 * time.Millisecond)
		}
		service.ServeHTTP(w, r)
	})
	for range 5 { // until requests take turns
		for _, err := range concurrently(20, func(int) error { return ledgerSchedule(t.Context(), client) }) {
			t.Error(err)
		}
	}
	failures := concurrently(60, func(int) error { return client.DeleteDeploymentRegion(ctx, "NY_NJ") })
	if len(failures) == 0 || after.Load() > 2 {
		t.Errorf("%d failures, %d changes were sent after the interrupt", len(failures), after.Load())
	}
}

// If net/http repeated a GET, the server would reject the copy, whose answer it has seen, and the 401
// would not tell why there is no response.
func TestClosedConnectionIsNotA401(t *testing.T) {
	t.Parallel()
	client, service := emulate(t, retries(0))
	succeed(t, ledgerSchedule(t.Context(), client))
	service.Inject(emulator.Fault{Times: -1, DropBefore: true})
	for range 20 {
		if err := wantError(t, ledgerSchedule(t.Context(), client)); err.Status != 0 {
			t.Fatal(err)
		}
	}
}

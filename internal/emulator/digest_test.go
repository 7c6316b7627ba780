package emulator_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

const anyPath = "/admin/backup/backupDeployments"

// challenged sends a request without credentials.
func (c *client) challenged() http.Header {
	c.t.Helper()
	got, err := c.send(http.MethodGet, anyPath, "", "")
	if err != nil || got.status != http.StatusUnauthorized {
		c.t.Fatalf("got %d, %v, want a challenge", got.status, err)
	}
	return got.header
}

// try sends a request with an Authorization header. It returns the status, and the stale
// parameter of a challenge.
func (c *client) try(authorization string) (status int, stale string) {
	c.t.Helper()
	got, err := c.send(http.MethodGet, anyPath, "", authorization)
	if err != nil {
		c.t.Fatal(err)
	}
	_, stale, _ = strings.Cut(got.header.Get("WWW-Authenticate"), "stale=")
	return got.status, stale
}

func TestChallengeIsAsDocumented(t *testing.T) {
	t.Parallel()
	for challenge, protection := range map[string]string{"": `qop="auth", `, "qop": `qop="auth", `, "op": `op="auth", `, "none": ``} {
		t.Run(challenge, func(t *testing.T) {
			t.Parallel()
			c := start(t, emulator.Options{Challenge: challenge})
			got, err := c.send(http.MethodGet, anyPath, "", "")
			if err != nil {
				t.Fatal(err)
			}
			if got.status != http.StatusUnauthorized || got.body != "" {
				t.Errorf("got %d %q, want 401 without a body", got.status, got.body)
			}
			equal(t, got.header.Get("Content-Type"), "application/json;charset=ISO-8859-1")
			want := `^Digest realm="MMS Public API", domain="", nonce="[0-9A-Za-z]{20,}", algorithm=MD5, ` + protection + `stale=false$`
			if value := got.header.Get("WWW-Authenticate"); !regexp.MustCompile(want).MatchString(value) {
				t.Errorf("WWW-Authenticate %q, want %s", value, want)
			}
			recorder := httptest.NewRecorder() // the client's transport removes the header
			c.service.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/api/public/v1.0"+anyPath, nil))
			if recorder.Code != http.StatusUnauthorized || recorder.Header().Get("Connection") != "keep-alive" {
				t.Errorf("status %d, Connection %q", recorder.Code, recorder.Header().Get("Connection"))
			}
			if got.header.Get("Date") == "" || got.header.Get("Content-Length") == "" {
				t.Errorf("no Date or Content-Length in %v", got.header)
			}
			if again := c.challenged(); again.Get("WWW-Authenticate") == got.header.Get("WWW-Authenticate") {
				t.Error("the nonce is the same for two challenges")
			}
			// Credentials in the form of the challenge are accepted.
			c.get(anyPath).ok(t)
		})
	}
}

func TestWrongCredentialsReturnTheObservedDocument(t *testing.T) {
	t.Parallel()
	c := start(t)
	header := c.challenged()
	c.key = "guess"
	got, err := c.send(http.MethodGet, anyPath, "", c.authorize(http.MethodGet, emulator.BasePath+anyPath, header, 1))
	if err != nil {
		t.Fatal(err)
	}
	got.refused(t, http.StatusUnauthorized, "")
	if got.header.Get("Content-Length") != "106" || got.document["detail"] != "You are not authorized for this resource." {
		t.Errorf("got %s with the length %s", got.body, got.header.Get("Content-Length"))
	}
	requests := c.service.Requests()
	if first, last := requests[0], requests[len(requests)-1]; !first.Challenged || last.Challenged {
		t.Errorf("challenged: %t without credentials, %t with wrong ones", first.Challenged, last.Challenged)
	}
}

func TestEveryPartOfTheCredentialsIsVerified(t *testing.T) {
	t.Parallel()
	c := start(t)
	for name, test := range map[string]struct {
		change func(*credentials)
		want   int
	}{
		"nothing wrong":                {func(*credentials) {}, 200},
		"without qop":                  {func(d *credentials) { d.qop = "" }, 200},
		"algorithm named":              {func(d *credentials) { d.more = `, algorithm=MD5` }, 200},
		"algorithm quoted":             {func(d *credentials) { d.more = `, algorithm="MD5"` }, 200},
		"fields of others":             {func(d *credentials) { d.more = `, opaque="a\"b,c=d", userhash=false` }, 200},
		"another algorithm":            {func(d *credentials) { d.more = `, algorithm=SHA-256` }, 401},
		"wrong user":                   {func(d *credentials) { d.user = "another" }, 401},
		"wrong key":                    {func(d *credentials) { d.key = "guess" }, 401},
		"wrong realm":                  {func(d *credentials) { d.realm = "Public API" }, 401},
		"another method":               {func(d *credentials) { d.method = http.MethodDelete }, 401},
		"another path":                 {func(d *credentials) { d.uri = emulator.BasePath + "/groups" }, 401},
		"query left out":               {func(d *credentials) { d.uri = emulator.BasePath + anyPath }, 401},
		"full address":                 {func(d *credentials) { d.uri = c.url + d.uri }, 401},
		"auth-int":                     {func(d *credentials) { d.qop = "auth-int" }, 401},
		"qop without cnonce":           {func(d *credentials) { d.cnonce = "" }, 401},
		"nc of zero":                   {func(d *credentials) { d.nc = "00000000" }, 401},
		"short nc":                     {func(d *credentials) { d.nc = "1" }, 401},
		"nc that is not a number":      {func(d *credentials) { d.nc = "0000000g" }, 401},
		"cnonce without qop":           {func(d *credentials) { d.qop, d.more = "", `, cnonce="f2a1c93b"` }, 401},
		"username given twice":         {func(d *credentials) { d.more = `, username="emulator"` }, 401},
		"garbage behind":               {func(d *credentials) { d.more = `, garbage` }, 401},
		"a quote that is not closed":   {func(d *credentials) { d.more = `, opaque="a` }, 401},
		"no comma between two fields":  {func(d *credentials) { d.more = ` opaque="a"` }, 401},
		"a name without a value at it": {func(d *credentials) { d.more = `, ="a"` }, 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const path = anyPath + "?pretty=true"
			d := credentials{
				user: c.user, key: c.key, realm: "MMS Public API", method: http.MethodGet, uri: emulator.BasePath + path,
				nonce: challengeNonce.FindStringSubmatch(c.challenged().Get("WWW-Authenticate"))[1],
				qop:   "auth", cnonce: "f2a1c93b", nc: "00000001",
			}
			test.change(&d)
			got, err := c.send(http.MethodGet, path, "", d.String())
			if err != nil {
				t.Fatal(err)
			}
			if got.status != test.want {
				t.Fatalf("got %d, want %d", got.status, test.want)
			}
			if challenge := got.header.Get("WWW-Authenticate"); test.want == 401 && !strings.HasSuffix(challenge, "stale=false") {
				t.Errorf("challenge %q, want it not stale", challenge)
			}
		})
	}
}

func TestOtherSchemesAreRejected(t *testing.T) {
	t.Parallel()
	c := start(t)
	digest := c.authorize(http.MethodGet, emulator.BasePath+anyPath, c.challenged(), 1)
	for _, authorization := range []string{"Basic ZW11bGF0b3I6a2V5", "Digest", "Digest ", "Digest nonce", strings.Replace(digest, "Digest", "Bearer", 1)} {
		if status, _ := c.try(authorization); status != http.StatusUnauthorized {
			t.Errorf("%q: status %d", authorization, status)
		}
	}
	lenient := strings.NewReplacer("Digest", "digest", "qop=auth", `qop = "auth"`, ", nc", " ,\tnc", "username", "Username")
	if status, _ := c.try(lenient.Replace(digest)); status != http.StatusOK {
		t.Errorf("another case of the scheme: status %d", status)
	}
}

func TestTwoAuthorizationHeadersAreRejected(t *testing.T) {
	t.Parallel()
	c := start(t)
	digest := c.authorize(http.MethodGet, emulator.BasePath+anyPath, c.challenged(), 1)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url+emulator.BasePath+anyPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header["Authorization"] = []string{digest, digest}
	got, err := c.roundTrip(request)
	if err != nil || got.status != http.StatusUnauthorized {
		t.Errorf("got %d, %v", got.status, err)
	}
}

func TestKeyPairIsConfigurable(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{PublicKey: "abcdefgh", PrivateKey: "8f2c"})
	if got := c.get(anyPath); got.status != http.StatusUnauthorized {
		t.Errorf("the default keys: status %d", got.status)
	}
	c.user, c.key = "abcdefgh", "8f2c"
	c.get(anyPath).ok(t)
}

func TestQopIsRejectedIfTheChallengeHasNone(t *testing.T) {
	t.Parallel()
	for challenge, want := range map[string]int{"none": 401, "op": 200} {
		c := start(t, emulator.Options{Challenge: challenge})
		header := c.challenged()
		header.Set("WWW-Authenticate", header.Get("WWW-Authenticate")+`, qop="auth"`)
		if status, _ := c.try(c.authorize(http.MethodGet, emulator.BasePath+anyPath, header, 1)); status != want {
			t.Errorf("challenge %s answered with qop: status %d, want %d", challenge, status, want)
		}
	}
}

func TestNonceCountsMayBeUsedOnceInAnyOrder(t *testing.T) {
	t.Parallel()
	c := start(t)
	header := c.challenged()
	for _, step := range []struct{ count, want int }{{7, 200}, {2, 200}, {255, 200}, {2, 401}, {7, 401}, {3, 200}} {
		status, stale := c.try(c.authorize(http.MethodGet, emulator.BasePath+anyPath, header, step.count))
		if status != step.want || (status == 401 && stale != "false") {
			t.Errorf("nc %d: status %d, stale %q, want %d", step.count, status, stale, step.want)
		}
	}
}

func TestConcurrentRequestsShareANonce(t *testing.T) {
	t.Parallel()
	c := start(t)
	header := c.challenged()
	var group sync.WaitGroup
	for count := 1; count <= 20; count++ {
		group.Go(func() {
			if status, _ := c.try(c.authorize(http.MethodGet, emulator.BasePath+anyPath, header, count)); status != http.StatusOK {
				t.Errorf("nc %d: status %d", count, status)
			}
		})
	}
	group.Wait()
}

func TestUsedUpNonceIsStale(t *testing.T) {
	t.Parallel()
	for _, challenge := range []string{"qop", "op"} {
		c := start(t, emulator.Options{NonceUses: 2, Challenge: challenge})
		header := c.challenged()
		for count, want := range []string{"", "", "true", "true"} {
			if _, stale := c.try(c.authorize(http.MethodGet, emulator.BasePath+anyPath, header, count+1)); stale != want {
				t.Errorf("%s, request %d: stale %q, want %q", challenge, count+1, stale, want)
			}
		}
		wrong := *c
		wrong.key = "guess"
		if _, stale := c.try(wrong.authorize(http.MethodGet, emulator.BasePath+anyPath, header, 9)); stale != "false" {
			t.Errorf("%s, wrong key with a stale nonce: stale %q, want false", challenge, stale)
		}
	}
}

func TestStaleChallengeHasAValidNonce(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{NonceUses: 1})
	header := c.challenged()
	uri := emulator.BasePath + anyPath
	if status, _ := c.try(c.authorize(http.MethodGet, uri, header, 1)); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	second, err := c.send(http.MethodGet, anyPath, "", c.authorize(http.MethodGet, uri, header, 2))
	if err != nil || !strings.Contains(second.header.Get("WWW-Authenticate"), "stale=true") {
		t.Fatalf("got %v, %v, want a stale challenge", second.header, err)
	}
	if status, _ := c.try(c.authorize(http.MethodGet, uri, second.header, 1)); status != http.StatusOK {
		t.Errorf("with the nonce of the stale challenge: status %d", status)
	}
}

func TestNonceOfAnotherEmulatorIsStale(t *testing.T) {
	t.Parallel()
	c, earlier := start(t), start(t)
	if status, stale := c.try(c.authorize(http.MethodGet, emulator.BasePath+anyPath, earlier.challenged(), 1)); status != 401 || stale != "true" {
		t.Errorf("status %d, stale %q", status, stale)
	}
}

func TestNonceExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := emulator.New(emulator.Options{NonceLifetime: time.Minute})
		c := &client{t: t, user: emulator.DefaultPublicKey, key: emulator.DefaultPrivateKey}
		call := func(authorization string) *httptest.ResponseRecorder {
			request := httptest.NewRequest(http.MethodGet, emulator.BasePath+anyPath, nil)
			if authorization != "" {
				request.Header.Set("Authorization", authorization)
			}
			recorder := httptest.NewRecorder()
			service.ServeHTTP(recorder, request)
			return recorder
		}
		header := call("").Header()
		time.Sleep(time.Minute)
		if got := call(c.authorize(http.MethodGet, emulator.BasePath+anyPath, header, 1)); got.Code != http.StatusOK {
			t.Errorf("within its lifetime: status %d", got.Code)
		}
		time.Sleep(time.Nanosecond)
		got := call(c.authorize(http.MethodGet, emulator.BasePath+anyPath, header, 2))
		if got.Code != http.StatusUnauthorized || !strings.HasSuffix(got.Header().Get("WWW-Authenticate"), "stale=true") {
			t.Errorf("afterwards: status %d, %v", got.Code, got.Header())
		}
	})
}

func TestForgottenNonceIsStale(t *testing.T) {
	t.Parallel()
	service := emulator.New(emulator.Options{})
	call := func(authorization string) http.Header {
		request := httptest.NewRequest(http.MethodGet, emulator.BasePath+anyPath, nil)
		request.Header.Set("Authorization", authorization)
		recorder := httptest.NewRecorder()
		service.ServeHTTP(recorder, request)
		return recorder.Header()
	}
	stale := func(c *client, header http.Header) bool {
		got := call(c.authorize(http.MethodGet, emulator.BasePath+anyPath, header, 1))
		return strings.HasSuffix(got.Get("WWW-Authenticate"), "stale=true")
	}
	c := &client{t: t, user: emulator.DefaultPublicKey, key: emulator.DefaultPrivateKey}
	first := call("")
	second := call("")
	for range 9_999 {
		call("")
	}
	if stale(c, second) {
		t.Error("the second nonce was forgotten")
	}
	if !stale(c, first) {
		t.Error("the first nonce was not forgotten")
	}
}

func TestRequestThroughAProxyIsAuthenticatedWithItsPath(t *testing.T) {
	t.Parallel()
	service := emulator.New(emulator.Options{})
	const address = "http://opsmanager.example.com" + emulator.BasePath + anyPath + "?pretty=true"
	recorder := httptest.NewRecorder()
	service.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, address, nil))

	c := &client{t: t, user: emulator.DefaultPublicKey, key: emulator.DefaultPrivateKey}
	request := httptest.NewRequest(http.MethodGet, address, nil)
	if request.RequestURI != address {
		t.Fatalf("request line %q, want the absolute form", request.RequestURI)
	}
	request.Header.Set("Authorization", c.authorize(http.MethodGet, emulator.BasePath+anyPath+"?pretty=true", recorder.Header(), 1))
	recorder = httptest.NewRecorder()
	service.ServeHTTP(recorder, request)
	equal(t, recorder.Code, http.StatusOK)
}

func TestCallsAreRefusedUntilTheAddressIsOnTheAccessList(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{UnlistedCalls: 2})
	for range 2 {
		got := c.get(anyPath)
		got.refused(t, http.StatusForbidden, "RESOURCE_REQUIRES_ACCESS_LIST")
		if parameters := got.document["parameters"].([]any); len(parameters) != 1 || parameters[0] != "127.0.0.1" {
			t.Errorf("parameters %v", parameters)
		}
	}
	c.get(anyPath).ok(t)

	c = start(t, emulator.Options{UnlistedCalls: -1})
	for range 5 {
		c.get(anyPath).refused(t, http.StatusForbidden, "RESOURCE_REQUIRES_ACCESS_LIST")
	}
	c.key = "wrong"
	c.get(anyPath).refused(t, http.StatusUnauthorized, "")
}

package emulator_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

const regionsPath = "/admin/backup/backupDeployments"

// challenged sends a request without credentials.
func (c *client) challenged() http.Header {
	c.t.Helper()
	got, err := c.send(http.MethodGet, regionsPath, "", "")
	if err != nil || got.status != 401 {
		c.t.Fatalf("got %d, %v, want a challenge", got.status, err)
	}
	return got.header
}

// try sends a request with an Authorization header. It returns the status, and the stale
// parameter of a challenge.
func (c *client) try(authorization string) (status int, stale string) {
	c.t.Helper()
	got, err := c.send(http.MethodGet, regionsPath, "", authorization)
	if err != nil {
		c.t.Fatal(err)
	}
	_, stale, _ = strings.Cut(got.header.Get("WWW-Authenticate"), "stale=")
	return got.status, stale
}

// answering returns the Authorization header that answers a challenge.
func (c *client) answering(challenge http.Header, count int) string {
	c.t.Helper()
	return c.authorize(http.MethodGet, emulator.BasePath+regionsPath, challenge, count)
}

// ask lets an emulator serve a request without a network.
func ask(service *emulator.Emulator, target, authorization string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodGet, target, nil)
	request.Header.Set("Authorization", authorization)
	recorder := httptest.NewRecorder()
	service.ServeHTTP(recorder, request)
	return recorder
}

func TestChallengeIsAsDocumented(t *testing.T) {
	t.Parallel()
	for challenge, protection := range map[string]string{"": `qop="auth", `, "qop": `qop="auth", `, "op": `op="auth", `, "none": ``} {
		t.Run(challenge, func(t *testing.T) {
			t.Parallel()
			c := start(t, emulator.Options{Challenge: challenge})
			got, err := c.send(http.MethodGet, regionsPath, "", "")
			succeed(t, err)
			if got.status != 401 || got.body != "" {
				t.Errorf("got %d %q, want 401 without a body", got.status, got.body)
			}
			equal(t, got.header.Get("Content-Type"), "application/json;charset=ISO-8859-1")
			want := `^Digest realm="MMS Public API", domain="", nonce="[0-9A-Za-z]{20,}", algorithm=MD5, ` + protection + `stale=false$`
			if value := got.header.Get("WWW-Authenticate"); !regexp.MustCompile(want).MatchString(value) {
				t.Errorf("WWW-Authenticate %q, want %s", value, want)
			}
			inProcess := ask(c.service, "/api/public/v1.0"+regionsPath, "") // the client's transport removes the header
			equal(t, inProcess.Code, http.StatusUnauthorized)
			equal(t, inProcess.Header().Get("Connection"), "keep-alive")
			if got.header.Get("Date") == "" || got.header.Get("Content-Length") == "" {
				t.Errorf("no Date or Content-Length in %v", got.header)
			}
			if again := c.challenged(); again.Get("WWW-Authenticate") == got.header.Get("WWW-Authenticate") {
				t.Error("the nonce is the same for two challenges")
			}
			// Credentials in the form of the challenge are accepted.
			c.get(regionsPath).ok(t)
		})
	}
}

func TestEveryPartOfTheCredentialsIsVerified(t *testing.T) {
	t.Parallel()
	const path = regionsPath + "?pretty=true"
	c := start(t)
	for name, test := range map[string]struct {
		changes string
		want    int
	}{
		"nothing wrong":                {"", 200},
		"without qop":                  {`qop=`, 200},
		"algorithm named":              {`more=, algorithm=MD5`, 200},
		"algorithm quoted":             {`more=, algorithm="MD5"`, 200},
		"fields of others":             {`more=, opaque="a\"b,c=d", userhash=false`, 200},
		"another algorithm":            {`more=, algorithm=SHA-256`, 401},
		"wrong user":                   {`user=another`, 401},
		"wrong key":                    {`key=guess`, 401},
		"wrong realm":                  {`realm=Public API`, 401},
		"another method":               {`method=DELETE`, 401},
		"another path":                 {`uri=/api/public/v1.0/groups`, 401},
		"query left out":               {"uri=" + emulator.BasePath + regionsPath, 401},
		"full address":                 {"uri=" + c.url + emulator.BasePath + path, 401},
		"auth-int":                     {`qop=auth-int`, 401},
		"qop without cnonce":           {`cnonce=`, 401},
		"nc of zero":                   {`nc=00000000`, 401},
		"short nc":                     {`nc=1`, 401},
		"nc that is not a number":      {`nc=0000000g`, 401},
		"cnonce without qop":           {`qop=; more=, cnonce="f2a1c93b"`, 401},
		"username given twice":         {`more=, username="emulator"`, 401},
		"garbage behind":               {`more=, garbage`, 401},
		"a quote that is not closed":   {`more=, opaque="a`, 401},
		"no comma between two fields":  {`more= opaque="a"`, 401},
		"a name without a value at it": {`more=, ="a"`, 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := credentials{
				user: c.user, key: c.key, realm: "MMS Public API", method: http.MethodGet, uri: emulator.BasePath + path,
				nonce: challengeNonce.FindStringSubmatch(c.challenged().Get("WWW-Authenticate"))[1],
				qop:   "auth", cnonce: "f2a1c93b", nc: "00000001",
			}
			for change := range strings.SplitSeq(test.changes, "; ") {
				name, value, isChange := strings.Cut(change, "=")
				field := map[string]*string{
					"user": &d.user, "key": &d.key, "realm": &d.realm, "method": &d.method, "uri": &d.uri,
					"qop": &d.qop, "cnonce": &d.cnonce, "nc": &d.nc, "more": &d.more,
				}[name]
				if isChange {
					*field = value
				}
			}
			got, err := c.send(http.MethodGet, path, "", d.String())
			succeed(t, err)
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
	digest := c.answering(c.challenged(), 1)
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
	digest := c.answering(c.challenged(), 1)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url+emulator.BasePath+regionsPath, nil)
	succeed(t, err)
	request.Header["Authorization"] = []string{digest, digest}
	got, err := c.roundTrip(request)
	if err != nil || got.status != 401 {
		t.Errorf("got %d, %v", got.status, err)
	}
}

func TestKeyPairIsConfigurable(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{PublicKey: "abcdefgh", PrivateKey: "8f2c"})
	equal(t, c.get(regionsPath).status, http.StatusUnauthorized)
	c.user, c.key = "abcdefgh", "8f2c"
	c.get(regionsPath).ok(t)
}

func TestQopIsRejectedIfTheChallengeHasNone(t *testing.T) {
	t.Parallel()
	for challenge, want := range map[string]int{"none": 401, "op": 200} {
		c := start(t, emulator.Options{Challenge: challenge})
		header := c.challenged()
		header.Set("WWW-Authenticate", header.Get("WWW-Authenticate")+`, qop="auth"`)
		if status, _ := c.try(c.answering(header, 1)); status != want {
			t.Errorf("challenge %s answered with qop: status %d, want %d", challenge, status, want)
		}
	}
}

func TestNonceCountsMayBeUsedOnceInAnyOrder(t *testing.T) {
	t.Parallel()
	c := start(t)
	header := c.challenged()
	for _, step := range []struct{ count, want int }{{7, 200}, {2, 200}, {255, 200}, {2, 401}, {7, 401}, {3, 200}} {
		status, stale := c.try(c.answering(header, step.count))
		if status != step.want || (status == 401 && stale != "false") {
			t.Errorf("nc %d: status %d, stale %q, want %d", step.count, status, stale, step.want)
		}
	}
}

func TestUsedUpNonceIsStale(t *testing.T) {
	t.Parallel()
	for _, challenge := range []string{"qop", "op"} {
		c := start(t, emulator.Options{NonceUses: 2, Challenge: challenge})
		header := c.challenged()
		for count, want := range []string{"", "", "true", "true"} {
			if _, stale := c.try(c.answering(header, count+1)); stale != want {
				t.Errorf("%s, request %d: stale %q, want %q", challenge, count+1, stale, want)
			}
		}
		renewed, err := c.send(http.MethodGet, regionsPath, "", c.answering(header, 5))
		succeed(t, err)
		status, _ := c.try(c.answering(renewed.header, 1))
		equal(t, status, http.StatusOK)
		wrong := *c
		wrong.key = "guess"
		if _, stale := c.try(wrong.answering(header, 9)); stale != "false" {
			t.Errorf("%s, wrong key with a stale nonce: stale %q, want false", challenge, stale)
		}
	}
}

func TestNonceOfAnotherEmulatorIsStale(t *testing.T) {
	t.Parallel()
	c, earlier := start(t), start(t)
	if status, stale := c.try(c.answering(earlier.challenged(), 1)); status != 401 || stale != "true" {
		t.Errorf("status %d, stale %q", status, stale)
	}
}

func TestNonceExpires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := emulator.New(emulator.Options{NonceLifetime: time.Minute})
		c := &client{t: t, user: emulator.DefaultPublicKey, key: emulator.DefaultPrivateKey}
		header := ask(service, emulator.BasePath+regionsPath, "").Header()
		time.Sleep(time.Minute)
		equal(t, ask(service, emulator.BasePath+regionsPath, c.answering(header, 1)).Code, http.StatusOK)
		time.Sleep(time.Nanosecond)
		got := ask(service, emulator.BasePath+regionsPath, c.answering(header, 2))
		equal(t, got.Code, http.StatusUnauthorized)
		equal(t, strings.HasSuffix(got.Header().Get("WWW-Authenticate"), "stale=true"), true)
	})
}

func TestForgottenNonceIsStale(t *testing.T) {
	t.Parallel()
	service := emulator.New(emulator.Options{})
	c := &client{t: t, user: emulator.DefaultPublicKey, key: emulator.DefaultPrivateKey}
	challenge := func() http.Header { return ask(service, emulator.BasePath+regionsPath, "").Header() }
	isStale := func(header http.Header) bool {
		got := ask(service, emulator.BasePath+regionsPath, c.answering(header, 1)).Header().Get("WWW-Authenticate")
		return strings.HasSuffix(got, "stale=true")
	}
	first, second := challenge(), challenge()
	for range 9_999 {
		challenge()
	}
	equal(t, isStale(second), false)
	equal(t, isStale(first), true)
}

func TestRequestThroughAProxyIsAuthenticatedWithItsPath(t *testing.T) {
	t.Parallel()
	service := emulator.New(emulator.Options{})
	const path = emulator.BasePath + regionsPath + "?pretty=true"
	const address = "http://opsmanager.example.com" + path // the absolute form of a request line
	c := &client{t: t, user: emulator.DefaultPublicKey, key: emulator.DefaultPrivateKey}
	authorization := c.authorize(http.MethodGet, path, ask(service, address, "").Header(), 1)
	equal(t, ask(service, address, authorization).Code, http.StatusOK)
}

func TestCallsAreRefusedUntilTheAddressIsOnTheAccessList(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{UnlistedCalls: 2})
	for range 2 {
		got := c.get(regionsPath)
		got.refused(t, 403, "RESOURCE_REQUIRES_ACCESS_LIST")
		if parameters := got.document["parameters"].([]any); len(parameters) != 1 || parameters[0] != "127.0.0.1" {
			t.Errorf("parameters %v", parameters)
		}
	}
	c.get(regionsPath).ok(t)

	c = start(t, emulator.Options{UnlistedCalls: -1})
	for range 5 {
		c.get(regionsPath).refused(t, 403, "RESOURCE_REQUIRES_ACCESS_LIST")
	}
	c.key = "wrong"
	c.get(regionsPath).refused(t, 401, "")
}

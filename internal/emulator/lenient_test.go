package emulator_test

import (
	"net/http"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

// Clients of others send these requests to real servers.
func TestLenientEmulatorAcceptsWhatRealServersAccept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ method, path, body string }{
		"an unknown query parameter":       {http.MethodGet, regionsPath + "?includeCount=true", ""},
		"a repeated query parameter":       {http.MethodGet, regionsPath + "?pageNum=1&pageNum=1", ""},
		"a slash after a collection":       {http.MethodGet, oplogStores + "/", ""},
		"a slash after a new store":        {http.MethodPost, oplogStores + "/", body(`"id":"x"`, mongoFields)},
		"a slash after a machine":          {http.MethodPut, euMachine + "/", body(machineField("om-eu.example.com", "/data/"))},
		"a slash after an ID with slashes": {http.MethodGet, nyDaemon + "/", ""},
		"null in a new store": {
			http.MethodPost, oplogStores, body(`"id":"x"`, mongoFields, `"labels":null`, `"writeConcern":null`),
		},
		"null in a store":    {http.MethodPut, oplogStores + "/ny-oplog-1", body(mongoFields, `"labels":null`)},
		"null in a schedule": {http.MethodPatch, schedulePath(payments, ledger), `{"referenceHourOfDay":null,"referenceTimeZoneOffset":null}`},
		"null in a backup":   {http.MethodPatch, configPath(ledger), `{"statusName":null,"includedNamespaces":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start(t, emulator.Options{Lenient: true}).do(test.method, test.path, test.body).ok(t)
			if got := start(t).do(test.method, test.path, test.body); got.status < 400 {
				t.Errorf("a strict emulator accepts it: %d %s", got.status, got.body)
			}
		})
	}
}

func TestNullIsAMissingField(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{Lenient: true})
	c.post(oplogStores, body(`"id":"x"`, `"uri":null`)).refused(t, 400, "MISSING_ATTRIBUTE")
	c.post(oplogStores, body(`"id":"x"`, mongoFields, `"unknown":null`)).refused(t, 400, "INVALID_ATTRIBUTE")
	before := c.service.Schedule(payments, ledger)["referenceHourOfDay"]
	c.patch(schedulePath(payments, ledger), `{"referenceHourOfDay":null}`).ok(t)
	equal(t, c.service.Schedule(payments, ledger)["referenceHourOfDay"], before)
}

func TestLenientEmulatorAcceptsASecondSlashBeforeThePath(t *testing.T) {
	t.Parallel()
	for lenient, want := range map[bool]int{true: http.StatusOK, false: http.StatusNotFound} {
		c := start(t, emulator.Options{Lenient: lenient})
		header := c.challenged()
		c.url += "/"
		got, err := c.send(http.MethodGet, nyDaemon, "", c.authorize(http.MethodGet, "/"+emulator.BasePath+nyDaemon, header, 1))
		if err != nil || got.status != want {
			t.Errorf("lenient %t: %d %v", lenient, got.status, err)
		}
	}
}

func TestLenientEmulatorAcceptsACountOfAnyLength(t *testing.T) {
	t.Parallel()
	for lenient, want := range map[bool]int{true: http.StatusOK, false: http.StatusUnauthorized} {
		c := start(t, emulator.Options{Lenient: lenient})
		nonce := challengeNonce.FindStringSubmatch(c.challenged().Get("WWW-Authenticate"))[1]
		with := func(count string) int {
			status, _ := c.try(credentials{
				user: c.user, key: c.key, realm: "MMS Public API", method: http.MethodGet, uri: emulator.BasePath + regionsPath,
				nonce: nonce, qop: "auth", cnonce: "f2a1c93b", nc: count,
			}.String())
			return status
		}
		for _, count := range []string{"1", "a", "000000000b"} {
			if got := with(count); got != want {
				t.Errorf("lenient %t, nc %s: %d", lenient, count, got)
			}
		}
		if got := with("01"); got != http.StatusUnauthorized {
			t.Errorf("lenient %t: a replay returns %d", lenient, got)
		}
	}
}

func TestLinksOfAPageKeepTheOtherParameters(t *testing.T) {
	t.Parallel()
	c := start(t)
	got := relations(c.get(oplogStores + "?assignableOnly=false&itemsPerPage=1").ok(t))
	if want := "/oplog/mongoConfigs?assignableOnly=false&pageNum=2&itemsPerPage=1"; !strings.HasSuffix(got["next"], want) {
		t.Errorf("next %q, want it to end with %q", got["next"], want)
	}
}

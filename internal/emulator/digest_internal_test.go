package emulator

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestNonceIsStaleAfterManyUses(t *testing.T) {
	t.Parallel()
	d := newDigest(Options{Challenge: "qop", PublicKey: "user", PrivateKey: "key"})
	nonce := parseDigest(d.issue(false))["nonce"]
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.Header.Set("Authorization", `Digest username="user", realm="`+realm+`", uri="/", qop=auth, nc=00000001, cnonce="c", nonce="`+nonce+
		`", response="`+md5Hex(md5Hex("user:"+realm+":key")+":"+nonce+":00000001:c:auth:"+md5Hex("GET:/"))+`"`)
	for count := range uint64(maxCounts - 1) {
		d.nonces[nonce].counts[count+2] = true
	}
	if got := d.check(request); got != accepted {
		t.Errorf("verdict %d, want %d", got, accepted)
	}
	if got := d.check(request); got != stale {
		t.Errorf("verdict %d, want %d", got, stale)
	}
}

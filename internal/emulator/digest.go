package emulator

import (
	"crypto/md5" // #nosec G501 -- the algorithm that Ops Manager uses
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const realm = "MMS Public API"

// These limit the memory of a long-lived emulator. Older nonces are forgotten and become
// stale, as does a nonce after many uses.
const (
	maxNonces = 10_000
	maxCounts = 100_000
)

type verdict int

const (
	refused  verdict = iota // missing or wrong credentials
	stale                   // valid credentials with an expired nonce
	accepted                // valid credentials
)

// digest is a server for HTTP Digest with MD5. It follows RFC 7616 if the client sends
// qop=auth, and RFC 2069 if it sends no qop.
type digest struct {
	options Options

	mu     sync.Mutex
	nonces map[string]*nonce
	issued []string // the keys of nonces, from the oldest to the newest
}

type nonce struct {
	issued time.Time
	uses   int
	counts map[uint64]bool // used nc values; concurrent requests arrive in any order
}

func newDigest(options Options) *digest {
	return &digest{options: options, nonces: map[string]*nonce{}}
}

// issue returns the value of a WWW-Authenticate header with a new nonce.
func (d *digest) issue(stale bool) string {
	id := rand.Text()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.issued) == maxNonces {
		delete(d.nonces, d.issued[0])
		d.issued = d.issued[1:]
	}
	d.nonces[id] = &nonce{issued: time.Now(), counts: map[uint64]bool{}}
	d.issued = append(d.issued, id)

	protection := ""
	if d.options.Challenge != "none" {
		protection = d.options.Challenge + `="auth", `
	}
	return fmt.Sprintf(`Digest realm="%s", domain="", nonce="%s", algorithm=MD5, %sstale=%t`, realm, id, protection, stale)
}

// check verifies the credentials of a request. A replay, which uses an nc of its nonce
// again, is rejected like wrong credentials.
func (d *digest) check(r *http.Request) verdict {
	authorization := r.Header.Values("Authorization")
	if len(authorization) != 1 {
		return refused
	}
	given := parseDigest(authorization[0])
	if given["realm"] != realm || given["uri"] != requestTarget(r) {
		return refused
	}
	if algorithm, named := given["algorithm"]; named && algorithm != "MD5" {
		return refused
	}

	ha1 := md5Hex(given["username"] + ":" + realm + ":" + d.options.PrivateKey)
	ha2 := md5Hex(r.Method + ":" + given["uri"])
	var expected string
	var count uint64
	qop, counted := given["qop"]
	switch {
	case !counted:
		if given["nc"] != "" || given["cnonce"] != "" {
			return refused
		}
		expected = md5Hex(ha1 + ":" + given["nonce"] + ":" + ha2)
	case qop != "auth" || d.options.Challenge == "none":
		return refused // RFC 7616, section 3.4: must not be sent if the challenge has none
	default:
		// MongoDB's Kubernetes operator sends an nc of one digit.
		var err error
		count, err = strconv.ParseUint(given["nc"], 16, 32)
		if err != nil || len(given["nc"]) != 8 && !d.options.Lenient || count == 0 || given["cnonce"] == "" {
			return refused
		}
		expected = md5Hex(strings.Join([]string{ha1, given["nonce"], given["nc"], given["cnonce"], qop, ha2}, ":"))
	}
	isUser := given["username"] == d.options.PublicKey || d.options.keyOf(given["username"]) != nil
	if !isUser || subtle.ConstantTimeCompare([]byte(given["response"]), []byte(expected)) != 1 {
		return refused
	}

	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.nonces[given["nonce"]]
	switch {
	case n == nil, // from another emulator, or forgotten
		d.options.NonceLifetime > 0 && time.Since(n.issued) > d.options.NonceLifetime,
		d.options.NonceUses > 0 && n.uses >= d.options.NonceUses,
		len(n.counts) >= maxCounts:
		return stale
	case counted && n.counts[count]:
		return refused
	}
	n.uses++
	if counted {
		n.counts[count] = true
	}
	return accepted
}

// requestTarget returns the path and query of the request line.
func requestTarget(r *http.Request) string {
	if strings.HasPrefix(r.RequestURI, "/") {
		return r.RequestURI
	}
	return r.URL.RequestURI() // the absolute form, for proxies
}

// parameter matches a parameter of an Authorization header and what follows it: its name, and a quoted
// string or a token.
var parameter = regexp.MustCompile(`^[ \t]*([^=,"]*?)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^", \t][^, \t]*)?)[ \t]*(,|$)`)

var escaped = regexp.MustCompile(`\\(.)`)

// parseDigest returns the parameters of an Authorization header. It returns none if the
// header is malformed or a name is repeated.
func parseDigest(header string) map[string]string {
	scheme, rest, _ := strings.Cut(header, " ")
	fields := map[string]string{}
	for more := strings.EqualFold(scheme, "Digest"); more; {
		match := parameter.FindStringSubmatch(rest)
		if match == nil {
			return nil
		}
		name := strings.ToLower(match[1])
		if _, duplicate := fields[name]; duplicate || name == "" {
			return nil
		}
		fields[name] = escaped.ReplaceAllString(match[2], "$1") + match[3]
		rest = rest[len(match[0]):]
		more = match[4] == ","
	}
	return fields
}

func md5Hex(s string) string {
	sum := md5.Sum([]byte(s)) // #nosec G401 -- the algorithm that Ops Manager uses
	return hex.EncodeToString(sum[:])
}

package providertest

import (
	"crypto/tls"
	"time"
)

// Fault is a failure of a request, which Handler or Connection causes.
type Fault struct {
	Name string

	Handler    Handler           // responds instead of the service
	Connection func(*FaultProxy) // breaks the connections that are opened from then on

	Effect     Effect
	Retried    Retry
	Challenges int           // number of challenges that the client answers, for a fault of Digest
	Unclear    bool          // the user cannot tell whether the request took effect
	InBody     bool          // affects only responses with a body
	TLS        bool          // requires a proxy with TLS
	Slow       bool          // lasts as long as the provider waits
	Delay      time.Duration // minimum time before each retry

	// Inconclusive reports whether the object may exist anyway, or the same apply may create it.
	Inconclusive bool

	// Words are in the error if the fault lasts. Without Words, the error depends on the operation.
	Words []string
}

// Effect is the effect of a fault on a request.
type Effect int

// The effects of faults.
const (
	Prevents Effect = iota // the service does not receive the request
	Applies                // the request takes effect, and the response is lost or unusable
	Harmless               // the response is usable
)

// Retry is the set of requests that are sent again after a fault.
type Retry int

// The sets of requests.
const (
	Never        Retry = iota
	UnlessCreate       // all but creations, which may have taken effect
	Always
)

// Timeout is the request timeout of the tests. Slow faults last longer.
const Timeout = time.Second

const (
	badGatewayPage = "<html><head><title>502 Bad Gateway</title></head><body>proxy.example.com</body></html>"
	overloadedPage = "<html><head><title>Back in a moment</title></head></html>"
	failedPage     = "<html><head><title>Internal error</title></head></html>"
	signInPage     = "<!DOCTYPE html><html><head><title>Sign in</title></head><body><form></form></body></html>"
)

// Faults are the faults that the tests inject. The words are those of every error: some calls don't
// quote the text of a response.
var Faults = []Fault{
	{
		Name:       "401 for a stale nonce",
		Handler:    stale,
		Retried:    Always,
		Challenges: 5,
		Words:      []string{"401 Unauthorized"},
	},
	{
		Name:       "401 for a key that was deleted",
		Handler:    refuse,
		Retried:    Always,
		Challenges: 2,
		Words:      []string{"401 Unauthorized", "rejected the API key"},
	},

	{
		Name:    "429",
		Handler: Respond(429, ""),
		Retried: Always,
		Words:   []string{"429 Too Many Requests", "-parallelism, or raise max_retries"},
	},
	{
		Name:    "429 with Retry-After in seconds",
		Handler: Respond(429, "", "Retry-After", "1"),
		Retried: Always,
		Delay:   LongestWait,
		Words:   []string{"429 Too Many Requests"},
	},
	{
		Name:    "429 with Retry-After as a date",
		Handler: retryInAnHour,
		Retried: Always,
		Delay:   LongestWait,
		Words:   []string{"429 Too Many Requests"},
	},

	{
		Name:    "500 with a page",
		Handler: Respond(500, failedPage),
		Unclear: true,
		Words:   []string{"500 Internal Server Error", "the log of the Ops Manager application"},
	},
	{
		Name:    "502 with a page",
		Handler: Respond(502, badGatewayPage),
		Retried: UnlessCreate,
		Unclear: true,
		Words:   []string{"502 Bad Gateway", "or a proxy in front of it"},
	},
	{
		Name:    "503 with a page",
		Handler: Respond(503, overloadedPage),
		Retried: UnlessCreate,
		Unclear: true,
		Words:   []string{"503 Service Unavailable"},
	},
	{
		Name:    "504 with a page",
		Handler: Respond(504, badGatewayPage),
		Retried: UnlessCreate,
		Unclear: true,
		Words:   []string{"504 Gateway Timeout"},
	},

	{
		Name:       "refused connection",
		Connection: (*FaultProxy).close,
		Retried:    Always,
		Unclear:    true,
		Words:      []string{"connection refused", "could not be reached"},
	},
	{
		Name:    "dropped before the change",
		Handler: drop,
		Retried: UnlessCreate,
		Unclear: true,
		Words:   []string{"EOF", "could not be reached"},
	},
	{
		Name:    "dropped after the change",
		Handler: DropAfter,
		Effect:  Applies,
		Retried: UnlessCreate,
		Unclear: true,
		Words:   []string{"EOF", "could not be reached"},
	},

	{
		Name:    "no response",
		Handler: Hang,
		Slow:    true,
		Retried: UnlessCreate,
		Unclear: true,
		Words:   []string{"no response within " + Timeout.String(), "raise request_timeout or max_retries"},
	},
	{
		Name:    "a late response",
		Handler: RespondTooLate,
		Slow:    true,
		Effect:  Applies,
		Retried: UnlessCreate,
		Unclear: true,
		Words:   []string{"no response within " + Timeout.String(), "raise request_timeout or max_retries"},
	},

	{
		Name:    "JSON that is cut off by the network",
		Handler: cutOff,
		InBody:  true,
		Effect:  Applies,
		Retried: UnlessCreate,
		Unclear: true,
		Words:   []string{"unexpected EOF"},
	},
	{
		Name:    "JSON that is cut short",
		Handler: cutShort,
		InBody:  true,
		Effect:  Applies,
		Unclear: true,
		Words:   []string{"the response was application/json", "The provider ignored"},
	},
	{
		Name:    "a login page",
		Handler: Respond(200, signInPage, "Content-Type", "text/html"),
		Words:   []string{"not the JSON that the API documents", "the response was text/html", "A login page, a proxy"},
	},
	{Name: "another content type", Handler: asText, Effect: Harmless},
	{
		Name:    "a body of a gigabyte",
		Handler: gigabyte,
		Unclear: true,
		Words:   []string{"larger than 32 MiB", "not a documented response of the Ops Manager API"},
	},

	{
		Name:    "a redirect to another host",
		Handler: Respond(302, "", "Location", "http://elsewhere.invalid/login?ticket=1"),
		Words:   []string{"302 Found: redirects to http://elsewhere.invalid", "Set base_url"},
	},
	{
		Name:    "a redirect to https",
		Handler: redirectToHTTPS,
		Words:   []string{"301 Moved Permanently: redirects to https://127.0.0.1", "Set base_url"},
	},

	{
		Name:       "a certificate of an unknown authority",
		Connection: present(func() *tls.Certificate { return Certificates().Untrusted }),
		TLS:        true,
		Unclear:    true,
		Words:      []string{"unknown authority", "ca_cert_file"},
	},
	{
		Name:       "a certificate that has expired",
		Connection: present(func() *tls.Certificate { return Certificates().Expired }),
		TLS:        true,
		Unclear:    true,
		Words:      []string{"expired"},
	},
	{
		Name:       "a certificate for another host",
		Connection: present(func() *tls.Certificate { return Certificates().WrongHost }),
		TLS:        true,
		Unclear:    true,
		Words:      []string{"192.0.2.1", "use it in base_url"},
	},

	// The errors of these depend on the operation.
	{
		Name:    "401 of the API",
		Handler: Respond(401, `{"error": 401, "reason": "Unauthorized", "errorCode": "USER_UNAUTHORIZED", "detail": "No."}`, "Content-Type", "application/json"),
	},
	{
		Name:    "403 of the API",
		Handler: Respond(403, `{"error": 403, "reason": "Forbidden", "errorCode": "IP_ADDRESS_NOT_ON_ACCESS_LIST", "detail": "No."}`, "Content-Type", "application/json"),
	},
	{Name: "404 page", Handler: Respond(404, signInPage, "Content-Type", "text/html"), Inconclusive: true},
	{Name: "404 in plain text", Handler: Respond(404, "404 page not found\n", "Content-Type", "text/plain"), Inconclusive: true},
	{Name: "404 of a gateway", Handler: Respond(404, `{"message": "no route"}`, "Content-Type", "application/json"), Inconclusive: true},
	{Name: "404 without a body", Handler: Respond(404, ""), Inconclusive: true},
	{
		Name:         "404 of a path that the API lacks",
		Handler:      Respond(404, `{"error": 404, "reason": "Not Found", "errorCode": "RESOURCE_NOT_FOUND", "detail": "No."}`, "Content-Type", "application/json"),
		Inconclusive: true,
	},
	{
		Name:         "405 of the API",
		Handler:      Respond(405, `{"error": 405, "reason": "Method Not Allowed", "detail": "No."}`, "Content-Type", "application/json"),
		Inconclusive: true,
	},
	{
		Name:         "409 of the API",
		Handler:      Respond(409, `{"error": 409, "reason": "Conflict", "errorCode": "CONFLICT", "detail": "No."}`, "Content-Type", "application/json"),
		Inconclusive: true,
	},
	{Name: "an empty response", Handler: Respond(200, "", "Content-Type", "application/json")},
	{Name: "an empty object", Handler: Respond(200, "{}", "Content-Type", "application/json"), Inconclusive: true},
	{Name: "null", Handler: Respond(200, "null", "Content-Type", "application/json")},
}

// MayHaveChanged ends the error of a change whose outcome is unknown.
const MayHaveChanged = "The change may have taken effect. Run terraform plan to see."

package tf

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// Codes are the error codes of the API about one resource type.
type Codes struct {
	Attributes map[string]string // by code, or by the name of a field
	Fields     []string          // attributes named as a field of the API, in snake case
	Advice     map[string]string // by code, by status for an error without a known code, or by the name of a cause
}

// RefreshFirst is the way on if what a destroy ends differs from what its plan showed. Terraform 1.10 and 1.11
// plan to destroy what is no longer configured as it was before the refresh, so a change that is older than the
// plan also counts.
const RefreshFirst = "Plan again. If the resource is no longer in the configuration and you use Terraform 1.10 or 1.11, first run 'terraform apply -refresh-only': these versions plan to destroy it as it was before the refresh."

// Explained is an error that has a diagnostic of its own.
type Explained struct{ diag.Diagnostic }

func (e Explained) Error() string { return e.Detail() }

// OnAttribute returns an error with the diagnostic of an attribute.
func OnAttribute(attribute, summary, format string, args ...any) error {
	return Explained{diag.NewAttributeErrorDiagnostic(path.Root(attribute), summary, fmt.Sprintf(format, args...))}
}

// Failure returns the diagnostic of a failed call. The error is on the first attribute that the code,
// the parameters or the detail name. The first error of a run about what each of its calls fails with explains that,
// and each further one only refers to it.
func Failure(summary string, err error, codes ...Codes) diag.Diagnostic {
	var explained Explained
	if errors.As(err, &explained) {
		return explained.Diagnostic
	}
	var e *opsmanager.Error
	if errors.As(err, &e) {
		if cause := ofEachCall(e); cause != "" && e.IsReported(cause) {
			detail := cause + ", as another error of this run explains."
			if opsmanager.MayHaveChanged(err) {
				detail += "\n\n" + MayHaveChanged
			}
			return diag.NewErrorDiagnostic(summary, detail)
		}
		words := strings.FieldsFunc(e.Detail, func(r rune) bool { return !unicode.IsLetter(r) })
		// In a sentence, only camel case distinguishes a field from a word such as 'completed'.
		words = slices.DeleteFunc(words, func(word string) bool {
			return word == strings.ToLower(word)
		})
		for _, name := range slices.Concat([]string{e.Code}, e.Parameters, words) {
			name = name[strings.LastIndexByte(name, '.')+1:] // a field may be that of an object, such as delivery.expires
			for _, one := range codes {
				attribute, ok := one.Attributes[name]
				if field := SnakeCase(name); !ok && slices.Contains(one.Fields, field) {
					attribute = field
					ok = true
				}
				if ok {
					return diag.NewAttributeErrorDiagnostic(path.Root(attribute), summary, Explain(err, codes...))
				}
			}
		}
	}
	return diag.NewErrorDiagnostic(summary, Explain(err, codes...))
}

// ofEachCall returns the cause of an error, if each call of a run fails with it, or "".
func ofEachCall(e *opsmanager.Error) string {
	hasNoResponse := e.Err != nil && !e.Document
	isInterrupted := errors.Is(e.Err, context.Canceled)
	advice := GeneralCodes.Advice[e.Code]
	switch {
	case isInterrupted:
	case e.IsOutage && (hasNoResponse || topic(e) == "5xx"):
		return "Ops Manager can't be reached"
	case hasNoResponse:
	case advice == notOnAccessList:
		return "The access list lacks this address"
	case advice == wrongKey, e.Status == http.StatusUnauthorized && e.Code == "":
		return "The API key was not accepted (" + topic(e) + ")"
	case e.RedirectedTo != "":
		return "The server redirects"
	}
	return ""
}

// SnakeCase returns a name of the API, such as statusName, as attributes have it.
func SnakeCase(name string) string {
	var snake strings.Builder
	for _, letter := range name {
		if unicode.IsUpper(letter) {
			snake.WriteByte('_')
		}
		snake.WriteRune(unicode.ToLower(letter))
	}
	return snake.String()
}

// Explain returns the detail of a failed call's diagnostic: the error, and what to
// do about it.
func Explain(err error, codes ...Codes) string {
	var help []string
	var e *opsmanager.Error
	if errors.As(err, &e) {
		help = append(help, AdviceFor(e, codes...))
	}
	if opsmanager.MayHaveChanged(err) {
		help = append(help, MayHaveChanged)
	}
	return strings.TrimSpace(Sentence(err) + "\n\n" + strings.TrimSpace(strings.Join(help, " ")))
}

// MayHaveChanged is the advice about a failed request that may have taken effect.
const MayHaveChanged = "The change may have taken effect. Run terraform plan to see."

// AdviceFor returns what to do about a failed call, or "" if there is no advice. It uses
// the response only: it never says whether a key is wrong or lacks a role.
func AdviceFor(e *opsmanager.Error, codes ...Codes) string {
	on := func(topic string) string {
		for _, one := range slices.Concat(codes, []Codes{GeneralCodes, MissingCodes}) {
			if text, ok := one.Advice[topic]; ok {
				return text
			}
		}
		return ""
	}
	if e.Err != nil && !e.Document {
		cause := Causes[slices.IndexFunc(Causes, func(c Cause) bool { return c.is(e) })]
		return cmp.Or(on(cause.Name), cause.Advice)
	}
	text := on(e.Code)
	if text == "" || e.Stale {
		text = on(topic(e))
	}
	role := roles[e.Role]
	if e.Path == "/groups" {
		role = strings.Replace(role, "this project", "a project", 1)
	}
	return strings.NewReplacer(
		"{address}", e.RedirectedTo,
		"{project}", objectOf(e, projectInPath, "project"),
		"{cluster}", objectOf(e, clusterInPath, "cluster"),
		"{host}", objectOf(e, hostInPath, "host"),
		"{caller}", callerOf(e),
		"{list}", otherListOf(e),
		"{role}", role,
		"{version}", cmp.Or(e.ServiceVersion, "version not reported"),
	).Replace(text)
}

// These match the ID of an object in the path of a request.
var (
	projectInPath = regexp.MustCompile(`/groups?/([0-9a-fA-F]+)(?:/|$)`)
	clusterInPath = regexp.MustCompile(`/(?:clusters|backupConfigs)/([^/]+)`)
	hostInPath    = regexp.MustCompile(`/hosts/([^/]+)`)
)

// objectOf returns the object that an error says is missing, such as "cluster 650a1f3c2e4b6d8091a3b5c7". It is the one in the
// path. A request for a restore also has a target, so its path does not tell.
func objectOf(e *opsmanager.Error, inPath *regexp.Regexp, kind string) string {
	isRestore := e.Method == http.MethodPost && strings.HasSuffix(e.Path, "/restoreJobs")
	found := inPath.FindStringSubmatch(e.Path)
	if found == nil || isRestore {
		return "such " + kind
	}
	return kind + " " + found[1]
}

// callerOf returns the address that a call came from, as Ops Manager names it in its first
// parameter, and the word that a clause about the address starts with.
func callerOf(e *opsmanager.Error) string {
	if len(e.Parameters) > 0 {
		if address, err := netip.ParseAddr(e.Parameters[0]); err == nil {
			return address.String() + ", which"
		}
	}
	return "an address that"
}

// otherListOf returns what a call of the administration requires in addition to the access list of the API key, as a clause.
func otherListOf(e *opsmanager.Error) string {
	if strings.Contains(e.Path, "/admin/") {
		return " and to the global access list, which calls of /admin use, and where it may take five minutes to count"
	}
	return ""
}

// IsNotAPI reports whether the response seems to come from a proxy or another server instead of the
// API.
func IsNotAPI(e *opsmanager.Error) bool { return topic(e) == "not the API" }

// topic returns the key of the advice for an error without a known code.
func topic(e *opsmanager.Error) string {
	isForbidden := e.Status == http.StatusForbidden
	switch {
	case e.Stale:
		return "401 stale"
	case strings.HasPrefix(e.Code, "INVALID_") && e.Method != http.MethodDelete:
		return fmt.Sprintf("INVALID_* %d", e.Status)
	case e.Code != "" && (e.Status == http.StatusUnauthorized || isForbidden):
		return "" // the detail says why
	case e.Unchallenged && e.AsksFor != "":
		return "401 other challenge"
	case e.Unchallenged:
		return "401 unchallenged"
	case e.RedirectedTo != "":
		return "3xx"
	case e.Status < http.StatusBadRequest:
		return "not the API"
	case e.Status >= http.StatusInternalServerError && e.Status != http.StatusNotImplemented:
		return "5xx"
	case !e.Document && (e.Status == http.StatusBadRequest || e.Status == http.StatusNotFound || isForbidden && e.Detail != ""):
		return "not the API"
	}
	return fmt.Sprint(e.Status)
}

const (
	wrongKey         = "Ops Manager rejected the API key. Check that public_key and private_key belong to the same API key of this Ops Manager, and that the key has not been deleted."
	missingRole      = "The key pair is valid, but its API key lacks a role that this call requires: {role}. Grant it on the API key's page in Ops Manager."
	notOnAccessList  = "The key pair is valid, but this call came from {caller} is not on the API key's access list. Add the address on the API key's page in Ops Manager{list}. If you connect through a proxy or NAT, this is its address."
	readOnlyField    = "This version of Ops Manager ({version}) does not allow this field to be set, or not to this value. Check the value. If the attribute is not required, remove it from the configuration."
	rejectedRequest  = "This version of Ops Manager ({version}) did not accept the request of the provider. If its documentation says that it should, report this message to the provider's developers."
	rejectedValue    = "This version of Ops Manager ({version}) rejects this value. Accepted values differ between versions. Configure one that it accepts. If the attribute is not required, you can also remove it to keep the current value."
	missingOperation = "This version of Ops Manager ({version}) does not support this operation."
	missingFeature   = "This Ops Manager ({version}) does not offer this feature with its configuration or plan. Ask its administrator, or remove the feature from the configuration."
	rateLimited      = "Ops Manager is rate-limiting requests. Lower -parallelism, or raise max_retries."

	checkProxy = "Check base_url and any proxy in between."
)

// GeneralCodes has the advice on what calls about any resource type can fail with: codes, statuses without a code, and
// responses of other servers. AdviceFor fills in the role that the call requires, the version
// that Ops Manager reported, the address that it redirected to, and the address of the caller.
//
// Source of the codes: https://www.mongodb.com/docs/ops-manager/current/reference/api/
var GeneralCodes = Codes{Advice: map[string]string{
	"NO_CURRENT_USER":               wrongKey,
	"USER_UNAUTHORIZED":             missingRole,
	"NOT_GLOBAL_USER_ADMIN":         missingRole,
	"NOT_ORG_ADMIN":                 missingRole,
	"IP_ADDRESS_NOT_ON_ACCESS_LIST": notOnAccessList,
	"IP_ADDRESS_NOT_ON_WHITELIST":   notOnAccessList,
	"ORG_REQUIRES_ACCESS_LIST":      notOnAccessList,
	"RESOURCE_REQUIRES_ACCESS_LIST": notOnAccessList,
	"RESOURCE_REQUIRES_WHITELIST":   notOnAccessList,

	"SNAPSHOT_NOT_FOUND": "The cluster has no snapshot with this ID. It may be a snapshot of a different cluster, or Ops Manager may have deleted it after it expired. Check both IDs.",

	"INVALID_* 400":              rejectedValue,
	"ATTRIBUTE_NEGATIVE":         rejectedValue,
	"ATTRIBUTE_NEGATIVE_OR_ZERO": rejectedValue,
	"INVALID_* 404":              "Ops Manager rejected an ID in this path as malformed. Check the IDs in the configuration.",

	"INVALID_ATTRIBUTE":            readOnlyField,
	"ATTRIBUTE_READ_ONLY":          readOnlyField,
	"GROUP_MISMATCH":               rejectedRequest,
	"INVALID_JSON":                 rejectedRequest,
	"INVALID_JSON_ATTRIBUTE":       rejectedRequest,
	"INVALID_QUERY_PARAMETER":      rejectedRequest,
	"MISSING_ATTRIBUTE":            rejectedRequest,
	"MISSING_OR_INVALID_ATTRIBUTE": rejectedRequest,
	"MISSING_ONE_OF_ATTRIBUTES":    rejectedRequest,

	"FEATURE_UNSUPPORTED":            missingFeature,
	"UNSUPPORTED_FOR_CURRENT_CONFIG": missingFeature,
	"UNSUPPORTED_FOR_CURRENT_PLAN":   missingFeature,

	"RESOURCE_NOT_FOUND": "This version of Ops Manager ({version}) does not have this path. Upgrade Ops Manager to a version that has it, or remove this from the configuration.",
	"RATE_LIMITED":       rateLimited,

	"WRITES_NOT_ALLOWED_DURING_APP_UPGRADES": "Ops Manager is being upgraded and rejects changes until then. Apply again after the upgrade.",

	// Without a code.
	"3xx": "The server redirects to {address}. The provider does not follow redirects, so that it uses the key pair with the configured address only. " +
		"Set base_url to the address of the API itself.",
	"401": wrongKey + " Ops Manager would name a missing role, or an address that is not on the access list.",
	"401 unchallenged": "The server returned 401 without requesting Digest credentials, so the key was not used. " +
		"A proxy or SSO page in front of Ops Manager probably answered. " + checkProxy,
	"401 other challenge": "The provider supports HTTP Digest with the algorithms MD5, SHA-256, SHA-512 and SHA-512-256. The server requested something else, so the key was not used. " +
		"A proxy or SSO page in front of Ops Manager may have answered. " + checkProxy,
	"401 stale": "The server rejects each nonce as stale, even if it has just issued it, so it never checks the key. " +
		"A load balancer may send requests to servers that don't accept each other's nonces. Configure it to send all requests of a client to one server, or set base_url to the address of one server.",
	"403": "Ops Manager does not say why. Check that the API key has {role}, and that the address of this machine is on the key's access list.",
	"404": "Ops Manager has no such object. Check the IDs in the configuration.",
	"405": missingOperation,
	"407": "The proxy requires a user name and a password, or rejected the ones that it received. Put them into the environment variable HTTPS_PROXY, or into HTTP_PROXY if base_url starts with http://, " +
		"as in http://user:password@proxy.example.com:3128. Remove proxy_url, because it takes precedence. The provider supports Basic authentication only.",
	"429":         rateLimited,
	"501":         missingOperation,
	"5xx":         "Ops Manager, or a proxy in front of it, failed. If the error persists, check the log of the Ops Manager application.",
	"not the API": "This is not a response of the Ops Manager API: a proxy or another server answered. The provider ignored it. " + checkProxy,
}}

// RateLimited is the advice on a limit of requests for what has the attribute concurrency.
const RateLimited = "Ops Manager is rate-limiting requests. Lower concurrency or -parallelism, or raise max_retries."

// Concurrent has the advice for what has the attribute concurrency.
var Concurrent = Codes{Advice: map[string]string{"RATE_LIMITED": RateLimited, "429": RateLimited}}

// Cause is a kind of failure without a response of the API that can be used.
type Cause struct {
	Name   string // in the troubleshooting guide
	Advice string
	is     func(*opsmanager.Error) bool
}

// Causes are the kinds of failures, with the advice on each. The first one that fits is that of a failure.
var Causes = []Cause{
	{"an interruption", "The run was interrupted. The state contains everything that was applied before.", is(context.Canceled)},
	{"an invalid ID", "No request was sent. Correct the ID in the configuration or the Terraform state.", is(opsmanager.ErrInvalidID)},
	{"407", GeneralCodes.Advice["407"], func(e *opsmanager.Error) bool {
		refusal, ok := errors.AsType[opsmanager.ProxyRefusal](e.Err)
		return ok && refusal == http.StatusProxyAuthRequired
	}},
	{"a refusal of the proxy", "Nothing was sent to Ops Manager. Check that the proxy allows connections to the host and the port of base_url. " +
		"To connect without it, remove proxy_url, or add the host to the environment variable NO_PROXY.", as[opsmanager.ProxyRefusal]},
	{"an expired certificate", "By this machine's clock, the certificate of Ops Manager, or of a proxy in front of it, has expired or is not valid yet. Renew the certificate, or correct the clock.",
		func(e *opsmanager.Error) bool {
			certificate, ok := errors.AsType[x509.CertificateInvalidError](e.Err)
			return ok && certificate.Reason == x509.Expired
		}},
	{"a certificate for a different host", "The certificate of Ops Manager is for a different host name. If that name also leads to Ops Manager, use it in base_url. " +
		"Otherwise have a certificate issued for the name in base_url.", as[x509.HostnameError]},
	{"an untrusted certificate", "The certificate of Ops Manager is not trusted. If a private CA signed it, set ca_cert_file to a file with that CA's certificate.", as[*tls.CertificateVerificationError]},
	{"an old version of TLS", "The provider requires TLS 1.2 or 1.3. Enable one of them in Ops Manager, or in the proxy in front of it.",
		func(e *opsmanager.Error) bool { return opsmanager.IsOldTLS(e.Err) }},
	{"a refused client certificate", "Ops Manager, or a proxy, requires a client certificate, and received none or refused it. " +
		"Set client_cert_file and client_key_file to one of a CA that it trusts.",
		func(e *opsmanager.Error) bool { return opsmanager.IsAlert(e.Err, "certificate") }},
	{"a port without TLS", "The server does not use TLS on this port. If this Ops Manager serves plain HTTP, use http:// in base_url.",
		func(e *opsmanager.Error) bool {
			return as[tls.RecordHeaderError](e) || errors.Is(e.Err, http.ErrSchemeMismatch)
		}},
	{"an incomplete list", "The provider did not use the list, because Terraform would treat a missing item as deleted. The list may have been changing, so run Terraform again. " +
		"If the error persists, check that no proxy or gateway in front of Ops Manager drops or caches the query parameters pageNum and itemsPerPage. " +
		"If Ops Manager itself counts more items than it lists, report that to its administrator.", is(opsmanager.ErrIncompleteList)},
	{"an item without an ID", "The provider can't tell what follows from such an item, so it did not use the list. Run Terraform again. If the error persists, report to the administrator of Ops Manager that this list has such an item.",
		is(opsmanager.ErrUnidentified)},
	{nullInAList, removeNull + " If the Terraform state has the object, 'terraform state rm ADDRESS' removes it only from there.", is(opsmanager.ErrNullElement)},
	{"a response about a different object", "The provider did not use the response. A cache or proxy in front of Ops Manager may have mixed up responses. " + checkProxy, is(opsmanager.ErrOtherObject)},
	{"an undocumented response", "This is not a documented response of the Ops Manager API. A login page, a proxy or another server may have answered. The provider ignored the response. " + checkProxy,
		func(e *opsmanager.Error) bool {
			return e.Status != 0 || errors.Is(e.Err, opsmanager.ErrResponseTooLarge)
		}},
	{"a slow change", "Ops Manager may still be working on the request. If it needs longer, raise the resource's timeouts.",
		func(e *opsmanager.Error) bool { return opsmanager.IsWriteTimeout(e.Err) }},
	{"a timeout", "Check base_url, any proxy and the network. If this Ops Manager is slow, raise request_timeout or max_retries.",
		func(e *opsmanager.Error) bool {
			network, ok := errors.AsType[net.Error](e.Err)
			return ok && network.Timeout()
		}},
	{"a rejected connection", "Ops Manager, or a proxy, closed the connection. Check base_url and the network. If it requires a client certificate, set client_cert_file and client_key_file.",
		func(e *opsmanager.Error) bool {
			return opsmanager.IsAlert(e.Err, "") || errors.Is(e.Err, opsmanager.ErrCertificateRequested)
		}},
	{"no connection", "Ops Manager could not be reached. Check base_url, any proxy and the network. To wait longer or retry more often, raise request_timeout or max_retries.",
		func(*opsmanager.Error) bool { return true }},
}

const (
	nullInAList = "a null in a list"
	removeNull  = "A request can't keep a null in a list, so the provider neither uses nor changes such an object. Remove the null in Ops Manager."
)

// is reports whether a failure has a cause.
func is(cause error) func(*opsmanager.Error) bool {
	return func(e *opsmanager.Error) bool { return errors.Is(e.Err, cause) }
}

// as reports whether a failure has a cause of a type.
func as[T error](e *opsmanager.Error) bool {
	_, ok := errors.AsType[T](e.Err)
	return ok
}

// roles says how advice names each role.
var roles = map[opsmanager.Role]string{
	opsmanager.ProjectReadOnly:        "Project Read Only, or a higher role, in this project",
	opsmanager.ProjectBackupAdmin:     "Project Backup Admin or Project Owner in this project",
	opsmanager.ProjectMonitoringAdmin: "Project Monitoring Admin or Project Owner in this project",
	opsmanager.ProjectAutomationAdmin: "Project Automation Admin or Project Owner in this project",
	opsmanager.TimeRangeReader:        "Project Backup Admin or Project Owner in this project, or Global Read Only or Global Backup Admin",
	opsmanager.SnapshotDeleter:        "Project Backup Admin or Project Owner in this project (Global Backup Admin within the point-in-time window)",
	opsmanager.GlobalBackupAdmin:      "Global Backup Admin, which only a global API key can have",
}

// Sentence returns the text of an error as a sentence.
func Sentence(err error) string {
	text := strings.TrimSpace(err.Error())
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "\"") {
		text += "."
	}
	return text
}

// OrDash returns a printable text, or a dash for nil.
func OrDash(text *string) string {
	if text == nil {
		return "-"
	}
	return opsmanager.Sanitize(*text)
}

// WarnOfVersion warns of a call or a field that Ops Manager has since a version, if it last reported an earlier one. It may be
// upgraded before the apply.
func WarnOfVersion(client *opsmanager.Client, since opsmanager.Version, attribute, what string, diags *diag.Diagnostics) {
	if reported := client.VersionBefore(since); reported != nil {
		diags.AddAttributeWarning(path.Root(attribute), fmt.Sprintf("Ops Manager %s Lacks %s", reported, what),
			fmt.Sprintf("According to its documentation, Ops Manager has that since version %s, and it reports %s. So the apply will fail, unless Ops Manager is upgraded before.", since, reported))
	}
}

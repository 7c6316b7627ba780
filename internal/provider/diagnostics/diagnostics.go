// Package diagnostics tells users what failed, what Ops Manager said, and what to do.
package diagnostics

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// Failure returns the diagnostic of a failed call: what could not be done, what Ops
// Manager said, and what to do next. The tables map codes and field names of the API
// to attributes. The error is on the first attribute that the code, the parameters
// or the detail name.
func Failure(summary string, err error, tables ...map[string]string) diag.Diagnostic {
	var e *opsmanager.Error
	if errors.As(err, &e) {
		words := strings.FieldsFunc(e.Detail, func(r rune) bool { return !unicode.IsLetter(r) })
		// In a sentence, only camel case tells a field from a word such as 'completed'.
		words = slices.DeleteFunc(words, func(word string) bool { return word == strings.ToLower(word) })
		for _, name := range slices.Concat([]string{e.Code}, e.Parameters, words) {
			for _, attributes := range tables {
				if attribute, ok := attributes[name]; ok {
					return diag.NewAttributeErrorDiagnostic(path.Root(attribute), summary, Explain(err))
				}
			}
		}
	}
	return diag.NewErrorDiagnostic(summary, Explain(err))
}

// Explain returns the detail of a failed call's diagnostic: the error, and what to
// do about it.
func Explain(err error) string {
	var help []string
	var e *opsmanager.Error
	if errors.As(err, &e) {
		help = append(help, AdviceFor(e))
	}
	if opsmanager.MayHaveChanged(err) {
		help = append(help, mayHaveChanged)
	}
	return strings.TrimSpace(Sentence(err) + "\n\n" + strings.TrimSpace(strings.Join(help, " ")))
}

const mayHaveChanged = "The change may have taken effect. Run terraform plan to see."

// AdviceFor returns what to do about a failed call, or "" if there is no advice. It
// relies on the answer alone: it never guesses between a wrong key and a missing role.
func AdviceFor(e *opsmanager.Error) string {
	if e.Err != nil {
		return adviceByCause(e)
	}
	return strings.NewReplacer(
		"{address}", cmp.Or(e.RedirectedTo, "another address"),
		"{role}", roleFor(e),
		"{version}", cmp.Or(e.ServiceVersion, "it did not say which"),
	).Replace(advice[topic(e)])
}

// IsNotAPI reports whether a proxy or another server seems to have answered instead of
// the API.
func IsNotAPI(e *opsmanager.Error) bool { return topic(e) == "not the API" }

// Topics returns the codes and statuses that there is advice on, sorted.
func Topics() []string { return slices.Sorted(maps.Keys(advice)) }

// topic finds what there is advice on: the code of a refusal, or else its status.
func topic(e *opsmanager.Error) string {
	_, known := advice[e.Code]
	switch {
	case known:
		return e.Code
	case strings.HasPrefix(e.Code, "INVALID_") && e.Method != http.MethodDelete:
		return fmt.Sprintf("INVALID_* %d", e.Status)
	case e.Code != "" && (e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden):
		return "" // the service says why, in words of its own
	case e.Unchallenged && e.AsksFor != "":
		return "401 other challenge"
	case e.Unchallenged:
		return "401 unchallenged"
	case e.Status < http.StatusMultipleChoices:
		return "not the API"
	case e.Status < http.StatusBadRequest:
		return "3xx"
	case e.Status >= http.StatusInternalServerError && e.Status != http.StatusNotImplemented:
		return "5xx"
	case e.Status == http.StatusConflict && strings.HasSuffix(e.Path, "/snapshotSchedule"):
		return "409 schedule"
	case !e.Document && (e.Status == http.StatusBadRequest || e.Status == http.StatusNotFound || e.Status == http.StatusForbidden && e.Detail != ""):
		return "not the API"
	}
	return fmt.Sprint(e.Status)
}

const (
	noKey        = "Ops Manager does not accept the key pair. Check that public_key and private_key belong to one API key of this Ops Manager, and that the key has not been deleted."
	noRole       = "The key pair is right, but its API key lacks the role that this call needs: {role}. Grant it in Ops Manager, on the API key's page."
	noSetting    = "This version of Ops Manager ({version}) does not let this be set. Leave the attribute out of the configuration."
	notTaken     = "The provider sent what this version of Ops Manager ({version}) does not take. If its documentation says that it should, report this message to the provider's developers."
	notServed    = "This version of Ops Manager ({version}) does not serve that operation."
	notHere      = "This Ops Manager ({version}) does not offer this with its configuration or its plan. Ask its administrator, or remove this from the configuration."
	refusedValue = "This version of Ops Manager ({version}) does not take this value; which values it takes differs between versions. Configure one that it takes, or leave the attribute out to keep what the service has."
	tooMany      = "The service limits how many requests it takes. Lower -parallelism, or raise max_retries."
)

// advice says what to do about each code of the API's error document, and about
// each status that comes without one. The role that a call needs, the version
// that the service reported and the address that it points to are filled in.
//
// Source of the codes: https://www.mongodb.com/docs/ops-manager/current/reference/api/
var advice = map[string]string{
	"NO_CURRENT_USER":       noKey,
	"USER_UNAUTHORIZED":     noRole,
	"NOT_GLOBAL_USER_ADMIN": noRole,
	"NOT_ORG_ADMIN":         noRole,
	"NOT_IN_GROUP":          "There is no such project, or the API key has no role in it: the service does not tell which. Check the project id, and the projects on the API key's page.",
	"IP_ADDRESS_NOT_ON_ACCESS_LIST": "The key pair is right, but the address that this call came from is not on the API key's access list. " +
		"Add it in Ops Manager, on the API key's page; behind a proxy or a NAT it is that one's address.",

	"GROUP_NOT_FOUND":         "There is no project with this id. Check the project id.",
	"GROUP_NAME_NOT_FOUND":    "The API key sees no project of this name. Check how it is spelled, or look the project up by its id.",
	"CLUSTER_NOT_FOUND":       "The project has no cluster with this id. Check the cluster id, and that the cluster is monitored in this project.",
	"HOST_NOT_FOUND":          "The project has no host with this id. Check the host id.",
	"BACKUP_CONFIG_NOT_FOUND": "This cluster has no backup configuration in this project. Check both ids, and that Ops Manager monitors the cluster and backup has been started for it.",
	"CANNOT_GET_BACKUP_CONFIG_INVALID_STATE": "The backup of this cluster is not started, or Ops Manager does not monitor the cluster yet. " +
		"Start its backup in Ops Manager first, then apply again.",
	"CANNOT_MODIFY_SHARD_BACKUP_CONFIG": "This id is that of one shard. Only the schedule of the whole sharded cluster can be changed: use its id, which the service names above.",
	"NOT_SHARDED":                       "Only replica sets and whole sharded clusters have a schedule. Use the id of one of these.",

	"CANNOT_SET_CLUSTER_CHECKPOINT_INTERVAL_FOR_REPLICA_SET": "Checkpoints exist for sharded clusters only, and this is a replica set. Remove cluster_checkpoint_interval_min.",
	"UPGRADE_FOR_CLUSTER_CHECKPOINT_INTERVAL":                "The agents of this cluster are too old for checkpoints. Upgrade them, or remove cluster_checkpoint_interval_min.",
	"CANNOT_SET_POINT_IN_TIME_WINDOW":                        "This service does not let the window be set for this cluster. Remove point_in_time_window_hours.",
	"INVALID_REFERENCE_TIME_OF_DAY_MISSING_FIELDS":           "This version of Ops Manager ({version}) accepts the hour and the minute only together. Configure both reference_hour_of_day and reference_minute_of_hour.",
	"CANNOT_SET_REF_TIME_OF_DAY":                             "This service does not let the time of day be set for this cluster. Remove reference_hour_of_day, reference_minute_of_hour and reference_time_zone_offset.",

	"NOT_CONFIG_SERVER": "This listing works for mirrored config servers only, which MongoDB 3.4 did away with. Config servers that are a replica set are part of their cluster's snapshots: " +
		"use the data source opsmanager_cluster_snapshots.",

	"INVALID_* 400":              refusedValue,
	"ATTRIBUTE_NEGATIVE":         refusedValue,
	"ATTRIBUTE_NEGATIVE_OR_ZERO": refusedValue,
	"INVALID_* 404":              "The service takes an identifier in this path for malformed. Check the ids in the configuration.",

	"INVALID_ATTRIBUTE":            noSetting,
	"ATTRIBUTE_READ_ONLY":          noSetting,
	"GROUP_MISMATCH":               notTaken,
	"INVALID_JSON":                 notTaken,
	"INVALID_JSON_ATTRIBUTE":       notTaken,
	"INVALID_QUERY_PARAMETER":      notTaken,
	"MISSING_ATTRIBUTE":            notTaken,
	"MISSING_OR_INVALID_ATTRIBUTE": notTaken,
	"MISSING_ONE_OF_ATTRIBUTES":    notTaken,

	"FEATURE_UNSUPPORTED":            notHere,
	"UNSUPPORTED_FOR_CURRENT_CONFIG": notHere,
	"UNSUPPORTED_FOR_CURRENT_PLAN":   notHere,

	"RESOURCE_NOT_FOUND": "This path is not known to this version of Ops Manager ({version}). Upgrade Ops Manager to one that has it, or remove this from the configuration.",
	"RATE_LIMITED":       tooMany,

	// The service said no more than the status.
	"3xx": "The service points to {address} instead of answering. Redirects are not followed, so that the key pair is used with the configured address only: " +
		"set base_url to the address that serves the API itself.",
	"401": noKey + " A missing role or an address that is not on the access list would be named.",
	"401 unchallenged": "Nothing asked for the key pair, so that it was not used: what answers is not Ops Manager, but a proxy or a single sign-on before it. " +
		"Check base_url and any proxy in between.",
	"401 other challenge": "The provider authenticates with HTTP Digest and the algorithm MD5, SHA-256, SHA-512 or SHA-512-256, so the key pair was not used. " +
		"What answers may be a proxy or a single sign-on before Ops Manager. Check base_url and any proxy in between.",
	"403":          "The service does not say why. Check that the API key has {role}, and that the address of this machine is on the key's access list.",
	"404":          "The service has no such object. Check the ids in the configuration.",
	"405":          notServed,
	"409 schedule": "A schedule can be changed only once the backup of its cluster is started. If it is not, start it in Ops Manager first, then apply again.",
	"429":          tooMany,
	"501":          notServed,
	"5xx":          "Ops Manager, or a proxy in front of it, failed. If it persists, look at the log of the Ops Manager application.",
	"not the API":  "This is not an answer of the Ops Manager API: a proxy or another server stands at that address. Nothing was concluded from it. Check base_url and any proxy in between.",
}

// adviceByCause is for calls that got no answer, or one that cannot be read.
func adviceByCause(e *opsmanager.Error) string {
	var (
		untrusted   *tls.CertificateVerificationError
		certificate x509.CertificateInvalidError
		wrongHost   x509.HostnameError
		notTLS      tls.RecordHeaderError
		network     net.Error
		alert       *net.OpError
	)
	switch {
	case errors.Is(e.Err, context.Canceled):
		return "The run was interrupted. What was applied before is in the state."
	case errors.As(e.Err, &certificate) && certificate.Reason == x509.Expired:
		return "The certificate of Ops Manager, or of a proxy in front of it, is not valid at the time of this machine's clock. Have it renewed, or set the clock."
	case errors.As(e.Err, &wrongHost):
		return "The certificate of Ops Manager is for another host name. If Ops Manager has that name too, use that name in base_url. Otherwise have a certificate issued for the name in base_url."
	case errors.As(e.Err, &untrusted):
		return "The certificate of Ops Manager is not trusted. If a private authority signed it, name that authority's certificate in ca_cert_file."
	case opsmanager.IsOldTLS(e.Err):
		return "The provider speaks TLS 1.2 and 1.3 only. Enable one of them in Ops Manager, or in the proxy in front of it."
	case errors.As(e.Err, &alert) && alert.Op == "remote error":
		return "Ops Manager, or a proxy in front of it, refused the TLS connection. If it demands a client certificate, name one in client_cert_file and client_key_file."
	case errors.As(e.Err, &notTLS), errors.Is(e.Err, http.ErrSchemeMismatch):
		return "That port does not speak TLS. If this Ops Manager serves plain HTTP, say http:// in base_url."
	case errors.Is(e.Err, opsmanager.ErrIncompleteList):
		return "The list was not used: Terraform would take an item that it lacks for deleted. Run Terraform again in case the list was changing. " +
			"If the error stays, check that no proxy or gateway in front of Ops Manager drops or caches the query parameters pageNum and itemsPerPage. " +
			"If Ops Manager itself counts more items than it lists, report that to its administrator."
	case errors.Is(e.Err, opsmanager.ErrOtherObject):
		return "The answer was not used. A cache or a proxy in front of Ops Manager may mix up answers: check base_url and any proxy in between."
	case e.Status != 0, errors.Is(e.Err, opsmanager.ErrAnswerTooLarge):
		return "What answered is not the Ops Manager API as it is documented: a login page, a proxy, or another server. Nothing was concluded from it. Check base_url and any proxy in between."
	case errors.As(e.Err, &network) && network.Timeout():
		return "Check base_url, proxy_url and the network. If this Ops Manager is slow, request_timeout and max_retries make the provider more patient."
	}
	return "Ops Manager could not be reached. Check base_url, proxy_url and the network; request_timeout and max_retries say how patient the provider is."
}

// roleFor names the smallest role that the documentation of roles suggests.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/user-roles/
func roleFor(e *opsmanager.Error) string {
	switch {
	case strings.HasPrefix(e.Path, "/admin/"):
		return "Global Backup Admin, which only a global API key can have"
	case e.Method == http.MethodGet:
		return "Project Read Only, or a role above it, in this project"
	}
	return "Project Backup Admin, or Project Owner, in this project"
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

// OrDash returns a text of an answer, printable, or a dash if the answer has none.
func OrDash(text *string) string {
	if text == nil {
		return "-"
	}
	return opsmanager.Sanitize(*text)
}

// WarnWithoutID adds a warning about the items of a list that have no ID. The noun
// names one item, and attribute is the one that is null. identify returns the ID of
// an item, and a label to tell it by.
func WarnWithoutID[T any](diags *diag.Diagnostics, items []T, title, noun, attribute string, identify func(T) (id, label *string)) {
	var labels []string
	for _, item := range items {
		if id, label := identify(item); id == nil || *id == "" {
			labels = append(labels, fmt.Sprintf("%q", OrDash(label)))
		}
	}
	switch len(labels) {
	case 0:
		return
	case 1:
	default:
		noun += "s"
	}
	diags.AddWarning(title, fmt.Sprintf("Ops Manager lists %d %s without an id: %s. The %s of such a result is null, so that nothing can refer to it. Check the %s in Ops Manager.",
		len(labels), noun, strings.Join(labels, ", "), attribute, noun))
}

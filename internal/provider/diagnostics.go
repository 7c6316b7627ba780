package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
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

// failure tells of a failed call: what could not be done, what the service said,
// and what to do next. The table has the attribute for each code and for each
// field of the API that the service may name; the first one named gets the error.
func failure(summary string, err error, attributes map[string]string) diag.Diagnostic {
	detail := sentence(err)
	var e *opsmanager.Error
	if !errors.As(err, &e) {
		return diag.NewErrorDiagnostic(summary, detail)
	}
	if advice := adviceFor(e); advice != "" {
		detail += "\n\n" + advice
	}
	words := strings.FieldsFunc(e.Detail, func(r rune) bool { return !unicode.IsLetter(r) })
	for _, name := range slices.Concat([]string{e.Code}, e.Parameters, words) {
		if attribute, ok := attributes[name]; ok {
			return diag.NewAttributeErrorDiagnostic(path.Root(attribute), summary, detail)
		}
	}
	return diag.NewErrorDiagnostic(summary, detail)
}

// adviceFor says what to do about a failed call. It speaks only of what the
// service has said: it never guesses between a wrong key and a missing role.
//
// Source of the codes: https://www.mongodb.com/docs/ops-manager/current/reference/api/
func adviceFor(e *opsmanager.Error) string {
	if advice, ok := adviceByCode[e.Code]; ok {
		return advice
	}
	switch {
	case e.Err != nil:
		return adviceByCause(e)
	case e.RedirectedTo != "":
		return fmt.Sprintf("The service points to %s instead of answering. Redirects are not followed, so that the key pair is used with the configured address only: "+
			"set base_url to the address that serves the API itself.", e.RedirectedTo)
	case e.Code == "RESOURCE_NOT_FOUND":
		return fmt.Sprintf("This path is not known to this version of Ops Manager (%s). Use a version that has it.", orUnknown(e.ServiceVersion))
	case strings.HasPrefix(e.Code, "INVALID_") && e.Status == http.StatusNotFound:
		return "The service takes an identifier in this path for malformed. Check the ids in the configuration."
	case e.Code == "USER_UNAUTHORIZED", e.Code == "NOT_GLOBAL_USER_ADMIN", e.Code == "NOT_ORG_ADMIN":
		return "The key pair is right, but its API key lacks the role that this call needs: " + roleFor(e) + ". " +
			"Grant it in Ops Manager, on the API key's page."
	case e.Status == http.StatusUnauthorized && e.Code == "":
		return "Ops Manager does not accept the key pair. Check that public_key and private_key belong to one API key of this Ops Manager, and that the key has not been deleted. " +
			"A missing role or an address that is not on the access list would be named."
	case e.Status == http.StatusForbidden && e.Code == "":
		return "The service does not say why. Check that the API key has " + roleFor(e) + ", and that the address of this machine is on the key's access list."
	case e.Status == http.StatusTooManyRequests:
		return "The service limits how many requests it takes. Lower -parallelism, or raise max_retries."
	case e.Status == http.StatusNotFound && !e.Document:
		return "This is not an answer of the Ops Manager API: a proxy or another server stands at that address. Nothing was concluded from it. Check base_url and what lies between."
	case e.Status == http.StatusMethodNotAllowed, e.Status == http.StatusNotImplemented:
		return fmt.Sprintf("This version of Ops Manager (%s) does not serve that operation.", orUnknown(e.ServiceVersion))
	case e.Status >= http.StatusInternalServerError:
		return "Ops Manager, or a proxy in front of it, failed. If it persists, look at the log of the Ops Manager application."
	}
	return ""
}

var adviceByCode = map[string]string{
	"NOT_IN_GROUP":    "There is no such project, or the API key has no role in it: the service does not tell which. Check the project id, and the projects on the API key's page.",
	"NO_CURRENT_USER": "Ops Manager does not accept the key pair. Check that public_key and private_key belong to one API key of this Ops Manager.",
	"IP_ADDRESS_NOT_ON_ACCESS_LIST": "The key pair is right, but the address that this call came from is not on the API key's access list. " +
		"Add it in Ops Manager, on the API key's page; behind a proxy or a NAT it is that one's address.",

	"GROUP_NOT_FOUND":                        "There is no project with this id. Check the project id.",
	"CLUSTER_NOT_FOUND":                      "The project has no cluster with this id. Check the cluster id, and that the cluster is monitored in this project.",
	"BACKUP_CONFIG_NOT_FOUND":                "This cluster has no backup configuration in this project. Check both ids, and that Ops Manager monitors the cluster and backup has been started for it.",
	"CANNOT_GET_BACKUP_CONFIG_INVALID_STATE": "Ops Manager does not monitor this cluster, or not yet. Wait until it shows the cluster, then apply again.",
	"CANNOT_MODIFY_SHARD_BACKUP_CONFIG":      "This id is that of one shard. Only the schedule of the whole sharded cluster can be changed: use its id, which the service names above.",
	"NOT_SHARDED":                            "Only replica sets and whole sharded clusters have a schedule. Use the id of one of these.",

	"CANNOT_SET_CLUSTER_CHECKPOINT_INTERVAL_FOR_REPLICA_SET": "Checkpoints exist for sharded clusters only, and this is a replica set. Remove cluster_checkpoint_interval_min.",
	"UPGRADE_FOR_CLUSTER_CHECKPOINT_INTERVAL":                "The agents of this cluster are too old for checkpoints. Upgrade them, or remove cluster_checkpoint_interval_min.",
	"CANNOT_SET_POINT_IN_TIME_WINDOW":                        "This service does not let the window be set for this cluster. Remove point_in_time_window_hours.",
	"CANNOT_SET_REF_TIME_OF_DAY":                             "This service does not let the time of day be set for this cluster. Remove reference_hour_of_day, reference_minute_of_hour and reference_time_zone_offset.",

	"NOT_CONFIG_SERVER": "This listing works for mirrored config servers only, which MongoDB 3.4 did away with. Snapshots of a sharded cluster with a replica set of config servers are listed for the cluster, " +
		"at /groups/{project_id}/clusters/{cluster_id}/snapshots.",
	"HOST_NOT_FOUND": "The project has no host with this id. Check the host id.",

	"RATE_LIMITED": "The service limits how many requests it takes. Lower -parallelism, or raise max_retries.",
}

// adviceByCause is for calls that got no answer, or one that cannot be read.
func adviceByCause(e *opsmanager.Error) string {
	var (
		untrusted *tls.CertificateVerificationError
		notTLS    tls.RecordHeaderError
		network   net.Error
	)
	switch {
	case errors.Is(e.Err, context.Canceled):
		return "The run was interrupted. What was applied before is in the state."
	case errors.As(e.Err, &untrusted):
		return "The certificate of Ops Manager is not trusted. If a private authority signed it, name that authority's certificate in ca_cert_file; " +
			"if it is for another host name, use that name in base_url."
	case errors.As(e.Err, &notTLS):
		return "That port does not speak TLS. If this Ops Manager serves plain HTTP, say http:// in base_url."
	case e.Status != 0:
		return "What answered is not the Ops Manager API as it is documented: a login page, a proxy, or another server. Nothing was concluded from it. Check base_url and what lies between."
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

func orUnknown(version string) string {
	if version == "" {
		return "it did not say which"
	}
	return version
}

// sentence makes a sentence of an error's text.
func sentence(err error) string {
	text := strings.TrimSpace(err.Error())
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "\"") {
		text += "."
	}
	return text
}

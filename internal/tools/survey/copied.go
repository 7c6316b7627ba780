package main

import (
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// copiedList returns the documents of a list, which may be nil.
func copiedList[T any](list *opsmanager.List[T]) []map[string]any {
	var found []map[string]any
	if list != nil {
		for _, item := range list.Results {
			found = append(found, copied(item))
		}
	}
	return found
}

// copied returns an object of the client as a JSON document without secrets. The fields of the client's
// struct are the ones that may be copied: an unknown field may be a secret. Links lead to the copied Ops
// Manager, and are left out.
func copied(object any) map[string]any {
	document := map[string]any{}
	copyFields(document, reflect.ValueOf(object))
	return document
}

func copyFields(document map[string]any, object reflect.Value) {
	for field, value := range object.Fields() {
		name, option, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			copyFields(document, value)
		case name == "-" || name == "links" || option == "omitempty" && value.IsZero():
		default:
			if held := copiedValue(name, value); held != nil {
				document[name] = held
			}
		}
	}
}

// copiedValue returns the value of a field in a document, or nil if it is missing.
func copiedValue(name string, value reflect.Value) any {
	switch value.Kind() {
	case reflect.Pointer: // what nil points to has no kind, and becomes nil below
		return copiedValue(name, value.Elem())
	case reflect.Slice:
		if value.IsNil() {
			return nil
		}
		elements := make([]any, value.Len())
		for i := range elements {
			elements[i] = copiedValue(name, value.Index(i))
		}
		return elements
	case reflect.Struct:
		return copied(value.Interface())
	case reflect.String:
		return withoutSecret(name, value.String())
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		return value.Interface()
	}
	return nil // it may have a secret
}

// leftOut takes the place of a secret.
const leftOut = "left-out-of-the-copy"

// All text fields of copied objects. A field that is in none of the lists is left out, as a secret.
var (
	// keptTexts are copied as they are.
	keptTexts = fields(`
		aliases authMechanismName batchId clientId clusterId clusterName completedTime compressionSetting
		created date deploymentDescription deploymentId excludedNamespaces expires fcv fileName filename
		filterList filterType fullIncrementalDayOfWeek groupId hash headDiskType headRootDirectory hostId
		hostname id includedNamespaces kmipClientCertPath labelFilter labels lastHeartbeat machine machineId
		masterKeyUUID method methodName mmapv1CompressionSetting mongodVersion name objectLockEnabledAt
		objectRetentionMode orgId preferredMember referenceTimeZoneOffset replicaSetName replicaState rsId
		s3AuthMethod s3BucketName s3RegionOverride shardName snapshotId snapshotStoreId snapshotStoreType
		state statusName storageEngineName storePath syncStoreFilter tags type typeName username version writeConcern
		wtCompressionSetting`)
	// addresses are copied without user names, passwords and unknown options.
	addresses = fields("uri s3BucketEndpoint tokenUri tokenResource scope ingestionEndpoint restoreEndpoint bqProxyEndpoint")
	// secrets are left out. The URL of a restore needs no password.
	secretTexts = fields("awsAccessKey awsSecretKey certString clientSecret kmipClientCertPassword url")
	// harmlessOptions of connection strings are copied, in lower case.
	harmlessOptions = fields(strings.ToLower(`
		appName authMechanism authSource compressors connect connectTimeoutMS directConnection gssapiServiceName
		heartbeatFrequencyMS journal loadBalanced localThresholdMS maxConnecting maxIdleTimeMS maxPoolSize
		maxStalenessSeconds minPoolSize readConcernLevel readPreference readPreferenceTags replicaSet retryReads
		retryWrites serverMonitoringMode serverSelectionTimeoutMS serverSelectionTryOnce socketTimeoutMS srvMaxHosts
		srvServiceName ssl sslAllowInvalidCertificates sslAllowInvalidHostnames sslCAFile sslPEMKeyFile timeoutMS
		tls tlsAllowInvalidCertificates tlsAllowInvalidHostnames tlsCAFile tlsCertificateKeyFile
		tlsDisableCertificateRevocationCheck tlsDisableOCSPEndpointCheck tlsInsecure uuidRepresentation w
		waitQueueMultiple waitQueueTimeoutMS wtimeoutMS zlibCompressionLevel`))
)

func fields(names string) map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		all[name] = true
	}
	return all
}

var (
	mask   = regexp.MustCompile(`(?i)^[A-Z0-9]{0,4}\*{4,}[A-Z0-9]{0,4}$|^[\[<(]?(?:redacted|hidden|masked)[\]>)]?$`)
	scheme = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]*:)?//`)
)

// isMask reports whether the server sent a mask in place of a secret. No real key or password looks like
// one.
func isMask(text string) bool {
	decoded, err := url.PathUnescape(text)
	return err == nil && mask.MatchString(decoded)
}

// misplaced matches secrets that people put into other fields by mistake: connection strings, URLs with a
// password or of a webhook, keys and tokens of well-known services, JWTs, user:password in base64, with the colon
// at any of its three places, and values with a name that tells what they are.
var misplaced = regexp.MustCompile(`(?i)mongodb(?:\+srv)?:|:[^@]*@|\bhooks?\.[\w.-]+/|(?:AKIA|ASIA)[A-Z0-9]{12}|\b(?:gh[a-z]|github_pat)_[A-Z0-9]{16}|\b(?-i:eyJ)[\w-]+\.[\w-]+\.|` +
	`(?-i:AIza)[\w-]{20}|(?:\b|_)(?:xox[abeprs]-|xapp-|[rs]k_(?:live|test)_|gl(?:dt|pat|ptt|rt)-|mdb_sa_sk_)\w|` +
	`\bbasic\s+(?:(?-i:O[g-v][\w+/-]{18}|(?:[\w+/-]{4})+O[g-v]|(?:[\w+/-]{4})+(?:[\w+/-][DTjz][o-r]|[\w+/-]{2}[AEIMQUYcgkosw048]6))|[\w+/-]+==?(?:\W|$))|` +
	`\bbearer\s+\S|passw\w*["']?[\s:=]+\S|(?:authorization|passphrase|pwd|secret|signature|token|(?:access|account|api|private|shared)[_ -]?key)[\w"']*\s*[:=]\s*\S|` +
	`(?:(?:\b|_)(?:key|pass|pw|sig)|(?-i:[a-z](?:Key|Pass|Pw)))["']?\s*[:=]\s*\S`)

// isSecretKey reports whether a word looks like a secret key of AWS.
func isSecretKey(word string) bool {
	hasForm := len(word) == 40 && strings.Trim(word, base64Digits) == ""
	hasBothCases := strings.ToLower(word) != word && strings.ToUpper(word) != word
	return hasForm && hasBothCases && strings.ContainsAny(word, "0123456789")
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="

// hasMisplaced reports whether a text that should have no secret looks like one, or has one.
func hasMisplaced(text string) bool {
	text = norm.NFKC.String(text) // fullwidth letters and others that look alike
	if len(text) < 16 && !strings.ContainsAny(text, ":=% \t\r\n") || strings.Trim(text, "0123456789ABCDEFabcdef-.:TZ") == "" {
		return false // most texts, such as names, IDs and times
	}
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !strings.ContainsRune(base64Digits[:len(base64Digits)-1], r)
	})
	decoded, err := url.QueryUnescape(text)
	return tf.IsContent(text) || misplaced.MatchString(text) || slices.ContainsFunc(words, isSecretKey) ||
		err == nil && decoded != text && hasMisplaced(decoded)
}

// withoutSecret returns the text of a field, without secrets. A mask stays.
func withoutSecret(name, text string) string {
	switch {
	case text == "", isMask(text), keptTexts[name] && !hasMisplaced(text):
		return text
	case name == "scope": // several, with blanks in between
		var scopes []string
		for scope := range strings.FieldsSeq(text) {
			scopes = append(scopes, withoutUserInfo(scope))
		}
		return strings.Join(scopes, " ")
	case addresses[name]:
		return withoutUserInfo(text)
	}
	return leftOut
}

// hosts matches what an address may have beside a scheme, a user and options. All else may be a secret, as in
// an address that is not well-formed.
var hosts = func() *regexp.Regexp {
	const host = `(?:(?:[\w.-]|%2F)+|\[[\da-f:.]+\])(?::\d{1,5})?`
	return regexp.MustCompile(`(?i)^(?:` + host + `(?:,` + host + `)*)?(?:/(?:[\w.~/-]|%2F)*)?$`)
}()

// withoutUserInfo returns a URL or connection string without its user name and password, and without the
// options that may be secrets.
func withoutUserInfo(address string) string {
	prefix := scheme.FindString(address)
	rest := address[len(prefix):]
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		user := rest[:at]
		if !isMaskedUser(user) {
			user = leftOut
		}
		prefix = prefix + user + "@"
		rest = rest[at+1:]
	}
	options := ""
	if begin := strings.IndexAny(rest, "?#&;"); begin >= 0 {
		rest, options = rest[:begin], option.ReplaceAllStringFunc(rest[begin:], withoutValue)
	}
	if !hosts.MatchString(rest) {
		return leftOut
	}
	return prefix + rest + options
}

// isMaskedUser reports whether the server has masked the password in front of a host, or both the user
// name and the password.
func isMaskedUser(user string) bool {
	name, password, hasPassword := strings.Cut(user, ":")
	if !hasPassword {
		return isMask(user)
	}
	return isMask(password) && !strings.ContainsAny(name, "@/?#")
}

// option matches an option of a connection string. Old ones are separated by semicolons.
var option = regexp.MustCompile(`[^?#&;]+`)

// withoutValue returns an option without a value that may be a secret.
func withoutValue(option string) string {
	name, value, hasValue := strings.Cut(option, "=")
	decoded, err := url.QueryUnescape(name)
	switch {
	case err == nil && harmlessOptions[strings.ToLower(decoded)] && !hasMisplaced(value), hasValue && isMask(value):
		return option
	case !hasValue:
		return leftOut
	}
	return name + "=" + leftOut
}

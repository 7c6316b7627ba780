package stores_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

// fieldValues are the values that the sequences give to the fields of stores. Those of
// secrets are apart.
var fieldValues = map[string][]any{
	"assignmentEnabled": {true, false}, "labels": {[]any{}, []any{"east"}, []any{"east", "west"}},
	"loadFactor": {1, 2, 3}, "maxCapacityGB": {10, 20},
	"ssl": {true, false}, "encryptedCredentials": {true, false}, "writeConcern": {"MAJORITY", "W2"},
	"s3BucketName": {"bucket", "bucket", "bucket", "other"}, "s3BucketEndpoint": {"https://s3.example.com", "https://s4.example.com"},
	"s3MaxConnections": {5, 6}, "pathStyleAccessEnabled": {true, false}, "sseEnabled": {true, false}, "acceptedTos": {true},
	"s3AuthMethod": {"KEYS"}, "s3RegionOverride": {"eu-1", "eu-2"}, "disableProxyS3": {true, false},
	"storePath": {"/mnt/one", "/mnt/two"}, "mmapv1CompressionSetting": {"NONE", "GZIP"}, "wtCompressionSetting": {"NONE", "GZIP"},
}

// immutableFields can be set only when the store is created.
var immutableFields = []string{"s3BucketName", "objectLockEnabled", "objectRetentionMode", "objectRetentionDays"}

// secretFields are the fields of the secrets by attribute, and what someone else sets them to.
var secretFields = map[string]struct{ field, clicked string }{
	"uri":            {"uri", "mongodb://clicked:clicked-password@clicked.example.com:27017"},
	"aws_access_key": {"awsAccessKey", "AKIACLICKED000009999"},
	"aws_secret_key": {"awsSecretKey", "clicked-secret-key"},
}

// storeRuns is a sequence of runs on one store.
type storeRuns struct {
	*providertest.Resource
	t       *rapid.T
	kind    storeKind
	service *providertest.Service
	options emulator.Options

	attributes map[string]string // by the fields that this version has
	clicked    []string          // the secrets that were changed outside Terraform since the last apply
	masks      string            // in place of secrets; "changing" are different ones each time
	seen       map[string]bool   // the optional fields that a refresh has read
	guess      bool              // the store was found after a lost request

	lost    func(w http.ResponseWriter, request *http.Request) // responds to the next POST or PUT
	pending sync.WaitGroup                                     // of lost requests that take effect later
	masked  atomic.Int64
}

// optional reports whether a response lacks a field that is not set.
func optional(field string) bool { return optionalFields[field] != "" }

// ServeHTTP passes requests to the service. It loses some of them, and replaces secrets in responses.
func (b *storeRuns) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if lose := b.lost; lose != nil && request.Header.Get("Authorization") != "" && (request.Method == http.MethodPost || request.Method == http.MethodPut) {
		b.lost = nil
		lose(w, request)
		return
	}
	if b.masks == "" {
		b.service.Emulator.ServeHTTP(w, request)
		return
	}
	providertest.Rewrite(func(_ *http.Request, document map[string]any) {
		for _, secret := range secretFields {
			b.mask(document, secret.field)
		}
		if oidc, ok := document["oidc"].(map[string]any); ok {
			b.mask(oidc, "clientSecret")
		}
		b.mask(document, "newPassword")
	})(w, request, b.service.Emulator)
}

func (b *storeRuns) mask(document map[string]any, field string) {
	switch {
	case document[field] == nil:
	case b.masks == "changing":
		document[field] = fmt.Sprint("hidden:", b.masked.Add(1))
	default:
		document[field] = b.masks
	}
}

// takesEffectLater loses a request that the service receives later.
func (b *storeRuns) takesEffectLater(delay time.Duration) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, request *http.Request) {
		later := request.Clone(context.Background())
		body, _ := io.ReadAll(request.Body)
		later.Body = io.NopCloser(bytes.NewReader(body))
		b.pending.Add(1)
		time.AfterFunc(delay, func() {
			defer b.pending.Done()
			providertest.Record(later, b.service.Emulator)
		})
		w.WriteHeader(http.StatusGatewayTimeout)
	}
}

// isTakenByOthers loses a request, while someone else creates the store, unless it exists.
func (b *storeRuns) isTakenByOthers(w http.ResponseWriter, request *http.Request) {
	if request.Method == http.MethodPost {
		theirs := map[string]any{"assignmentEnabled": true, "labels": []any{"theirs"}}
		if b.kind.secrets["uri"] != nil {
			theirs["uri"] = "mongodb://clicked:clicked-password@db.example.com:27017" // the hosts of a configuration
		}
		b.changeOutside(theirs)
	}
	w.WriteHeader(http.StatusGatewayTimeout)
}

func (b *storeRuns) isAt(versions ...string) bool {
	return slices.Contains(versions, b.options.ServiceVersion)
}

// fieldDefaults are the values of missing fields.
var fieldDefaults = map[string]any{
	"labels": []any{}, "loadFactor": 1, "ssl": false, "encryptedCredentials": false, "disableProxyS3": false, "s3AuthMethod": "KEYS",
	"mmapv1CompressionSetting": "NONE", "wtCompressionSetting": "GZIP",
}

// held returns the store that the service holds, or nil.
func (b *storeRuns) held() map[string]any {
	held := withSortedLabels(b.service.BackupStore(b.kind.kind, "new"))
	for field, value := range fieldDefaults {
		if held != nil && b.attributes[field] != "" && held[field] == nil {
			held[field] = value
		}
	}
	return held
}

// drawConfig draws a configuration that the provider accepts, at least if the store exists.
func (b *storeRuns) drawConfig() providertest.Values {
	config := providertest.Values{"id": "new", "timeouts": providertest.Values{"create": "30s", "update": "30s"}}
	for _, field := range slices.Sorted(maps.Keys(b.attributes)) {
		attribute := b.attributes[field]
		required := slices.Contains(b.kind.required, attribute) && rapid.IntRange(0, 9).Draw(b.t, "omits required fields") > 0
		if required || rapid.Bool().Draw(b.t, "configures "+attribute) {
			config[attribute] = rapid.SampledFrom(fieldValues[field]).Draw(b.t, attribute)
		}
	}
	role := b.kind.secrets["aws_access_key"] != nil && rapid.IntRange(0, 5).Draw(b.t, "role") == 0
	if role {
		config["s3_auth_method"] = "IAM_ROLE"
	} else if b.kind.secrets["aws_access_key"] != nil && b.t != nil && config["s3_auth_method"] == nil {
		config["s3_auth_method"] = "KEYS" // the keys are required then
	}
	for _, attribute := range slices.Sorted(maps.Keys(b.kind.secrets)) {
		if !role || attribute == "uri" {
			b.drawSecret(config, attribute, b.kind.secrets[attribute])
		}
	}
	if b.isAt("8.0.26", masking) && b.kind.secrets != nil && rapid.IntRange(0, 2).Draw(b.t, "configures oidc") == 0 {
		oidc := providertest.Values{"enabled": true, "method": "k8s"}
		if scope := rapid.SampledFrom([]any{nil, "one", "two"}).Draw(b.t, "scope"); scope != nil {
			oidc["scope"] = scope
		}
		if rapid.Bool().Draw(b.t, "callback") {
			oidc = providertest.Values{"enabled": true, "method": "callback", "token_uri": "https://t.example.com", "client_id": rapid.SampledFrom([]string{"one", "two"}).Draw(b.t, "client")}
			b.drawSecret(oidc, "client_secret", "c0rrect-client-secret")
		}
		config["oidc"] = oidc
	}
	if b.kind.secrets["aws_access_key"] != nil && !b.isAt("4.4.0") && rapid.IntRange(0, 2).Draw(b.t, "configures certificates") == 0 {
		config["custom_certificates"] = []any{
			providertest.Values{"filename": "b.pem", "cert_string": rapid.SampledFrom([]string{pemOf("B"), pemOf("C")}).Draw(b.t, "certificate")},
			providertest.Values{"filename": "a.pem", "cert_string": pemOf("A")},
		}
	}
	if b.kind.secrets["aws_access_key"] != nil && b.isAt(masking) && rapid.IntRange(0, 5).Draw(b.t, "locks") == 0 {
		config["object_lock_enabled"], config["object_retention_mode"] = true, "GOVERNANCE"
		config["object_retention_days"] = rapid.SampledFrom([]int{7, 8}).Draw(b.t, "days")
	}
	for _, attribute := range []string{"adopt_existing", "deletion_protection"} {
		if drawn := rapid.SampledFrom([]any{nil, nil, true, false}).Draw(b.t, attribute); drawn != nil {
			config[attribute] = drawn
		}
	}
	return config
}

// drawSecret sets a secret in a sensitive attribute, or in its write-only counterpart.
func (b *storeRuns) drawSecret(config providertest.Values, attribute string, value any) {
	switch rapid.IntRange(0, 3).Draw(b.t, attribute) {
	case 0:
		config[attribute] = value
	case 1:
		config[attribute] = fmt.Sprint(value, "2")
	default:
		version := rapid.IntRange(1, 2).Draw(b.t, attribute+" version")
		config[attribute+"_wo"], config[attribute+"_wo_version"] = fmt.Sprint(value, "written", version), version
	}
}

// drawDrift draws changes of the store outside Terraform.
func (b *storeRuns) drawDrift() map[string]any {
	drift := map[string]any{}
	for _, field := range slices.Sorted(maps.Keys(b.attributes)) {
		if !slices.Contains(immutableFields, field) && rapid.IntRange(0, 3).Draw(b.t, "changes "+field) == 0 {
			drift[field] = rapid.SampledFrom(fieldValues[field]).Draw(b.t, field)
		}
	}
	if rapid.IntRange(0, 5).Draw(b.t, "removes optional fields") == 0 {
		for _, field := range []string{"writeConcern", "s3RegionOverride", "maxCapacityGB"} {
			if b.attributes[field] != "" {
				drift[field] = nil
			}
		}
	}
	if b.isAt("8.0.26", masking) && b.kind.secrets != nil && rapid.IntRange(0, 3).Draw(b.t, "changes oidc") == 0 {
		drift["oidc"] = nil
		if rapid.Bool().Draw(b.t, "sets oidc") {
			drift["oidc"] = map[string]any{"enabled": rapid.Bool().Draw(b.t, "enabled"), "method": "k8s", "scope": "clicked scope", "newPart": "clicked part"}
		}
	}
	if b.kind.secrets["aws_access_key"] != nil && !b.isAt("4.4.0") && rapid.IntRange(0, 5).Draw(b.t, "changes certificates") == 0 {
		drift["customCertificates"] = nil
		if rapid.Bool().Draw(b.t, "sets certificates") {
			drift["customCertificates"] = []any{map[string]any{"filename": "c.pem", "certString": pemOf("D"), "newPart": "clicked part"}}
		}
	}
	for name, values := range map[string][]any{"newSetting": {"east", "west", nil}, "newLimits": {map[string]any{"most": 5.0}, nil}} {
		if rapid.IntRange(0, 3).Draw(b.t, "changes "+name) == 0 {
			drift[name] = rapid.SampledFrom(values).Draw(b.t, name)
		}
	}
	if rapid.IntRange(0, 11).Draw(b.t, "changes newPassword") == 0 {
		drift["newPassword"] = rapid.SampledFrom([]any{"their password", nil}).Draw(b.t, "newPassword")
	}
	for _, attribute := range slices.Sorted(maps.Keys(b.kind.secrets)) {
		if rapid.IntRange(0, 3).Draw(b.t, "changes "+attribute) == 0 {
			drift[secretFields[attribute].field] = secretFields[attribute].clicked
		}
	}
	return drift
}

// changeOutside changes the store outside Terraform.
func (b *storeRuns) changeOutside(drift map[string]any) {
	if b.held() == nil {
		whole := map[string]any{"assignmentEnabled": true}
		for field, attribute := range b.attributes {
			if slices.Contains(b.kind.required, attribute) {
				whole[field] = fieldValues[field][0]
			}
		}
		for attribute := range b.kind.secrets {
			whole[secretFields[attribute].field] = secretFields[attribute].clicked
		}
		b.clicked = slices.Sorted(maps.Keys(b.kind.secrets))
		maps.Copy(whole, drift)
		drift = whole
	}
	for attribute, secret := range secretFields {
		if drift[secret.field] != nil {
			b.clicked = append(b.clicked, attribute)
		}
	}
	b.service.SetBackupStore(b.kind.kind, "new", drift)
}

// wantNoSecrets fails if a diagnostic or the private state contains a secret, or if the state
// contains one that is not in a sensitive attribute of the configuration.
func (b *storeRuns) wantNoSecrets(diags providertest.Diagnostics) {
	b.T.Helper()
	said := strings.ToLower(strings.Join(slices.Concat(diags.Errors(), diags.Warnings()), "\n") + string(b.Private))
	stored := strings.ToLower(fmt.Sprint(b.Attributes()))
	for _, secret := range []string{"c0rrect", "clicked-", "their password"} {
		if strings.Contains(strings.ReplaceAll(said, "akiaclicked", "clicked-"), secret) {
			b.T.Fatalf("a secret is in %s", said)
		}
	}
	for _, secret := range []string{"written", "clicked-", "akiaclicked", "their password"} {
		if strings.Contains(stored, secret) {
			b.T.Fatalf("a secret is in %s", stored)
		}
	}
}

func (b *storeRuns) refreshed() {
	b.T.Helper()
	b.Configure()
	if errors := b.Refresh().Errors(); len(errors) > 0 {
		b.T.Fatalf("refresh: %q", errors)
	}
	if b.State.IsNull() == (b.held() != nil) && b.held() == nil {
		b.T.Fatalf("the store is gone, and the state holds %v", b.Attributes())
	}
	if b.State.IsNull() {
		b.seen, b.guess = map[string]bool{}, false
		return
	}
	state, held := b.Attributes(), b.held()
	for field, attribute := range optionalFields {
		switch {
		case held[field] != nil:
			b.seen[field] = true
		case b.seen[field] && state[attribute] != nil:
			b.T.Fatalf("%s was removed, and the state has %v", field, state[attribute])
		}
	}
}

// catchUp reads until the service no longer returns old values.
func (b *storeRuns) catchUp() {
	b.T.Helper()
	if b.options.StaleReads > 0 && b.held() == nil { // a later store has the same path
		b.service.SetBackupStore(b.kind.kind, "new", nil)
		defer b.service.RemoveBackupStore(b.kind.kind, "new")
	}
	for range b.options.StaleReads {
		b.NewResource(b.kind.typeName).ImportID("new")
	}
}

// asPlanned returns a configuration as Terraform plans with it: ignored attributes have the
// values of the state.
func (b *storeRuns) asPlanned(config providertest.Values) providertest.Values {
	planned, state := maps.Clone(config), b.Attributes()
	if state == nil || len(b.IgnoreChanges) == 0 {
		return planned
	}
	if b.IgnoreChanges[0] == "all" {
		return state
	}
	for _, attribute := range b.IgnoreChanges {
		if _, known := state[attribute]; known {
			planned[attribute] = state[attribute]
		}
	}
	return planned
}

// fieldText returns a value of a configuration or of the service as a text, in which equal
// values are equal.
func fieldText(field string, value any) string {
	switch {
	case field == "labels":
		if value == nil {
			value = []any{}
		}
		return fmt.Sprint(withSortedLabels(map[string]any{field: slices.Clone(value.([]any))}))
	case field == "objectLockEnabled" && value == nil:
		value = false
	}
	return fmt.Sprint(value)
}

// secretToSend returns the secret that an update sends, or nil if the plan ignores it.
func secretToSend(planned, config providertest.Values, attribute string) any {
	switch {
	case planned[attribute] != nil:
		return planned[attribute]
	case config[attribute+"_wo"] != nil && planned[attribute+"_wo_version"] == config[attribute+"_wo_version"]:
		return config[attribute+"_wo"]
	}
	return nil
}

// oidcHeld returns what the service holds for a planned oidc.
func oidcHeld(planned, config any) map[string]any {
	values, _ := planned.(providertest.Values)
	written, _ := config.(providertest.Values)
	if values == nil {
		return nil
	}
	held := map[string]any{}
	for attribute, field := range map[string]string{"enabled": "enabled", "method": "method", "token_uri": "tokenUri", "client_id": "clientId", "scope": "scope"} {
		if values[attribute] != nil {
			held[field] = values[attribute]
		}
	}
	if secret := secretToSend(values, written, "client_secret"); secret != nil {
		held["clientSecret"] = secret
	}
	return held
}

// certificatesHeld returns what the service holds for planned certificates.
func certificatesHeld(planned any) any {
	values, _ := planned.([]any)
	if values == nil {
		return nil
	}
	held := []any{}
	for _, value := range values {
		one, _ := value.(providertest.Values)
		held = append(held, map[string]any{"filename": one["filename"], "certString": one["cert_string"]})
	}
	return sortedCertificates(held)
}

func sortedCertificates(value any) any {
	list, _ := value.([]any)
	if list == nil {
		return nil
	}
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return sorted
}

// fails reports whether a plan of a configuration must fail.
func (b *storeRuns) fails(config providertest.Values) bool {
	held, state, planned := b.held(), b.Attributes(), b.asPlanned(config)
	missing := slices.ContainsFunc(b.kind.required, func(attribute string) bool { return planned[attribute] == nil })
	differs := func(from func(field string) any) bool {
		return slices.ContainsFunc(immutableFields, func(field string) bool {
			attribute := b.attribute(field)
			return planned[attribute] != nil && planned[attribute] != any(providertest.Unknown) && from(field) != nil && fieldText(field, planned[attribute]) != fieldText(field, from(field))
		})
	}
	switch {
	case state == nil && held == nil:
		return missing
	case state == nil:
		return planned["adopt_existing"] != true || differs(func(field string) any {
			if field == "objectLockEnabled" && b.isAt(masking) {
				return held[field] == true
			}
			return held[field]
		})
	case differs(func(field string) any { return state[b.attribute(field)] }):
		return true
	}
	return false
}

// attribute returns the attribute of a field.
func (b *storeRuns) attribute(field string) string {
	return map[string]string{
		"s3BucketName": "s3_bucket_name", "objectLockEnabled": "object_lock_enabled", "objectRetentionMode": "object_retention_mode", "objectRetentionDays": "object_retention_days",
	}[field]
}

// mayFail reports whether a sequence may cause an error of an apply: an ignored secret can't
// be read, or a store can't be deleted for its replacement.
func (b *storeRuns) mayFail(p *providertest.Plan, text string) bool {
	switch {
	case len(b.IgnoreChanges) > 0 && (strings.Contains(text, "Unknown Secret") || strings.Contains(text, "Unknown Certificates")):
		return true
	case p.Replaces && strings.Contains(text, "Unable to Delete"):
		return true
	}
	if held := b.held(); held["newPassword"] != nil && strings.Contains(text, "Unknown Secret") {
		return true
	}
	return strings.Contains(text, "Unknown Certificates") && b.options.Unknowns.RedactsCertificates
}

// settled fails if a plan is not empty.
func (b *storeRuns) settled(when string, config providertest.Values) {
	b.T.Helper()
	b.Configure()
	if p := b.Plan(config); !p.IsEmpty() || len(p.Errors()) > 0 {
		b.T.Fatalf("%s, the plan changes %v %q\nstate %v\nplan %v\nheld %v", when, p.Changes(), p.Errors(), b.Attributes(), p.Values(), b.held())
	}
}

// converge plans and applies a configuration, and checks the resulting store. The late
// values are unknown during the plan. meanwhile runs between the plan and the apply.
func (b *storeRuns) converge(config, early, late providertest.Values, meanwhile func(), fault *emulator.Fault) {
	b.T.Helper()
	b.refreshed()
	b.Configure()
	p, saw := b.Plan(early), b.held()
	b.wantNoSecrets(p.Diagnostics)
	if b.guess && strings.Contains(fmt.Sprint(p.Errors()), "May Belong to Someone Else") {
		return
	}
	if fails := b.fails(early); fails != (len(p.Errors()) > 0) {
		b.T.Fatalf("the plan has to fail: %v; got %q\nconfigured %v\nstate %v\nheld %v", fails, p.Errors(), config, b.Attributes(), b.held())
	} else if fails {
		return
	}
	b.left(p, early)
	if meanwhile != nil {
		meanwhile()
	}
	before, planned, prior := b.held(), b.asPlanned(config), b.Attributes()
	loses := b.lost != nil
	if p.Replaces {
		planned = config // Terraform ignores ignore_changes then
	}
	b.service.ResetRequests()
	if fault != nil {
		b.service.Inject(*fault)
	}
	b.Configure()
	diags := b.Apply(p, late)
	b.service.ClearFaults()
	b.lost = nil
	b.pending.Wait()
	isLost := strings.Contains(fmt.Sprint(diags.Warnings()), "May Belong to Someone Else")
	b.guess = !b.State.IsNull() && planned["adopt_existing"] != true && (isLost || b.guess && !p.Prior.IsNull())
	b.Tainted = false // the next apply converges without a replacement
	b.catchUp()
	b.wantNoSecrets(diags)
	if errors := diags.Errors(); len(errors) > 0 {
		if fault == nil && meanwhile == nil && !loses && !b.mayFail(p, errors[0]) {
			b.T.Fatalf("apply: %q\nheld %v", errors, before)
		}
		if held := b.held(); b.State.IsNull() && before == nil && held != nil && !strings.Contains(fmt.Sprint(diags), "it is not in the Terraform state") {
			b.T.Fatalf("the store is an orphan: %v\n%q", held, errors)
		}
		b.wantWhole(before, p, planned)
		if (fault != nil || loses) && !p.Replaces {
			b.converge(config, config, nil, nil, nil)
		}
		return
	}
	b.clicked = nil
	b.changed(p, before, planned, config, late)
	b.changedParts(p, saw, before, prior, planned, late, diags)
	if meanwhile == nil {
		b.settled("after the apply", config)
		b.refreshed()
		b.settled("after the apply and a refresh", config)
	}
}

// convergeBesideOthers applies a configuration. If it creates the store, the request is lost, and
// someone else creates the store, which must stay as it is.
func (b *storeRuns) convergeBesideOthers(config providertest.Values) {
	b.T.Helper()
	b.refreshed()
	if b.held() != nil {
		b.lost = nil
		b.converge(config, config, nil, nil, nil)
		return
	}
	b.Configure()
	p := b.Plan(config)
	if len(p.Errors()) > 0 {
		return
	}
	b.service.ResetRequests()
	b.Configure()
	diags := b.Apply(p, nil)
	b.Tainted = false
	b.wantNoSecrets(diags)
	held := b.held()
	if labels := fmt.Sprint(held["labels"]); labels != "[theirs]" || len(b.service.Sent(http.MethodPost, "")) > 0 {
		b.T.Fatalf("the store of someone else is %v", held)
	}
	if len(diags.Errors()) == 0 {
		b.guess = config["adopt_existing"] != true
		b.destroys(nil)
	}
}

// left checks that a plan shows exactly the configured values that the service doesn't
// hold.
func (b *storeRuns) left(p *providertest.Plan, config providertest.Values) {
	b.T.Helper()
	if p.Prior.IsNull() || p.Replaces {
		return
	}
	held, state, planned, shown := b.held(), b.Attributes(), b.asPlanned(config), p.Changes()
	for field, attribute := range b.attributes {
		wanted := planned[attribute]
		if held[field] == nil && fmt.Sprint(wanted) == fmt.Sprint(state[attribute]) {
			continue // a missing field is not a value
		}
		differs := wanted != nil && (wanted == any(providertest.Unknown) || hasUnknown(wanted) || fieldText(field, wanted) != fieldText(field, held[field]))
		if differs != slices.Contains(shown, attribute) && (!slices.Contains(b.IgnoreChanges, attribute) && !slices.Contains(b.IgnoreChanges, "all")) {
			b.T.Fatalf("%s is %v and configured as %v, and the plan changes %v", attribute, held[field], wanted, shown)
		}
	}
	for _, attribute := range b.clicked {
		visible := b.masks == "" && (attribute == "uri" || b.isAt("4.4.0", readable) && !b.options.Unknowns.OmitsSecretKey || attribute == "aws_access_key")
		ignored := slices.Contains(b.IgnoreChanges, "all") || slices.Contains(b.IgnoreChanges, attribute)
		configured := config[attribute] != nil || config[attribute+"_wo"] != nil
		if configured && visible && !ignored && !slices.Contains(shown, attribute) && !slices.Contains(shown, attribute+"_wo_version") {
			b.T.Fatalf("%s was changed elsewhere, and the plan changes %v", attribute, shown)
		}
	}
}

func hasUnknown(value any) bool {
	list, _ := value.([]any)
	return slices.Contains(list, any(providertest.Unknown))
}

// changed checks that the store has the planned values of the fields that the plan changes,
// the previous values of all others, and every secret.
func (b *storeRuns) changed(p *providertest.Plan, before map[string]any, planned, config, late providertest.Values) {
	b.T.Helper()
	held, shown := b.held(), p.Changes()
	creates, writes := p.Prior.IsNull(), len(b.service.Writes()) > 0
	fresh := before == nil || p.Replaces
	want := func(field string, wanted any, as func(any) string) {
		b.T.Helper()
		if got := as(held[field]); got != as(wanted) {
			b.T.Fatalf("%s is %s, want %s\nbefore %v\nshown %v of %v\nlate %v", field, got, as(wanted), before, shown, planned, late)
		}
	}
	for field, attribute := range b.attributes {
		as := func(value any) string { return fieldText(field, value) }
		switch {
		case planned[attribute] != nil && (creates || slices.Contains(shown, attribute)):
			want(field, planned[attribute], as)
		case !fresh && late[attribute] == nil && (before[field] != nil || b.seen[field] && optional(field)): // another missing field is not a value
			want(field, before[field], as)
		}
	}
	text := func(value any) string {
		if oidc, ok := value.(map[string]any); ok && oidc == nil {
			value = nil
		}
		return fmt.Sprint(value)
	}
	for attribute := range b.kind.secrets {
		field := secretFields[attribute].field
		switch secret := secretToSend(planned, config, attribute); {
		case writes && secret != nil:
			want(field, secret, text)
		case attribute != "uri" && held["s3AuthMethod"] == "IAM_ROLE": // it needs no keys
		case !fresh:
			want(field, before[field], text)
		}
	}
	oidc := oidcHeld(planned["oidc"], config["oidc"])
	if now, ok := held["oidc"].(map[string]any); ok && oidc != nil && oidc["clientSecret"] == nil && writes {
		delete(now, "clientSecret") // an update without it keeps it
	}
	if fresh {
		want("oidc", oidc, text)
		want("customCertificates", certificatesHeld(planned["custom_certificates"]), func(value any) string { return text(sortedCertificates(value)) })
	}
}

// changedParts checks that each part of oidc, the certificates and the fields that the provider does
// not know are as before, unless the plan changes them. It knows what the last refresh saw.
func (b *storeRuns) changedParts(p *providertest.Plan, saw, before map[string]any, prior, planned, late providertest.Values, diags providertest.Diagnostics) {
	b.T.Helper()
	held := b.held()
	if before == nil || p.Replaces {
		return
	}
	for _, name := range []string{"newSetting", "newLimits", "newPassword"} {
		if fmt.Sprint(held[name]) != fmt.Sprint(before[name]) {
			b.T.Fatalf("%s was %v and is %v", name, before[name], held[name])
		}
	}
	if late["oidc"] == nil && b.kind.secrets != nil {
		if got, want := oidcText(held["oidc"]), oidcText(b.mergedOIDC(p, saw, before, prior, planned)); got != want {
			b.T.Fatalf("oidc is %s, want %s\nbefore %v\nprior %v\nplanned %v", got, want, before["oidc"], prior["oidc"], planned["oidc"])
		}
	}
	isShown := slices.Contains(p.Changes(), "custom_certificates")
	if late["custom_certificates"] == nil && (!b.options.Unknowns.RedactsCertificates || !b.isAt("8.0.26", masking)) {
		want := sortedCertificates(before["customCertificates"])
		if isShown && (prior != nil || planned["custom_certificates"] != nil) {
			want = certificatesHeld(planned["custom_certificates"])
		}
		if got := sortedCertificates(held["customCertificates"]); fmt.Sprint(got) != fmt.Sprint(want) {
			b.T.Fatalf("the certificates are %v, want %v\nbefore %v\nplanned %v", got, want, before["customCertificates"], planned["custom_certificates"])
		}
	}
}

// mergedOIDC returns what the service holds for oidc after an apply: the parts that the plan changes,
// and the other ones as before.
func (b *storeRuns) mergedOIDC(p *providertest.Plan, saw, before map[string]any, prior, planned providertest.Values) map[string]any {
	wanted, _ := planned["oidc"].(providertest.Values)
	was, _ := prior["oidc"].(providertest.Values)
	live, _ := before["oidc"].(map[string]any)
	merged := maps.Clone(live)
	switch {
	case wanted == nil && was != nil:
		return nil
	case wanted == nil, prior != nil && !slices.Contains(p.Changes(), "oidc"):
		return live
	case prior != nil && was == nil: // all of it
		merged = map[string]any{}
		if saw["oidc"] != nil && live["newPart"] != nil {
			merged["newPart"] = live["newPart"]
		}
	case merged == nil:
		merged = map[string]any{}
	}
	for attribute, field := range map[string]string{"enabled": "enabled", "method": "method", "token_uri": "tokenUri", "client_id": "clientId", "scope": "scope"} {
		switch isSame := fmt.Sprint(wanted[attribute]) == fmt.Sprint(was[attribute]); {
		case wanted[attribute] == nil && (prior == nil || isSame && was != nil), was != nil && isSame:
		case wanted[attribute] == nil:
			delete(merged, field)
		default:
			merged[field] = wanted[attribute]
		}
	}
	return merged
}

// oidcText returns oidc without its secret.
func oidcText(value any) string {
	oidc, _ := value.(map[string]any)
	if oidc == nil {
		return "none"
	}
	rest := maps.Clone(oidc)
	delete(rest, "clientSecret")
	return fmt.Sprint(rest)
}

// wantWhole checks that a failed apply has left each field as it was, or as it was planned.
func (b *storeRuns) wantWhole(before map[string]any, p *providertest.Plan, planned providertest.Values) {
	b.T.Helper()
	held := b.held()
	if held == nil || before == nil || p.Replaces {
		return
	}
	for field, attribute := range b.attributes {
		if before[field] == nil && (!optional(field) || !b.seen[field]) {
			continue // a missing field is not a value
		}
		if got := fieldText(field, held[field]); got != fieldText(field, before[field]) && got != fieldText(field, planned[attribute]) {
			b.T.Fatalf("a failed apply set %s from %v to %s, planned %v", field, before[field], got, planned[attribute])
		}
	}
}

// destroys destroys the store. If that fails, the store stays as it was.
func (b *storeRuns) destroys(fault *emulator.Fault) {
	b.T.Helper()
	b.refreshed()
	if b.State.IsNull() {
		return
	}
	before, used := b.held(), rapid.IntRange(0, 3).Draw(b.t, "in use") == 0
	unknowns := b.options.Unknowns
	refused := before["assignmentEnabled"] == true && (b.kind.secrets["aws_access_key"] != nil && !unknowns.DeletesAssignableStores || unknowns.KeepsAssignableStores)
	timeout := "20s"
	switch { // a refused destroy waits until then
	case used, fault != nil:
		timeout = "300ms"
	case refused:
		timeout = "2s"
	}
	b.State = b.ReplaceAttributes(b.State, providertest.Values{"timeouts": providertest.Values{"delete": timeout}})
	state := b.Attributes()
	if used {
		b.service.UseBackupStore(b.kind.kind, "new", "project Payments")
		defer func() {
			if b.held() != nil {
				b.service.UseBackupStore(b.kind.kind, "new")
			}
		}()
	}
	b.service.ResetRequests()
	b.Configure()
	p := b.Plan(nil)
	if protected := state["deletion_protection"] == true; protected != (len(p.Errors()) > 0) {
		b.T.Fatalf("protected: %v; the plan has %q", protected, p.Errors())
	} else if protected {
		return
	}
	if fault != nil {
		b.service.Inject(*fault)
	}
	b.Configure()
	diags := b.Apply(p, nil)
	b.service.ClearFaults()
	b.catchUp()
	b.wantNoSecrets(diags)
	held := b.held()
	errors := diags.Errors()
	switch {
	case b.guess && state["deletion_protection"] != true:
		before["usedSize"], held["usedSize"] = nil, nil
		if len(errors) > 0 || !b.State.IsNull() || fmt.Sprint(held) != fmt.Sprint(before) {
			b.T.Fatalf("a destroy of a guess left %v and the state %v: %q", held, b.Attributes(), errors)
		}
		return
	case len(errors) == 0 && (held != nil || !b.State.IsNull()):
		b.T.Fatalf("destroyed, and the service holds %v", held)
	case len(errors) > 0 && b.State.IsNull():
		b.T.Fatalf("a destroy that failed emptied the state: %q", errors)
	}
	if held != nil {
		before["usedSize"], held["usedSize"] = nil, nil
		admitted := strings.Contains(errors[0], "could not set it to true again")
		if fault != nil && admitted {
			before["assignmentEnabled"] = held["assignmentEnabled"]
		}
		for field := range before {
			if field == "uri" || strings.HasPrefix(field, "aws") {
				continue // an update sends the secrets of the state, and a role needs no keys
			}
			if fmt.Sprint(before[field]) != fmt.Sprint(held[field]) && field != "objectLockEnabledAt" {
				b.T.Fatalf("a destroy that failed set %s from %v to %v: %q", field, before[field], held[field], errors)
			}
		}
	}
	if len(errors) == 0 || used || fault != nil {
		return
	}
	if !refused || !strings.Contains(errors[0], "assignment_enabled = false") {
		b.T.Fatalf("destroy: %q", errors)
	}
}

// imports imports the store, and checks that a plan with its values changes only its secrets.
func (b *storeRuns) imports() {
	b.T.Helper()
	imported := b.NewResource(b.kind.typeName)
	b.Configure()
	diags := imported.ImportID("new")
	if imported.State.IsNull() != (b.held() == nil) {
		b.T.Fatalf("imported %v, and the service holds %v: %q", imported.Attributes(), b.held(), diags.Errors())
	}
	if imported.State.IsNull() {
		return
	}
	b.State, b.Private, b.Identity, b.clicked = imported.State, imported.Private, imported.Identity, nil
	b.seen, b.guess = map[string]bool{}, false
	b.wantNoSecrets(diags)
	config := providertest.With(imported.Attributes(), b.kind.secrets)
	if config["s3_auth_method"] == "IAM_ROLE" {
		config["aws_access_key"], config["aws_secret_key"] = nil, nil
	}
	b.Configure()
	p := imported.Plan(config)
	for _, attribute := range p.Changes() {
		if b.kind.secrets[attribute] == nil {
			b.T.Fatalf("the plan of an exported configuration changes %v", p.Changes())
		}
	}
	if len(p.Errors()) > 0 || p.Replaces {
		b.T.Fatalf("the plan of an exported configuration: %q", p.Errors())
	}
}

// drawFault draws a fault that hits one or two requests.
func (b *storeRuns) drawFault(methods ...string) *emulator.Fault {
	f := rapid.SampledFrom([]emulator.Fault{
		{DropBefore: true},
		{DropAfter: true},
		{Truncate: 20},
		{Status: 500, Body: "<html><title>Internal error</title></html>"},
		{Status: 503, Body: "<html><title>Back in a moment</title></html>"},
		{Status: 409, Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"error": 409, "reason": "Conflict", "errorCode": "BACKUP_S3_VALIDATION_FAILED", "detail": "Not now."}`},
	}).Draw(b.t, "fault")
	f.Method = rapid.SampledFrom(methods).Draw(b.t, "method")
	f.Skip = rapid.IntRange(0, 1).Draw(b.t, "skip")
	f.Times = rapid.IntRange(1, 2).Draw(b.t, "times")
	return &f
}

// drawLate draws which values of a configuration are not known when it is planned, and
// replaces them in the returned configuration.
func (b *storeRuns) drawLate(config providertest.Values) (early, late providertest.Values) {
	early, late = maps.Clone(config), providertest.Values{}
	for _, attribute := range append(slices.Sorted(maps.Values(b.attributes)), "uri", "oidc", "custom_certificates") {
		value := config[attribute]
		if value == nil || slices.Contains([]string{"s3_bucket_name", "accepted_tos", "s3_auth_method"}, attribute) || rapid.IntRange(0, 7).Draw(b.t, attribute+" is late") > 0 {
			continue
		}
		early[attribute], late[attribute] = providertest.Unknown, value
		if list, _ := value.([]any); attribute == "labels" && len(list) > 0 && rapid.Bool().Draw(b.t, "one label is late") {
			early[attribute] = append([]any{providertest.Unknown}, list[1:]...)
		}
	}
	return early, late
}

// drawStoreUnknowns draws the facts about stores that the documentation leaves open.
func drawStoreUnknowns(t *rapid.T) (drawn emulator.Unknowns) {
	flags := reflect.ValueOf(&drawn).Elem()
	for _, name := range []string{
		"PostReturns201", "RefusesExistingStore", "PutCreatesStore", "RefusesToDeleteMissingStore", "AssignsByDefault", "IgnoresMaskedSecrets", "OmitsSecretKey", "RedactsCertificates", "DashedProbeCode",
		"DeletesAssignableStores", "KeepsAssignableStores",
	} {
		flags.FieldByName(name).SetBool(rapid.IntRange(0, 2).Draw(t, name) == 0)
	}
	return drawn
}

func TestEverySequenceOfStoreRunsConverges(t *testing.T) {
	t.Parallel()
	providertest.CheckSequences(t, func(t *rapid.T) {
		b := &storeRuns{t: t, kind: rapid.SampledFrom(storeKinds).Draw(t, "kind"), seen: map[string]bool{}}
		b.options = emulator.Options{
			ServiceVersion: rapid.SampledFrom([]string{"4.4.0", readable, "8.0.26", masking, masking}).Draw(t, "version"),
			Unknowns:       drawStoreUnknowns(t),
			StaleReads:     rapid.IntRange(0, 2).Draw(t, "stale reads"),
			StaleResponses: rapid.Bool().Draw(t, "stale responses"),
		}
		if b.isAt(masking) {
			b.masks = rapid.SampledFrom([]string{"", "", "changing", "(secret)", "<hidden>"}).Draw(t, "masks")
		}
		b.attributes = b.kind.attributes
		b.service = providertest.ServiceBehind(b, emulator.New(b.options))
		b.Resource = providertest.NewWorkspaceOn(t, b.service.NewServer(80*time.Millisecond), b.service, nil).NewResource(b.kind.typeName)

		t.Repeat(map[string]func(*rapid.T){
			"apply": func(*rapid.T) {
				config := b.drawConfig()
				early, late := b.drawLate(config)
				b.converge(config, early, late, nil, nil)
			},
			"apply and ignore changes": func(t *rapid.T) {
				b.IgnoreChanges = rapid.SampledFrom([][]string{
					{"all"}, {"load_factor", "labels"}, {"uri", "uri_wo", "uri_wo_version"}, {"aws_access_key", "aws_access_key_wo", "aws_access_key_wo_version"}, {"oidc"}, {"custom_certificates"},
				}).Draw(t, "ignored")
				config := b.drawConfig()
				b.converge(config, config, nil, nil, nil)
				b.IgnoreChanges = nil
			},
			"apply a saved plan": func(*rapid.T) {
				config := b.drawConfig()
				b.converge(config, config, nil, func() { b.changeOutside(b.drawDrift()) }, nil)
			},
			"apply with a fault": func(*rapid.T) {
				config := b.drawConfig()
				b.converge(config, config, nil, nil, b.drawFault("POST", "PUT", "GET", "DELETE"))
			},
			"apply with a request that takes effect later": func(t *rapid.T) {
				config := b.drawConfig()
				b.lost = b.takesEffectLater(time.Duration(rapid.IntRange(0, 30).Draw(t, "delay")) * time.Millisecond)
				b.converge(config, config, nil, nil, nil)
				b.lost = nil // the plan failed, or sent nothing
			},
			"apply while someone else creates the store": func(*rapid.T) {
				config := b.drawConfig()
				b.lost = b.isTakenByOthers
				b.convergeBesideOthers(config)
				b.lost = nil
			},
			"drift":                func(*rapid.T) { b.changeOutside(b.drawDrift()) },
			"remove":               func(*rapid.T) { b.service.RemoveBackupStore(b.kind.kind, "new"); b.clicked = nil },
			"import":               func(*rapid.T) { b.imports() },
			"destroy":              func(*rapid.T) { b.destroys(nil) },
			"destroy with a fault": func(*rapid.T) { b.destroys(b.drawFault("DELETE", "PUT", "GET")) },
		})
	})
}

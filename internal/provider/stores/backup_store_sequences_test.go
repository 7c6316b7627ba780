package stores_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// fieldValues are the values that the sequences give to the fields of stores.
var fieldValues = map[string][]any{
	"assignmentEnabled": {true, false}, "labels": {[]any{}, []any{"east"}, []any{"east", "west"}}, "loadFactor": {1, 2, 3}, "maxCapacityGB": {10, 20},
	"ssl": {true, false}, "encryptedCredentials": {true, false}, "writeConcern": {"MAJORITY", "W2"},
	"s3BucketName": {"bucket"}, "s3BucketEndpoint": {"https://s3.example.com", "https://s4.example.com"}, "s3MaxConnections": {5, 6},
	"pathStyleAccessEnabled": {true, false}, "sseEnabled": {true, false}, "acceptedTos": {true}, "s3AuthMethod": {"KEYS"}, "s3RegionOverride": {"eu-1", "eu-2"}, "disableProxyS3": {true, false},
	"storePath": {"/mnt/one", "/mnt/two"}, "mmapv1CompressionSetting": {"NONE", "GZIP"}, "wtCompressionSetting": {"NONE", "GZIP"},
}

// fieldDefaults are the values of missing fields.
var fieldDefaults = map[string]any{
	"labels": []any{}, "loadFactor": 1, "ssl": false, "encryptedCredentials": false, "disableProxyS3": false, "s3AuthMethod": "KEYS",
	"mmapv1CompressionSetting": "NONE", "wtCompressionSetting": "GZIP",
}

// clickedSecrets are the fields of the secrets by attribute, and what another client sets them to.
var clickedSecrets = map[string][2]string{
	"uri":            {"uri", "mongodb://clicked:clicked-password@clicked.example.com:27017"},
	"aws_access_key": {"awsAccessKey", "AKIACLICKED000009999"},
	"aws_secret_key": {"awsSecretKey", "clicked-secret-key"},
}

// storeSequence is a sequence of runs on one store.
type storeSequence struct {
	*providertest.Trial
	t      *rapid.T
	kind   storeKind
	config providertest.Values
}

// drawConfig draws a valid configuration. Whether it can be applied depends on whether the store exists.
func (f *storeSequence) drawConfig() providertest.Values {
	config := providertest.With(providertest.Values{"id": "new"}, shortTimeouts)
	for _, field := range slices.Sorted(maps.Keys(f.kind.attributes)) {
		attribute := f.kind.attributes[field]
		required := slices.Contains(f.kind.required, attribute) && rapid.IntRange(0, 9).Draw(f.t, "omits required fields") > 0
		if required || rapid.Bool().Draw(f.t, "configures "+attribute) {
			config[attribute] = rapid.SampledFrom(fieldValues[field]).Draw(f.t, attribute)
		}
	}
	for _, attribute := range slices.Sorted(maps.Keys(f.kind.secrets)) {
		switch value := f.kind.secrets[attribute]; rapid.IntRange(0, 3).Draw(f.t, attribute) {
		case 0:
			config[attribute] = value
		case 1:
			config[attribute] = fmt.Sprint(value, "2")
		default:
			version := rapid.IntRange(1, 2).Draw(f.t, attribute+" version")
			config[attribute+"_wo"], config[attribute+"_wo_version"] = fmt.Sprint(value, "written", version), version
		}
	}
	if f.kind.secrets != nil && rapid.IntRange(0, 2).Draw(f.t, "configures oidc") == 0 {
		config["oidc_enabled"], config["oidc_method"] = rapid.Bool().Draw(f.t, "oidc"), "k8s"
		if scope := rapid.SampledFrom([]any{nil, "one", "two"}).Draw(f.t, "scope"); scope != nil {
			config["oidc_scope"] = scope
		}
	}
	if f.kind.secrets["aws_access_key"] != nil && rapid.IntRange(0, 2).Draw(f.t, "configures certificates") == 0 {
		config["custom_certificates"] = rapid.SampledFrom([][]any{{}, {certificate("a.pem", "A")}, {certificate("a.pem", "A"), certificate("b.pem", "B")}}).Draw(f.t, "certificates")
	}
	settings := map[string][]any{"deletion_protection": {nil, nil, true, false}, "on_destroy": {nil, nil, "keep", "delete"}}
	for _, attribute := range slices.Sorted(maps.Keys(settings)) {
		if drawn := rapid.SampledFrom(settings[attribute]).Draw(f.t, attribute); drawn != nil {
			config[attribute] = drawn
		}
	}
	return config
}

// drawDrift draws changes of the store outside Terraform.
func (f *storeSequence) drawDrift() map[string]any {
	drift := map[string]any{}
	for _, field := range slices.Sorted(maps.Keys(f.kind.attributes)) {
		if rapid.IntRange(0, 3).Draw(f.t, "changes "+field) == 0 {
			drift[field] = rapid.SampledFrom(fieldValues[field]).Draw(f.t, field)
			if optional := field == "writeConcern" || field == "s3RegionOverride" || field == "maxCapacityGB"; optional && rapid.Bool().Draw(f.t, "removes "+field) {
				drift[field] = nil
			}
		}
	}
	if f.kind.secrets != nil && rapid.IntRange(0, 3).Draw(f.t, "changes oidc") == 0 {
		drift["oidc"] = rapid.SampledFrom([]any{nil, map[string]any{"enabled": true, "method": "k8s", "scope": "clicked scope", "newPart": "clicked part"}}).Draw(f.t, "oidc")
	}
	if f.kind.secrets["aws_access_key"] != nil && rapid.IntRange(0, 3).Draw(f.t, "changes certificates") == 0 {
		drift["customCertificates"] = rapid.SampledFrom([]any{nil, []any{heldCertificate("c.pem", "C")}}).Draw(f.t, "certificates")
	}
	for _, attribute := range slices.Sorted(maps.Keys(f.kind.secrets)) {
		if rapid.IntRange(0, 3).Draw(f.t, "changes "+attribute) == 0 {
			drift[clickedSecrets[attribute][0]] = clickedSecrets[attribute][1]
		}
	}
	if rapid.IntRange(0, 3).Draw(f.t, "changes newSetting") == 0 {
		drift["newSetting"] = rapid.SampledFrom([]any{"east", "west", nil}).Draw(f.t, "newSetting")
	}
	return drift
}

// changeOutside changes the store outside Terraform, or creates it.
func (f *storeSequence) changeOutside(drift map[string]any) {
	if f.Live(f.config) == nil {
		whole := map[string]any{"assignmentEnabled": true}
		for field, attribute := range f.kind.attributes {
			if slices.Contains(f.kind.required, attribute) {
				whole[field] = fieldValues[field][0]
			}
		}
		for attribute := range f.kind.secrets {
			whole[clickedSecrets[attribute][0]] = clickedSecrets[attribute][1]
		}
		drift = providertest.With(whole, drift)
	}
	f.Service.SetBackupStore(f.kind.kind, "new", drift)
}

// attempt plans and applies a configuration, or nil to destroy the store. between changes the service after
// the plan.
func (f *storeSequence) attempt(config providertest.Values, between func()) {
	f.T.Helper()
	f.CheckRefresh()
	if config == nil && f.State.IsNull() {
		return
	}
	if config != nil {
		f.config = config
	}
	if f.State.IsNull() && f.Live(f.config) != nil {
		f.ImportID("new")
	}
	prior := f.Attributes()
	p := f.Plan(config)
	if config != nil {
		p = f.CheckPlan(config)
	}
	if p == nil || len(p.Errors()) > 0 {
		return
	}
	if between != nil {
		between()
	}
	before := f.Live(f.config)
	diags := f.CheckApply(p, providertest.Values{})
	held := f.Live(f.config)
	f.checkKept(p, config, prior, before, held, between != nil)
	f.checkSecrets(diags)
	if errors := diags.Errors(); len(errors) > 0 && between == nil && config != nil && !strings.Contains(errors[0], "custom_certificates") {
		f.T.Fatalf("apply: %q\nheld %v", errors, before)
	}
	if config != nil && between == nil && len(diags.Errors()) == 0 {
		if again := f.CheckSettled(config); again == nil || !again.IsEmpty() {
			f.T.Fatalf("the plan is not empty: %v", again.Changes())
		}
	}
}

// checkKept checks that an apply keeps what its plan does not change.
func (f *storeSequence) checkKept(p *providertest.Plan, config, prior providertest.Values, before, held map[string]any, isLate bool) {
	f.T.Helper()
	if before == nil || held == nil || p.Replaces {
		return
	}
	shows := func(prefix string) bool {
		return prior == nil || slices.ContainsFunc(p.Changes(), func(attribute string) bool { return strings.HasPrefix(attribute, prefix) })
	}
	for field, prefix := range map[string]string{"oidc": "oidc_", "customCertificates": "custom_certificates", "newSetting": "newSetting"} {
		if is := fmt.Sprint(held[field]); (field == "newSetting" || !shows(prefix)) && is != fmt.Sprint(before[field]) {
			f.T.Fatalf("%s was %v and is %v, and the plan changes %v", field, before[field], is, p.Changes())
		}
	}
	for field, attribute := range f.kind.attributes {
		was, is, saw := fmt.Sprint(before[field]), fmt.Sprint(held[field]), fmt.Sprint(prior[attribute])
		if isLate && prior != nil && was != is && was != saw && before[field] != nil {
			f.T.Fatalf("%s was %s and is %s, and the plan saw %s", field, was, is, saw)
		}
	}
	for attribute, clicked := range clickedSecrets {
		was, is := before[clicked[0]], held[clicked[0]]
		isConfigured := is == config[attribute] || is == config[attribute+"_wo"] || config == nil && is == prior[attribute]
		isKnown := prior != nil && (prior[attribute] != nil || prior[attribute+"_wo_version"] != nil)
		if was != is && (!isConfigured || isLate && isKnown && attribute == "uri" && was == any(clicked[1])) {
			f.T.Fatalf("%s was %v and is %v, configured %v", attribute, was, is, config)
		}
	}
}

// checkSecrets fails if a secret is in a message, or in the state without being configured there.
func (f *storeSequence) checkSecrets(diags providertest.Diagnostics) {
	f.T.Helper()
	said := strings.Join(slices.Concat(diags.Errors(), diags.Warnings()), "\n") + string(f.Private)
	stored := fmt.Sprint(f.Attributes())
	for _, secret := range []string{"c0rrect", "clicked-", "AKIACLICKED", "AKIAC0RRECT"} {
		if strings.Contains(said, secret) {
			f.T.Fatalf("a secret is in %s", said)
		}
	}
	for _, secret := range []string{"written", "clicked-", "AKIACLICKED"} {
		if strings.Contains(stored, secret) {
			f.T.Fatalf("a secret is in %s", stored)
		}
	}
}

func TestEverySequenceOfStoreRunsConverges(t *testing.T) {
	t.Parallel()
	providertest.CheckSequences(t, func(t *rapid.T) {
		k := rapid.SampledFrom(storeKinds).Draw(t, "kind")
		described := k.resourceType()
		described.Object = func(s *providertest.Service, id string) map[string]any {
			held := withSortedLabels(s.BackupStore(k.kind, id))
			for field, value := range fieldDefaults {
				if held != nil && k.attributes[field] != "" && held[field] == nil {
					held[field] = value
				}
			}
			return held
		}
		registration := providertest.Registration{ResourceType: described, Config: k.config("new"), Created: true, Options: emulator.Options{
			ServiceVersion: rapid.SampledFrom([]string{"8.0.26", "8.0.27", masking}).Draw(t, "version"),
			Unknowns: emulator.Unknowns{
				RedactsCertificates: rapid.Bool().Draw(t, "redacts certificates"), DeletesAssignableStores: rapid.Bool().Draw(t, "deletes assignable stores"),
				OmitsSecretKey: rapid.Bool().Draw(t, "omits the secret key"),
			},
		}}
		f := &storeSequence{Trial: registration.Start(t), t: t, kind: k, config: registration.Config}
		for range rapid.IntRange(1, 6).Draw(t, "runs") {
			switch rapid.SampledFrom([]string{"apply", "apply", "saved plan", "saved destroy", "fault", "drift", "remove", "import", "destroy"}).Draw(t, "action") {
			case "apply":
				f.attempt(f.drawConfig(), nil)
			case "saved plan":
				drift := f.drawDrift()
				f.attempt(f.drawConfig(), func() { f.changeOutside(drift) })
			case "saved destroy":
				drift := f.drawDrift()
				f.attempt(nil, func() { f.changeOutside(drift) })
			case "fault":
				fault := rapid.SampledFrom([]emulator.Fault{{DropBefore: true}, {DropAfter: true}, {Status: 500}, {Status: 503}}).Draw(t, "fault")
				fault.Method = rapid.SampledFrom([]string{http.MethodPost, http.MethodPut, http.MethodDelete}).Draw(t, "method")
				f.attempt(f.drawConfig(), func() { f.Service.Inject(fault) })
				f.Service.ClearFaults()
			case "drift":
				f.changeOutside(f.drawDrift())
				f.CheckRefresh()
			case "remove":
				f.Service.RemoveBackupStore(k.kind, "new")
				if f.CheckRefresh(); f.Attributes() != nil {
					t.Fatalf("the store is gone, and the state holds %v", f.Attributes())
				}
			case "import":
				f.State, f.Private, f.Identity = f.Null(), nil, nil
				f.Restart()
				f.ImportID("new")
				if (f.Live(f.config) == nil) != f.State.IsNull() {
					t.Fatalf("imported %v, and the service holds %v", f.Attributes(), f.Live(f.config))
				}
			case "destroy":
				f.attempt(nil, nil)
			}
		}
	})
}

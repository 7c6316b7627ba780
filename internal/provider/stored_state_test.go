package provider_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// storedState is what Terraform keeps of a resource, with its configuration.
type storedState struct {
	Config          json.RawMessage `json:"config"`
	SchemaVersion   int64           `json:"schema_version"`
	Attributes      json.RawMessage `json:"attributes"`
	Private         json.RawMessage `json:"private,omitempty"`
	IdentityVersion int64           `json:"identity_schema_version"`
	Identity        json.RawMessage `json:"identity,omitempty"`
}

// states has a file for each release, and next.json, which has what the next release writes.
const states = "testdata/states"

// givenID replaces the ID that the emulator gave an object, which is random.
const givenID = "ffffffffffffffffffffffff"

// apply applies the configuration of a destruction. It returns the service, the resource, and its ID if the
// service gave it one.
func (d destruction) apply(t *testing.T) (s *providertest.Service, m *providertest.Resource, id string) {
	t.Helper()
	s, m = providertest.StartResource(t, d.typeName, emulator.Options{TransitionReads: -1, RestoreReads: -1})
	m.MustApply(d.config)
	for _, name := range []string{"id", "alert_configuration_id"} {
		if given, _ := m.Attributes()[name].(string); d.config[name] == nil && len(given) == len(givenID) {
			id = given
		}
	}
	return s, m, id
}

// identitySchema returns the schema of the identity of a type, or nil.
func identitySchema(t *testing.T, w *providertest.Workspace, typeName string) *tfprotov6.ResourceIdentitySchema {
	t.Helper()
	schemas, err := w.Server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return schemas.IdentitySchemas[typeName]
}

// store returns what Terraform keeps of a resource.
func (d destruction) store(t *testing.T) storedState {
	t.Helper()
	_, m, id := d.apply(t)
	encode := func(value any) json.RawMessage {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return withID(text, id, givenID)
	}
	stored := storedState{Config: encode(d.config), SchemaVersion: m.ResourceSchema.Version, Attributes: encode(m.Attributes()), Private: m.Private}
	if m.Identity != nil {
		schema := identitySchema(t, m.Workspace, d.typeName)
		value, err := m.Identity.IdentityData.Unmarshal(schema.ValueType())
		if err != nil {
			t.Fatal(err)
		}
		stored.IdentityVersion, stored.Identity = schema.Version, encode(providertest.Plain(value))
	}
	return stored
}

// withID replaces the ID that a service gave an object, if it gave it one.
func withID(text []byte, before, after string) []byte {
	if before == "" || after == "" {
		return text
	}
	return bytes.ReplaceAll(text, []byte(before), []byte(after))
}

// outline returns JSON without what differs each time: times, random numbers, and what is computed from
// them. Private values are JSON in base64.
func outline(t *testing.T, value any) any {
	t.Helper()
	switch value := value.(type) {
	case object:
		for key, element := range value {
			value[key] = outline(t, element)
		}
	case []any:
		for i, element := range value {
			value[i] = outline(t, element)
		}
	case string:
		var decoded object
		if text, err := base64.StdEncoding.DecodeString(value); err == nil && json.Unmarshal(text, &decoded) == nil {
			return outline(t, decoded)
		}
		return "text"
	}
	return value
}

// outlines returns the outline of the state of each type.
func outlines(t *testing.T, text []byte) object {
	t.Helper()
	var states object
	if err := json.Unmarshal(text, &states); err != nil {
		t.Fatal(err)
	}
	for typeName, state := range states {
		states[typeName] = outline(t, state)
	}
	return states
}

func TestStoredStatesAreWhatThisVersionWrites(t *testing.T) {
	t.Parallel()
	now := map[string]storedState{}
	for _, d := range destructions {
		if _, ok := now[d.typeName]; !ok {
			now[d.typeName] = d.store(t)
		}
	}
	text, err := json.MarshalIndent(now, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(states, "next.json")
	if *update {
		if err := os.WriteFile(path, append(text, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, got := outlines(t, text), outlines(t, stored)
	for typeName := range providertest.NewWorkspace(t, providertest.StartService(t)).Schema.ResourceSchemas {
		if got[typeName] == nil || !reflect.DeepEqual(got[typeName], want[typeName]) {
			t.Errorf(
				"this version writes another state of %s than %s has: if the next version can read both, run this with -update\n%v\n%v",
				typeName, path, got[typeName], want[typeName],
			)
		}
	}
}

func TestStatesOfEachReleaseAreReadPlannedAndDestroyed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(states, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no states: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var stored map[string]json.RawMessage
		if err := json.Unmarshal(text, &stored); err != nil {
			t.Fatal(err)
		}
		for typeName, text := range stored {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".json")+"/"+typeName, func(t *testing.T) {
				t.Parallel()
				isReadPlannedAndDestroyed(t, typeName, text)
			})
		}
	}
}

// isReadPlannedAndDestroyed checks that the stored state of a resource is read, that its plan is empty, and
// that a destroy removes it.
func isReadPlannedAndDestroyed(t *testing.T, typeName string, text json.RawMessage) {
	t.Helper()
	var kept storedState
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	w := providertest.NewWorkspace(t, providertest.StartService(t))
	schema := w.Schema.ResourceSchemas[typeName]
	if schema == nil {
		t.Fatalf("the provider has no %s any more", typeName)
	}
	config, err := (tfprotov6.RawState{JSON: kept.Config}).Unmarshal(schema.ValueType())
	if err != nil {
		t.Fatal(err)
	}
	d := destruction{typeName: typeName}
	d.config, _ = providertest.Plain(config).(values)
	s, _, id := d.apply(t)
	known := func(text json.RawMessage) []byte { return withID(text, givenID, id) }

	m := providertest.NewWorkspace(t, s).NewResource(typeName)
	upgraded, err := m.Server.UpgradeResourceState(t.Context(), &tfprotov6.UpgradeResourceStateRequest{
		TypeName: typeName, Version: kept.SchemaVersion, RawState: &tfprotov6.RawState{JSON: known(kept.Attributes)},
	})
	if err != nil || len(upgraded.Diagnostics) > 0 {
		t.Fatalf("upgrade: %v %q", err, providertest.Diagnostics(upgraded.Diagnostics).Errors())
	}
	if m.State, err = upgraded.UpgradedState.Unmarshal(m.ResourceSchema.ValueType()); err != nil {
		t.Fatal(err)
	}
	m.Private = known(kept.Private)
	if kept.Identity != nil {
		m.Identity = readIdentity(t, m, kept.IdentityVersion, known(kept.Identity))
	}
	m.MustRefresh()
	if m.State.IsNull() {
		t.Fatal("the refresh has removed the resource")
	}
	s.ResetRequests()
	if p := m.Plan(d.config); len(p.Errors()) > 0 || !p.IsEmpty() || len(s.Writes()) > 0 {
		t.Errorf("the plan changes %v: %q", p.Changes(), p.Errors())
	}
	if errors := m.Destroy().Errors(); len(errors) > 0 || !m.State.IsNull() {
		t.Errorf("the destroy leaves %v: %q", m.Attributes(), errors)
	}
}

// readIdentity reads a stored identity as Terraform does, which upgrades only those of older versions.
func readIdentity(t *testing.T, m *providertest.Resource, version int64, text []byte) *tfprotov6.ResourceIdentityData {
	t.Helper()
	schema, raw := identitySchema(t, m.Workspace, m.TypeName), &tfprotov6.RawState{JSON: text}
	if version == schema.Version {
		value, err := raw.Unmarshal(schema.ValueType())
		if err != nil {
			t.Fatal(err)
		}
		identity, err := tfprotov6.NewDynamicValue(schema.ValueType(), value)
		if err != nil {
			t.Fatal(err)
		}
		return &tfprotov6.ResourceIdentityData{IdentityData: &identity}
	}
	upgraded, err := m.Server.UpgradeResourceIdentity(
		t.Context(), &tfprotov6.UpgradeResourceIdentityRequest{TypeName: m.TypeName, Version: version, RawIdentity: raw},
	)
	if err != nil || len(upgraded.Diagnostics) > 0 {
		t.Fatalf("upgrade of the identity: %v %q", err, providertest.Diagnostics(upgraded.Diagnostics).Errors())
	}
	return upgraded.UpgradedIdentity
}

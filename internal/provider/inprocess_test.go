package provider_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/emulator"
)

// This file drives the provider server as Terraform does, in the test's own
// process: it merges configuration and state, plans, applies, and holds the
// provider to the rules that Terraform has for the results. It takes about a
// millisecond where a run of Terraform takes seconds. What it imitates is in
// node_resource_abstract_instance.go of Terraform's internal/terraform.

// tester is what testing.T and rapid.T have in common here.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// values is a configuration or a state: a string, int, bool, nil, []any or
// values for each attribute. What is not named is null.
type values map[string]any

// unknown is a value that is not known before the apply.
var unknown = struct{ unknown string }{"unknown"}

// diagnostics are what the provider told.
type diagnostics []*tfprotov6.Diagnostic

func (d diagnostics) of(severity tfprotov6.DiagnosticSeverity) []string {
	var texts []string
	for _, one := range d {
		if one.Severity == severity {
			text := one.Summary + ": " + one.Detail
			if one.Attribute != nil && len(one.Attribute.Steps()) > 0 {
				text = fmt.Sprintf("[%v] %s", one.Attribute.Steps()[0], text)
			}
			texts = append(texts, text)
		}
	}
	return texts
}

// errors are the errors, each as '[attribute] summary: detail'.
func (d diagnostics) errors() []string { return d.of(tfprotov6.DiagnosticSeverityError) }

func (d diagnostics) warnings() []string { return d.of(tfprotov6.DiagnosticSeverityWarning) }

// workspace is a configured provider.
type workspace struct {
	t      tester
	ctx    context.Context // of each call; a test that interrupts one sets its own
	server tfprotov6.ProviderServer
	schema *tfprotov6.GetProviderSchemaResponse

	settings values // of the provider

	planned map[*managed]bool // since it was configured, or applied a plan
}

// openWorkspace configures the provider for a service; settings add to that, or
// replace it.
func openWorkspace(t tester, s *testService, settings values) *workspace {
	t.Helper()
	server, err := providers()["opsmanager"]()
	if err != nil {
		t.Fatalf("serving the provider: %v", err)
	}
	return openWorkspaceOf(t, server, s, settings)
}

func openWorkspaceOf(t tester, server tfprotov6.ProviderServer, s *testService, settings values) *workspace {
	t.Helper()
	schema, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil || len(diagnostics(schema.Diagnostics).errors()) > 0 {
		t.Fatalf("schema: %v %v", err, diagnostics(schema.Diagnostics).errors())
	}
	w := &workspace{t: t, ctx: context.Background(), server: server, schema: schema}
	w.settings = values{"base_url": s.URL, "public_key": emulator.DefaultPublicKey, "private_key": emulator.DefaultPrivateKey, "max_retries": 0}
	maps.Copy(w.settings, settings)
	w.configure()
	return w
}

// configure configures the provider, as for another plan or apply: Terraform
// starts a provider for each of them. What is planned and applied in between
// shares one, as the resources of one plan do.
func (w *workspace) configure() {
	w.t.Helper()
	w.planned = map[*managed]bool{}
	configured, err := w.server.ConfigureProvider(context.Background(), &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.11.0",
		Config:           w.dynamic(w.schema.Provider, w.settings),
	})
	if err != nil || len(diagnostics(configured.Diagnostics).errors()) > 0 {
		w.t.Fatalf("configure: %v %v", err, diagnostics(configured.Diagnostics).errors())
	}
}

// begin configures the provider again if it has planned the resource already:
// this is another plan.
func (m *managed) begin() {
	m.t.Helper()
	if m.planned[m] {
		m.configure()
	}
}

// managed is a resource of a workspace and its state.
type managed struct {
	*workspace
	typeName string
	schema   *tfprotov6.Schema
	state    tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData

	// Settings of the resource's lifecycle block.
	ignoreChanges       []string // names of attributes, or "all"
	createBeforeDestroy bool

	tainted bool // so that the next plan replaces it

	// stranded is whether Terraform would have lost sight of the object: it is
	// deposed before the last plan of a replacement that creates before it
	// destroys, and only an error of the apply itself brings it back.
	stranded bool
}

func (w *workspace) resource(typeName string) *managed {
	w.t.Helper()
	schema, ok := w.schema.ResourceSchemas[typeName]
	if !ok {
		w.t.Fatalf("no resource %s", typeName)
	}
	return &managed{workspace: w, typeName: typeName, schema: schema, state: tftypes.NewValue(schema.ValueType(), nil)}
}

func (m *managed) null() tftypes.Value { return tftypes.NewValue(m.schema.ValueType(), nil) }

// attributes returns the state; nil where there is none.
func (m *managed) attributes() values {
	found, _ := plain(m.state).(values)
	return found
}

// planned is what the provider plans for a configuration.
type planned struct {
	diagnostics
	config   tftypes.Value // as it is written
	prior    tftypes.Value // null for a creation, and for the creation half of a replacement
	after    tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	replaces bool
}

// isEmpty reports whether Terraform would say 'No changes'.
func (p *planned) isEmpty() bool { return !p.replaces && p.prior.Equal(p.after) }

func (p *planned) values() values {
	found, _ := plain(p.after).(values)
	return found
}

// changes are the attributes that the plan changes, sorted.
func (p *planned) changes() []string {
	before, _ := plain(p.prior).(values)
	var changed []string
	for name, value := range p.values() {
		if fmt.Sprint(before[name]) != fmt.Sprint(value) {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// plan validates a configuration and plans it; a nil one plans the destruction.
func (m *managed) plan(config values) *planned {
	m.t.Helper()
	return m.planAs(config, false)
}

// planReplacement plans as 'terraform plan -replace' does.
func (m *managed) planReplacement(config values) *planned {
	m.t.Helper()
	return m.planAs(config, true)
}

func (m *managed) planAs(config values, forced bool) *planned {
	m.t.Helper()
	m.begin()
	if m.planned == nil {
		m.planned = map[*managed]bool{}
	}
	m.planned[m] = true
	written := m.null()
	p := &planned{}
	if config != nil {
		written = m.value(m.schema, config)
		if m.validate(p, written); len(p.errors()) > 0 {
			return p
		}
	}
	p.config, p.prior, p.private, p.identity = written, m.state, m.private, m.identity
	if config != nil && m.tainted {
		// Planned as if there were no state, and then turned into a replacement.
		p.prior, p.private, p.identity = m.null(), nil, nil
	}
	answer := m.planChange(p, m.withIgnored(written, p.prior))
	if len(p.errors()) > 0 {
		return p
	}
	if m.tainted && config != nil {
		p.replaces = true
	} else if (forced || len(answer.RequiresReplace) > 0) && !m.state.IsNull() {
		// Terraform plans a replacement again, as a creation, and drops the
		// warnings of that.
		p.replaces, p.prior = true, m.null()
		warned := p.diagnostics
		if m.planChange(p, written); len(p.errors()) == 0 {
			p.diagnostics = warned
		}
	}
	return p
}

// withIgnored returns a configuration as Terraform plans with it: what
// ignore_changes names has the value of the state. An apply gets it as written.
func (m *managed) withIgnored(written, prior tftypes.Value) tftypes.Value {
	if written.IsNull() || prior.IsNull() || len(m.ignoreChanges) == 0 {
		return written
	}
	attributes, before := object(m.t, written), object(m.t, prior)
	for _, attribute := range m.schema.Block.Attributes {
		all := slices.Contains(m.ignoreChanges, "all") && (attribute.Optional || attribute.Required)
		if all || slices.Contains(m.ignoreChanges, attribute.Name) {
			attributes[attribute.Name] = before[attribute.Name]
		}
	}
	return tftypes.NewValue(m.schema.ValueType(), attributes)
}

func (m *managed) validate(p *planned, wanted tftypes.Value) {
	m.t.Helper()
	validated, err := m.server.ValidateResourceConfig(m.ctx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: m.typeName, Config: m.dynamicValue(wanted),
	})
	if err != nil {
		m.t.Fatalf("validate: %v", err)
	}
	p.diagnostics = append(p.diagnostics, validated.Diagnostics...)
}

func (m *managed) planChange(p *planned, wanted tftypes.Value) *tfprotov6.PlanResourceChangeResponse {
	m.t.Helper()
	answer, err := m.server.PlanResourceChange(m.ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: m.typeName, Config: m.dynamicValue(wanted), PriorState: m.dynamicValue(p.prior),
		ProposedNewState: m.dynamicValue(m.proposed(wanted, p.prior)), PriorPrivate: p.private, PriorIdentity: p.identity,
	})
	if err != nil {
		m.t.Fatalf("plan: %v", err)
	}
	p.diagnostics = append(p.diagnostics, answer.Diagnostics...)
	if len(p.errors()) > 0 {
		return answer
	}
	p.after, p.private, p.identity = m.decoded(answer.PlannedState), answer.PlannedPrivate, answer.PlannedIdentity
	if p.after.IsNull() {
		return answer
	}
	after, config, before := object(m.t, p.after), object(m.t, wanted), object(m.t, p.prior)
	for _, attribute := range m.schema.Block.Attributes {
		name := attribute.Name
		switch {
		case config[name].IsNull() && attribute.Computed:
		case after[name].Equal(config[name]):
		case !config[name].IsNull() && before != nil && !before[name].IsNull() && after[name].Equal(before[name]):
		default:
			m.t.Fatalf("Terraform refuses the plan: %s is %v, configured %v", name, after[name], config[name])
		}
	}
	return answer
}

// proposed merges as Terraform does: the configuration, and the state for what
// is computed and not configured.
func (m *managed) proposed(config, prior tftypes.Value) tftypes.Value {
	if config.IsNull() {
		return config
	}
	wanted, before := object(m.t, config), object(m.t, prior)
	merged := map[string]tftypes.Value{}
	for _, attribute := range m.schema.Block.Attributes {
		merged[attribute.Name] = wanted[attribute.Name]
		if wanted[attribute.Name].IsNull() && attribute.Computed && before != nil {
			merged[attribute.Name] = before[attribute.Name]
		}
	}
	return tftypes.NewValue(m.schema.ValueType(), merged)
}

// apply applies a plan, and holds the result against it. Where something has
// become known since, it plans again before, as Terraform always does, and holds
// that to the first plan.
func (m *managed) apply(p *planned, known values) diagnostics {
	m.t.Helper()
	if len(p.errors()) > 0 {
		m.t.Fatalf("a plan with errors is not applied: %v", p.errors())
	}
	if !p.replaces {
		return m.applyPlan(p, known)
	}
	m.configure() // what was made before this run is no business of this apply
	old := m.deposed()
	var told diagnostics
	if !m.createBeforeDestroy {
		if told = old.delete(); len(told.errors()) > 0 {
			m.state, m.private, m.identity = old.state, old.private, old.identity
			return told
		}
	}
	m.state, m.private, m.identity, m.tainted = m.null(), nil, nil, false
	told = append(told, m.applyPlan(p, known)...)
	if m.createBeforeDestroy {
		if len(told.errors()) > 0 {
			m.state, m.private, m.identity = old.state, old.private, old.identity
			return told
		}
		told = append(told, old.deleteDeposed()...)
	}
	return told
}

// applyAgainPlanned applies a plan as Terraform does, which plans once more right
// before, and tells what both say.
func (m *managed) applyAgainPlanned(p *planned) diagnostics {
	m.t.Helper()
	return m.apply(p, values{})
}

// deposed is the object that a replacement replaces.
func (m *managed) deposed() *managed {
	old := *m
	return &old
}

// delete applies the deletion of the object: Terraform does not plan that again.
func (m *managed) delete() diagnostics {
	m.t.Helper()
	return m.applyPlan(&planned{config: m.null(), prior: m.state, after: m.null(), private: m.private, identity: m.identity}, nil)
}

// deleteDeposed deletes the old object of a replacement, whose deletion Terraform
// plans during the apply.
func (m *managed) deleteDeposed() diagnostics {
	m.t.Helper()
	p := &planned{config: m.null(), prior: m.state, private: m.private, identity: m.identity}
	m.planChange(p, p.config)
	if len(p.errors()) > 0 {
		return p.diagnostics
	}
	return append(p.diagnostics, m.applyPlan(p, nil)...)
}

func (m *managed) applyPlan(p *planned, known values) diagnostics {
	m.t.Helper()
	clear(m.planned)
	var told diagnostics
	if known != nil && !p.after.IsNull() {
		replaces := p.replaces
		if p = m.planAgain(p, known); len(p.errors()) > 0 {
			m.stranded = replaces && m.createBeforeDestroy
			return p.diagnostics
		}
		told = p.diagnostics
	}
	config, after := p.config, p.after
	answer, err := m.server.ApplyResourceChange(m.ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: m.typeName, Config: m.dynamicValue(config), PriorState: m.dynamicValue(p.prior),
		PlannedState: m.dynamicValue(after), PlannedPrivate: p.private, PlannedIdentity: p.identity,
	})
	if err != nil {
		m.t.Fatalf("apply: %v", err)
	}
	told = append(told, answer.Diagnostics...)
	m.state, m.private, m.identity = m.decoded(answer.NewState), answer.Private, answer.NewIdentity
	if len(told.errors()) > 0 {
		m.tainted = p.prior.IsNull() && !m.state.IsNull()
		return told
	}
	if !m.state.IsFullyKnown() {
		m.t.Fatalf("Terraform refuses the result: not all of it is known: %v", plain(m.state))
	}
	if after.IsNull() != m.state.IsNull() {
		m.t.Fatalf("Terraform refuses the result: planned %v, got %v", plain(after), plain(m.state))
	}
	result := object(m.t, m.state)
	for name, promised := range object(m.t, after) {
		if promised.IsKnown() && !promised.Equal(result[name]) {
			m.t.Fatalf("Terraform refuses the result: %s was planned as %v and is %v", name, promised, result[name])
		}
	}
	return told
}

// planAgain plans as Terraform does before an apply, with what is known by then.
func (m *managed) planAgain(first *planned, known values) *planned {
	m.t.Helper()
	m.configure()
	last := &planned{config: m.replaced(first.config, known), prior: first.prior, private: m.private, identity: m.identity}
	if m.validate(last, last.config); len(last.errors()) > 0 {
		return last
	}
	m.planChange(last, m.withIgnored(last.config, last.prior))
	if len(last.errors()) > 0 {
		return last
	}
	after := object(m.t, last.after)
	for name, promised := range object(m.t, first.after) {
		if promised.IsKnown() && !promised.Equal(after[name]) {
			m.t.Fatalf("Terraform refuses the last plan: %s was planned as %v and is now %v", name, promised, after[name])
		}
	}
	return last
}

// create plans and applies, and fails on any error.
func (m *managed) create(config values) diagnostics {
	m.t.Helper()
	p := m.plan(config)
	if len(p.errors()) > 0 {
		m.t.Fatalf("plan: %v", p.errors())
	}
	told := m.apply(p, nil)
	if len(told.errors()) > 0 {
		m.t.Fatalf("apply: %v", told.errors())
	}
	return append(p.diagnostics, told...)
}

func (m *managed) destroy() diagnostics {
	m.t.Helper()
	m.configure()
	p := m.plan(nil)
	if len(p.errors()) > 0 {
		return p.diagnostics
	}
	return append(p.diagnostics, m.apply(p, nil)...)
}

// refresh reads the resource, if there is one, and returns what the provider told.
func (m *managed) refresh() diagnostics {
	m.t.Helper()
	if m.state.IsNull() {
		return nil
	}
	m.begin()
	answer, err := m.server.ReadResource(m.ctx, &tfprotov6.ReadResourceRequest{
		TypeName: m.typeName, CurrentState: m.dynamicValue(m.state), Private: m.private, CurrentIdentity: m.identity,
	})
	if err != nil {
		m.t.Fatalf("refresh: %v", err)
	}
	told := diagnostics(answer.Diagnostics)
	if len(told.errors()) == 0 {
		m.state, m.private, m.identity = m.decoded(answer.NewState), answer.Private, answer.NewIdentity
	}
	return told
}

// importID imports by command, and reads as Terraform does then.
func (m *managed) importID(id string) diagnostics {
	m.t.Helper()
	return m.imported(&tfprotov6.ImportResourceStateRequest{TypeName: m.typeName, ID: id})
}

func (m *managed) importIdentity(identity *tfprotov6.ResourceIdentityData) diagnostics {
	m.t.Helper()
	return m.imported(&tfprotov6.ImportResourceStateRequest{TypeName: m.typeName, Identity: identity})
}

func (m *managed) imported(request *tfprotov6.ImportResourceStateRequest) diagnostics {
	m.t.Helper()
	answer, err := m.server.ImportResourceState(m.ctx, request)
	if err != nil {
		m.t.Fatalf("import: %v", err)
	}
	told := diagnostics(answer.Diagnostics)
	if len(told.errors()) > 0 {
		return told
	}
	one := answer.ImportedResources[0]
	m.state, m.private, m.identity = m.decoded(one.State), one.Private, one.Identity
	return append(told, m.refresh()...)
}

// read reads a data source.
func (w *workspace) read(typeName string, config values) (values, diagnostics) {
	w.t.Helper()
	schema := w.schema.DataSourceSchemas[typeName]
	configured := w.dynamic(schema, config)
	validated, err := w.server.ValidateDataResourceConfig(w.ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: typeName, Config: configured})
	if err != nil {
		w.t.Fatalf("validate: %v", err)
	}
	if told := diagnostics(validated.Diagnostics); len(told.errors()) > 0 {
		return nil, told
	}
	answer, err := w.server.ReadDataSource(w.ctx, &tfprotov6.ReadDataSourceRequest{TypeName: typeName, Config: configured})
	if err != nil {
		w.t.Fatalf("read: %v", err)
	}
	told := diagnostics(answer.Diagnostics)
	if len(told.errors()) > 0 {
		return nil, told
	}
	decoded, err := answer.State.Unmarshal(schema.ValueType())
	if err != nil {
		w.t.Fatalf("decode: %v", err)
	}
	found, _ := plain(decoded).(values)
	return found, told
}

// listed is one result of a query.
type listed struct {
	diagnostics
	name     string
	identity *tfprotov6.ResourceIdentityData
	resource tftypes.Value // null where it was not asked for
}

// query lists resources of a type as terraform query does.
func (w *workspace) query(typeName string, config values, includeResource bool, limit int64) []listed {
	w.t.Helper()
	return slices.Collect(w.queried(typeName, config, includeResource, limit))
}

// queried yields what is listed as it arrives, and ends with the first error, as
// Terraform does.
func (w *workspace) queried(typeName string, config values, includeResource bool, limit int64) iter.Seq[listed] {
	w.t.Helper()
	configured := w.dynamic(w.schema.ListResourceSchemas[typeName], config)
	server, ok := w.server.(tfprotov6.ListResourceServer)
	if !ok {
		w.t.Fatalf("the provider lists nothing")
	}
	validated, err := server.ValidateListResourceConfig(w.ctx, &tfprotov6.ValidateListResourceConfigRequest{TypeName: typeName, Config: configured})
	if err != nil {
		w.t.Fatalf("validate: %v", err)
	}
	if told := diagnostics(validated.Diagnostics); len(told.errors()) > 0 {
		return slices.Values([]listed{{diagnostics: told}})
	}
	stream, err := server.ListResource(w.ctx, &tfprotov6.ListResourceRequest{TypeName: typeName, Config: configured, IncludeResource: includeResource, Limit: limit})
	if err != nil {
		w.t.Fatalf("list: %v", err)
	}
	m := w.resource(typeName)
	return func(yield func(listed) bool) {
		for result := range stream.Results {
			one := listed{diagnostics: result.Diagnostics, name: result.DisplayName, identity: result.Identity, resource: m.state}
			if result.Resource != nil {
				one.resource = m.decoded(result.Resource)
			}
			if !yield(one) || len(one.errors()) > 0 {
				return
			}
		}
	}
}

func (m *managed) decoded(d *tfprotov6.DynamicValue) tftypes.Value {
	m.t.Helper()
	value, err := d.Unmarshal(m.schema.ValueType())
	if err != nil {
		m.t.Fatalf("decode: %v", err)
	}
	return value
}

func (m *managed) replaced(value tftypes.Value, known values) tftypes.Value {
	attributes := object(m.t, value)
	for name, v := range known {
		attributes[name] = m.attribute(attributes[name].Type(), v)
	}
	return tftypes.NewValue(m.schema.ValueType(), attributes)
}

func (w *workspace) dynamic(schema *tfprotov6.Schema, config values) *tfprotov6.DynamicValue {
	w.t.Helper()
	return w.dynamicValue(w.value(schema, config))
}

func (w *workspace) dynamicValue(value tftypes.Value) *tfprotov6.DynamicValue {
	w.t.Helper()
	d, err := tfprotov6.NewDynamicValue(value.Type(), value)
	if err != nil {
		w.t.Fatalf("encode: %v", err)
	}
	return &d
}

// value makes the object of a schema.
func (w *workspace) value(schema *tfprotov6.Schema, config values) tftypes.Value {
	w.t.Helper()
	attributes := map[string]tftypes.Value{}
	for _, attribute := range schema.Block.Attributes {
		attributes[attribute.Name] = w.attribute(attribute.ValueType(), config[attribute.Name])
	}
	for name := range config {
		if _, ok := attributes[name]; !ok {
			w.t.Fatalf("no attribute %s", name)
		}
	}
	return tftypes.NewValue(schema.ValueType(), attributes)
}

func (w *workspace) attribute(kind tftypes.Type, value any) tftypes.Value {
	w.t.Helper()
	if value == any(unknown) {
		return tftypes.NewValue(kind, tftypes.UnknownValue)
	}
	if n, ok := value.(int); ok {
		value = int64(n)
	}
	if err := tftypes.ValidateValue(kind, value); err != nil {
		w.t.Fatalf("%v: %v", value, err)
	}
	return tftypes.NewValue(kind, value)
}

// object returns the attributes of an object, to keep or change; nil for a null one.
func object(t tester, value tftypes.Value) map[string]tftypes.Value {
	t.Helper()
	if value.IsNull() {
		return nil
	}
	attributes := map[string]tftypes.Value{}
	if err := value.As(&attributes); err != nil {
		t.Fatalf("decode: %v", err)
	}
	return maps.Clone(attributes) // the value's own, otherwise
}

// plain returns a value as values, []any, string, int, bool, nil or unknown.
func plain(value tftypes.Value) any {
	switch {
	case !value.IsKnown():
		return unknown
	case value.IsNull():
		return nil
	}
	switch kind := value.Type(); {
	case kind.Is(tftypes.String):
		return decodedAs[string](value)
	case kind.Is(tftypes.Bool):
		return decodedAs[bool](value)
	case kind.Is(tftypes.Number):
		number := decodedAs[big.Float](value)
		n, _ := number.Int64()
		return int(n)
	case strings.HasPrefix(kind.String(), "tftypes.Object"), strings.HasPrefix(kind.String(), "tftypes.Map"):
		found := values{}
		for name, v := range decodedAs[map[string]tftypes.Value](value) {
			found[name] = plain(v)
		}
		return found
	}
	found := []any{}
	for _, v := range decodedAs[[]tftypes.Value](value) {
		found = append(found, plain(v))
	}
	return found
}

func decodedAs[T any](value tftypes.Value) T {
	var decoded T
	if err := value.As(&decoded); err != nil {
		panic(err) // the type was looked at before
	}
	return decoded
}

package providertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/emulator"
)

// Resource is a resource of a workspace and its state.
type Resource struct {
	*Workspace
	TypeName       string
	ResourceSchema *tfprotov6.Schema
	State          tftypes.Value
	Private        []byte
	Identity       *tfprotov6.ResourceIdentityData

	// Settings of the resource's lifecycle block.
	IgnoreChanges       []string // names of attributes, or "all"
	CreateBeforeDestroy bool

	Tainted bool // the next plan replaces it

	// Flat and Nested convert between the attributes of the resource and those that a test
	// uses. Both are nil if these are the same.
	Flat, Nested func(Values) Values

	// stranded reports whether Terraform has only a deposed object. With create_before_destroy,
	// it deposes the object before the last plan of a replacement, and restores it only if the
	// apply itself fails.
	stranded bool
}

// NewResource returns a resource of a type, without a state.
func (w *Workspace) NewResource(typeName string) *Resource {
	w.T.Helper()
	schema, ok := w.Schema.ResourceSchemas[typeName]
	if !ok {
		w.T.Fatalf("no resource %s", typeName)
	}
	return &Resource{
		Workspace:      w,
		TypeName:       typeName,
		ResourceSchema: schema,
		State:          tftypes.NewValue(schema.ValueType(), nil),
	}
}

// StartResource starts a service, and returns a resource on it without a state.
func StartResource(t *testing.T, typeName string, options ...emulator.Options) (*Service, *Resource) {
	t.Helper()
	s := StartService(t, options...)
	return s, NewWorkspace(t, s).NewResource(typeName)
}

// Planning returns a function that plans a configuration, or a destroy without one.
func (m *Resource) Planning(config Values) func() *Plan {
	return func() *Plan { return m.Plan(config) }
}

// Null returns the state of a resource that does not exist.
func (m *Resource) Null() tftypes.Value {
	return tftypes.NewValue(m.ResourceSchema.ValueType(), nil)
}

// Attributes returns the state, or nil if there is none.
func (m *Resource) Attributes() Values {
	return m.flat(m.State)
}

// flat returns the attributes of a state, a plan or a configuration, or nil if it is null.
func (m *Resource) flat(value tftypes.Value) Values {
	found, _ := Plain(value).(Values)
	if m.Flat == nil || found == nil {
		return found
	}
	return m.Flat(found)
}

// nested returns a configuration or a state with the attributes that a test uses.
func (m *Resource) nested(values Values) tftypes.Value {
	m.T.Helper()
	if m.Nested != nil {
		values = m.Nested(values)
	}
	return m.Object(m.ResourceSchema, values)
}

// Plan is a plan of one resource.
type Plan struct {
	Diagnostics
	of       *Resource
	Config   tftypes.Value // as written
	Prior    tftypes.Value // null for a creation, and for the creation half of a replacement
	After    tftypes.Value
	Private  []byte
	Identity *tfprotov6.ResourceIdentityData
	Replaces bool
}

// IsEmpty reports whether Terraform would say 'No changes'.
func (p *Plan) IsEmpty() bool { return !p.Replaces && p.Prior.Equal(p.After) }

// Values returns the planned state, or nil for a destroy.
func (p *Plan) Values() Values {
	return p.of.flat(p.After)
}

// Changes returns the attributes that the plan changes, sorted.
func (p *Plan) Changes() []string {
	before := p.of.flat(p.Prior)
	var changed []string
	for name, value := range p.Values() {
		if fmt.Sprint(before[name]) != fmt.Sprint(value) {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// Plan validates a configuration and plans it. A nil one plans a destroy.
func (m *Resource) Plan(config Values) *Plan {
	m.T.Helper()
	return m.planAs(config, false)
}

// PlanReplacement plans as 'terraform plan -replace' does.
func (m *Resource) PlanReplacement(config Values) *Plan {
	m.T.Helper()
	return m.planAs(config, true)
}

func (m *Resource) planAs(config Values, forced bool) *Plan {
	m.T.Helper()
	m.begin()
	if m.planned == nil {
		m.planned = map[*Resource]bool{}
	}
	m.planned[m] = true
	written := m.Null()
	p := &Plan{of: m}
	if config != nil {
		written = m.nested(config)
		if m.validate(p, written); len(p.Errors()) > 0 {
			return p
		}
	}
	p.Config = written
	p.Prior = m.State
	p.Private = m.Private
	p.Identity = m.Identity
	if config != nil && m.Tainted {
		// Terraform plans a tainted resource without its state, and then makes that a replacement.
		p.Prior = m.Null()
		p.Private = nil
		p.Identity = nil
	}
	resp := m.planChange(p, m.withIgnored(written, p.Prior))
	if len(p.Errors()) > 0 {
		return p
	}
	if m.Tainted && config != nil {
		p.Replaces = true
	} else if (forced || len(resp.RequiresReplace) > 0) && !m.State.IsNull() {
		// Terraform plans a replacement again, as a creation, and drops the warnings of that plan.
		p.Replaces = true
		p.Prior = m.Null()
		warned := p.Diagnostics
		if m.planChange(p, written); len(p.Errors()) == 0 {
			p.Diagnostics = warned
		}
	}
	return p
}

// begin configures the provider again if it has already planned the resource, or applied a plan,
// because this is another plan. Resources that begin at once share the new one.
func (m *Resource) begin() {
	m.T.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.planned[m] || m.applied {
		m.configureAgain()
	}
}

// beginRefresh also configures it again if it has already refreshed the resource, which Terraform does once in a plan.
func (m *Resource) beginRefresh() {
	m.T.Helper()
	m.begin()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refreshed[m] {
		m.configureAgain()
	}
	m.refreshed[m] = true
}

// beginApply configures the provider again if it has planned since, because all resources of an apply
// share a process, but not with the plan.
func (m *Resource) beginApply() {
	m.T.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.planned) > 0 {
		m.configureAgain()
	}
	clear(m.planned)
	m.applied = true
}

// withIgnored returns a configuration as Terraform plans with it: the attributes in ignore_changes
// have the values of the state. An apply gets the configuration as written.
func (m *Resource) withIgnored(written, prior tftypes.Value) tftypes.Value {
	if written.IsNull() || prior.IsNull() || len(m.IgnoreChanges) == 0 {
		return written
	}
	attributes := object(m.T, written)
	before := object(m.T, prior)
	for _, attribute := range m.ResourceSchema.Block.Attributes {
		all := slices.Contains(m.IgnoreChanges, "all") && (attribute.Optional || attribute.Required)
		if all || slices.Contains(m.IgnoreChanges, attribute.Name) {
			attributes[attribute.Name] = before[attribute.Name]
		}
	}
	return tftypes.NewValue(m.ResourceSchema.ValueType(), attributes)
}

func (m *Resource) validate(p *Plan, wanted tftypes.Value) {
	m.T.Helper()
	validated, err := m.Server.ValidateResourceConfig(m.Context, &tfprotov6.ValidateResourceConfigRequest{
		TypeName:           m.TypeName,
		Config:             m.dynamicValue(wanted),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil {
		m.T.Fatalf("validate: %v", err)
	}
	p.Diagnostics = append(p.Diagnostics, validated.Diagnostics...)
}

func (m *Resource) planChange(p *Plan, wanted tftypes.Value) *tfprotov6.PlanResourceChangeResponse {
	m.T.Helper()
	m.unused.Store(false)
	resp, err := m.Server.PlanResourceChange(m.Context, &tfprotov6.PlanResourceChangeRequest{
		TypeName:         m.TypeName,
		Config:           m.dynamicValue(wanted),
		PriorState:       m.dynamicValue(p.Prior),
		ProposedNewState: m.dynamicValue(m.proposed(wanted, p.Prior)),
		PriorPrivate:     p.Private,
		PriorIdentity:    p.Identity,
	})
	if err != nil {
		m.T.Fatalf("plan: %v", err)
	}
	p.Diagnostics = append(p.Diagnostics, resp.Diagnostics...)
	if len(p.Errors()) > 0 {
		return resp
	}
	p.After = m.decoded(resp.PlannedState)
	p.Private = resp.PlannedPrivate
	p.Identity = resp.PlannedIdentity
	if p.After.IsNull() {
		return resp
	}
	after := object(m.T, p.After)
	config := object(m.T, wanted)
	before := object(m.T, p.Prior)
	for _, attribute := range m.ResourceSchema.Block.Attributes {
		name := attribute.Name
		config[name] = withoutWriteOnly(m.T, attribute, config[name])
		switch {
		case config[name].IsNull() && attribute.Computed:
		case after[name].Equal(config[name]):
		case !config[name].IsNull() && before != nil && !before[name].IsNull() && after[name].Equal(before[name]):
		default:
			m.T.Fatalf("Terraform rejects the plan: %s is %v, configured %v", name, after[name], config[name])
		}
	}
	return resp
}

// proposed merges a configuration and a state as Terraform does: computed attributes that are not
// configured have the values of the state.
func (m *Resource) proposed(config, prior tftypes.Value) tftypes.Value {
	if config.IsNull() {
		return config
	}
	wanted := object(m.T, config)
	before := object(m.T, prior)
	merged := map[string]tftypes.Value{}
	for _, attribute := range m.ResourceSchema.Block.Attributes {
		merged[attribute.Name] = withoutWriteOnly(m.T, attribute, wanted[attribute.Name])
		if wanted[attribute.Name].IsNull() && attribute.Computed && before != nil {
			merged[attribute.Name] = before[attribute.Name]
		}
	}
	return tftypes.NewValue(m.ResourceSchema.ValueType(), merged)
}

// withoutWriteOnly returns the value of an attribute with write-only parts set to null, as in plans and
// states.
func withoutWriteOnly(t T, attribute *tfprotov6.SchemaAttribute, value tftypes.Value) tftypes.Value {
	t.Helper()
	switch {
	case attribute.WriteOnly:
		return tftypes.NewValue(attribute.ValueType(), nil)
	case attribute.NestedType == nil,
		attribute.NestedType.Nesting != tfprotov6.SchemaObjectNestingModeSingle,
		!value.IsKnown(),
		value.IsNull():
		return value
	}
	parts := object(t, value)
	for _, part := range attribute.NestedType.Attributes {
		parts[part.Name] = withoutWriteOnly(t, part, parts[part.Name])
	}
	return tftypes.NewValue(attribute.ValueType(), parts)
}

// Apply applies a plan, and compares the result with it. If unknown values have become known, it
// first plans again, as Terraform always does, and compares that plan with the first one.
func (m *Resource) Apply(p *Plan, given ...Values) Diagnostics {
	m.T.Helper()
	var known Values
	if len(given) > 0 {
		known = given[0]
	}
	if len(p.Errors()) > 0 {
		m.T.Fatalf("a plan with errors cannot be applied: %v", p.Errors())
	}
	if !p.Replaces {
		return m.applyPlan(p, known)
	}
	m.beginApply()
	old := m.deposed()
	var diags Diagnostics
	if !m.CreateBeforeDestroy {
		if diags = old.delete(p.Private); len(diags.Errors()) > 0 {
			m.State = old.State
			m.Private = old.Private
			m.Identity = old.Identity
			return diags
		}
	}
	m.State = m.Null()
	m.Private = nil
	m.Identity = nil
	m.Tainted = false
	diags = append(diags, m.applyPlan(p, known)...)
	if m.CreateBeforeDestroy {
		if len(diags.Errors()) > 0 {
			m.State = old.State
			m.Private = old.Private
			m.Identity = old.Identity
			return diags
		}
		diags = append(diags, old.DeleteDeposed()...)
	}
	return diags
}

// ApplyReplanned applies a plan like Terraform, which plans once more right before the apply. It
// returns the diagnostics of both.
func (m *Resource) ApplyReplanned(p *Plan) Diagnostics {
	m.T.Helper()
	return m.Apply(p, Values{})
}

// deposed is the old object of a replacement.
func (m *Resource) deposed() *Resource {
	old := *m
	return &old
}

// delete applies the deletion of the object, with the private data of the replacement's plan.
// Terraform does not plan that again.
func (m *Resource) delete(private []byte) Diagnostics {
	m.T.Helper()
	return m.applyPlan(&Plan{
		of:       m,
		Config:   m.Null(),
		Prior:    m.State,
		After:    m.Null(),
		Private:  private,
		Identity: m.Identity,
	}, nil)
}

// DeleteDeposed deletes the old object of a replacement. Terraform plans that during the apply.
func (m *Resource) DeleteDeposed() Diagnostics {
	m.T.Helper()
	p := &Plan{
		of:       m,
		Config:   m.Null(),
		Prior:    m.State,
		Private:  m.Private,
		Identity: m.Identity,
	}
	m.planChange(p, p.Config)
	if len(p.Errors()) > 0 {
		return p.Diagnostics
	}
	return append(p.Diagnostics, m.applyPlan(p, nil)...)
}

func (m *Resource) applyPlan(p *Plan, known Values) Diagnostics {
	m.T.Helper()
	m.beginApply()
	var diags Diagnostics
	if known != nil && !p.After.IsNull() {
		replaces := p.Replaces
		if p = m.planAgain(p, known); len(p.Errors()) > 0 {
			m.stranded = replaces && m.CreateBeforeDestroy
			return p.Diagnostics
		}
		diags = p.Diagnostics
	}
	config := p.Config
	after := p.After
	m.unused.Store(false)
	resp, err := m.Server.ApplyResourceChange(m.Context, &tfprotov6.ApplyResourceChangeRequest{
		TypeName:        m.TypeName,
		Config:          m.dynamicValue(config),
		PriorState:      m.dynamicValue(p.Prior),
		PlannedState:    m.dynamicValue(after),
		PlannedPrivate:  p.Private,
		PlannedIdentity: p.Identity,
	})
	if err != nil {
		m.T.Fatalf("apply: %v", err)
	}
	diags = append(diags, resp.Diagnostics...)
	m.State = m.decoded(resp.NewState)
	m.Private = resp.Private
	m.Identity = resp.NewIdentity
	if bytes.Contains(m.Private, []byte(`"planned"`)) {
		m.T.Fatalf("the state keeps what its plan noted for the second plan of a replacement: %s", m.Private)
	}
	if len(diags.Errors()) > 0 {
		m.Tainted = p.Prior.IsNull() && !m.State.IsNull()
		return diags
	}
	if !m.State.IsFullyKnown() {
		m.T.Fatalf("Terraform rejects the result, because it has unknown values: %v", Plain(m.State))
	}
	if after.IsNull() != m.State.IsNull() {
		m.T.Fatalf("Terraform rejects the result: planned %v, got %v", Plain(after), Plain(m.State))
	}
	result := object(m.T, m.State)
	for name, promised := range object(m.T, after) {
		if !keeps(promised, result[name]) {
			m.T.Fatalf("Terraform rejects the result: %s was planned as %v and is %v", name, promised, result[name])
		}
	}
	return diags
}

// keeps reports whether a value is what a plan has promised. What was unknown may be anything.
func keeps(promised, is tftypes.Value) bool {
	var elements, found map[string]tftypes.Value
	switch {
	case !promised.IsKnown() || promised.Equal(is):
		return true
	case promised.IsFullyKnown() || promised.As(&elements) != nil || is.As(&found) != nil:
		return promised.Type().Is(tftypes.Set{}) && !promised.IsFullyKnown()
	}
	for key, element := range elements {
		if is, ok := found[key]; !ok || !keeps(element, is) {
			return false
		}
	}
	return len(elements) == len(found)
}

// planAgain plans again like Terraform before an apply, with the values that are known by then.
func (m *Resource) planAgain(first *Plan, known Values) *Plan {
	m.T.Helper()
	last := &Plan{
		of:       m,
		Config:   m.ReplaceAttributes(first.Config, known),
		Prior:    first.Prior,
		Private:  m.Private,
		Identity: m.Identity,
	}
	if m.validate(last, last.Config); len(last.Errors()) > 0 {
		return last
	}
	m.planChange(last, m.withIgnored(last.Config, last.Prior))
	if len(last.Errors()) > 0 {
		return last
	}
	after := object(m.T, last.After)
	for name, promised := range object(m.T, first.After) {
		switch {
		case keeps(promised, after[name]):
		case slices.Contains([]string{"overwrites", "clusters", "skipped"}, name): // what an adoption would overwrite has changed since
			last.Diagnostics = append(last.Diagnostics, &tfprotov6.Diagnostic{
				Severity: tfprotov6.DiagnosticSeverityError,
				Summary:  "Provider produced inconsistent final plan",
				Detail:   fmt.Sprintf("produced an invalid new value for .%s: was %v, but now %v: it changed since the plan", name, Plain(promised), Plain(after[name])),
			})
		default:
			m.T.Fatalf("Terraform rejects the last plan: %s was planned as %v and is now %v", name, promised, after[name])
		}
	}
	return last
}

// Create plans and applies, and fails on any error.
func (m *Resource) Create(config Values) Diagnostics {
	m.T.Helper()
	p := m.Plan(config)
	if len(p.Errors()) > 0 {
		m.T.Fatalf("plan: %v", p.Errors())
	}
	diags := m.Apply(p)
	if len(diags.Errors()) > 0 {
		m.T.Fatalf("apply: %v", diags.Errors())
	}
	return append(p.Diagnostics, diags...)
}

// MustApply runs terraform apply. It fails on any error, and if the next plan is not empty. It
// returns the warnings of the apply that its plan did not show.
func (m *Resource) MustApply(config Values) Diagnostics {
	m.T.Helper()
	p := m.Plan(config)
	if len(p.Errors()) > 0 {
		m.T.Fatalf("plan: %q", p.Errors())
	}
	diags := m.ApplyReplanned(p)
	if len(diags.Errors()) > 0 {
		m.T.Fatalf("apply: %q", diags.Errors())
	}
	m.MustBeSettled(config)
	shown := p.Warnings()
	return slices.DeleteFunc(diags, func(d *tfprotov6.Diagnostic) bool {
		return slices.Contains(shown, Diagnostics{d}.Warnings()[0])
	})
}

// MustBeSettled runs terraform plan. It fails if the plan is not empty, and on any error.
func (m *Resource) MustBeSettled(config Values) {
	m.T.Helper()
	m.configureAgain()
	m.MustRefresh()
	p := m.Plan(config)
	if !p.IsEmpty() || len(p.Errors()) > 0 {
		m.T.Fatalf("the plan is not empty: %v %q", p.Changes(), p.Errors())
	}
}

// Destroy plans a destroy and applies it.
func (m *Resource) Destroy() Diagnostics {
	m.T.Helper()
	m.configureAgain()
	p := m.Plan(nil)
	if len(p.Errors()) > 0 {
		return p.Diagnostics
	}
	return append(p.Diagnostics, m.Apply(p)...)
}

// Refresh reads the resource, if it has a state, and returns the diagnostics.
func (m *Resource) Refresh() Diagnostics {
	m.T.Helper()
	if m.State.IsNull() {
		return nil
	}
	m.beginRefresh()
	m.unused.Store(false)
	resp, err := m.Server.ReadResource(m.Context, &tfprotov6.ReadResourceRequest{
		TypeName:        m.TypeName,
		CurrentState:    m.dynamicValue(m.State),
		Private:         m.Private,
		CurrentIdentity: m.Identity,
	})
	if err != nil {
		m.T.Fatalf("refresh: %v", err)
	}
	diags := Diagnostics(resp.Diagnostics)
	if len(diags.Errors()) == 0 {
		m.State = m.decoded(resp.NewState)
		m.Private = resp.Private
		m.Identity = resp.NewIdentity
	}
	return diags
}

// MustRefresh reads the resource, and fails on any error.
func (m *Resource) MustRefresh() {
	m.T.Helper()
	if errors := m.Refresh().Errors(); len(errors) > 0 {
		m.T.Fatalf("refresh: %q", errors)
	}
}

// ReadState upgrades the state, as Terraform does whenever it reads one. It does only that for a
// resource that it does not refresh.
func (m *Resource) ReadState() Diagnostics {
	m.T.Helper()
	m.begin()
	m.unused.Store(false)
	raw, err := json.Marshal(Plain(m.State))
	if err != nil {
		m.T.Fatalf("encode: %v", err)
	}
	resp, err := m.Server.UpgradeResourceState(m.Context, &tfprotov6.UpgradeResourceStateRequest{
		TypeName: m.TypeName,
		Version:  m.ResourceSchema.Version,
		RawState: &tfprotov6.RawState{JSON: raw},
	})
	if err != nil {
		m.T.Fatalf("upgrade: %v", err)
	}
	return resp.Diagnostics
}

// ImportID imports by ID, and then reads the resource, as Terraform does.
func (m *Resource) ImportID(id string) Diagnostics {
	m.T.Helper()
	return m.imported(&tfprotov6.ImportResourceStateRequest{TypeName: m.TypeName, ID: id})
}

// ImportIdentity imports by identity, and then reads the resource, as Terraform does.
func (m *Resource) ImportIdentity(identity *tfprotov6.ResourceIdentityData) Diagnostics {
	m.T.Helper()
	return m.imported(&tfprotov6.ImportResourceStateRequest{TypeName: m.TypeName, Identity: identity})
}

func (m *Resource) imported(request *tfprotov6.ImportResourceStateRequest) Diagnostics {
	m.T.Helper()
	m.unused.Store(false)
	resp, err := m.Server.ImportResourceState(m.Context, request)
	if err != nil {
		m.T.Fatalf("import: %v", err)
	}
	diags := Diagnostics(resp.Diagnostics)
	if len(diags.Errors()) > 0 {
		return diags
	}
	one := resp.ImportedResources[0]
	m.State = m.decoded(one.State)
	m.Private = one.Private
	m.Identity = one.Identity
	m.Tainted = false
	return append(diags, m.Refresh()...)
}

func (m *Resource) decoded(d *tfprotov6.DynamicValue) tftypes.Value {
	m.T.Helper()
	value, err := d.Unmarshal(m.ResourceSchema.ValueType())
	if err != nil {
		m.T.Fatalf("decode: %v", err)
	}
	return value
}

// ReplaceAttributes returns a state or configuration with some attributes replaced.
func (m *Resource) ReplaceAttributes(value tftypes.Value, known Values) tftypes.Value {
	if m.Nested != nil {
		config := m.flat(value)
		maps.Copy(config, known)
		return m.nested(config)
	}
	attributes := object(m.T, value)
	for name, v := range known {
		attributes[name] = m.attribute(attributes[name].Type(), v)
	}
	return tftypes.NewValue(m.ResourceSchema.ValueType(), attributes)
}

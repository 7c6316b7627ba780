package backups

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// backupConfigResourceModel is the model of the resource.
type backupConfigResourceModel struct {
	ProjectID types.String `tfsdk:"project_id"`
	ClusterID types.String `tfsdk:"cluster_id"`

	StatusName               types.String `tfsdk:"status_name"`
	StorageEngineName        types.String `tfsdk:"storage_engine_name"`
	SSLEnabled               types.Bool   `tfsdk:"ssl_enabled"`
	AuthMechanismName        types.String `tfsdk:"auth_mechanism_name"`
	EncryptionEnabled        types.Bool   `tfsdk:"encryption_enabled"`
	PreferredMember          types.String `tfsdk:"preferred_member"`
	ExcludedNamespaces       types.Set    `tfsdk:"excluded_namespaces"`
	IncludedNamespaces       types.Set    `tfsdk:"included_namespaces"`
	MultiRegionBackupEnabled types.Bool   `tfsdk:"multi_region_backup_enabled"`

	// Ops Manager doesn't return these. The state has the applied values.
	SyncSource                        types.String `tfsdk:"sync_source"`
	Username                          types.String `tfsdk:"username"`
	Password                          types.String `tfsdk:"password"`
	PasswordWO                        types.String `tfsdk:"password_wo"` // in configurations only
	PasswordWOVersion                 types.Int64  `tfsdk:"password_wo_version"`
	SnapshotStore                     types.Object `tfsdk:"snapshot_store"`
	DeploymentConfigs                 types.Set    `tfsdk:"deployment_configs"`
	DisableCertificateRevocationCheck types.Bool   `tfsdk:"disable_certificate_revocation_check"`

	Provisioned              types.Bool `tfsdk:"provisioned"`
	MultiRegionMisconfigured types.Bool `tfsdk:"multi_region_misconfigured"`

	OnDestroy types.String   `tfsdk:"on_destroy"`
	Timeouts  timeouts.Value `tfsdk:"timeouts"`
}

func (m *backupConfigResourceModel) identity() projects.ClusterIdentity {
	return projects.ClusterIdentity{ProjectID: m.ProjectID, ClusterID: m.ClusterID}
}

// textField is a text that Ops Manager returns.
type textField struct {
	attribute string
	model     func(*backupConfigResourceModel) *types.String
	live      func(*opsmanager.BackupConfig) *string
	change    func(*opsmanager.BackupConfigChange) **string
}

var textFields = []textField{
	{
		attribute: "storage_engine_name",
		model:     func(m *backupConfigResourceModel) *types.String { return &m.StorageEngineName },
		live:      func(c *opsmanager.BackupConfig) *string { return c.StorageEngineName },
		change:    func(c *opsmanager.BackupConfigChange) **string { return &c.StorageEngineName },
	},
	{
		attribute: "auth_mechanism_name",
		model:     func(m *backupConfigResourceModel) *types.String { return &m.AuthMechanismName },
		live:      func(c *opsmanager.BackupConfig) *string { return c.AuthMechanismName },
		change:    func(c *opsmanager.BackupConfigChange) **string { return &c.AuthMechanismName },
	},
	{
		attribute: "preferred_member",
		model:     func(m *backupConfigResourceModel) *types.String { return &m.PreferredMember },
		live:      func(c *opsmanager.BackupConfig) *string { return c.PreferredMember },
		change:    func(c *opsmanager.BackupConfigChange) **string { return &c.PreferredMember },
	},
}

// switchField is a boolean that Ops Manager returns.
type switchField struct {
	attribute string
	model     func(*backupConfigResourceModel) *types.Bool
	live      func(*opsmanager.BackupConfig) *bool
	change    func(*opsmanager.BackupConfigChange) **bool
}

var switchFields = []switchField{
	{
		attribute: "ssl_enabled",
		model:     func(m *backupConfigResourceModel) *types.Bool { return &m.SSLEnabled },
		live:      func(c *opsmanager.BackupConfig) *bool { return c.SSLEnabled },
		change:    func(c *opsmanager.BackupConfigChange) **bool { return &c.SSLEnabled },
	},
	{
		attribute: "encryption_enabled",
		model:     func(m *backupConfigResourceModel) *types.Bool { return &m.EncryptionEnabled },
		live:      func(c *opsmanager.BackupConfig) *bool { return c.EncryptionEnabled },
		change:    func(c *opsmanager.BackupConfigChange) **bool { return &c.EncryptionEnabled },
	},
	{
		attribute: "multi_region_backup_enabled",
		model:     func(m *backupConfigResourceModel) *types.Bool { return &m.MultiRegionBackupEnabled },
		live:      func(c *opsmanager.BackupConfig) *bool { return c.MultiRegionBackupEnabled },
		change:    func(c *opsmanager.BackupConfigChange) **bool { return &c.MultiRegionBackupEnabled },
	},
}

// namespaceField is one of the two lists of namespaces.
type namespaceField struct {
	attribute string
	model     func(*backupConfigResourceModel) *types.Set
	live      func(*opsmanager.BackupConfig) []string
	change    func(*opsmanager.BackupConfigChange) **[]string
}

var (
	exclusions = namespaceField{
		attribute: "excluded_namespaces",
		model:     func(m *backupConfigResourceModel) *types.Set { return &m.ExcludedNamespaces },
		live:      func(c *opsmanager.BackupConfig) []string { return c.ExcludedNamespaces },
		change:    func(c *opsmanager.BackupConfigChange) **[]string { return &c.ExcludedNamespaces },
	}
	inclusions = namespaceField{
		attribute: "included_namespaces",
		model:     func(m *backupConfigResourceModel) *types.Set { return &m.IncludedNamespaces },
		live:      func(c *opsmanager.BackupConfig) []string { return c.IncludedNamespaces },
		change:    func(c *opsmanager.BackupConfigChange) **[]string { return &c.IncludedNamespaces },
	}
	namespaceFields = []namespaceField{exclusions, inclusions}
)

// fromAPI reads a response. A field that is missing in it keeps its value. But a missing
// list of namespaces is empty, unless the response has nothing but the status. ignored
// holds the lists that Ops Manager returned instead of the configured ones.
func (m *backupConfigResourceModel) fromAPI(live opsmanager.BackupConfig, ignored ignoredNamespaces) {
	if live.StatusName != nil {
		m.StatusName = types.StringValue(*live.StatusName)
	}
	for _, f := range textFields {
		if value := f.live(&live); value != nil {
			*f.model(m) = types.StringValue(*value)
		}
	}
	for _, f := range switchFields {
		if value := f.live(&live); value != nil {
			*f.model(m) = types.BoolValue(*value)
		}
	}
	for _, f := range namespaceFields {
		returned := f.live(&live)
		if instead, ok := ignored[f.attribute]; ok && sameElements(instead, returned) {
			continue
		}
		isSet := !f.model(m).IsNull() && !f.model(m).IsUnknown()
		if isSet && isBare(live) {
			continue
		}
		if !isSet || !sameElements(namespaces(*f.model(m)), returned) {
			*f.model(m) = namespaceSet(returned)
		}
	}
	if live.Provisioned != nil {
		m.Provisioned = types.BoolValue(*live.Provisioned)
	}
	if live.MultiRegionMisconfigured != nil {
		m.MultiRegionMisconfigured = types.BoolValue(*live.MultiRegionMisconfigured)
	}
}

// isBare reports whether a response has no namespaces because the backup is INACTIVE.
func isBare(live opsmanager.BackupConfig) bool {
	return statusOf(live) == opsmanager.StatusInactive && live.ExcludedNamespaces == nil && live.IncludedNamespaces == nil
}

// ignoredNamespaces holds the lists of namespaces that Ops Manager returned instead of
// those that it was sent, by attribute. Ops Manager ignores the lists for modern
// databases.
type ignoredNamespaces map[string][]string

// applied returns a planned model whose unknown values are taken from a response, or null
// if they are missing in it.
func (m backupConfigResourceModel) applied(live opsmanager.BackupConfig) backupConfigResourceModel {
	var read backupConfigResourceModel
	read.fromAPI(live, nil)
	if m.StatusName.IsUnknown() {
		m.StatusName = read.StatusName
	}
	for _, f := range textFields {
		if f.model(&m).IsUnknown() {
			*f.model(&m) = *f.model(&read)
		}
	}
	for _, f := range switchFields {
		if f.model(&m).IsUnknown() {
			*f.model(&m) = *f.model(&read)
		}
	}
	for _, f := range namespaceFields {
		if f.model(&m).IsUnknown() {
			*f.model(&m) = *f.model(&read)
		}
	}
	if m.Provisioned.IsUnknown() {
		m.Provisioned = read.Provisioned
	}
	if m.MultiRegionMisconfigured.IsUnknown() {
		m.MultiRegionMisconfigured = read.MultiRegionMisconfigured
	}
	return m
}

// adoptedBackupConfig returns the model of a live backup configuration, with nothing
// configured.
func adoptedBackupConfig(live opsmanager.BackupConfig) backupConfigResourceModel {
	var m backupConfigResourceModel
	m.fromAPI(live, nil)
	return m
}

// fieldChanges returns what a plan changes other than the status: the fields whose
// planned value is known and differs from the prior state. password is the configured
// password.
func fieldChanges(plan, prior backupConfigResourceModel, password string) opsmanager.BackupConfigChange {
	var change opsmanager.BackupConfigChange
	for _, f := range textFields {
		if value := tfmodel.StringPointer(*f.model(&plan)); value != nil && !f.model(&plan).Equal(*f.model(&prior)) {
			*f.change(&change) = value
		}
	}
	for _, f := range switchFields {
		if value := tfmodel.BoolPointer(*f.model(&plan)); value != nil && !f.model(&plan).Equal(*f.model(&prior)) {
			*f.change(&change) = value
		}
	}
	for _, f := range namespaceFields {
		planned := *f.model(&plan)
		if wanted := namespaces(planned); isFullyKnown(planned) && !sameElements(wanted, namespaces(*f.model(&prior))) {
			*f.change(&change) = &wanted
		}
	}
	if value := tfmodel.BoolPointer(plan.DisableCertificateRevocationCheck); value != nil && !plan.DisableCertificateRevocationCheck.Equal(prior.DisableCertificateRevocationCheck) {
		change.DisableCertificateRevocationCheck = value
	}
	if credentialsChange(plan, prior) {
		change.Username, change.Password = tfmodel.StringPointer(plan.Username), password
	}
	if isFullyKnown(plan.SnapshotStore) && !plan.SnapshotStore.Equal(prior.SnapshotStore) {
		change.SnapshotStore = snapshotStoreToAPI(plan.SnapshotStore)
	}
	if isFullyKnown(plan.DeploymentConfigs) && !plan.DeploymentConfigs.Equal(prior.DeploymentConfigs) {
		assigned := deploymentConfigsToAPI(plan.DeploymentConfigs)
		change.DeploymentConfigs = &assigned
	}
	return withCompanions(withOneList(change), plan, prior)
}

// withOneList leaves out the second list of namespaces: Ops Manager accepts one, which
// replaces the other.
func withOneList(change opsmanager.BackupConfigChange) opsmanager.BackupConfigChange {
	if change.ExcludedNamespaces == nil || change.IncludedNamespaces == nil {
		return change
	}
	if len(*change.ExcludedNamespaces) > 0 {
		change.IncludedNamespaces = nil
	} else {
		change.ExcludedNamespaces = nil
	}
	return change
}

// credentialsChange reports whether the user name and the password must be sent.
func credentialsChange(plan, prior backupConfigResourceModel) bool {
	if tfmodel.StringPointer(plan.Username) == nil {
		return false
	}
	authenticates := tfmodel.StringPointer(plan.AuthMechanismName) != nil && !plan.AuthMechanismName.Equal(prior.AuthMechanismName)
	return authenticates || !plan.Username.Equal(prior.Username) || !plan.Password.Equal(prior.Password) || !plan.PasswordWOVersion.Equal(prior.PasswordWOVersion)
}

// withCompanions adds the fields that Ops Manager requires in the same request.
func withCompanions(change opsmanager.BackupConfigChange, plan, prior backupConfigResourceModel) opsmanager.BackupConfigChange {
	if len(resyncs(change, prior)) > 0 {
		change.SyncSource = new(cmp.Or(plan.SyncSource.ValueString(), defaultSyncSource))
	}
	if change.DeploymentConfigs != nil {
		enabled := tfmodel.BoolPointer(plan.MultiRegionBackupEnabled)
		if enabled == nil {
			enabled = new(true)
		}
		change.MultiRegionBackupEnabled = enabled
	}
	return change
}

// resyncs returns the reasons why Ops Manager syncs the backup again and requires a sync
// source.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/update-backup-config/
func resyncs(change opsmanager.BackupConfigChange, prior backupConfigResourceModel) (reasons []string) {
	if change.StorageEngineName != nil {
		reasons = append(reasons, "storage_engine_name changes")
	}
	if change.EncryptionEnabled != nil && *change.EncryptionEnabled {
		reasons = append(reasons, "encryption_enabled is turned on")
	}
	excluded, included := change.ExcludedNamespaces, change.IncludedNamespaces
	switch {
	case excluded != nil && prior.ExcludedNamespaces.IsNull():
		reasons = append(reasons, "excluded_namespaces may lose elements") // the state was never read
	case excluded != nil && len(without(namespaces(prior.ExcludedNamespaces), *excluded)) > 0:
		reasons = append(reasons, "excluded_namespaces loses elements")
	case excluded != nil && len(*excluded) > 0 && mayHaveElements(prior.IncludedNamespaces):
		reasons = append(reasons, "excluded_namespaces replaces included_namespaces")
	}
	if included != nil && len(without(*included, namespaces(prior.IncludedNamespaces))) > 0 {
		reasons = append(reasons, "included_namespaces gets new elements")
	}
	return reasons
}

// backupConfigDifferences compares the fields of a change with those that Ops Manager returns.
func backupConfigDifferences(sent opsmanager.BackupConfigChange, live opsmanager.BackupConfig) []tfmodel.Difference {
	found := tfmodel.AppendDifference(nil, "status_name", sent.StatusName, live.StatusName, "")
	for _, f := range textFields {
		found = tfmodel.AppendDifference(found, f.attribute, *f.change(&sent), f.live(&live), "")
	}
	for _, f := range switchFields {
		found = tfmodel.AppendDifference(found, f.attribute, *f.change(&sent), f.live(&live), "")
	}
	for _, f := range namespaceFields {
		if wanted := *f.change(&sent); wanted != nil && !sameElements(*wanted, f.live(&live)) {
			different := tfmodel.Difference{Attribute: f.attribute, Wanted: listed(*wanted)}
			if !isBare(live) {
				different.Held = opsmanager.Sanitize(listed(f.live(&live)))
			}
			found = append(found, different)
		}
	}
	return found
}

func listed(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range slices.Sorted(slices.Values(names)) {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// namespaces returns the sorted elements of a set, or none if the set is null or unknown.
func namespaces(set types.Set) []string {
	names := []string{}
	for _, element := range set.Elements() {
		if name, ok := element.(types.String); ok && !name.IsUnknown() {
			names = append(names, name.ValueString())
		}
	}
	slices.Sort(names)
	return names
}

func namespaceSet(names []string) types.Set {
	elements := make([]attr.Value, 0, len(names))
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		elements = append(elements, types.StringValue(name))
	}
	return types.SetValueMust(types.StringType, elements)
}

// without returns the elements of one list that are not in another list.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}

func sameElements(a, b []string) bool { return len(without(a, b)) == 0 && len(without(b, a)) == 0 }

var (
	snapshotStoreAttributes    = map[string]attr.Type{"snapshot_store_type": types.StringType, "snapshot_store_id": types.StringType}
	deploymentConfigAttributes = map[string]attr.Type{"rs_id": types.StringType, "deployment_id": types.StringType}
)

func snapshotStoreToAPI(store types.Object) *opsmanager.SnapshotStore {
	return &opsmanager.SnapshotStore{Type: member(store, "snapshot_store_type"), ID: member(store, "snapshot_store_id")}
}

func deploymentConfigsToAPI(set types.Set) []opsmanager.DeploymentConfig {
	configs := []opsmanager.DeploymentConfig{}
	for _, element := range set.Elements() {
		if object, ok := element.(types.Object); ok {
			configs = append(configs, opsmanager.DeploymentConfig{RSID: member(object, "rs_id"), DeploymentID: member(object, "deployment_id")})
		}
	}
	slices.SortFunc(configs, func(a, b opsmanager.DeploymentConfig) int { return strings.Compare(a.RSID, b.RSID) })
	return configs
}

// member returns a text of an object.
func member(object types.Object, name string) string {
	text, _ := object.Attributes()[name].(types.String)
	return text.ValueString()
}

// isFullyKnown reports whether a set or an object is configured and contains no unknown value.
func isFullyKnown(value attr.Value) bool {
	if value.IsNull() || value.IsUnknown() {
		return false
	}
	switch value := value.(type) {
	case types.Set:
		return !slices.ContainsFunc(value.Elements(), func(element attr.Value) bool { return !isFullyKnown(element) })
	case types.Object:
		for _, attribute := range value.Attributes() {
			if !isFullyKnown(attribute) {
				return false
			}
		}
	}
	return true
}

// Package backups implements the resource, the data sources and the list resource of backup
// configurations.
package backups

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/change"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// backupConfigModel is a backup configuration in a configuration, a plan or a state.
type backupConfigModel struct {
	projects.ClusterIdentity
	unreturned
	StatusName types.String   `tfsdk:"status_name"`
	OnDestroy  types.String   `tfsdk:"on_destroy"`
	Overwrites types.Object   `tfsdk:"overwrites"`
	Timeouts   timeouts.Value `tfsdk:"timeouts"`

	Values tf.Values `tfsdk:"*"` // with those of returnedFields
}

// unreturned are the attributes that Ops Manager doesn't return. The state has the applied values.
type unreturned struct {
	SyncSource                        types.String `tfsdk:"sync_source"`
	Username                          types.String `tfsdk:"username"`
	Password                          types.String `tfsdk:"password"`
	PasswordWO                        types.String `tfsdk:"password_wo"` // in configurations only
	PasswordWOVersion                 types.Int64  `tfsdk:"password_wo_version"`
	SnapshotStore                     types.Object `tfsdk:"snapshot_store"`
	DeploymentConfigs                 types.Set    `tfsdk:"deployment_configs"`
	DisableCertificateRevocationCheck types.Bool   `tfsdk:"disable_certificate_revocation_check"`
}

// The attributes that have rules of their own.
const (
	statusName               = "status_name"
	multiRegionEnabled       = "multi_region_backup_enabled"
	excludedNamespaces       = "excluded_namespaces"
	includedNamespaces       = "included_namespaces"
	provisioned              = "provisioned"
	multiRegionMisconfigured = "multi_region_misconfigured"
)

// backup is a backup configuration as a change sees it: what Ops Manager holds, or what a request sets.
type backup struct {
	opsmanager.BackupConfigChange

	response opsmanager.BackupConfig // that says what Ops Manager holds
}

// backupConfigFields are the fields that Ops Manager returns and a change can set, without the status.
var backupConfigFields = tf.Fields[backup]{
	tf.TextField("storage_engine_name", func(b *backup) **string { return &b.StorageEngineName }).Unquoted(),
	tf.TextField("auth_mechanism_name", func(b *backup) **string { return &b.AuthMechanismName }).Unquoted(),
	tf.TextField("preferred_member", func(b *backup) **string { return &b.PreferredMember }).Unquoted(),
	tf.BoolField("ssl_enabled", func(b *backup) **bool { return &b.SSLEnabled }),
	tf.BoolField("encryption_enabled", func(b *backup) **bool { return &b.EncryptionEnabled }),
	tf.BoolField(multiRegionEnabled, func(b *backup) **bool { return &b.MultiRegionBackupEnabled }),
	tf.TextsField(excludedNamespaces, func(b *backup) **[]string { return &b.ExcludedNamespaces }).Absent(tf.Unsaid),
	tf.TextsField(includedNamespaces, func(b *backup) **[]string { return &b.IncludedNamespaces }).Absent(tf.Unsaid),
}

// returnedFields are all fields that Ops Manager returns, without the status. No change can set the last ones.
var returnedFields = slices.Concat(backupConfigFields, tf.Fields[backup]{
	tf.BoolField(provisioned, func(b *backup) **bool { return &b.response.Provisioned }),
	tf.BoolField(multiRegionMisconfigured, func(b *backup) **bool { return &b.response.MultiRegionMisconfigured }),
})

// settableFields are the fields of a change: also the status that a backup has or is on the way to.
var settableFields = slices.Concat(backupConfigFields, tf.Fields[backup]{
	tf.TextField(statusName, func(b *backup) **string { return &b.StatusName }).Unquoted(),
})

// backupValues are the values of a change.
var backupValues = func() (values change.Values[backup]) {
	for _, f := range settableFields {
		text := func(b backup) string { return tf.Text(f.Literal(&b)) }
		values = append(values, change.Value[backup]{
			Name:    f.Attribute,
			Fields:  tf.Fields[backup]{f},
			Text:    text,
			MayLack: mayHide,
		})
	}
	return values
}()

// mayHide reports whether a response may lack a value that has a text: some documented ones leave out all that is
// false, and those about an INACTIVE backup most fields, which its start sends again.
func mayHide(held backup, text string) bool {
	return text == "false" && mayLeaveOutFalse(held) || held.status() == opsmanager.StatusInactive
}

// mayLeaveOutFalse reports whether a response has nothing that is false.
func mayLeaveOutFalse(live backup) bool {
	return !slices.ContainsFunc(returnedFields, func(f tf.Field[backup]) bool {
		return types.BoolValue(false).Equal(f.Value(live))
	})
}

// withFalse returns a response with false in place of each Boolean that it lacks and that is true in the state, if it is
// like the documented ones that leave out all that is false: it has a status, and nothing false. Only a version that returns
// the field can have returned that true.
func (m backupConfigModel) withFalse(live backup) backup {
	if slices.Contains([]string{"", opsmanager.StatusInactive}, live.status()) || !mayLeaveOutFalse(live) {
		return live
	}
	for _, f := range returnedFields {
		if f.IsMissing(live) && types.BoolValue(true).Equal(m.Values[f.Attribute]) {
			tf.Fields[backup]{f}.Set(&live, tf.Values{f.Attribute: types.BoolValue(false)})
		}
	}
	return live
}

// unread returns the attributes whose drift a response can't show, because it lacks values that it should have.
func (m backupConfigModel) unread(live backup) (attributes []string) {
	if live.StatusName == nil && !m.StatusName.IsNull() {
		attributes = append(attributes, statusName)
	}
	live = m.withFalse(live)
	for _, f := range returnedFields {
		value := m.Values[f.Attribute]
		if f.IsMissing(live) && !value.IsNull() && !mayHide(live, value.String()) {
			attributes = append(attributes, f.Attribute)
		}
	}
	return attributes
}

// otherList has the other list of namespaces for each: one with elements replaces the other.
var otherList = map[string]string{excludedNamespaces: includedNamespaces, includedNamespaces: excludedNamespaces}

// settings returns the status and the values of backupConfigFields that are known.
func (m backupConfigModel) settings() (known backup) {
	backupConfigFields.Set(&known, m.Values)
	known.StatusName = settled(tf.StringPointer(m.StatusName))
	return known
}

// settledStatus returns the status that the backup is on the way to, or the one that it has.
func (m backupConfigModel) settledStatus() string {
	return tf.Text(m.settings().StatusName)
}

// settingsOf returns a live backup configuration, with what a change can set. A missing list of
// namespaces is empty, unless the backup is INACTIVE and has neither list.
func settingsOf(live opsmanager.BackupConfig) backup {
	settings := backup{
		response: live,
		BackupConfigChange: opsmanager.BackupConfigChange{
			StatusName:               settled(live.StatusName),
			StorageEngineName:        live.StorageEngineName,
			AuthMechanismName:        live.AuthMechanismName,
			PreferredMember:          live.PreferredMember,
			SSLEnabled:               live.SSLEnabled,
			EncryptionEnabled:        live.EncryptionEnabled,
			MultiRegionBackupEnabled: live.MultiRegionBackupEnabled,
		},
	}
	if settings.status() != opsmanager.StatusInactive || live.ExcludedNamespaces != nil || live.IncludedNamespaces != nil {
		settings.ExcludedNamespaces = &live.ExcludedNamespaces
		settings.IncludedNamespaces = &live.IncludedNamespaces
	}
	return settings
}

// status returns the status of a live backup configuration, or "" if the response left it out.
func (b backup) status() string { return tf.Text(b.response.StatusName) }

// refreshed returns the state with the fields of a response. A missing field keeps its value, unless that is what the
// response leaves out.
func (m backupConfigModel) refreshed(live backup) backupConfigModel {
	if status := live.response.StatusName; status != nil {
		m.StatusName = types.StringValue(*status)
	}
	prior := m.Values
	m.Values = returnedFields.FromAPI(prior, m.withFalse(live))
	for attribute := range otherList {
		if m.Values[attribute].Equal(prior[attribute]) { // in the same order
			m.Values[attribute] = prior[attribute]
		}
	}
	return m
}

// applied returns a plan whose unknown values are taken from a response, or null if they are missing
// in it.
func (m backupConfigModel) applied(live backup) backupConfigModel {
	if m.StatusName.IsUnknown() {
		m.StatusName = types.StringPointerValue(live.response.StatusName)
	}
	m.Values = returnedFields.Applied(m.Values, live)
	return m
}

// adoptedBackupConfig returns the model of a live backup configuration, with nothing
// configured.
func adoptedBackupConfig(live backup) backupConfigModel {
	return backupConfigModel{Overwrites: types.ObjectNull(overwritesTypes), Values: tf.Values{}}.refreshed(live)
}

// list returns a list of namespaces, which is null if it was never read.
func (m backupConfigModel) list(attribute string) types.Set {
	return tf.As[types.Set](m.Values, attribute)
}

// changesOf returns what a plan changes: the fields whose planned value is known and differs from the prior state,
// without the password.
func changesOf(planned, prior backupConfigModel) (change backup) {
	if !planned.StatusName.Equal(prior.StatusName) {
		change.StatusName = tf.StringPointer(planned.StatusName)
	}
	backupConfigFields.SetChanges(&change, planned.Values, prior.Values)
	if !planned.DisableCertificateRevocationCheck.Equal(prior.DisableCertificateRevocationCheck) {
		change.DisableCertificateRevocationCheck = tf.BoolPointer(planned.DisableCertificateRevocationCheck)
	}
	isSamePassword := planned.Password.Equal(prior.Password) && planned.PasswordWOVersion.Equal(prior.PasswordWOVersion)
	if !planned.Username.Equal(prior.Username) || !isSamePassword || change.AuthMechanismName != nil {
		change.Username = tf.StringPointer(planned.Username)
	}
	if isFullyKnown(planned.SnapshotStore) && !planned.SnapshotStore.Equal(prior.SnapshotStore) {
		change.SnapshotStore = new(snapshotStoreToAPI(planned.SnapshotStore))
	}
	if isFullyKnown(planned.DeploymentConfigs) && !planned.DeploymentConfigs.Equal(prior.DeploymentConfigs) {
		change.DeploymentConfigs = new(deploymentConfigsToAPI(planned.DeploymentConfigs))
		change.MultiRegionBackupEnabled = cmp.Or(planned.settings().MultiRegionBackupEnabled, new(true)) // required in the same request
	}
	return change
}

// withOneList leaves out one list of namespaces: Ops Manager accepts one, which replaces the other if it has elements. Of
// two empty lists, it leaves out the one that is held empty.
func withOneList(change, held backup) backup {
	empties := change.ExcludedNamespaces != nil && !hasElements(change.IncludedNamespaces) && hasElements(held.ExcludedNamespaces)
	if empties || hasElements(change.ExcludedNamespaces) {
		change.IncludedNamespaces = nil
	} else if change.IncludedNamespaces != nil {
		change.ExcludedNamespaces = nil
	}
	return change
}

// withChange returns a held backup configuration after a change. One list of namespaces with elements replaces the other.
func withChange(held, change backup) backup {
	if hasElements(change.ExcludedNamespaces) && hasElements(held.IncludedNamespaces) {
		change.IncludedNamespaces = &[]string{}
	}
	if hasElements(change.IncludedNamespaces) && hasElements(held.ExcludedNamespaces) {
		change.ExcludedNamespaces = &[]string{}
	}
	return settableFields.Complete(change, held)
}

// resyncs returns the reasons why Ops Manager syncs the backup again and requires a sync
// source.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/backup/update-backup-config/
func resyncs(change backup, prior backupConfigModel) (reasons []string) {
	if change.StorageEngineName != nil {
		reasons = append(reasons, "storage_engine_name changes")
	}
	if change.EncryptionEnabled != nil && *change.EncryptionEnabled {
		reasons = append(reasons, "encryption_enabled is turned on")
	}
	after := backupConfigFields.FromAPI(tf.Values{}, change)
	isExcluded := change.ExcludedNamespaces != nil
	switch {
	case isExcluded && prior.list(excludedNamespaces).IsNull() && prior.mayHaveElements(excludedNamespaces):
		reasons = append(reasons, "excluded_namespaces may lose elements")
	case isExcluded && hasMore(prior.Values, after, excludedNamespaces):
		reasons = append(reasons, "excluded_namespaces loses elements")
	case hasElements(change.ExcludedNamespaces) && prior.mayHaveElements(includedNamespaces):
		reasons = append(reasons, "excluded_namespaces replaces included_namespaces")
	}
	if hasMore(after, prior.Values, includedNamespaces) {
		reasons = append(reasons, "included_namespaces gets new elements")
	}
	return reasons
}

// omissions returns why the new snapshots of a backup have fewer databases or collections than before.
func omissions(change backup, prior backupConfigModel) (reasons []string) {
	after := backupConfigFields.FromAPI(tf.Values{}, change)
	hadAll := !prior.mayHaveElements(includedNamespaces) // but for the excluded ones
	if hadAll && hasMore(after, prior.Values, excludedNamespaces) {
		reasons = append(reasons, "excluded_namespaces gets new elements")
	}
	switch {
	case !hasElements(change.IncludedNamespaces):
	case hadAll:
		reasons = append(reasons, "included_namespaces is set")
	case hasMore(prior.Values, after, includedNamespaces):
		reasons = append(reasons, "included_namespaces loses elements")
	}
	return reasons
}

// hasMore reports whether a list of some values has elements that others lack.
func hasMore(values, others tf.Values, list string) bool {
	return len(tf.AddedElements(values[list], others[list])) > 0
}

func snapshotStoreToAPI(object types.Object) opsmanager.SnapshotStore {
	return opsmanager.SnapshotStore{
		Type: member(object, "snapshot_store_type"),
		ID:   member(object, "snapshot_store_id"),
	}
}

func deploymentConfigsToAPI(set types.Set) []opsmanager.DeploymentConfig {
	configs := []opsmanager.DeploymentConfig{}
	for _, element := range set.Elements() {
		object, _ := element.(types.Object)
		configs = append(configs, opsmanager.DeploymentConfig{
			RSID:         member(object, "rs_id"),
			DeploymentID: member(object, "deployment_id"),
		})
	}
	slices.SortFunc(configs, func(a, b opsmanager.DeploymentConfig) int {
		return strings.Compare(a.RSID, b.RSID)
	})
	return configs
}

// member returns a text of an object.
func member(object types.Object, name string) string {
	return tf.As[types.String](object.Attributes(), name).ValueString()
}

// isFullyKnown reports whether a value is configured and contains no unknown value.
func isFullyKnown(value attr.Value) bool { return !value.IsNull() && tf.IsKnown(value) }

// isUnknown reports whether a configured value, or an element of it, is known only during the apply.
func (m backupConfigModel) isUnknown(attribute string) bool {
	value := m.Values[attribute]
	return value != nil && !tf.IsKnown(value)
}

func hasElements(list *[]string) bool { return list != nil && len(*list) > 0 }

package backups

import (
	"cmp"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

var (
	timestampType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"date":      types.StringType,
		"increment": types.Int64Type,
	}}

	namespaceFilterType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"filter_list": tfmodel.StringsType,
		"filter_type": types.StringType,
	}}

	snapshotPartType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"cluster_id":          types.StringType,
		"completed_time":      types.StringType,
		"compression_setting": types.StringType,
		"data_size_bytes":     types.Int64Type,
		"encryption_enabled":  types.BoolType,
		"fcv":                 types.StringType,
		"file_size_bytes":     types.Int64Type,
		"host_id":             types.StringType,
		"machine_id":          types.StringType,
		"master_key_uuid":     types.StringType,
		"mongod_version":      types.StringType,
		"replica_set_name":    types.StringType,
		"replica_state":       types.StringType,
		"storage_size_bytes":  types.Int64Type,
		"type_name":           types.StringType,
	}}

	snapshotType = types.ObjectType{AttrTypes: map[string]attr.Type{
		"id":                           types.StringType,
		"group_id":                     types.StringType,
		"cluster_id":                   types.StringType,
		"cluster_name":                 types.StringType,
		"complete":                     types.BoolType,
		"created":                      timestampType,
		"do_not_delete":                types.BoolType,
		"expires":                      types.StringType,
		"last_oplog_applied_timestamp": timestampType,
		"links":                        tfmodel.LinksType,
		"namespace_filter_list":        namespaceFilterType,
		"parts":                        types.ListType{ElemType: snapshotPartType},
	}}
)

// newestFirst sorts snapshots by when they were taken. Those of one moment are
// ordered by their increments and ids; one that does not say when it was taken
// comes last.
func newestFirst[T any](snapshots []T, base func(T) opsmanager.Snapshot) []T {
	type dated struct {
		snapshot  T
		at        *time.Time
		increment *int64
		id        *string
	}
	all := make([]dated, len(snapshots))
	for i, snapshot := range snapshots {
		b := base(snapshot)
		all[i] = dated{snapshot: snapshot, id: b.ID}
		if b.Created != nil {
			all[i].at, all[i].increment = instant(b.Created.Date), b.Created.Increment
		}
	}
	order := func(a, b dated) int {
		return cmp.Or(
			tfmodel.CompareAbsentLast(a.at, b.at, func(a, b time.Time) int { return b.Compare(a) }),
			tfmodel.CompareAbsentLast(a.increment, b.increment, descending),
			tfmodel.CompareAbsentLast(a.id, b.id, descending),
		)
	}
	slices.SortStableFunc(all, order)
	sorted := make([]T, len(all))
	for i, d := range all {
		sorted[i] = d.snapshot
	}
	return sorted
}

func descending[T cmp.Ordered](a, b T) int { return cmp.Compare(b, a) }

// instant reads a date of an answer: ISO 8601, in UTC where no zone is given.
// One that is not is none.
func instant(date *string) *time.Time {
	if date == nil {
		return nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", time.DateOnly} {
		if at, err := time.Parse(layout, *date); err == nil {
			return &at
		}
	}
	return nil
}

// snapshotFromAPI converts what all snapshots have.
func snapshotFromAPI(s opsmanager.Snapshot) map[string]attr.Value {
	return map[string]attr.Value{
		"id":                           types.StringPointerValue(s.ID),
		"group_id":                     types.StringPointerValue(s.GroupID),
		"cluster_id":                   types.StringPointerValue(s.ClusterID),
		"cluster_name":                 types.StringPointerValue(s.ClusterName),
		"complete":                     types.BoolPointerValue(s.Complete),
		"created":                      timestampFromAPI(s.Created),
		"do_not_delete":                types.BoolPointerValue(s.DoNotDelete),
		"expires":                      types.StringPointerValue(s.Expires),
		"last_oplog_applied_timestamp": timestampFromAPI(s.LastOplogAppliedTime),
		"links":                        tfmodel.LinksFromAPI(s.Links),
		"namespace_filter_list":        namespaceFilterFromAPI(s.NamespaceFilterList),
		"parts":                        tfmodel.ListOf(s.Parts, snapshotPartType, snapshotPartFromAPI),
	}
}

func timestampFromAPI(t *opsmanager.Timestamp) attr.Value {
	if t == nil {
		return types.ObjectNull(timestampType.AttrTypes)
	}
	return types.ObjectValueMust(timestampType.AttrTypes, map[string]attr.Value{
		"date":      types.StringPointerValue(t.Date),
		"increment": types.Int64PointerValue(t.Increment),
	})
}

// namespaceFilterFromAPI takes a list that is left out for empty, which is its
// documented default.
func namespaceFilterFromAPI(f *opsmanager.NamespaceFilter) attr.Value {
	if f == nil {
		return types.ObjectNull(namespaceFilterType.AttrTypes)
	}
	return types.ObjectValueMust(namespaceFilterType.AttrTypes, map[string]attr.Value{
		"filter_list": tfmodel.StringsFromAPI(append([]string{}, f.FilterList...)),
		"filter_type": types.StringPointerValue(f.FilterType),
	})
}

func snapshotPartFromAPI(p opsmanager.SnapshotPart) attr.Value {
	return types.ObjectValueMust(snapshotPartType.AttrTypes, map[string]attr.Value{
		"cluster_id":          types.StringPointerValue(p.ClusterID),
		"completed_time":      types.StringPointerValue(p.CompletedTime),
		"compression_setting": types.StringPointerValue(p.CompressionSetting),
		"data_size_bytes":     types.Int64PointerValue(p.DataSizeBytes),
		"encryption_enabled":  types.BoolPointerValue(p.EncryptionEnabled),
		"fcv":                 types.StringPointerValue(p.FCV),
		"file_size_bytes":     types.Int64PointerValue(p.FileSizeBytes),
		"host_id":             types.StringPointerValue(p.HostID),
		"machine_id":          types.StringPointerValue(p.MachineID),
		"master_key_uuid":     types.StringPointerValue(p.MasterKeyUUID),
		"mongod_version":      types.StringPointerValue(p.MongodVersion),
		"replica_set_name":    types.StringPointerValue(p.ReplicaSetName),
		"replica_state":       types.StringPointerValue(p.ReplicaState),
		"storage_size_bytes":  types.Int64PointerValue(p.StorageSizeBytes),
		"type_name":           types.StringPointerValue(p.TypeName),
	})
}

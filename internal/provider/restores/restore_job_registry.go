package restores

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

var registry connection.Shared[plannedRestores]

// plannedRestores records what a provider process reads and plans for restores, so that a plan
// recognizes a restore that it would repeat. Terraform starts a process for each plan, each apply, and
// each configuration of the provider.
type plannedRestores struct {
	mu      sync.Mutex
	planned []planned
}

// planned is what a plan does with a restore, or what it knows about it.
type planned struct {
	restoreJobModel
	does doing
	lost *lostRequest // of a stored one, if it has been read
}

type doing int

const (
	stored  doing = iota // the state has it
	created              // a new resource starts it
	updated              // other triggers, or an action, start it
)

// add adds a restore to the registry, and returns those that it had before.
func (r *restoreJobResource) add(m restoreJobModel, does doing, lost *lostRequest) []planned {
	all := registry.Of(r.Data)
	all.mu.Lock()
	defer all.mu.Unlock()
	before := slices.Clone(all.planned)
	all.planned = append(all.planned, planned{m, does, lost})
	return before
}

// similarity is how much two restores have in common.
type similarity int

const (
	different similarity = iota
	similar              // equal as far as both are known
	equal
)

func compared(pairs ...[2]attr.Value) similarity {
	result := equal
	for _, pair := range pairs {
		switch {
		case haveOtherElements(pair[0], pair[1]):
			return different
		case isUnknown(pair[0]) || isUnknown(pair[1]):
			result = similar
		case !sameText(pair[0], pair[1]):
			return different
		}
	}
	return result
}

// haveOtherElements reports whether two maps differ, whatever their unknown elements turn out to be.
func haveOtherElements(a, b attr.Value) bool {
	left, isMap := a.(types.Map)
	right, wasMap := b.(types.Map)
	if !isMap || !wasMap || left.IsUnknown() || right.IsUnknown() {
		return false
	}
	return !maps.EqualFunc(left.Elements(), right.Elements(), func(a, b attr.Value) bool {
		return a.IsUnknown() || b.IsUnknown() || a.Equal(b)
	})
}

// isUnknown reports whether a value or an element of it is not known yet.
func isUnknown(value attr.Value) bool {
	elements, _ := value.(types.Map)
	return value.IsUnknown() || slices.ContainsFunc(slices.Collect(maps.Values(elements.Elements())), attr.Value.IsUnknown)
}

// like compares two restores by their clusters and their triggers. Whatever a restore into a cluster
// restores, it overwrites the cluster. A restore to a link overwrites nothing, so it is another one
// if it has another source.
func (m restoreJobModel) like(other restoreJobModel) similarity {
	pairs := [][2]attr.Value{{m.ProjectID, other.ProjectID}, {m.ClusterID, other.ClusterID}, {m.triggers(), other.triggers()}, {m.TargetProjectID, other.TargetProjectID}, {m.TargetClusterID, other.TargetClusterID}}
	if m.TargetClusterID.IsNull() {
		pairs = append(pairs, [2]attr.Value{m.SnapshotID, other.SnapshotID}, [2]attr.Value{m.PointInTime, other.PointInTime}, [2]attr.Value{m.OplogTs, other.OplogTs}, [2]attr.Value{m.OplogInc, other.OplogInc})
	}
	return compared(pairs...)
}

// addStarted adds a restore that a plan starts. It fails if the plan starts another one into the same
// cluster, or if the state has the restore at an address that is tainted, renamed or removed. A value
// that is not known yet may turn out to be that of the state. With create_before_destroy, the apply
// would not notice that, because Terraform doesn't show it the previous object before the creation.
func (r *restoreJobResource) addStarted(m restoreJobModel, does doing, diags *diag.Diagnostics) {
	for _, other := range r.add(m, does, nil) {
		switch other.does {
		case created, updated:
			if !m.TargetClusterID.IsNull() && compared([2]attr.Value{m.TargetProjectID, other.TargetProjectID}, [2]attr.Value{m.TargetClusterID, other.TargetClusterID}) == equal {
				diags.AddAttributeError(path.Root("target_cluster_id"), fmt.Sprintf("Two Restores Into Cluster %s", m.TargetClusterID.ValueString()),
					fmt.Sprintf("The plan starts two restores into cluster %s of project %s. Each replaces all its data, and Terraform applies them in any order. Remove one of them, or apply them one after the other with -target.",
						m.TargetClusterID.ValueString(), m.TargetProjectID.ValueString()))
				return
			}
		case stored:
			if does == created && m.like(other.restoreJobModel) != different {
				diags.Append(other.repeated())
				return
			}
		}
	}
}

// addStored adds a restore in the state. It returns an error if a new resource would start it again.
func (r *restoreJobResource) addStored(m restoreJobModel, lost *lostRequest) (diags diag.Diagnostics) {
	for _, other := range r.add(m, stored, lost) {
		if other.does == created && m.like(other.restoreJobModel) != different {
			diags.Append(planned{m, stored, lost}.repeated())
			break
		}
	}
	return diags
}

// StateRead records a restore in the state, as JSON, that Terraform reads. Terraform refreshes
// neither a resource with -refresh=false nor one that a removed block forgets, and it plans a tainted
// resource like a new one. So this is the only sign of them.
func StateRead(data *connection.Data, state []byte) diag.Diagnostics {
	var v struct {
		ProjectID       *string            `json:"project_id"`
		ClusterID       *string            `json:"cluster_id"`
		SnapshotID      *string            `json:"snapshot_id"`
		PointInTime     *string            `json:"point_in_time"`
		OplogTs         *int64             `json:"oplog_ts"`
		OplogInc        *int64             `json:"oplog_inc"`
		TargetProjectID *string            `json:"target_project_id"`
		TargetClusterID *string            `json:"target_cluster_id"`
		Triggers        map[string]*string `json:"triggers"`
		ID              *string            `json:"id"`
		StatusName      *string            `json:"status_name"`
	}
	if json.Unmarshal(state, &v) != nil || data == nil {
		return nil // the framework reports it
	}
	m := restoreJobModel{
		restoreModel: restoreModel{
			ProjectID: types.StringPointerValue(v.ProjectID), ClusterID: types.StringPointerValue(v.ClusterID),
			SnapshotID: types.StringPointerValue(v.SnapshotID), PointInTime: types.StringPointerValue(v.PointInTime),
			OplogTs: types.Int64PointerValue(v.OplogTs), OplogInc: types.Int64PointerValue(v.OplogInc),
			TargetProjectID: types.StringPointerValue(v.TargetProjectID), TargetClusterID: types.StringPointerValue(v.TargetClusterID),
		},
		Triggers: types.MapNull(types.StringType), ID: types.StringPointerValue(v.ID), StatusName: types.StringPointerValue(v.StatusName),
	}
	if len(v.Triggers) > 0 {
		triggers := map[string]attr.Value{}
		for name, value := range v.Triggers {
			triggers[name] = types.StringPointerValue(value)
		}
		m.Triggers = types.MapValueMust(types.StringType, triggers)
	}
	r := &restoreJobResource{connection.Resource{Data: data}}
	return r.addStored(m, nil)
}

// triggersText returns a text for the triggers of a restore. It is empty if one of them is not
// known yet.
func (m restoreJobModel) triggersText() string {
	if isUnknown(m.Triggers) {
		return ""
	}
	return m.triggers().String()
}

// replaced is the error of a plan that replaces a resource.
func (m restoreJobModel) replaced() diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("triggers"), fmt.Sprintf("Restore of Cluster %s Would Be Repeated", m.ClusterID.ValueString()),
		"A replacement would start the restore again, and Terraform doesn't show its warnings. "+onlyTriggers+" To restore again, change triggers, without -replace or replace_triggered_by.")
}

// repeated is the error of a plan that would start a restore again that the state has.
func (p planned) repeated() diag.Diagnostic {
	if p.ID.IsNull() {
		lost := p.lost
		if lost == nil {
			lost = &lostRequest{}
		}
		return diag.NewAttributeErrorDiagnostic(path.Root("triggers"), undecided(p.restoreJobModel), undecidedDetail(p.restoreJobModel, *lost, ""))
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("triggers"), fmt.Sprintf("Restore of Cluster %s Would Be Repeated", p.ClusterID.ValueString()),
		fmt.Sprintf("The Terraform state has restore %s with the same clusters and triggers, as far as they are known yet, and the plan would start it again. Only a change of triggers starts a new restore.\n\n"+
			"  - To restore again, change triggers, without -replace or replace_triggered_by.\n"+
			"  - If the resource is tainted, run 'terraform untaint ADDRESS'.\n"+
			"  - If you renamed the resource, add a moved block.\n"+
			"  - If it is a different restore, give it triggers of its own.\n"+
			"  - To destroy the configuration, run 'terraform destroy -refresh=false'.", opsmanager.Sanitize(p.ID.ValueString())))
}

// undecided returns the summary of the diagnostics about a lost request.
func undecided(m restoreJobModel) string {
	return fmt.Sprintf("Restore of Cluster %s May Have Been Started", m.ClusterID.ValueString())
}

// undecidedDetail says what is known about a lost request, and how to go on.
func undecidedDetail(m restoreJobModel, lost lostRequest, reason string) string {
	text := "The outcome of the request for this restore is not known. "
	if reason != "" {
		text += reason + " "
	}
	again := "would start it again"
	if target := m.target(); target != "" {
		again = "would overwrite " + target + " again"
	}
	if len(lost.Candidates) > 0 {
		text += "It could be any of these restores, because Ops Manager does not return the target:\n  - " + strings.Join(lost.Candidates, "\n  - ") + "\n\n"
	} else {
		text += "The provider found no job of it. Ops Manager may still start it.\n\n"
	}
	project, cluster := m.ProjectID.ValueString(), m.ClusterID.ValueString()
	return text + fmt.Sprintf("A second request %s, so no plan sends one until you decide. Look at the restores of cluster %s in Ops Manager, or with the data source opsmanager_restore_jobs.\n\n"+
		"  - If one of them is the requested restore, run 'terraform state rm ADDRESS', then 'terraform import ADDRESS %s/%s/ID' with its ID.\n"+
		"  - If none is, change triggers. The next apply starts the restore.\n"+
		"  - To destroy the configuration, run 'terraform destroy -refresh=false'.", again, cluster, project, cluster)
}

// target describes the cluster that a restore overwrites. It is empty for a link.
func (m restoreModel) target() string {
	id := tfmodel.StringPointer(m.TargetClusterID)
	if id == nil {
		return ""
	}
	name := *id
	if confirmed := tfmodel.StringPointer(m.TargetClusterName); confirmed != nil {
		name = fmt.Sprintf("%s (%s)", *confirmed, *id)
	}
	return fmt.Sprintf("cluster %s of project %s", name, m.TargetProjectID.ValueString())
}

package infrastructure

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/putresource"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// syncStore is the type of sync stores, whose references have only an ID.
const syncStore = "sync store"

// storeTypes are the types of stores in references. Ops Manager returns no stores of other types.
var storeTypes = []struct {
	name, resource string
	kind           opsmanager.StoreKind
	plural         string // of the types for the same data
}{
	{"blockstore", "blockstore", opsmanager.Blockstore, "snapshot stores"},
	{"s3blockstore", "s3_blockstore", opsmanager.S3Blockstore, "snapshot stores"},
	{"fileSystemStore", "file_system_store", opsmanager.FileSystemStore, "snapshot stores"},
	{"oplogStore", "oplog_store", opsmanager.OplogStore, "oplog stores"},
	{"s3OplogStore", "s3_oplog_store", opsmanager.S3OplogStore, "oplog stores"},
	{syncStore, "sync_store", opsmanager.SyncStore, "sync stores"},
}

// StoreReference is a reference to a store.
type StoreReference struct{ Type, ID string }

// StoreStatus says what is known about a store that is referred to. If nothing is, all fields are zero: its
// ID may be unknown, or the key may lack the role to read stores.
type StoreStatus struct {
	Missing string    // what is missing from Ops Manager and from the plan, for messages
	Labels  *[]string // once the plan is applied; nil if they are not known
	Off     string    // the ID, for messages, if assignment_enabled is known to be false then
}

// referableStores returns the snapshot stores or the oplog stores. It returns none if they can't be listed, or if the same plan
// manages one that fits a label filter, or may.
func referableStores(ctx context.Context, data *connection.Data, plural string, filter []string) (all []opsmanager.BackupStore) {
	for _, t := range storeTypes {
		if t.plural != plural {
			continue
		}
		listed, err := opsmanager.Identified(data.Client.ListBackupStores(ctx, t.kind))
		if err != nil || mayBePlanned(data, t.resource, filter) {
			return nil
		}
		all = append(all, listed.Results...)
	}
	return all
}

// mayBePlanned reports whether the same plan manages a store or a daemon that fits a label filter, or may.
func mayBePlanned(data *connection.Data, resource string, filter []string) bool {
	return slices.ContainsFunc(putresource.AllPlanned(data, resource), func(p putresource.Planned) bool {
		labels, isKnown := tf.Texts(tf.As[types.Set](p.Values, "labels"))
		return !isKnown || fitsFilter(filter, labels)
	})
}

// ClaimUse claims that a plan keeps or sets the reference in an attribute. It adds an error if the same plan deletes the store.
func (s StoreReference) ClaimUse(data *connection.Data, attribute string, diags *diag.Diagnostics) {
	for _, t := range storeTypes {
		if t.name == s.Type {
			putresource.ClaimUse(data, attribute, t.resource+" "+s.ID, diags)
		}
	}
}

// Find looks for a store, first among those that the same plan manages.
func (s StoreReference) Find(ctx context.Context, data *connection.Data) StoreStatus {
	exists, status := s.look(ctx, data)
	if exists == nil || *exists {
		return status
	}
	text := opsmanager.Sanitize(s.ID + ", type " + s.Type)
	for _, other := range storeTypes {
		exists, _ := (StoreReference{other.name, s.ID}).look(ctx, data)
		if exists != nil && *exists {
			text += " (the store with this ID has the type " + other.name + ")"
			break
		}
	}
	return StoreStatus{Missing: text}
}

// look reports whether a store exists in Ops Manager, or will once the plan is applied. It returns nil if that is not
// known.
func (s StoreReference) look(ctx context.Context, data *connection.Data) (exists *bool, status StoreStatus) {
	for _, t := range storeTypes {
		if t.name != s.Type || s.ID == "" {
			continue
		}
		var labels types.Set
		var assigned types.Bool
		isPlanned := slices.ContainsFunc(putresource.AllPlanned(data, t.resource), func(p putresource.Planned) bool {
			if p.ID[0] == s.ID {
				labels = tf.As[types.Set](p.Values, "labels")
				assigned = tf.As[types.Bool](p.Values, "assignment_enabled")
			}
			return p.ID[0] == s.ID
		})
		if planned, isKnown := tf.Texts(labels); isKnown && !labels.IsNull() {
			status.Labels = &planned
		}
		if labels.IsNull() || assigned.IsNull() {
			store, err := data.Client.BackupStore(ctx, t.kind, s.ID)
			switch {
			case err != nil && isPlanned:
			case opsmanager.IsMissing(err, opsmanager.Object(t.kind)):
				return new(false), status
			case err != nil:
				return nil, status
			case labels.IsNull():
				status.Labels = new(store.Labels.Elements())
			}
			if err == nil && assigned.IsNull() {
				assigned = types.BoolPointerValue(store.AssignmentEnabled)
			}
		}
		if assigned.Equal(types.BoolValue(false)) {
			status.Off = opsmanager.Sanitize(s.ID)
		}
		return new(true), status
	}
	return nil, status
}

// fitsFilter reports whether a project with a label filter uses what has some labels.
func fitsFilter(filter, has []string) bool {
	lacks := slices.ContainsFunc(filter, func(label string) bool {
		return !slices.Contains(has, label)
	})
	return !lacks && (len(filter) > 0 || len(has) == 0)
}

// UnsuitableFor says of which stores and daemons none can be assigned to a project, as far as the key can read that.
func UnsuitableFor(ctx context.Context, client *opsmanager.Client, projectID string) string {
	config, err := client.JobConfig(ctx, projectID)
	if err != nil {
		return ""
	}
	filter := config.LabelFilter.Elements()
	fits := func(assigned *bool, labels *opsmanager.Replaced[string]) bool {
		return *cmp.Or(assigned, new(true)) && fitsFilter(filter, labels.Elements())
	}
	daemonFits := func(d opsmanager.BackupDaemon) bool { return fits(d.AssignmentEnabled, d.Labels) }
	storeFits := func(s opsmanager.BackupStore) bool { return fits(s.AssignmentEnabled, s.Labels) }
	daemons, err := opsmanager.Identified(client.ListBackupDaemons(ctx))
	has := map[string]bool{
		"sync stores": true,
		"daemons":     err != nil || slices.ContainsFunc(daemons.Results, daemonFits),
	}
	for _, t := range storeTypes {
		if !has[t.plural] {
			stores, err := opsmanager.Identified(client.ListBackupStores(ctx, t.kind))
			has[t.plural] = err != nil || slices.ContainsFunc(stores.Results, storeFits)
		}
	}
	needed := "no labels, because the project has no label_filter"
	if len(filter) > 0 {
		needed = "the labels of the project's label_filter: " + opsmanager.Sanitize(strings.Join(filter, ", "))
	}
	none := slices.DeleteFunc([]string{"snapshot stores", "oplog stores", "daemons"}, func(plural string) bool {
		return has[plural]
	})
	if len(none) == 0 {
		return ""
	}
	return "None of the " + strings.Join(none, " or ") + " has assignment_enabled = true and " + needed + "."
}

// NotReferred is the advice about what the same apply creates or changes.
const NotReferred = "If this apply creates or changes one of them, refer to its resource, or add it to depends_on: otherwise, the plan doesn't know that. Nor does it know a resource with a different provider alias."

// WarnStores warns about the stores that an attribute names and that do not exist, and if assignment_enabled excludes all
// the rest. The attribute is that of a project or a cluster.
func WarnStores(attribute, of string, stores []StoreStatus, diags *diag.Diagnostics) {
	named := references{
		plural:       "stores",
		noSuch:       "No Such Store in ",
		noAssignable: "No Assignable Store in ",
		mistake:      "the ID or the type",
		number:       len(stores),
	}
	for _, one := range stores {
		if one.Missing != "" {
			named.missing = append(named.missing, one.Missing)
		} else if one.Off != "" {
			named.off = append(named.off, one.Off)
		}
	}
	named.warn(attribute, of, diags)
}

// references are the stores or the daemons that an attribute names.
type references struct {
	plural               string // "stores" or "daemons"
	noSuch, noAssignable string // begin the titles of the warnings
	mistake              string // what may be wrong about the missing ones
	number               int

	missing []string // those that do not exist
	off     []string // those with assignment_enabled = false
}

func (r references) warn(attribute, of string, diags *diag.Diagnostics) {
	const most = 10
	where := attribute + " of " + of
	if len(r.missing) > 0 {
		diags.AddAttributeWarning(path.Root(attribute), r.noSuch+where,
			"Ops Manager has none of these "+r.plural+":"+tf.FirstLines(r.missing, most)+"\n\nNo backup can be assigned to them. Correct "+r.mistake+". "+NotReferred)
	}
	if len(r.off) > 0 && len(r.missing)+len(r.off) == r.number {
		diags.AddAttributeWarning(path.Root(attribute), r.noAssignable+where,
			"assignment_enabled of these "+r.plural+" is false:"+tf.FirstLines(r.off, most)+"\n\nOps Manager assigns no new backup to them, unless you set assignment_enabled = true for one of them. "+NotReferred)
	}
}

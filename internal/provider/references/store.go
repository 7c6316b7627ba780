// Package references looks for the stores that other resources name. Ops Manager accepts
// a reference to a store that does not exist, and later starts no backup.
package references

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/putresource"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// SyncStore is the type of sync stores, whose references have only an ID.
const SyncStore = "sync store"

// storeTypes are the types of stores in references. Ops Manager returns no stores of other types.
var storeTypes = []struct {
	name, resource string
	kind           opsmanager.StoreKind
}{
	{"blockstore", "blockstore", opsmanager.Blockstore}, {"s3blockstore", "s3_blockstore", opsmanager.S3Blockstore},
	{"fileSystemStore", "file_system_store", opsmanager.FileSystemStore}, {"oplogStore", "oplog_store", opsmanager.OplogStore},
	{"s3OplogStore", "s3_oplog_store", opsmanager.S3OplogStore}, {SyncStore, "sync_store", opsmanager.SyncStore},
}

// Store is a reference to a store.
type Store struct{ Type, ID string }

// Status says what is known about a store that is referred to. If nothing is, all fields are zero: its
// ID may be unknown, or the key may lack the role to read stores.
type Status struct {
	Missing string    // what is missing from Ops Manager and from the plan, for messages
	Labels  *[]string // once the plan is applied; nil if they are not known
	Off     string    // the ID, for messages, if assignment_enabled is known to be false then
}

// Find looks for a store, first among those that the same plan manages.
func (s Store) Find(ctx context.Context, data *connection.Data) Status {
	exists, status := s.look(ctx, data)
	if exists == nil || *exists {
		return status
	}
	text := opsmanager.Sanitize(s.ID + ", type " + s.Type)
	for _, other := range storeTypes {
		if exists, _ := (Store{other.name, s.ID}).look(ctx, data); exists != nil && *exists {
			text += " (the store with this ID has the type " + other.name + ")"
			break
		}
	}
	return Status{Missing: text}
}

// look reports whether a store exists in Ops Manager, or will once the plan is applied. It returns nil if that is not
// known.
func (s Store) look(ctx context.Context, data *connection.Data) (exists *bool, status Status) {
	for _, t := range storeTypes {
		if t.name != s.Type || s.ID == "" {
			continue
		}
		var labels types.Set
		var assigned types.Bool
		isPlanned := putresource.IsPlanned(data, t.resource, func(id []string, values tfmodel.Values, _ bool) bool {
			if id[0] == s.ID {
				labels, assigned = tfmodel.As[types.Set](values, "labels"), tfmodel.As[types.Bool](values, "assignment_enabled")
			}
			return id[0] == s.ID
		})
		if !labels.IsNull() {
			status.Labels = Labels(labels)
		}
		if labels.IsNull() || assigned.IsNull() {
			store, err := data.Client.BackupStore(ctx, t.kind, s.ID)
			switch {
			case err != nil && isPlanned:
			case opsmanager.IsGone(err):
				return new(false), status
			case err != nil:
				return nil, status
			case labels.IsNull():
				status.Labels = cmp.Or(store.Labels, &[]string{})
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

// Labels returns the elements of a set, or nil if one of them is unknown.
func Labels(set types.Set) *[]string {
	labels, all := tfmodel.Texts(set)
	if !all {
		return nil
	}
	return &labels
}

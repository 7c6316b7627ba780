// Package references looks for the stores and daemons that other resources name. Ops Manager accepts
// a reference to a store that does not exist, and later starts no backup.
package references

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
)

// SyncStore is the type of sync stores, whose references have only an ID.
const SyncStore = "sync store"

// storeTypes are the types of stores in references. Ops Manager returns no stores of other types.
var storeTypes = []struct {
	name string
	kind opsmanager.StoreKind
}{
	{"blockstore", opsmanager.Blockstore}, {"s3blockstore", opsmanager.S3Blockstore}, {"fileSystemStore", opsmanager.FileSystemStore},
	{"oplogStore", opsmanager.OplogStore}, {"s3OplogStore", opsmanager.S3OplogStore}, {SyncStore, opsmanager.SyncStore},
}

type storeKey struct {
	kind opsmanager.StoreKind
	id   string
}

// plannedStores holds the configured labels of the stores that the plans of one process manage.
var plannedStores connection.Shared[sync.Map]

// PlanStore records that a plan creates, adopts or keeps a store, with its planned labels. They are null
// if the plan doesn't set them.
func PlanStore(data *connection.Data, kind opsmanager.StoreKind, id string, labels attr.Value) {
	plannedStores.Of(data).Store(storeKey{kind, id}, labels)
}

// Store is a reference to a store.
type Store struct{ Type, ID string }

// Status says what is known about a store that is referred to. If nothing is, all fields are zero: its
// ID may be unknown, or the key may lack the role to read stores.
type Status struct {
	Missing string    // what is missing from Ops Manager and from the plan, for messages
	Labels  *[]string // once the plan is applied; nil if they are not known
}

// Find looks for a store, first among those that the same plan manages.
func (s Store) Find(ctx context.Context, data *connection.Data) Status {
	found, labels := s.look(ctx, data)
	if found != missing {
		return Status{Labels: labels}
	}
	text := opsmanager.Sanitize(s.ID + ", type " + s.Type)
	for _, other := range storeTypes {
		if found, _ := (Store{other.name, s.ID}).look(ctx, data); found == exists {
			text += " (the store with this ID has the type " + other.name + ")"
			break
		}
	}
	return Status{Missing: text}
}

// presence is whether a store exists.
type presence int

const (
	unknown presence = iota
	exists           // in Ops Manager, or once the plan is applied
	missing
)

func (s Store) look(ctx context.Context, data *connection.Data) (found presence, labels *[]string) {
	for _, t := range storeTypes {
		if t.name != s.Type || s.ID == "" {
			continue
		}
		value, isPlanned := plannedStores.Of(data).Load(storeKey{t.kind, s.ID})
		planned, _ := value.(types.Set)
		if isPlanned && !planned.IsNull() {
			return exists, texts(planned)
		}
		store, err := data.Client.BackupStore(ctx, t.kind, s.ID)
		switch {
		case err == nil && store.Labels == nil:
			return exists, &[]string{}
		case err == nil:
			return exists, store.Labels
		case isPlanned:
			return exists, nil
		case opsmanager.IsGone(err):
			return missing, nil
		}
		return unknown, nil
	}
	return unknown, nil
}

// texts returns the elements of a set, or nil if one of them is unknown.
func texts(set types.Set) *[]string {
	if set.IsUnknown() {
		return nil
	}
	all := []string{}
	for _, element := range set.Elements() {
		text, _ := element.(types.String)
		if text.IsUnknown() {
			return nil
		}
		all = append(all, text.ValueString())
	}
	return &all
}

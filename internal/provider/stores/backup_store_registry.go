package stores

import (
	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

// storeKey identifies a store. Stores of different kinds may have the same ID.
type storeKey struct {
	kind opsmanager.StoreKind
	id   string
}

// storeRegistry holds what the resources of one provider process plan for each store.
var storeRegistry connection.Shared[connection.Registry[storeKey, plannedStore]]

// unknownID is the ID of a store to create or adopt whose ID is unknown, and of any store that is
// deleted.
const unknownID = ""

// plannedStore holds what the resources of a plan do with one store.
type plannedStore struct {
	wholeobject.Planned
	refreshed *replacedStore // the store in the state, if it has been refreshed
}

// replacedStore is the store that a replacement destroys. The private data of the plan
// keeps it: Terraform plans a replacement twice, without a state the second time.
type replacedStore struct {
	ID        string `json:"id"`
	Protected bool   `json:"protected"`

	guess bool       // not in the private data, which has guessKey
	state storeModel // not in the private data
}

func (m storeModel) replaced(guess bool) replacedStore {
	return replacedStore{ID: m.id(), Protected: m.flag(deletionProtection).ValueBool(), guess: guess, state: m}
}

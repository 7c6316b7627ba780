package emulator

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

var backupStoreType = resourceType{
	routes: (*Emulator).backupStoreRoutes,
	check:  checkStores,
	complete: func(e *Emulator) {
		for _, kind := range StoreKinds {
			if e.state.StoreBindings[kind] == nil {
				e.state.StoreBindings[kind] = map[string][]string{}
			}
			for _, store := range e.state.BackupStores[kind] {
				if !isAsRead(store) {
					e.setStoreDefaults(kind, store)
				}
			}
		}
	},
	server: func(d *documents, s *Seed) {
		for _, kind := range StoreKinds {
			for _, store := range s.BackupStores[kind] {
				d.add(storeKinds[kind].fields, store, "the %s store %q", storeKinds[kind].singular, store["id"])
			}
		}
	},
}

func (e *Emulator) backupStoreRoutes() []route {
	var routes []route
	for _, kind := range StoreKinds {
		all := "/admin/backup/" + storeKinds[kind].path
		one := all + "/{store}"
		routes = append(routes,
			route{http.MethodGet, all, 0, append([]string{"assignableOnly"}, listQuery...), ofKind(kind, e.listStores)},
			route{http.MethodPost, all, 0, singleQuery, ofKind(kind, e.createStore)},
			route{http.MethodGet, one, 0, singleQuery, ofKind(kind, e.getStore)},
			route{http.MethodPut, one, 0, singleQuery, ofKind(kind, e.putStore)},
			route{http.MethodDelete, one, 0, singleQuery, ofKind(kind, e.deleteStore)},
		)
	}
	return routes
}

// ofKind returns the handler of a call for stores of a kind.
func ofKind(kind StoreKind, handle func(StoreKind, *call) (any, error)) func(*call) (any, error) {
	return func(c *call) (any, error) { return handle(kind, c) }
}

// listStores lists the stores of a kind. By default, it leaves out those that no backup can be
// assigned to.
func (e *Emulator) listStores(kind StoreKind, c *call) (any, error) {
	assignableOnly, err := c.flag("assignableOnly", true)
	if err != nil {
		return nil, err
	}
	stores := documentList{}
	for _, store := range e.state.BackupStores[kind] {
		if read := e.readStore(kind, store); !assignableOnly || read["assignmentEnabled"] == true {
			stores = append(stores, read)
		}
	}
	return stores, nil
}

func (e *Emulator) getStore(kind StoreKind, c *call) (any, error) {
	store, err := e.findStore(kind, c)
	if err != nil {
		return nil, err
	}
	return e.read(c.URL.Path, e.readStore(kind, store)), nil
}

// createStore creates a store. MongoDB's Kubernetes operator found that it replaces a store with the
// same ID.
func (e *Emulator) createStore(kind StoreKind, c *call) (any, error) {
	store, err := e.storeInBody(kind, c, "", nil)
	if err != nil {
		return nil, err
	}
	id, _ := store["id"].(string)
	switch {
	case id == "":
		return nil, missingAttribute("id")
	case e.state.stores(kind).find(id) != nil && e.options.Unknowns.RefusesExistingStore:
		// No error code is documented.
		return nil, refuse(http.StatusConflict, "", "A store with ID "+id+" already exists.", id)
	}
	e.state.stores(kind).put(store)
	return e.storeDocument(kind, store), nil
}

// putStore replaces a store. Fields that the body lacks get their defaults. The store is checked even
// if there is none with its ID: a bucket that can't be reached was observed to be the error then.
func (e *Emulator) putStore(kind StoreKind, c *call) (any, error) {
	before, missing := e.findStore(kind, c)
	store, err := e.storeInBody(kind, c, c.vars["store"], before)
	switch {
	case err != nil:
		return nil, err
	case before != nil:
		before = e.storeDocument(kind, before)
	case !e.options.Unknowns.PutCreatesStore:
		return nil, missing
	}
	e.state.stores(kind).put(store)
	return e.written(c.URL.Path, before, e.storeDocument(kind, store)), nil
}

// deleteStore deletes a store, unless it is in use or may not be deleted while projects can
// be assigned to it.
func (e *Emulator) deleteStore(kind StoreKind, c *call) (any, error) {
	id, unknowns := c.vars["store"], e.options.Unknowns
	store, err := e.findStore(kind, c)
	if err != nil {
		if kind == S3OplogStore {
			return nil, nil // observed on 8.0
		}
		return nil, err
	}
	// Reported for S3 stores only, and not consistently.
	isS3 := kind == S3Blockstore || kind == S3OplogStore
	whileAssignable := unknowns.DeletesAssignableStores || !isS3 && !unknowns.KeepsAssignableStores
	by := e.state.StoreBindings[kind][id]
	named := e.state.projectsThatName(kind, id)
	switch {
	case len(named) > 0 && e.version.since(version{8, 0, 27}):
		// No error code is documented.
		return nil, refuse(http.StatusConflict, storeKinds[kind].inUse, "Cannot remove store "+id+" because it is used in the job configurations of these projects: "+strings.Join(named, ", ")+".", append([]string{id}, named...)...)
	case len(by) > 0:
		return nil, refuse(http.StatusConflict, storeKinds[kind].inUse, "Cannot remove store "+id+" because it is used by "+strings.Join(by, ", ")+".", append([]string{id}, by...)...)
	case store["assignmentEnabled"] == true && !whileAssignable:
		return nil, refuse(http.StatusConflict, storeKinds[kind].inUse, "Cannot remove store "+id+" while it is assignable.", id)
	}
	e.state.stores(kind).remove(id)
	return nil, nil
}

func (e *Emulator) findStore(kind StoreKind, c *call) (map[string]any, error) {
	id := c.vars["store"]
	if store := e.state.stores(kind).find(id); store != nil {
		return store, nil
	}
	return nil, refuse(http.StatusNotFound, storeKinds[kind].notFound, storeKinds[kind].singular+" config "+id+" not found.", id)
}

// FailProbes makes the next probes of buckets fail. Each create and update of an S3 store
// has one. A negative number makes all of them fail.
func (e *Emulator) FailProbes(count int) {
	defer e.lock()()
	e.failingProbes = count
}

// readStore returns the response to a read of a store. The used size of a store that is in
// use grows with each read.
func (e *Emulator) readStore(kind StoreKind, store map[string]any) map[string]any {
	id, _ := store["id"].(string)
	if len(e.state.StoreBindings[kind][id]) > 0 {
		size, _ := store["usedSize"].(float64)
		store = merge(store, map[string]any{"usedSize": size + 1})
		e.state.stores(kind).put(store)
	}
	return e.storeDocument(kind, store)
}

// storeDocument returns a store as in a response: with links and defaults, its labels in
// a different order, and its secrets masked if this version does that.
func (e *Emulator) storeDocument(kind StoreKind, store map[string]any) map[string]any {
	if isAsRead(store) {
		return asRead(store)
	}
	document := administered(store)
	e.setStoreDefaults(kind, document)
	for name, f := range storeKinds[kind].fields {
		if !e.version.since(f.since) {
			delete(document, name)
		}
	}
	if !e.version.since(version{8, 0, 27}) {
		delete(document, "objectLockEnabledAt")
	}
	e.maskSecrets(document)
	return document
}

// BackupStore returns a copy of a store, with its secrets, or nil if there is none.
func (e *Emulator) BackupStore(kind StoreKind, id string) map[string]any {
	defer e.lock()()
	return copyDocument(e.state.stores(kind).find(id))
}

// SetBackupStore creates a store or sets fields of it, without validation. A nil value
// deletes the field.
func (e *Emulator) SetBackupStore(kind StoreKind, id string, fields map[string]any) {
	defer e.lock()()
	store := merge(e.state.stores(kind).find(id), fields)
	store["id"] = id
	e.state.stores(kind).put(store)
}

// RemoveBackupStore removes a store, even if it is in use.
func (e *Emulator) RemoveBackupStore(kind StoreKind, id string) {
	defer e.lock()()
	e.state.stores(kind).remove(id)
}

// UseBackupStore replaces the names of the users of a store, such as the backups of a
// project. Without names, the store is not in use.
func (e *Emulator) UseBackupStore(kind StoreKind, id string, by ...string) {
	defer e.lock()()
	e.state.stores(kind).use(id, by)
}

func (s *Seed) stores(kind StoreKind) collection {
	write := func(stores []map[string]any) { s.BackupStores[kind] = stores }
	return collection{"store", idOf, s.BackupStores[kind], write, s.StoreBindings[kind]}
}

func checkStores(s *Seed) error {
	for _, kind := range slices.Sorted(maps.Keys(s.BackupStores)) {
		if _, known := storeKinds[kind]; !known {
			return fmt.Errorf("backupStores: unknown kind %q", kind)
		}
	}
	for _, kind := range StoreKinds {
		if err := s.stores(kind).check(); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

// The types of stores in filters. thirdPartyOplogStore has no kind here.
var (
	snapshotStoreTypes = map[string]StoreKind{"blockstore": Blockstore, "s3blockstore": S3Blockstore, "fileSystemStore": FileSystemStore}
	oplogStoreTypes    = map[string]StoreKind{"oplogStore": OplogStore, "s3OplogStore": S3OplogStore, "thirdPartyOplogStore": ""}
)

// namesStore reports whether a filter of a job configuration names a store.
func namesStore(config map[string]any, kind StoreKind, id string) bool {
	if kind == SyncStore {
		return slices.Contains(get[[]any](config, "syncStoreFilter"), any(id))
	}
	for filter, types := range map[string]map[string]StoreKind{"snapshotStoreFilter": snapshotStoreTypes, "oplogStoreFilter": oplogStoreTypes} {
		for _, store := range objectsIn(config[filter]) {
			if store["id"] == id && types[get[string](store, "type")] == kind {
				return true
			}
		}
	}
	return false
}

// projectsThatName returns the names of the projects whose job configuration names a store.
func (s *Seed) projectsThatName(kind StoreKind, id string) []string {
	var found []string
	for _, project := range s.Projects {
		if namesStore(project.BackupJobConfig, kind, id) {
			found = append(found, project.Name)
		}
	}
	return found
}

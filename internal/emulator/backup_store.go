package emulator

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

var backupStoreType = resourceType{
	routes: func(e *Emulator) []route {
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
	},
	check: checkStores,
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

// ofKind returns the handler of a call for stores of a kind.
func ofKind(kind StoreKind, handle func(StoreKind, *call) any) func(*call) any {
	return func(c *call) any { return handle(kind, c) }
}

// listStores lists the stores of a kind. By default, it leaves out those that no backup can be
// assigned to.
func (e *Emulator) listStores(kind StoreKind, c *call) any {
	assignableOnly := c.flag("assignableOnly", true)
	stores := documentList{}
	for _, store := range e.state.BackupStores[kind] {
		if read := e.readStore(kind, store); !assignableOnly || read["assignmentEnabled"] == true {
			stores = append(stores, read)
		}
	}
	return stores
}

func (e *Emulator) getStore(kind StoreKind, c *call) any {
	return e.readStore(kind, e.findStore(kind, c))
}

// createStore creates a store. MongoDB's Kubernetes operator found that it replaces a store with the
// same ID.
func (e *Emulator) createStore(kind StoreKind, c *call) any {
	store := e.storeInBody(kind, c, "", nil)
	if idOf(store) == "" {
		panic(missingAttribute("id"))
	}
	e.state.stores(kind).put(store)
	return e.storeDocument(kind, store)
}

// putStore replaces a store. Fields that the body lacks get their defaults. The store is checked even
// if there is none with its ID: a bucket that can't be reached was observed to be the error then.
func (e *Emulator) putStore(kind StoreKind, c *call) any {
	store := e.storeInBody(kind, c, c.vars["store"], e.state.stores(kind).find(c.vars["store"]))
	e.findStore(kind, c)
	e.state.stores(kind).put(store)
	return e.storeDocument(kind, store)
}

// deleteStore deletes a store, unless it is in use or may not be deleted while projects can
// be assigned to it.
func (e *Emulator) deleteStore(kind StoreKind, c *call) any {
	id := c.vars["store"]
	unknowns := e.options.Unknowns
	if e.state.stores(kind).find(id) == nil && kind == S3OplogStore {
		return nil // observed on 8.0
	}
	store := e.findStore(kind, c)
	// Reported for S3 stores only, and not consistently.
	isS3 := kind == S3Blockstore || kind == S3OplogStore
	whileAssignable := unknowns.DeletesAssignableStores || !isS3 && !unknowns.KeepsAssignableStores
	named := e.state.projectsThatName(kind, id)
	switch {
	case len(named) > 0 && e.version.since(version{8, 0, 27}):
		// No error code is documented.
		panic(refuse(http.StatusConflict, storeKinds[kind].inUse, "Cannot remove store "+id+" because it is used in the job configurations of these projects: "+strings.Join(named, ", ")+".", append([]string{id}, named...)...))
	case len(e.state.StoreBindings[kind][id]) > 0, store["assignmentEnabled"] == true && !whileAssignable:
		panic(refuse(http.StatusConflict, storeKinds[kind].inUse, "Cannot delete the "+strings.ToLower(storeKinds[kind].singular)+" config. Please make sure no jobs are bound to config and no snapshots are in it before deleting."))
	}
	e.state.stores(kind).remove(id)
	return nil
}

func (e *Emulator) findStore(kind StoreKind, c *call) map[string]any {
	id := c.vars["store"]
	if store := e.state.stores(kind).find(id); store != nil {
		return store
	}
	panic(refuse(http.StatusNotFound, storeKinds[kind].notFound, storeKinds[kind].singular+" config "+id+" not found.", id))
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
	if len(e.state.StoreBindings[kind][idOf(store)]) > 0 {
		store = merge(store, map[string]any{"usedSize": get[float64](store, "usedSize") + 1})
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

// BackupStore returns a store, with its secrets, or nil if there is none.
func (e *Emulator) BackupStore(kind StoreKind, id string) map[string]any {
	defer e.lock()()
	return copyDocument(e.state.stores(kind).find(id))
}

// SetBackupStore sets a store.
func (e *Emulator) SetBackupStore(kind StoreKind, id string, fields map[string]any) {
	defer e.lock()()
	e.state.stores(kind).set(id, fields)
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
	snapshotStoreTypes = map[string]StoreKind{
		"blockstore":      Blockstore,
		"s3blockstore":    S3Blockstore,
		"fileSystemStore": FileSystemStore,
	}
	oplogStoreTypes = map[string]StoreKind{
		"oplogStore":           OplogStore,
		"s3OplogStore":         S3OplogStore,
		"thirdPartyOplogStore": "",
	}
)

// namesStore reports whether a filter of a job configuration names a store.
func namesStore(config map[string]any, kind StoreKind, id string) bool {
	if kind == SyncStore {
		return slices.Contains(get[[]any](config, "syncStoreFilter"), any(id))
	}
	for filter, types := range map[string]map[string]StoreKind{
		"snapshotStoreFilter": snapshotStoreTypes,
		"oplogStoreFilter":    oplogStoreTypes,
	} {
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

// storeRules are the rules of a kind of store.
type storeRules struct {
	singular string // in errors; that of S3 oplog stores was observed
	path     string // after /admin/backup
	notFound string // error code for an unknown ID
	inUse    string // error code for a store that can't be deleted
	fields   members
}

var (
	retentionModes = []string{"GOVERNANCE", "COMPLIANCE"}

	// Object Lock came to S3 blockstores before S3 oplog stores.
	blockstoreLock = members{
		"objectLockEnabled":   {since: version{8, 0, 19}, immutable: true, isValid: isBoolean},
		"objectRetentionMode": {since: version{8, 0, 27}, immutable: true, values: retentionModes},
		"objectRetentionDays": {since: version{8, 0, 27}, immutable: true, isValid: isPositive},
	}
	oplogLock = members{
		"objectLockEnabled":   {since: version{8, 0, 28}, immutable: true, isValid: isBoolean},
		"objectRetentionMode": {since: version{8, 0, 28}, immutable: true, values: retentionModes},
		"objectRetentionDays": {since: version{8, 0, 28}, immutable: true, isValid: isPositive},
	}
	anyStore = members{
		"id":                  {isValid: isText},
		"links":               {readOnly: true},
		"objectLockEnabledAt": {readOnly: true},
		"usedSize":            {ignored: true}, // MongoDB's Kubernetes operator sends back what it read
		"assignmentEnabled":   {isValid: isBoolean},
		"labels":              {isValid: isListOfTexts},
		"loadFactor":          {isValid: isPositive}, // documented for snapshot stores only, and returned by all
	}
	mongoStore = members{
		"uri":                  {required: true, isValid: isText, secret: true},
		"ssl":                  {isValid: isBoolean},
		"encryptedCredentials": {isValid: isBoolean},
		// MongoDB's Kubernetes operator sends an empty text.
		"writeConcern": {values: []string{"ACKNOWLEDGED", "W2", "JOURNALED", "MAJORITY", ""}},
		"oidc":         {since: version{8, 0, 26}, isValid: isObject, nested: oidcFields},
	}
	capacity = members{"maxCapacityGB": {isValid: isPositive}}
	s3Store  = members{
		"s3BucketName":           {required: true, immutable: true, isValid: isText},
		"s3BucketEndpoint":       {required: true, isValid: isText},
		"s3MaxConnections":       {required: true, isValid: isPositive},
		"pathStyleAccessEnabled": {required: true, isValid: isBoolean},
		"sseEnabled":             {required: true, isValid: isBoolean},
		"acceptedTos":            {required: true, isValid: isBoolean},
		"s3AuthMethod":           {values: []string{"KEYS", "IAM_ROLE"}},
		"awsAccessKey":           {isValid: isText, secret: true},
		"awsSecretKey":           {isValid: isText, secret: true},
		"s3RegionOverride":       {isValid: isText},
		"customCertificates":     {since: version{5, 0, 0}, isValid: isListOfObjects, nested: certificateFields},
		"disableProxyS3":         {required: true, isValid: isBoolean},
	}
	fileSystem = members{
		"storePath":                {required: true, isValid: isText},
		"mmapv1CompressionSetting": {isValid: isText},
		"wtCompressionSetting":     {isValid: isText},
	}
)

var storeKinds = map[StoreKind]storeRules{
	Blockstore: {
		"Mongo snapshot", "snapshot/mongoConfigs", "MONGO_SNAPSHOT_CONFIG_NOT_FOUND", "BACKUP_CANNOT_REMOVE_DB_STORE_CONFIG",
		union(anyStore, mongoStore, capacity),
	},
	S3Blockstore: {
		"S3 snapshot", "snapshot/s3Configs", "S3_SNAPSHOT_CONFIG_NOT_FOUND", "BACKUP_CANNOT_REMOVE_S3_STORE_CONFIG",
		union(anyStore, mongoStore, s3Store, blockstoreLock),
	},
	FileSystemStore: {
		"File system snapshot",
		"snapshot/fileSystemConfigs",
		"FILESYSTEM_SNAPSHOT_CONFIG_NOT_FOUND",
		"BACKUP_CANNOT_REMOVE_FS_STORE_CONFIG",
		union(anyStore, fileSystem),
	},
	OplogStore: {
		"Mongo oplog", "oplog/mongoConfigs", "MONGO_OPLOG_CONFIG_NOT_FOUND", "BACKUP_CANNOT_REMOVE_OPLOG_STORE_CONFIG",
		union(anyStore, mongoStore, capacity),
	},
	S3OplogStore: {
		"S3 oplog", "oplog/s3Configs", "S3_OPLOG_CONFIG_NOT_FOUND", "BACKUP_CANNOT_REMOVE_S3_OPLOG_STORE_CONFIG",
		union(anyStore, mongoStore, s3Store, oplogLock),
	},
	SyncStore: {
		"Mongo sync", "sync/mongoConfigs", "MONGO_SYNC_CONFIG_NOT_FOUND", "BACKUP_CANNOT_REMOVE_SYNC_STORE_CONFIG",
		union(anyStore, mongoStore, capacity),
	},
}

// storeInBody returns the store in the body, complete with defaults. A PUT has the
// ID in its path. If before is not nil, it is replaced.
func (e *Emulator) storeInBody(kind StoreKind, c *call, pathID string, before map[string]any) map[string]any {
	body := e.checkedBody(c, before, storeKinds[kind].fields)
	if pathID != "" {
		if id, sent := body["id"]; sent && id != pathID {
			panic(invalidType("id"))
		}
		body["id"] = pathID
	}
	store := merge(nil, body)
	if before != nil {
		before = merge(nil, before)
		e.setStoreDefaults(kind, before)
		e.keepStored(store, before)
	}
	e.setStoreDefaults(kind, store)
	checkImmutable(kind, store, before)
	checkStoreValues(store)
	checkOIDC(store)
	e.checkS3(store)
	checkDatabase(store)
	return store
}

// setStoreDefaults sets the fields that a store always has. Of the defaults, only those of
// the compression and the authentication method are documented.
func (e *Emulator) setStoreDefaults(kind StoreKind, store map[string]any) {
	defaults := map[string]any{
		"assignmentEnabled": false,
		"labels":            []any{},
		"loadFactor":        float64(1),
	}
	fields := storeKinds[kind].fields
	for name, value := range map[string]any{
		"ssl":                      false,
		"encryptedCredentials":     false,
		"disableProxyS3":           false,
		"objectLockEnabled":        false,
		"s3AuthMethod":             "KEYS",
		"mmapv1CompressionSetting": "NONE",
		"wtCompressionSetting":     "GZIP",
	} {
		if f, ok := fields[name]; ok && e.version.since(f.since) {
			defaults[name] = value
		}
	}
	addDefaults(store, defaults)
	for _, name := range []string{"s3RegionOverride", "writeConcern"} {
		if store[name] == "" { // MongoDB's Kubernetes operator sends an empty text instead of leaving the field out
			delete(store, name)
		}
	}
	if store["objectLockEnabled"] == true && store["objectLockEnabledAt"] == nil && e.version.since(version{8, 0, 27}) {
		store["objectLockEnabledAt"] = "2025-09-01T08:00:00Z"
	}
}

// checkImmutable checks that a replacement doesn't change a field that can be set only
// when the store is created. No error code is documented.
func checkImmutable(kind StoreKind, store, before map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(storeKinds[kind].fields)) {
		if before != nil && storeKinds[kind].fields[name].immutable && store[name] != before[name] {
			panic(refuse(http.StatusBadRequest, "", "The attribute "+name+" cannot be changed.", name))
		}
	}
}

var connectionString = regexp.MustCompile(`^mongodb(\+srv)?://`)

// hostList matches a list of hosts, with which the documentation of MongoDB's CLI shows a uri.
var hostList = regexp.MustCompile(`^[^\s:/@,]+(:\d+)?(,[^\s:/@,]+(:\d+)?)*$`)

// checkStoreValues checks the values with documented rules, and that the retention of locked objects is complete.
func checkStoreValues(store map[string]any) {
	_, hasMode := store["objectRetentionMode"]
	_, hasDays := store["objectRetentionDays"]
	uri, hasURI := store["uri"].(string)
	path, hasPath := store["storePath"].(string)
	switch {
	case hasMode && !hasDays || hasDays && store["objectLockEnabled"] != true: // a page shows days without a mode
		panic(refuse(http.StatusBadRequest, "", "objectRetentionMode requires objectRetentionDays, which requires objectLockEnabled.", "objectRetentionMode"))
	case hasURI && !connectionString.MatchString(uri) && !hostList.MatchString(uri):
		panic(refuse(http.StatusBadRequest, "INVALID_ATTRIBUTE", "The attribute uri is not a connection string.", "uri")) // no error code is documented
	case hasPath && !strings.HasPrefix(path, "/"):
		panic(refuse(http.StatusBadRequest, "BACKUP_INVALID_FS_PATH", "The path "+path+" is invalid.", path))
	}
}

// checkOIDC checks the fields that a method of OpenID Connect requires.
func checkOIDC(store map[string]any) {
	oidc, _ := store["oidc"].(map[string]any)
	if oidc["enabled"] != true {
		return
	}
	method, _ := oidc["method"].(string)
	required, known := oidcMethods[method]
	if !known {
		panic(invalidEnum("oidc.method", method))
	}
	for _, name := range required {
		if oidc[name] == nil || oidc[name] == "" {
			panic(missingAttribute("oidc." + name))
		}
	}
}

var certificateFields = members{
	"filename": {
		isValid:  isText,
		required: true,
	},
	"certString": {
		isValid:  isText,
		required: true,
		secret:   true,
	},
}

var oidcFields = members{
	"enabled":       {isValid: isBoolean},
	"method":        {isValid: isText},
	"tokenUri":      {isValid: isText},
	"clientId":      {isValid: isText},
	"clientSecret":  {isValid: isText, secret: true},
	"scope":         {isValid: isText},
	"tokenResource": {isValid: isText},
}

var oidcMethods = map[string][]string{
	"callback": {"tokenUri", "clientId", "clientSecret"},
	"azure":    {"tokenResource"},
	"gcp":      {"tokenResource"},
	"k8s":      {},
}

// checkS3 checks an S3 store, and tests its bucket. Each write tests the bucket.
func (e *Emulator) checkS3(store map[string]any) {
	bucket, ok := store["s3BucketName"].(string)
	if !ok {
		return
	}
	switch {
	case store["acceptedTos"] != true:
		panic(refuse(http.StatusConflict, "BACKUP_S3_TOS_NOT_ACCEPTED", "The terms of service of S3 storage must be accepted."))
	case strings.Contains(bucket, "/") && e.version.since(version{8, 0, 10}):
		panic(refuse(http.StatusBadRequest, "INVALID_ATTRIBUTE", "The attribute s3BucketName must not contain a slash.", "s3BucketName")) // no error code is documented
	case store["s3AuthMethod"] == "KEYS":
		for _, name := range []string{"awsAccessKey", "awsSecretKey"} {
			if store[name] == nil || store[name] == "" {
				panic(missingAttribute(name))
			}
		}
	}
	if endpoint, _ := store["s3BucketEndpoint"].(string); strings.Contains(endpoint, Unreachable) {
		panic(refuse(http.StatusConflict, "BACKUP_S3_CONNECTION_FAILED", "Could not connect to the bucket "+bucket+" at "+endpoint+"."))
	}
	if e.failingProbes == 0 {
		return
	}
	if e.failingProbes > 0 {
		e.failingProbes--
	}
	panic(refuse(http.StatusConflict, "BACKUP_S3_VALIDATION_FAILED", "Validation of the bucket "+bucket+" failed: delete after put: 403 Forbidden."))
}

// Unreachable is a part of the hosts that the emulated Ops Manager cannot connect to.
const Unreachable = "unreachable"

// checkDatabase tests the connection to the database of a store.
func checkDatabase(store map[string]any) {
	if uri, _ := store["uri"].(string); strings.Contains(uri, Unreachable) {
		panic(refuse(http.StatusConflict, "BACKUP_MONGO_CONNECTION_FAILED", "Could not connect to the database of the store."))
	}
}

// keepStored sets what a replacement keeps of the store before: Object Lock, the used size,
// and the client secret if the body leaves it out or has its mask.
func (e *Emulator) keepStored(store, before map[string]any) {
	for _, name := range []string{"objectLockEnabled", "objectRetentionMode", "objectRetentionDays", "objectLockEnabledAt", "usedSize"} {
		if _, sent := store[name]; !sent && before[name] != nil {
			store[name] = before[name]
		}
	}
	if oidc, ok := store["oidc"].(map[string]any); ok {
		if secret := oidc["clientSecret"]; secret == nil || secret == redacted {
			held, ok := before["oidc"].(map[string]any)
			if ok && held["clientSecret"] != nil {
				oidc["clientSecret"] = held["clientSecret"]
			}
		}
	}
}

// maskSecrets masks the secrets of a document as this version does. The form of a masked
// secret key is not documented.
func (e *Emulator) maskSecrets(document map[string]any) {
	if e.options.Unknowns.OmitsSecretKey {
		delete(document, "awsSecretKey")
	}
	if !e.version.since(version{8, 0, 26}) {
		return
	}
	if uri, ok := document["uri"].(string); ok {
		if scheme, rest, found := strings.Cut(uri, "://"); found {
			if i := strings.LastIndexByte(rest, '@'); i >= 0 {
				document["uri"] = scheme + "://REDACTED:REDACTED" + rest[i:]
			}
		}
	}
	if key, ok := document["awsAccessKey"].(string); ok {
		document["awsAccessKey"] = key[:min(4, len(key))] + "****" + key[max(0, len(key)-4):]
	}
	if _, ok := document["awsSecretKey"]; ok {
		document["awsSecretKey"] = "****************"
	}
	if oidc, ok := document["oidc"].(map[string]any); ok && oidc["clientSecret"] != nil && e.version.since(version{8, 0, 27}) {
		oidc["clientSecret"] = redacted
	}
	if certificates, ok := document["customCertificates"].([]any); ok && e.options.Unknowns.RedactsCertificates {
		for _, certificate := range certificates {
			certificate.(map[string]any)["certString"] = redacted //nolint:forcetypeassert // checked when it was stored
		}
	}
}

const redacted = "[REDACTED]"

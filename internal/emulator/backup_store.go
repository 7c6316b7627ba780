package emulator

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// StoreKind is a kind of backup store. Each has a path of its own.
type StoreKind string

// The kinds of backup stores.
const (
	Blockstore      StoreKind = "blockstores"
	S3Blockstore    StoreKind = "s3Blockstores"
	FileSystemStore StoreKind = "fileSystemStores"
	OplogStore      StoreKind = "oplogStores"
	S3OplogStore    StoreKind = "s3OplogStores"
	SyncStore       StoreKind = "syncStores"
)

// StoreKinds are all kinds of backup stores.
var StoreKinds = []StoreKind{Blockstore, S3Blockstore, FileSystemStore, OplogStore, S3OplogStore, SyncStore}

// storeField is a writable field of a store besides its ID.
type storeField struct {
	required  bool
	since     version
	immutable bool // can't be changed after the creation
	isValid   func(value any) bool
}

// storeRules are the rules of a kind of store.
type storeRules struct {
	path     string // after /admin/backup
	notFound string // error code for an unknown ID
	inUse    string // error code for a store that can't be deleted
	fields   map[string]storeField
}

var (
	// Object Lock came to S3 blockstores before S3 oplog stores.
	blockstoreLock = map[string]storeField{
		"objectLockEnabled":   {since: version{8, 0, 19}, immutable: true, isValid: isBoolean},
		"objectRetentionMode": {since: version{8, 0, 27}, immutable: true, isValid: isText},
		"objectRetentionDays": {since: version{8, 0, 27}, immutable: true, isValid: isPositive},
	}
	oplogLock = map[string]storeField{
		"objectLockEnabled":   {since: version{8, 0, 28}, immutable: true, isValid: isBoolean},
		"objectRetentionMode": {since: version{8, 0, 28}, immutable: true, isValid: isText},
		"objectRetentionDays": {since: version{8, 0, 28}, immutable: true, isValid: isPositive},
	}
	anyStore = map[string]storeField{
		"assignmentEnabled": {isValid: isBoolean},
		"labels":            {isValid: isListOfTexts},
	}
	mongoStore = map[string]storeField{
		"uri":                  {required: true, isValid: isText},
		"ssl":                  {isValid: isBoolean},
		"encryptedCredentials": {isValid: isBoolean},
		"writeConcern":         {isValid: isText},
		"oidc":                 {since: version{8, 0, 26}, isValid: isObject},
	}
	capacity   = map[string]storeField{"maxCapacityGB": {isValid: isPositive}}
	loadFactor = map[string]storeField{"loadFactor": {isValid: isPositive}}
	s3Store    = map[string]storeField{
		"s3BucketName":           {required: true, immutable: true, isValid: isText},
		"s3BucketEndpoint":       {required: true, isValid: isText},
		"s3MaxConnections":       {required: true, isValid: isPositive},
		"pathStyleAccessEnabled": {required: true, isValid: isBoolean},
		"sseEnabled":             {required: true, isValid: isBoolean},
		"acceptedTos":            {required: true, isValid: isBoolean},
		"s3AuthMethod":           {isValid: isText},
		"awsAccessKey":           {isValid: isText},
		"awsSecretKey":           {isValid: isText},
		"s3RegionOverride":       {isValid: isText},
		"customCertificates":     {since: version{5, 0, 0}, isValid: isListOfCertificates},
		"disableProxyS3":         {isValid: isBoolean},
	}
	fileSystem = map[string]storeField{
		"storePath":                {required: true, isValid: isText},
		"mmapv1CompressionSetting": {isValid: isText},
		"wtCompressionSetting":     {isValid: isText},
	}
)

var storeKinds = map[StoreKind]storeRules{
	Blockstore: {
		"snapshot/mongoConfigs", "MONGO_SNAPSHOT_CONFIG_NOT_FOUND", "BACKUP_CANNOT_REMOVE_DB_STORE_CONFIG",
		union(anyStore, mongoStore, capacity, loadFactor),
	},
	S3Blockstore: {
		"snapshot/s3Configs", "S3_SNAPSHOT_CONFIG_NOT_FOUND", "BACKUP_CANNOT_REMOVE_S3_STORE_CONFIG",
		union(anyStore, mongoStore, s3Store, loadFactor, blockstoreLock),
	},
	FileSystemStore: {
		"snapshot/fileSystemConfigs", "FILESYSTEM_SNAPSHOT_CONFIG_NOT_FOUND", "BACKUP_CANNOT_REMOVE_FS_STORE_CONFIG",
		union(anyStore, fileSystem, loadFactor),
	},
	OplogStore: {
		"oplog/mongoConfigs", "MONGO_OPLOG_CONFIG_NOT_FOUND", "BACKUP_CANNOT_REMOVE_OPLOG_STORE_CONFIG",
		union(anyStore, mongoStore, capacity),
	},
	S3OplogStore: {
		"oplog/s3Configs", "S3_OPLOG_CONFIG_NOT_FOUND", "BACKUP_CANNOT_REMOVE_S3_OPLOG_STORE_CONFIG",
		union(anyStore, mongoStore, s3Store, oplogLock),
	},
	SyncStore: {
		"sync/mongoConfigs", "MONGO_SYNC_CONFIG_NOT_FOUND", "BACKUP_CANNOT_REMOVE_SYNC_STORE_CONFIG",
		union(anyStore, mongoStore, capacity),
	},
}

func union(parts ...map[string]storeField) map[string]storeField {
	all := map[string]storeField{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

func (e *Emulator) backupStoreRoutes() []route {
	var routes []route
	for _, kind := range StoreKinds {
		all := "/admin/backup/" + storeKinds[kind].path
		one := all + "/{store}"
		routes = append(routes,
			route{http.MethodGet, all, false, listQuery, e.listStores(kind)},
			route{http.MethodPost, all, false, singleQuery, e.createStore(kind)},
			route{http.MethodGet, one, false, singleQuery, e.getStore(kind)},
			route{http.MethodPut, one, false, singleQuery, e.putStore(kind)},
			route{http.MethodDelete, one, false, singleQuery, e.deleteStore(kind)},
		)
	}
	return routes
}

func (e *Emulator) listStores(kind StoreKind) func(*call) (any, error) {
	return func(*call) (any, error) {
		stores := list{}
		for _, store := range e.state.BackupStores[kind] {
			stores = append(stores, e.readStore(kind, store))
		}
		return stores, nil
	}
}

func (e *Emulator) getStore(kind StoreKind) func(*call) (any, error) {
	return func(c *call) (any, error) {
		store, err := e.findStore(kind, c)
		if err != nil {
			return nil, err
		}
		return e.read(c.URL.Path, e.readStore(kind, store)), nil
	}
}

// createStore creates a store. The documentation shows 200.
func (e *Emulator) createStore(kind StoreKind) func(*call) (any, error) {
	return func(c *call) (any, error) {
		store, err := e.storeInBody(kind, c, nil)
		if err != nil {
			return nil, err
		}
		id, _ := store["id"].(string)
		switch {
		case id == "":
			return nil, missingAttribute("id")
		case e.state.store(kind, id) != nil && !e.options.Unknowns.PostOverwritesStore:
			// No error code is documented.
			return nil, refuse(http.StatusConflict, "", "A store with ID "+id+" already exists.", id)
		}
		e.state.putStore(kind, store)
		if e.options.Unknowns.PostReturns201 {
			return createdDocument(e.storeDocument(kind, store)), nil
		}
		return e.storeDocument(kind, store), nil
	}
}

// putStore replaces a store. Fields that the body lacks get their defaults.
func (e *Emulator) putStore(kind StoreKind) func(*call) (any, error) {
	return func(c *call) (any, error) {
		before, err := e.findStore(kind, c)
		if err != nil {
			return nil, err
		}
		store, err := e.storeInBody(kind, c, before)
		if err != nil {
			return nil, err
		}
		answered := e.storeDocument(kind, before)
		e.state.putStore(kind, store)
		return e.written(c.URL.Path, answered, e.storeDocument(kind, store)), nil
	}
}

// deleteStore deletes a store, unless it is in use or may not be deleted while projects can
// be assigned to it.
func (e *Emulator) deleteStore(kind StoreKind) func(*call) (any, error) {
	return func(c *call) (any, error) {
		store, err := e.findStore(kind, c)
		if err != nil {
			return nil, err
		}
		id, unknowns := c.vars["store"], e.options.Unknowns
		// Observed for S3 blockstores only, and not by everyone.
		whileAssignable := unknowns.DeletesAssignableStores || kind != S3Blockstore && !unknowns.KeepsAssignableStores
		by := e.state.StoreBindings[kind][id]
		named := e.state.projectsThatName(kind, id)
		switch {
		case len(named) > 0 && e.version.since(version{8, 0, 27}) && !unknowns.DeletesNamedStores:
			// No error code is documented.
			return nil, refuse(http.StatusConflict, storeKinds[kind].inUse, "Cannot remove store "+id+" because it is used in the job configurations of these projects: "+strings.Join(named, ", ")+".", append([]string{id}, named...)...)
		case len(by) > 0:
			return nil, refuse(http.StatusConflict, storeKinds[kind].inUse, "Cannot remove store "+id+" because it is used by "+strings.Join(by, ", ")+".", append([]string{id}, by...)...)
		case store["assignmentEnabled"] == true && !whileAssignable:
			return nil, refuse(http.StatusConflict, storeKinds[kind].inUse, "Cannot remove store "+id+" while it is assignable.", id)
		}
		e.state.removeStore(kind, id)
		return nil, nil
	}
}

func (e *Emulator) findStore(kind StoreKind, c *call) (map[string]any, error) {
	id := c.vars["store"]
	store := e.state.store(kind, id)
	if store == nil {
		return nil, refuse(http.StatusNotFound, storeKinds[kind].notFound, "No store with ID "+id+" exists.", id)
	}
	return store, nil
}

// storeInBody returns the store in the body, complete with defaults, after AdjustStore. If
// before is not nil, it is replaced.
func (e *Emulator) storeInBody(kind StoreKind, c *call, before map[string]any) (map[string]any, error) {
	body, err := c.object()
	if err != nil {
		return nil, err
	}
	fields := storeKinds[kind].fields
	for _, name := range slices.Sorted(maps.Keys(body)) {
		value, known := body[name], fields[name]
		switch {
		case name == "id":
			if id, ok := value.(string); !ok || before != nil && id != before["id"] {
				return nil, invalidType(name)
			}
		case name == "usedSize": // MongoDB's operator sends back what it read
			delete(body, name)
		case name == "links", name == "objectLockEnabledAt":
			return nil, refuse(http.StatusBadRequest, "ATTRIBUTE_READ_ONLY", "The attribute "+name+" is read-only and cannot be changed by the user.", name)
		case known.isValid == nil, !e.version.since(known.since):
			return nil, invalidAttribute(name)
		case !known.isValid(value):
			return nil, invalidType(name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if fields[name].required && (body[name] == nil || body[name] == "") {
			return nil, missingAttribute(name)
		}
	}
	store := merge(nil, body)
	if before != nil {
		before = merge(nil, before)
		e.setStoreDefaults(kind, before)
		store["id"] = before["id"]
		e.keepStored(store, before)
	}
	e.setStoreDefaults(kind, store)
	for _, check := range []func(*Emulator, StoreKind, map[string]any, map[string]any) *refusal{
		checkImmutable, checkObjectLock, checkStoreValues, checkOIDC, checkS3, checkConnections,
	} {
		if refused := check(e, kind, store, before); refused != nil {
			return nil, refused
		}
	}
	if e.options.AdjustStore != nil {
		e.options.AdjustStore(kind, store)
	}
	return store, nil
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
			if held, ok := before["oidc"].(map[string]any); ok && held["clientSecret"] != nil {
				oidc["clientSecret"] = held["clientSecret"]
			}
		}
	}
	if !e.options.Unknowns.IgnoresMaskedSecrets {
		return
	}
	answered := map[string]any{}
	maps.Copy(answered, before)
	e.maskSecrets(answered)
	for _, name := range []string{"uri", "awsAccessKey", "awsSecretKey"} {
		if held, ok := before[name]; ok && store[name] == answered[name] {
			store[name] = held
		}
	}
}

// setStoreDefaults sets the fields that a store always has. Of the defaults, only those of
// the compression and the authentication method are documented.
func (e *Emulator) setStoreDefaults(kind StoreKind, store map[string]any) {
	defaults := map[string]any{"assignmentEnabled": e.options.Unknowns.AssignsByDefault, "labels": []any{}, "loadFactor": float64(1)}
	fields := storeKinds[kind].fields
	for name, value := range map[string]any{
		"ssl": false, "encryptedCredentials": false, "disableProxyS3": false, "objectLockEnabled": false, "s3AuthMethod": "KEYS",
		"mmapv1CompressionSetting": "NONE", "wtCompressionSetting": "GZIP",
	} {
		if f, ok := fields[name]; ok && e.version.since(f.since) {
			defaults[name] = value
		}
	}
	for name, value := range defaults {
		if _, sent := store[name]; !sent {
			store[name] = value
		}
	}
	for _, name := range []string{"s3RegionOverride", "writeConcern"} {
		if store[name] == "" { // MongoDB's operator sends an empty text for none
			delete(store, name)
		}
	}
	if store["objectLockEnabled"] == true && store["objectLockEnabledAt"] == nil && e.version.since(version{8, 0, 27}) {
		store["objectLockEnabledAt"] = "2025-09-01T08:00:00Z"
	}
}

// checkImmutable checks that no field changes that can be set only at the creation. No
// error code is documented.
func checkImmutable(_ *Emulator, kind StoreKind, store, before map[string]any) *refusal {
	for _, name := range slices.Sorted(maps.Keys(storeKinds[kind].fields)) {
		if before != nil && storeKinds[kind].fields[name].immutable && store[name] != before[name] {
			return refuse(http.StatusBadRequest, "", "The attribute "+name+" cannot be changed.", name)
		}
	}
	return nil
}

// checkObjectLock checks that the retention of locked objects is complete.
func checkObjectLock(_ *Emulator, _ StoreKind, store, _ map[string]any) *refusal {
	mode, hasMode := store["objectRetentionMode"].(string)
	switch _, hasDays := store["objectRetentionDays"]; {
	case hasMode != hasDays, hasMode && store["objectLockEnabled"] != true:
		return refuse(http.StatusBadRequest, "", "objectRetentionMode and objectRetentionDays must be set together, and only with objectLockEnabled.", "objectRetentionMode")
	case hasMode && mode != "GOVERNANCE" && mode != "COMPLIANCE":
		return invalidEnum("objectRetentionMode", mode)
	}
	return nil
}

// checkStoreValues checks the values with documented rules.
func checkStoreValues(_ *Emulator, _ StoreKind, store, _ map[string]any) *refusal {
	if concern, ok := store["writeConcern"].(string); ok && !slices.Contains([]string{"ACKNOWLEDGED", "W2", "JOURNALED", "MAJORITY"}, concern) {
		return invalidEnum("writeConcern", concern)
	}
	if uri, ok := store["uri"].(string); ok && !strings.HasPrefix(uri, "mongodb://") && !strings.HasPrefix(uri, "mongodb+srv://") {
		return refuse(http.StatusBadRequest, "INVALID_ATTRIBUTE", "The attribute uri is not a connection string.", "uri") // no error code is documented
	}
	if path, ok := store["storePath"].(string); ok && !strings.HasPrefix(path, "/") {
		return refuse(http.StatusBadRequest, "BACKUP_INVALID_FS_PATH", "The path "+path+" is invalid.", path)
	}
	return nil
}

// checkOIDC checks the fields that a method of OpenID Connect requires.
func checkOIDC(_ *Emulator, _ StoreKind, store, _ map[string]any) *refusal {
	oidc, ok := store["oidc"].(map[string]any)
	if !ok {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(oidc)) {
		isValid, known := oidcFields[name]
		switch {
		case !known:
			return invalidAttribute("oidc." + name)
		case !isValid(oidc[name]):
			return invalidType("oidc." + name)
		}
	}
	if oidc["enabled"] != true {
		return nil
	}
	method, _ := oidc["method"].(string)
	required, known := oidcMethods[method]
	if !known {
		return invalidEnum("oidc.method", method)
	}
	for _, name := range required {
		if oidc[name] == nil || oidc[name] == "" {
			return missingAttribute("oidc." + name)
		}
	}
	return nil
}

var oidcFields = map[string]func(any) bool{
	"enabled": isBoolean, "method": isText, "tokenUri": isText, "clientId": isText, "clientSecret": isText, "scope": isText, "tokenResource": isText,
}

var oidcMethods = map[string][]string{
	"callback": {"tokenUri", "clientId", "clientSecret"}, "azure": {"tokenResource"}, "gcp": {"tokenResource"}, "k8s": {},
}

// checkS3 checks an S3 store, and tests its bucket. Each write tests the bucket.
func checkS3(e *Emulator, _ StoreKind, store, _ map[string]any) *refusal {
	bucket, ok := store["s3BucketName"].(string)
	if !ok {
		return nil
	}
	switch method := store["s3AuthMethod"]; {
	case store["acceptedTos"] != true:
		return refuse(http.StatusConflict, "BACKUP_S3_TOS_NOT_ACCEPTED", "The terms of service of S3 storage must be accepted.")
	case strings.Contains(bucket, "/") && e.version.since(version{8, 0, 10}):
		return refuse(http.StatusBadRequest, "INVALID_ATTRIBUTE", "The attribute s3BucketName must not contain a slash.", "s3BucketName") // no error code is documented
	case method != "KEYS" && method != "IAM_ROLE":
		text, _ := method.(string)
		return invalidEnum("s3AuthMethod", text)
	case method == "KEYS":
		for _, name := range []string{"awsAccessKey", "awsSecretKey"} {
			if store[name] == nil || store[name] == "" {
				return missingAttribute(name)
			}
		}
	}
	if endpoint, _ := store["s3BucketEndpoint"].(string); strings.Contains(endpoint, Unreachable) {
		return refuse(http.StatusConflict, "BACKUP_S3_CONNECTION_FAILED", "Could not connect to the bucket "+bucket+" at "+endpoint+".")
	}
	if e.failingProbes == 0 {
		return nil
	}
	if e.failingProbes > 0 {
		e.failingProbes--
	}
	code := "BACKUP_S3_VALIDATION_FAILED"
	if e.options.Unknowns.DashedProbeCode {
		code = "BACKUP-S3-VALIDATION_FAILED"
	}
	return refuse(http.StatusConflict, code, "Validation of the bucket "+bucket+" failed: delete after put: 403 Forbidden.")
}

// Unreachable is a part of the hosts that the emulated Ops Manager cannot connect to.
const Unreachable = "unreachable"

// checkConnections tests the connection to the database of a store.
func checkConnections(_ *Emulator, _ StoreKind, store, _ map[string]any) *refusal {
	if uri, _ := store["uri"].(string); strings.Contains(uri, Unreachable) {
		return refuse(http.StatusConflict, "BACKUP_MONGO_CONNECTION_FAILED", "Could not connect to the database of the store.")
	}
	return nil
}

// FailProbes makes the next probes of buckets fail. Each create and update of an S3 store
// has one. A negative number makes all fail.
func (e *Emulator) FailProbes(count int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failingProbes = count
}

// readStore returns the response to a read of a store. The used size of a store that is in
// use grows with each read.
func (e *Emulator) readStore(kind StoreKind, store map[string]any) map[string]any {
	id, _ := store["id"].(string)
	if len(e.state.StoreBindings[kind][id]) > 0 {
		size, _ := store["usedSize"].(float64)
		store = merge(store, map[string]any{"usedSize": size + 1})
		e.state.putStore(kind, store)
	}
	return e.storeDocument(kind, store)
}

// storeDocument returns a store as in a response: with links and defaults, its labels in
// another order, and its secrets masked if this version does that.
func (e *Emulator) storeDocument(kind StoreKind, store map[string]any) map[string]any {
	document := merge(map[string]any{"links": []any{}}, store)
	e.setStoreDefaults(kind, document)
	for name, f := range storeKinds[kind].fields {
		if !e.version.since(f.since) {
			delete(document, name)
		}
	}
	if !e.version.since(version{8, 0, 27}) {
		delete(document, "objectLockEnabledAt")
	}
	if labels, ok := document["labels"].([]any); ok {
		slices.SortFunc(labels, func(a, b any) int {
			return strings.Compare(b.(string), a.(string)) //nolint:forcetypeassert // checked when they were stored
		})
	}
	e.maskSecrets(document)
	return document
}

const redacted = "[REDACTED]"

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
			if _, hosts, found := cutLast(rest, "@"); found {
				document["uri"] = scheme + "://REDACTED:REDACTED@" + hosts
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

// cutLast cuts a text around the last instance of a separator.
func cutLast(text, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[:i], text[i+len(separator):], true
	}
	return text, "", false
}

func isText(value any) bool { _, ok := value.(string); return ok }

func isBoolean(value any) bool { _, ok := value.(bool); return ok }

func isObject(value any) bool { _, ok := value.(map[string]any); return ok }

// isPositive reports whether a value is a whole number above 0.
func isPositive(value any) bool {
	number, ok := value.(json.Number)
	if !ok {
		return false
	}
	n, err := number.Int64()
	return err == nil && n > 0
}

func isListOfTexts(value any) bool {
	elements, ok := value.([]any)
	return ok && !slices.ContainsFunc(elements, func(e any) bool { return !isText(e) })
}

func isListOfCertificates(value any) bool {
	elements, ok := value.([]any)
	return ok && !slices.ContainsFunc(elements, func(e any) bool {
		certificate, ok := e.(map[string]any)
		return !ok || len(certificate) != 2 || !isText(certificate["filename"]) || !isText(certificate["certString"])
	})
}

// BackupStore returns a copy of a store, with its secrets, or nil if there is none.
func (e *Emulator) BackupStore(kind StoreKind, id string) map[string]any {
	e.mu.Lock()
	defer e.mu.Unlock()
	return copyDocument(e.state.store(kind, id))
}

// SetBackupStore creates a store or sets fields of it, without validation. A nil value
// deletes the field.
func (e *Emulator) SetBackupStore(kind StoreKind, id string, fields map[string]any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	store := merge(e.state.store(kind, id), fields)
	store["id"] = id
	e.state.putStore(kind, store)
}

// RemoveBackupStore removes a store, even if it is in use.
func (e *Emulator) RemoveBackupStore(kind StoreKind, id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state.removeStore(kind, id)
}

// UseBackupStore replaces what uses a store, such as the backups of a project. Without
// names, the store is unused.
func (e *Emulator) UseBackupStore(kind StoreKind, id string, by ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state.store(kind, id) == nil {
		panic(fmt.Sprintf("emulator: no store %q of %s", id, kind))
	}
	if e.state.StoreBindings[kind] == nil {
		e.state.StoreBindings[kind] = map[string][]string{}
	}
	e.state.StoreBindings[kind][id] = slices.Clone(by)
}

func (s *Seed) storeIndex(kind StoreKind, id string) int {
	return slices.IndexFunc(s.BackupStores[kind], func(store map[string]any) bool { return store["id"] == id })
}

func (s *Seed) store(kind StoreKind, id string) map[string]any {
	i := s.storeIndex(kind, id)
	if i < 0 {
		return nil
	}
	return s.BackupStores[kind][i]
}

func (s *Seed) putStore(kind StoreKind, store map[string]any) {
	id, _ := store["id"].(string)
	if i := s.storeIndex(kind, id); i >= 0 {
		s.BackupStores[kind][i] = store
		return
	}
	s.BackupStores[kind] = append(s.BackupStores[kind], store)
}

func (s *Seed) removeStore(kind StoreKind, id string) {
	if i := s.storeIndex(kind, id); i >= 0 {
		s.BackupStores[kind] = slices.Delete(s.BackupStores[kind], i, i+1)
	}
	delete(s.StoreBindings[kind], id)
}

// checkStores returns an error if a store has no ID or a duplicate one, or if the kind of
// one or what a binding refers to does not exist.
func (s *Seed) checkStores() error {
	for _, kind := range slices.Sorted(maps.Keys(s.BackupStores)) {
		if _, known := storeKinds[kind]; !known {
			return fmt.Errorf("backupStores: unknown kind %q", kind)
		}
		ids := map[string]bool{}
		for _, store := range s.BackupStores[kind] {
			id, _ := store["id"].(string)
			switch {
			case id == "":
				return fmt.Errorf("one of the %s has no ID", kind)
			case ids[id]:
				return fmt.Errorf("%s: duplicate ID %q", kind, id)
			}
			ids[id] = true
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(s.StoreBindings)) {
		for _, id := range slices.Sorted(maps.Keys(s.StoreBindings[kind])) {
			if s.store(kind, id) == nil {
				return fmt.Errorf("storeBindings: %s has no %q", kind, id)
			}
		}
	}
	return nil
}

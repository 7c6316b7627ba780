package emulator

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// backupConfigChange validates a body and returns the fields that it changes.
func (e *Emulator) backupConfigChange(c *call) map[string]any {
	sent := c.bodyObject()
	const computed = "multiRegionMisconfigured"
	if e.options.Lenient && sent[computed] == c.cluster.BackupConfig[computed] { // clients send back what they read
		delete(sent, computed)
	}
	e.checkMembers("", sent, nil, backupConfigFields)
	c.takeIDs(sent)
	checkValues(c, sent)
	checkNamespaces(sent)
	e.checkCredentials(c.cluster, sent)
	e.checkDeploymentConfigs(c, sent)
	e.checkSyncSource(c.cluster.BackupConfig, sent)
	return sent
}

var hostAndPort = regexp.MustCompile(`^[^:\s]+:\d+$`)

func checkValues(c *call, sent map[string]any) {
	// PRIMARY and primary are both in use.
	source, hasSource := sent["syncSource"].(string)
	isRole := slices.Contains([]string{"PRIMARY", "SECONDARY"}, strings.ToUpper(source))
	if hasSource && !isRole && !hostAndPort.MatchString(source) {
		panic(invalidEnum("syncSource", source))
	}
	// It is not documented how to remove the preferred member, nor the response to an unknown one.
	member, ok := sent["preferredMember"].(string)
	isOther := len(c.cluster.Members) > 0 && !slices.Contains(c.cluster.Members, member)
	if ok && member != "" && (!hostAndPort.MatchString(member) || isOther) {
		panic(refuse(http.StatusBadRequest, "MISSING_OR_INVALID_ATTRIBUTE", "The attribute preferredMember must be an available member.", "preferredMember"))
	}
}

// checkNamespaces checks the form of namespaces, and that only one list has elements.
func checkNamespaces(sent map[string]any) {
	filled := 0
	for _, name := range []string{"excludedNamespaces", "includedNamespaces"} {
		namespaces, _ := sent[name].([]any)
		for _, namespace := range namespaces {
			text, _ := namespace.(string)
			database, collection, hasCollection := strings.Cut(text, ".")
			isWrongDatabase := slices.Contains([]string{"", "admin", "local"}, database)
			isWrongCollection := hasCollection && (collection == "" || strings.HasPrefix(collection, "system"))
			if isWrongDatabase || isWrongCollection {
				// No error code is documented.
				detail := "The attribute " + name + " has the invalid namespace " + text + "."
				panic(refuse(http.StatusBadRequest, "MISSING_OR_INVALID_ATTRIBUTE", detail, name, text))
			}
		}
		filled += min(len(namespaces), 1)
	}
	if filled > 1 {
		panic(refuse(http.StatusBadRequest, "INVALID_FILTERLIST", "Only one of excludedNamespaces and includedNamespaces can have elements."))
	}
}

// checkCredentials checks how Ops Manager authenticates to the cluster.
func (e *Emulator) checkCredentials(cluster *Cluster, sent map[string]any) {
	invalid := func(code, detail string) *refusal {
		return refuse(http.StatusBadRequest, code, detail)
	}
	mechanism, mechanismSent := sent["authMechanismName"].(string)
	username, usernameSent := sent["username"].(string)
	_, passwordSent := sent["password"]
	after := func(name string) any {
		if value, ok := sent[name]; ok {
			return value
		}
		return cluster.BackupConfig[name]
	}
	if mechanismSent && !slices.Contains([]string{"NONE", "MONGODB_CR", "GSSAPI", "PLAIN", "MONGODB_X509"}, mechanism) {
		panic(invalid("INVALID_AUTH_MECHANISM", "Invalid authentication mechanism "+mechanism+"."))
	}
	credentialsSent := usernameSent || passwordSent || mechanismSent && mechanism != "NONE"
	if credentialsSent && !cluster.Unmanaged {
		panic(refuse(http.StatusConflict, "CANNOT_SET_BACKUP_AUTH_FOR_MANAGED_CLUSTER", "Cannot set the credentials of cluster "+cluster.ID+" because it is managed by Automation.", cluster.ID))
	}
	if after("authMechanismName") == "MONGODB_X509" && after("sslEnabled") != true {
		panic(invalid("AUTH_MECHANISM_REQUIRES_SSL", "The authentication mechanism MONGODB_X509 requires TLS."))
	}
	takesCredentials := after("authMechanismName") == "MONGODB_CR" || after("authMechanismName") == "PLAIN"
	switch {
	case !takesCredentials && usernameSent:
		panic(invalid("CANNOT_SET_CREDENTIALS_FOR_AUTH_MECHANISM", "The username and password can be set only for MONGODB_CR and PLAIN."))
	case !takesCredentials && passwordSent:
		panic(invalid("CANNOT_SET_PASSWORD_FOR_AUTH_MECHANISM", "The password can be set only for MONGODB_CR and PLAIN."))
	case !takesCredentials:
		return
	case cluster.BackupConfig["username"] == nil && (!usernameSent || !passwordSent):
		if !mechanismSent && !usernameSent && !passwordSent {
			return // a seed without credentials
		}
		panic(invalid("MISSING_CREDENTIALS_FOR_AUTH_MECHANISM", "The authentication mechanism requires a username and a password."))
	case usernameSent && username != cluster.BackupConfig["username"] && !passwordSent:
		panic(invalid("MISSING_PASSWORD", "A new username requires a password."))
	}
}

// checkDeploymentConfigs checks the regions of shards. After a region has been assigned, it cannot be
// changed until the backup is terminated. Error codes other than those for active jobs and for unknown
// regions are not documented.
func (e *Emulator) checkDeploymentConfigs(c *call, sent map[string]any) {
	configs := objectsIn(sent["deploymentConfigs"])
	if sent["deploymentConfigs"] == nil {
		return
	}
	if _, ok := sent["multiRegionBackupEnabled"]; !ok {
		panic(missingAttribute("multiRegionBackupEnabled"))
	}
	shards := c.project.replicaSetNames(c.cluster)
	assigned := regionsOfShards(c.cluster.BackupConfig)
	for _, config := range configs {
		rsID := fmt.Sprint(config["rsId"])
		id := fmt.Sprint(config["deploymentId"])
		switch {
		case !slices.Contains(shards, rsID):
			detail := "Cluster " + c.cluster.ID + " has no shard " + rsID + "."
			panic(refuse(http.StatusBadRequest, "MISSING_OR_INVALID_ATTRIBUTE", detail, "rsId", rsID))
		case e.state.regions().find(id) == nil:
			panic(refuse(http.StatusNotFound, "BACKUP_DEPLOYMENT_NOT_FOUND", "No deployment region with ID "+id+" exists.", id))
		case assigned[rsID] != "" && assigned[rsID] != id && c.cluster.BackupConfig["statusName"] != "INACTIVE":
			panic(refuse(http.StatusConflict, "BACKUP_ACTIVE_BACKUP_JOBS", "The deployment region of "+rsID+" cannot be changed while it has backup jobs.", rsID))
		}
	}
}

// replicaSetNames returns the names of the shards of a sharded cluster, or the name of a replica set.
func (p *Project) replicaSetNames(cluster *Cluster) []string {
	if !cluster.sharded() {
		return []string{cluster.ReplicaSetName}
	}
	var names []string
	for _, shard := range p.Clusters {
		if shard.ShardOf == cluster.ID && shard.TypeName == "REPLICA_SET" {
			names = append(names, shard.ReplicaSetName)
		}
	}
	return names
}

// regionsOfShards returns the region of each shard in a configuration.
func regionsOfShards(config map[string]any) map[string]string {
	regions := map[string]string{}
	for _, assignment := range objectsIn(config["deploymentConfigs"]) {
		regions[fmt.Sprint(assignment["rsId"])] = fmt.Sprint(assignment["deploymentId"])
	}
	return regions
}

// checkSyncSource refuses a change that requires a sync source and has none.
func (e *Emulator) checkSyncSource(stored, sent map[string]any) {
	if _, ok := sent["syncSource"]; ok {
		return
	}
	var because string
	switch engine, ok := sent["storageEngineName"]; {
	// Clients send back what they read.
	case e.options.Lenient && ok && engine == stored["storageEngineName"] && stored["statusName"] != "INACTIVE":
		return
	case ok && (engine == "WIRED_TIGER" || engine != stored["storageEngineName"]):
		because = "storageEngineName"
	case sent["encryptionEnabled"] == true && stored["encryptionEnabled"] != true:
		because = "encryptionEnabled"
	case e.needsResync(stored, sent):
		because = "a namespace that was not backed up before"
	default:
		return
	}
	panic(refuse(http.StatusConflict, "MISSING_SYNC_SOURCE", "The change of "+because+" requires the attribute syncSource.", "syncSource"))
}

// needsResync reports whether a change of the namespaces requires a resync. The
// documentation does not say so for excluded namespaces that replace included ones.
func (e *Emulator) needsResync(stored, sent map[string]any) bool {
	contains := func(list []string) func(string) bool {
		return func(namespace string) bool { return slices.Contains(list, namespace) }
	}
	if _, ok := sent["excludedNamespaces"]; ok {
		before := e.namespaces(stored, "excludedNamespaces")
		after := e.namespaces(sent, "excludedNamespaces")
		replacesIncluded := len(after) > 0 && len(e.namespaces(stored, "includedNamespaces")) > 0
		if removes := len(slices.DeleteFunc(before, contains(after))) > 0; removes || replacesIncluded {
			return true
		}
	}
	before := e.namespaces(stored, "includedNamespaces")
	after := e.namespaces(sent, "includedNamespaces")
	adds := len(slices.DeleteFunc(after, contains(before))) > 0
	return adds
}

// applyBackupConfig stores the fields of a change, except for the status.
func applyBackupConfig(project *Project, cluster *Cluster, sent map[string]any) {
	before := cluster.BackupConfig
	fields := maps.Clone(sent)
	delete(fields, "statusName")
	for name, other := range map[string]string{"excludedNamespaces": "includedNamespaces", "includedNamespaces": "excludedNamespaces"} {
		if namespaces, _ := sent[name].([]any); len(namespaces) > 0 {
			fields[other] = []any{}
		}
	}
	if sent["preferredMember"] == "" {
		fields["preferredMember"] = nil
	}
	if mechanism, ok := sent["authMechanismName"]; ok && mechanism != "MONGODB_CR" && mechanism != "PLAIN" {
		fields["username"] = nil
	}
	if _, ok := sent["deploymentConfigs"]; ok {
		regions := regionsOfShards(before)
		maps.Copy(regions, regionsOfShards(sent))
		configs := []any{}
		for _, rsID := range slices.Sorted(maps.Keys(regions)) {
			configs = append(configs, map[string]any{"rsId": rsID, "deploymentId": regions[rsID]})
		}
		fields["deploymentConfigs"] = configs
	}
	cluster.BackupConfig = merge(before, fields)
	if enabled, ok := sent["multiRegionBackupEnabled"].(bool); ok {
		regions := regionsOfShards(cluster.BackupConfig)
		lacksRegion := slices.ContainsFunc(project.replicaSetNames(cluster), func(rsID string) bool {
			return regions[rsID] == ""
		})
		cluster.BackupConfig = merge(cluster.BackupConfig, map[string]any{"multiRegionMisconfigured": enabled && lacksRegion})
	}
}

// backupConfigFields are the fields of a backup configuration. The meaning of provisioned in a
// request is not documented.
var backupConfigFields = members{
	"authMechanismName":                 {isValid: isText},
	"availableMembers":                  {readOnly: true},
	"clusterId":                         {isValid: isText},
	"deploymentConfigs":                 {isValid: isListOfObjects, nested: deploymentConfigFields, since: version{7, 0, 4}},
	"disableCertificateRevocationCheck": {isValid: isBoolean, since: version{8, 0, 27}},
	"encryptionEnabled":                 {isValid: isBoolean},
	"excludedNamespaces":                {isValid: isListOfTexts},
	"groupId":                           {isValid: isText},
	"includedNamespaces":                {isValid: isListOfTexts},
	"links":                             {isValid: isList, ignored: true},
	"multiRegionBackupEnabled":          {isValid: isBoolean, since: version{7, 0, 4}},
	"multiRegionMisconfigured":          {readOnly: true, since: version{7, 0, 4}},
	"password":                          {isValid: isText, secret: true},
	"preferredMember":                   {isValid: isText},
	"provisioned":                       {isValid: isBoolean, ignored: true},
	"snapshotStore":                     {isValid: isObject, nested: snapshotStoreFields, since: version{8, 0, 6}},
	"sslEnabled":                        {isValid: isBoolean},
	"statusName":                        {values: []string{"INACTIVE", "PROVISIONING", "STARTED", "STOPPED", "TERMINATING"}},
	"storageEngineName":                 {values: []string{"WIRED_TIGER", "MEMORY_MAPPED"}},
	"syncSource":                        {isValid: isText},
	"username":                          {isValid: isText},
}

var (
	snapshotStoreFields = members{
		"snapshotStoreId": {
			isValid:  isText,
			required: true,
		},
		"snapshotStoreType": {
			values:   []string{"s3blockstore"},
			required: true,
		},
	}
	deploymentConfigFields = members{"deploymentId": {isValid: isText, required: true}, "rsId": {isValid: isText, required: true}}
)

// namespaces returns a copy of a list of namespaces of a configuration.
func (e *Emulator) namespaces(config map[string]any, name string) []string {
	namespaces := []string{}
	if e.options.Unknowns.IgnoresNamespaces {
		return namespaces
	}
	for _, element := range get[[]any](config, name) {
		namespaces = append(namespaces, fmt.Sprint(element))
	}
	return namespaces
}

package emulator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
)

// automationConfigFields are the members of an automation configuration that the documentation or
// MongoDB's clients have, and what tells whether a value has the right type.
var automationConfigFields = func() members {
	isVersion := func(value any) bool {
		number, ok := value.(json.Number)
		return ok && wholeVersion(number) > 0
	}
	fields := members{"version": {isValid: isVersion}, "uiBaseUrl": {isValid: isText}}
	for _, name := range []string{
		"agentVersion",
		"auth",
		"balancer",
		"clusterWideConfigurations",
		"filebeat",
		"kerberos",
		"ldap",
		"mongoDbToolsVersion",
		"options",
		"prometheus",
		"ssl",
		"tls",
	} {
		fields[name] = member{isValid: isObject}
	}
	for _, name := range []string{
		"atlasProxies",
		"atlasUISes",
		"backupVersions",
		"cpsModules",
		"dbCheckModules",
		"indexConfigs",
		"maintainedEnvoys",
		"maintainedMongotunes",
		"maintainedOplogInjectors",
		"maintainedRamis",
		"mongoDbVersions",
		"mongosqlds",
		"mongots",
		"monitoringVersions",
		"oidcProviderConfigs",
		"onlineArchiveModules",
		"processes",
		"replicaSets",
		"roles",
		"serverlessStateCacheMaintainers", "sharding",
	} {
		fields[name] = member{isValid: isList}
	}
	return fields
}()

var automationConfigType = resourceType{
	routes: func(e *Emulator) []route {
		const one = "/groups/{project}/automationConfig"
		return []route{
			{http.MethodGet, one, uncopied | forAutomation, singleQuery, e.getAutomationConfig},
			{http.MethodPut, one, uncopied | forAutomation, singleQuery, e.putAutomationConfig},
			{http.MethodGet, "/groups/{project}/automationStatus", uncopied, singleQuery, e.getAutomationStatus},
		}
	},
	check: func(s *Seed) error {
		for _, project := range s.Projects {
			_, err := partsOf(project.AutomationConfig, '{')
			if err != nil && len(project.AutomationConfig) > 0 {
				return fmt.Errorf("project %s: automationConfig: %w", project.ID, err)
			}
		}
		return nil
	},
	project: func(d *documents, p *Project) {
		if len(p.AutomationConfig) > 0 {
			known := members{"content": {secret: true}}
			d.add(known, map[string]any{"content": string(p.AutomationConfig)}, "the automation configuration")
		}
	},
}

// requireAutomationConfig refuses a call if a project has no automation configuration.
func (p *Project) requireAutomationConfig() {
	if len(p.AutomationConfig) == 0 {
		panic(refuse(http.StatusNotFound, "AUTOMATION_CONFIG_NOT_FOUND", "No automation configuration exists for group "+p.ID+".", p.ID))
	}
}

func (e *Emulator) getAutomationConfig(c *call) any {
	c.project.requireAutomationConfig()
	return rawDocument(c.project.AutomationConfig)
}

// putAutomationConfig replaces the whole document. The server sets its version, and completes new
// elements of backupVersions. Everything else stays as it was sent, byte for byte.
func (e *Emulator) putAutomationConfig(c *call) any {
	c.project.requireAutomationConfig()
	project := c.project
	e.checkLock(project, c.body)
	e.checkAutomationConfig(project, c.body)
	e.publish(project, c.body)
	return rawDocument(project.AutomationConfig)
}

// checkAutomationConfig refuses a document that cannot replace that of a project. The whole
// document is checked. Errors in the contents have no code, as observed.
func (e *Emulator) checkAutomationConfig(project *Project, document []byte) {
	all, err := partsOf(document, '{')
	if err != nil {
		panic(refuse(http.StatusBadRequest, "INVALID_JSON", "The body is not a JSON object."))
	}
	stored, _ := partsOf(project.AutomationConfig, '{')
	for _, p := range all {
		field, isKnown := automationConfigFields[p.name]
		isKnown = isKnown || slices.ContainsFunc(stored, func(s jsonPart) bool {
			return s.name == p.name
		})
		var value any
		decoder := json.NewDecoder(bytes.NewReader(p.in(document)))
		decoder.UseNumber()
		switch err := decoder.Decode(&value); {
		case !isKnown && !e.options.Unknowns.IgnoresUnknownFields:
			panic(invalidAttribute(p.name))
		// MongoDB's command line sends null for an empty list.
		case err != nil, value != nil && field.isValid != nil && !field.isValid(value):
			panic(invalidType(p.name))
		}
	}
	sent, current := versionOf(document), versionOf(project.AutomationConfig)
	if sent != 0 && sent < current && !e.options.Unknowns.IgnoresAutomationVersion {
		panic(refuse(http.StatusConflict, "AUTOMATION_CONFIG_CONCURRENT_MODIFICATION", "Another session or user has already published changes."))
	}
	for _, element := range modulesIn(document) {
		if hostname, _ := element.fields["hostname"].(string); hostname == "" {
			panic(refuse(http.StatusBadRequest, "", "Invalid config: Each backup agent must have a hostname."))
		}
	}
}

// publish stores a document with the next version, and lets the agents follow it.
func (e *Emulator) publish(project *Project, document []byte) {
	next := versionOf(project.AutomationConfig) + 1
	document = completeModules(withVersion(document, next), project.AutomationConfig)
	project.AutomationConfig = bytes.Clone(document)
	e.followModules(project)
}

// moduleVersion is the version of the modules of all agents.
const moduleVersion = "108.0.12.8846-1"

// completeModules returns a document whose new elements of backupVersions have the version of the
// agent, and a base URL that is null, as observed.
func completeModules(document, before []byte) []byte {
	had := hostnames(modulesIn(before))
	for _, element := range slices.Backward(modulesIn(document)) {
		if hostname, _ := element.fields["hostname"].(string); slices.Contains(had, hostname) {
			continue
		}
		text := element.in(document)
		if name, ok := findMember(text, "name"); ok {
			text = splice(text, name, strconv.Quote(moduleVersion))
		} else {
			text = insertMember(text, "name", strconv.Quote(moduleVersion))
		}
		if _, ok := findMember(text, "baseUrl"); !ok {
			text = insertMember(text, "baseUrl", "null")
		}
		document = splice(document, element.jsonPart, string(text))
	}
	return document
}

// getAutomationStatus returns the version that each process has achieved: the newest one, or -1 if there is no
// agent that runs on its host.
func (e *Emulator) getAutomationStatus(c *call) any {
	c.project.requireAutomationConfig()
	version := versionOf(c.project.AutomationConfig)
	processes := documentList{}
	for _, one := range c.project.processes() {
		status := map[string]any{
			"hostname":                one.Hostname,
			"name":                    one.Name,
			"plan":                    []string{},
			"lastGoalVersionAchieved": version,
		}
		if agent := c.project.agent(one.Hostname); agent == nil || agent.Down != "" {
			status["lastGoalVersionAchieved"] = -1
		}
		processes = append(processes, status)
	}
	return map[string]any{"goalVersion": version, "processes": []map[string]any(processes)}
}

// AutomationConfig returns the automation configuration of a project, byte for byte, or nil if there is none.
func (e *Emulator) AutomationConfig(projectID string) []byte {
	defer e.lock()()
	return bytes.Clone(cmp.Or(e.state.project(projectID), &Project{}).AutomationConfig)
}

// SetAutomationConfig replaces the automation configuration of a project, byte for byte. nil removes it.
func (e *Emulator) SetAutomationConfig(projectID string, document []byte) {
	defer e.lock()()
	project := e.mustProject(projectID)
	project.AutomationConfig = bytes.Clone(document)
	e.followModules(project)
}

// PublishAutomationConfig changes the automation configuration of a project as another client does
// that is faster than all others: it gets the current document, its result is not checked, and the
// version rises by one. change must not call the emulator.
func (e *Emulator) PublishAutomationConfig(projectID string, change func(document []byte) []byte) {
	defer e.lock()()
	project := e.mustProject(projectID)
	e.publish(project, change(bytes.Clone(project.AutomationConfig)))
}

// checkLock refuses a call if an external system keeps others from replacing the automation
// configuration of a project.
func (e *Emulator) checkLock(project *Project, document []byte) {
	for _, policy := range objectsIn(project.ControlledFeature["policies"]) {
		switch policy["policy"] {
		case externalLock, externalLockOfExample:
		case noBackupAgent:
			before := hostnames(modulesIn(project.AutomationConfig))
			after := hostnames(modulesIn(document))
			slices.Sort(before)
			slices.Sort(after)
			if slices.Equal(before, after) {
				continue
			}
		default:
			continue
		}
		panic(notAuthorized())
	}
}

// versionOf returns the version of an automation configuration, or 0 if it has none.
func versionOf(document []byte) int {
	version, _ := findMember(document, "version")
	return wholeVersion(json.Number(version.in(document)))
}

// wholeVersion returns a positive whole number in any notation of JSON, or 0.
func wholeVersion(number json.Number) int {
	if n, err := strconv.Atoi(number.String()); err == nil {
		return max(n, 0)
	}
	if n, err := number.Float64(); err == nil && n == math.Trunc(n) && n > 0 && n < 1<<53 {
		return int(n)
	}
	return 0
}

// withVersion returns an automation configuration with a different version.
func withVersion(document []byte, version int) []byte {
	text := strconv.Itoa(version)
	if p, ok := findMember(document, "version"); ok {
		return splice(document, p, text)
	}
	if all, _ := partsOf(document, '{'); len(all) > 0 {
		return insertMember(document, "version", text)
	}
	return []byte(`{"version":` + text + `}`)
}

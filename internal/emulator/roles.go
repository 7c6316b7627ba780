package emulator

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// apiKey is an API key with roles. A key without any, which is that of the options by default, may call everything.
//
// Which role a call needs is from the pages of the calls and of the roles, and from what was observed:
// https://www.mongodb.com/docs/ops-manager/current/reference/user-roles/
type apiKey struct {
	public string
	grants []grant
}

// grant is a role, in a project if it is a role of projects.
type grant struct{ role, project string }

// The roles that calls need. Each includes the owners, and a global role includes that of a project in all projects.
const (
	anyRole         = ""
	backupAdmin     = "BACKUP_ADMIN"
	automationAdmin = "AUTOMATION_ADMIN"
	monitoringAdmin = "MONITORING_ADMIN"
	reader          = "READ_ONLY"
	projectOwner    = "OWNER"
)

const exampleOfKeys = "reader:GROUP_READ_ONLY@64f0c2a19b3d5e7f80a1b2c3 or admin:GLOBAL_BACKUP_ADMIN"

// parseKey parses a key as in PUBLIC:GROUP_READ_ONLY@PROJECT+GLOBAL_BACKUP_ADMIN.
func parseKey(text string) (key apiKey, err error) {
	public, roles, _ := strings.Cut(text, ":")
	key.public = public
	for role := range strings.SplitSeq(roles, "+") {
		name, project, hasProject := strings.Cut(role, "@")
		kind, rest, _ := strings.Cut(name, "_")
		isKnown := slices.Contains([]string{backupAdmin, automationAdmin, monitoringAdmin, reader, projectOwner}, rest)
		if public == "" || !isKnown || kind != "GROUP" && kind != "GLOBAL" || hasProject != (kind == "GROUP") {
			return key, fmt.Errorf("%q is no key with roles, such as %s", text, exampleOfKeys)
		}
		key.grants = append(key.grants, grant{name, strings.ToLower(project)})
	}
	return key, nil
}

// keyOf returns the key of a request, or nil if it may call everything.
func (o Options) keyOf(public string) *apiKey {
	for _, text := range o.Keys {
		if key, err := parseKey(text); err == nil && key.public == public {
			return &key
		}
	}
	return nil
}

// has reports whether a key has a role in a project.
func (k *apiKey) has(role, project string) bool {
	return k == nil || k.hasGlobal(role) || slices.ContainsFunc(k.grants, func(g grant) bool {
		return g.project == project && (role == anyRole || g.role == "GROUP_"+role || g.role == "GROUP_"+projectOwner)
	})
}

// hasGlobal reports whether a key has a role in all projects, and for all of Ops Manager.
func (k *apiKey) hasGlobal(role string) bool {
	return k == nil || slices.ContainsFunc(k.grants, func(g grant) bool {
		return g.project == "" && (role == anyRole || g.role == "GLOBAL_"+role || g.role == "GLOBAL_"+projectOwner)
	})
}

// authorize refuses a call whose key lacks the role. If no source says which role a call needs, it is allowed, and recorded
// as such.
func (e *Emulator) authorize(route route, c *call) {
	if c.key == nil {
		return
	}
	if c.project != nil && !c.key.has(anyRole, c.project.ID) {
		detail := "The current user is not in the group, or there is no group with ID " + c.project.ID + "."
		panic(refuse(http.StatusUnauthorized, "NOT_IN_GROUP", detail, c.project.ID))
	}
	allowed, isKnown := c.key.allows(route, c.project)
	if !isKnown {
		c.record.IsRoleUnknown = true
	} else if !allowed {
		panic(notAuthorized())
	}
}

// allows reports whether a key may call a route, and whether that is known.
func (k *apiKey) allows(route route, project *Project) (allowed, isKnown bool) {
	switch {
	case route.traits&forUnknownRole != 0:
		return true, false
	case strings.HasPrefix(route.pattern, "/admin/") && route.method == http.MethodGet && k.hasGlobal(reader) && !k.hasGlobal(backupAdmin):
		return true, false // as the console, which shows it
	case strings.HasPrefix(route.pattern, "/admin/"), route.traits&forGlobalBackups != 0:
		return k.hasGlobal(backupAdmin), true
	case project == nil, route.method == http.MethodGet && route.traits&forAutomation == 0:
		return true, true
	case route.traits&forTimeRanges != 0:
		return k.has(backupAdmin, project.ID) || k.hasGlobal(reader), true
	case route.traits&forAutomation != 0:
		return k.has(automationAdmin, project.ID), true
	case route.traits&forMonitoring != 0:
		return k.has(monitoringAdmin, project.ID), true
	}
	return k.has(backupAdmin, project.ID), true
}

package emulator

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// daemonFields are the fields of a daemon. restoreJobsEnabled is not among them: only the tests of
// MongoDB's SDK mention it.
var daemonFields = members{
	"id":                          {isValid: isText},
	"links":                       {readOnly: true},
	"machine":                     {isValid: isObject, nested: machineFields, required: true},
	"configured":                  {isValid: isBoolean},
	"assignmentEnabled":           {isValid: isBoolean},
	"backupJobsEnabled":           {isValid: isBoolean},
	"garbageCollectionEnabled":    {isValid: isBoolean},
	"resourceUsageEnabled":        {isValid: isBoolean},
	"restoreQueryableJobsEnabled": {isValid: isBoolean},
	"headDiskType":                {values: []string{"HDD", "SSD"}},
	"numWorkers":                  {isValid: isPositive},
	"labels":                      {isValid: isListOfTexts},
}

// filtersDaemons is the version that introduced backupJobsEnabledOnly.
var filtersDaemons = version{6, 0, 21}

// machineFields identify a daemon.
var machineFields = members{"machine": {isValid: isText, required: true}, "headRootDirectory": {isValid: isText}}

var backupDaemonType = resourceType{
	// The documentation of the first configuration ends its path with a slash, and that of the
	// others does not.
	routes: func(e *Emulator) []route {
		const all = "/admin/backup/daemon/configs"
		const machine = all + "/{machine}"
		const one = machine + "/{directory}"
		query := listQuery
		if e.version.since(filtersDaemons) {
			query = append([]string{"backupJobsEnabledOnly"}, listQuery...)
		}
		return []route{
			{http.MethodGet, all, 0, query, e.listDaemons},
			{http.MethodPut, machine, 0, singleQuery, e.configureDaemon},
			{http.MethodDelete, machine, 0, singleQuery, e.deleteDaemon},
			{http.MethodGet, one, 0, singleQuery, e.getDaemon},
			{http.MethodPut, one, 0, singleQuery, e.putDaemon},
			{http.MethodDelete, one, 0, singleQuery, e.deleteDaemon},
		}
	},
	check: func(s *Seed) error { return s.daemons().check() },
	complete: func(e *Emulator) {
		for _, daemon := range e.state.BackupDaemons {
			if !isAsRead(daemon) {
				e.setDaemonDefaults(daemon)
			}
		}
	},
	server: func(d *documents, s *Seed) {
		for _, daemon := range s.BackupDaemons {
			machine, directory := daemonKey(daemon)
			if directory == "" {
				d.add(daemonFields, daemon, "the backup daemon %q without a head directory", machine)
				continue
			}
			d.add(daemonFields, daemon, "the backup daemon %q with the head directory %q", machine, directory)
		}
	},
}

// listDaemons lists the daemons. By default, it leaves out those that take no backups, since the
// version that introduced the parameter.
func (e *Emulator) listDaemons(c *call) any {
	enabledOnly := c.flag("backupJobsEnabledOnly", e.version.since(filtersDaemons))
	for _, machine := range slices.Sorted(maps.Keys(e.state.StartingDaemons)) {
		e.registers(machine)
	}
	daemons := documentList{}
	for _, daemon := range e.state.BackupDaemons {
		if !enabledOnly || daemon["backupJobsEnabled"] == true {
			daemons = append(daemons, administered(daemon))
		}
	}
	return daemons
}

func (e *Emulator) getDaemon(c *call) any {
	e.registers(c.vars["machine"])
	return administered(e.findDaemon(c))
}

// configureDaemon configures a daemon for the first time. Its process must be registered.
func (e *Emulator) configureDaemon(c *call) any {
	machine := c.vars["machine"]
	if !e.registers(machine) {
		panic(e.noDaemon(c))
	}
	daemon := e.daemonInBody(c, machine, "", e.state.daemons().find(bindingOf(machine, "")))
	e.state.daemons().remove(bindingOf(machine, ""))
	e.state.daemons().put(daemon)
	return administered(daemon)
}

// putDaemon replaces a daemon. Fields that the body lacks get their defaults.
func (e *Emulator) putDaemon(c *call) any {
	e.registers(c.vars["machine"])
	before := e.findDaemon(c)
	daemon := e.daemonInBody(c, c.vars["machine"], c.vars["directory"], before)
	e.state.daemons().remove(bindingOf(c.vars["machine"], ""))
	e.state.daemons().put(daemon)
	return administered(daemon)
}

// deleteDaemon deletes the configuration of a daemon, unless backups are bound to it. Its
// process keeps running and registers again.
func (e *Emulator) deleteDaemon(c *call) any {
	machine := c.vars["machine"]
	directory := c.vars["directory"]
	if e.state.daemons().find(bindingOf(machine, directory)) == nil {
		return nil // observed on 8.0
	}
	if len(e.state.DaemonBindings[bindingOf(machine, directory)]) > 0 {
		detail := "Cannot remove daemon " + machine + " because it is used."
		panic(refuse(http.StatusConflict, "BACKUP_CANNOT_REMOVE_DAEMON_CONFIG", detail, machine))
	}
	e.state.daemons().remove(bindingOf(machine, directory))
	if !e.state.hasMachine(machine) {
		e.state.StartingDaemons[machine] = max(0, e.options.TransitionReads)
	}
	return nil
}

// registers reports whether the process on a machine is registered. A starting process
// registers after some requests.
func (e *Emulator) registers(machine string) bool {
	if requests, starting := e.state.StartingDaemons[machine]; starting {
		if requests > 0 {
			e.state.StartingDaemons[machine]--
			return false
		}
		delete(e.state.StartingDaemons, machine)
		daemon := map[string]any{"machine": map[string]any{"machine": machine}}
		e.setDaemonDefaults(daemon)
		e.state.daemons().put(daemon)
	}
	return e.state.hasMachine(machine)
}

// findDaemon returns the daemon that a request names. A daemon that was never configured
// has no directory.
func (e *Emulator) findDaemon(c *call) map[string]any {
	machine := c.vars["machine"]
	directory := c.vars["directory"]
	daemon := e.state.daemons().find(bindingOf(machine, directory))
	if daemon == nil && e.options.Unknowns.ReturnsUnconfiguredDaemons && c.Method != http.MethodDelete {
		daemon = e.state.daemons().find(bindingOf(machine, ""))
	}
	if daemon == nil {
		panic(e.noDaemon(c))
	}
	return daemon
}

// noDaemon returns the error for a daemon that is not registered. The code was observed for PUT.
func (e *Emulator) noDaemon(c *call) *refusal {
	code := "DAEMON_MACHINE_CONFIG_NOT_FOUND"
	machine := c.vars["machine"]
	if e.options.Unknowns.MissingDaemonHasNoCode && c.Method != http.MethodPut {
		code = ""
	}
	refused := refuse(http.StatusNotFound, code, "Daemon machine config "+machine+" not found.", machine)
	refused.bare = e.options.Unknowns.MissingDaemonHasNoBody
	return refused
}

// daemonInBody returns the daemon in the body, complete with defaults. Its machine must
// be the given one, and so must its directory if one is given. It keeps the ID of the one before.
func (e *Emulator) daemonInBody(c *call, machine, directory string, before map[string]any) map[string]any {
	daemon := merge(nil, e.checkedBody(c, before, daemonFields))
	sentMachine, sentDirectory := daemonKey(daemon)
	switch checksSlash := e.version.since(version{8, 0, 10}) || e.version.since(version{7, 0, 16}) && !e.version.since(version{8, 0, 0}); {
	case sentMachine != machine, directory != "" && sentDirectory != directory: // no error code is documented
		panic(refuse(http.StatusBadRequest, "INVALID_ATTRIBUTE", "The attribute machine does not match the path of the request.", "machine"))
	case sentDirectory == "" && directory == "" && daemon["configured"] == true:
		panic(missingAttribute("headRootDirectory"))
	case checksSlash && sentDirectory != "" && !strings.HasSuffix(sentDirectory, "/"): // no error code is documented
		panic(refuse(http.StatusBadRequest, "INVALID_ATTRIBUTE", "The attribute headRootDirectory must end with a slash.", "headRootDirectory"))
	}
	id, sent := daemon["id"]
	daemon = merge(daemon, map[string]any{"id": before["id"]})
	if e.setDaemonDefaults(daemon); sent && id != daemon["id"] {
		panic(refuse(http.StatusBadRequest, "BACKUP_WRONG_DAEMON_CONFIG_ID", fmt.Sprintf("The daemon does not have the ID %v.", id)))
	}
	return daemon
}

// setDaemonDefaults sets the fields that a daemon always has. The defaults are not documented.
func (e *Emulator) setDaemonDefaults(daemon map[string]any) {
	defaults := map[string]any{"configured": false, "labels": []any{}}
	for _, name := range []string{
		"assignmentEnabled",
		"backupJobsEnabled",
		"garbageCollectionEnabled",
		"resourceUsageEnabled",
		"restoreQueryableJobsEnabled",
	} {
		defaults[name] = true
	}
	defaults["id"] = hashedID(daemonKey(daemon))
	addDefaults(daemon, defaults)
}

// daemonKey returns the machine and the head directory of a daemon. The latter is empty if
// the daemon was never configured.
func daemonKey(daemon map[string]any) (machine, directory string) {
	names, _ := daemon["machine"].(map[string]any)
	machine, _ = names["machine"].(string)
	directory, _ = names["headRootDirectory"].(string)
	return machine, directory
}

// bindingOf returns the key of a daemon in DaemonBindings.
func bindingOf(machine, directory string) string { return machine + "|" + directory }

// BackupDaemon returns a daemon, or nil if there is none with this directory.
func (e *Emulator) BackupDaemon(machine, directory string) map[string]any {
	defer e.lock()()
	return copyDocument(e.state.daemons().find(bindingOf(machine, directory)))
}

// SetBackupDaemon sets a daemon.
func (e *Emulator) SetBackupDaemon(machine, directory string, fields map[string]any) {
	defer e.lock()()
	daemon := merge(e.state.daemons().find(bindingOf(machine, directory)), fields)
	daemon["machine"] = merge(get[map[string]any](daemon, "machine"), map[string]any{"machine": machine, "headRootDirectory": directory})
	if e.state.daemons().find(bindingOf(machine, directory)) == nil {
		e.setDaemonDefaults(daemon)
	}
	e.state.daemons().put(daemon)
}

// RemoveBackupDaemon removes a daemon, even if it is in use. Its process no longer runs.
func (e *Emulator) RemoveBackupDaemon(machine, directory string) {
	defer e.lock()()
	e.state.daemons().remove(bindingOf(machine, directory))
	delete(e.state.StartingDaemons, machine)
}

// StartBackupDaemon starts a process that registers after a number of requests for it.
func (e *Emulator) StartBackupDaemon(machine string, requests int) {
	defer e.lock()()
	e.state.StartingDaemons[machine] = requests
}

func (s *Seed) hasMachine(machine string) bool {
	return slices.ContainsFunc(s.BackupDaemons, func(daemon map[string]any) bool {
		name, _ := daemonKey(daemon)
		return name == machine
	})
}

// daemons are the daemons by their key.
func (s *Seed) daemons() collection {
	write := func(daemons []map[string]any) { s.BackupDaemons = daemons }
	key := func(daemon map[string]any) string {
		if machine, directory := daemonKey(daemon); machine != "" {
			return bindingOf(machine, directory)
		}
		return ""
	}
	return collection{"backup daemon", key, s.BackupDaemons, write, s.DaemonBindings}
}

package emulator

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"
)

// checkAgents returns an error if an agent of a seed is invalid.
func checkAgents(s *Seed) error {
	for _, project := range s.Projects {
		seen := map[string]bool{}
		for _, agent := range project.Agents {
			if agent.Hostname == "" || seen[agent.Hostname] {
				return fmt.Errorf("project %s: the hostname %q of an agent is missing, or used twice", project.ID, agent.Hostname)
			}
			seen[agent.Hostname] = true
		}
	}
	return nil
}

var agentType = resourceType{
	routes: func(e *Emulator) []route {
		return []route{
			{http.MethodGet, "/groups/{project}/agents/{agentType}", uncopied, listQuery, e.listAgents},
		}
	},
	check:    checkAgents,
	complete: (*Emulator).runModules,
}

// listAgents lists the agents of a type. Each read of the first page brings the starts of backup
// modules closer to their end.
func (e *Emulator) listAgents(c *call) any {
	project := c.project
	kind := c.vars["agentType"]
	replicaSets := project.hostsOfReplicaSets()
	agents := documentList{}
	add := func(m module) {
		agents = append(agents, e.agentDocument(project, replicaSets, kind, m))
	}
	switch kind {
	case "AUTOMATION":
		for _, agent := range project.Agents {
			add(e.moduleOf(agent))
		}
	case "MONITORING":
		for _, hostname := range hostnames(elementsOf(project.AutomationConfig, "monitoringVersions")) {
			if agent := project.agent(hostname); agent != nil {
				add(e.moduleOf(*agent))
			}
		}
	case "BACKUP":
		if c.number("pageNum", 1) == 1 {
			e.advanceModules(project)
		}
		for _, m := range e.modules[project.ID] {
			if !m.began.IsZero() {
				add(*m)
			}
		}
	default:
		panic(refuse(http.StatusBadRequest, "INVALID_AGENT_TYPE_NAME", "An invalid agent type name "+kind+" was specified.", kind))
	}
	return agents
}

// moduleOf returns what runs as long as an agent does. It has run for a day, or until the agent stopped.
func (e *Emulator) moduleOf(agent Agent) module {
	last := e.started
	if agent.Down != "" {
		last, _ = parseDate(agent.Down)
	}
	return module{
		hostname: agent.Hostname,
		began:    last.AddDate(0, 0, -1),
		running:  agent.Down == "",
		last:     last,
	}
}

// agentDocument returns an agent, or a module of one, as in a response. One that runs asks for its
// configuration all the time. The module of one host of a replica set is active, and the others are in
// standby.
func (e *Emulator) agentDocument(project *Project, replicaSets [][]string, kind string, m module) map[string]any {
	state := "NO_PROCESSES"
	for _, hosts := range replicaSets {
		switch i := slices.Index(hosts, m.hostname); {
		case i == 0, i > 0 && kind == "AUTOMATION":
			state = "ACTIVE"
		case i > 0 && state == "NO_PROCESSES":
			state = "STANDBY"
		}
	}
	last := m.last
	if m.running {
		last = e.now
	}
	agent := project.agent(m.hostname)
	count := 1 + int(last.Sub(m.began)/(10*time.Second))
	return map[string]any{
		"typeName":  kind,
		"hostname":  m.hostname,
		"stateName": state,
		"isManaged": agent == nil || !agent.Unmanaged,
		"tag":       nil,
		"lastConf":  date(last),
		"lastPing":  date(last),
		"confCount": count,
		"pingCount": count,
	}
}

// hostsOfReplicaSets returns the hosts of each replica set that have data, also those of shards.
func (p *Project) hostsOfReplicaSets() [][]string {
	processes := p.processes()
	var found [][]string
	for i := range p.Clusters {
		found = append(found, p.dataHosts(&p.Clusters[i], processes))
	}
	return found
}

// dataHosts returns the hosts that have the data of a replica set: those of its members, of the
// monitored hosts, and of the processes that Automation manages.
func (p *Project) dataHosts(cluster *Cluster, processes []process) []string {
	var found []string
	add := func(hostname string) {
		if hostname != "" && !slices.Contains(found, hostname) {
			found = append(found, hostname)
		}
	}
	for _, member := range cluster.Members {
		hostname, _, _ := net.SplitHostPort(member)
		add(hostname)
	}
	for _, host := range p.Hosts {
		if host.ClusterID == cluster.ID && host.TypeName != "SHARD_MONGOS" && host.TypeName != "REPLICA_ARBITER" {
			hostname, _, _ := net.SplitHostPort(host.Name)
			add(hostname)
		}
	}
	for _, one := range processes {
		if cluster.ReplicaSetName != "" && one.Options.Replication.Name == cluster.ReplicaSetName {
			add(one.Hostname)
		}
	}
	return found
}

// followModules starts and ends backup modules after the automation configuration or the agents of a
// project changed. A module runs if backupVersions has its host, and an agent runs there that is
// registered with the same name, and that the automation configuration controls.
func (e *Emulator) followModules(project *Project) {
	wanted := hostnames(modulesIn(project.AutomationConfig))
	wanted = slices.DeleteFunc(wanted, func(hostname string) bool {
		agent := project.agent(hostname)
		return agent == nil || agent.Down != "" || agent.Unmanaged
	})
	for _, m := range e.modules[project.ID] {
		if slices.Contains(wanted, m.hostname) {
			continue
		}
		m.start = nil
		if m.running {
			m.running = false
			m.last = e.now
		}
	}
	for _, hostname := range wanted {
		m := e.module(project, hostname)
		if m == nil {
			m = &module{hostname: hostname}
			e.modules[project.ID] = append(e.modules[project.ID], m)
		}
		if !m.running && m.start == nil {
			e.startModule(m)
		}
	}
}

// module returns the module of a host, or nil if there never was one.
func (e *Emulator) module(project *Project, hostname string) *module {
	for _, m := range e.modules[project.ID] {
		if m.hostname == hostname {
			return m
		}
	}
	return nil
}

// startModule starts a module, which takes some reads or some time.
func (e *Emulator) startModule(m *module) {
	begun := &moduleStart{e.options.TransitionReads}
	m.start = begun
	if begun.reads < 0 {
		e.runModule(m)
		return
	}
	e.inTime(func() {
		if m.start == begun {
			e.runModule(m)
		}
	})
}

func (e *Emulator) runModule(m *module) {
	m.start = nil
	m.running = true
	m.began = e.now
}

// advanceModules brings the starts of modules one read closer to their end.
func (e *Emulator) advanceModules(project *Project) {
	for _, m := range e.modules[project.ID] {
		switch {
		case m.start == nil:
		case m.start.reads > 0:
			m.start.reads--
		default:
			e.runModule(m)
		}
	}
}

// runModules starts the modules of the seed.
func (e *Emulator) runModules() {
	for _, project := range e.state.Projects {
		for _, hostname := range hostnames(modulesIn(project.AutomationConfig)) {
			if agent := project.agent(hostname); agent != nil {
				e.modules[project.ID] = append(e.modules[project.ID], new(e.moduleOf(*agent)))
			}
		}
	}
}

// StartAgent lets an agent of a project register, or run again.
func (e *Emulator) StartAgent(projectID, hostname string) { e.setAgent(projectID, hostname, true) }

// StopAgent stops an agent of a project, and its modules.
func (e *Emulator) StopAgent(projectID, hostname string) { e.setAgent(projectID, hostname, false) }

func (e *Emulator) setAgent(projectID, hostname string, runs bool) {
	defer e.lock()()
	project := e.mustProject(projectID)
	agent := project.agent(hostname)
	if agent == nil {
		project.Agents = append(project.Agents, Agent{Hostname: hostname})
		agent = project.agent(hostname)
	}
	agent.Down = ""
	if !runs {
		agent.Down = date(e.now)
	}
	e.followModules(project)
}

// RemoveAgent removes an agent of a project with its modules, as if its host had left the project.
func (e *Emulator) RemoveAgent(projectID, hostname string) {
	defer e.lock()()
	project := e.mustProject(projectID)
	project.Agents = slices.DeleteFunc(project.Agents, func(a Agent) bool {
		return a.Hostname == hostname
	})
	e.followModules(project)
	e.modules[project.ID] = slices.DeleteFunc(e.modules[project.ID], func(m *module) bool {
		return m.hostname == hostname
	})
}

// listElement is an element of a list in an automation configuration.
type listElement struct {
	jsonPart // in the document
	fields   map[string]any
}

// modulesIn returns the elements of backupVersions.
func modulesIn(document []byte) []listElement { return elementsOf(document, "backupVersions") }

// elementsOf returns the elements of a list in an automation configuration.
func elementsOf(document []byte, name string) []listElement {
	value, _ := findMember(document, name)
	all, _ := partsOf(value.in(document), '[')
	elements := make([]listElement, len(all))
	for i, p := range all {
		elements[i].jsonPart = jsonPart{from: value.from + p.from, to: value.from + p.to}
		_ = json.Unmarshal(elements[i].in(document), &elements[i].fields) // nil if it is not an object
	}
	return elements
}

// hostnames returns the hosts of elements, each once.
func hostnames(elements []listElement) []string {
	var names []string
	for _, element := range elements {
		hostname, ok := element.fields["hostname"].(string)
		if ok && !slices.Contains(names, hostname) {
			names = append(names, hostname)
		}
	}
	return names
}

// process is a process of an automation configuration.
type process struct {
	Hostname string `json:"hostname"`
	Name     string `json:"name"`
	Options  struct {
		Replication struct {
			Name string `json:"replSetName"`
		} `json:"replication"`
	} `json:"args2_6"`
}

// processes returns the processes of an automation configuration.
func (p *Project) processes() []process {
	var found []process
	for _, element := range elementsOf(p.AutomationConfig, "processes") {
		var one process
		_ = json.Unmarshal(element.in(p.AutomationConfig), &one) // what has another type stays empty
		found = append(found, one)
	}
	return found
}

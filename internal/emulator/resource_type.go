package emulator

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// resourceType is a type of resource, which has a file of its own. It leaves nil what it does not need.
type resourceType struct {
	routes func(*Emulator) []route
	// check returns an error if its part of a seed is invalid.
	check func(*Seed) error
	// complete adds to the seed what Ops Manager would have, and completeCluster what it would have for a
	// cluster.
	complete        func(*Emulator)
	completeCluster func(*Emulator, *Cluster)
	// server, project and cluster add its documents: those of the whole server, of a project, and of a
	// cluster.
	server  func(*documents, *Seed)
	project func(*documents, *Project)
	cluster func(*documents, *Cluster)
}

type resourceTypes []resourceType

// document is a document of a state: what it is in words, and the fields it can have.
type document struct {
	id, name string
	fields   map[string]any
	known    members
}

// documents are documents of a state. They are never modified, only replaced.
type documents struct {
	all    []document
	packed map[string]packed // by the ID of the owner
	// The owner of the documents that are added next: its ID, and what it is in words.
	owner, of string
}

// packed are the documents of a copy that no request has changed yet.
type packed struct {
	of, what string
	text     PackedDocuments
	known    members
}

// add adds a document, unless it is nil. The format says what it is.
func (d *documents) add(known members, fields map[string]any, format string, args ...any) {
	if fields != nil {
		name := fmt.Sprintf(format, args...) + d.of
		d.all = append(d.all, document{d.owner + " " + name, name, fields, known})
	}
}

// addEach adds documents with IDs.
func (d *documents) addEach(known members, all []map[string]any, what string) {
	for _, fields := range all {
		d.add(known, fields, "%s %v", what, fields["id"])
	}
}

// addServer adds the documents of the whole server.
func (types resourceTypes) addServer(d *documents, s *Seed) {
	for _, t := range types {
		if t.server != nil {
			d.owner, d.of = "", ""
			t.server(d, s)
		}
	}
}

// addProject adds the documents of a project and its clusters.
func (types resourceTypes) addProject(d *documents, p *Project) {
	for _, t := range types {
		if t.project != nil {
			d.ofProject(p)
			t.project(d, p)
		}
	}
	for i := range p.Clusters {
		types.addCluster(d, p, &p.Clusters[i])
	}
}

func (d *documents) ofProject(p *Project) {
	d.owner, d.of = p.ID, fmt.Sprintf(" of project %q", p.Name)
}

// addCluster adds the documents of a cluster.
func (types resourceTypes) addCluster(d *documents, p *Project, c *Cluster) {
	d.owner, d.of = c.ID, fmt.Sprintf(" of cluster %q in project %q", cmp.Or(c.Name, c.ReplicaSetName, c.ID), p.Name)
	if c.ShardOf != "" {
		d.of = fmt.Sprintf(" of replica set %q", cmp.Or(c.ReplicaSetName, c.ShardName, c.ID)) + d.of
	}
	for _, t := range types {
		if t.cluster != nil {
			t.cluster(d, c)
		}
	}
}

// documents returns all documents of a state.
func (types resourceTypes) documents(s *Seed) documents {
	all := newDocuments()
	for i := range s.Projects {
		types.addProject(&all, &s.Projects[i])
	}
	types.addServer(&all, s)
	return all
}

func newDocuments() documents { return documents{packed: map[string]packed{}} }

// check returns an error if a seed is invalid.
func (types resourceTypes) check(s *Seed) error {
	if err := s.check(); err != nil {
		return err
	}
	for _, t := range types {
		if t.check != nil {
			if err := t.check(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkFields returns an error if a field is not in the public documentation. Values are
// not checked, because newer versions may have new ones.
func (types resourceTypes) checkFields(s *Seed) error {
	for _, d := range types.documents(s).all {
		for _, name := range slices.Sorted(maps.Keys(d.fields)) {
			if _, isKnown := d.known[name]; !isKnown {
				return fmt.Errorf("%s: unknown field %q", d.name, name)
			}
		}
	}
	return nil
}

// complete adds to the seed what Ops Manager would have.
func (e *Emulator) complete() {
	for _, t := range e.types {
		if t.complete != nil {
			t.complete(e)
		}
	}
	for _, cluster := range e.state.clusters() {
		e.completeCluster(cluster)
	}
}

func (e *Emulator) completeCluster(cluster *Cluster) {
	for _, t := range e.types {
		if t.completeCluster != nil {
			t.completeCluster(e, cluster)
		}
	}
}

package emulator

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Emulator is an emulated Ops Manager. It implements [http.Handler]. Its methods are safe
// for concurrent use, and return copies. Those that set a document create it or set fields of it, without
// validation, and a nil value deletes the field. They panic if there is no such project or cluster.
type Emulator struct {
	options Options
	version version
	digest  *digest
	types   resourceTypes
	routes  []route
	faults

	mu    sync.Mutex // of all that follows
	state *Seed
	clock
	progress
	behind     map[string]*lag // by the key of the object that was written
	atStart    documents       // if the options have OnChange
	deleted    map[string]bool // the objects that were deleted since, by their ID
	requests   []*Request
	challenges int
	unlisted   int // authenticated calls
}

// route is an operation. A segment in braces in its pattern matches any single segment of
// a percent-encoded path.
type route struct {
	method, pattern string
	traits          traits
	query           []string // known query parameters
	handle          func(*call) any
}

// traits are what is special about an operation.
type traits int

const (
	inProfile   traits = 1 << iota // one of the four operations of the Documented profile
	uncopied                       // the survey does not read it, so no copy has it
	otherErrors                    // its errors have the document of third-party backups
	// The role that a key needs, if another one than for the other calls of its method.
	forGlobalBackups
	forTimeRanges
	forAutomation
	forMonitoring
	forUnknownRole // no source says which one
)

// call is a request to the handler of a route. The handler is called with the state
// locked. It returns a document, a list, or nil for no content, or panics with a [refusal].
type call struct {
	*http.Request
	version  version // of Ops Manager
	key      *apiKey // nil if it may call everything
	record   *Request
	vars     map[string]string
	project  *Project // that the path names, if it does
	cluster  *Cluster
	query    url.Values
	envelope bool
	pretty   bool
	body     []byte
	changes  []Change // that the call made, or noticed
}

// matches matches the segments of an escaped path and returns its variables. It decodes after
// splitting, so an encoded slash is part of its segment. Dot segments match nothing, because they are
// resolved before a request reaches a real server.
func (r route) matches(have []string) (vars map[string]string, ok bool) {
	if strings.Count(r.pattern, "/") != len(have)-1 {
		return nil, false
	}
	want := strings.Split(r.pattern, "/")
	vars = map[string]string{}
	for i, segment := range have {
		decoded, _ := url.PathUnescape(segment) // the server has parsed it
		name, variable := strings.CutPrefix(want[i], "{")
		switch {
		case !variable && decoded != want[i]:
			return nil, false
		case variable && (segment == "" || segment == "." || segment == ".."):
			return nil, false
		case variable:
			vars[strings.TrimSuffix(name, "}")] = decoded
		}
	}
	return vars, true
}

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

// watched is a document of a state: what it is in words, and the fields it can have.
type watched struct {
	id, name string
	fields   map[string]any
	known    members
}

// documents are documents of a state. They are never modified, only replaced.
type documents struct {
	all    []watched
	packed map[string]packedDocuments // by the ID of the owner
	// The owner of the documents that are added next: its ID, and what it is in words.
	owner, of string
}

// packedDocuments are the documents of a copy that no request has changed yet.
type packedDocuments struct {
	of, what string
	text     PackedDocuments
	known    members
}

// add adds a document, unless it is nil. The format says what it is.
func (d *documents) add(known members, fields map[string]any, format string, args ...any) {
	if fields != nil {
		name := fmt.Sprintf(format, args...) + d.of
		d.all = append(d.all, watched{d.owner + " " + name, name, fields, known})
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
			d.owner = ""
			d.of = ""
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
	d.owner = p.ID
	d.of = fmt.Sprintf(" of project %q", p.Name)
}

// addCluster adds the documents of a cluster.
func (types resourceTypes) addCluster(d *documents, p *Project, c *Cluster) {
	d.owner = c.ID
	d.of = fmt.Sprintf(" of cluster %q in project %q", cmp.Or(c.Name, c.ReplicaSetName, c.ID), p.Name)
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

func newDocuments() documents { return documents{packed: map[string]packedDocuments{}} }

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

// complete adds to the seed what Ops Manager would have, unless it is a copy of one.
func (e *Emulator) complete() {
	for _, t := range e.types {
		if t.complete != nil {
			t.complete(e)
		}
	}
	for _, cluster := range e.state.clusters() {
		if !e.state.isCopy() {
			e.completeCluster(cluster)
		}
	}
}

func (e *Emulator) completeCluster(cluster *Cluster) {
	for _, t := range e.types {
		if t.completeCluster != nil {
			t.completeCluster(e, cluster)
		}
	}
}

// lock locks the state, lets the time pass, and returns the function that unlocks it.
func (e *Emulator) lock() (unlock func()) {
	e.mu.Lock()
	e.pass()
	return e.mu.Unlock
}

func (e *Emulator) mustProject(id string) *Project {
	if project := e.state.project(id); project != nil {
		return project
	}
	panic(fmt.Sprintf("emulator: no project %q", id))
}

func (e *Emulator) mustCluster(projectID, clusterID string) *Cluster {
	if cluster := e.state.cluster(projectID, clusterID); cluster != nil {
		cluster.unpack()
		return cluster
	}
	panic(fmt.Sprintf("emulator: no cluster %q in project %q", clusterID, projectID))
}

// endInTime does what inTime does for a cluster, unless it has been removed by then.
func (e *Emulator) endInTime(clusterID string, end func(*Project, *Cluster)) {
	e.inTime(func() {
		for project, cluster := range e.state.clusters() {
			if cluster.ID == clusterID {
				end(project, cluster)
			}
		}
	})
}

// href returns the URL of a path on this server, with the host that the client used.
func (c *call) href(path string) string {
	scheme := "http"
	if c.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + c.Host + path
}

func (c *call) link(path string) map[string]any {
	return map[string]any{"rel": "self", "href": c.href(BasePath + path)}
}

func (c *call) linkTo(what, path string) map[string]any {
	site := "mms" // observed in 4.4, and the other one in what is probably 5.0
	if c.version.since(version{5, 0, 0}) {
		site = "cloud"
	}
	return map[string]any{"rel": "http://" + site + ".mongodb.com/" + what, "href": c.href(BasePath + path)}
}

// findProject finds the project that a path names.
func (e *Emulator) findProject(c *call) {
	if given, named := c.vars["project"]; named {
		id := c.idIn("project", "INVALID_GROUP_ID", "group")
		c.project = e.state.project(id)
		if c.project == nil && e.state.Copy.limited() {
			panic(refuse(http.StatusUnauthorized, "NOT_IN_GROUP", "The copy does not have the group "+given+".", given))
		}
		if c.project == nil {
			// NOT_IN_GROUP (401) is documented for this too, but also for missing rights, so
			// this code is more helpful.
			panic(refuse(http.StatusNotFound, "GROUP_NOT_FOUND", "No group with ID "+given+" exists.", given))
		}
	}
}

// findCluster finds the cluster that a path names in its project.
func (c *call) findCluster() {
	if given, named := c.vars["cluster"]; named {
		id := c.idIn("cluster", "INVALID_CLUSTER_ID", "cluster")
		if c.cluster = c.project.cluster(id); c.cluster == nil {
			detail := "No cluster with ID " + given + " exists in group " + c.project.ID + "."
			panic(refuse(http.StatusNotFound, "CLUSTER_NOT_FOUND", detail, given, c.project.ID))
		}
	}
}

// idIn returns an ID in a path in lower case. A malformed one is a 404, not a 400.
func (c *call) idIn(variable, code, what string) string {
	id := c.vars[variable]
	if !objectID.MatchString(id) {
		panic(refuse(http.StatusNotFound, code, "An invalid "+what+" ID "+id+" was specified.", id))
	}
	return strings.ToLower(id)
}

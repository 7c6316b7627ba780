package backups

import (
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/projects"
)

// backupRegistry is what the backup configurations of one provider process know about
// each other. Terraform starts a process for each plan and another one for each apply. The
// zero value is ready for use.
type backupRegistry struct {
	mu      sync.Mutex
	backups map[projects.ClusterIdentity]knownBackup
}

// knownBackup is what the states and the plans of one process have of a backup.
type knownBackup struct {
	onDestroy string // in a state that was read
	managed   bool   // a plan keeps or adopts it
	ended     bool   // a plan destroys a resource that ends it
	adopted   bool   // this process adopted it
}

// normalized returns an identity as Ops Manager writes it: a configuration may have IDs in
// capitals.
func normalized(id projects.ClusterIdentity) projects.ClusterIdentity {
	return projects.ClusterIdentity{
		ProjectID: types.StringValue(strings.ToLower(id.ProjectID.ValueString())),
		ClusterID: types.StringValue(strings.ToLower(id.ClusterID.ValueString())),
	}
}

// note changes what is known of a backup, and returns what was known before.
func (r *backupRegistry) note(id projects.ClusterIdentity, change func(*knownBackup)) knownBackup {
	id = normalized(id)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.backups == nil {
		r.backups = map[projects.ClusterIdentity]knownBackup{}
	}
	before := r.backups[id]
	after := before
	change(&after)
	r.backups[id] = after
	return before
}

// startApply forgets the plan, because it is being applied, and returns whether this
// process adopted a backup.
func (r *backupRegistry) startApply(id projects.ClusterIdentity) (adopted bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, known := range r.backups {
		r.backups[id] = knownBackup{adopted: known.adopted}
	}
	return r.backups[normalized(id)].adopted
}

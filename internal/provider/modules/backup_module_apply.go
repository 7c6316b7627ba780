package modules

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/projects"
)

// change is a change of the list of backup modules of a project.
type change struct {
	*backupModuleResource
	summary string // of an error
	again   string // 'Apply' or 'Destroy'
	project string

	held   []string // the hosts of the state
	wanted []string // the hosts whose modules are active afterwards
	ended  []string // the hosts whose modules it deactivates
}

// run makes the change, and waits until the activated modules report. The deactivation comes last, so
// that no backup is without a module.
func (c *change) run(ctx context.Context, diags *diag.Diagnostics) {
	if respelled := unlisted(c.wanted, c.held); len(respelled) > 0 {
		if c.checkHosts(ctx, c.summary, c.project, respelled, diags); diags.HasError() {
			return
		}
	}
	added := without(c.wanted, c.held)
	if len(added)+len(c.ended) == 0 {
		return
	}
	if len(c.wanted) > 0 {
		if c.activate(ctx, added, diags); diags.HasError() {
			return
		}
	}
	if len(c.ended) > 0 {
		(&publication{change: c, deactivated: c.ended}).publish(ctx, diags)
	}
}

// activate activates the wanted modules that are not active, and waits until those of the added hosts
// report. A module that others have deactivated since the plan was made is activated again, unless its
// host has left the project.
func (c *change) activate(ctx context.Context, added []string, diags *diag.Diagnostics) {
	agents, err := c.Client.ListAgents(ctx, c.project, opsmanager.BackupAgent)
	if err != nil {
		diags.Append(failure(c.summary, err))
		return
	}
	c.adopt(c.project, c.wanted) // before the list is read: another resource may be about to deactivate them
	p := publication{change: c}
	if p.publish(ctx, diags); diags.HasError() {
		return
	}
	w := wait{change: c, hosts: distinct(slices.Concat(added, p.asked)), asked: p.asked, before: projects.LastSeen(agents.Results)}
	if len(w.hosts) > 0 {
		w.await(ctx, diags)
	}
}

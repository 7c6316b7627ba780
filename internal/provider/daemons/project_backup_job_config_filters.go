package daemons

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/putresource"
	"terraform-provider-opsmanager/internal/provider/references"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Ops Manager accepts filters that select nothing, and later starts no backup. So a plan warns about
// them, but only as far as it knows what the filters name.

// checkFilters warns about the filters that a plan changes, if they name what does not exist, or only what the
// labels or assignment_enabled exclude. A filter that is not configured stays as it is.
func checkFilters(ctx context.Context, d *connection.Data, p putresource.Plan[opsmanager.JobConfig], diags *diag.Diagnostics) {
	project, changed, after := p.ID[0], p.Changed, opsmanager.JobConfig{}
	jobConfigFilters.Set(&after, p.Config)
	after = jobConfigFilters.Complete(after, *p.Before)
	snapshots := storesIn(after.SnapshotStoreFilter)
	var found []references.Status // of the snapshot stores
	if changed.SnapshotStoreFilter != nil || changed.LabelFilter != nil && !p.Config["snapshot_store_filter"].IsUnknown() {
		found = findAll(ctx, d, snapshots)
	}
	if changed.SnapshotStoreFilter != nil {
		references.Warn("snapshot_store_filter", "Project "+project, found, diags)
	}
	references.Warn("oplog_store_filter", "Project "+project, findAll(ctx, d, storesIn(changed.OplogStoreFilter)), diags)
	if changed.SyncStoreFilter != nil {
		var syncs []references.Store
		for _, id := range *changed.SyncStoreFilter {
			syncs = append(syncs, references.Store{Type: references.SyncStore, ID: id})
		}
		references.Warn("sync_store_filter", "Project "+project, findAll(ctx, d, syncs), diags)
	}
	if changed.DaemonFilter != nil {
		warnUnusableDaemons(ctx, d, project, *changed.DaemonFilter, diags)
	}
	if p.Config["label_filter"].IsUnknown() {
		return
	}
	var labels []string
	if after.LabelFilter != nil {
		labels = *after.LabelFilter
	}
	var stores, daemons []labeled
	for i, one := range found {
		stores = append(stores, labeled{snapshots[i].ID, one.Labels})
	}
	warnUnsuitable("No Snapshot Store Has the Labels of Project "+project, "the stores in snapshot_store_filter", labels, stores, diags)
	mayBePlanned := putresource.IsPlanned(d, "backup_daemon", func(_ []string, values tfmodel.Values, _ bool) bool {
		planned := references.Labels(tfmodel.As[types.Set](values, "labels"))
		return planned == nil || references.Fits(labels, *planned)
	})
	if changed.LabelFilter != nil && !mayBePlanned {
		if registered, err := d.Client.ListBackupDaemons(ctx); err == nil {
			for _, daemon := range registered.Results {
				daemons = append(daemons, labeled{daemon.Machine.Machine, cmp.Or(daemon.Labels, &[]string{})})
			}
			warnUnsuitable("No Daemon Has the Labels of Project "+project, "the daemons", labels, daemons, diags)
		}
	}
}

// storesIn returns the stores that a filter names.
func storesIn(filter *[]opsmanager.StoreReference) []references.Store {
	var stores []references.Store
	if filter != nil {
		for _, s := range *filter {
			stores = append(stores, references.Store{Type: s.Type, ID: s.ID})
		}
	}
	return stores
}

func findAll(ctx context.Context, d *connection.Data, stores []references.Store) []references.Status {
	found := make([]references.Status, len(stores))
	for i, s := range stores {
		found[i] = s.Find(ctx, d)
	}
	return found
}

func warnUnusableDaemons(ctx context.Context, d *connection.Data, project string, filter []opsmanager.DaemonMachine, diags *diag.Diagnostics) {
	var missing, off []string
	var registered *opsmanager.List[opsmanager.BackupDaemon]
	for _, named := range filter {
		isPlanned := func(id []string, _ tfmodel.Values, _ bool) bool { return isNamed(named, id[0], id[1]) }
		if named.Machine == "" || putresource.IsPlanned(d, "backup_daemon", isPlanned) {
			continue // not known yet, or managed by the same plan
		}
		if registered == nil {
			var err error
			if registered, err = d.Client.ListBackupDaemons(ctx); err != nil {
				return
			}
		}
		is := func(daemon opsmanager.BackupDaemon) bool {
			return isNamed(named, daemon.Machine.Machine, tfmodel.Text(daemon.Machine.HeadRootDirectory))
		}
		name := opsmanager.Sanitize(strings.TrimSuffix(named.Machine+"|"+tfmodel.Text(named.HeadRootDirectory), "|"))
		if !slices.ContainsFunc(registered.Results, is) {
			missing = append(missing, name)
		} else if !slices.ContainsFunc(registered.Results, func(daemon opsmanager.BackupDaemon) bool {
			return is(daemon) && *cmp.Or(daemon.AssignmentEnabled, new(true))
		}) {
			off = append(off, name)
		}
	}
	references.WarnUnusable("daemon_filter", "Project "+project, "daemons", "the machine or the head directory", "No Such Daemon in ", "No Assignable Daemon in ", missing, off, len(filter), diags)
}

// isNamed reports whether a reference names the daemon with a machine and a head directory. Without a head directory,
// it names any daemon on the machine.
func isNamed(by opsmanager.DaemonMachine, machine, directory string) bool {
	named := tfmodel.Text(by.HeadRootDirectory)
	return strings.EqualFold(machine, by.Machine) && (named == "" || directory == named)
}

// labeled is a store or a daemon with its labels, or nil if these are not known.
type labeled struct {
	name   string
	labels *[]string
}

// warnUnsuitable warns if none of some stores or daemons has the labels of the label filter.
func warnUnsuitable(title, which string, labels []string, all []labeled, diags *diag.Diagnostics) {
	if len(all) == 0 || slices.Contains(labels, "") {
		return // one label is not known yet
	}
	var named []string
	for _, one := range all {
		if one.labels == nil {
			return
		}
		has := slices.Sorted(slices.Values(*one.labels))
		if references.Fits(labels, has) {
			return
		}
		named = append(named, opsmanager.Sanitize(one.name)+": "+opsmanager.Sanitize(cmp.Or(strings.Join(has, ", "), "no labels")))
	}
	const rule = "A project with a label_filter uses only stores and daemons that have all labels of the filter, and one without a filter only those without labels."
	diags.AddAttributeWarning(path.Root("label_filter"), title,
		"None of "+which+" fits label_filter:"+references.Listed(named)+"\n\n"+rule+" Until one of them fits, no new backup of the project can start. "+references.NotReferred)
}

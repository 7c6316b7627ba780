package daemons

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

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
	labels := *cmp.Or(after.LabelFilter, &opsmanager.Replaced[string]{})
	if !tfmodel.IsKnown(p.Config["label_filter"]) {
		labels = []string{""} // not known yet
	}
	labelFilter := "label_filter"
	if changed.LabelFilter == nil { // the plan of an adoption has "(known after apply)"
		labelFilter += ", which stays " + opsmanager.Sanitize(*jobConfigFilters[0].Literal(&after))
	}
	syncs := []references.Store{}
	for _, id := range *cmp.Or(after.SyncStoreFilter, &opsmanager.Replaced[string]{}) {
		syncs = append(syncs, references.Store{Type: references.SyncStore, ID: id})
	}
	for _, filter := range []struct {
		attribute, plural, title string
		isChanged                bool
		named                    []references.Store
	}{
		{"snapshot_store_filter", "snapshot stores", "No Snapshot Store Has the Labels of Project ", changed.SnapshotStoreFilter != nil, storesIn(after.SnapshotStoreFilter)},
		{"oplog_store_filter", "oplog stores", "No Oplog Store Has the Labels of Project ", changed.OplogStoreFilter != nil, storesIn(after.OplogStoreFilter)},
		{"sync_store_filter", "", "No Sync Store Has the Labels of Project ", changed.SyncStoreFilter != nil, syncs},
	} {
		if !filter.isChanged && (changed.LabelFilter == nil || !tfmodel.IsKnown(p.Config[filter.attribute])) {
			continue
		}
		which := "the stores in " + filter.attribute
		var found []references.Status
		var stores []labeled
		if len(filter.named) == 0 && filter.plural != "" {
			which = "the " + filter.plural
			for _, s := range references.All(ctx, d, filter.plural, labels) {
				stores = append(stores, labeled{s.ID, cmp.Or(s.Labels, &opsmanager.Replaced[string]{})})
			}
		}
		for _, s := range filter.named {
			one := s.Find(ctx, d)
			found, stores = append(found, one), append(stores, labeled{s.ID, one.Labels})
		}
		if filter.isChanged {
			references.Warn(filter.attribute, "Project "+project, found, diags)
		}
		warnUnsuitable(filter.title+project, which, labelFilter, labels, stores, diags)
	}
	if changed.DaemonFilter != nil {
		warnUnusableDaemons(ctx, d, project, *changed.DaemonFilter, diags)
	}
	if changed.LabelFilter != nil && !references.MayBePlanned(d, "backup_daemon", labels) {
		if registered, err := opsmanager.Identified(d.Client.ListBackupDaemons(ctx)); err == nil {
			var daemons []labeled
			for _, daemon := range registered.Results {
				daemons = append(daemons, labeled{daemon.Machine.Machine, cmp.Or(daemon.Labels, &opsmanager.Replaced[string]{})})
			}
			warnUnsuitable("No Daemon Has the Labels of Project "+project, "the daemons", labelFilter, labels, daemons, diags)
		}
	}
}

// storesIn returns the stores that a filter names.
func storesIn(filter *opsmanager.Replaced[opsmanager.StoreReference]) []references.Store {
	var stores []references.Store
	if filter != nil {
		for _, s := range *filter {
			stores = append(stores, references.Store{Type: s.Type, ID: s.ID})
		}
	}
	return stores
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
			if registered, err = opsmanager.Identified(d.Client.ListBackupDaemons(ctx)); err != nil {
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
	labels *opsmanager.Replaced[string]
}

// warnUnsuitable warns if none of some stores or daemons has the labels of the label filter.
func warnUnsuitable(title, which, filter string, labels []string, all []labeled, diags *diag.Diagnostics) {
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
		"None of "+which+" fits "+filter+":"+references.Listed(named)+"\n\n"+rule+" Until one of them fits, new backups of the project may not start. "+references.NotReferred)
}

package infrastructure

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/putresource"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// Ops Manager accepts filters that select nothing, and later starts no backup. So a plan warns about
// them, but only as far as it knows what the filters name.

// filterStores has the stores in the filters of a job configuration.
var filterStores = map[string]struct {
	title  string // of the warning that none has the labels of a project
	others string // the stores that an empty filter allows, if they can be listed
}{
	"snapshot_store_filter": {title: "No Snapshot Store Has the Labels of Project ", others: "snapshot stores"},
	"oplog_store_filter":    {title: "No Oplog Store Has the Labels of Project ", others: "oplog stores"},
	"sync_store_filter":     {title: "No Sync Store Has the Labels of Project "},
}

// checkFilters warns about the filters that a plan changes, if they name what does not exist, or only what the
// labels or assignment_enabled exclude. A filter that is not configured stays as it is.
func checkFilters(ctx context.Context, d *connection.Data, p putresource.Plan[jobConfig], diags *diag.Diagnostics) {
	claimUses(d, p.Values, diags)
	project := p.ID[0]
	changed := p.Changed
	after := jobConfig{}
	jobConfigFilters.Set(&after, p.Config)
	after = jobConfigFilters.Complete(after, *cmp.Or(p.Before, &jobConfig{}))
	by := labelFilter{name: "label_filter", labels: after.LabelFilter.Elements()}
	if !tf.IsKnown(p.Config["label_filter"]) {
		by.labels = []string{""} // not known yet
	}
	if changed.LabelFilter == nil { // the plan of an adoption has "(known after apply)"
		by.name += ", which stays " + opsmanager.Sanitize(*jobConfigFilters[0].Literal(&after))
	}
	for _, f := range jobConfigFilters {
		of, isOfStores := filterStores[f.Attribute]
		isChanged := !f.IsMissing(changed)
		isAffected := changed.LabelFilter != nil && tf.IsKnown(p.Config[f.Attribute])
		if !isOfStores || !isChanged && !isAffected {
			continue
		}
		which := "the stores in " + f.Attribute
		named := storesIn(f.Value(after))
		var found []StoreStatus
		var stores []labeled
		if len(named) == 0 && of.others != "" {
			which = "the " + of.others
			for _, s := range referableStores(ctx, d, of.others, by.labels) {
				stores = append(stores, labeled{s.ID, new(s.Labels.Elements())})
			}
		}
		for _, s := range named {
			one := s.Find(ctx, d)
			found = append(found, one)
			stores = append(stores, labeled{s.ID, one.Labels})
		}
		if isChanged {
			WarnStores(f.Attribute, "Project "+project, found, diags)
		}
		by.warn(of.title+project, which, stores, diags)
	}
	if changed.DaemonFilter != nil {
		warnUnusableDaemons(ctx, d, project, *changed.DaemonFilter, diags)
	}
	isAffected := changed.LabelFilter != nil || changed.DaemonFilter != nil
	if isAffected && !mayBePlanned(d, "backup_daemon", by.labels) {
		by.warnDaemons(ctx, d, project, after.DaemonFilter.Elements(), diags)
	}
}

// claimUses claims the stores and the daemons that the filters name.
func claimUses(d *connection.Data, values tf.Values, diags *diag.Diagnostics) {
	for attribute := range filterStores {
		for _, store := range storesIn(values[attribute]) {
			store.ClaimUse(d, attribute, diags)
		}
	}
	filter := tf.As[types.Set](values, "daemon_filter")
	for _, element := range filter.Elements() {
		putresource.ClaimUse(d, "daemon_filter", "backup_daemon "+daemonName(machineToAPI(element)), diags)
	}
}

// daemonName returns the machine and the head directory of a daemon, as it is imported, or only the machine.
func daemonName(named machine) string {
	return strings.TrimSuffix(named.Machine+"|"+tf.Text(named.HeadRootDirectory), "|")
}

// warnDaemons warns if no daemon has the labels of the filter, or none of those that a filter of daemons names.
func (f labelFilter) warnDaemons(ctx context.Context, d *connection.Data, project string, named []machine, diags *diag.Diagnostics) {
	registered, err := opsmanager.Identified(d.Client.ListBackupDaemons(ctx))
	if err != nil {
		return
	}
	which := "the daemons"
	if len(named) > 0 {
		which += " in daemon_filter"
	}
	var daemons []labeled
	for _, daemon := range registered.Results {
		isIn := func(one machine) bool { return one.Machine == "" || isNamed(one)(daemon) } // also if it is not known yet
		if len(named) == 0 || slices.ContainsFunc(named, isIn) {
			daemons = append(daemons, labeled{daemon.Machine.Machine, new(daemon.Labels.Elements())})
		}
	}
	f.warn("No Daemon Has the Labels of Project "+project, which, daemons, diags)
}

// storesIn returns the stores that a filter names.
func storesIn(filter attr.Value) (stores []StoreReference) {
	set, _ := filter.(types.Set)
	for _, element := range set.Elements() {
		named := storeToAPI(element)
		if id, isSync := element.(types.String); isSync {
			named = storeReference{ID: id.ValueString(), Type: syncStore}
		}
		stores = append(stores, StoreReference{Type: named.Type, ID: named.ID})
	}
	return stores
}

func warnUnusableDaemons(
	ctx context.Context, d *connection.Data, project string, filter []machine, diags *diag.Diagnostics,
) {
	found := references{
		plural:       "daemons",
		noSuch:       "No Such Daemon in ",
		noAssignable: "No Assignable Daemon in ",
		mistake:      "the machine or the head directory",
		number:       len(filter),
	}
	var registered *opsmanager.List[backupDaemon]
	for _, named := range filter {
		is := isNamed(named)
		isPlanned := func(p putresource.Planned) bool {
			return is(backupDaemon{Machine: machineOf(p.ID)})
		}
		if named.Machine == "" || slices.ContainsFunc(putresource.AllPlanned(d, "backup_daemon"), isPlanned) {
			continue // not known yet, or managed by the same plan
		}
		if registered == nil {
			var err error
			if registered, err = opsmanager.Identified(d.Client.ListBackupDaemons(ctx)); err != nil {
				return
			}
		}
		isUsable := func(daemon backupDaemon) bool {
			return is(daemon) && *cmp.Or(daemon.AssignmentEnabled, new(true))
		}
		name := opsmanager.Sanitize(daemonName(named))
		switch {
		case !slices.ContainsFunc(registered.Results, is):
			found.missing = append(found.missing, name)
		case !slices.ContainsFunc(registered.Results, isUsable):
			found.off = append(found.off, name)
		}
	}
	found.warn("daemon_filter", "Project "+project, diags)
}

// isNamed returns a function that reports whether a reference names a daemon. Without a head directory, it names any daemon
// on the machine.
func isNamed(by machine) func(backupDaemon) bool {
	return func(daemon backupDaemon) bool {
		directory := tf.Text(by.HeadRootDirectory)
		isInDirectory := directory == "" || directory == tf.Text(daemon.Machine.HeadRootDirectory)
		return isInDirectory && strings.EqualFold(by.Machine, daemon.Machine.Machine)
	}
}

const labelRule = "A project with a label_filter uses only stores and daemons that have all labels of the filter, and one without a filter only those without labels."

// warnLabels warns about the projects whose new backups can use a store or a daemon before its labels change, and not after
// that.
func warnLabels(ctx context.Context, d *connection.Data, name string, before, after *opsmanager.Replaced[string], diags *diag.Diagnostics) {
	if after == nil {
		return
	}
	configs, err := opsmanager.Identified(d.Client.ListJobConfigs(ctx))
	if err != nil {
		return
	}
	var excluded []string
	for _, config := range configs.Results {
		filter := config.LabelFilter.Elements()
		if fitsFilter(filter, before.Elements()) && !fitsFilter(filter, *after) {
			projects.ReadName(ctx, d, config.ID, "") // which messages have beside the ID from then on
			needed := opsmanager.Sanitize(cmp.Or(strings.Join(filter, ", "), "no label_filter"))
			excluded = append(excluded, "project "+config.ID+": "+needed)
		}
	}
	if excluded != nil {
		diags.AddAttributeWarning(path.Root("labels"), "Projects Can No Longer Use "+name,
			"After this change of labels, Ops Manager assigns no new backups of these projects to it, unless their label_filter changes as well:"+tf.FirstLines(excluded, 10)+"\n\n"+labelRule)
	}
}

// labeled is a store or a daemon with its labels, or nil if these are not known.
type labeled struct {
	name   string
	labels *[]string
}

// labelFilter is the filter by labels of a job configuration.
type labelFilter struct {
	name   string // in messages
	labels []string
}

// warn warns if none of some stores or daemons has the labels of the filter.
func (f labelFilter) warn(title, which string, all []labeled, diags *diag.Diagnostics) {
	if len(all) == 0 || slices.Contains(f.labels, "") {
		return // one label is not known yet
	}
	var named []string
	for _, one := range all {
		if one.labels == nil {
			return
		}
		has := slices.Sorted(slices.Values(*one.labels))
		if fitsFilter(f.labels, has) {
			return
		}
		named = append(named, opsmanager.Sanitize(one.name)+": "+opsmanager.Sanitize(cmp.Or(strings.Join(has, ", "), "no labels")))
	}
	diags.AddAttributeWarning(path.Root("label_filter"), title,
		"None of "+which+" fits "+f.name+":"+tf.FirstLines(named, 10)+"\n\n"+labelRule+" Until one of them fits, new backups of the project may not start. "+NotReferred)
}

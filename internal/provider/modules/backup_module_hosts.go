package modules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// checkHosts adds an error about unlisted hosts that are not spelled as their agents have registered them. It
// returns those whose agents don't report.
func (c *moduleChange) checkHosts(ctx context.Context, diags *diag.Diagnostics) (silent []string) {
	hosts := c.unlisted()
	if len(hosts) == 0 {
		return nil
	}
	agents, err := opsmanager.Identified(c.Client.ListAgents(ctx, c.project, opsmanager.AutomationAgent))
	if err != nil {
		diags.Append(failure(c.summary, err))
		return nil
	}
	var registered []string
	for _, agent := range agents.Results {
		if name := tf.Text(agent.Hostname); name != "" {
			registered = append(registered, name)
		}
	}
	slices.Sort(registered)
	registered = slices.Compact(registered)
	seen := projects.LastSeen(agents.Results)
	var wrong []string
	for _, host := range hosts {
		if !slices.Contains(registered, host) {
			wrong = append(wrong, "\n  - "+misspelled(host, registered))
			continue
		}
		last := seen[strings.ToLower(host)]
		if !agents.Date.IsZero() && agents.Date.Sub(last) >= projects.StaleAfter {
			report := "has never reported"
			if !last.IsZero() {
				report = "last reported at " + last.UTC().Format(time.RFC3339)
			}
			silent = append(silent, fmt.Sprintf("\n  - %s %s", host, report))
		}
	}
	if len(wrong) > 0 {
		diags.AddAttributeError(path.Root(hostnames), "Host Without a MongoDB Agent", fmt.Sprintf(
			"Project %s has no MongoDB Agent that is registered with this name:%s\n\nhostnames must have each name exactly as the agent of the host has registered it. Nothing was changed.", c.project, strings.Join(wrong, "")))
	}
	return silent
}

// otherSpelling says how to correct the name of a host that the list of backup modules only has in
// another case, or returns "". It is not known whether the agent of the host recognizes that.
func otherSpelling(live *opsmanager.AutomationConfig, host string) string {
	listed := live.BackupModules()
	i := slices.IndexFunc(listed, func(other string) bool { return strings.EqualFold(other, host) })
	if i < 0 || slices.Contains(listed, host) {
		return ""
	}
	return fmt.Sprintf(" The automation configuration has it as %q, and its agent is registered as %q, so the agent may not recognize it. To correct that, deactivate the module in the console of Ops Manager and apply again.", opsmanager.Sanitize(listed[i]), host)
}

// misspelled says which agents a wrong host name may mean.
func misspelled(host string, registered []string) string {
	similar := except(registered, func(name string) bool { return !isSimilar(host, name) })
	switch {
	case len(similar) == 1:
		return fmt.Sprintf("%q: its agent is registered as %q. Write that.", host, opsmanager.Sanitize(similar[0]))
	case len(similar) > 1:
		return fmt.Sprintf("%q: did you mean one of %s?", host, quoted(similar))
	case len(registered) == 0:
		return fmt.Sprintf("%q: the project has no agents.", host)
	}
	return fmt.Sprintf("%q: the agents of the project are registered as %s.", host, quoted(registered))
}

// quoted returns the first of some names, and counts the others.
func quoted(names []string) string {
	const most = 10
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf("%q", opsmanager.Sanitize(name)))
	}
	return strings.Join(tf.First(all, most), ", ")
}

// isSimilar reports whether two spellings may mean one host: they differ in case, in the port, in a
// final dot, in blanks, or one of them is the short name.
func isSimilar(host, name string) bool {
	host, _, _ = strings.Cut(strings.TrimSpace(host), ":")
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	name = strings.ToLower(name)
	short, _, isLong := strings.Cut(host, ".")
	otherShort, _, isOtherLong := strings.Cut(name, ".")
	return host == name || short == otherShort && isLong != isOtherLong
}

// backedUp is what is known about the backups that need a module.
type backedUp struct {
	hosts    []opsmanager.Host
	clusters []opsmanager.Cluster
	configs  map[string]opsmanager.BackupConfig // by the ID of the cluster, in lower case
	owners   projects.Owners
	unread   error // why nothing is known, or nil
}

// readBackedUp reads what a deactivation may affect.
func (c *moduleChange) readBackedUp(ctx context.Context) backedUp {
	if !c.HasClient() {
		return backedUp{unread: errors.New("the provider is not configured yet")}
	}
	hosts, err := opsmanager.Identified(c.Client.ListHosts(ctx, c.project))
	if err != nil {
		return backedUp{unread: err}
	}
	clusters, err := opsmanager.Identified(c.Client.ListClusters(ctx, c.project))
	if err != nil {
		return backedUp{unread: err}
	}
	configs, err := opsmanager.Identified(c.Client.ListBackupConfigs(ctx, c.project, opsmanager.Page{}))
	if err != nil {
		return backedUp{unread: err}
	}
	b := backedUp{
		hosts:    hosts.Results,
		clusters: clusters.Results,
		owners:   projects.OwnersIn(ctx, c.Data, c.project),
		configs:  map[string]opsmanager.BackupConfig{},
	}
	for _, config := range configs.Results {
		b.configs[strings.ToLower(tf.Text(config.ClusterID))] = config
	}
	return b
}

const (
	noEffect     = "no backup of its clusters is running"
	couldNotTell = "could not tell whether a running backup needs it: "
)

// isShown reports whether a plan has shown that the running backups of an effect need the module of a host, or that it could not tell.
func isShown(plan []string, host, effect string) bool {
	return slices.ContainsFunc(plan, func(shown string) bool {
		isUnshown := func(running string) bool {
			backup, _, _ := strings.Cut(running, " is ") // STARTED or PROVISIONING
			return !strings.Contains(shown, backup)
		}
		parts := strings.Split(strings.ReplaceAll(effect, "; ", ", "), ", ")
		isComplete := strings.Contains(shown, couldNotTell) || !slices.ContainsFunc(parts, isUnshown)
		return isComplete && strings.HasPrefix(shown, onHost(host, ""))
	})
}

// onHost returns the text of an effect on a host.
func onHost(host, effect string) string { return host + ": " + effect }

// on says which running backups need the module of a host, or that it could not tell. It also returns whether there are any.
func (b backedUp) on(host string) (effect string, isNeeded bool) {
	var running, unknown []string
	processes := slices.DeleteFunc(slices.Clone(b.hosts), func(p opsmanager.Host) bool { return !projects.RunsOn(p, host) })
	for _, process := range processes {
		runs, hides := b.of(process)
		running = append(running, runs...)
		unknown = append(unknown, hides...)
	}
	switch {
	case b.unread != nil:
		unknown = []string{b.unread.Error()}
	case len(processes) == 0:
		unknown = []string{"Ops Manager lists no process with this host name"}
	}
	effect = joined(running)
	if why := joined(unknown); why != "" {
		effect += "; " + couldNotTell + opsmanager.Sanitize(why)
	}
	return cmp.Or(strings.TrimPrefix(effect, "; "), noEffect), running != nil
}

// joined returns some texts as one, each of them once.
func joined(texts []string) string {
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), ", ")
}

// of says of the cluster of a process what backs it up, and what is not known of that.
func (b backedUp) of(process opsmanager.Host) (running, unknown []string) {
	cluster := projects.WholeOf(b.clusters, tf.Text(process.ClusterID))
	if cluster == nil {
		return nil, []string{fmt.Sprintf("the cluster of process %s is not known", tf.Text(process.Name()))}
	}
	whole := tf.Text(cluster.ID)
	switch other, perhaps := b.owners.Of(whole); other {
	case projects.ThirdParty:
		running = append(running, "another product backs up cluster "+whole)
	case projects.PerhapsThirdParty:
		unknown = append(unknown, perhaps.Error())
	}
	switch status := tf.Text(b.configs[strings.ToLower(whole)].StatusName); status {
	case opsmanager.StatusStarted, opsmanager.StatusProvisioning:
		running = append(running, fmt.Sprintf("the backup of cluster %s is %s", whole, status))
	case opsmanager.StatusStopped, opsmanager.StatusInactive, opsmanager.StatusTerminating:
	default:
		unknown = append(unknown, fmt.Sprintf("the status of the backup of cluster %s is not known", whole))
	}
	return running, unknown
}

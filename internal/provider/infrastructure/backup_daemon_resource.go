package infrastructure

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/putresource"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// DaemonInUse is the advice about a daemon that Ops Manager refuses to delete.
const DaemonInUse = "Ops Manager deletes a daemon only if no backup is bound to it. Move its backups to another daemon in the console of Ops Manager, or terminate them, which deletes their snapshots. Then destroy again."

const writeTimeout = 10 * time.Minute

// backupDaemon is what the API calls a daemon.
type backupDaemon = opsmanager.BackupDaemon

// NewBackupDaemonResource returns the resource opsmanager_backup_daemon.
var NewBackupDaemonResource = daemonType.Constructor()

var daemonType = &putresource.Type[backupDaemon]{
	Name:  "backup_daemon",
	Title: "Backup Daemon",
	Word:  "daemon",
	Description: "Manages the configuration of a backup daemon, the process of Ops Manager that takes backups.\n\n" +
		"Ops Manager has no request that starts a daemon, so install and start the process first. Creating this resource waits until the process has registered, and configures it. " +
		"If the daemon is already configured, creating this resource **adopts** it, and the plan shows in `overwrites` what changes.\n\n" +
		"Destroying this resource only removes the daemon from the state, unless you set `on_destroy`.\n\n" +
		"-> Requires the role `Global Backup Admin`.",

	ID: tf.ImportID{
		Attributes: []string{"machine", "head_root_directory"},
		Separator:  "|",
		IsValid:    isDaemonID,
		Texts:      []string{"Host name of the machine that the daemon runs on.", "Path of the head directory, as Ops Manager has it."},
		Advice:     "Import a daemon by machine|head_root_directory, such as om-1.example.com|/data/backup/, or by an identity with both, spelled as Ops Manager has them.",
	},
	Described: describedDaemon,
	Defaults:  tf.Values{"configured": types.BoolValue(true)},

	Adopts:       true,
	WriteTimeout: writeTimeout,

	Kind: opsmanager.ObjectDaemon,
	End: putresource.End[backupDaemon]{
		Deletion: "Ops Manager refuses to delete a daemon while backups are bound to it. The process registers again while it runs, so stop it, too.",
		InUse:    DaemonInUse,
	},

	Object: func(id []string) backupDaemon { return backupDaemon{Machine: machineOf(id)} },
	Calls: putresource.Calls[backupDaemon]{
		Get:     readDaemon,
		Prepare: awaitRegistration,
		Create:  putresource.Method((*opsmanager.Client).ConfigureBackupDaemon),
		Put:     putresource.Method((*opsmanager.Client).UpdateBackupDaemon),
		Delete: func(ctx context.Context, d *connection.Data, id []string) error {
			return d.Client.DeleteBackupDaemon(ctx, id[0], id[1])
		},
	},
	Merge: mergeDaemon,
	Check: checkDaemon,
}

// sampleDaemon says where a daemon has its fields.
var sampleDaemon backupDaemon

// describedDaemon has the fields of a daemon that a configuration can set.
var describedDaemon = putresource.Describe(&sampleDaemon, []putresource.Field{
	{
		Attribute:   "configured",
		At:          &sampleDaemon.Configured,
		Absence:     tf.Needed,
		Description: "Whether the daemon is configured. Ops Manager uses a daemon only if this is `true`, which creating this resource sets by default.",
	},
	{
		Attribute:   "assignment_enabled",
		At:          &sampleDaemon.AssignmentEnabled,
		Absence:     tf.Needed,
		Description: "Whether new backups can be assigned to the daemon.",
	},
	{
		Attribute:   "backup_jobs_enabled",
		At:          &sampleDaemon.BackupJobsEnabled,
		Absence:     tf.Needed,
		Description: "Whether the daemon takes backups.",
	},
	{
		Attribute:   "garbage_collection_enabled",
		At:          &sampleDaemon.GarbageCollectionEnabled,
		Absence:     tf.Needed,
		Description: "Whether the daemon deletes expired data from snapshot stores.",
	},
	{
		Attribute:   "resource_usage_enabled",
		At:          &sampleDaemon.ResourceUsageEnabled,
		Absence:     tf.Needed,
		Description: "Whether the daemon collects information about the usage of stores.",
	},
	{
		Attribute:   "restore_queryable_jobs_enabled",
		At:          &sampleDaemon.RestoreQueryableJobsEnabled,
		Absence:     tf.Needed,
		Description: "Whether the daemon serves queryable restores.",
	},
	{
		Attribute:   "head_disk_type",
		At:          &sampleDaemon.HeadDiskType,
		Absence:     tf.UnsetOnceReturned,
		New:         stringvalidator.OneOf("HDD", "SSD"),
		Description: "Type of the disk with the head directory: `HDD` or `SSD`.",
	},
	{
		Attribute:   "num_workers",
		At:          &sampleDaemon.NumWorkers,
		Absence:     tf.UnsetOnceReturned,
		Description: "Number of backups that the daemon works on at the same time, `1` or more.",
	},
	{
		Attribute:   "labels",
		At:          &sampleDaemon.Labels,
		Absence:     tf.Unset,
		Description: "Labels of the projects that can use the daemon. `[]` removes all.",
	},
}, map[string]schema.Attribute{
	"machine": putresource.NewID("Host name of the machine that the daemon runs on, as the daemon registers it. Forces replacement."),
	"head_root_directory": schema.StringAttribute{
		Required:            true,
		PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
		Validators:          []validator.String{tf.NoContent, aDirectory, tf.NewValue(aHeadDirectory)},
		MarkdownDescription: "Absolute path of the head directory on that machine, such as `/data/backup/`. A new one needs a final slash. Forces replacement.",
	},
})

// mergeDaemon completes a daemon with the members of the live one that the provider does not know.
func mergeDaemon(whole *backupDaemon, live backupDaemon) {
	whole.Unknown = live.Unknown
	whole.Machine.Unknown = live.Machine.Unknown
}

// machineOf returns how requests name the daemon with an ID.
func machineOf(id []string) machine {
	return machine{Machine: id[0], HeadRootDirectory: &id[1]}
}

// isDaemonID reports whether a machine and a head directory could be those of a daemon.
func isDaemonID(id []string) bool {
	return !opsmanager.IsInvalidID(id[0]) && !opsmanager.IsInvalidDirectory(id[1])
}

// aDirectory rejects a head directory that can't be part of a request's path. No error shows the content of a file, which
// another validator rejects.
var aDirectory = tf.TextRule("Invalid Head Directory", tf.PathSegmentRule+", apart from its slashes at both ends",
	func(text string) bool { return tf.IsContent(text) || !opsmanager.IsInvalidDirectory(text) })

// aHeadDirectory rejects a head directory with which a daemon does not work.
var aHeadDirectory = tf.TextValidator{
	Title: "Invalid Head Directory",
	Rule:  "must begin and end with a slash",
	Problem: func(text string) string {
		switch {
		case text != strings.TrimSpace(text), !strings.HasPrefix(text, "/"):
			return fmt.Sprintf("%q must be the absolute path of a directory on Linux: it begins and ends with a slash, such as \"/data/backup/\".", text)
		case !strings.HasSuffix(text, "/"):
			return fmt.Sprintf("%q must end with a slash: a daemon does not work with any other head directory. Write %q.", text, text+"/")
		}
		return ""
	},
}

// NewBackupDaemonsDataSource returns the data source opsmanager_backup_daemons.
var NewBackupDaemonsDataSource = sources.List[backupDaemon]{
	Name:  "backup_daemons",
	Title: "Backup Daemons",
	Description: "Reads the backup daemons of Ops Manager, including those that were never configured or that take no backups.\n\n" +
		"-> Requires the role `Global Backup Admin`.",
	Results: "The daemons, sorted by `machine` and `head_root_directory`.",
	Items: sources.Fields(describedDaemon.Fields, map[string]string{
		"configured":                     "Whether the daemon is configured. Ops Manager uses a daemon only if this is `true`.",
		"assignment_enabled":             "Whether new backups can be assigned to the daemon.",
		"backup_jobs_enabled":            "Whether the daemon takes backups.",
		"garbage_collection_enabled":     "Whether the daemon deletes expired data from snapshot stores.",
		"resource_usage_enabled":         "Whether the daemon collects information about the usage of stores.",
		"restore_queryable_jobs_enabled": "Whether the daemon serves queryable restores.",
		"head_disk_type":                 "Type of the disk with the head directory, such as `HDD` or `SSD`.",
		"num_workers":                    "Number of backups that the daemon works on at the same time.",
		"labels":                         "Assignment labels of the daemon. Empty if Ops Manager returns none.",
	}).And(
		sources.ID("machine", "Host name of the machine that the daemon runs on.", hostOf),
		sources.ID("head_root_directory", "Path of the head directory on that machine, such as `/data/backup/`. Null if the daemon was never configured.", directoryOf),
	),
	Read: func(ctx context.Context, client *opsmanager.Client, _ sources.Config) (*opsmanager.List[backupDaemon], error) {
		return client.ListBackupDaemons(ctx)
	},
	Sort:        sortedDaemons,
	Singular:    "backup daemon",
	IDAttribute: "machine",
	Identify:    func(d backupDaemon) (id, label *string) { return hostOf(d), directoryOf(d) },
}.Constructor()

func hostOf(d backupDaemon) *string { return tf.NonEmpty(&d.Machine.Machine) }

func directoryOf(d backupDaemon) *string { return tf.NonEmpty(d.Machine.HeadRootDirectory) }

// sortedDaemons returns daemons sorted by machine and head directory. Missing ones come last.
func sortedDaemons(daemons []backupDaemon) []backupDaemon {
	return tf.Sorted(daemons, tf.By(hostOf), tf.By(directoryOf))
}

// NewBackupDaemonList returns the list resource opsmanager_backup_daemon.
var NewBackupDaemonList = sources.ListResource[backupDaemon]{
	Name:        "backup_daemon",
	Title:       "Backup Daemons",
	Description: "Lists the configured backup daemons of Ops Manager, sorted by machine and head directory.\n\nA daemon that was never configured is left out with a warning, even if it is running.",
	Requires:    "the role `Global Backup Admin`",
	Read: func(ctx context.Context, q sources.Query) (*opsmanager.List[backupDaemon], error) {
		return q.Client.ListBackupDaemons(ctx)
	},
	Sort: sortedDaemons,
	Object: func(_ context.Context, _ sources.Query, live backupDaemon) sources.Listed {
		if hostOf(live) != nil && directoryOf(live) == nil {
			return sources.LeftOut(live.Machine.Machine, "It was never configured, so there is nothing to import. Creating a resource for it configures it.")
		}
		return daemonType.Listed(live, live.Machine.Machine, tf.Text(live.Machine.HeadRootDirectory))
	},
}.Constructor()

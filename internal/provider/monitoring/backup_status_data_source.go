// Package monitoring implements the data sources of the morning check, which find the clusters whose backup could not be
// restored and the alerts about backups, and the resource of alert configurations.
package monitoring

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

const unableToRead = "Unable to Read Backup Status"

// NewBackupStatusDataSource returns the data source opsmanager_backup_status.
var NewBackupStatusDataSource = sources.DataSource{
	Name:    "backup_status",
	Summary: unableToRead,
	Schema: schema.Schema{
		MarkdownDescription: "Finds the clusters that have no backup to restore from, or only an old one.\n\n" +
			"`problems` contains a sentence for each replica set and whole sharded cluster that has no running backup, no complete snapshot, or only snapshots that are too old. If there is no problem, it is empty. `clusters` describes every cluster.\n\n" +
			"-> Requires the role `Project Read Only` in each project.\n\n" +
			"If a project can't be read, or Ops Manager stops responding, the data source fails. " +
			"It sends one request for each cluster that has a backup, or two with `include_schedules`, and a few for each project. `include_recovery_points` needs no further ones.\n\n" +
			"A cluster that another product backs up is not checked, and its `code` is `THIRD_PARTY`, unless its backup is `STARTED`. To see that, the API key needs the role `Project Backup Admin`.\n\n" +
			"~> A `check` block only warns, and Terraform exits with 0.",
		Attributes: map[string]schema.Attribute{
			"project_ids": ids("IDs of the projects to read. Defaults to all projects in which the API key has a role.", setvalidator.SizeAtLeast(1)),
			"max_snapshot_age_hours": schema.Int64Attribute{
				Optional:   true,
				CustomType: tf.WholeNumberType{},
				Validators: []validator.Int64{int64validator.AtLeast(1)},
				MarkdownDescription: "Maximum age of the newest complete snapshot in hours, `1` or more, by the clock of this machine. Use the time between two snapshots, plus the time that a snapshot takes. " +
					"A snapshot that is dated more than an hour in the future is a problem. Defaults to no limit.",
			},
			"excluded_cluster_ids": ids("IDs of clusters that need no backup, and are not read. Defaults to none."),
			"include_schedules": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Whether to read the snapshot schedule of each cluster. Defaults to `false`.",
			},
			"include_recovery_points": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Whether `clusters` says to which times each cluster can be restored. Defaults to `false`.",
			},
			"concurrency": schema.Int64Attribute{
				Optional:            true,
				CustomType:          tf.WholeNumberType{},
				Validators:          []validator.Int64{int64validator.Between(1, 100)},
				MarkdownDescription: "Number of projects or clusters to read in parallel, `1` to `100`, which `-parallelism` does not limit. Defaults to `10`.",
			},
			// A map, because Terraform takes long to compare two equal lists of thousands of objects.
			"clusters": clusterObject.MapAttribute("The clusters by their ID. It changes with every snapshot, so to detect changes, use `problems`."),
			"problems": schema.MapAttribute{
				Computed:    true,
				ElementType: types.StringType,
				MarkdownDescription: "A sentence for each problem, by the ID of the cluster, such as `Payments: cards (650a1f8b5d7092a4c6e8f013) has no complete snapshot.` " +
					"It contains no times, so it changes only if a problem begins, changes or ends. `terraform test` can mock it.",
			},
		},
	},
	Read: readStatus,
}.Constructor()

// ids returns an optional attribute that is a set of IDs.
func ids(description string, validators ...validator.Set) schema.Attribute {
	return schema.SetAttribute{
		Optional:            true,
		ElementType:         types.StringType,
		MarkdownDescription: description,
		Validators:          append(validators, setvalidator.ValueStringsAre(tf.ObjectIDValidators()...)),
	}
}

func readStatus(
	ctx context.Context, client *opsmanager.Client, config sources.Config, diags *diag.Diagnostics,
) (map[string]attr.Value, error) {
	r := reader{
		client:        client,
		projectIDs:    lower(config, "project_ids"),
		excluded:      lower(config, "excluded_cluster_ids"),
		withSchedules: tf.As[types.Bool](config, "include_schedules").ValueBool(),
		withPoints:    tf.As[types.Bool](config, "include_recovery_points").ValueBool(),
		concurrency:   cmp.Or(int(config.Int64("concurrency")), 10),
	}
	limit := ageLimit{time.Now(), config.Int64("max_snapshot_age_hours")}
	clusters, err := r.read(ctx)
	if err != nil {
		diags.AddAttributeError(path.Root("project_ids"), unableToRead, tf.Sentence(err))
		return nil, nil
	}
	if len(clusters) == 0 {
		diags.AddAttributeWarning(path.Root("project_ids"), "No Cluster Checked", "The projects have no replica set and no sharded cluster that is not excluded, so there was nothing to check. "+
			"Check that Ops Manager monitors your clusters, and that the API key has a role in their projects.")
	}
	found := make(map[string]judged, len(clusters))
	problems := map[string]attr.Value{}
	unknown := map[string]error{} // why it is not known who backs up the clusters with a problem, by project
	for _, c := range clusters {
		problem := c.judge(limit)
		found[c.id] = judged{c, problem}
		if problem != nil && problem.text != "" {
			if c.owner != nil {
				unknown[c.project.String()] = c.owner
			}
			if c.isListed {
				problem.predicate += "; Ops Manager also lists the cluster as backed up by another product"
			}
			label := projects.ClusterLabel(c.name, c.id)
			problems[c.id] = types.StringValue(fmt.Sprintf("%s: %s %s.", c.project.name, label, problem.predicate))
		}
	}
	if names := slices.Sorted(maps.Keys(unknown)); len(names) > 0 {
		diags.AddAttributeWarning(path.Root("project_ids"), "Third-Party Backups Not Known",
			fmt.Sprintf("Clusters of these projects have a problem, and the provider could not read whether another product backs them up: %s. %s",
				strings.Join(tf.First(names, 20), ", "), tf.Explain(unknown[names[0]], tf.Concurrent)))
	}
	return map[string]attr.Value{
		"clusters": clusterObject.Map(found),
		"problems": types.MapValueMust(types.StringType, problems),
	}, nil
}

// lower returns the distinct IDs of an attribute in lower case, as Ops Manager returns them.
func lower(config sources.Config, attribute string) []string {
	ids, _ := tf.Texts(tf.As[types.Set](config, attribute))
	for i, id := range ids {
		ids[i] = strings.ToLower(id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

package infrastructure

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// NewJobConfigDataSource returns the data source opsmanager_project_backup_job_config.
var NewJobConfigDataSource = sources.DataSource{
	Name:    "project_backup_job_config",
	Summary: "Unable to Read Backup Job Configuration",
	Codes:   []tf.Codes{projects.Codes},
	Schema: schema.Schema{
		MarkdownDescription: "Reads the backup job configuration of a project: the daemons and the stores that its backups can be assigned to.\n\nAn empty `label_filter` allows only daemons and stores without labels. Any other empty filter allows all that `label_filter` allows.\n\n" +
			"-> Requires the role `Global Backup Admin`.\n\n" +
			"If the project has no job configuration, the filters are empty and `exists` is false. To tell that from a project that the API key can't see, which is an error, the provider also reads the project. " +
			"Ops Manager 6.0 may return 401 instead. The password of the certificate for KMIP is not exported.",
		Attributes: map[string]schema.Attribute{
			"project_id":   projects.IDAttribute(),
			"exists":       schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the project has a job configuration."},
			"label_filter": texts("Labels that daemons and stores must have."),
			"daemon_filter": objects("Daemons that backups can be assigned to.", map[string]schema.Attribute{
				"machine":             textOf("Host name of the daemon."),
				"head_root_directory": textOf("Directory of the daemon. Null if the filter does not name one."),
			}),
			"snapshot_store_filter": objects("Snapshot stores that backups can be assigned to.", storeAttributes),
			"oplog_store_filter":    objects("Oplog stores that backups can be assigned to.", storeAttributes),
			"sync_store_filter":     texts("IDs of the sync stores that backups can be assigned to."),
			kmipPath:                textOf(kmipPathText + " Null if there is none."),
		},
	},
	Read: readJobConfig,
}.Constructor()

func readJobConfig(ctx context.Context, client *opsmanager.Client, config sources.Config, _ *diag.Diagnostics) (tf.Values, error) {
	live, err := liveJobConfig(ctx, client, config.Text("project_id"))
	isMissing := opsmanager.IsMissing(err, opsmanager.ObjectJobConfig)
	if isMissing {
		live = &noFilters
	} else if err != nil {
		return nil, err
	}
	values := jobConfigFields.FromAPI(tf.Values{}, *live)
	values["exists"] = types.BoolValue(!isMissing)
	return values, nil
}

// storeAttributes are the attributes of a store in a filter.
var storeAttributes = map[string]schema.Attribute{
	"id":   textOf("ID of the store."),
	"type": textOf("Type of the store as the API names it, such as `s3blockstore` or `oplogStore`."),
}

func textOf(description string) schema.Attribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

func texts(description string) schema.Attribute {
	return schema.SetAttribute{
		Computed:            true,
		ElementType:         types.StringType,
		MarkdownDescription: description,
	}
}

func objects(description string, attributes map[string]schema.Attribute) schema.Attribute {
	return schema.SetNestedAttribute{
		Computed:            true,
		MarkdownDescription: description,
		NestedObject:        schema.NestedAttributeObject{Attributes: attributes},
	}
}

package projects

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"terraform-provider-opsmanager/internal/provider/tf"
)

// IDAttribute returns the attribute project_id of a data source.
func IDAttribute() schema.Attribute {
	return schema.StringAttribute{
		Required:            true,
		Validators:          tf.ObjectIDValidators(),
		MarkdownDescription: "ID of the project.",
	}
}

// ClusterIDAttribute returns the attribute cluster_id of a data source.
func ClusterIDAttribute(description string) schema.Attribute {
	return schema.StringAttribute{
		Required:            true,
		Validators:          tf.ObjectIDValidators(),
		MarkdownDescription: description + ": 24 hexadecimal digits.",
	}
}

// Codes are the codes about the ID of a project.
var Codes = tf.Codes{
	Attributes: map[string]string{
		"GROUP_NOT_FOUND":  "project_id",
		"NOT_IN_GROUP":     "project_id",
		"INVALID_GROUP_ID": "project_id",
	},
}

// NameCodes are the codes about the name of a project.
var NameCodes = tf.Codes{
	Attributes: map[string]string{"GROUP_NAME_NOT_FOUND": "name"},
	Advice: map[string]string{
		"GROUP_NAME_NOT_FOUND": "The API key has access to no project with this name. Check the spelling, or look up the project by its ID.",
	},
}

// NotStarted is the advice on a cluster that Ops Manager returns no backup configuration for.
const NotStarted = "The backup of this cluster has not been started, or Ops Manager does not monitor the cluster yet. " +
	"Start the backup, for example with opsmanager_backup_config, then apply again."

// ClusterCodes are the codes about the ID of a cluster.
var ClusterCodes = tf.Codes{
	Attributes: map[string]string{
		"CLUSTER_NOT_FOUND":                      "cluster_id",
		"INVALID_CLUSTER_ID":                     "cluster_id",
		"BACKUP_CONFIG_NOT_FOUND":                "cluster_id",
		"CANNOT_GET_BACKUP_CONFIG_INVALID_STATE": "cluster_id",
	},
	Advice: map[string]string{
		"BACKUP_CONFIG_NOT_FOUND":                "This cluster has no backup configuration in this project. Check both IDs, that Ops Manager monitors the cluster, and, unless this run starts it, that its backup has been started.",
		"CANNOT_GET_BACKUP_CONFIG_INVALID_STATE": NotStarted,
		"CANNOT_MODIFY_SHARD_BACKUP_CONFIG":      "This is the ID of a shard. Only the backup and the schedule of the whole sharded cluster can be changed. Use the ID of the cluster, which the message above contains.",
	},
}

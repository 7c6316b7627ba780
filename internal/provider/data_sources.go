package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"terraform-provider-opsmanager/internal/provider/connection"
)

func projectIDAttribute() schema.Attribute {
	return schema.StringAttribute{
		Required: true, Validators: connection.ObjectIDValidators(),
		MarkdownDescription: "Id of the project (group): 24 hexadecimal digits.",
	}
}

func clusterIDAttribute(description string) schema.Attribute {
	return schema.StringAttribute{
		Required: true, Validators: connection.ObjectIDValidators(),
		MarkdownDescription: description + ": 24 hexadecimal digits.",
	}
}

// The attribute for each of the service's codes, where a project or a cluster is
// looked up by its id.
var (
	projectCodes = map[string]string{
		"GROUP_NOT_FOUND": "project_id", "NOT_IN_GROUP": "project_id", "INVALID_GROUP_ID": "project_id",
	}
	clusterCodes = map[string]string{
		"CLUSTER_NOT_FOUND": "cluster_id", "INVALID_CLUSTER_ID": "cluster_id", "BACKUP_CONFIG_NOT_FOUND": "cluster_id",
		"CANNOT_GET_BACKUP_CONFIG_INVALID_STATE": "cluster_id",
	}
)

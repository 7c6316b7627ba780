package projects

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"terraform-provider-opsmanager/internal/provider/attributes"
)

// IDAttribute returns the attribute project_id of a data source.
func IDAttribute() schema.Attribute {
	return schema.StringAttribute{
		Required: true, Validators: attributes.ObjectIDValidators(),
		MarkdownDescription: "ID of the project, which the API calls `group_id`: 24 hexadecimal digits.",
	}
}

// ClusterIDAttribute returns the attribute cluster_id of a data source.
func ClusterIDAttribute(description string) schema.Attribute {
	return schema.StringAttribute{
		Required: true, Validators: attributes.ObjectIDValidators(),
		MarkdownDescription: description + ": 24 hexadecimal digits.",
	}
}

// The attribute for each code of the API about the ID of a project or a cluster.
var (
	// Codes are the codes about project_id.
	Codes = map[string]string{
		"GROUP_NOT_FOUND": "project_id", "NOT_IN_GROUP": "project_id", "INVALID_GROUP_ID": "project_id",
	}
	// ClusterCodes are the codes about cluster_id.
	ClusterCodes = map[string]string{
		"CLUSTER_NOT_FOUND": "cluster_id", "INVALID_CLUSTER_ID": "cluster_id", "BACKUP_CONFIG_NOT_FOUND": "cluster_id",
		"CANNOT_GET_BACKUP_CONFIG_INVALID_STATE": "cluster_id",
	}
)

package regions

import (
	"cmp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

type deploymentRegionsModel struct {
	Results types.List `tfsdk:"results"`
}

var deploymentRegionType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"deployment_id":          types.StringType,
	"deployment_description": types.StringType,
	"ingestion_endpoint":     types.StringType,
	"restore_endpoint":       types.StringType,
	"bq_proxy_endpoint":      types.StringType,
	"assignment_enabled":     types.BoolType,
	"links":                  tfmodel.LinksType,
}}

// deploymentRegionsFromAPI converts a list, sorted by id: the service documents
// no order. A region without an id comes last.
func deploymentRegionsFromAPI(regions []opsmanager.DeploymentRegion) types.List {
	return tfmodel.ListOf(sortedRegions(regions), deploymentRegionType, func(r opsmanager.DeploymentRegion) attr.Value {
		return types.ObjectValueMust(deploymentRegionType.AttrTypes, map[string]attr.Value{
			"deployment_id":          types.StringPointerValue(tfmodel.NonEmpty(&r.ID)),
			"deployment_description": types.StringPointerValue(r.DeploymentDescription),
			"ingestion_endpoint":     types.StringPointerValue(r.IngestionEndpoint),
			"restore_endpoint":       types.StringPointerValue(r.RestoreEndpoint),
			"bq_proxy_endpoint":      types.StringPointerValue(r.BQProxyEndpoint),
			"assignment_enabled":     types.BoolPointerValue(r.AssignmentEnabled),
			"links":                  tfmodel.LinksFromAPI(r.Links),
		})
	})
}

func sortedRegions(regions []opsmanager.DeploymentRegion) []opsmanager.DeploymentRegion {
	sorted := append([]opsmanager.DeploymentRegion{}, regions...)
	slices.SortStableFunc(sorted, func(a, b opsmanager.DeploymentRegion) int {
		return tfmodel.CompareAbsentLast(tfmodel.NonEmpty(&a.ID), tfmodel.NonEmpty(&b.ID), cmp.Compare)
	})
	return sorted
}

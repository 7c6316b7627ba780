package infrastructure

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/putresource"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// deploymentRegion is what the API calls a region.
type deploymentRegion = opsmanager.DeploymentRegion

const deploymentID = "deployment_id"

// NewDeploymentRegionResource returns the resource opsmanager_deployment_region.
var NewDeploymentRegionResource = regionType.Constructor()

var regionType = &putresource.Type[deploymentRegion]{
	Name:  "deployment_region",
	Title: "Deployment Region",
	Word:  "region",
	Description: "Manages a backup deployment region.\n\n" +
		"A region binds stores and daemons to the endpoints of one location. Only the console binds them, and shows which. Creating this resource fails if the region exists: import it.\n\n" +
		"-> Requires Ops Manager 7.0.4 or later, and the role `Global Backup Admin`.\n\n" +
		"!> Destroying this resource **deletes** the region in Ops Manager, even if it was imported, unless anything is bound to it. " +
		"To keep the region, set `deletion_protection = true`. `on_destroy = \"keep\"` only removes it from the state. If you rename the resource, add a `moved` block.\n\n" +
		"If the API of Ops Manager can't return regions, you can still import a region by its ID and delete it.",

	ID:        putresource.PathID(deploymentID, "ID of the region.", "Import a deployment region by its deployment_id, such as NY_NJ."),
	Described: describedRegion,

	Kind: opsmanager.ObjectDeploymentRegion,
	End: putresource.End[deploymentRegion]{
		Deletion: "Ops Manager refuses to delete a region while stores or daemons are bound to it.",
		InUse: "Ops Manager deletes a region only if nothing is bound to it. In the administration console, unbind the snapshot stores, oplog stores, sync stores and daemons of this region, " +
			"and assign its clusters to a different region. Terminating the backup of a cluster releases it, too, but deletes all snapshots of the cluster. Then destroy again.",
	},

	Object: func(id []string) deploymentRegion { return deploymentRegion{ID: id[0]} },
	Calls: putresource.Calls[deploymentRegion]{
		Get: func(ctx context.Context, d *connection.Data, id []string) (*deploymentRegion, error) {
			return d.Client.DeploymentRegion(ctx, id[0])
		},
		Create: putresource.Method((*opsmanager.Client).CreateDeploymentRegion),
		Put:    putresource.Method((*opsmanager.Client).UpdateDeploymentRegion),
		Delete: func(ctx context.Context, d *connection.Data, id []string) error {
			return d.Client.DeleteDeploymentRegion(ctx, id[0])
		},
	},
	Merge: func(whole *deploymentRegion, live deploymentRegion) { whole.Unknown = live.Unknown },
	Check: checkFormats,
}

// sampleRegion says where a region has its fields.
var sampleRegion deploymentRegion

// describedRegion has the fields of a region that a configuration can set. A null of a response is a value.
var describedRegion = func() putresource.Described[deploymentRegion] {
	all := putresource.Describe(&sampleRegion, []putresource.Field{
		{
			Attribute:   "deployment_description",
			At:          &sampleRegion.DeploymentDescription,
			IsRequired:  true,
			Description: "Purpose of the region.",
		},
		{
			Attribute:   "ingestion_endpoint",
			At:          &sampleRegion.IngestionEndpoint,
			IsRequired:  true,
			Description: "URL that agents write snapshots and oplogs to, such as `https://opsmanager-ny.example.com:8443`.",
		},
		{
			Attribute:   "restore_endpoint",
			At:          &sampleRegion.RestoreEndpoint,
			IsRequired:  true,
			Description: "URL that restores are read from, such as `https://opsmanager-ny.example.com:8443`.",
		},
		{
			Attribute:   "bq_proxy_endpoint",
			At:          &sampleRegion.BQProxyEndpoint,
			IsRequired:  true,
			Description: "Address for queryable backups, as `domain:port`, not a URL.",
		},
		{
			Attribute:   "assignment_enabled",
			At:          &sampleRegion.AssignmentEnabled,
			Description: "Whether new resources may be assigned to the region. The default of Ops Manager is not documented.",
		},
	}, map[string]schema.Attribute{
		deploymentID: putresource.NewID("ID of the region, such as `NY_NJ`: any text that you choose. Forces replacement, which **deletes** this region."),
	})
	for i, f := range all.Fields {
		all.Fields[i] = f.OrNull(func(r *deploymentRegion) bool {
			return slices.ContainsFunc(r.Nulls, func(name string) bool {
				return tf.SnakeCase(name) == f.Attribute
			})
		})
	}
	return all
}()

// documented has the documented format of fields, by attribute: what a text should be, or "" if it has
// the format.
var documented = map[string]func(text string) string{
	"ingestion_endpoint": expectsURL,
	"restore_endpoint":   expectsURL,
	"bq_proxy_endpoint":  expectsAddress,
}

// expectsURL returns the documented format of an endpoint, or "" if the text has that format.
func expectsURL(text string) string {
	address, err := url.Parse(text)
	if err == nil && (address.Scheme == "http" || address.Scheme == "https") && address.Hostname() != "" {
		return ""
	}
	return "an http or https URL with a host, such as https://opsmanager-ny.example.com:8443"
}

// expectsAddress returns the documented format of an address for queryable backups, or ""
// if the text has that format.
func expectsAddress(text string) string {
	host, port, err := net.SplitHostPort(text)
	number, notANumber := strconv.ParseUint(port, 10, 16)
	if err == nil && host != "" && !strings.ContainsAny(host, "/@ ") && notANumber == nil && number > 0 {
		return ""
	}
	return "domain:port without a scheme, such as opsmanager-ny.example.com:27217"
}

// checkFormats warns about each changed value that doesn't have the documented format.
func checkFormats(_ context.Context, _ *connection.Data, p putresource.Plan[deploymentRegion], diags *diag.Diagnostics) {
	for _, f := range describedRegion.Fields {
		text, _ := f.Value(p.Changed).(types.String)
		expects := documented[f.Attribute]
		if text.IsNull() || expects == nil {
			continue
		}
		if format := expects(text.ValueString()); format != "" {
			diags.AddAttributeWarning(path.Root(f.Attribute), fmt.Sprintf("Unusual %s of Deployment Region %s", f.Attribute, p.ID[0]),
				fmt.Sprintf("Ops Manager documents %s, but %q is configured. The provider sends it anyway, and Ops Manager may reject it.", format, text.ValueString()))
		}
	}
}

// NewDeploymentRegionsDataSource returns the data source opsmanager_deployment_regions.
var NewDeploymentRegionsDataSource = sources.List[deploymentRegion]{
	Name:  "deployment_regions",
	Title: "Deployment Regions",
	Description: "Reads the backup deployment regions of Ops Manager.\n\n" +
		"-> Requires Ops Manager 7.0.4 or later, and the role `Global Backup Admin`.",
	Results: "The regions, sorted by `deployment_id`.",
	Items: sources.Fields(describedRegion.Fields, map[string]string{
		"deployment_description": "Description of the region.",
		"ingestion_endpoint":     "URL of the server that agents send snapshots and oplogs to.",
		"restore_endpoint":       "Address of the server that restores are read from, such as `https://opsmanager.example.com:8443`.",
		"bq_proxy_endpoint":      "Address of the proxy for queryable backups, as `domain:port`.",
		"assignment_enabled":     "Whether new resources can be assigned to the region.",
	}).And(sources.ID(deploymentID, "ID of the region, such as `NY_NJ`.", regionIDOf)),
	Read: func(ctx context.Context, client *opsmanager.Client, _ sources.Config) (*opsmanager.List[deploymentRegion], error) {
		return client.ListDeploymentRegions(ctx)
	},
	Sort:        sortedRegions,
	Singular:    "deployment region",
	IDAttribute: deploymentID,
	Identify:    func(r deploymentRegion) (id, label *string) { return &r.ID, r.DeploymentDescription },
}.Constructor()

func regionIDOf(r deploymentRegion) *string { return tf.NonEmpty(&r.ID) }

// sortedRegions returns regions sorted by ID. A region without an ID comes last.
func sortedRegions(regions []deploymentRegion) []deploymentRegion {
	return tf.Sorted(regions, tf.By(regionIDOf))
}

// NewDeploymentRegionList returns the list resource opsmanager_deployment_region.
var NewDeploymentRegionList = sources.ListResource[deploymentRegion]{
	Name:        "deployment_region",
	Title:       "Deployment Regions",
	Description: "Lists the backup deployment regions of Ops Manager, sorted by ID.",
	Requires:    "Ops Manager 7.0.4 or later, and the role `Global Backup Admin`",
	Read: func(ctx context.Context, q sources.Query) (*opsmanager.List[deploymentRegion], error) {
		return q.Client.ListDeploymentRegions(ctx)
	},
	Sort: sortedRegions,
	Object: func(_ context.Context, _ sources.Query, live deploymentRegion) sources.Listed {
		return regionType.Listed(live, live.ID)
	},
}.Constructor()

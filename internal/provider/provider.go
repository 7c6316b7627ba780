// Package provider is the Terraform provider: its configuration, and the registration of its
// resources, data sources and actions, which the packages below it implement.
package provider

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/backups"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/infrastructure"
	"terraform-provider-opsmanager/internal/provider/modules"
	"terraform-provider-opsmanager/internal/provider/monitoring"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/restores"
	"terraform-provider-opsmanager/internal/provider/schedules"
	"terraform-provider-opsmanager/internal/provider/snapshots"
	"terraform-provider-opsmanager/internal/provider/tf"
)

const (
	typeName = "opsmanager"

	defaultRequestTimeout = 30 * time.Second
	maxRequestTimeout     = 24 * time.Hour // a slow write, or a wait for a slot, takes up to twenty of them
	defaultMaxRetries     = 4
)

// settleTime is the default of [Options.SettleTime]. The tests that run the built provider link it
// with a shorter one.
var settleTime = "20s"

type opsmanagerProvider struct {
	version string
	options Options
	data    atomic.Pointer[connection.Data] // of the last configuration
}

// Options are settings that a configuration doesn't have. Parallel tests give each
// provider its own.
type Options struct {
	Getenv func(string) string // defaults to os.Getenv

	// As in [opsmanager.Config].
	RetryWaitMin, RetryWaitMax time.Duration
	Wrap                       func(http.RoundTripper) http.RoundTripper

	// How long Ops Manager may take to return what a request has changed or begun. Defaults to 20 seconds.
	SettleTime time.Duration
}

// New returns a constructor of the provider with default options.
func New(version string) func() provider.Provider {
	return NewWithOptions(version, Options{})
}

// NewWithOptions returns a constructor of the provider.
func NewWithOptions(version string, options Options) func() provider.Provider {
	if options.Getenv == nil {
		options.Getenv = os.Getenv
	}
	if options.SettleTime == 0 {
		var err error
		if options.SettleTime, err = time.ParseDuration(settleTime); err != nil {
			panic(err)
		}
	}
	return func() provider.Provider {
		return &opsmanagerProvider{version: version, options: options}
	}
}

func (p *opsmanagerProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = typeName
	resp.Version = p.version
}

func (p *opsmanagerProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages the backups of a self-hosted MongoDB Ops Manager: stores and daemons, backups, schedules, snapshots and restores.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Address of Ops Manager, such as `https://opsmanager.example.com:8443`. A trailing slash and the path `/api/public/v1.0` are optional. " +
					"Plain `http` to any host other than localhost produces a warning. Required in the configuration or the environment." + orEnvironment("base_url"),
			},
			"public_key": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Public key of a programmatic API key, which is the user name in HTTP Digest authentication. Required in the configuration or the environment." + orEnvironment("public_key"),
			},
			"private_key": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				MarkdownDescription: "Private key of the same API key. The provider sends only digests computed with it, never the key itself. Required in the configuration or the environment." + orEnvironment("private_key"),
			},
			"ca_cert_file": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Path of a PEM file with CA certificates to trust, in addition to those that the system trusts." + orEnvironment("ca_cert_file"),
			},
			"ca_cert_pem": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "PEM text with CA certificates to trust, in addition to those that the system trusts and those of `ca_cert_file`.",
			},
			"client_cert_file": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Path of a PEM file with the client certificate to present to Ops Manager. Requires `client_key_file`. By default, no certificate is presented." + orEnvironment("client_cert_file"),
			},
			"client_key_file": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Path of a PEM file with the private key of `client_cert_file`. Requires `client_cert_file`." + orEnvironment("client_key_file"),
			},
			"insecure_skip_verify": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to accept any certificate. Anyone between this machine and Ops Manager can then read and modify requests and responses. Use `ca_cert_file` instead. " +
					"Defaults to `false`." + orEnvironment("insecure_skip_verify"),
			},
			"proxy_url": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Address of a proxy, such as `http://proxy.example.com:3128`. The scheme is `http`, `https`, `socks5` or `socks5h`. If the proxy requires a password, use `HTTPS_PROXY` instead, because a plan file contains the configuration. " +
					"Defaults to the proxy that `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` select.",
			},
			"request_timeout": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Timeout of one attempt of a request, including reading the response, as a positive duration such as `45s` or `2m`, of at most `24h`. Defaults to `30s`. A request for a restore, for a snapshot or for backup modules may take ten times as long, because it can't be sent again. A request that creates or updates a store may take as long as the `timeouts` of the resource.",
			},
			"max_retries": schema.Int64Attribute{
				Optional:   true,
				CustomType: tf.WholeNumberType{},
				MarkdownDescription: "Number of times to retry a request after a connection failure, a timeout, status 429, 502, 503 or 504, or a rejection because Ops Manager is being upgraded. `0` turns retries off. Defaults to `4`. " +
					"After status 429, the provider waits as long as `Retry-After` asks, up to one minute. " +
					"Create requests are retried only if the first attempt cannot have taken effect. A change or a deletion is retried only after a read, and not if another client has changed the same values. " +
					"After a request exhausts its retries, the provider sends one probe at a time and fails other requests immediately until a probe succeeds.",
				Validators: []validator.Int64{int64validator.AtLeast(0)},
			},
		},
	}
}

func (p *opsmanagerProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	s := tf.Read[settings](ctx, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r := resolver{getenv: p.options.Getenv, diags: &resp.Diagnostics}
	config := opsmanager.Config{
		RetryWaitMin: p.options.RetryWaitMin,
		RetryWaitMax: p.options.RetryWaitMax,
		Wrap:         p.options.Wrap,

		UserAgent: fmt.Sprintf("terraform-provider-opsmanager/%s Terraform/%s", p.version, req.TerraformVersion),
		Log:       tflog.Debug,
	}
	r.resolve(s, &config)
	if resp.Diagnostics.HasError() {
		return
	}
	data := &connection.Data{
		Unknown:             r.unknown,
		SettleTime:          p.options.SettleTime,
		RetentionProtection: r.isOn(connection.RetentionProtectionVariable),
	}
	if len(r.unknown) == 0 {
		data.Client = opsmanager.NewClient(config)
	}
	p.data.Store(data)
	resp.ResourceData = data
	resp.DataSourceData = data
	resp.ListResourceData = data
	resp.ActionData = data
}

// StateRead implements [serve.Observer].
func (p *opsmanagerProvider) StateRead(ctx context.Context, typeName string, state []byte) diag.Diagnostics {
	if typeName == "opsmanager_restore_job" {
		return restores.StateRead(ctx, p.data.Load(), state)
	}
	return nil
}

// KnownName implements [serve.Namer].
func (p *opsmanagerProvider) KnownName(id string) string {
	if data := p.data.Load(); data.HasClient() {
		return data.Client.NameOf(id)
	}
	return ""
}

// ReadName implements [serve.Namer].
func (p *opsmanagerProvider) ReadName(ctx context.Context, projectID, clusterID string) string {
	if data := p.data.Load(); data.HasClient() {
		return projects.ReadName(ctx, data, projectID, clusterID)
	}
	return ""
}

func (p *opsmanagerProvider) Resources(context.Context) []func() resource.Resource {
	return collect(func(g group) []func() resource.Resource { return g.resources })
}

func (p *opsmanagerProvider) DataSources(context.Context) []func() datasource.DataSource {
	return collect(func(g group) []func() datasource.DataSource { return g.dataSources })
}

func (p *opsmanagerProvider) ListResources(context.Context) []func() list.ListResource {
	return collect(func(g group) []func() list.ListResource { return g.lists })
}

func (p *opsmanagerProvider) Actions(context.Context) []func() action.Action {
	return collect(func(g group) []func() action.Action { return g.actions })
}

func collect[T any](of func(group) []T) (all []T) {
	for _, g := range groups {
		all = append(all, of(g)...)
	}
	return all
}

// group is a group of pages in the registry, with the types that they describe.
type group struct {
	title       string
	resources   []func() resource.Resource
	dataSources []func() datasource.DataSource
	lists       []func() list.ListResource
	actions     []func() action.Action
}

// groups has every type of the provider.
var groups = []group{
	{
		title: "Projects and clusters",
		dataSources: []func() datasource.DataSource{
			projects.NewProjectDataSource,
			projects.NewProjectsDataSource,
			projects.NewClusterDataSource,
			projects.NewClustersDataSource,
			projects.NewHostsDataSource,
		},
	},
	{
		title: "Backups and schedules",
		resources: []func() resource.Resource{
			backups.NewBackupConfigResource,
			schedules.NewSnapshotScheduleResource,
			schedules.NewSnapshotPolicyResource,
			modules.NewBackupModuleResource,
			monitoring.NewAlertConfigResource,
		},
		dataSources: []func() datasource.DataSource{
			backups.NewBackupConfigDataSource,
			backups.NewBackupConfigsDataSource,
			schedules.NewSnapshotScheduleDataSource,
			monitoring.NewBackupStatusDataSource,
			monitoring.NewBackupAlertsDataSource,
		},
		lists: []func() list.ListResource{
			backups.NewBackupConfigList,
			schedules.NewSnapshotScheduleList,
			modules.NewBackupModuleList,
			monitoring.NewAlertConfigList,
		},
	},
	{
		title: "Snapshots and restores",
		resources: []func() resource.Resource{
			snapshots.NewOnDemandSnapshotResource,
			restores.NewRestoreJobResource,
		},
		dataSources: []func() datasource.DataSource{
			snapshots.NewClusterSnapshotsDataSource,
			snapshots.NewConfigServerSnapshotsDataSource,
			restores.NewRestoreJobsDataSource,
			restores.NewRestorableTimeRangesDataSource,
		},
		lists: []func() list.ListResource{snapshots.NewOnDemandSnapshotList},
		actions: []func() action.Action{
			snapshots.NewOnDemandSnapshotAction,
			restores.NewRestoreJobAction,
		},
	},
	{
		title: "Stores, daemons and regions",
		resources: append(infrastructure.Resources(),
			infrastructure.NewDeploymentRegionResource,
			infrastructure.NewBackupDaemonResource,
			infrastructure.NewJobConfigResource,
		),
		dataSources: []func() datasource.DataSource{
			infrastructure.NewBackupStoresDataSource,
			infrastructure.NewDeploymentRegionsDataSource,
			infrastructure.NewBackupDaemonsDataSource,
			infrastructure.NewJobConfigDataSource,
		},
		lists: append(infrastructure.ListResources(),
			infrastructure.NewDeploymentRegionList,
			infrastructure.NewBackupDaemonList,
			infrastructure.NewJobConfigList,
		),
	},
}

// Groups returns the title of the group of each type, for the pages in the registry.
func Groups(ctx context.Context) map[string]string {
	titles := map[string]string{}
	for _, g := range groups {
		for _, construct := range g.resources {
			var resp resource.MetadataResponse
			construct().Metadata(ctx, resource.MetadataRequest{ProviderTypeName: typeName}, &resp)
			titles[resp.TypeName] = g.title
		}
		for _, construct := range g.dataSources {
			var resp datasource.MetadataResponse
			construct().Metadata(ctx, datasource.MetadataRequest{ProviderTypeName: typeName}, &resp)
			titles[resp.TypeName] = g.title
		}
	}
	return titles
}

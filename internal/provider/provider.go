// Package provider is the Terraform provider: its configuration, and which resources
// and data sources it has. The packages below it implement these. They know the API
// client, and nothing of HTTP.
package provider

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/backups"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/provider/regions"
	"terraform-provider-opsmanager/internal/provider/schedules"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

const (
	defaultRequestTimeout = 30 * time.Second
	defaultMaxRetries     = 4
	defaultSettleTime     = 20 * time.Second
)

type opsmanagerProvider struct {
	version string
	options Options
}

// Options are what no configuration says. Tests that run side by side give each
// provider its own.
type Options struct {
	Getenv func(string) string // nil: os.Getenv

	// As in [opsmanager.Config].
	RetryWaitMin, RetryWaitMax time.Duration

	// How long Ops Manager may take to show what was written; 0: 20 seconds.
	SettleTime time.Duration
}

var _ provider.ProviderWithListResources = (*opsmanagerProvider)(nil)

// New returns the provider as main serves it.
func New(version string) func() provider.Provider {
	return NewWithOptions(version, Options{})
}

// NewWithOptions returns the provider with options of its own.
func NewWithOptions(version string, options Options) func() provider.Provider {
	if options.Getenv == nil {
		options.Getenv = os.Getenv
	}
	if options.SettleTime == 0 {
		options.SettleTime = defaultSettleTime
	}
	return func() provider.Provider {
		return &opsmanagerProvider{version: version, options: options}
	}
}

func (p *opsmanagerProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "opsmanager"
	resp.Version = p.version
}

func (p *opsmanagerProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Declares the backup administration of MongoDB Ops Manager: snapshot schedules and deployment regions, and the lists of what is backed up. " +
			"Each setting is taken from the configuration, else from an environment variable.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Address of Ops Manager, such as `https://opsmanager.example.com:8443`, with or without a trailing slash, and with or without `/api/public/v1.0`. " +
					"Plain `http` to anything but this machine draws a warning. Needed, here or in the environment." + orEnvironment("base_url"),
			},
			"public_key": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Public key of a programmatic API key: the user name of the HTTP Digest authentication. Needed, here or in the environment." + orEnvironment("public_key"),
			},
			"private_key": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				MarkdownDescription: "Private key of the same API key. It never leaves this machine: only digests computed with it do. Needed, here or in the environment." + orEnvironment("private_key"),
			},
			"ca_cert_file": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Path of a PEM file with certificates of authorities to trust, beside those that the system trusts. Default: those alone." + orEnvironment("ca_cert_file"),
			},
			"ca_cert_pem": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The same as `ca_cert_file`, as text. Both may be given, and neither has to be.",
			},
			"client_cert_file": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Path of a PEM file with the certificate to present to a service that demands one. Needs `client_key_file`. Default: none is presented." + orEnvironment("client_cert_file"),
			},
			"client_key_file": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Path of the PEM file with the private key of `client_cert_file`, and needed with it alone." + orEnvironment("client_key_file"),
			},
			"insecure_skip_verify": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to accept any certificate. Anyone between this machine and Ops Manager can then change what is read and written; trust the authority with `ca_cert_file` instead. " +
					"Default `false`." + orEnvironment("insecure_skip_verify"),
			},
			"proxy_url": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Address of an HTTP, HTTPS or SOCKS5 proxy, such as `http://proxy.example.com:3128`: `http`, `https`, `socks5` or `socks5h`. A password is better off in `HTTPS_PROXY`: a plan holds what is configured. " +
					"Default: what `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say.",
			},
			"request_timeout": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "How long one attempt of a request may take, answer included, as a duration such as `45s` or `2m`, more than zero. Default `30s`.",
			},
			"max_retries": schema.Int64Attribute{
				Optional:   true,
				CustomType: tfmodel.WholeNumberType{},
				MarkdownDescription: "How often a request is repeated that failed in a way that may pass: no connection, a timeout, status 429 (after what `Retry-After` asks, a minute at most), 502, 503 or 504. " +
					"A creation is repeated only where nothing can have come of it. " +
					"Once a request has been given up and no other was answered meanwhile, one at a time is tried, once, and the others fail without being sent, until one is answered. `0` or more; `0` repeats nothing. Default `4`.",
				Validators: []validator.Int64{int64validator.AtLeast(0)},
			},
		},
	}
}

func (p *opsmanagerProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var s settings
	resp.Diagnostics.Append(tfmodel.Read(ctx, req.Config, &s)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r := resolver{getenv: p.options.Getenv, diags: &resp.Diagnostics}
	config := opsmanager.Config{
		RetryWaitMin: p.options.RetryWaitMin,
		RetryWaitMax: p.options.RetryWaitMax,

		UserAgent: fmt.Sprintf("terraform-provider-opsmanager/%s Terraform/%s", p.version, req.TerraformVersion),
		Log:       tflog.Debug,
	}
	r.address(s, &config)
	r.keyPair(s, &config)
	r.trust(s, &config)
	r.clientCertificate(s, &config)
	r.timeouts(s, &config)
	if resp.Diagnostics.HasError() {
		return
	}
	data := &connection.Data{Unknown: r.unknown, SettleTime: p.options.SettleTime}
	if len(r.unknown) == 0 {
		data.Client = opsmanager.NewClient(config)
	}
	resp.ResourceData = data
	resp.DataSourceData = data
	resp.ListResourceData = data
}

func (p *opsmanagerProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		schedules.NewSnapshotScheduleResource,
		regions.NewDeploymentRegionResource,
	}
}

func (p *opsmanagerProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		projects.NewProjectDataSource,
		projects.NewProjectsDataSource,
		projects.NewClustersDataSource,
		projects.NewClusterDataSource,
		schedules.NewSnapshotScheduleDataSource,
		backups.NewBackupConfigDataSource,
		backups.NewBackupConfigsDataSource,
		backups.NewClusterSnapshotsDataSource,
		backups.NewConfigServerSnapshotsDataSource,
		regions.NewDeploymentRegionsDataSource,
	}
}

func (p *opsmanagerProvider) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{
		schedules.NewSnapshotScheduleList,
		regions.NewDeploymentRegionList,
	}
}

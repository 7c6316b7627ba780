// Package provider is the Terraform provider: schemas, plans and state. It
// knows the API client, and nothing of HTTP.
package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-opsmanager/internal/opsmanager"
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

// settings is the provider's configuration as it is written.
type settings struct {
	BaseURL            types.String `tfsdk:"base_url"`
	PublicKey          types.String `tfsdk:"public_key"`
	PrivateKey         types.String `tfsdk:"private_key"`
	CACertFile         types.String `tfsdk:"ca_cert_file"`
	CACertPEM          types.String `tfsdk:"ca_cert_pem"`
	ClientCertFile     types.String `tfsdk:"client_cert_file"`
	ClientKeyFile      types.String `tfsdk:"client_key_file"`
	InsecureSkipVerify types.Bool   `tfsdk:"insecure_skip_verify"`
	ProxyURL           types.String `tfsdk:"proxy_url"`
	RequestTimeout     types.String `tfsdk:"request_timeout"`
	MaxRetries         types.Int64  `tfsdk:"max_retries"`
}

// The environment variables of each setting: the provider's own, then the one
// of MongoDB's command line for Ops Manager.
var environment = map[string][]string{
	"base_url":             {"OPSMANAGER_BASE_URL", "MCLI_OPS_MANAGER_URL"},
	"public_key":           {"OPSMANAGER_PUBLIC_KEY", "MCLI_PUBLIC_API_KEY"},
	"private_key":          {"OPSMANAGER_PRIVATE_KEY", "MCLI_PRIVATE_API_KEY"},
	"ca_cert_file":         {"OPSMANAGER_CA_CERT_FILE", "MCLI_OPS_MANAGER_CA_CERTIFICATE"},
	"client_cert_file":     {"OPSMANAGER_CLIENT_CERT_FILE"},
	"client_key_file":      {"OPSMANAGER_CLIENT_KEY_FILE"},
	"insecure_skip_verify": {"OPSMANAGER_INSECURE_SKIP_VERIFY", "MCLI_OPS_MANAGER_SKIP_VERIFY"},
}

// orEnvironment ends the description of a setting that variables can give.
func orEnvironment(setting string) string {
	return " Environment: `" + strings.Join(environment[setting], "`, then `") + "`."
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
				CustomType: wholeNumberType{},
				MarkdownDescription: "How often a request is repeated that failed in a way that may pass: no connection, a timeout, status 429 (after what `Retry-After` asks, a minute at most), 502, 503 or 504. " +
					"A creation is repeated only where nothing can have come of it. " +
					"Once a request has been given up and no other was answered meanwhile, one at a time is tried, once, and the others fail without being sent, until one is answered. `0` or more; `0` repeats nothing. Default `4`.",
				Validators: []validator.Int64{int64validator.AtLeast(0)},
			},
		},
	}
}

// service is what the configuration comes to: a client, or the names of the
// settings that are not known yet.
type service struct {
	client     *opsmanager.Client // nil while a setting is unknown
	unknown    []string
	settleTime time.Duration
	regions    regionMemory
}

// settle calls agrees with growing pauses, until it returns true, Ops Manager has
// had the time to show what was written, or ctx is done. A server may show old
// values for some reads after a write, and ignores some fields for ever.
func (s *service) settle(ctx context.Context, agrees func() bool) {
	const reads = 6 // in 20 s: after 0.25, 0.75, 1.75, 3.75, 7.75 and 15.75 s
	pause := s.settleTime / 80
	for range reads {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		if agrees() {
			return
		}
		pause *= 2
	}
}

// usable reports whether there is a client, and says what a call waits for where
// there is none.
func (s *service) usable(summary string, diags *diag.Diagnostics) bool {
	if s.client != nil {
		return true
	}
	diags.AddError(summary, fmt.Sprintf("The provider's %s is not known yet, so Ops Manager cannot be called. "+
		"Give it a value that is known when this runs: apply what it comes from first (-target), or keep that in a configuration of its own. "+
		"A data source can also wait for it with depends_on.", strings.Join(s.unknown, ", ")))
	return false
}

// keepsState reports whether a refresh has to leave the state as it is, because
// a setting of the provider is not known yet.
func (s *service) keepsState(diags *diag.Diagnostics) bool {
	if s.client != nil {
		return false
	}
	diags.AddWarning("Ops Manager Not Read",
		fmt.Sprintf("The provider's %s is not known yet, so the state was kept as it is and drift would not show.", strings.Join(s.unknown, ", ")))
	return true
}

func (p *opsmanagerProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var s settings
	resp.Diagnostics.Append(readModel(ctx, req.Config, &s)...)
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
	r.patience(s, &config)
	if resp.Diagnostics.HasError() {
		return
	}
	result := &service{unknown: r.unknown, settleTime: p.options.SettleTime}
	if len(r.unknown) == 0 {
		result.client = opsmanager.NewClient(config)
	}
	resp.ResourceData = result
	resp.DataSourceData = result
	resp.ListResourceData = result
}

func (p *opsmanagerProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		newSnapshotScheduleResource,
		newDeploymentRegionResource,
	}
}

func (p *opsmanagerProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		newProjectDataSource,
		newClustersDataSource,
		newClusterDataSource,
		newSnapshotScheduleDataSource,
		newBackupConfigDataSource,
		newBackupConfigsDataSource,
		newClusterSnapshotsDataSource,
		newConfigServerSnapshotsDataSource,
		newDeploymentRegionsDataSource,
	}
}

func (p *opsmanagerProvider) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{
		newSnapshotScheduleList,
		newDeploymentRegionList,
	}
}

// resolver finds the value of each setting, and notes what is unknown or wrong.
type resolver struct {
	getenv  func(string) string
	diags   *diag.Diagnostics
	unknown []string
}

// known reports whether a setting has a value yet, and notes the ones that don't.
func (r *resolver) known(setting string, value attr.Value) bool {
	if value.IsUnknown() {
		r.unknown = append(r.unknown, setting)
	}
	return !value.IsUnknown()
}

// text returns the configured value of a setting, or that of its first variable
// that is set, without the blanks and line feeds around it.
func (r *resolver) text(setting string, configured types.String) (value string, known bool) {
	if !r.known(setting, configured) {
		return "", false
	}
	if value := strings.TrimSpace(configured.ValueString()); value != "" {
		return value, true
	}
	value, _ = r.variable(setting)
	return value, true
}

func (r *resolver) variable(setting string) (value, name string) {
	for _, name := range environment[setting] {
		if value := strings.TrimSpace(r.getenv(name)); value != "" {
			return value, name
		}
	}
	return "", ""
}

func (r *resolver) fail(setting, summary, detail string) {
	r.diags.AddAttributeError(path.Root(setting), summary, detail)
}

// failUnseen reports a setting that may hold a secret which belongs elsewhere. An
// error on the attribute would have Terraform print the line of the configuration.
func (r *resolver) failUnseen(setting, summary, detail string) {
	r.diags.AddError(summary, setting+": "+detail)
}

// read returns the content of the file that a setting names. If the setting holds the
// content itself, which may be a private key, the error does not repeat it.
func (r *resolver) read(setting, file string) (content []byte, ok bool) {
	if strings.Contains(file, "-----BEGIN") || strings.ContainsAny(file, "\r\n") {
		r.failUnseen(setting, "Invalid File Path", "This must be the path of a PEM file. Its value looks like the content of one.")
		return nil, false
	}
	content, err := os.ReadFile(file)
	var cause *fs.PathError
	switch {
	case err == nil:
	case strings.HasPrefix(file, ".") || filepath.IsAbs(file) || !errors.As(err, &cause):
		r.fail(setting, "Unable to Read File", sentence(err))
	default: // what doesn't look like a path may be a key
		r.failUnseen(setting, "Unable to Read File", "The file that it names: "+cause.Err.Error()+".")
	}
	return content, err == nil
}

// missing reports a setting that nothing gives.
func (r *resolver) missing(setting, what string) {
	r.fail(setting, "Missing Provider Setting",
		fmt.Sprintf("%s is needed to call Ops Manager. Set %s in the provider configuration, or the environment variable %s.",
			what, setting, strings.Join(environment[setting], " or ")))
}

func (r *resolver) address(s settings, config *opsmanager.Config) {
	if address, known := r.text("base_url", s.BaseURL); known {
		base, err := opsmanager.ParseBaseURL(address)
		switch {
		case address == "":
			r.missing("base_url", "The address of the service")
		case err != nil:
			r.failUnseen("base_url", "Invalid Base URL", sentence(err))
		}
		config.BaseURL = base
	}
	proxy, known := r.text("proxy_url", s.ProxyURL)
	if known && proxy != "" {
		address, err := opsmanager.ParseProxyURL(proxy)
		if err != nil {
			r.failUnseen("proxy_url", "Invalid Proxy URL", sentence(err))
		}
		config.Proxy = address
	}
	if config.BaseURL == nil {
		return
	}
	if opsmanager.IsPlainHTTP(config.BaseURL, config.Proxy) {
		r.diags.AddAttributeWarning(path.Root("base_url"), "Plain HTTP to Ops Manager",
			"Whoever is on the way to "+config.BaseURL.Host+" can read and change what is sent and answered, and can take over a call. Use https where the service offers it.")
	}
	if known && proxy == "" {
		r.proxyOfEnvironment(config.BaseURL.Scheme)
	}
}

// proxyOfEnvironment warns about a variable that isn't the address of a proxy: net/http
// may ignore it.
func (r *resolver) proxyOfEnvironment(scheme string) {
	for _, name := range []string{strings.ToUpper(scheme) + "_PROXY", scheme + "_proxy"} {
		value := r.getenv(name)
		if value == "" {
			continue
		}
		if !strings.Contains(value, "://") {
			value = "http://" + value
		}
		if _, err := opsmanager.ParseProxyURL(value); err != nil {
			r.diags.AddWarning("Malformed Proxy in the Environment",
				fmt.Sprintf("The environment variable %s is not the address of a proxy, such as http://proxy.example.com:3128, so requests may be sent without one. Correct it, or set proxy_url.", name))
		}
		return
	}
}

func (r *resolver) keyPair(s settings, config *opsmanager.Config) {
	public, publicKnown := r.text("public_key", s.PublicKey)
	private, privateKnown := r.text("private_key", s.PrivateKey)
	if publicKnown && public == "" {
		r.missing("public_key", "The public key of an API key")
	}
	if privateKnown && private == "" {
		r.missing("private_key", "The private key of an API key")
	}
	config.PublicKey, config.PrivateKey = public, private
}

func (r *resolver) trust(s settings, config *opsmanager.Config) {
	if file, known := r.text("ca_cert_file", s.CACertFile); known && file != "" {
		if document, ok := r.read("ca_cert_file", file); ok {
			var err error
			config.RootCAs, err = opsmanager.AddRootCAs(config.RootCAs, document)
			if err != nil {
				r.fail("ca_cert_file", "Invalid CA File", file+": "+sentence(err))
			}
		}
	}
	if text, known := r.text("ca_cert_pem", s.CACertPEM); known && text != "" {
		var err error
		config.RootCAs, err = opsmanager.AddRootCAs(config.RootCAs, []byte(text))
		if err != nil {
			r.fail("ca_cert_pem", "Invalid CA Certificate", sentence(err))
		}
	}

	if r.known("insecure_skip_verify", s.InsecureSkipVerify) {
		config.InsecureSkipVerify = s.InsecureSkipVerify.ValueBool()
		if value, name := r.variable("insecure_skip_verify"); s.InsecureSkipVerify.IsNull() && value != "" {
			skip, err := parseBool(value)
			if err != nil {
				r.fail("insecure_skip_verify", "Invalid Provider Setting", fmt.Sprintf("The environment variable %s must be true or false.", name))
			}
			config.InsecureSkipVerify = skip
		}
	}
	if config.InsecureSkipVerify {
		r.diags.AddAttributeWarning(path.Root("insecure_skip_verify"), "Certificate of Ops Manager Not Verified",
			"Anyone between this machine and Ops Manager can pose as it. Trust the authority that signed its certificate with ca_cert_file instead.")
	}
}

// parseBool reads a variable: as Go does, and the yes of MongoDB's command line.
func parseBool(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "yes":
		return true, nil
	case "no":
		return false, nil
	}
	return strconv.ParseBool(text)
}

func (r *resolver) clientCertificate(s settings, config *opsmanager.Config) {
	certificate, certificateKnown := r.text("client_cert_file", s.ClientCertFile)
	key, keyKnown := r.text("client_key_file", s.ClientKeyFile)
	switch {
	case !certificateKnown || !keyKnown || certificate == "" && key == "":
		return
	case certificate == "":
		r.missing("client_cert_file", "The certificate that belongs to client_key_file")
		return
	case key == "":
		r.missing("client_key_file", "The private key that belongs to client_cert_file")
		return
	}
	certificatePEM, certificateRead := r.read("client_cert_file", certificate)
	keyPEM, keyRead := r.read("client_key_file", key)
	if !certificateRead || !keyRead {
		return
	}
	pair, err := tls.X509KeyPair(certificatePEM, keyPEM)
	if err != nil {
		r.fail("client_cert_file", "Invalid Client Certificate",
			fmt.Sprintf("The certificate in %s and the private key in %s cannot be used together: %v.", certificate, key, err))
		return
	}
	config.Certificates = []tls.Certificate{pair}
}

func (r *resolver) patience(s settings, config *opsmanager.Config) {
	config.Timeout = defaultRequestTimeout
	if text, known := r.text("request_timeout", s.RequestTimeout); known && text != "" {
		timeout, err := time.ParseDuration(text)
		if err != nil || timeout <= 0 {
			r.fail("request_timeout", "Invalid Request Timeout", "This must be a positive duration such as 45s or 2m.")
		}
		config.Timeout = timeout
	}
	config.MaxRetries = defaultMaxRetries
	if r.known("max_retries", s.MaxRetries) && !s.MaxRetries.IsNull() {
		config.MaxRetries = int(s.MaxRetries.ValueInt64())
	}
}

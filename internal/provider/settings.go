package provider

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// settings is the provider's configuration.
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

// environment has the environment variables of each setting, in order of precedence: the
// provider's own, and then the one of MongoDB's command line for Ops Manager.
var environment = map[string][]string{
	"base_url":             {"OPSMANAGER_BASE_URL", "MCLI_OPS_MANAGER_URL"},
	"public_key":           {"OPSMANAGER_PUBLIC_KEY", "MCLI_PUBLIC_API_KEY"},
	"private_key":          {"OPSMANAGER_PRIVATE_KEY", "MCLI_PRIVATE_API_KEY"},
	"ca_cert_file":         {"OPSMANAGER_CA_CERT_FILE", "MCLI_OPS_MANAGER_CA_CERTIFICATE"},
	"client_cert_file":     {"OPSMANAGER_CLIENT_CERT_FILE"},
	"client_key_file":      {"OPSMANAGER_CLIENT_KEY_FILE"},
	"insecure_skip_verify": {"OPSMANAGER_INSECURE_SKIP_VERIFY", "MCLI_OPS_MANAGER_SKIP_VERIFY"},
}

// orEnvironment ends the description of a setting that has environment variables.
func orEnvironment(setting string) string {
	return " Environment variable: `" + strings.Join(environment[setting], "`, or else `") + "`."
}

// FromEnvironment returns the settings of a client that the environment has, as for a provider block
// without any, and warnings about them.
func FromEnvironment(getenv func(string) string) (config opsmanager.Config, warnings []string, err error) {
	var diags diag.Diagnostics
	r := resolver{
		getenv:          getenv,
		diags:           &diags,
		onlyEnvironment: true,
	}
	r.resolve(settings{}, &config)
	var failures []error
	for _, d := range diags {
		if d.Severity() == diag.SeverityError {
			failures = append(failures, errors.New(d.Detail()))
		} else {
			warnings = append(warnings, d.Detail())
		}
	}
	return config, warnings, errors.Join(failures...)
}

// Advice returns what to do about a failed call of a client of [FromEnvironment], or "" if there is no
// advice. It is that of the provider, with environment variables in place of settings.
func Advice(e *opsmanager.Error) string {
	names := []string{
		" Remove proxy_url, because it takes precedence.", "", "proxy_url", "HTTPS_PROXY",
		" To wait longer or retry more often, raise request_timeout or max_retries.", "", " If this Ops Manager is slow, raise request_timeout or max_retries.", "",
	}
	for setting, variables := range environment {
		names = append(names, setting, variables[0])
	}
	return strings.NewReplacer(names...).Replace(tf.AdviceFor(e))
}

// resolver finds the value of each setting, and collects the unknown and invalid ones.
type resolver struct {
	getenv  func(string) string
	diags   *diag.Diagnostics
	unknown []string
	from    map[string]string // the environment variables of the settings that are not configured

	onlyEnvironment bool // there is no provider configuration
}

// resolve sets what a client needs of a configuration and the environment.
func (r *resolver) resolve(s settings, config *opsmanager.Config) {
	r.address(s, config)
	r.keyPair(s, config)
	r.trust(s, config)
	r.clientCertificate(s, config)
	r.timeouts(s, config)
}

// known reports whether the value of a setting is known, and collects those that aren't.
func (r *resolver) known(setting string, value attr.Value) bool {
	if value.IsUnknown() {
		r.unknown = append(r.unknown, setting)
	}
	return !value.IsUnknown()
}

// text returns the configured value of a setting, or that of its first environment
// variable that is set, without surrounding blanks and line feeds.
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
			if r.from == nil {
				r.from = map[string]string{}
			}
			r.from[setting] = name
			return value, name
		}
	}
	return "", ""
}

// origin returns the environment variable that the value of a setting comes from, in parentheses, or nothing.
// Terraform prints the provider block with each message, which does not set the value then.
func (r *resolver) origin(setting string) string {
	if name := r.from[setting]; name != "" {
		return " (from the environment variable " + name + ")"
	}
	return ""
}

// fail adds an error about the value of a setting. The error names no attribute, because
// Terraform would print that line of the configuration. That line, like the value, may
// contain a secret that was assigned to the wrong setting.
func (r *resolver) fail(setting, summary, detail string) {
	r.diags.AddError(summary, setting+r.origin(setting)+": "+detail)
}

// read returns the content of the file that a setting names.
func (r *resolver) read(setting, file string) (content []byte, ok bool) {
	if !tf.NoContent.Check(setting+r.origin(setting), file, r.diags) {
		return nil, false
	}
	content, err := os.ReadFile(file)
	if cause := new(fs.PathError); errors.As(err, &cause) { // drop the path
		err = cause.Err
	}
	if err != nil {
		r.fail(setting, "Unable to Read File", "The file can't be read: "+err.Error()+".")
	}
	return content, err == nil
}

// missing adds an error about a required setting without a value.
func (r *resolver) missing(setting, what string) {
	where := setting + " in the provider configuration, or "
	if r.onlyEnvironment {
		where = ""
	}
	r.diags.AddAttributeError(path.Root(setting), "Missing Provider Setting",
		fmt.Sprintf("%s is required. Set %sthe environment variable %s.", what, where, strings.Join(environment[setting], " or ")))
}

func (r *resolver) address(s settings, config *opsmanager.Config) {
	if address, known := r.text("base_url", s.BaseURL); known {
		base, err := opsmanager.ParseBaseURL(address)
		switch {
		case address == "":
			r.missing("base_url", "The address of Ops Manager")
		case err != nil:
			r.fail("base_url", "Invalid Base URL", tf.Sentence(err))
		}
		config.BaseURL = base
	}
	proxy, known := r.text("proxy_url", s.ProxyURL)
	if known && proxy != "" {
		address, err := opsmanager.ParseProxyURL(proxy)
		if err != nil {
			r.fail("proxy_url", "Invalid Proxy URL", tf.Sentence(err))
		} else if _, password := address.User.Password(); password {
			// Without the attribute, because Terraform would print the line with the password.
			r.diags.AddWarning("Proxy Password in the Configuration",
				"Saved plans contain the configuration, and with it the password in proxy_url. Remove proxy_url, and set the environment variable HTTPS_PROXY instead, or HTTP_PROXY if base_url starts with http://.")
		}
		config.Proxy = address
	}
	why := r.rehearses()
	if around := r.rehearsalAround(); around != "" {
		r.diags.AddError("Inside of a Rehearsal", "This folder is inside of the rehearsal in "+around+", but it has a state of its own, which an apply would change. "+
			"So the provider sends nothing. To rehearse this configuration, prepare a rehearsal of its original folder.")
	}
	if why != "" {
		config.LoopbackOnly = true
		config.Proxy = nil
		known = false
	}
	if config.BaseURL == nil {
		return
	}
	if config.LoopbackOnly && !opsmanager.IsLoopback(config.BaseURL) {
		r.diags.AddAttributeError(path.Root("base_url"), "Not in a Rehearsal",
			config.BaseURL.Host+r.origin("base_url")+" is not this machine, and "+why+", so the provider sends nothing to it. "+
				r.inRehearsal("In "+rehearsalFile+", set base_url to the address of the emulator that serves the copy, in a provider block with the alias of this one, if it has an alias."))
	}
	if opsmanager.IsPlainHTTP(config.BaseURL, config.Proxy) {
		r.diags.AddAttributeWarning(path.Root("base_url"), "Plain HTTP to Ops Manager",
			"Anyone on the network path to "+config.BaseURL.Host+r.origin("base_url")+" can read and modify requests and responses, and hijack a request. Use https if Ops Manager supports it.")
	}
	if known && proxy == "" {
		r.checkProxyVariable(config.BaseURL.Scheme)
	}
}

// rehearsal is the environment variable that keeps the provider from reaching another machine.
const rehearsal = "OPSMANAGER_REHEARSAL"

// rehearsalPublicKey and rehearsalPrivateKey are the key pair of the emulator, the only one that a rehearsal
// uses. A tunnel on this machine may lead to a real Ops Manager, which rejects that pair.
const (
	rehearsalPublicKey  = "emulator"
	rehearsalPrivateKey = "00000000-1111-2222-3333-444444444444"
)

// rehearsalFile is the file with which a rehearsal leads a configuration to the emulator. The variable is
// missing in another shell, and the file changes no provider block with an alias, of a module, or of a folder
// inside of this one.
const rehearsalFile = "rehearsal_override.tf"

// rehearses returns why the provider may reach only the emulator on this machine, or "" if it may reach any.
func (r *resolver) rehearses() (why string) {
	if r.isOn(rehearsal) {
		return "the environment variable " + rehearsal + " is set"
	}
	if _, err := os.Lstat(rehearsalFile); !errors.Is(err, fs.ErrNotExist) {
		return "this folder has a " + rehearsalFile
	}
	return ""
}

// rehearsalAround returns the folder of the rehearsal that the configuration is inside of, without being the one
// that is rehearsed, or "". Terraform starts the provider in the folder of the configuration. With -chdir, or
// behind a link, only the folder of the shell may be inside.
func (r *resolver) rehearsalAround() string {
	if _, err := os.Lstat(rehearsalFile); !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	here, _ := os.Getwd()
	here, _ = filepath.EvalSymlinks(here)
	for _, folder := range []string{here, r.getenv("PWD")} {
		for ; filepath.IsAbs(folder) && folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
			if _, err := os.Lstat(filepath.Join(folder, rehearsalFile)); err == nil {
				return folder
			}
		}
	}
	return ""
}

// isOn reports whether an environment variable turns on what protects. Each value that does not clearly turn
// it off does.
func (r *resolver) isOn(variable string) bool {
	value := r.getenv(variable)
	if value == "" {
		return false
	}
	off := []string{"0", "f", "false", "n", "no", "off"}
	return !slices.Contains(off, strings.ToLower(strings.TrimSpace(value)))
}

// inRehearsal says what to do about what a rehearsal refuses. A command without a configuration has no
// provider blocks.
func (r *resolver) inRehearsal(blocks string) string {
	if r.onlyEnvironment {
		return "To reach a real Ops Manager with this command, unset " + rehearsal + ", and run it outside of the folder of the rehearsal."
	}
	return blocks + " To leave the rehearsal, go back to the folder of the configuration, and unset " + rehearsal + "."
}

// checkProxyVariable adds a warning if the environment variable of the proxy is not an address,
// because net/http may ignore it.
func (r *resolver) checkProxyVariable(scheme string) {
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
				fmt.Sprintf("The environment variable %s must be the address of a proxy, such as http://proxy.example.com:3128. With a different value, requests may be sent without a proxy. Correct the variable, or set proxy_url.", name))
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
	isOfEmulator := public == rehearsalPublicKey || strings.HasPrefix(public, rehearsalPublicKey+"-") // one with roles
	isOther := !isOfEmulator || private != rehearsalPrivateKey
	why := r.rehearses()
	if why != "" && publicKnown && privateKnown && isOther && !r.diags.HasError() {
		r.fail("public_key", "Not the Key Pair of the Emulator",
			"The provider uses only the key pair of the emulator, because "+why+": an address of this machine may be a tunnel to a real Ops Manager. "+
				r.inRehearsal("In an override file, set public_key and private_key of this provider block to the values in "+rehearsalFile+"."))
	}
	config.PublicKey = public
	config.PrivateKey = private
}

func (r *resolver) trust(s settings, config *opsmanager.Config) {
	if file, known := r.text("ca_cert_file", s.CACertFile); known && file != "" {
		if document, ok := r.read("ca_cert_file", file); ok {
			var err error
			config.RootCAs, err = opsmanager.AddRootCAs(config.RootCAs, document)
			if err != nil {
				r.fail("ca_cert_file", "Invalid CA File", file+": "+tf.Sentence(err))
			}
		}
	}
	if text, known := r.text("ca_cert_pem", s.CACertPEM); known && text != "" {
		var err error
		config.RootCAs, err = opsmanager.AddRootCAs(config.RootCAs, []byte(text))
		if err != nil {
			r.fail("ca_cert_pem", "Invalid CA Certificate", tf.Sentence(err))
		}
	}

	if r.known("insecure_skip_verify", s.InsecureSkipVerify) {
		config.InsecureSkipVerify = s.InsecureSkipVerify.ValueBool()
		if value, name := r.variable("insecure_skip_verify"); s.InsecureSkipVerify.IsNull() && value != "" {
			skip, err := parseBool(value)
			if err != nil {
				r.diags.AddAttributeError(path.Root("insecure_skip_verify"), "Invalid Provider Setting", fmt.Sprintf("The environment variable %s must be true or false.", name))
			}
			config.InsecureSkipVerify = skip
		}
	}
	if config.InsecureSkipVerify {
		r.diags.AddAttributeWarning(path.Root("insecure_skip_verify"), "Certificate of Ops Manager Not Verified",
			"insecure_skip_verify"+r.origin("insecure_skip_verify")+" is true, so anyone between this machine and Ops Manager can impersonate it. Instead, trust the CA that signed its certificate with ca_cert_file.")
	}
}

// parseBool accepts the spellings of strconv.ParseBool, and the yes and no of MongoDB's
// command line.
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

func (r *resolver) timeouts(s settings, config *opsmanager.Config) {
	config.Timeout = defaultRequestTimeout
	if text, known := r.text("request_timeout", s.RequestTimeout); known && text != "" {
		timeout, err := time.ParseDuration(text)
		if err != nil || timeout <= 0 || timeout > maxRequestTimeout {
			r.fail("request_timeout", "Invalid Request Timeout", "The value must be a positive duration, such as 45s or 2m, of at most 24h.")
		}
		config.Timeout = timeout
	}
	config.MaxRetries = defaultMaxRetries
	if r.known("max_retries", s.MaxRetries) && !s.MaxRetries.IsNull() {
		config.MaxRetries = int(min(s.MaxRetries.ValueInt64(), math.MaxInt32))
	}
}

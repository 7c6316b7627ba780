package provider

import (
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// ClientFromEnvironment returns the client of a provider that is configured by the environment
// only, for tests that call Ops Manager directly.
func ClientFromEnvironment(getenv func(string) string) (*opsmanager.Client, error) {
	var (
		diags  diag.Diagnostics
		none   settings
		config opsmanager.Config
	)
	r := resolver{getenv: getenv, diags: &diags}
	r.address(none, &config)
	r.keyPair(none, &config)
	r.trust(none, &config)
	r.clientCertificate(none, &config)
	r.timeouts(none, &config)
	var failures []error
	for _, d := range diags.Errors() {
		failures = append(failures, errors.New(d.Detail()))
	}
	if err := errors.Join(failures...); err != nil {
		return nil, err
	}
	return opsmanager.NewClient(config), nil
}

// Package serve serves the provider to Terraform: without the log lines that
// nobody reads, and with messages that a terminal can show.
package serve

import (
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

// Serve serves the provider at an address, host/namespace/type, until Terraform
// has no more use of it; or until it is interrupted, for a debugger.
func Serve(address string, newProvider func() provider.Provider, debug bool) error {
	quiet, err := quietSDK(os.Getenv, os.Setenv)
	if err != nil {
		return err
	}
	var options []tf6server.ServeOpt
	if debug {
		options = append(options, tf6server.WithManagedDebug())
	}
	return tf6server.Serve(address, func() tfprotov6.ProviderServer { return newServer(newProvider(), quiet) }, options...)
}

func newServer(p provider.Provider, quiet bool) tfprotov6.ProviderServer {
	server := Printable(providerserver.NewProtocol6(p)())
	if quiet {
		return Unlogged(server)
	}
	return server
}

// quietSDK keeps the plugin SDK from formatting log lines that nobody reads, and
// says whether nobody does: with TF_LOG unset it still writes each of its TRACE
// lines as JSON, some 40 % of a provider's processor time, and Terraform throws
// them away. Whoever sets a level gets every line.
func quietSDK(getenv func(string) string, setenv func(name, value string) error) (bool, error) {
	loggers := []string{"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK"}
	for _, level := range append([]string{"TF_LOG", "TF_LOG_PROVIDER"}, loggers...) {
		if getenv(level) != "" {
			return false, nil
		}
	}
	for _, logger := range loggers {
		if err := setenv(logger, "ERROR"); err != nil {
			return false, fmt.Errorf("setting %s: %w", logger, err)
		}
	}
	return true, nil
}

// Package serve serves the provider to Terraform. It turns off log lines that Terraform
// would discard, adds names to the IDs in all messages, and makes the messages printable.
package serve

import (
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

// Serve serves the provider with a source address, host/namespace/type, until Terraform stops it.
// With debug, it serves until you press Ctrl-C.
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
	return Printable(Observed(p), quiet)
}

// quietSDK turns off the logs of the plugin SDK unless a log level is set, and reports
// whether it did. Without TF_LOG, the SDK still formats all TRACE lines as JSON, which
// takes 40 % of a provider's processor time, and Terraform discards them.
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

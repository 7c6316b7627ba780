// Package serve serves the provider to Terraform. It turns off log lines that Terraform
// would discard, adds names to the IDs in all messages, and makes the messages printable.
package serve

import (
	"fmt"
	"os"
	"runtime"

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
	return withHeadroom(func() error {
		return tf6server.Serve(address, func() tfprotov6.ProviderServer { return newServer(newProvider(), quiet) }, options...)
	})
}

// headroom is the size of memory that the garbage collector counts as live, in bytes. Nothing writes to it, so it takes none of the
// machine. A small heap is then collected less often: a plan of 1,000 schedules takes a sixth less processor time, of Terraform and
// the provider together.
const headroom = 16 << 20

// withHeadroom calls a function while the headroom exists.
func withHeadroom(serve func() error) error {
	memory := make([]byte, headroom)
	defer runtime.KeepAlive(memory)
	return serve()
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

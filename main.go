// Command terraform-provider-opsmanager is a Terraform and OpenTofu provider
// for the backup administration API of MongoDB Ops Manager.
package main

import (
	"context"
	"flag"
	"log"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"terraform-provider-opsmanager/internal/provider"
)

// address is where configurations find the provider. No public registry answers
// for its host, until the provider is published there.
const address = "terraform.local/local/opsmanager"

// version is set by the release build.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "run under a debugger, and print how Terraform attaches to it")
	flag.Parse()

	quietSDK(os.Getenv, os.Setenv)
	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address: address,
		Debug:   *debug,
	})
	if err != nil {
		log.Fatal(err)
	}
}

// quietSDK keeps the plugin SDK from formatting log lines that nobody reads:
// with TF_LOG unset it still writes each of its TRACE lines as JSON, some 40 %
// of a provider's processor time, and Terraform throws them away. Whoever sets a
// level gets every line.
func quietSDK(getenv func(string) string, setenv func(name, value string) error) {
	loggers := []string{"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK"}
	for _, level := range append([]string{"TF_LOG", "TF_LOG_PROVIDER"}, loggers...) {
		if getenv(level) != "" {
			return
		}
	}
	for _, logger := range loggers {
		if err := setenv(logger, "ERROR"); err != nil {
			log.Print(err)
		}
	}
}

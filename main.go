// Command terraform-provider-opsmanager is a Terraform and OpenTofu provider
// for the backup administration API of MongoDB Ops Manager.
package main

import (
	"flag"
	"log"

	"terraform-provider-opsmanager/internal/provider"
	"terraform-provider-opsmanager/internal/serve"
)

// address is where configurations find the provider. No public registry answers
// for its host, until the provider is published there.
const address = "terraform.local/local/opsmanager"

// version is set by the release build.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "run under a debugger, and print how Terraform attaches to it")
	flag.Parse()

	if err := serve.Serve(address, provider.New(version), *debug); err != nil {
		log.Fatal(err)
	}
}

// Command terraform-provider-opsmanager is a Terraform and OpenTofu provider
// for the backup administration API of MongoDB Ops Manager.
package main

import (
	"flag"
	"log"

	"terraform-provider-opsmanager/internal/provider"
	"terraform-provider-opsmanager/internal/serve"
)

// address is the source address of the provider. Its host is not a registry, because the provider
// is not published yet.
const address = "terraform.local/local/opsmanager"

// version is set by make and by the release.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "run until you press Ctrl-C, so a debugger can attach; print the variable that Terraform needs")
	flag.Parse()

	if err := serve.Serve(address, provider.New(version), *debug); err != nil {
		log.Fatal(err)
	}
}

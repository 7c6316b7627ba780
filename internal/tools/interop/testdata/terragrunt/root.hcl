generate "provider" {
  path      = "provider.tf"
  if_exists = "overwrite"
  contents  = <<-EOF
    terraform {
      required_providers {
        opsmanager = {
          source = "${get_env("SOURCE")}"
        }
      }
    }

    provider "opsmanager" {}
  EOF
}

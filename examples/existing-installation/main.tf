terraform {
  required_version = ">= 1.5"

  required_providers {
    opsmanager = {
      source  = "terraform.local/local/opsmanager"
      version = "~> 0.1.0"
    }
  }
}

provider "opsmanager" {} # the address and the API key come from the environment

# The projects whose backups and schedules all.tfquery.hcl lists. To list some of them only, put
# a map with their names and IDs in place of ids_by_name there.
# tflint-ignore: terraform_unused_declarations
data "opsmanager_projects" "all" {}

# Takes the snapshots of three clusters at night, and keeps the other values that Ops Manager has. Where the interval is
# below 24 hours, some are taken during the day.

terraform {
  required_version = ">= 1.5"

  required_providers {
    opsmanager = {
      source  = "terraform.local/local/opsmanager"
      version = ">= 0.1.0"
    }
  }
}

# The address and the API key come from the environment.
provider "opsmanager" {}

variable "project_id" {
  description = "ID of the project: 24 hexadecimal digits."
  type        = string
}

module "fleet_policy" {
  source = "../.."

  project_id = var.project_id
  clusters   = { cards = "nightly", ledger = "nightly", orders = "nightly" }
  tiers      = { nightly = { snapshot_hours = [23, 0, 1] } }
}

output "without_a_tier" {
  description = "Clusters that are backed up and in no tier."
  value       = module.fleet_policy.without_a_tier
}

terraform {
  required_providers {
    opsmanager = {
      source = "terraform.local/local/opsmanager"
    }
  }
}

# The address and the API key come from the environment.
provider "opsmanager" {}

locals {
  payments = "64f0c2a19b3d5e7f80a1b2c3"
}

resource "opsmanager_snapshot_schedule" "ledger" {
  project_id = local.payments
  cluster_id = "650a1f3c2e4b6d8091a3b5c7"

  snapshot_interval_hours       = 12
  snapshot_retention_days       = 5
  daily_snapshot_retention_days = 60

  reference_hour_of_day      = 23
  reference_minute_of_hour   = 30
  reference_time_zone_offset = "+02:00"
}

resource "opsmanager_deployment_region" "london" {
  deployment_id          = "UK_LON"
  deployment_description = "London"
  ingestion_endpoint     = "https://om-lon.example.com:8443"
  restore_endpoint       = "https://om-lon.example.com:8443"
  bq_proxy_endpoint      = "om-lon.example.com:27217"
}

data "opsmanager_backup_configs" "payments" {
  project_id = local.payments
}

output "not_backed_up" {
  value = [
    for config in data.opsmanager_backup_configs.payments.results :
    config.cluster_id if config.status_name != "STARTED"
  ]
}

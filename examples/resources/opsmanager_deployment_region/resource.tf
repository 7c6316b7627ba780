# A new region. A destroy deletes it.
resource "opsmanager_deployment_region" "london" {
  deployment_id          = "UK_LON"
  deployment_description = "London"
  ingestion_endpoint     = "https://om-lon.example.com:8443"
  restore_endpoint       = "https://om-lon.example.com:8443"
  bq_proxy_endpoint      = "om-lon.example.com:27217"
  assignment_enabled     = true
}

# An existing region, adopted as it is. To destroy it, first set deletion_protection = false
# and apply.
resource "opsmanager_deployment_region" "australia" {
  deployment_id       = "AU_NZ"
  deletion_protection = true
}

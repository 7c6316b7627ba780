# A region with its complete definition: made by apply, deleted by destroy.
resource "opsmanager_deployment_region" "london" {
  deployment_id          = "UK_LON"
  deployment_description = "London"
  ingestion_endpoint     = "https://om-lon.example.com:8443"
  restore_endpoint       = "https://om-lon.example.com:8443"
  bq_proxy_endpoint      = "om-lon.example.com:27217"
  assignment_enabled     = true
}

# A region that is there already, adopted as it is. It can't be destroyed before
# the protection is taken away by an apply of its own.
resource "opsmanager_deployment_region" "australia" {
  deployment_id       = "AU_NZ"
  deletion_protection = true
}

resource "opsmanager_deployment_region" "london" {
  deployment_id          = "UK_LON"
  deployment_description = "London"
  ingestion_endpoint     = "https://om-lon.example.com:8443"
  restore_endpoint       = "https://om-lon.example.com:8443"
  bq_proxy_endpoint      = "om-lon.example.com:27217"
  assignment_enabled     = true
}

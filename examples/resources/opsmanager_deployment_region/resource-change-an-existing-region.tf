# The apply changes the region to these values. The plan shows in overwrites which live values differ.
resource "opsmanager_deployment_region" "australia" {
  deployment_id       = "AU_NZ"
  adopt_existing      = true
  deletion_protection = true

  deployment_description = "Australia and New Zealand"
  ingestion_endpoint     = "https://om-au.example.com:8443"
  restore_endpoint       = "https://om-au.example.com:8443"
  bq_proxy_endpoint      = "om-au.example.com:27217"
}

# Without a description and endpoints, the region is adopted as it is. Before you destroy it,
# set deletion_protection to false and apply.
resource "opsmanager_deployment_region" "australia" {
  deployment_id       = "AU_NZ"
  deletion_protection = true
}

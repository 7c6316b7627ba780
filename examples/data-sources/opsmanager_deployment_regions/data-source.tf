data "opsmanager_deployment_regions" "all" {}

output "assignable" {
  description = "Regions that new resources can be assigned to"
  value = [
    for region in data.opsmanager_deployment_regions.all.results :
    region.deployment_id if region.assignment_enabled
  ]
}

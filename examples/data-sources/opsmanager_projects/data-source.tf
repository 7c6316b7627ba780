data "opsmanager_projects" "all" {}

data "opsmanager_clusters" "payments" {
  project_id = data.opsmanager_projects.all.ids_by_name["Payments"]
}

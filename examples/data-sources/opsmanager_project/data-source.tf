data "opsmanager_project" "payments" {
  name = "Payments"
}

data "opsmanager_backup_configs" "payments" {
  project_id = data.opsmanager_project.payments.project_id
}

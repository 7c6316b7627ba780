data "opsmanager_hosts" "payments" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
}

data "opsmanager_config_server_snapshots" "invoices" {
  project_id = data.opsmanager_hosts.payments.project_id
  host_id    = data.opsmanager_hosts.payments.ids_by_hostname["cfg1.payments.example.com:27019"]
}

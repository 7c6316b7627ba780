# The backup of a cluster starts once the module is active on each host that holds its data. Write the hosts out: Ops Manager lists the
# processes of a cluster in opsmanager_hosts only while it monitors them.
resource "opsmanager_backup_module" "payments" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  hostnames = [
    "reports-0.payments.example.com",
    "reports-1.payments.example.com",
    "reports-2.payments.example.com",
  ]
}

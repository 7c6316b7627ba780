# Tells the owners and the backup administrators of a project, and an address, that a
# sharded cluster got no consistent snapshot several times in a row.
resource "opsmanager_alert_configuration" "clustershots" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  event_type = "BAD_CLUSTERSHOTS"

  threshold = {
    operator = "GREATER_THAN"
    value    = 2
  }

  notifications = [
    {
      type_name     = "GROUP"
      email_enabled = true
      sms_enabled   = false
      roles         = ["GROUP_OWNER", "GROUP_BACKUP_ADMIN"]
      delay_min     = 0
      interval_min  = 60
    },
    {
      type_name     = "EMAIL"
      email_address = "dba@example.com"
      delay_min     = 0
      interval_min  = 60
    },
  ]
}

# Destroying stops and terminates the backup, which deletes all its snapshots. This is
# for clusters that come and go, such as those of test environments.
resource "opsmanager_backup_config" "reports" {
  project_id  = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id  = "650a2177e1f3a5b7c9d00e42"
  status_name = "STARTED"
  on_destroy  = "terminate"

  timeouts = {
    delete = "1h"
  }
}

import {
  to = opsmanager_backup_config.reports
  identity = {
    project_id = "64f0c2a19b3d5e7f80a1b2c3"
    cluster_id = "650a2177e1f3a5b7c9d00e42"
  }
}

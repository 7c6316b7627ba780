import {
  to = opsmanager_snapshot_schedule.cards
  identity = {
    project_id = "64f0c2a19b3d5e7f80a1b2c3"
    cluster_id = "650a1f8b5d7092a4c6e8f013"
  }
}

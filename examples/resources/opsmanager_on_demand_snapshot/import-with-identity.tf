import {
  to = opsmanager_on_demand_snapshot.before_upgrade
  identity = {
    project_id = "64f0c2a19b3d5e7f80a1b2c3"
    cluster_id = "650a2035b7d9f1e3a5c70924"
    id         = "66d45311c4d6e8f0a2b4c703"
  }
}

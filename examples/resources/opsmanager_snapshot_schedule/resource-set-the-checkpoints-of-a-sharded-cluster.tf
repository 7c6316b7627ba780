# The ID is that of the whole cluster, not of a shard. Checkpoints exist up to feature
# compatibility version 4.0.
resource "opsmanager_snapshot_schedule" "orders" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id = "650a2035b7d9f1e3a5c70924"

  cluster_checkpoint_interval_min = 15
}

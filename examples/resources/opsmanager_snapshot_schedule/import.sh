# The ID of the project, a slash, the ID of the cluster.
terraform import opsmanager_snapshot_schedule.cards 64f0c2a19b3d5e7f80a1b2c3/650a1f8b5d7092a4c6e8f013

# The ID of the project, a slash, the ID of the cluster.
terraform import opsmanager_backup_config.reports 64f0c2a19b3d5e7f80a1b2c3/650a2177e1f3a5b7c9d00e42

# The ID of the project. The import reads all hosts whose module is active.
terraform import opsmanager_backup_module.payments 64f0c2a19b3d5e7f80a1b2c3

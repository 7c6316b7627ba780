# The ID of the project. The import reads all hosts whose module is active, also those that others activated.
# List all of them in hostnames, or only yours, and set on_destroy = "deactivate" after the first apply:
# until then, hosts that are not in hostnames only leave the state, and their modules stay active.
terraform import opsmanager_backup_module.payments 64f0c2a19b3d5e7f80a1b2c3

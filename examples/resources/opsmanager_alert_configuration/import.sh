# The ID of the project, a slash, and the ID of the alert configuration.
terraform import opsmanager_alert_configuration.resync 64f0c2a19b3d5e7f80a1b2c3/66a0c1d2e3f405162738495c

import {
  to = opsmanager_backup_module.payments
  id = "64f0c2a19b3d5e7f80a1b2c3"
}

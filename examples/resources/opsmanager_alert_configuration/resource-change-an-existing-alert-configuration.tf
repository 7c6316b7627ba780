# New projects have one. The plan of a creation names its ID.
import {
  to = opsmanager_alert_configuration.resync
  id = "64f0c2a19b3d5e7f80a1b2c3/66a0c1d2e3f405162738495c"
}

resource "opsmanager_alert_configuration" "resync" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
  event_type = "RESYNC_REQUIRED"
  enabled    = true # without it, a disabled one stays disabled
  on_destroy = "keep"

  notifications = [{
    type_name     = "GROUP"
    email_enabled = true
    sms_enabled   = false
    delay_min     = 0
    interval_min  = 15
  }]
}

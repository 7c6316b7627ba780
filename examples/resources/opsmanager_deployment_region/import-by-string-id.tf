import {
  to = opsmanager_deployment_region.australia
  id = "AU_NZ"
}

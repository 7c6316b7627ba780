import {
  to = opsmanager_deployment_region.australia
  identity = {
    deployment_id = "AU_NZ"
  }
}

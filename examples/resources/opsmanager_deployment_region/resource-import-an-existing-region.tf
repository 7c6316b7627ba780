# The import takes the region over as it is. Before you destroy it, set deletion_protection to false
# and apply.
import {
  to = opsmanager_deployment_region.australia
  id = "AU_NZ"
}

resource "opsmanager_deployment_region" "australia" {
  deployment_id       = "AU_NZ"
  deletion_protection = true
}

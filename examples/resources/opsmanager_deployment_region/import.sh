# The ID of the region, without escaping.
terraform import opsmanager_deployment_region.australia AU_NZ

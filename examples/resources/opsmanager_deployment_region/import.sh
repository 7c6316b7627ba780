# The id of the region, as it is: no escaping.
terraform import opsmanager_deployment_region.australia AU_NZ

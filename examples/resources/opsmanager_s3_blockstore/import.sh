# The ID of the store, as it is: no escaping.
terraform import opsmanager_s3_blockstore.australia au-s3-1

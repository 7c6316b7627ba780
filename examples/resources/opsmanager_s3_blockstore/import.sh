# The ID of the store, without escaping.
terraform import opsmanager_s3_blockstore.australia au-s3-1

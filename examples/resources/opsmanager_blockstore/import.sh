# The ID of the store, without escaping.
terraform import opsmanager_blockstore.australia au-blockstore-1

# The ID of the store, as it is: no escaping.
terraform import opsmanager_blockstore.australia au-blockstore-1

import {
  to = opsmanager_blockstore.australia
  identity = {
    id = "au-blockstore-1"
  }
}

import {
  to = opsmanager_blockstore.australia
  id = "au-blockstore-1"
}

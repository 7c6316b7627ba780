import {
  to = opsmanager_s3_blockstore.australia
  identity = {
    id = "au-s3-1"
  }
}

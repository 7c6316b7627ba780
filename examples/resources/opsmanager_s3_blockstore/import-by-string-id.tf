import {
  to = opsmanager_s3_blockstore.australia
  id = "au-s3-1"
}

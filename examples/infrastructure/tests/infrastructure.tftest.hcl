# Builds the infrastructure, and takes it down again: terraform test ends with a destroy.

variables {
  metadata_uri  = "mongodb://backup:password@metadata-lon.example.com:27017"
  oplog_uri     = "mongodb://backup:password@oplog-lon.example.com:27017"
  s3_access_key = "AKIA0123456789ABCDEF"
  s3_secret_key = "0123456789abcdefghijklmnopqrstuvwxyzABCD"
}

run "one_apply_starts_the_backup" {
  assert {
    condition     = opsmanager_backup_config.cluster.status_name == "STARTED"
    error_message = "The backup is ${opsmanager_backup_config.cluster.status_name}."
  }
}

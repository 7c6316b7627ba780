data "opsmanager_backup_status" "all" {
  max_snapshot_age_hours = 26 # a snapshot each day, and two hours to take it
}

# A check only warns, and Terraform exits with 0.
check "backups" {
  assert {
    condition     = length(data.opsmanager_backup_status.all.problems) == 0
    error_message = join("\n", sort(values(data.opsmanager_backup_status.all.problems)))
  }
}

output "problems" {
  description = "Clusters that can't be restored, or only to an old time"
  value       = data.opsmanager_backup_status.all.problems
}

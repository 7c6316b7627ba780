data "opsmanager_backup_status" "all" {
  max_snapshot_age_hours = 26

  lifecycle {
    # If a condition is false, each plan and each apply fails.
    postcondition {
      condition     = length(self.problems) == 0
      error_message = join("\n", sort(values(self.problems)))
    }

    postcondition {
      condition     = length(self.clusters) > 0
      error_message = "No cluster was checked."
    }
  }
}

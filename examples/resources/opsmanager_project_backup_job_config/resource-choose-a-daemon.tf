# Only this filter is changed. The others keep their current values.
resource "opsmanager_project_backup_job_config" "analytics" {
  project_id = "64f0c2d57c1e4a6b92d3f4e5"
  daemon_filter = [
    { machine = "om-ny.example.com", head_root_directory = "/data/backup/" },
  ]
}

import {
  to = opsmanager_project_backup_job_config.analytics
  id = "64f0c2d57c1e4a6b92d3f4e5"
}

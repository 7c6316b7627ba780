# The ID of the project.
terraform import opsmanager_project_backup_job_config.analytics 64f0c2d57c1e4a6b92d3f4e5

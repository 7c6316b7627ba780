# The ID of the project, the ID of the cluster, and the ID of the batch or the job.
terraform import opsmanager_restore_job.drill 64f0c2a19b3d5e7f80a1b2c3/650a1f3c2e4b6d8091a3b5c7/66d4e1a0c4d6e8f0a2b4c801

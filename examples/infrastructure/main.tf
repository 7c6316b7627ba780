# Everything that a backup needs: two S3 blockstores, an oplog store and a daemon, a project
# that is assigned to them by labels, and a cluster whose backup runs with a schedule.
#
# 'terraform apply' builds it, and 'terraform destroy' removes it. The references set the order: first
# the stores and the daemon, then the project, then the backup.

terraform {
  required_version = ">= 1.11" # for write-only attributes

  required_providers {
    opsmanager = {
      source  = "terraform.local/local/opsmanager"
      version = "~> 0.1.0"
    }
  }
}

# The address and the API key come from the environment. The key needs the role
# Global Backup Admin.
provider "opsmanager" {}

variable "project_id" {
  description = "ID of the project: 24 hexadecimal digits."
  type        = string
}

variable "cluster_id" {
  description = "ID of the replica set, or of the whole sharded cluster."
  type        = string
}

variable "labels" {
  description = "Labels of the daemon and the stores, and of the project that they serve."
  type        = set(string)
  default     = ["london"]
}

variable "daemon" {
  description = "Host name of a machine on which the backup daemon runs."
  type        = string
}

variable "buckets" {
  description = "Buckets for snapshots, by the ID of their store."
  type        = map(string)
  default     = { lon-s3-1 = "snapshots-london-1", lon-s3-2 = "snapshots-london-2" }
}

variable "s3_endpoint" {
  type    = string
  default = "https://s3.eu-west-2.amazonaws.com"
}

# To delete an S3 blockstore, some versions of Ops Manager require an update first, which
# sends the secrets. Destroying sees only secrets that are in the state.
variable "metadata_uri" {
  description = "Connection string of the database for the metadata of the S3 blockstores."
  type        = string
  sensitive   = true
}

variable "s3_access_key" {
  type      = string
  sensitive = true
}

variable "s3_secret_key" {
  type      = string
  sensitive = true
}

# The oplog store is deleted without an update, so its secret need not be in the state.
variable "oplog_uri" {
  description = "Connection string of the database for oplogs. To send a new one, change uri_wo_version, too."
  type        = string
  ephemeral   = true
}

resource "opsmanager_s3_blockstore" "snapshots" {
  for_each = var.buckets

  id             = each.key
  uri            = var.metadata_uri
  aws_access_key = var.s3_access_key
  aws_secret_key = var.s3_secret_key

  s3_bucket_name            = each.value
  s3_bucket_endpoint        = var.s3_endpoint
  s3_max_connections        = 50
  path_style_access_enabled = false
  sse_enabled               = true
  accepted_tos              = true
  assignment_enabled        = true
  labels                    = var.labels

  lifecycle {
    create_before_destroy = true # otherwise, Terraform deletes a store before it updates the filter that names it
  }
}

resource "opsmanager_oplog_store" "oplogs" {
  id             = "lon-oplog-1"
  uri_wo         = var.oplog_uri
  uri_wo_version = 1

  assignment_enabled = true
  labels             = var.labels

  lifecycle {
    create_before_destroy = true
  }
}

resource "opsmanager_backup_daemon" "daemon" {
  machine             = var.daemon
  head_root_directory = "/data/backup/"

  assignment_enabled         = true
  backup_jobs_enabled        = true
  garbage_collection_enabled = true
  labels                     = var.labels
  on_destroy                 = "delete"
}

resource "opsmanager_project_backup_job_config" "project" {
  project_id   = var.project_id
  label_filter = var.labels

  snapshot_store_filter = [for store in opsmanager_s3_blockstore.snapshots : { id = store.id, type = "s3blockstore" }]
  oplog_store_filter    = [{ id = opsmanager_oplog_store.oplogs.id, type = "oplogStore" }]
  daemon_filter = [{
    machine             = opsmanager_backup_daemon.daemon.machine
    head_root_directory = opsmanager_backup_daemon.daemon.head_root_directory
  }]

  # Destroying removes the filters before it deletes the stores that they name.
  on_destroy = "reset"
}

# With on_destroy = "terminate", destroying deletes all snapshots of the cluster. Ops Manager
# deletes no store that has any. To keep the snapshots, set it to "keep", and keep the stores.
resource "opsmanager_backup_config" "cluster" {
  project_id  = opsmanager_project_backup_job_config.project.project_id
  cluster_id  = var.cluster_id
  status_name = "STARTED"
  on_destroy  = "terminate"
}

resource "opsmanager_snapshot_schedule" "cluster" {
  project_id = opsmanager_backup_config.cluster.project_id
  cluster_id = opsmanager_backup_config.cluster.cluster_id

  snapshot_interval_hours       = 24
  daily_snapshot_retention_days = 30
}

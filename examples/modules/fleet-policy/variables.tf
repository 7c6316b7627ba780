variable "project_id" {
  description = "ID of the project: 24 hexadecimal digits."
  type        = string
}

variable "clusters" {
  description = "Tier of each cluster, by its name or ID."
  type        = map(string)
}

variable "tiers" {
  description = "Values of each tier. Ops Manager keeps the current value of what a tier leaves out. The clusters of a tier are spread over snapshot_hours, in UTC, so that they don't all take snapshots at once. Only sharded clusters have checkpoints."
  type = map(object({
    snapshot_interval_hours           = optional(number)
    snapshot_retention_days           = optional(number)
    daily_snapshot_retention_days     = optional(number)
    weekly_snapshot_retention_weeks   = optional(number)
    monthly_snapshot_retention_months = optional(number)
    point_in_time_window_hours        = optional(number)
    full_incremental_day_of_week      = optional(string)
    snapshot_hours                    = optional(list(number))
    cluster_checkpoint_interval_min   = optional(number)
  }))
  default = {
    gold = {
      snapshot_interval_hours           = 6
      snapshot_retention_days           = 5
      daily_snapshot_retention_days     = 30
      weekly_snapshot_retention_weeks   = 12
      monthly_snapshot_retention_months = 13
      point_in_time_window_hours        = 72
    }
    silver = {
      snapshot_interval_hours           = 12
      snapshot_retention_days           = 5
      daily_snapshot_retention_days     = 15
      weekly_snapshot_retention_weeks   = 8
      monthly_snapshot_retention_months = 13
    }
    bronze = {
      snapshot_interval_hours           = 24
      snapshot_retention_days           = 5
      daily_snapshot_retention_days     = 7
      weekly_snapshot_retention_weeks   = 4
      monthly_snapshot_retention_months = 1
    }
  }
}

variable "allow_fewer_recovery_points" {
  description = "Whether a plan may leave fewer recovery points. It then warns instead of failing. Set and apply it before you change a tier."
  type        = bool
  default     = false
}

output "schedules" {
  description = "The schedule that each cluster has, by the cluster's name."
  value       = opsmanager_snapshot_schedule.cluster
}

output "without_a_tier" {
  description = "Whole clusters whose backup is started and that are in no tier, by name, or by id if they have no name."
  value = sort([
    for name, ids in local.ids :
    name if length(setintersection(ids, local.started)) > 0 && !contains(keys(var.clusters), name)
  ])
}

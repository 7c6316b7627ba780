output "schedules" {
  description = "The schedule of each cluster, by the key in var.clusters."
  value       = opsmanager_snapshot_schedule.cluster
}

output "without_a_tier" {
  description = "Clusters that are backed up and in no tier, by name, or by ID if they have no name."
  value = sort([
    for cluster in local.whole : cluster.name
    if contains(local.started, cluster.cluster_id) && length(setintersection(keys(var.clusters), [cluster.name, cluster.cluster_id])) == 0
  ])
}

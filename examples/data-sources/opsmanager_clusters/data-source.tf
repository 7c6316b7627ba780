data "opsmanager_clusters" "payments" {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
}

output "cluster_ids" {
  description = "Ids of the whole clusters by their names; two of one name are an error"
  value = {
    for cluster in data.opsmanager_clusters.payments.results :
    coalesce(cluster.name, cluster.cluster_id) => cluster.cluster_id if cluster.whole && cluster.cluster_id != null
  }
}

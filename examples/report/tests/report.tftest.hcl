# 'terraform test' reads Ops Manager and makes the page, but does not write it.
run "the_page_has_all_clusters" {
  command = plan

  assert {
    condition     = alltrue([for id, c in data.opsmanager_backup_status.all.clusters : strcontains(output.html, ">${local.escaped[id].name}</bdi>")])
    error_message = "A cluster is missing on the page."
  }
}

data "opsmanager_projects" "all" {}

# One for each project and event. Projects that have one already get another one, unless
# you import it.
resource "opsmanager_alert_configuration" "watch" {
  for_each = {
    for pair in setproduct(keys(data.opsmanager_projects.all.ids_by_name), ["RS_STATE_CHANGED_AUDIT", "CLUSTER_STATE_CHANGED_AUDIT"]) :
    join(" ", pair) => { project = pair[0], event = pair[1] }
  }

  project_id = data.opsmanager_projects.all.ids_by_name[each.value.project]
  event_type = each.value.event

  notifications = [{
    type_name     = "EMAIL"
    email_address = "dba@example.com"
    delay_min     = 0
    interval_min  = 60
  }]
}

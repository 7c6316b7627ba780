# The projects whose backups and schedules all.tfquery.hcl lists. To list some of them only, put
# a map with their names and IDs in place of ids_by_name there.
data "opsmanager_projects" "all" {}

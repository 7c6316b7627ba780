data "opsmanager_projects" "all" {}

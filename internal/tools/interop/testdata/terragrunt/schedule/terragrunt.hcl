include "root" {
  path = find_in_parent_folders("root.hcl")
}

dependency "backup" {
  config_path = "../backup"
}

inputs = {
  cluster_id = dependency.backup.outputs.cluster_id
}

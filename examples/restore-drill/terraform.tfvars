# Clusters of the emulator. Replace them with yours.
project_id = "64f0c2a19b3d5e7f80a1b2c3"
cluster_id = "650a1f3c2e4b6d8091a3b5c7" # ledger

target_project_id   = "64f0c2d57c1e4a6b92d3f4e5"
target_cluster_id   = "650a22fad3b5a7c9e1f30817"
target_cluster_name = "scratch"

# Runs after the restore, and fails the drill if it fails.
# check_command = "sh count-documents.sh"

# Clusters of the emulator. Replace them with yours.
project_id = "64f0c2a19b3d5e7f80a1b2c3"
cluster_id = "650a1f3c2e4b6d8091a3b5c7" # ledger

target_cluster_id   = "650a1f8b5d7092a4c6e8f013"
target_cluster_name = "cards"

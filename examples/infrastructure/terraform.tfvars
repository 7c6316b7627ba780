# A project, a cluster and a daemon of the emulator. Replace them with yours.
project_id = "64f0c2a19b3d5e7f80a1b2c3" # Payments
cluster_id = "650a2177e1f3a5b7c9d00e42" # reports
daemon     = "om-new.example.com"

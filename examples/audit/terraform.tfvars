# Clusters of the emulator. Replace them with yours.
clusters = {
  ledger = {
    project_id = "64f0c2a19b3d5e7f80a1b2c3"
    cluster_id = "650a1f3c2e4b6d8091a3b5c7"
    keep_until = "2033-01-01T00:00:00Z"
  }
  orders = {
    project_id = "64f0c2a19b3d5e7f80a1b2c3"
    cluster_id = "650a2035b7d9f1e3a5c70924"
  }
}

holds = {
  "66b0c530c4d6e8f0a2b4c600" = "Legal, case 2026-117"
}

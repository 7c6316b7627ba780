# Values for terraform test without an Ops Manager. Copy this file, and change the names and IDs
# to those that your module expects.
#
# An ID has 24 hexadecimal digits: the provider rejects the random texts that Terraform would
# otherwise invent. Terraform can mock a map of texts, but leaves lists and maps of objects, such
# as results, empty.

mock_data "opsmanager_project" {
  defaults = {
    project_id = "64f0c2a19b3d5e7f80a1b2c3"
    org_id     = "64f0c1109b3d5e7f80a1b2c0"
  }
}

mock_data "opsmanager_projects" {
  defaults = {
    ids_by_name = { Payments = "64f0c2a19b3d5e7f80a1b2c3" }
  }
}

mock_data "opsmanager_cluster" {
  defaults = {
    cluster_id = "650a1f3c2e4b6d8091a3b5c7"
  }
}

mock_data "opsmanager_clusters" {
  defaults = {
    ids_by_name = {
      cards   = "650a1f8b5d7092a4c6e8f013"
      ledger  = "650a1f3c2e4b6d8091a3b5c7"
      reports = "650a2177e1f3a5b7c9d00e42"
    }
  }
}

mock_data "opsmanager_hosts" {
  defaults = {
    ids_by_hostname = { "ledger-0.example.com:27017" = "650a3f3c2e4b6d8091a3b501" }
  }
}

mock_data "opsmanager_backup_configs" {
  defaults = {
    status_by_cluster_id = {
      "650a1f8b5d7092a4c6e8f013" = "STARTED"
      "650a1f3c2e4b6d8091a3b5c7" = "STARTED"
      "650a2177e1f3a5b7c9d00e42" = "INACTIVE"
    }
  }
}

mock_data "opsmanager_backup_status" {
  defaults = {
    problems = { "650a2177e1f3a5b7c9d00e42" = "Payments: reports (650a2177e1f3a5b7c9d00e42) is not backed up." }
  }
}

mock_data "opsmanager_cluster_snapshots" {
  defaults = {
    newest_complete = {
      id      = "66d3f330c4d6e8f0a2b4c602"
      created = "2026-11-22T23:30:00Z"
      expires = "2026-12-22T23:30:00Z"
    }
  }
}

mock_resource "opsmanager_on_demand_snapshot" {
  defaults = {
    id       = "66d45311c4d6e8f0a2b4c703"
    complete = true
    gone     = false
  }
}

mock_resource "opsmanager_restore_job" {
  defaults = {
    id          = "66d4e1a0c4d6e8f0a2b4c801"
    status_name = "FINISHED"
  }
}

# No request is sent: the values come from the mock file.

mock_provider "opsmanager" {
  source = "./mocks"
}

variables {
  project = "Payments"
}

run "each_started_backup_gets_a_schedule" {
  variables {
    daily_retention = { ledger = 90 }
  }

  assert {
    condition     = { for name, schedule in opsmanager_snapshot_schedule.this : name => schedule.daily_snapshot_retention_days } == { cards = 30, ledger = 90 }
    error_message = "The retentions are wrong."
  }

  assert {
    condition     = output.not_backed_up == toset(["reports"])
    error_message = "The output lists ${jsonencode(output.not_backed_up)}."
  }
}

run "a_project_without_backups_gets_no_schedule" {
  override_data {
    target = data.opsmanager_backup_configs.all
    values = { status_by_cluster_id = {} }
  }

  assert {
    condition     = length(opsmanager_snapshot_schedule.this) == 0
    error_message = "There is a schedule without a backup."
  }
}

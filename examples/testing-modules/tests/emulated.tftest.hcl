# Runs on an emulator with its default contents: make emulator prints the variables to export.

variables {
  project = "Payments"
}

run "the_schedules_are_accepted" {
  variables {
    daily_retention = { ledger = 90 }
  }

  assert {
    condition     = opsmanager_snapshot_schedule.this["ledger"].daily_snapshot_retention_days == 90
    error_message = "ledger does not have the retention."
  }

  # A field that is not configured keeps its value, which a mock can't know.
  assert {
    condition     = opsmanager_snapshot_schedule.this["ledger"].weekly_snapshot_retention_weeks == 8
    error_message = "A field that is not configured has changed."
  }

  assert {
    condition     = output.not_backed_up == toset(["fraud", "invoices", "reports"])
    error_message = "The output lists ${jsonencode(output.not_backed_up)}."
  }
}

# These tests need an emulator with its default contents, which was started less than a day ago.

run "the_default_seed_is_not_all_backed_up" {
  command = plan

  expect_failures = [check.every_cluster_is_backed_up, check.newest_snapshot]

  assert {
    condition     = output.violations.not_backed_up == tolist(["fraud", "invoices", "reports"])
    error_message = "Not backed up: ${jsonencode(output.violations.not_backed_up)}."
  }
}

run "what_is_exempt_is_not_looked_at" {
  command = plan

  variables {
    exempt = ["cards", "fraud", "invoices", "reports"]
  }

  assert {
    condition     = output.checked == tolist(["ledger", "orders"])
    error_message = "Checked: ${jsonencode(output.checked)}."
  }
}

run "snapshots_are_too_seldom" {
  command = plan

  variables {
    exempt               = ["cards", "fraud", "invoices", "reports"]
    recovery_point_hours = 8
  }

  expect_failures = [check.recovery_point]

  assert {
    condition     = output.violations.too_seldom == tolist(["ledger (24 hours)"])
    error_message = "Too seldom: ${jsonencode(output.violations.too_seldom)}."
  }
}

run "the_newest_snapshot_is_too_old_or_missing" {
  command = plan

  variables {
    exempt                 = ["fraud", "invoices", "ledger", "reports"]
    max_snapshot_age_hours = 1
  }

  expect_failures = [check.newest_snapshot]

  assert {
    condition     = [for cluster in output.violations.too_old : replace(cluster, "/[0-9]{4}-.*Z/", "a time")] == ["cards (no snapshot)", "orders (a time)"]
    error_message = "Too old: ${jsonencode(output.violations.too_old)}."
  }
}

run "snapshots_are_kept_too_short" {
  command = plan

  variables {
    exempt         = ["cards", "fraud", "invoices", "reports"]
    retention_days = 365
  }

  expect_failures = [check.retention]

  assert {
    condition     = output.violations.too_short == tolist(["ledger (360 days)", "orders (180 days)"])
    error_message = "Too short: ${jsonencode(output.violations.too_short)}."
  }
}

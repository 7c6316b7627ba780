# Run against an emulated Ops Manager that OPSMANAGER_BASE_URL names.

run "the_default_seed_is_not_all_backed_up" {
  command = plan

  expect_failures = [check.every_cluster_is_backed_up]

  assert {
    condition     = output.violations.not_backed_up == tolist(["fraud", "invoices", "reports"])
    error_message = "Not backed up are ${jsonencode(output.violations.not_backed_up)}."
  }
}

run "what_is_exempt_is_not_looked_at" {
  command = plan

  variables {
    exempt = ["fraud", "invoices", "reports"]
  }

  assert {
    condition     = output.checked == tolist(["cards", "ledger", "orders"])
    error_message = "Looked at were ${jsonencode(output.checked)}."
  }
}

run "snapshots_are_too_seldom" {
  command = plan

  variables {
    exempt               = ["fraud", "invoices", "reports"]
    recovery_point_hours = 8
  }

  expect_failures = [check.recovery_point]

  assert {
    condition     = output.violations.too_seldom == tolist(["ledger (24 hours)"])
    error_message = "Too seldom are ${jsonencode(output.violations.too_seldom)}."
  }
}

run "snapshots_are_kept_too_short" {
  command = plan

  variables {
    exempt         = ["fraud", "invoices", "reports"]
    retention_days = 365
  }

  expect_failures = [check.retention]

  assert {
    condition     = output.violations.too_short == tolist(["ledger (360 days)", "orders (180 days)"])
    error_message = "Too short are ${jsonencode(output.violations.too_short)}."
  }
}

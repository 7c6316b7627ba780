# These tests need an emulator with its default contents, which was started less than a day ago.

variables {
  project_ids = ["64f0c2a19b3d5e7f80a1b2c3"] # Payments
}

run "the_default_seed_is_not_all_backed_up" {
  command = plan

  expect_failures = [check.every_cluster_can_be_restored]

  assert {
    condition = output.violations.problems == tolist([
      "Payments: cards (650a1f8b5d7092a4c6e8f013) has no complete snapshot.",
      "Payments: fraud (650a1e4a0f2c3d5b7e9f1a2b) has no complete snapshot, and gets none while its backup is stopped.",
      "Payments: invoices (650a20d18c3e5f7092b4d6a8) has no complete snapshot, and gets none while its backup is stopped.",
      "Payments: reports (650a2177e1f3a5b7c9d00e42) is not backed up.",
    ])
    error_message = "Problems: ${jsonencode(output.violations.problems)}."
  }
}

run "all_projects_are_checked_by_default" {
  command = plan

  variables {
    project_ids = null
  }

  expect_failures = [check.every_cluster_can_be_restored, check.retention]

  assert {
    condition     = anytrue([for problem in output.violations.problems : startswith(problem, "Analytics: ")])
    error_message = "Problems: ${jsonencode(output.violations.problems)}."
  }
}

run "excluded_clusters_are_not_checked" {
  command = plan

  variables {
    excluded_cluster_ids = ["650a1f8b5d7092a4c6e8f013", "650a1e4a0f2c3d5b7e9f1a2b", "650a20d18c3e5f7092b4d6a8", "650a2177e1f3a5b7c9d00e42"]
  }

  assert {
    condition     = tolist(output.checked) == tolist(["Payments: ledger (650a1f3c2e4b6d8091a3b5c7)", "Payments: orders (650a2035b7d9f1e3a5c70924)"])
    error_message = "Checked: ${jsonencode(output.checked)}."
  }
}

run "snapshots_are_too_seldom_and_too_old" {
  command = plan

  variables {
    excluded_cluster_ids   = ["650a1f8b5d7092a4c6e8f013", "650a1e4a0f2c3d5b7e9f1a2b", "650a20d18c3e5f7092b4d6a8", "650a2177e1f3a5b7c9d00e42", "650a2035b7d9f1e3a5c70924"]
    recovery_point_hours   = 8
    max_snapshot_age_hours = 1
  }

  expect_failures = [check.recovery_point, check.every_cluster_can_be_restored]

  assert {
    condition     = output.violations.too_seldom == ["Payments: ledger (650a1f3c2e4b6d8091a3b5c7): 24 hours"]
    error_message = "Too seldom: ${jsonencode(output.violations.too_seldom)}."
  }

  assert {
    condition     = output.violations.problems == tolist(["Payments: ledger (650a1f3c2e4b6d8091a3b5c7) has no complete snapshot that is younger than 1 hour."])
    error_message = "Problems: ${jsonencode(output.violations.problems)}."
  }
}

run "snapshots_are_kept_too_short" {
  command = plan

  variables {
    excluded_cluster_ids = ["650a1f8b5d7092a4c6e8f013", "650a1e4a0f2c3d5b7e9f1a2b", "650a20d18c3e5f7092b4d6a8", "650a2177e1f3a5b7c9d00e42"]
    retention_days       = 365
  }

  expect_failures = [check.retention]

  assert {
    condition = output.violations.too_short == [
      "Payments: ledger (650a1f3c2e4b6d8091a3b5c7): 360 days",
      "Payments: orders (650a2035b7d9f1e3a5c70924): 180 days",
    ]
    error_message = "Too short: ${jsonencode(output.violations.too_short)}."
  }
}

run "projects_without_an_alert_configuration_are_unwatched" {
  command = plan

  variables {
    excluded_cluster_ids = ["650a1f8b5d7092a4c6e8f013", "650a1e4a0f2c3d5b7e9f1a2b", "650a20d18c3e5f7092b4d6a8", "650a2177e1f3a5b7c9d00e42"]
    important_events     = ["BAD_CLUSTERSHOTS", "RESYNC_REQUIRED"]
  }

  expect_failures = [check.every_project_is_watched]

  assert {
    condition     = output.violations.unwatched == tolist(["Payments: no enabled alert configuration for BAD_CLUSTERSHOTS."])
    error_message = "Unwatched: ${jsonencode(output.violations.unwatched)}."
  }
}

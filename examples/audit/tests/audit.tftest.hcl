# These tests need an emulator with its default contents.

run "snapshots_that_expire_fail_the_audit" {
  command = plan

  expect_failures = [check.audit]

  assert {
    condition     = output.verdict == "failed"
    error_message = "The verdict is ${output.verdict}."
  }
}

run "a_hold_whose_holder_is_known_passes" {
  command = plan

  variables {
    clusters = { ledger = { project_id = "64f0c2a19b3d5e7f80a1b2c3", cluster_id = "650a1f3c2e4b6d8091a3b5c7" } }
    quarters = []
  }

  assert {
    condition     = output.verdict == "passed"
    error_message = "The verdict is ${output.verdict}."
  }
}

run "a_hold_whose_holder_is_not_known_does_not_pass" {
  command = plan

  variables {
    clusters = { ledger = { project_id = "64f0c2a19b3d5e7f80a1b2c3", cluster_id = "650a1f3c2e4b6d8091a3b5c7" } }
    quarters = []
    holds    = {}
  }

  expect_failures = [check.audit]

  assert {
    condition     = output.verdict == "not known"
    error_message = "The verdict is ${output.verdict}."
  }
}

# These tests apply, so run them on an emulator with its default contents.

variables {
  project_id = "64f0c2a19b3d5e7f80a1b2c3"
}

run "the_example_is_planned" {
  command = plan

  module {
    source = "./examples/nightly"
  }

  assert {
    condition     = length(output.without_a_tier) == 0
    error_message = "The clusters without a tier are ${jsonencode(output.without_a_tier)}."
  }
}

run "an_unknown_tier_is_refused" {
  command = plan

  variables {
    clusters = { cards = "platinum" }
  }

  expect_failures = [opsmanager_snapshot_schedule.cluster["cards"]]
}

run "an_unknown_cluster_is_refused" {
  command = plan

  variables {
    clusters = { no_such_cluster = "gold" }
  }

  expect_failures = [opsmanager_snapshot_schedule.cluster["no_such_cluster"]]
}

# orders takes a snapshot every 8 hours, and silver every 12.
run "each_cluster_gets_its_tier" {
  variables {
    clusters                    = { cards = "gold", orders = "silver" }
    allow_fewer_recovery_points = true
  }

  assert {
    condition     = output.schedules["cards"].snapshot_retention_days == 5 && output.schedules["cards"].point_in_time_window_hours == 72
    error_message = "cards does not have the schedule of gold."
  }

  assert {
    condition     = output.schedules["orders"].weekly_snapshot_retention_weeks == 8
    error_message = "orders does not have the schedule of silver."
  }

  # The whole cluster, not one of its shards, which have its name.
  assert {
    condition     = output.schedules["orders"].cluster_id == "650a2035b7d9f1e3a5c70924"
    error_message = "orders is a shard."
  }

  # silver does not configure checkpoints.
  assert {
    condition     = output.schedules["orders"].cluster_checkpoint_interval_min == 30
    error_message = "A value that the tier leaves out has changed."
  }

  assert {
    condition     = output.without_a_tier == tolist(["ledger"])
    error_message = "The clusters without a tier are ${jsonencode(output.without_a_tier)}."
  }
}

run "a_cluster_changes_its_tier" {
  variables {
    clusters                    = { cards = "bronze", orders = "silver" }
    allow_fewer_recovery_points = true
  }

  assert {
    condition     = output.schedules["cards"].monthly_snapshot_retention_months == 1
    error_message = "cards does not have the schedule of bronze."
  }
}

run "snapshots_are_spread_over_the_hours_of_the_tier" {
  variables {
    clusters = { cards = "nightly", ledger = "nightly", orders = "nightly" }
    tiers = {
      nightly = {
        full_incremental_day_of_week    = "SATURDAY"
        snapshot_hours                  = [23, 0, 1]
        cluster_checkpoint_interval_min = 15
      }
    }
  }

  assert {
    condition     = alltrue([for schedule in output.schedules : contains([23, 0, 1], schedule.reference_hour_of_day) && schedule.full_incremental_day_of_week == "SATURDAY"])
    error_message = "A snapshot is taken at another hour, or a full one on another day."
  }

  assert {
    condition     = length(distinct([for schedule in output.schedules : "${schedule.reference_hour_of_day}:${schedule.reference_minute_of_hour}"])) == 3
    error_message = "Two clusters take their snapshots at the same time."
  }

  assert {
    condition     = output.schedules["orders"].cluster_checkpoint_interval_min == 15 && output.schedules["cards"].cluster_checkpoint_interval_min == null
    error_message = "Not only the sharded cluster has checkpoints."
  }
}

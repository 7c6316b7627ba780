# A page for people about the backups of all clusters:
#
#   terraform apply -auto-approve
#   terraform output -raw html > report.html
#
# It only reads. The page has no script and loads nothing, so it can be mailed or
# published as it is.

terraform {
  required_version = ">= 1.5"

  required_providers {
    opsmanager = {
      source  = "terraform.local/local/opsmanager"
      version = "~> 0.1.0"
    }
  }
}

variable "title" {
  description = "Title of the page."
  type        = string
  default     = "Backup status"
}

variable "project_ids" {
  description = "IDs of the projects. Defaults to all projects that the API key can read."
  type        = set(string)
  default     = null
}

variable "max_snapshot_age_hours" {
  description = "Maximum age of the newest complete snapshot of a cluster, in hours: the recovery point objective, plus the time that a snapshot takes."
  type        = number
  default     = 26
}

variable "excluded_cluster_ids" {
  description = "IDs of the clusters that need no backup."
  type        = set(string)
  default     = []
  nullable    = false
}

data "opsmanager_backup_status" "all" {
  project_ids            = var.project_ids
  max_snapshot_age_hours = var.max_snapshot_age_hours
  excluded_cluster_ids   = var.excluded_cluster_ids
  include_schedules      = true
}

locals {
  clusters = { for id, c in data.opsmanager_backup_status.all.clusters : id => c if c.code != "THIRD_PARTY" }
  foreign  = length(data.opsmanager_backup_status.all.clusters) - length(local.clusters)

  # The sections of the page, the worst one first: clusters that can't be restored, those of which that is
  # not known, those that can be restored only to an old time, and those without a problem.
  titles   = ["Can't be restored", "Not known", "Can be restored, but only to an old time", "Can be restored"]
  sections = { for id, c in local.clusters : id => c.problem == null ? 3 : c.restorable == null ? 1 : c.restorable ? 2 : 0 }
  numbers  = [for i in range(4) : length([for section in values(local.sections) : section if section == i])]

  # The codes of problems, the worst one first, and the groups of clusters that the page
  # counts. A code that is not here is worse than all.
  codes  = ["NOT_BACKED_UP", "TERMINATING", "NO_SNAPSHOT", "UNREAD", "STOPPED", "TOO_OLD"]
  groups = ["with another problem", "not backed up", "being terminated", "without a complete snapshot", "could not be read", "stopped", "without a recent snapshot", "without a problem"]
  ranks  = { for id, c in local.clusters : id => c.problem == null ? length(local.codes) + 1 : try(index(local.codes, c.code) + 1, 0) }

  # The newest time to which a cluster with a problem can be restored.
  old = sort([for id, c in local.clusters : c.newest_complete.created if local.sections[id] == 2 && local.hours[id] >= 0])

  # Terraform can't subtract times, so this counts the seconds since the year 0. The years
  # begin in March, so that a leap day is the last day of its year.
  times   = merge({ now = plantimestamp() }, { for id, c in local.clusters : id => c.newest_complete == null ? local.never : c.newest_complete.created })
  never   = "0001-01-01T00:00:00Z"
  parts   = { for id, time in local.times : id => [for part in regexall("[0-9]+", time) : tonumber(part)] }
  years   = { for id, p in local.parts : id => p[1] < 3 ? p[0] - 1 : p[0] }
  days    = { for id, y in local.years : id => 365 * y + floor(y / 4) - floor(y / 100) + floor(y / 400) + floor((153 * ((local.parts[id][1] + 9) % 12) + 2) / 5) + local.parts[id][2] }
  seconds = { for id, p in local.parts : id => 86400 * local.days[id] + 3600 * p[3] + 60 * p[4] + p[5] }
  hours   = { for id, seconds in local.seconds : id => floor((local.seconds.now - seconds) / 3600) }

  # Terraform goes through a map in the order of its keys: the worst problem first, then
  # the oldest snapshot, then the name of the project.
  order = {
    for id, c in local.clusters : join("\t", [
      local.sections[id], local.ranks[id], c.problem == null ? 0 : format("%012d", local.seconds[id]),
      lower(c.project_name), lower(c.name), id,
    ]) => id
  }

  # What the page shows of a cluster.
  facts = {
    for id, c in local.clusters : id => {
      name    = c.name
      project = c.project_name
      problem = c.problem
      status  = c.status_name == null ? null : title(lower(c.status_name))
      created = c.newest_complete == null ? null : c.newest_complete.created
      newest  = c.newest_complete == null ? null : formatdate("YYYY-MM-DD hh:mm", c.newest_complete.created)
      age     = c.newest_complete == null ? null : local.hours[id] < 0 ? "in the future" : local.hours[id] == 0 ? "less than 1 hour old" : local.hours[id] == 1 ? "1 hour old" : local.hours[id] < 48 ? "${local.hours[id]} hours old" : "${floor(local.hours[id] / 24)} days old"
      window  = try(c.schedule.point_in_time_window_hours == 1 ? "1 hour" : "${c.schedule.point_in_time_window_hours} hours", null)
      retention = join(", ", [
        for rule in [
          [try(c.schedule.snapshot_retention_days, null), try(c.schedule.snapshot_retention_days == 1, false) ? "day" : "days"],
          [try(c.schedule.daily_snapshot_retention_days, null), "daily"],
          [try(c.schedule.weekly_snapshot_retention_weeks, null), "weekly"],
          [try(c.schedule.monthly_snapshot_retention_months, null), "monthly"],
        ] : join("\u00a0", rule) if try(rule[0] > 0, false)
      ])
    }
  }

  # The page shows nothing but these texts. A name may contain HTML, so the characters
  # that have a meaning in HTML are replaced: & first, because the others become one.
  escaped = {
    for id, fact in merge(local.facts, { page = { title = var.title } }) : id => {
      for name, text in fact : name =>
      text == null ? "" : replace(replace(replace(replace(replace(text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;"), "\"", "&quot;"), "'", "&#39;")
    }
  }

  rows = [for i in range(4) : [for id in local.order : local.escaped[id] if local.sections[id] == i]]

  # What the heading says about each section of clusters with a problem.
  until = length(local.old) == 0 ? "a time that is not known" : "${formatdate("D MMMM YYYY", reverse(local.old)[0])} or earlier"
  said = [for i, text in ["can't be restored", "may not be restorable", "can be restored only to ${local.until}"] :
    { number = local.numbers[i], text = text } if local.numbers[i] > 0
  ]
}

output "html" {
  description = "The page."
  sensitive   = true # keeps it out of the output of plan and apply
  value = templatefile("${path.module}/report.html.tftpl", {
    title  = local.escaped.page.title
    made   = formatdate("YYYY-MM-DD hh:mm", local.times.now)
    titles = local.titles
    rows   = local.rows
    broken = length(local.said)
    verdict = (
      length(local.clusters) == 0 ? "No cluster was checked." :
      length(local.said) == 0 ? (length(local.clusters) == 1 ? "The only cluster can be restored." : "All ${length(local.clusters)} clusters can be restored.") :
      length(local.clusters) == 1 ? "The only cluster ${local.said[0].text}." :
      join(" ", [for i, s in local.said : "${s.number} ${i == 0 ? "of ${length(local.clusters)} clusters" : "more"} ${s.text}."])
    )
    counts = [for rank, group in local.groups : { group = group, number = length([for r in values(local.ranks) : r if r == rank]) }]
    rule = join(" ", compact([
      "A cluster has no problem if its backup is started and it has a complete snapshot${var.max_snapshot_age_hours == null ? "" : " that is at most ${var.max_snapshot_age_hours} ${var.max_snapshot_age_hours == 1 ? "hour" : "hours"} old"}.",
      "Only a restore proves that its data is good.",
    ]))
    scope = join(" ", compact([
      var.project_ids == null ? "Read from all projects of the API key." : "Read from selected projects only.",
      length(var.excluded_cluster_ids) == 0 ? "" : "Excluded clusters: ${length(var.excluded_cluster_ids)}.",
      local.foreign == 0 ? "" : "Clusters that another product backs up, which were not checked: ${local.foreign}.",
      length(local.clusters) == 0 ? "They have no cluster to check." : "Projects with clusters:",
    ]))
    projects = [for names in values({ for id, c in local.clusters : "${lower(c.project_name)}\t${c.project_id}" => local.escaped[id].project... }) : names[0]]
  })
}

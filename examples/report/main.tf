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

  include_recovery_points = true
}

locals {
  clusters = { for id, c in data.opsmanager_backup_status.all.clusters : id => c if c.code != "THIRD_PARTY" }
  foreign  = { for id, c in data.opsmanager_backup_status.all.clusters : id => c if c.code == "THIRD_PARTY" }

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
  old = sort([for id, c in local.clusters : c.newest_complete.created if local.sections[id] == 2 && try(local.hours[id] >= 0, false)])

  # Terraform can't subtract times, so this counts the seconds since 1970. The years begin in March, so that a leap day
  # is the last day of its year.
  part = [for part in regexall("[0-9]+", plantimestamp()) : tonumber(part)]
  year = local.part[1] < 3 ? local.part[0] - 1 : local.part[0]
  day  = 365 * local.year + floor(local.year / 4) - floor(local.year / 100) + floor(local.year / 400) + floor((153 * ((local.part[1] + 9) % 12) + 2) / 5) + local.part[2] - 719469
  now  = 86400 * local.day + 3600 * local.part[3] + 60 * local.part[4] + local.part[5]

  # The recovery points of each cluster that has any, from the newest to the oldest, with their ages in hours. With maps
  # and lists, thousands of clusters take seconds. Objects would take many minutes, because Terraform compares their types.
  points = tomap({
    for id, c in local.clusters : id => tolist([
      for p in jsondecode(c.recovery_points_json) : {
        hours   = (local.now - p.created_seconds) / 3600
        created = p.created
        bytes   = p.data_size_bytes == null ? -1 : p.data_size_bytes
        kind    = p.complete == null ? "unknown" : p.do_not_delete == true ? "held" : try(p.kept_days > 35, false) ? "long" : "short"
      }
    ]) if !contains(["", "[]"], coalesce(c.recovery_points_json, "[]"))
  })
  complete = { for id, all in local.points : id => floor([for p in all : p.hours if p.kind != "unknown"][0]) if !alltrue([for p in all : p.kind == "unknown"]) }
  hours    = tomap(local.complete)

  # Terraform goes through a map in the order of its keys: the worst problem first, then
  # the oldest snapshot, then the name of the project.
  order = {
    for id, c in local.clusters : join("\t", [
      local.sections[id], local.ranks[id], c.problem == null || c.newest_complete == null ? "" : c.newest_complete.created,
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
      count   = try(length(local.points[id]) == 1 ? "1, taken ${local.points[id][0].created}" : "${length(local.points[id])}, since ${substr(local.points[id][length(local.points[id]) - 1].created, 0, 10)}", "none")
      size    = try(local.size[id], null)
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

  # The picture of the recovery points is 1000 units wide, from the oldest one until now. It is logarithmic, so that both
  # an hour and a year can be seen.
  oldest = max(840, [for all in local.points : all[length(all) - 1].hours]...)
  scale  = 980 / log(1 + local.oldest, 10)
  ages   = [{ hours = 24, text = "1 day" }, { hours = 168, text = "1 week" }, { hours = 730, text = "1 month" }, { hours = 8766, text = "1 year" }]
  ticks  = [for age in local.ages : { x = 990 - floor(local.scale * log(1 + age.hours, 10)), text = age.text } if age.hours < 0.8 * local.oldest]

  placed = tomap({
    for id, all in local.points : id => tolist([
      for p in all : { x = 990 - floor(local.scale * log(1 + max(0, p.hours), 10)), kind = p.kind, bytes = p.bytes }
    ])
  })
  kinds = [
    { name = "short", text = "kept for at most 5 weeks" }, { name = "long", text = "kept for longer" },
    { name = "held", text = "held" }, { name = "unknown", text = "not known to be complete" },
  ]

  # The size of the data in the recovery points, for the line below the dots, and for the text beside it.
  sizes = tomap({ for id, all in local.points : id => tolist([for p in all : p.bytes if p.bytes >= 0]) if anytrue([for p in all : p.bytes >= 0]) })
  units = { for id, all in local.sizes : id => [for size in [all[0], all[length(all) - 1]] : size < 1e9 ? "${ceil(size / 1e6)} MB" : size < 1e12 ? "${ceil(size / 1e9)} GB" : "${ceil(size / 1e12)} TB"] }
  size  = tomap({ for id, text in local.units : id => text[0] == text[1] ? text[0] : "${text[0]}, was ${text[1]}" })
  most  = tomap({ for id, all in local.sizes : id => max(1, all...) })

  # What is drawn of a cluster with recovery points.
  dots = { for kind in local.kinds : kind.name => tomap({ for id, all in local.placed : id => join("", [for p in all : "M${p.x} 9h0" if p.kind == kind.name]) }) }
  line = tomap({ for id, all in local.placed : id => join(" ", [for p in all : "${p.x},${24 - floor(8 * p.bytes / local.most[id])}" if p.bytes >= 0]) if try(length(local.sizes[id]) > 1, false) })
  times = tomap({
    for id, all in local.placed : id => max(all[length(all) - 1].x, 990 - floor(local.scale * log(1 + local.clusters[id].schedule.point_in_time_window_hours, 10)))
    if local.clusters[id].status_name == "STARTED" && try(local.clusters[id].schedule.point_in_time_window_hours > 0, false)
  })
  drawn = {
    for id, c in local.clusters : id => {
      dots  = [for kind in local.kinds : { kind = kind.name, path = try(local.dots[kind.name][id], "") }]
      sizes = try(local.line[id], "")
      from  = try(local.times[id], null)
    }
  }
  grid = join("", [for tick in local.ticks : "M${tick.x} 0v24"])
  goal = var.max_snapshot_age_hours == null ? null : 990 - floor(local.scale * log(1 + var.max_snapshot_age_hours, 10))

  # The page shows nothing but these texts. A name may contain HTML, so the characters
  # that have a meaning in HTML are replaced: & first, because the others become one.
  escaped = {
    for id, fact in merge(local.facts, { for id, c in local.foreign : id => { name = c.name, project = c.project_name } }, { page = { title = var.title } }) : id => {
      for name, text in fact : name =>
      text == null ? "" : replace(replace(replace(replace(replace(text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;"), "\"", "&quot;"), "'", "&#39;")
    }
  }

  rows = [for i in range(4) : [for id in local.order : merge(local.escaped[id], local.drawn[id]) if local.sections[id] == i]]

  others = values({ for id, c in local.foreign : "${lower(c.project_name)}\t${lower(c.name)}\t${id}" => local.escaped[id] })

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
    made   = formatdate("YYYY-MM-DD hh:mm", plantimestamp())
    titles = local.titles
    rows   = local.rows
    others = local.others
    ticks  = local.ticks
    grid   = local.grid
    line   = local.goal
    kinds  = local.kinds
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
      length(local.clusters) == 0 ? "They have no cluster to check." : "Projects with clusters:",
    ]))
    projects = [for names in values({ for id, c in local.clusters : "${lower(c.project_name)}\t${c.project_id}" => local.escaped[id].project... }) : names[0]]
  })
}

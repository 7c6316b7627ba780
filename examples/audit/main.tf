# Evidence for an auditor about named clusters: that no snapshot expires before a date, that a restore was tried in each
# quarter, and who holds which snapshot. It only reads:
#
#   terraform apply -auto-approve
#   terraform output -raw json > audit.json
#   terraform output -raw html > audit.html
#   terraform output -raw verdict
#
# Each verdict is "passed", "failed" or "not known". What Ops Manager does not say is not known.

terraform {
  required_version = ">= 1.5"

  required_providers {
    opsmanager = {
      source  = "terraform.local/local/opsmanager"
      version = "~> 0.1.0"
    }
  }
}

variable "clusters" {
  description = "The clusters by a name of your choice. No snapshot may expire before keep_until, such as 2033-01-01T00:00:00Z. Without it, that is not checked."
  type        = map(object({ project_id = string, cluster_id = string, keep_until = optional(string) }))

  validation {
    condition     = alltrue([for c in var.clusters : c.keep_until == null || can(timeadd(c.keep_until, "0s"))])
    error_message = "keep_until must be a time such as 2033-01-01T00:00:00Z."
  }
}

variable "quarters" {
  description = "The quarters in each of which a restore was tried, such as 2026-Q3. Defaults to the last four that are over, in UTC."
  type        = list(string)
  default     = null

  validation {
    condition     = alltrue([for quarter in coalesce(var.quarters, []) : can(regex("^[0-9]{4}-Q[1-4]$", quarter))])
    error_message = "Write quarters as 2026-Q3."
  }
}

variable "holds" {
  description = "Who holds each snapshot, and why, by its ID. Ops Manager does not know that."
  type        = map(string)
  default     = {}
}

variable "drills" {
  description = "Folder with the JUnit files of restore drills, from the artifacts of their pipeline."
  type        = string
  default     = "drills"
}

variable "previous" {
  description = "File of an earlier audit. A snapshot that it has must still exist, unless it has expired."
  type        = string
  default     = null
}

data "opsmanager_backup_status" "all" {
  project_ids             = local.project_ids
  include_recovery_points = true
}

data "opsmanager_clusters" "all" {
  for_each   = local.project_ids
  project_id = each.value
}

data "opsmanager_restore_jobs" "all" {
  for_each   = local.readable
  project_id = each.value.project_id
  cluster_id = each.value.cluster_id
}

locals {
  project_ids = toset([for c in var.clusters : c.project_id])
  made        = plantimestamp()
  quarter     = 4 * tonumber(formatdate("YYYY", local.made)) + floor((tonumber(formatdate("M", local.made)) - 1) / 3)
  quarters    = coalesce(var.quarters, [for n in range(local.quarter - 4, local.quarter) : "${floor(n / 4)}-Q${n % 4 + 1}"])

  status   = { for name, c in var.clusters : name => try(data.opsmanager_backup_status.all.clusters[c.cluster_id], null) }
  readable = { for name, c in var.clusters : name => c if try(local.status[name].code != "THIRD_PARTY", local.status[name] != null) }

  # Why the snapshots of a cluster are not known.
  unread = {
    for name, c in local.status : name => (
      c == null ? "Ops Manager lists no such cluster in this project." :
      c.code == "THIRD_PARTY" ? "Another product backs it up." :
      c.recovery_points_json == null ? "Its snapshots were not read: ${coalesce(c.problem, "no reason is known")}." : null
    )
  }

  snapshots = {
    for name, c in local.status : name => [
      for s in jsondecode(local.unread[name] == null ? c.recovery_points_json : "[]") : {
        id      = s.id
        created = s.created
        expires = s.expires
        held    = s.do_not_delete
        held_by = lookup(var.holds, s.id, null)
        kept = (
          s.do_not_delete == true ? "passed" : s.expires == null ? "not known" :
          var.clusters[name].keep_until == null ? "passed" :
          try(timecmp(s.expires, var.clusters[name].keep_until) >= 0 ? "passed" : "failed", "not known")
        )
      }
    ]
  }

  kept = {
    for name, c in var.clusters : name => {
      verdict = (
        try(local.status[name].code == "TERMINATING", false) ? "failed" : local.unread[name] != null ? "not known" :
        length(local.snapshots[name]) == 0 || contains(local.snapshots[name][*].kept, "failed") ? "failed" :
        contains(local.snapshots[name][*].kept, "not known") ? "not known" : "passed"
      )
      why = (
        try(local.status[name].code == "TERMINATING", false) ? "Its backup is being terminated, which deletes all snapshots." :
        local.unread[name] != null ? local.unread[name] : length(local.snapshots[name]) == 0 ? "It has no complete snapshot." :
        join(" ", compact([
          "Snapshots: ${length(local.snapshots[name])}, held: ${length([for s in local.snapshots[name] : s if s.held == true])}.",
          join(" ", [for s in local.snapshots[name] : "${s.id} expires at ${s.expires}." if s.kept == "failed"]),
          join(" ", [for s in local.snapshots[name] : "Ops Manager does not say when ${s.id} expires." if s.kept == "not known"]),
        ]))
      )
    } if c.keep_until != null
  }

  # The restore of a sharded cluster is a batch, with a job for each shard. Ops Manager may not list all of its jobs.
  shards = {
    for name, c in local.readable : name => length([
      for part in data.opsmanager_clusters.all[c.project_id].results : part
      if !part.has_schedule && part.name == local.status[name].name && part.type_name != "CONFIG_SERVER_REPLICA_SET"
    ]) if strcontains(local.status[name].type_name, "SHARDED")
  }
  jobs = { for name, read in data.opsmanager_restore_jobs.all : name => { for job in read.results : coalesce(job.batch_id, job.id, "unknown") => job... } }
  restores = {
    for name, batches in local.jobs : name => [
      for id, jobs in batches : {
        evidence = "restore ${id}"
        time     = try(sort(jobs[*].created)[0], null)
        status = (
          length(setsubtract(jobs[*].status_name, ["FINISHED"])) > 0 ? join(", ", setsubtract([for job in jobs : coalesce(job.status_name, "UNKNOWN")], ["FINISHED"])) :
          length(jobs) < try(max(1, local.shards[name]), 1) ? "INCOMPLETE" : "FINISHED"
        )
      }
    ]
  }

  # A drill is about the cluster that its warning names. It has passed if each of its tests has.
  files = { for file in fileset(var.drills, "**/*.xml") : file => replace(file("${var.drills}/${file}"), "/\\s+/", " ") }
  drills = {
    for name, c in var.clusters : name => [
      for file, text in local.files : {
        evidence = "drill ${file}, SHA-256 ${filesha256("${var.drills}/${file}")}"
        time     = try(regex("timestamp=\"([^\"]+)\"", text)[0], null)
        status   = can(regex("<testsuite [^>]*tests=\"[1-9]", text)) && !can(regex("<testsuite [^>]*(skipped|failures|errors)=\"[1-9]", text)) ? "FINISHED" : "BROKEN"
      } if strcontains(text, "(${c.cluster_id}) into this cluster")
    ]
  }

  tried = {
    for name in keys(var.clusters) : name => {
      for quarter in local.quarters : quarter => [
        for t in concat(try(local.restores[name], []), local.drills[name]) : t
        if try("${substr(t.time, 0, 4)}-Q${ceil(tonumber(substr(t.time, 5, 2)) / 3)}" == quarter, false)
      ]
    }
  }
  restored = {
    for name, quarters in local.tried : name => {
      for quarter, all in quarters : quarter => {
        verdict = (
          contains(all[*].status, "FINISHED") ? "passed" :
          length([for t in all : t if can(regex("BROKEN|KILLED", t.status))]) > 0 ? "failed" : "not known"
        )
        why = length(all) == 0 ? "No restore is known. Ops Manager may not keep restores that long." : join(" ", [for t in all : "${t.status} at ${t.time}: ${t.evidence}."])
      }
    }
  }

  # A hold is checked from both ends: who holds a snapshot that is held, and whether a snapshot that has a holder is held.
  all     = flatten([for name, snapshots in local.snapshots : [for s in snapshots : merge(s, { cluster = name })]])
  by_id   = { for s in local.all : s.id => s... }
  all_ids = setunion(keys(var.holds), [for s in local.all : s.id if s.held == true])
  held = {
    for id in local.all_ids : id => {
      cluster = try(local.by_id[id][0].cluster, null)
      by      = lookup(var.holds, id, null)
      verdict = (
        !contains(keys(local.by_id), id) ? (anytrue([for why in local.unread : why != null]) ? "not known" : "failed") :
        local.by_id[id][0].held == null || !contains(keys(var.holds), id) ? "not known" : local.by_id[id][0].held ? "passed" : "failed"
      )
      why = (
        !contains(keys(local.by_id), id) ? "No cluster of this audit has it." : local.by_id[id][0].held == null ? "Ops Manager does not say whether it is held." :
        !contains(keys(var.holds), id) ? "It is held, and it is not known by whom." : local.by_id[id][0].held ? "It is held." : "It is not held."
      )
    }
  }

  # What an earlier audit saw, and should still exist.
  earlier = var.previous == null ? null : jsondecode(file(var.previous))
  gone = {
    for name, c in var.clusters : name => {
      verdict = local.unread[name] != null || !can(length(local.earlier.clusters[name].snapshots)) ? "not known" : length(local.missing[name]) > 0 ? "failed" : "passed"
      why = (
        local.unread[name] != null ? local.unread[name] : !can(length(local.earlier.clusters[name].snapshots)) ? "The earlier audit has no snapshots of this cluster." :
        length(local.missing[name]) == 0 ? "All snapshots exist that were seen at ${local.earlier.made}." : "Deleted since ${local.earlier.made}: ${join(", ", local.missing[name])}."
      )
    } if var.previous != null
  }
  missing = {
    for name in keys(var.clusters) : name => [
      for s in try(local.earlier.clusters[name].snapshots, []) : s.id
      if(s.held == true || try(timecmp(s.expires, local.made) > 0, true)) && !contains(local.snapshots[name][*].id, s.id)
    ]
  }

  checks = concat(
    [for name, c in local.kept : merge(c, { cluster = name, what = "No snapshot expires before ${var.clusters[name].keep_until}" })],
    flatten([for name, quarters in local.restored : [for quarter, c in quarters : merge(c, { cluster = name, what = "A restore was tried in ${quarter}" })]]),
    [for name, c in local.gone : merge(c, { cluster = name, what = "No snapshot was deleted before its time" })],
    [for id, c in local.held : { verdict = c.verdict, why = c.why, cluster = coalesce(c.cluster, "none"), what = "Snapshot ${id} is held by ${coalesce(c.by, "a known holder")}" }],
  )
  verdicts = length(local.checks) == 0 ? ["not known"] : local.checks[*].verdict
  verdict  = contains(local.verdicts, "failed") ? "failed" : contains(local.verdicts, "not known") ? "not known" : "passed"
  ignored  = [for file, text in local.files : file if !anytrue([for c in var.clusters : strcontains(text, "(${c.cluster_id}) into this cluster")])]

  audit = {
    made     = local.made
    verdict  = local.verdict
    quarters = local.quarters
    checks   = local.checks
    clusters = {
      for name, c in var.clusters : name => merge(c, {
        cluster_name = try(local.status[name].name, null)
        project_name = try(local.status[name].project_name, null)
        status       = try(local.status[name].status_name, null)
        problem      = try(local.status[name].problem, local.unread[name])
        snapshots    = local.unread[name] == null ? local.snapshots[name] : null
        restores     = local.tried[name]
      })
    }
    holds         = local.held
    ignored_files = local.ignored
  }

  # The page shows nothing but these texts. Names may contain HTML.
  shown = [
    for c in local.checks : {
      for key, text in c : key =>
      replace(replace(replace(replace(replace(text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;"), "\"", "&quot;"), "'", "&#39;")
    }
  ]
}

check "audit" {
  assert {
    condition     = local.verdict == "passed"
    error_message = join("\n", [for c in local.checks : "${c.verdict}: ${c.cluster}: ${c.what}. ${c.why}" if c.verdict != "passed"])
  }
}

output "verdict" {
  description = "passed, failed or not known"
  value       = local.verdict
}

output "json" {
  description = "The audit, with all facts that it is based on."
  sensitive   = true # keeps it out of the output of plan and apply
  value       = jsonencode(local.audit)
}

output "html" {
  description = "The page."
  sensitive   = true
  value = templatefile("${path.module}/audit.html.tftpl", {
    made    = formatdate("YYYY-MM-DD hh:mm", local.made)
    verdict = local.verdict
    numbers = join(", ", [for verdict in ["failed", "not known", "passed"] : "${length([for v in local.checks : v if v.verdict == verdict])} ${verdict}"])
    groups  = { for name in distinct(concat(keys(var.clusters), local.shown[*].cluster)) : name => [for c in local.shown : c if c.cluster == name] }
    earlier = local.earlier == null ? "No earlier audit was given, so deleted snapshots are not known." : "Compared with an earlier audit."
    ignored = length(local.ignored)
  })
}

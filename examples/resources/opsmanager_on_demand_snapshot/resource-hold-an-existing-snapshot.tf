# A legal hold on a snapshot that exists. It does not expire until do_not_delete is
# false. A termination of the backup of the cluster deletes it nevertheless. Ops Manager forgets when it would have
# expired: the plan of the import shows that once, and expires sets it again at the end of the hold.
import {
  to = opsmanager_on_demand_snapshot.evidence
  id = "64f0c2a19b3d5e7f80a1b2c3/650a1f3c2e4b6d8091a3b5c7/66b0c530c4d6e8f0a2b4c600"
}

resource "opsmanager_on_demand_snapshot" "evidence" {
  project_id    = "64f0c2a19b3d5e7f80a1b2c3"
  cluster_id    = "650a1f3c2e4b6d8091a3b5c7"
  do_not_delete = true
}

# If another client deletes the snapshot, the plan sets gone to true, with exit code 2. After that is applied, this
# warns in each run.
check "evidence_exists" {
  assert {
    condition     = !opsmanager_on_demand_snapshot.evidence.gone
    error_message = "The snapshot that serves as evidence is gone."
  }
}

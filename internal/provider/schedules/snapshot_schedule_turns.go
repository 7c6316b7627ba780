package schedules

import (
	"strings"
	"sync"
	"time"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
)

var turns connection.Shared[scheduleTurns]

// scheduleTurns lets the resources of one provider process change the schedule of a cluster one after the
// other, and knows what they have changed, so that none takes another one's change for that of someone
// else. The zero value is ready for use.
type scheduleTurns struct {
	connection.Turns
	changed sync.Map // the ownChange of a cluster, by its ID
}

// ownChange is what this process has changed of a schedule.
type ownChange struct {
	at     time.Time                   // the last time
	values opsmanager.SnapshotSchedule // what was sent, and what differed in the response
}

// noteChange records that this process has just changed the schedule of a cluster. The response is nil if
// there was none.
func (t *scheduleTurns) noteChange(cluster string, sent, before opsmanager.SnapshotSchedule, response *opsmanager.SnapshotSchedule) {
	values := sent
	if response != nil {
		values = scheduleFields.Complete(sent, scheduleFields.Changed(withLater(before, *response), before))
	}
	t.changed.Store(strings.ToLower(cluster), ownChange{time.Now(), scheduleFields.Complete(values, t.lastChange(cluster).values)})
}

// lastChange returns what this process has changed of the schedule of a cluster.
func (t *scheduleTurns) lastChange(cluster string) ownChange {
	value, _ := t.changed.Load(strings.ToLower(cluster))
	last, _ := value.(ownChange)
	return last
}

package schedules

import (
	"strings"
	"sync"
	"time"

	"terraform-provider-opsmanager/internal/provider/connection"
)

var turns connection.Shared[scheduleTurns]

// scheduleTurns lets the resources of one provider process change the schedule of a cluster one after the
// other, so that none takes another one's change for one that Ops Manager made. The zero value is
// ready for use.
type scheduleTurns struct {
	connection.Turns
	changed sync.Map // when this process last changed the schedule of a cluster, by the cluster's ID
}

// noteChange records that this process has just changed the schedule of a cluster.
func (t *scheduleTurns) noteChange(cluster string) {
	t.changed.Store(strings.ToLower(cluster), time.Now())
}

// lastChange returns when this process last changed the schedule of a cluster, or the zero time.
func (t *scheduleTurns) lastChange(cluster string) time.Time {
	at, _ := t.changed.Load(strings.ToLower(cluster))
	last, _ := at.(time.Time)
	return last
}

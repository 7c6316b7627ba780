package schedules

import (
	"context"
	"strings"
	"sync"
	"time"

	"terraform-provider-opsmanager/internal/provider/connection"
)

// turns lets the resources of one provider process change the schedule of a cluster one after the
// other, so that none takes another one's change for one that Ops Manager made. The zero value is
// ready for use.
type turns struct {
	mu       sync.Mutex
	clusters map[string]*turn // by project and cluster
}

type turn struct {
	taken   chan struct{} // has an element while a resource has the turn
	changed time.Time     // when this process last changed the schedule; zero if it has not
}

// takeTurn waits until no other resource changes the schedule. The caller must end the turn.
func takeTurn(ctx context.Context, data *connection.Data, schedule snapshotScheduleModel) (*turn, error) {
	all := connection.Shared[turns](data)
	key := strings.ToLower(schedule.ProjectID.ValueString() + "/" + schedule.ClusterID.ValueString())
	all.mu.Lock()
	if all.clusters == nil {
		all.clusters = map[string]*turn{}
	}
	one := all.clusters[key]
	if one == nil {
		one = &turn{taken: make(chan struct{}, 1)}
		all.clusters[key] = one
	}
	all.mu.Unlock()
	select {
	case one.taken <- struct{}{}:
		return one, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (t *turn) end() { <-t.taken }

package emulator

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// timeFields are the fields of a seed that have times.
var timeFields = []string{"completedTime", "created", "date", "expires", "lastHeartbeat", "updated"}

// resolveTimes makes the relative times in a document absolute.
func resolveTimes(value any, start time.Time) error {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			if err := resolveTimes(item, start); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, field := range value {
			text, isText := field.(string)
			if !isText || !slices.Contains(timeFields, name) {
				if err := resolveTimes(field, start); err != nil {
					return err
				}
				continue
			}
			at, err := resolveTime(text, start)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			value[name] = at
		}
	}
	return nil
}

// resolveTime returns a time that is relative to a start, such as -26h10m, as an absolute one, and
// any other text as it is.
func resolveTime(text string, start time.Time) (string, error) {
	if !strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "+") {
		return text, nil
	}
	offset, err := time.ParseDuration(text)
	if err != nil {
		return "", fmt.Errorf("%q is neither a time nor a duration such as -26h10m", text)
	}
	return date(start.Add(offset)), nil
}

// ending is the end of what has begun: of a transition, a snapshot, a restore or the start of an agent.
type ending struct {
	at  time.Time
	end func() // does nothing if reads or requests were faster
}

// inTime ends what has just begun once TransitionTime has passed. All of it takes the same time, so
// the endings have the order of their times.
func (e *Emulator) inTime(end func()) {
	if e.options.TransitionTime > 0 {
		e.endings = append(e.endings, ending{e.now.Add(e.options.TransitionTime), end})
	}
}

// endInTime does what inTime does for a cluster, unless it has been removed by then.
func (e *Emulator) endInTime(clusterID string, end func(*Project, *Cluster)) {
	e.inTime(func() {
		for i := range e.state.Projects {
			if cluster := e.state.Projects[i].cluster(clusterID); cluster != nil {
				end(&e.state.Projects[i], cluster)
			}
		}
	})
}

// pass lets the time pass that has passed on the clock. What has ended meanwhile ends at its own
// time, so that what follows, such as the first snapshot after a start, has the right time too.
func (e *Emulator) pass() {
	now := e.options.Now()
	for len(e.endings) > 0 && !e.endings[0].at.After(now) {
		next := e.endings[0]
		e.endings = e.endings[1:]
		e.now = next.at
		next.end()
	}
	e.now = now
}

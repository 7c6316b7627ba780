package emulator

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// timeFields are the fields of a seed that have times.
var timeFields = []string{"completedTime", "created", "date", "expires", "lastHeartbeat", "updated"}

// At returns a copy of a seed for an emulator that starts at a time: the times that are relative
// to its start become absolute. It panics if one of them is malformed.
func (s *Seed) At(start time.Time) *Seed {
	resolved, err := s.at(start)
	if err != nil {
		panic("emulator: " + err.Error())
	}
	return resolved
}

func (s *Seed) at(start time.Time) (*Seed, error) {
	resolved := s.clone()
	if s.isCopy() {
		return resolved, nil
	}
	for _, cluster := range resolved.clusters() {
		heartbeat, err := resolveTime(cluster.LastHeartbeat, start)
		if err != nil {
			return nil, fmt.Errorf("lastHeartbeat of %s: %w", cluster.ID, err)
		}
		cluster.LastHeartbeat = heartbeat
	}
	for _, project := range resolved.Projects {
		for i, agent := range project.Agents {
			down, err := resolveTime(agent.Down, start)
			if err != nil {
				return nil, fmt.Errorf("down of the agent on %s: %w", agent.Hostname, err)
			}
			project.Agents[i].Down = down
		}
	}
	for _, d := range resolved.documents() {
		if err := resolveTimes(d.fields, start); err != nil {
			return nil, fmt.Errorf("%s: %w", d.name, err)
		}
	}
	return resolved, nil
}

// FixedStart is the start that the times of a seed are relative to with [Options.Fixed].
var FixedStart = time.Date(2025, 9, 1, 2, 40, 30, 0, time.UTC)

// Fixed returns options for tests that compare times: those of the seed are always the same, and
// only reads end something. Options with a clock stay as they are.
func (o Options) Fixed() Options {
	if o.Now != nil {
		return o
	}
	if o.Seed == nil {
		o.Seed = readDefaultSeed()
	}
	o.Seed, o.TransitionTime = o.Seed.At(FixedStart), -1
	return o
}

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

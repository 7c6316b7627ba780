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

// clock knows the time, and what ends as time passes.
type clock struct {
	source       func() time.Time
	takes        time.Duration // how long everything takes that has begun; negative means forever
	started, now time.Time     // when New was called, and when the last request arrived
	endings      []ending      // the next one first
	endless      bool          // something has begun that only reads end
}

// ending is the end of what has begun: of a transition, a snapshot, a restore or the start of an agent.
type ending struct {
	at  time.Time
	end func() // does nothing if reads or requests were faster
}

// inTime ends what has just begun once its time has passed. All of it takes the same time, so the endings
// have the order of their times.
func (c *clock) inTime(end func()) {
	if c.takes < 0 {
		c.endless = true
		return
	}
	c.endings = append(c.endings, ending{c.now.Add(c.takes), end})
}

// inProgress reports whether something may have begun that reads bring closer to its end.
func (c *clock) inProgress() bool { return c.endless || len(c.endings) > 0 }

// isDue reports whether something ends now.
func (c *clock) isDue() bool { return len(c.endings) > 0 && !c.endings[0].at.After(c.source()) }

// pass lets the time pass that has passed on the clock. What has ended meanwhile ends at its own
// time, so that what follows, such as the first snapshot after a start, has the right time too.
func (c *clock) pass() {
	now := c.source()
	for len(c.endings) > 0 && !c.endings[0].at.After(now) {
		next := c.endings[0]
		c.endings = c.endings[1:]
		c.now = next.at
		next.end()
	}
	c.now = now
}

// progress is how far that has come which requests have begun, and how much of it failed.
type progress struct {
	transitions   map[string]*transition      // in progress, by the ID of the cluster
	refusedStarts int                         // of UnreportedStarts
	running       map[string]*runningSnapshot // by the ID of the snapshot
	begun         map[string]bool             // the IDs of the snapshots that were begun
	modules       map[string][]*module        // the backup modules that run, did or will, by the ID of the project
	restores      map[string]*restore         // the running restore jobs, by their ID
	refusedPoints int                         // number of points in time that were refused, because their oplog has not arrived
	failingProbes int                         // of buckets; negative means all
}

// transition is PROVISIONING or TERMINATING.
type transition struct {
	reads int // until its end
}

// runningSnapshot is the progress of a snapshot that is being taken.
type runningSnapshot struct {
	hidden int // reads until it appears
	reads  int // further reads until it is complete; negative if reads don't complete it
}

// module is the backup module of an agent.
type module struct {
	hostname string
	began    time.Time // when it last started; zero if it never did
	running  bool
	last     time.Time    // its last request, if it does not run
	start    *moduleStart // if it is about to run
}

// moduleStart is the start of a module, which takes some reads or some time.
type moduleStart struct{ reads int }

// restore is a restore job that is running.
type restore struct {
	reads         int    // until its end; negative if it has no end
	targetCluster string // ID; empty for a download
	isLink        bool
	expiration    time.Duration // of the link, once the job is complete
}

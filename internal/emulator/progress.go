package emulator

import "time"

// progress is how far that has come which requests have begun, and how much of it failed.
type progress struct {
	transitions   map[string]*transition      // in progress, by the ID of the cluster
	refusedStarts int                         // of UnreportedStarts
	running       map[string]*runningSnapshot // by the ID of the snapshot
	begun         map[string]bool             // the IDs of the snapshots that were begun
	modules       map[string][]*module        // the backup modules that run, did or will, by the ID of the project
	goals         map[string]*goal            // that are not achieved yet, by the ID of the project
	restores      map[string]*restore         // the running restore jobs, by their ID
	refusedPoints int                         // number of points in time that were refused, because their oplog has not arrived
	failingProbes int                         // of buckets; negative means all
	moduleRuns    func(*Project)              // is called when a backup module starts
}

// transition is PROVISIONING or TERMINATING.
type transition struct {
	reads   int  // until its end
	overdue bool // it only waits for the backup module
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

// goal is the version of an automation configuration that the agents of a project work towards.
type goal struct {
	achieved int // by the processes
	reads    int // of the status until they achieve the goal
}

// restore is a restore job that is running.
type restore struct {
	reads         int    // until its end; negative if it has no end
	targetCluster string // ID; empty for a download
	isLink        bool
	expiration    time.Duration // of the link, once the job is complete
}

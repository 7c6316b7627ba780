package providertest

import (
	"flag"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"
)

// attack runs an attack on every registered resource that it applies to.
func attack(t *testing.T, registrations []Registration, appliesTo func(Registration) bool, run func(t *testing.T, r Registration)) {
	t.Helper()
	if !slices.ContainsFunc(registrations, appliesTo) {
		t.Fatal("this applies to none of the registrations")
	}
	for _, r := range inTurn(registrations) {
		if appliesTo(r) {
			t.Run(r.Name, func(t *testing.T) {
				t.Parallel()
				run(t, r)
			})
		}
	}
}

// inTurn tells each registration which cases of a sample are its own.
func inTurn(registrations []Registration) []Registration {
	sharing := map[string]int{}
	for _, r := range registrations {
		if thorough(r) {
			sharing[r.TypeName]++
		}
	}
	turns, dealt := map[string]int{}, slices.Clone(registrations)
	for i, r := range dealt {
		dealt[i].turn, dealt[i].sharing = turns[r.TypeName], sharing[r.TypeName]
		if thorough(r) {
			turns[r.TypeName]++
		}
	}
	return dealt
}

// What an attack may apply to.
func every(Registration) bool         { return true }
func thorough(r Registration) bool    { return !r.Brief }
func guarded(r Registration) bool     { return r.Guard != "" && r.Config[r.Guard] == true }
func protected(r Registration) bool   { return r.Protects(r.Config) }
func unprotected(r Registration) bool { return !protected(r) }

// exhaustive runs every case of every attack. That takes some minutes, and the
// sample that runs otherwise half a minute.
var exhaustive = flag.Bool("exhaustive", false, "run every case of the conformance suite instead of a sample")

// sampled is whether a case is in the sample, which has one of so many.
func sampled(number, of int) bool { return *exhaustive || number%of == 0 }

// sideBySide is for cases that wait most of the time: run starts one, and more of
// them run at once than there are processors. wait waits for all of them.
func sideBySide(t *testing.T) (run func(name string, test func(t *testing.T)), wait func()) {
	t.Helper()
	var group errgroup.Group
	group.SetLimit(8)
	run = func(name string, test func(t *testing.T)) {
		group.Go(func() error {
			t.Run(name, test)
			return nil
		})
	}
	return run, func() { _ = group.Wait() }
}

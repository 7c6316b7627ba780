package providertest

import (
	"flag"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"
)

// attack runs an attack on every registered resource that it applies to.
func attack(t *testing.T, registrations []Registration, appliesTo func(Registration) bool, run func(t *testing.T, r Registration)) {
	t.Helper()
	if !slices.ContainsFunc(registrations, appliesTo) {
		t.Fatal("this applies to none of the registrations")
	}
	for _, r := range inTurn(sharingApplied(registrations)) {
		if appliesTo(r) {
			t.Run(r.Name, func(t *testing.T) {
				t.Parallel()
				run(t, r)
			})
		}
	}
}

// sharingApplied lets the trials of each registration share what its first apply leads to,
// if they don't yet.
func sharingApplied(registrations []Registration) []Registration {
	shared := slices.Clone(registrations)
	for i := range shared {
		if shared[i].applied == nil {
			shared[i].applied = new(atomic.Pointer[applied])
		}
	}
	return shared
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

// conformance are the checks that every resource has to pass.
var conformance = []struct {
	name  string
	check func(*testing.T, []Registration)
}{
	{"a field may have any value in an answer", checkMangledFields},
	{"a field that is adjusted is reported", checkAdjustedFields},
	{"a field that changes along is reported", checkCoupledFields},
	{"a service that lags is waited for", checkStaleReads},
	{"the answer for another object is not taken for this one", checkOtherObjects},
	{"an imported object plans what is left", checkImport},
	{"an ID that names nothing is not imported", checkInvalidImportIDs},
	{"a renamed address keeps its object", checkRenamedAddress},
	{"two resources for one object plan what the other one left", checkDuplicateResources},
	{"a state that an older version wrote is taken over", checkOlderStates},
	{"provider settings that are known late change nothing else", checkLateProviderSettings},
	{"IDs that are known late lose no object", checkLateIDs},
	{"an ignored attribute keeps its live value", checkIgnoreChanges},
	{"ignoring all attributes plans nothing", checkIgnoreAllChanges},
	{"a saved plan leaves alone what it does not show", checkSavedPlan},
	{"each field may change between plan and apply", checkDriftAfterPlan},
	{"a plan without a refresh leaves alone what it does not show", checkPlanWithoutRefresh},
	{"drift is planned and undone", checkDrift},
	{"each change is applied and taken back", checkChanges},
	{"an object that goes between plan and apply is not made again", checkRemovalAfterPlan},
	{"a value that is known late is applied or refused", checkLateValues},
	{"the first plan says what it overwrites", checkPreview},
	{"another ID replaces as the plan says", checkReplacement},
	{"a replacement that cannot succeed destroys nothing", checkImpossibleReplacement},
	{"a replacement without a change keeps or reports the object", checkForcedReplacement},
	{"a destroy does what its plan says", checkDestroy},
	{"an object that is gone is destroyed without an error", checkDestroyOfNothing},
	{"a failed request is made up for by the next apply", checkFailedRequests},
	{"an interrupted request is made up for by the next apply", checkInterruptedRequests},
	{"a plan that cannot look is refused", checkBlindPlan},
	{"Terraform holds the laws of every resource", checkTerraform},
}

// CheckConformance runs the conformance suite on the resources of a package, each in the
// configurations that it is registered with.
func CheckConformance(t *testing.T, registrations []Registration) {
	t.Helper()
	registrations = sharingApplied(registrations)
	for _, c := range conformance {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t, registrations)
		})
	}
}

// What an attack may apply to.
func every(Registration) bool         { return true }
func thorough(r Registration) bool    { return !r.Brief }
func guarded(r Registration) bool     { return r.Guard != "" && r.Config[r.Guard] == true }
func protected(r Registration) bool   { return r.Protects(r.Config) }
func unprotected(r Registration) bool { return !protected(r) }

var exhaustive = flag.Bool("exhaustive", false, "run every case of the conformance suite and of the faults instead of a sample")

// Sampled reports whether a case is in the sample, which has one of so many.
func Sampled(number, of int) bool { return *exhaustive || number%of == 0 }

// sample returns every second case. Registrations of a noun take turns with the
// first one and the second one.
func sample[T any](r Registration, cases []T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i, c := range cases {
			if Sampled(i+r.turn, 2) && !yield(i, c) {
				return
			}
		}
	}
}

// onChanges runs a check on a sample of the changes of each registration.
func onChanges(t *testing.T, registrations []Registration, check func(t *testing.T, r Registration, change Values)) {
	t.Helper()
	attack(t, registrations, thorough, func(t *testing.T, r Registration) {
		for _, change := range sample(r, r.Changes) {
			t.Run(fmt.Sprint(change), func(t *testing.T) {
				t.Parallel()
				check(t, r, change)
			})
		}
	})
}

// onDrifts runs a check on a sample of the drifts of each registration, with their
// numbers.
func onDrifts(t *testing.T, registrations []Registration, check func(t *testing.T, r Registration, i int, drift map[string]any)) {
	t.Helper()
	attack(t, registrations, thorough, func(t *testing.T, r Registration) {
		for i, drift := range sample(r, r.Drifts) {
			t.Run(fmt.Sprint(drift), func(t *testing.T) {
				t.Parallel()
				check(t, r, i, drift)
			})
		}
	})
}

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

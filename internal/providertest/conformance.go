package providertest

import (
	"flag"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"
	"testing"
)

// runEach runs a check on each registration that it applies to.
func runEach(t *testing.T, registrations []Registration, appliesTo func(Registration) bool, run func(t *testing.T, r Registration)) {
	t.Helper()
	if !slices.ContainsFunc(registrations, appliesTo) {
		t.Fatal("the check applies to no registration")
	}
	for _, r := range withTurns(sharingApplied(registrations)) {
		if appliesTo(r) {
			t.Run(r.Name, func(t *testing.T) {
				t.Parallel()
				run(t, r)
			})
		}
	}
}

// sharingApplied fills in the defaults, and makes the trials of each registration share the result
// of its first apply.
func sharingApplied(registrations []Registration) []Registration {
	shared := slices.Clone(registrations)
	for i := range shared {
		shared[i].ResourceType = shared[i].withDefaults()
		if shared[i].applied == nil {
			shared[i].applied = new(atomic.Pointer[applied])
		}
	}
	return shared
}

// withTurns distributes the cases of a sample among the registrations of each type.
func withTurns(registrations []Registration) []Registration {
	counts := map[string]int{}
	for _, r := range registrations {
		if thorough(r) {
			counts[r.TypeName]++
		}
	}
	next := map[string]int{}
	assigned := slices.Clone(registrations)
	for i, r := range assigned {
		assigned[i].turn = next[r.TypeName]
		assigned[i].turns = counts[r.TypeName]
		if thorough(r) {
			next[r.TypeName]++
		}
	}
	return assigned
}

// check is a check of the conformance suite.
type check struct {
	name string
	run  func(*testing.T, []Registration)
}

// conformance lists the checks that each resource must pass.
var conformance = []check{
	{"a field may have any value in a response", checkMangledFields},
	{"a response may lack any member", checkMissingMembers},
	{"an adjusted field is reported", checkAdjustedFields},
	{"a coupled change is reported", checkCoupledFields},
	{"a response for another object is an error", checkOtherObjects},
	{"an imported object plans the changes that are left", checkImport},
	{"an ID without an object is not imported", checkInvalidImportIDs},
	{"a state of an older version is upgraded", checkOlderStates},
	{"provider settings may be unknown during a plan", checkLateProviderSettings},
	{"an ignored attribute keeps its live value", checkIgnoreChanges},
	{"a saved plan changes only what it shows", checkSavedPlan},
	{"a plan without a refresh changes only what it shows", checkPlanWithoutRefresh},
	{"drift is planned and reverted", checkDrift},
	{"each change is applied and reverted", checkChanges},
	{"values may be unknown during a plan", checkLateValues},
	{"a destroy does what its plan shows", checkDestroy},
	{"an object that is gone is destroyed without an error", checkDestroyOfNothing},
	{"an object that another client deletes is a change of the plan", checkRemovalIsShown},
	{"only the code of an object says that it is missing", checkMissingParents},
	{"the next apply recovers from a failed request", checkFailedRequests},
	{"the next apply recovers from an interrupted request", checkInterruptedRequests},
	interferenceCheck,
}

// interferenceCheck also runs with -short, because it is fast and draws other cases each time.
var interferenceCheck = check{"an apply that others interfere with changes only what its plan showed", checkInterference}

// creations lists the checks of resources whose configuration identifies the object, so
// creating them twice results in one object.
var creations = []check{
	{"an object survives a renamed address", checkRenamedAddress},
	{"IDs may be unknown during a plan", checkLateIDs},
	{"an object that is removed after the plan is not created again", checkRemovalAfterPlan},
	{"the first plan shows which values it overwrites", checkPreview},
	{"another ID replaces as planned", checkReplacement},
	{"an impossible replacement destroys nothing", checkImpossibleReplacement},
	{"a forced replacement keeps the object or reports its deletion", checkForcedReplacement},
	{"a plan that cannot read the object reports it", checkBlindPlan},
	{"real Terraform follows the two rules with each resource", checkTerraform},
}

// CheckConformance runs the conformance suite on the resources of a package, each in the
// configurations that it is registered with. With -short it runs only the check with interferences: the other cases send one
// request at a time, so the race detector would find nothing that it doesn't find in other tests.
func CheckConformance(t *testing.T, registrations []Registration) {
	t.Helper()
	registrations = sharingApplied(registrations)
	checks := conformance
	if registrations[0].Imported == nil {
		checks = slices.Concat(conformance, creations)
	}
	for _, r := range registrations {
		for name, reason := range r.Inapplicable {
			if !slices.ContainsFunc(checks, func(c check) bool { return c.name == name }) {
				t.Errorf("there is no check %q, which does not apply to %s because %s", name, r.Name, reason)
			}
		}
	}
	for _, c := range checks {
		applicable := slices.DeleteFunc(slices.Clone(registrations), func(r Registration) bool {
			return r.Inapplicable[c.name] != ""
		})
		isLeftOut := testing.Short() && c.name != interferenceCheck.name
		if len(applicable) == 0 || isLeftOut {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, applicable)
		})
	}
}

// Conditions for the use of a registration in a check.
func every(Registration) bool         { return true }
func thorough(r Registration) bool    { return !r.Brief }
func guarded(r Registration) bool     { return r.Guard != "" && r.Config[r.Guard] == true }
func protected(r Registration) bool   { return r.Protects(r.Config) }
func unprotected(r Registration) bool { return !protected(r) }

var exhaustive = flag.Bool("exhaustive", false, "run every case of the conformance suite and of the faults instead of a sample")

// Sampled reports whether a case is in the sample, which has one of n cases, and with -short an
// eighth of those.
func Sampled(number, n int) bool {
	if testing.Short() {
		n *= 8
	}
	return *exhaustive || number%n == 0
}

// Sample returns one of n cases, from the first one on, or all of them with -exhaustive. It is for cases that
// differ in their values, and each of which starts Terraform several times.
func Sample[T any](n int, cases ...T) []T {
	var sampled []T
	for i, c := range cases {
		if Sampled(i, n) {
			sampled = append(sampled, c)
		}
	}
	return sampled
}

// sample returns every second case. The registrations of a type alternate between the even and the
// odd cases.
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
	runEach(t, registrations, thorough, func(t *testing.T, r Registration) {
		for _, change := range sample(r, r.Changes) {
			runCase(t, fmt.Sprint(change), func(t *testing.T) {
				check(t, r, change)
			})
		}
	})
}

// onDrifts runs a check on a sample of the drifts of each registration, with their
// numbers.
func onDrifts(t *testing.T, registrations []Registration, check func(t *testing.T, r Registration, i int, drift map[string]any)) {
	t.Helper()
	runEach(t, registrations, thorough, func(t *testing.T, r Registration) {
		for i, drift := range sample(r, r.Drifts) {
			runCase(t, fmt.Sprint(drift), func(t *testing.T) {
				check(t, r, i, drift)
			})
		}
	})
}

// runEachInBubble runs a check of one case on each registration that it applies to, in a bubble.
func runEachInBubble(
	t *testing.T, registrations []Registration, appliesTo func(Registration) bool, run func(t *testing.T, r Registration),
) {
	t.Helper()
	runEach(t, registrations, appliesTo, func(t *testing.T, r Registration) {
		InBubble(t, func(t *testing.T) { run(t, r) })
	})
}

// runCase runs a case beside others, in a bubble of testing/synctest, in which waits take no time, and a busy
// machine doesn't matter.
func runCase(t *testing.T, name string, test func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		InBubble(t, test)
	})
}

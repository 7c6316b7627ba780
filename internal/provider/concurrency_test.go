package provider_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// Concurrent requests use up each other's nonces, and all of them succeed.
func TestConcurrentRefreshesSucceedWithNoncesOfFiveRequests(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{NonceUses: 5})
	w := providertest.NewWorkspace(t, s)
	first := w.NewResource(providertest.ScheduleType)
	first.Create(providertest.Schedule(cards, values{"daily_snapshot_retention_days": 15}))
	s.ResetRequests()
	const refreshes = 100
	var group errgroup.Group
	group.SetLimit(10)
	for range refreshes {
		group.Go(func() error {
			m := *first
			if diags := m.Refresh(); len(diags.Errors()) > 0 {
				return errors.New(diags.Errors()[0])
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	providertest.WantEqual(t, len(s.Calls("GET")), refreshes)
	if got := s.Challenges(); got < refreshes/5-1 || got > refreshes {
		t.Errorf("%d challenges", got)
	}
}

// If the server does not respond, a run with many resources ends soon after its first failures, and one error explains
// that.
func TestRunAgainstADeadServerEndsSoonAndReportsItsDuration(t *testing.T) {
	t.Parallel()
	d := providertest.StartFaultProxy(t)
	w := providertest.NewWorkspace(t, d.Service, values{"max_retries": 2, "request_timeout": providertest.Timeout.String()})
	first := w.NewResource(providertest.ScheduleType)
	first.Create(providertest.Schedule(cards, values{"daily_snapshot_retention_days": 15}))
	d.Inject(providertest.Fault{Handler: providertest.Hang}, "GET", 0, true)
	const resources, workers = 200, 10
	var explained atomic.Int32
	var group errgroup.Group
	group.SetLimit(workers)
	started := time.Now()
	for range resources {
		group.Go(func() error {
			m := *first
			errors := m.Refresh().Errors()
			providertest.WantOne(t, errors, "Unable to Read Snapshot Schedule: ")
			if !strings.HasSuffix(errors[0], ": Ops Manager can't be reached, as another error of this run explains.") {
				providertest.WantContains(t, errors[0], "no response within "+providertest.Timeout.String())
				explained.Add(1)
			}
			return nil
		})
	}
	_ = group.Wait()
	// Three attempts in parallel and one more. Retrying for each resource would take 60 attempts.
	if passed := time.Since(started); passed > 50*providertest.Timeout {
		t.Errorf("%d resources took %s", resources, passed)
	}
	if explained.Load() != 1 {
		t.Errorf("%d errors explain that", explained.Load())
	}
}

package opsmanager_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestEveryFormOfTheChallengeIsAnswered(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"qop", "op", "none"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			client, service := emulate(t, emulator.Options{Challenge: form})
			for method, call := range call {
				if err := call(t.Context(), client); err != nil && failed(t, err).Status == http.StatusUnauthorized {
					t.Errorf("%s: %v", method, err)
				}
			}
			_, err := client.ListBackupConfigs(t.Context(), payments, opsmanager.Page{Number: 1, Size: 2}) // the query is part of the digest
			succeed(t, err)
			equal(t, "challenges", service.Challenges(), 1)
		})
	}
}

func TestOneChallengeServesTenFirstRequests(t *testing.T) {
	t.Parallel()
	client, service := emulate(t, emulator.Options{Latency: 20 * time.Millisecond})
	for _, err := range together(10, func(int) error { return ledgerSchedule(t.Context(), client) }) {
		t.Error(err)
	}
	equal(t, "challenges", service.Challenges(), 1)
	equal(t, "requests", len(service.Requests()), 11)
}

func TestOneChallengeServesAHundredRequests(t *testing.T) {
	t.Parallel()
	client, service := emulate(t, emulator.Options{})
	for range 100 {
		succeed(t, ledgerSchedule(t.Context(), client))
	}
	equal(t, "challenges", service.Challenges(), 1)
}

// workers make many calls side by side, as Terraform does.
func workers(t *testing.T, client *opsmanager.Client) {
	t.Helper()
	for _, err := range together(10, func(int) error {
		for range 20 {
			if err := ledgerSchedule(t.Context(), client); err != nil {
				return err
			}
		}
		return nil
	}) {
		t.Error(err)
	}
}

func TestWorkersSurviveNoncesThatExpireUnderThem(t *testing.T) {
	t.Parallel()
	t.Run("after five uses", func(t *testing.T) {
		t.Parallel()
		client, service := emulate(t, emulator.Options{NonceUses: 5})
		workers(t, client)
		// At worst, each call is challenged once.
		if n := service.Challenges(); n < 40 || n > 201 {
			t.Errorf("%d challenges for 200 calls", n)
		}
	})
	t.Run("after one use", func(t *testing.T) {
		t.Parallel()
		client, service := emulate(t, emulator.Options{NonceUses: 1})
		workers(t, client)
		if n := service.Challenges(); n > 201 {
			t.Errorf("%d challenges for 200 calls", n)
		}
	})
	t.Run("all at once", func(t *testing.T) {
		t.Parallel()
		// As after a time, but one that does not depend on the machine.
		d := &door{stale: "true", admits: func(request, issued, _ int) bool { return request/50 == issued/50 }}
		workers(t, serve(t, d.ServeHTTP))
		if challenges := d.requests - 200; challenges < 4 || challenges > 101 {
			t.Errorf("%d challenges for 200 calls", challenges)
		}
	})
}

// door is a service behind Digest that accepts what admits says, and answers
// everything else with a new nonce. It does not verify digests, as the emulator
// does.
type door struct {
	// admits is told which request this is, at which its nonce was issued, and
	// how often that has been used with this.
	admits func(request, issued, uses int) bool
	stale  string // what challenges say of the old nonce

	mu       sync.Mutex
	requests int
	uses     map[string]int
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests++
	_, nonce, answered := strings.Cut(r.Header.Get("Authorization"), `nonce="`)
	if nonce, _, _ = strings.Cut(nonce, `"`); answered {
		if d.uses == nil {
			d.uses = map[string]int{}
		}
		d.uses[nonce]++
		issued, _ := strconv.Atoi(strings.TrimPrefix(nonce, "nonce-"))
		if d.admits(d.requests, issued, d.uses[nonce]) {
			answer(w, http.StatusOK, "application/json", something)
			return
		}
	}
	w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Digest realm="r", nonce="nonce-%d", algorithm=MD5, qop="auth", stale=%s`, d.requests, d.stale))
	answer(w, http.StatusUnauthorized, "application/json", "{}")
}

func TestAnExpiredNonceIsRenewedEvenIfNobodyCallsItStale(t *testing.T) {
	t.Parallel()
	d := &door{stale: "false", admits: func(_, _, uses int) bool { return uses <= 2 }}
	client := serve(t, d.ServeHTTP)
	for range 10 {
		succeed(t, ledgerSchedule(t.Context(), client))
	}
	// One to be challenged first; then each nonce serves two calls, and one
	// more request learns that it doesn't serve a third.
	equal(t, "requests", d.requests, 1+10+4)
}

func TestANonceThatWasRefusedForWantOfRightsDoesNotSpoilLaterCalls(t *testing.T) {
	t.Parallel()
	refuse := false
	d := &door{stale: "false", admits: func(_, _, uses int) bool { return !refuse && uses == 1 }}
	client := serve(t, d.ServeHTTP)
	succeed(t, ledgerSchedule(t.Context(), client))
	refuse = true
	err := ledgerSchedule(t.Context(), client)
	equal(t, "status", failed(t, err).Status, http.StatusUnauthorized)
	equal(t, "requests", d.requests, 4) // two for each call: a refusal may be that of an old nonce
	refuse = false
	succeed(t, ledgerSchedule(t.Context(), client))
}

func TestAServiceThatCallsEveryNonceStaleIsGivenUp(t *testing.T) {
	t.Parallel()
	d := &door{stale: "true", admits: func(int, int, int) bool { return false }}
	client := serve(t, d.ServeHTTP)
	err := ledgerSchedule(t.Context(), client)
	equal(t, "status", failed(t, err).Status, http.StatusUnauthorized)
	equal(t, "requests", d.requests, 6)

	d = &door{stale: "true", admits: func(request, _, _ int) bool { return request >= 5 }}
	succeed(t, ledgerSchedule(t.Context(), serve(t, d.ServeHTTP)))
}

func TestAWrongKeyIsNotTriedTwice(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"qop", "op"} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			client, service := emulate(t, emulator.Options{Challenge: form}, func(c *opsmanager.Config) { c.PrivateKey = "wrong" })
			for call, want := range []int{2, 1, 1} {
				service.ResetRequests()
				err := ledgerSchedule(t.Context(), client)
				equal(t, "status", failed(t, err).Status, http.StatusUnauthorized)
				equal(t, fmt.Sprintf("requests of call %d", call+1), len(service.Requests()), want)
			}
		})
	}
}

func TestA401WithoutAChallengeThatCanBeAnsweredIsFinal(t *testing.T) {
	t.Parallel()
	for name, challenge := range map[string]string{
		"none":              "",
		"basic":             `Basic realm="r"`,
		"another algorithm": `Digest realm="r", nonce="n", algorithm=MD5-sess, qop="auth"`,
		"malformed":         `Digest realm="r`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requests := 0
			client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				requests++
				if challenge != "" {
					w.Header().Set("WWW-Authenticate", challenge)
				}
				answer(w, http.StatusUnauthorized, "application/json", `{"error":401,"errorCode":"NOT_IN_GROUP","detail":"no"}`)
			})
			err := ledgerSchedule(t.Context(), client)
			equal(t, "status", failed(t, err).Status, http.StatusUnauthorized)
			equal(t, "code", failed(t, err).Code, "NOT_IN_GROUP")
			equal(t, "requests", requests, 1)
		})
	}
}

func TestAServiceWithoutAuthenticationIsCalledSideBySide(t *testing.T) {
	t.Parallel()
	const calls = 5
	var under atomic.Int32
	all := make(chan struct{})
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("credentials were sent that nobody asked for")
		}
		if r.Method == http.MethodDelete && under.Add(1) == calls {
			close(all)
		}
		if r.Method == http.MethodDelete {
			select {
			case <-all:
			case <-time.After(10 * time.Second):
				t.Error("the calls wait for each other")
			}
		}
		answer(w, http.StatusOK, "application/json", something)
	})
	succeed(t, ledgerSchedule(t.Context(), client))
	for _, err := range together(calls, func(int) error { return client.DeleteDeploymentRegion(t.Context(), "NY_NJ") }) {
		t.Error(err)
	}
}

func TestAServiceThatBeginsToAskIsAnswered(t *testing.T) {
	t.Parallel()
	open := true
	d := &door{stale: "false", admits: func(int, int, int) bool { return true }}
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if open {
			answer(w, http.StatusOK, "application/json", something)
			return
		}
		d.ServeHTTP(w, r)
	})
	succeed(t, ledgerSchedule(t.Context(), client))
	open = false
	for range 3 {
		succeed(t, ledgerSchedule(t.Context(), client))
	}
	equal(t, "requests", d.requests, 4)
}

func TestTheBodyIsSentAgainAfterTheChallenge(t *testing.T) {
	t.Parallel()
	client, service := emulate(t, emulator.Options{NonceUses: 1})
	for _, days := range []int64{3, 4, 5} {
		_, err := client.UpdateSnapshotSchedule(t.Context(), payments, ledger, opsmanager.SnapshotSchedule{SnapshotRetentionDays: &days})
		succeed(t, err)
	}
	bodies := []string{}
	for _, r := range service.Requests() {
		bodies = append(bodies, string(r.Body))
	}
	three, four, five := `{"snapshotRetentionDays":3}`, `{"snapshotRetentionDays":4}`, `{"snapshotRetentionDays":5}`
	equal(t, "bodies", strings.Join(bodies, " "), strings.Join([]string{three, three, four, four, five, five}, " "))
}

func TestWaitingForTheFirstChallengeEndsWithTheContext(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	client := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived) // by one request only
		hang(r)
	})
	asking, stopAsking := context.WithCancel(t.Context())
	defer stopAsking()
	first := make(chan error, 1)
	go func() { first <- ledgerSchedule(asking, client) }()
	<-arrived

	waiting, stop := context.WithCancel(t.Context())
	second := make(chan error, 1)
	go func() { second <- ledgerSchedule(waiting, client) }()
	stop()
	select {
	case err := <-second:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it waits although nobody is interested any more")
	}
	stopAsking()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestAnAskerThatFailsLeavesTheTurnToTheNext(t *testing.T) {
	t.Parallel()
	client, service := emulate(t, emulator.Options{}, retries(0))
	service.Inject(emulator.Fault{BeforeAuth: true, DropBefore: true})
	service.Inject(emulator.Fault{BeforeAuth: true, Status: http.StatusBadGateway})
	for range 2 {
		if err := ledgerSchedule(t.Context(), client); err == nil {
			t.Fatal("the fault did not happen")
		}
	}
	for _, err := range together(5, func(int) error { return ledgerSchedule(t.Context(), client) }) {
		t.Error(err)
	}
	equal(t, "challenges", service.Challenges(), 1)
}

func TestTheConnectionIsKeptAcrossChallenges(t *testing.T) {
	t.Parallel()
	connections := map[string]bool{}
	requests := 0
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		connections[r.RemoteAddr] = true
		_, _ = io.Copy(io.Discard, r.Body)
		if requests++; requests%2 == 1 {
			w.Header().Set("WWW-Authenticate", `Digest realm="r", nonce="n", qop="auth", stale=true`)
			answer(w, http.StatusUnauthorized, "text/html", strings.Repeat("please ", 1000))
			return
		}
		answer(w, http.StatusOK, "application/json", something)
	})
	for range 3 {
		succeed(t, ledgerSchedule(t.Context(), client))
	}
	equal(t, "requests", requests, 6)
	equal(t, "connections", len(connections), 1)
}

// As many workers as Terraform can reasonably have: once the challenge is there,
// each round is answered when all of them have asked, so that each takes a
// connection of its own.
func TestTheConnectionsOfManyWorkersAreKept(t *testing.T) {
	t.Parallel()
	const workers = 50
	var mu sync.Mutex
	connections := map[string]bool{}
	waiting, expected, all := 0, 1, make(chan struct{})
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		connections[r.RemoteAddr] = true
		turn := all
		if waiting++; waiting == expected {
			waiting, expected, all = 0, workers, make(chan struct{})
			close(turn)
		}
		mu.Unlock()
		select {
		case <-turn:
			answer(w, http.StatusOK, "application/json", something)
		case <-r.Context().Done():
		}
	})
	succeed(t, ledgerSchedule(t.Context(), client))
	for range 3 {
		for _, err := range together(workers, func(int) error { return ledgerSchedule(t.Context(), client) }) {
			t.Error(err)
		}
	}
	equal(t, "connections", len(connections), workers)
}

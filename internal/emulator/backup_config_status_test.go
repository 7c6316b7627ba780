package emulator_test

import (
	"fmt"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

// statuses reads a backup configuration several times and returns its statuses.
func (c *client) statuses(cluster string, reads int) []string {
	c.t.Helper()
	var got []string
	for range reads {
		got = append(got, fmt.Sprint(c.config(cluster)["statusName"]))
	}
	return got
}

// snapshots returns the number of snapshots of a cluster of the first project.
func (c *client) snapshots(cluster string) int {
	c.t.Helper()
	return len(c.get(inPayments + "/clusters/" + cluster + "/snapshots?completed=all").results(c.t))
}

func request(status string) string { return `{"statusName":"` + status + `"}` }

func TestStatusCanBeRequestedFromTheDocumentedOnes(t *testing.T) {
	t.Parallel()
	const (
		startRefused     = "CANNOT_START_BACKUP_INVALID_STATE"
		stopRefused      = "CANNOT_STOP_BACKUP_INVALID_STATE"
		terminateRefused = "CANNOT_TERMINATE_BACKUP_INVALID_STATE"
	)
	for present, refusals := range map[string]map[string]string{
		"INACTIVE":     {"STARTED": "", "STOPPED": stopRefused, "TERMINATING": terminateRefused},
		"PROVISIONING": {"STARTED": startRefused, "STOPPED": stopRefused, "TERMINATING": terminateRefused},
		"STARTED":      {"STARTED": startRefused, "STOPPED": "", "TERMINATING": terminateRefused},
		"STOPPED":      {"STARTED": "", "STOPPED": stopRefused, "TERMINATING": ""},
		"TERMINATING":  {"STARTED": startRefused, "STOPPED": stopRefused, "TERMINATING": terminateRefused},
	} {
		for wanted, code := range refusals {
			t.Run(present+wanted, func(t *testing.T) {
				t.Parallel()
				c := start(t)
				c.service.SetBackupConfig(payments, ledger, object{"statusName": present})
				got := c.change(ledger, request(wanted))
				if code == "" {
					equal(t, got.ok(t)["statusName"], wanted)
					return
				}
				got.refused(t, 409, code)
				equal(t, c.config(ledger)["statusName"], present)
			})
		}
		for _, wanted := range []string{"INACTIVE", "PROVISIONING"} {
			c := start(t)
			c.service.SetBackupConfig(payments, ledger, object{"statusName": present})
			c.change(ledger, request(wanted)).refused(t, 403, "UNSUPPORTED_SET_BACKUP_STATE")
		}
	}
}

// Real servers accepted these bodies of MongoDB's operator and of scripts.
func TestKnownBodiesAreAccepted(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{TransitionReads: -1, Lenient: true})
	for _, body := range []string{
		`{"statusName":"STARTED","storageEngineName":"WIRED_TIGER","syncSource":"primary"}`,
		`{"statusName":"STOPPED"}`,
		`{"statusName":"STARTED","storageEngineName":"WIRED_TIGER","syncSource":"PRIMARY","clusterId":"` + reports + `","groupId":"` + payments + `",
			"encryptionEnabled":false,"provisioned":false,"excludedNamespaces":[],"includedNamespaces":null}`,
		`{"statusName":"STOPPED"}`,
		`{"statusName":"TERMINATING"}`,
	} {
		c.change(reports, body).ok(t)
	}
	equal(t, c.config(reports)["statusName"], "INACTIVE")
}

func TestStartKeepsTheStorageEngine(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{TransitionReads: -1})
	c.change(reports, `{"statusName":"STARTED","storageEngineName":"MEMORY_MAPPED","syncSource":"PRIMARY"}`).ok(t)
	equal(t, c.config(reports)["storageEngineName"], "MEMORY_MAPPED")
	c.change(orders, `{"statusName":"STOPPED","storageEngineName":"MEMORY_MAPPED","syncSource":"PRIMARY"}`).ok(t)
	equal(t, c.config(shard)["storageEngineName"], "MEMORY_MAPPED")
}

func TestTerminationDeletesAllSnapshots(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.change(ledger, request("STOPPED")).ok(t)
	if c.snapshots(ledger) == 0 {
		t.Error("stopping deletes snapshots")
	}
	c.change(ledger, request("TERMINATING")).ok(t)
	if n := c.snapshots(ledger); n > 0 || c.snapshots(orders) == 0 {
		t.Errorf("%d snapshots are left", n)
	}
	hosts := inPayments + "/hosts/" + legacyHost + "/snapshots"
	if len(c.get(hosts).results(t)) == 0 {
		t.Error("the snapshots of the config servers of another cluster are deleted")
	}
	c.change(invoices, request("TERMINATING")).ok(t)
	if n := len(c.get(hosts).results(t)); n > 0 {
		t.Errorf("%d snapshots of the config servers are left", n)
	}
	seed := emulator.DefaultSeed()
	for i, cluster := range seed.Projects[0].Clusters {
		if cluster.ID == shard {
			seed.Projects[0].Clusters[i].Snapshots = []object{{"id": "66d3e2a1c4d6e8f0a2b4c7ff", "complete": true}}
		}
	}
	c = start(t, emulator.Options{Seed: seed})
	c.service.SetBackupStatus(payments, orders, "TERMINATING")
	if c.snapshots(orders)+c.snapshots(shard) > 0 {
		t.Error("snapshots of a sharded cluster are left")
	}
}

func TestRestartKeepsTheSnapshots(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.change(ledger, request("STOPPED")).ok(t)
	c.change(ledger, request("STARTED")).ok(t)
	if got := c.statuses(ledger, 1)[0]; got != "STARTED" || c.snapshots(ledger) == 0 {
		t.Errorf("%s, %d snapshots", got, c.snapshots(ledger))
	}
}

func TestBackupCanBeTerminatedInTheConsole(t *testing.T) {
	t.Parallel()
	c := start(t)
	c.service.SetBackupStatus(payments, ledger, "TERMINATING")
	if got := c.statuses(ledger, 3); got[0] != "TERMINATING" || got[2] != "INACTIVE" || c.snapshots(ledger) > 0 {
		t.Errorf("got %v and %d snapshots", got, c.snapshots(ledger))
	}
	// A status that was set directly does not change.
	c.service.SetBackupStatus(payments, cards, "TERMINATING")
	c.service.SetBackupConfig(payments, cards, object{"statusName": "TERMINATING"})
	equal(t, c.statuses(cards, 5)[4], "TERMINATING")
}

func TestStaleReadsOfABackupConfig(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Options{StaleReads: 2, StaleResponses: true})
	equal(t, c.change(cards, `{"sslEnabled":false}`).ok(t)["sslEnabled"], true)
	for read, want := range []bool{true, true, false} {
		if got := c.config(cards)["sslEnabled"]; got != want {
			t.Errorf("read %d shows %v", read, got)
		}
	}
	// A change must be valid for the status that reads still return.
	c.change(cards, request("STOPPED")).ok(t)
	c.change(cards, request("TERMINATING")).refused(t, 409, "CANNOT_TERMINATE_BACKUP_INVALID_STATE")
	c.change(cards, request("STOPPED")).refused(t, 409, "CANNOT_STOP_BACKUP_INVALID_STATE")
	c.statuses(cards, 2)
	c.change(cards, request("TERMINATING")).ok(t)
}

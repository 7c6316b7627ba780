package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider"
	"terraform-provider-opsmanager/internal/providertest"
)

// Environment variables with the project and the cluster that make testacc-live uses in a real Ops
// Manager.
const (
	liveProject = "OPSMANAGER_LIVE_PROJECT_ID"
	liveCluster = "OPSMANAGER_LIVE_CLUSTER_ID"
)

func TestLiveScheduleIsChangedAndRestored(t *testing.T) {
	t.Parallel()
	if os.Getenv(liveProject) == "" || os.Getenv(liveCluster) == "" {
		t.Skipf("%s and %s are not set: see make testacc-live in CONTRIBUTING.md", liveProject, liveCluster)
	}
	changeAndRestore(t, os.Getenv)
}

// This runs the live test on an emulator that has everything, and on one that has what is documented.
func TestEmulatedScheduleIsChangedAndRestored(t *testing.T) {
	t.Parallel()
	providertest.Acceptance(t)
	for _, profile := range []emulator.Profile{emulator.Full, emulator.Documented} {
		t.Run(string(profile), func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t, emulator.Options{Profile: profile})
			before := s.Schedule(payments, cards)
			t.Run("live", func(t *testing.T) { changeAndRestore(t, environmentOf(s, payments, cards)) }) //nolint:paralleltest // the schedule is checked below
			if after := s.Schedule(payments, cards); !maps.EqualFunc(before, after, func(a, b any) bool { return a == b }) {
				t.Errorf("the schedule is\n%v\nand was\n%v", after, before)
			}
			if patches := s.Sent("PATCH", "/snapshotSchedule"); len(patches) < 2 {
				t.Errorf("want at least two changes, got %v", patches)
			}
		})
	}
}

func environmentOf(s *providertest.Service, project, cluster string) func(string) string {
	variables := map[string]string{
		"OPSMANAGER_BASE_URL": s.URL, "OPSMANAGER_PUBLIC_KEY": emulator.DefaultPublicKey, "OPSMANAGER_PRIVATE_KEY": emulator.DefaultPrivateKey,
		liveProject: project, liveCluster: cluster,
	}
	return func(name string) string { return variables[name] }
}

// changeAndRestore runs real Terraform, which adopts the schedule of a cluster without a change,
// moves its time of day by a minute, imports it and forgets it. Nothing else is changed. At the
// end, the schedule is restored, even after a failure.
func changeAndRestore(t *testing.T, getenv func(string) string) {
	project, cluster := getenv(liveProject), getenv(liveCluster)
	client, err := provider.ClientFromEnvironment(getenv)
	if err != nil {
		t.Fatal(err)
	}
	before, err := client.SnapshotSchedule(t.Context(), project, cluster)
	if err != nil {
		t.Fatal(err)
	}
	if before.ReferenceMinuteOfHour == nil {
		t.Fatal("Ops Manager does not return the minute of the schedule, so the test cannot change and restore it")
	}
	t.Logf("the schedule before the test: %s", liveJSON(*before))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*time.Minute)
		defer cancel()
		if err := restore(ctx, client, project, cluster, *before); err != nil {
			t.Errorf("NOT RESTORED: %v\nThe schedule was: %s", err, liveJSON(*before))
			return
		}
		t.Log("the schedule is restored")
	})

	minute := *before.ReferenceMinuteOfHour
	next := neighbor(minute)
	changed := *before
	changed.ReferenceMinuteOfHour = new(next)
	const address = "opsmanager_snapshot_schedule.live"
	reads := fmt.Sprintf("data \"opsmanager_backup_config\" \"live\" {\n  project_id = %q\n  cluster_id = %q\n}\n", project, cluster)
	if _, err := client.BackupConfig(t.Context(), project, cluster); opsmanager.MayBeUnsupported(err) {
		t.Log("Ops Manager does not return a single backup configuration, so the test does not read one")
		reads = ""
	}
	config := func(minute int64) string {
		return fmt.Sprintf(`
provider "opsmanager" {}

%s
resource "opsmanager_snapshot_schedule" "live" {
  project_id               = %q
  cluster_id               = %q
  reference_minute_of_hour = %d
}`, reads, project, cluster, minute)
	}
	now := func(want opsmanager.SnapshotSchedule) providertest.AfterApply {
		return func() {
			got, err := client.SnapshotSchedule(t.Context(), project, cluster)
			if err != nil {
				t.Error(err)
			} else if difference := changes(*got, want); len(difference) > 0 {
				t.Errorf("Ops Manager has\n%s\nwant\n%s", liveJSON(*got), liveJSON(want))
			}
		}
	}
	options := provider.Options{Getenv: getenv}
	providertest.CLI(t)
	resource.Test(t, resource.TestCase{
		IsUnitTest: true, // the caller has checked the environment
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
			"opsmanager": providerserver.NewProtocol6WithError(provider.NewWithOptions("test", options)()),
		},
		Steps: []resource.TestStep{
			{
				Config: config(minute),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(
					address, plancheck.ResourceActionCreate,
				)}},
				ConfigStateChecks: []statecheck.StateCheck{now(*before)},
			},
			{
				Config: config(next),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(
					address, plancheck.ResourceActionUpdate,
				)}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("reference_minute_of_hour"), knownvalue.Int64Exact(next)),
					now(changed),
				},
			},
			{
				ResourceName: address, ImportState: true, ImportStateVerify: true,
				ImportStateId: project + "/" + cluster, ImportStateVerifyIdentifierAttribute: "cluster_id", ImportStateVerifyIgnore: []string{"overwrites"},
			},
		},
	})
}

// neighbor returns the next minute of the same hour, or the one before if there is none.
func neighbor(minute int64) int64 {
	if minute == 59 {
		return 58
	}
	return minute + 1
}

func TestNeighbourIsAMinuteOfTheSameHour(t *testing.T) {
	t.Parallel()
	for minute, want := range map[int64]int64{0: 1, 58: 59, 59: 58} {
		if got := neighbor(minute); got != want {
			t.Errorf("%d: %d, want %d", minute, got, want)
		}
	}
}

// restore restores a schedule, and verifies it.
func restore(ctx context.Context, client *opsmanager.Client, project, cluster string, before opsmanager.SnapshotSchedule) error {
	for range 2 { // a change may change other fields, too
		live, err := client.SnapshotSchedule(ctx, project, cluster)
		if err != nil {
			return err
		}
		difference := changes(*live, before)
		if len(difference) == 0 {
			return nil
		}
		text, err := json.Marshal(difference)
		if err != nil {
			return err
		}
		var change opsmanager.SnapshotSchedule
		if err := json.Unmarshal(text, &change); err != nil {
			return err
		}
		if _, err := client.UpdateSnapshotSchedule(ctx, project, cluster, change); err != nil {
			return err
		}
	}
	live, err := client.SnapshotSchedule(ctx, project, cluster)
	if err == nil && len(changes(*live, before)) > 0 {
		err = errors.New("Ops Manager accepted the change and kept " + liveJSON(*live))
	}
	return err
}

// changes returns the fields of a schedule that differ from those of another.
func changes(from, to opsmanager.SnapshotSchedule) object {
	difference, before := fieldsOf(to), fieldsOf(from)
	maps.DeleteFunc(difference, func(name string, value any) bool { return before[name] == value })
	return difference
}

func fieldsOf(s opsmanager.SnapshotSchedule) object {
	fields := object{}
	_ = json.Unmarshal([]byte(liveJSON(s)), &fields)
	return fields
}

func liveJSON(s opsmanager.SnapshotSchedule) string {
	text, _ := json.Marshal(s)
	return string(text)
}

func TestRestoreVerifiesTheSchedule(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	client, err := provider.ClientFromEnvironment(environmentOf(s, payments, cards))
	if err != nil {
		t.Fatal(err)
	}
	before, err := client.SnapshotSchedule(t.Context(), payments, cards)
	if err != nil {
		t.Fatal(err)
	}
	untouched := s.Schedule(payments, cards)
	s.SetSchedule(payments, cards, object{"referenceMinuteOfHour": 17, "weeklySnapshotRetentionWeeks": 1})
	if err := restore(t.Context(), client, payments, cards, *before); err != nil {
		t.Error(err)
	}
	if restored := s.Schedule(payments, cards); !maps.EqualFunc(untouched, restored, func(a, b any) bool { return a == b }) {
		t.Errorf("restored\n%v\nwant\n%v", restored, untouched)
	}

	impossible := *before
	impossible.ReferenceMinuteOfHour = new(int64(75))
	if err := restore(t.Context(), client, payments, cards, impossible); err == nil {
		t.Error("want an error, because the schedule was not restored")
	}
}

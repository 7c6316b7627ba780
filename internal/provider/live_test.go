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
	"terraform-provider-opsmanager/internal/provider/providertest"
)

// What names the project and the cluster of a real Ops Manager that
// make testacc-live works on.
const (
	liveProject = "OPSMANAGER_LIVE_PROJECT_ID"
	liveCluster = "OPSMANAGER_LIVE_CLUSTER_ID"
)

func TestLiveScheduleIsChangedAndRestored(t *testing.T) {
	t.Parallel()
	if os.Getenv(liveProject) == "" || os.Getenv(liveCluster) == "" {
		t.Skipf("%s and %s name no cluster of a real Ops Manager: see make testacc-live in CONTRIBUTING.md", liveProject, liveCluster)
	}
	changeAndRestore(t, os.Getenv)
}

// The same on emulators, so that it works on a real Ops Manager.
func TestEmulatedScheduleIsChangedAndRestored(t *testing.T) {
	t.Parallel()
	providertest.OnEachService(t, func(t *testing.T, s *providertest.Service) {
		before := s.Schedule(providertest.Payments, providertest.Cards)
		t.Run("live", func(t *testing.T) { changeAndRestore(t, environmentOf(s, providertest.Payments, providertest.Cards)) }) //nolint:paralleltest // what it leaves is looked at below
		if after := s.Schedule(providertest.Payments, providertest.Cards); !maps.EqualFunc(before, after, func(a, b any) bool { return a == b }) {
			t.Errorf("left the schedule\n%v\nwhere it found\n%v", after, before)
		}
		if patches := s.Sent("PATCH", "/snapshotSchedule"); len(patches) < 2 {
			t.Errorf("changed and restored nothing: %v", patches)
		}
	})
}

func environmentOf(s *providertest.Service, project, cluster string) func(string) string {
	variables := map[string]string{
		"OPSMANAGER_BASE_URL": s.URL, "OPSMANAGER_PUBLIC_KEY": emulator.DefaultPublicKey, "OPSMANAGER_PRIVATE_KEY": emulator.DefaultPrivateKey,
		liveProject: project, liveCluster: cluster,
	}
	return func(name string) string { return variables[name] }
}

// changeAndRestore has real Terraform adopt the schedule of one cluster as it is,
// move its time of day by a minute, import it and forget it. Nothing else is
// changed, and the minute is brought back in any case.
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
		t.Fatal("the service does not show the minute of the schedule, so there is nothing that can be changed and restored")
	}
	t.Logf("the schedule before, should this be killed: %s", liveJSON(*before))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*time.Minute)
		defer cancel()
		if err := restore(ctx, client, project, cluster, *before); err != nil {
			t.Errorf("NOT RESTORED: %v\nThe schedule was: %s", err, liveJSON(*before))
			return
		}
		t.Log("the schedule is what it was")
	})

	minute := *before.ReferenceMinuteOfHour
	next := neighbour(minute)
	changed := *before
	changed.ReferenceMinuteOfHour = new(next)
	const address = "opsmanager_snapshot_schedule.live"
	reads := fmt.Sprintf("data \"opsmanager_backup_config\" \"live\" {\n  project_id = %q\n  cluster_id = %q\n}\n", project, cluster)
	if _, err := client.BackupConfig(t.Context(), project, cluster); opsmanager.IsUnsupported(err) || opsmanager.IsBareNotFound(err) {
		t.Log("this service does not show a single backup configuration: none is read")
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
				t.Errorf("the service has\n%s\nwhere\n%s\nwas expected", liveJSON(*got), liveJSON(want))
			}
		}
	}
	options := provider.Options{Getenv: getenv}
	resource.Test(t, resource.TestCase{
		IsUnitTest: true, // what it takes has been asked for already
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
			"opsmanager": providerserver.NewProtocol6WithError(provider.NewWithOptions("test", options)()),
		},
		Steps: []resource.TestStep{
			{
				Config:            config(minute),
				ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate)}},
				ConfigStateChecks: []statecheck.StateCheck{now(*before)},
			},
			{
				Config:           config(next),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("reference_minute_of_hour"), knownvalue.Int64Exact(next)),
					now(changed),
				},
			},
			{
				ResourceName: address, ImportState: true, ImportStateVerify: true,
				ImportStateId: project + "/" + cluster, ImportStateVerifyIdentifierAttribute: "cluster_id",
			},
		},
	})
}

// neighbour returns a minute of the same hour that is one away: after 59, the first
// one of the hour would be 59 away.
func neighbour(minute int64) int64 {
	if minute == 59 {
		return 58
	}
	return minute + 1
}

func TestAMinuteIsMovedByOne(t *testing.T) {
	t.Parallel()
	for minute, want := range map[int64]int64{0: 1, 58: 59, 59: 58} {
		if got := neighbour(minute); got != want {
			t.Errorf("%d: %d, want %d", minute, got, want)
		}
	}
}

// restore brings a schedule back, and makes sure of it.
func restore(ctx context.Context, client *opsmanager.Client, project, cluster string, before opsmanager.SnapshotSchedule) error {
	for range 2 { // a change may draw others after it
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
		err = errors.New("the service took the change and kept " + liveJSON(*live))
	}
	return err
}

// changes returns the fields that lead from one schedule to another.
func changes(from, to opsmanager.SnapshotSchedule) map[string]any {
	difference, before := fieldsOf(to), fieldsOf(from)
	maps.DeleteFunc(difference, func(name string, value any) bool { return before[name] == value })
	return difference
}

func fieldsOf(s opsmanager.SnapshotSchedule) map[string]any {
	fields := map[string]any{}
	_ = json.Unmarshal([]byte(liveJSON(s)), &fields)
	return fields
}

func liveJSON(s opsmanager.SnapshotSchedule) string {
	text, _ := json.Marshal(s)
	return string(text)
}

func TestARestoredScheduleIsVerified(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	client, err := provider.ClientFromEnvironment(environmentOf(s, providertest.Payments, providertest.Cards))
	if err != nil {
		t.Fatal(err)
	}
	before, err := client.SnapshotSchedule(t.Context(), providertest.Payments, providertest.Cards)
	if err != nil {
		t.Fatal(err)
	}
	untouched := s.Schedule(providertest.Payments, providertest.Cards)
	s.SetSchedule(providertest.Payments, providertest.Cards, map[string]any{"referenceMinuteOfHour": 17, "weeklySnapshotRetentionWeeks": 1})
	if err := restore(t.Context(), client, providertest.Payments, providertest.Cards, *before); err != nil {
		t.Error(err)
	}
	if restored := s.Schedule(providertest.Payments, providertest.Cards); !maps.EqualFunc(untouched, restored, func(a, b any) bool { return a == b }) {
		t.Errorf("restored\n%v\nwhere\n%v was", restored, untouched)
	}

	impossible := *before
	impossible.ReferenceMinuteOfHour = new(int64(75))
	if err := restore(t.Context(), client, providertest.Payments, providertest.Cards, impossible); err == nil {
		t.Error("nothing was restored, and it says nothing")
	}
}

package documents_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/providertest"
)

// failureOf returns the error of a call.
func failureOf[T any](_ T, err error) error { return err }

// callsOfRoles are calls of the client for each row of the table of roles. The first role of a row is
// the one that an error about a missing role names.
var callsOfRoles = map[string][]func(context.Context, *opsmanager.Client) error{
	"read backup configurations, schedules, snapshots and restores": {
		func(ctx context.Context, c *opsmanager.Client) error {
			return failureOf(c.BackupConfig(ctx, "p", "c"))
		},
		func(ctx context.Context, c *opsmanager.Client) error {
			return failureOf(c.SnapshotSchedule(ctx, "p", "c"))
		},
		func(ctx context.Context, c *opsmanager.Client) error {
			return failureOf(c.ClusterSnapshot(ctx, "p", "c", "s"))
		},
		func(ctx context.Context, c *opsmanager.Client) error {
			return failureOf(c.RestoreJob(ctx, "p", "c", "j"))
		},
	},
	"read restorable time ranges": {func(ctx context.Context, c *opsmanager.Client) error {
		return failureOf(c.RestorableTimeRanges(ctx, "p", "c"))
	}},
	"read and change backup modules": {
		func(ctx context.Context, c *opsmanager.Client) error {
			return failureOf(c.AutomationConfig(ctx, "p"))
		},
		func(ctx context.Context, c *opsmanager.Client) error {
			return c.UpdateAutomationConfig(ctx, "p", new(opsmanager.AutomationConfig))
		},
	},
	"start and stop backups, change backup configurations, snapshot schedules and the expiry of snapshots": {
		func(ctx context.Context, c *opsmanager.Client) error {
			return failureOf(c.UpdateBackupConfig(ctx, "p", "c", opsmanager.BackupConfigChange{StatusName: new("STOPPED")}))
		},
		func(ctx context.Context, c *opsmanager.Client) error {
			return failureOf(c.UpdateSnapshotSchedule(ctx, "p", "c", opsmanager.SnapshotSchedule{SnapshotRetentionDays: new(int64(3))}))
		},
		func(ctx context.Context, c *opsmanager.Client) error {
			return failureOf(c.ChangeSnapshotExpiry(ctx, "p", "c", "s", opsmanager.SnapshotExpiry{}))
		},
	},
	"restore": {func(ctx context.Context, c *opsmanager.Client) error {
		return failureOf(c.CreateRestoreJob(ctx, "p", "c", opsmanager.RestoreRequest{}))
	}},
	"take a snapshot on demand": {func(ctx context.Context, c *opsmanager.Client) error {
		return failureOf(c.TakeSnapshot(ctx, "p", "c", 1))
	}},
	"read and manage stores, daemons, job configurations and deployment regions": {
		func(ctx context.Context, c *opsmanager.Client) error {
			return failureOf(c.ListBackupStores(ctx, opsmanager.Blockstore))
		},
		func(ctx context.Context, c *opsmanager.Client) error {
			return failureOf(c.ConfigureBackupDaemon(ctx, opsmanager.BackupDaemon{Machine: opsmanager.DaemonMachine{Machine: "m"}}))
		},
		func(ctx context.Context, c *opsmanager.Client) error {
			return failureOf(c.JobConfig(ctx, "p"))
		},
		func(ctx context.Context, c *opsmanager.Client) error {
			return c.DeleteDeploymentRegion(ctx, "r")
		},
	},
}

// roleRow matches a row of the table of roles: what the key is for, and the first role.
var roleRow = regexp.MustCompile("(?m)^\\| (.+) \\| `([^`]+)`.* \\|$")

func TestErrorsNameTheRolesOfTheTable(t *testing.T) {
	t.Parallel()
	index := read(t, "templates/index.md.tmpl")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer server.Close()
	base, err := opsmanager.ParseBaseURL(server.URL)
	succeed(t, err)
	client, rows := opsmanager.NewClient(opsmanager.Config{BaseURL: base}), 0
	for _, row := range roleRow.FindAllStringSubmatch(index, -1) {
		calls := callsOfRoles[row[1]]
		if len(calls) > 0 {
			rows++
		}
		for i, call := range calls {
			if e, ok := errors.AsType[*opsmanager.Error](call(t.Context(), client)); !ok || !strings.HasPrefix(string(e.Role), row[2]) {
				t.Errorf("%s, call %d: got %+v, want the role %s", row[1], i+1, e, row[2])
			}
		}
	}
	if rows != len(callsOfRoles) {
		t.Errorf("the table has %d of the %d rows with calls", rows, len(callsOfRoles))
	}
}

// pagesOfRoles are the pages that name the roles of each row of the table.
var pagesOfRoles = map[string][]string{
	"read backup configurations, schedules, snapshots and restores": {
		providertest.BackupConfigsType, providertest.ClusterSnapshotsType, providertest.RestoreJobsType,
		"data." + providertest.BackupConfigType, "data." + providertest.ScheduleType,
	},
	"read restorable time ranges": {providertest.TimeRangesType},
	"start and stop backups, change backup configurations, snapshot schedules and the expiry of snapshots": {
		providertest.BackupConfigType, providertest.ScheduleType, providertest.PolicyType, providertest.OnDemandSnapshotType,
	},
	"read and change backup modules": {providertest.BackupModuleType},
	"restore":                        {providertest.RestoreJobType},
	"take a snapshot on demand":      {providertest.OnDemandSnapshotType},
	"read and manage stores, daemons, job configurations and deployment regions": {
		providertest.BlockstoreType, providertest.S3BlockstoreType, providertest.FileSystemStoreType,
		providertest.OplogStoreType, providertest.S3OplogStoreType,
		providertest.SyncStoreType, providertest.DaemonType, providertest.JobConfigType, providertest.RegionType,
		providertest.StoresType, providertest.DaemonsType, providertest.RegionsType, "data." + providertest.JobConfigType,
	},
}

func TestPagesNameTheRolesOfTheTable(t *testing.T) {
	t.Parallel()
	schemas, rows := providertest.NewWorkspace(t, providertest.StartService(t)).Schema, 0
	for _, row := range roleRow.FindAllStringSubmatch(read(t, "templates/index.md.tmpl"), -1) {
		pages := pagesOfRoles[row[1]]
		if len(pages) > 0 {
			rows++
		}
		for _, name := range pages {
			schema := schemas.ResourceSchemas[name]
			if schema == nil {
				schema = schemas.DataSourceSchemas[strings.TrimPrefix(name, "data.")]
			}
			_, requires, _ := strings.Cut(schema.Block.Description, "\n\n-> ")
			requires, _, _ = strings.Cut(requires, "\n\n")
			for _, role := range regexp.MustCompile("`[A-Z][^`]*`").FindAllString(row[0], -1) {
				if !strings.Contains(requires, role) {
					t.Errorf("the page of %s does not name the role %s: %s", name, role, requires)
				}
			}
		}
	}
	if rows != len(pagesOfRoles) {
		t.Errorf("the table has %d of the %d rows with pages", rows, len(pagesOfRoles))
	}
}

func TestEachRoleHasWhatItsKeyCanDo(t *testing.T) {
	t.Parallel()
	worst := section(t, "templates/guides/credentials.md.tmpl", "## What a key can do at worst")
	for _, row := range roleRow.FindAllString(read(t, "templates/index.md.tmpl"), -1) {
		for _, role := range regexp.MustCompile("`(?:Project|Global) [^`]*`").FindAllString(row, -1) {
			if !strings.Contains(worst, "\n| "+role+" |") {
				t.Errorf("no row says what a key with the role %s can do", role)
			}
		}
	}
}

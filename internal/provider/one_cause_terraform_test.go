package provider_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const manySchedules = `
resource "opsmanager_snapshot_schedule" "all" {
  for_each = toset([for n in range(%d) : format("%%024x", n)])

  project_id = %q
  cluster_id = each.value
}
`

var notOnAccessList = emulator.Fault{
	Times: -1, Status: http.StatusForbidden, Header: http.Header{"Content-Type": {"application/json"}},
	Body: `{"error": 403, "errorCode": "IP_ADDRESS_NOT_ON_ACCESS_LIST", "detail": "No.", "parameters": ["10.0.0.1"]}`,
}

// Terraform prints eight lines for the shortest error of a resource.
func TestOneCauseIsExplainedOnce(t *testing.T) {
	t.Parallel()
	const resources = 12
	r := providertest.StartRun(t, providertest.ManyClusters(resources))
	r.Configure(fmt.Sprintf(manySchedules, resources, payments))
	r.Succeeds("apply", "-auto-approve")
	r.Service.Inject(notOnAccessList)
	var printed strings.Builder
	r.Out = &printed
	exitCode, err := r.Folder.Run(t.Context(), "plan", "-detailed-exitcode")
	if err != nil || exitCode != 1 {
		t.Fatalf("exit code %d, %v", exitCode, err)
	}
	text := printed.String()
	const refreshes, short, full = resources, 8, 20
	if lines := strings.Count(text, "\n"); lines > refreshes+resources*short+full {
		t.Errorf("%d lines:\n%.3000s", lines, text[strings.Index(text, "Error: "):])
	}
	errors := strings.Count(text, "\nError: Unable to Read Snapshot Schedule\n") // recent versions stop after some
	shortened := strings.Count(text, "\nThe access list lacks this address, as another error of this run explains.\n")
	if errors < 2 || shortened != errors-1 {
		t.Errorf("%d of %d errors are short", shortened, errors)
	}
	const explained = "is not on the API key's access list. Add the address"
	if got := strings.Count(strings.Join(strings.Fields(text), " "), explained); got != 1 {
		t.Errorf("%q is printed %d times", explained, got)
	}
}

// Terraform does not combine the warnings of resources whose blocks were deleted.
func TestWhatADestroyKeepsIsSaidOnceForAllResources(t *testing.T) {
	t.Parallel()
	for typeName, title := range map[string]string{
		providertest.ScheduleType:     "Warning: Snapshot Schedule Will Be Removed Only From the State",
		providertest.BackupConfigType: "Warning: Backup Configuration Will Be Removed Only From the State",
	} {
		t.Run(typeName, func(t *testing.T) {
			t.Parallel()
			const resources = 12
			r := providertest.StartRun(t, providertest.ManyClusters(resources))
			r.Configure(strings.Replace(fmt.Sprintf(manySchedules, resources, payments), providertest.ScheduleType, typeName, 1))
			r.Succeeds("apply", "-auto-approve")
			if typeName == providertest.ScheduleType {
				r.Service.OmitFields("weeklySnapshotRetentionWeeks")
				drift := r.MustRun("plan")
				providertest.WantContains(
					t, drift[strings.Index(drift, "Warning: "):], "Warning: Drift Will Not Be Shown\n",
					"\n(and 11 more similar warnings elsewhere)\n",
				)
				r.Service.OmitFields()
			}
			r.Configure("")
			printed := r.MustRun("plan")
			if got := strings.Count(printed, "\n"+title+"\n"); got != 1 {
				t.Errorf("%q is printed %d times", title, got)
			}
			const warning = 10
			_, warnings, _ := strings.Cut(printed, "\nPlan: 0 to add, 0 to change, 12 to destroy.")
			if lines := strings.Count(warnings, "\n"); lines > warning {
				t.Errorf("%d lines of warnings:\n%.2000s", lines, warnings)
			}
		})
	}
}

// Each type leaves it to another error to explain the cause, and explains each one that not all calls have.
func TestEachTypeExplainsWhatOnlyItsCallFailsWith(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	w := providertest.NewWorkspace(t, s)
	var all []*providertest.Resource
	for _, d := range destructions {
		isAlreadyThere := slices.ContainsFunc(all, func(r *providertest.Resource) bool { return r.TypeName == d.typeName })
		if isAlreadyThere || d.typeName == providertest.RestoreJobType { // no request reads a restore that has ended
			continue
		}
		_, r := providertest.StartResource(t, d.typeName, emulator.Options{TransitionReads: -1, RestoreReads: -1})
		r.Create(d.config)
		r.Workspace = w
		all = append(all, r)
	}
	wrongKey, noRole := notOnAccessList, notOnAccessList
	wrongKey.Body = `{"error": 403, "errorCode": "NO_CURRENT_USER", "detail": "No."}`
	noRole.Body = `{"error": 403, "errorCode": "USER_UNAUTHORIZED", "detail": "No."}`
	for cause, fault := range map[string]emulator.Fault{"The access list lacks this address": notOnAccessList, "The API key was not accepted": wrongKey} {
		w.Configure() // another run
		s.ClearFaults()
		s.Inject(fault)
		for i, r := range all {
			errors := r.Refresh().Errors()
			providertest.WantOne(t, errors)
			if isFirst := i == 0; isFirst != strings.Contains(errors[0], "\n") || isFirst == strings.Contains(errors[0], ": "+cause) {
				t.Errorf("%s: %q", r.TypeName, errors)
			}
		}
	}
	s.ClearFaults()
	s.Inject(noRole)
	for _, r := range all {
		r.Refresh().WantError(t, "USER_UNAUTHORIZED", "lacks a role")
	}
}

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
  for_each = toset([for n in range(40) : format("%%024x", n)])

  project_id = %q
  cluster_id = each.value
}
`

var notOnAccessList = emulator.Fault{
	Times: -1, Status: http.StatusForbidden, Header: http.Header{"Content-Type": {"application/json"}},
	Body: `{"error": 403, "errorCode": "IP_ADDRESS_NOT_ON_ACCESS_LIST", "detail": "IP address 10.0.0.1 is not allowed to access this resource.", "parameters": ["10.0.0.1"]}`,
}

// Terraform prints eight lines for the shortest error of a resource.
func TestOneCauseIsExplainedOnce(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change    func(s *providertest.Service, configuration string) string
		says      string
		explained string
	}{
		"a wrong key": {
			func(_ *providertest.Service, configuration string) string {
				return strings.Replace(configuration, emulator.DefaultPrivateKey, "wrong", 1)
			}, "The API key was not accepted (401), as another error of this run explains.", "Check that public_key and private_key belong",
		},
		"an access list": {
			func(s *providertest.Service, configuration string) string {
				s.Inject(notOnAccessList)
				return configuration
			}, "The access list lacks this address, as another error of this run explains.", "is not on the API key's access list. Add the address",
		},
		"an unreachable server": {
			func(s *providertest.Service, configuration string) string {
				return strings.Replace(configuration, s.URL, "http://127.0.0.1:1", 1)
			}, "Ops Manager can't be reached, as another error of this run explains.", "could not be reached. Check base_url",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := providertest.StartRun(t, providertest.ManyClusters(40))
			configuration := r.Service.Config(fmt.Sprintf(manySchedules, payments))
			r.Write("main.tf", providertest.RequiredProvider+configuration)
			r.Succeeds("apply", "-auto-approve")
			r.Write("main.tf", providertest.RequiredProvider+test.change(r.Service, configuration))
			var printed strings.Builder
			r.Out = &printed
			exitCode, err := r.Folder.Run(t.Context(), "plan", "-detailed-exitcode")
			if err != nil || exitCode != 1 {
				t.Fatalf("exit code %d, %v", exitCode, err)
			}
			text := printed.String()
			const refreshes, resources, short, full = 40, 40, 8, 20
			if lines := strings.Count(text, "\n"); lines > refreshes+resources*short+full {
				t.Errorf("%d lines:\n%.3000s", lines, text[strings.Index(text, "Error: "):])
			}
			for line, want := range map[string]int{"Error: Unable to Read Snapshot Schedule": resources, test.says: resources - 1} {
				if got := strings.Count(text, "\n"+line+"\n"); got != want {
					t.Errorf("%q is printed %d times, want %d", line, got, want)
				}
			}
			if got := strings.Count(strings.Join(strings.Fields(text), " "), test.explained); got != 1 {
				t.Errorf("%q is printed %d times", test.explained, got)
			}
		})
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
			r := providertest.StartRun(t, providertest.ManyClusters(40))
			r.Configure(strings.Replace(fmt.Sprintf(manySchedules, payments), providertest.ScheduleType, typeName, 1))
			r.Succeeds("apply", "-auto-approve")
			if typeName == providertest.ScheduleType {
				r.Service.OmitFields("weeklySnapshotRetentionWeeks")
				drift := r.MustRun("plan")
				providertest.WantContains(
					t, drift[strings.Index(drift, "Warning: "):], "Warning: Drift Will Not Be Shown\n",
					"\n(and 39 more similar warnings elsewhere)\n",
				)
				r.Service.OmitFields()
			}
			r.Configure("")
			printed := r.MustRun("plan")
			if got := strings.Count(printed, "\n"+title+"\n"); got != 1 {
				t.Errorf("%q is printed %d times", title, got)
			}
			const warning = 10
			_, warnings, _ := strings.Cut(printed, "\nPlan: 0 to add, 0 to change, 40 to destroy.")
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
	s.Inject(notOnAccessList)
	for i, r := range all {
		errors := r.Refresh().Errors()
		providertest.WantOne(t, errors)
		if isFirst := i == 0; isFirst != strings.Contains(errors[0], "10.0.0.1") || isFirst != strings.Contains(errors[0], "\n") {
			t.Errorf("%s: %q", r.TypeName, errors)
		}
	}
	s.ClearFaults()
	noRole := notOnAccessList
	noRole.Body = `{"error": 403, "errorCode": "USER_UNAUTHORIZED", "detail": "No."}`
	s.Inject(noRole)
	for _, r := range all {
		r.Refresh().WantError(t, "USER_UNAUTHORIZED", "lacks a role")
	}
}

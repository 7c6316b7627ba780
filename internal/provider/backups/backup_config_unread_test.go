package backups_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestChangeThatIsNeverReadBackIsAnError(t *testing.T) {
	t.Parallel()
	for name, interrupts := range map[string]bool{"interrupted": true, "unreadable": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, r := startFaulty(t)
			r.MustApply(backupConfig(cards, values{"excluded_namespaces": []any{"tmp"}}))
			p := r.Plan(backupConfig(cards, values{"included_namespaces": []any{"shop"}, "ssl_enabled": false}))
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			r.Context = ctx
			d.Handle(providertest.Rewrite(func(request *http.Request, document object) {
				if request.Method == http.MethodPatch {
					document["sslEnabled"] = true
					if interrupts {
						interrupt()
						return
					}
					d.Service.Inject(emulator.Fault{
						Method: "GET", Path: "/backupConfigs/", Times: -1, Status: 403,
						Body: `{"error": 403, "errorCode": "X", "detail": "no"}`,
					})
				}
			}))
			diags := r.Apply(p)
			diags.WantError(t, "Ops Manager accepted the change", "terraform plan")
		})
	}
}

func TestInterruptionAfterAStartSaysThatItMayHaveTakenEffect(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodPatch, http.MethodGet} { // the start, or the first read after it
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			d, r := startFaulty(t)
			p := r.Plan(started(reports, nil))
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			r.Context = ctx
			var isStarted atomic.Bool
			d.Handle(providertest.Rewrite(func(request *http.Request, _ object) {
				if request.Method == http.MethodPatch {
					isStarted.Store(true)
				}
				if isStarted.Load() && request.Method == method {
					interrupt()
					<-request.Context().Done() // so that the response is never read
				}
			}))
			r.Apply(p).WantError(t, "run was interrupted before the backup", "may have taken effect", "Apply again")
			providertest.WantNoState(t, r)
		})
	}
}

// A server that leaves a field out of its answers may have ignored it. Some documented answers leave out all that is
// false, and an empty list.
func TestFieldThatTheAnswersLeaveOutDoesNotCountAsTaken(t *testing.T) {
	t.Parallel()
	for attribute, test := range map[string]struct {
		cluster, field string
		before, value  any
		taken          bool
	}{
		"auth_mechanism_name":                     {fraud, "authMechanismName", "NONE", "GSSAPI", false},
		"storage_engine_name":                     {fraud, "storageEngineName", "MEMORY_MAPPED", "WIRED_TIGER", false},
		"preferred_member":                        {cards, "preferredMember", nil, "cards-1.payments.example.com:27017", false},
		"ssl_enabled":                             {cards, "sslEnabled", false, true, false},
		"encryption_enabled":                      {cards, "encryptionEnabled", false, true, false},
		"multi_region_backup_enabled":             {cards, "multiRegionBackupEnabled", false, true, false},
		"excluded_namespaces":                     {cards, "excludedNamespaces", []any{}, []any{"tmp"}, false},
		"included_namespaces":                     {cards, "includedNamespaces", []any{}, []any{"shop"}, false},
		"ssl_enabled, which becomes false":        {cards, "sslEnabled", true, false, false},
		"ssl_enabled, like all that is false":     {cards, "sslEnabled", true, false, true},
		"excluded_namespaces, which become empty": {cards, "excludedNamespaces", []any{"tmp"}, []any{}, true},
	} {
		t.Run(attribute, func(t *testing.T) {
			t.Parallel()
			name, further, _ := strings.Cut(attribute, ",")
			d, r := startFaulty(t, emulator.Options{Unknowns: emulator.Unknowns{OmitsFalse: strings.Contains(further, "all that is false")}})
			d.SetBackupConfig(payments, test.cluster, object{test.field: test.before, "authMechanismName": "NONE"})
			r.MustApply(backupConfig(test.cluster, nil))
			config := backupConfig(test.cluster, values{name: test.value})
			p := r.Plan(config)
			p.WantNoErrors(t)
			var isChanged atomic.Bool
			d.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
				if request.Method == http.MethodPatch {
					isChanged.Store(true)
				}
				providertest.Rewrite(func(request *http.Request, document object) {
					if request.Method == http.MethodPatch && !test.taken { // it is ignored
						d.SetBackupConfig(payments, test.cluster, object{test.field: test.before})
					}
					if isChanged.Load() {
						delete(document, test.field)
					}
				})(w, request, service)
			})
			diags := r.ApplyReplanned(p)
			d.Handle(nil)
			if test.taken {
				diags.WantNoErrors(t)
				r.MustBeSettled(config)
				return
			}
			title := "Value Not Returned"
			if _, isList := test.value.([]any); isList { // a missing list is empty
				title = "Adjusted the Value"
			}
			diags.WantError(t, "["+name+"] ", title)
			r.MustRefresh()
			if p := r.Plan(config); p.IsEmpty() {
				t.Fatal("the next plan is empty")
			}
		})
	}
}

// No response has these values, so a refresh does not show whether a request without a response has changed them.
func TestValueThatNoResponseHasIsSetAgainAfterARequestWithoutAResponse(t *testing.T) {
	t.Parallel()
	for attribute, both := range map[string][2]any{
		"disable_certificate_revocation_check": {false, true},
		"snapshot_store": {
			values{"snapshot_store_type": "s3blockstore", "snapshot_store_id": "s3"},
			values{"snapshot_store_type": "s3blockstore", "snapshot_store_id": "s4"},
		},
		"deployment_configs": {
			[]any{values{"rs_id": "fraud-rs", "deployment_id": "NY_NJ"}},
			[]any{values{"rs_id": "fraud-rs", "deployment_id": "LON"}},
		},
		"password": {"c0rrect-horse", "battery-staple"},
	} {
		t.Run(attribute, func(t *testing.T) {
			t.Parallel()
			d, r := startFaulty(t)
			before := backupConfig(fraud, values{"auth_mechanism_name": "MONGODB_CR", "username": "backup", "password": "c0rrect-horse"})
			before[attribute] = both[0]
			r.MustApply(before)
			r.Configure()
			p := r.Plan(before.With(values{attribute: both[1]}))
			d.Service.Inject(emulator.Fault{Method: http.MethodPatch, DropAfter: true, Times: -1})
			if errors := r.Apply(p).Errors(); len(errors) != 1 {
				t.Fatalf("got %q", errors)
			}
			d.Service.ClearFaults()
			r.Configure()
			r.MustRefresh()
			if got := r.Plan(before).Changes(); !slices.Contains(got, attribute) {
				t.Errorf("the plan changes %q", got)
			}
		})
	}
}

// A service that leaves out what is false does not show that a failed apply has made a value false.
func TestAFailedApplyThatMadeAValueFalseIsNoReasonToBelieveThatItIsTrue(t *testing.T) {
	t.Parallel()
	for field, attribute := range map[string]string{
		"sslEnabled": "ssl_enabled", "encryptionEnabled": "encryption_enabled", "multiRegionBackupEnabled": "multi_region_backup_enabled",
	} {
		for name, fault := range map[string]emulator.Fault{
			"a value changed along": {},
			"no response":           {Method: http.MethodPatch, DropAfter: true, Times: -1},
		} {
			t.Run(attribute+", "+name, func(t *testing.T) {
				t.Parallel()
				d, r := startFaulty(t, emulator.Options{Unknowns: emulator.Unknowns{OmitsFalse: true}})
				d.SetBackupConfig(payments, fraud, object{field: true, "preferredMember": "fraud-0:1"})
				before := backupConfig(fraud, values{attribute: true, "preferred_member": "fraud-0:1"})
				r.MustApply(before)
				r.Configure()
				after := before.With(values{attribute: false})
				p := r.Plan(after)
				if fault.Method != "" {
					d.Service.Inject(fault)
				} else {
					d.Handle(providertest.Rewrite(func(request *http.Request, document object) {
						if request.Method == http.MethodPatch {
							d.SetBackupConfig(payments, fraud, object{"preferredMember": "fraud-1:1"})
							document["preferredMember"] = "fraud-1:1"
						}
					}))
				}
				if errors := r.Apply(p).Errors(); len(errors) != 1 {
					t.Fatalf("got %q", errors)
				}
				d.Handle(nil)
				d.Service.ClearFaults()
				if held := d.BackupConfig(payments, fraud)[field]; held != false {
					t.Fatalf("held %v", held)
				}
				r.Configure()
				r.MustRefresh()
				if changes := r.Plan(before).Changes(); !slices.Contains(changes, attribute) {
					t.Errorf("the plan back changes %q", changes)
				}
				r.Configure()
				r.MustApply(after)
				r.MustBeSettled(after)
			})
		}
	}
}

// booleans are the Boolean fields of a backup configuration, by attribute.
var booleans = map[string]string{
	"ssl_enabled": "sslEnabled", "encryption_enabled": "encryptionEnabled", "multi_region_backup_enabled": "multiRegionBackupEnabled",
	"multi_region_misconfigured": "multiRegionMisconfigured", "provisioned": "provisioned",
}

// The documentation has responses that leave out all that is false, so a true that is missing in one has become false.
func TestDriftToFalseIsShownIfTheResponseLeavesOutWhatIsFalse(t *testing.T) {
	t.Parallel()
	for attribute, field := range booleans {
		t.Run(attribute, func(t *testing.T) {
			t.Parallel()
			d, r := startFaulty(t, emulator.Options{Unknowns: emulator.Unknowns{OmitsFalse: true}})
			d.SetBackupConfig(payments, fraud, object{field: true})
			isComputed := attribute == "multi_region_misconfigured" || attribute == "provisioned"
			config := backupConfig(fraud, values{attribute: true})
			if isComputed {
				config = backupConfig(fraud, nil)
			}
			r.MustApply(config)
			r.MustBeSettled(config)
			d.SetBackupConfig(payments, fraud, object{field: false})
			r.Configure()
			r.MustRefresh()
			providertest.WantEqual(t, r.Attributes()[attribute], false)
			if changes := r.Plan(config).Changes(); slices.Contains(changes, attribute) == isComputed {
				t.Errorf("the plan changes %q", changes)
			}
			d.SetBackupConfig(payments, fraud, object{field: true})
			r.MustBeSettled(config)
		})
	}
}

// A value that another version no longer returns is no other value. The refresh says that its drift is not shown.
func TestDriftThatResponsesNoLongerShowIsNamed(t *testing.T) {
	t.Parallel()
	fields := map[string]string{
		"auth_mechanism_name": "authMechanismName", "storage_engine_name": "storageEngineName", "preferred_member": "preferredMember",
		"status_name": "statusName",
	}
	maps.Copy(fields, booleans)
	for attribute, field := range fields {
		for _, value := range []any{true, false} {
			d, r := startFaulty(t)
			all := object{"authMechanismName": "NONE", "storageEngineName": "WIRED_TIGER", "preferredMember": "fraud-0:1"}
			for _, boolean := range booleans {
				all[boolean] = false
			}
			if _, isBoolean := booleans[attribute]; isBoolean {
				all[field] = value
			}
			d.SetBackupConfig(payments, fraud, all)
			r.MustApply(backupConfig(fraud, nil))
			before := r.Attributes()[attribute]
			d.Handle(providertest.Rewrite(func(_ *http.Request, document object) { delete(document, field) }))
			r.Configure()
			r.Refresh().WantWarning(t, "Drift Will Not Be Shown", "did not return "+attribute+" of cluster "+fraud)
			if got := r.Attributes()[attribute]; got != before {
				t.Errorf("%s: the state has %v, not %v", attribute, got, before)
			}
			if p := r.Plan(backupConfig(fraud, nil)); !p.IsEmpty() {
				t.Errorf("%s: the plan changes %q", attribute, p.Changes())
			}
		}
	}
}

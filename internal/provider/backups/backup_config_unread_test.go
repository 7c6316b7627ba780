package backups_test

import (
	"context"
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
			d, r := startFaulty(t, emulator.Options{})
			r.MustApply(backupConfig(providertest.Cards, providertest.Values{"excluded_namespaces": []any{"tmp"}}))
			p := r.Plan(backupConfig(providertest.Cards, providertest.Values{"included_namespaces": []any{"shop"}, "ssl_enabled": false}))
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			r.Context = ctx
			d.Handle(providertest.Rewrite(func(request *http.Request, document map[string]any) {
				if request.Method == http.MethodPatch {
					document["sslEnabled"] = true
					if interrupts {
						interrupt()
						return
					}
					d.Service.Inject(emulator.Fault{Method: "GET", Path: "/backupConfigs/", Times: -1, Status: 403, Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"error": 403, "errorCode": "X", "detail": "no"}`})
				}
			}))
			diags := r.Apply(p, nil)
			providertest.WantOne(t, diags.Errors(), "Ops Manager accepted the change", "terraform plan")
		})
	}
}

func TestInterruptionAfterAStartSaysThatItMayHaveTakenEffect(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodPatch, http.MethodGet} { // the start, or the first read after it
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			d, r := startFaulty(t, emulator.Options{})
			p := r.Plan(backupConfig(reports, providertest.Values{"status_name": "STARTED"}))
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			r.Context = ctx
			var isStarted atomic.Bool
			d.Handle(providertest.Rewrite(func(request *http.Request, _ map[string]any) {
				if request.Method == http.MethodPatch {
					isStarted.Store(true)
				}
				if isStarted.Load() && request.Method == method {
					interrupt()
				}
			}))
			providertest.WantOne(t, r.Apply(p, nil).Errors(), "run was interrupted before the backup", "may have taken effect", "Apply again")
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
		"preferred_member":                        {providertest.Cards, "preferredMember", nil, "cards-1.payments.example.com:27017", false},
		"ssl_enabled":                             {providertest.Cards, "sslEnabled", false, true, false},
		"encryption_enabled":                      {providertest.Cards, "encryptionEnabled", false, true, false},
		"multi_region_backup_enabled":             {providertest.Cards, "multiRegionBackupEnabled", false, true, false},
		"excluded_namespaces":                     {providertest.Cards, "excludedNamespaces", []any{}, []any{"tmp"}, false},
		"included_namespaces":                     {providertest.Cards, "includedNamespaces", []any{}, []any{"shop"}, false},
		"ssl_enabled, which becomes false":        {providertest.Cards, "sslEnabled", true, false, false},
		"ssl_enabled, like all that is false":     {providertest.Cards, "sslEnabled", true, false, true},
		"excluded_namespaces, which become empty": {providertest.Cards, "excludedNamespaces", []any{"tmp"}, []any{}, true},
	} {
		t.Run(attribute, func(t *testing.T) {
			t.Parallel()
			name, further, _ := strings.Cut(attribute, ",")
			d, r := startFaulty(t, emulator.Options{Unknowns: emulator.Unknowns{OmitsFalse: strings.Contains(further, "all that is false")}})
			d.SetBackupConfig(providertest.Payments, test.cluster, map[string]any{test.field: test.before, "authMechanismName": "NONE"})
			r.MustApply(backupConfig(test.cluster, nil))
			config := backupConfig(test.cluster, providertest.Values{name: test.value})
			p := r.Plan(config)
			if len(p.Errors()) > 0 {
				t.Fatal(p.Errors())
			}
			var isChanged atomic.Bool
			d.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
				if request.Method == http.MethodPatch {
					isChanged.Store(true)
				}
				providertest.Rewrite(func(request *http.Request, document map[string]any) {
					if request.Method == http.MethodPatch && !test.taken { // it is ignored
						d.SetBackupConfig(providertest.Payments, test.cluster, map[string]any{test.field: test.before})
					}
					if isChanged.Load() {
						delete(document, test.field)
					}
				})(w, request, service)
			})
			errors := r.ApplyReplanned(p).Errors()
			d.Handle(nil)
			if test.taken {
				if len(errors) > 0 {
					t.Fatal(errors)
				}
				r.MustBeSettled(config)
				return
			}
			title := "Value Not Returned"
			if _, isList := test.value.([]any); isList { // a missing list is empty
				title = "Adjusted the Value"
			}
			providertest.WantOne(t, errors, "["+name+"] ", title)
			r.MustRefresh()
			if p := r.Plan(config); p.IsEmpty() {
				t.Fatal("the next plan is empty")
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
				d.SetBackupConfig(providertest.Payments, fraud, map[string]any{field: true, "preferredMember": "fraud-0:1"})
				before := backupConfig(fraud, providertest.Values{attribute: true, "preferred_member": "fraud-0:1"})
				r.MustApply(before)
				r.Configure()
				after := providertest.With(before, providertest.Values{attribute: false})
				p := r.Plan(after)
				if fault.Method != "" {
					d.Service.Inject(fault)
				} else {
					d.Handle(providertest.Rewrite(func(request *http.Request, document map[string]any) {
						if request.Method == http.MethodPatch {
							d.SetBackupConfig(providertest.Payments, fraud, map[string]any{"preferredMember": "fraud-1:1"})
							document["preferredMember"] = "fraud-1:1"
						}
					}))
				}
				if errors := r.Apply(p, nil).Errors(); len(errors) != 1 {
					t.Fatalf("got %q", errors)
				}
				d.Handle(nil)
				d.Service.ClearFaults()
				if held := d.BackupConfig(providertest.Payments, fraud)[field]; held != false {
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

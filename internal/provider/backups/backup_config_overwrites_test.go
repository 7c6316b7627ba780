package backups_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// wantOverwrites fails unless a plan shows exactly these overwritten values.
func wantOverwrites(t *testing.T, p *providertest.Plan, want values) {
	t.Helper()
	shown, _ := p.Values()["overwrites"].(values)
	got := values{}
	for name, text := range shown {
		if text != nil {
			got[name] = text
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || shown == nil {
		t.Errorf("overwrites %v, want %v", p.Values()["overwrites"], want)
	}
}

// changedByOthers are changes of one value that another client makes between a plan and its apply.
var changedByOthers = map[string]struct {
	live, late    object // before the plan, and after it
	before, after values // what was applied earlier, and what is planned
	says          string
	shows         string // in overwrites, if the plan adopts
}{
	"preferred_member": {
		object{"preferredMember": "fraud-0:1"}, object{"preferredMember": "fraud-1:1"}, values{"preferred_member": "fraud-0:1"},
		values{"preferred_member": "fraud-2:1"}, "preferred_member is fraud-1:1, and the plan showed fraud-0:1", "fraud-0:1 -> fraud-2:1",
	},
	"included_namespaces": {
		object{"excludedNamespaces": []any{}, "includedNamespaces": []any{"a", "b"}}, object{"includedNamespaces": []any{"a", "b", "prod"}},
		values{"included_namespaces": []any{"a", "b"}}, values{"included_namespaces": []any{"a"}},
		`included_namespaces is ["a", "b", "prod"], and the plan showed ["a", "b"]`, `["a", "b"] -> ["a"]`,
	},
	"a list that the other one replaces": {
		object{"excludedNamespaces": []any{}, "includedNamespaces": []any{"a"}}, object{"includedNamespaces": []any{"a", "prod"}}, nil,
		values{"excluded_namespaces": []any{"tmp"}}, `included_namespaces is ["a", "prod"], and the plan showed ["a"]`, "",
	},
	"status_name, stopped": {
		object{"statusName": "INACTIVE"}, object{"statusName": "STOPPED"}, nil,
		values{"status_name": "STARTED"}, "status_name is STOPPED, and the plan showed INACTIVE", "",
	},
	"status_name, started again": {
		object{"statusName": "STARTED"}, object{"statusName": "TERMINATING"}, nil,
		values{"status_name": "STOPPED"}, "status_name is TERMINATING, and the plan showed STARTED", "",
	},
	"status_name, ending": {
		object{"statusName": "STOPPED"}, object{"statusName": "TERMINATING"}, nil,
		values{"status_name": "STARTED", "timeouts": anHour}, "status_name is TERMINATING, and the plan showed STOPPED", "",
	},
	"a field, before a stop": {
		object{"statusName": "STARTED", "preferredMember": "fraud-0:1"}, object{"preferredMember": "fraud-1:1"}, nil,
		values{"status_name": "STOPPED", "preferred_member": "fraud-2:1"}, "preferred_member is fraud-1:1, and the plan showed fraud-0:1", "",
	},
	"a field that is no longer returned": {
		object{"statusName": "STARTED", "preferredMember": "fraud-0:1"}, object{"preferredMember": nil}, nil,
		values{"preferred_member": "fraud-2:1"}, "preferred_member is not returned, and the plan showed fraud-0:1", "",
	},
	"a field that a first start sends": {
		object{"statusName": "INACTIVE", "preferredMember": "fraud-0:1"}, object{"preferredMember": "fraud-1:1"},
		values{"preferred_member": "fraud-0:1"}, values{"status_name": "STARTED", "preferred_member": "fraud-0:1"},
		"preferred_member is fraud-1:1, and the plan showed", "",
	},
}

func TestAValueThatChangedSinceThePlanIsNotOverwritten(t *testing.T) {
	t.Parallel()
	for name, test := range changedByOthers {
		for _, adopts := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, adopts %t", name, adopts), func(t *testing.T) {
				t.Parallel()
				s, r := startBackupConfig(t, emulator.Options{TransitionReads: 1_000_000})
				s.SetBackupConfig(payments, fraud, test.live)
				if !adopts {
					r.Create(backupConfig(fraud, test.before))
					r.Configure()
				}
				p := r.Plan(backupConfig(fraud, test.after))
				if adopts && test.shows != "" {
					wantOverwrites(t, p, values{name: test.shows})
				}
				s.SetBackupConfig(payments, fraud, test.late)
				s.ResetRequests()
				diags := r.Apply(p)
				diags.WantError(
					t, test.says, "[cluster_id] Backup Configuration Changed Since the Plan", fraud, "left that as it is", "Plan again",
				)
				providertest.WantUnsaid(t, diags.Errors(), "-refresh-only") // which only a destroy needs
				wantSent(t, s, fraud)
				if adopts {
					providertest.WantNoState(t, r)
				}
			})
		}
	}
}

// Another client, or an old read, may have the wanted value, which the plan did not see.
func TestAValueThatThePlanDidNotSeeIsSentAlsoIfItIsAlreadySo(t *testing.T) {
	t.Parallel()
	for adopts, body := range map[bool]string{
		false: `{"syncSource":"PRIMARY","sslEnabled":false,"excludedNamespaces":["staging"]}`,
		true:  `{"sslEnabled":false,"excludedNamespaces":["staging"]}`,
	} {
		s, r := startBackupConfig(t)
		if !adopts {
			r.Create(backupConfig(fraud, nil))
			r.Configure()
		}
		p := r.Plan(backupConfig(fraud, values{"excluded_namespaces": []any{"staging"}, "ssl_enabled": false}))
		s.SetBackupConfig(payments, fraud, object{"excludedNamespaces": []any{"staging"}, "sslEnabled": false})
		r.Apply(p).WantNoErrors(t)
		wantSent(t, s, fraud, body)
	}
}

func TestAnOldValueIsReadAgainBeforeItCountsAsAChange(t *testing.T) {
	t.Parallel()
	d, r := startFaulty(t)
	r.Create(backupConfig(cards, values{"excluded_namespaces": []any{"new", "old"}}))
	r.Configure()
	p := r.Plan(backupConfig(cards, values{"excluded_namespaces": []any{"new", "newer", "old"}}))
	var reads atomic.Int32
	d.Handle(providertest.Rewrite(func(request *http.Request, document object) {
		if request.Method == http.MethodGet && reads.Add(1) <= 3 {
			document["excludedNamespaces"] = []any{"old"}
		}
	}))
	r.Apply(p).WantNoErrors(t)
	wantSent(t, d.Service, cards, `{"excludedNamespaces":["new","old"]}`, `{"excludedNamespaces":["new","newer","old"]}`)
}

func TestAValueThatOpsManagerAdjustsIsNotCalledAChangeOfOthers(t *testing.T) {
	t.Parallel()
	d, r := startFaulty(t)
	d.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
		service.ServeHTTP(w, request)
		if request.Method == http.MethodPatch {
			d.SetBackupConfig(payments, fraud, object{"preferredMember": "adjusted:1"})
		}
	})
	r.Create(backupConfig(fraud, nil))
	r.Configure()
	p := r.Plan(started(fraud, values{"preferred_member": "fraud-0:1"}))
	r.Apply(p).WantError(t, "[preferred_member] Ops Manager Adjusted the Value", "adjusted:1")
	providertest.WantAttributes(t, r, values{"status_name": "STARTED", "preferred_member": "adjusted:1"})
}

func TestAPlanShowsWhatAnAdoptionOverwrites(t *testing.T) {
	t.Parallel()
	many := []any{}
	for i := range 300 {
		many = append(many, fmt.Sprintf("database-%03d", i))
	}
	shownAs := strings.ReplaceAll(fmt.Sprintf("%q", many), `" "`, `", "`)
	for name, test := range map[string]struct {
		live         object
		config, want values
	}{
		"nothing configured": {nil, nil, nil},
		"equal values": {
			object{"sslEnabled": true},
			values{"ssl_enabled": true, "status_name": "STOPPED", "excluded_namespaces": []any{"staging", "fraud.scratch"}}, nil,
		},
		"other values": {
			object{"sslEnabled": true, "encryptionEnabled": true}, values{"ssl_enabled": false, "encryption_enabled": false, "status_name": "STARTED"},
			values{"ssl_enabled": "true -> false", "encryption_enabled": "true -> false", "status_name": "STOPPED -> STARTED"},
		},
		"a value that is not returned": {
			object{"preferredMember": nil}, values{"preferred_member": "fraud-0:1"},
			values{"preferred_member": "not returned -> fraud-0:1"},
		},
		"a transition":       {object{"statusName": "PROVISIONING"}, values{"status_name": "STOPPED"}, values{"status_name": "STARTED -> STOPPED"}},
		"a transition to it": {object{"statusName": "PROVISIONING"}, values{"status_name": "STARTED"}, nil},
		"an end":             {object{"statusName": "TERMINATING"}, values{"status_name": "STARTED"}, values{"status_name": "INACTIVE -> STARTED"}},
		"the other list": {
			nil, values{"included_namespaces": []any{"fraud"}},
			values{"included_namespaces": `[] -> ["fraud"]`, "excluded_namespaces": `["fraud.scratch", "staging"] -> []`},
		},
		"regions": {
			object{"multiRegionBackupEnabled": false},
			inRegion("fraud-rs", "NY_NJ"),
			values{"multi_region_backup_enabled": "false -> true"},
		},
		"a long list": {
			object{"excludedNamespaces": many}, values{"excluded_namespaces": []any{"tmp"}},
			values{"excluded_namespaces": shownAs + ` -> ["tmp"]`},
		},
		"credentials": {
			object{"authMechanismName": "NONE"}, values{"auth_mechanism_name": "PLAIN", "username": "backup", "password": secretPassword},
			values{"auth_mechanism_name": "NONE -> PLAIN"},
		},
		"an unknown list": {
			nil, values{"included_namespaces": unknown, "ssl_enabled": false},
			values{"included_namespaces": unknown, "excluded_namespaces": unknown, "ssl_enabled": "true -> false"},
		},
		"an unknown element": {nil, values{"excluded_namespaces": []any{"tmp", unknown}}, values{"excluded_namespaces": unknown}},
		"an unknown status":  {nil, values{"status_name": unknown}, values{"status_name": unknown}},
		"unknown regions":    {nil, values{"deployment_configs": unknown}, values{"multi_region_backup_enabled": unknown}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startBackupConfig(t, emulator.Options{TransitionReads: 1_000_000})
			s.SetBackupConfig(payments, fraud, test.live)
			p := r.Plan(backupConfig(fraud, test.config))
			wantOverwrites(t, p, test.want)
			if text := fmt.Sprint(p.Values()["overwrites"]); strings.Contains(text, secretPassword) {
				t.Errorf("the password is in %s", text)
			}
		})
	}
}

func TestWhatAnAdoptionOverwroteStaysInTheState(t *testing.T) {
	t.Parallel()
	_, r := startBackupConfig(t)
	config := backupConfig(cards, values{"ssl_enabled": false})
	r.MustApply(config)
	r.MustApply(config.With(values{"ssl_enabled": true, "excluded_namespaces": []any{"tmp"}}))
	r.MustRefresh()
	overwrote, _ := r.Attributes()["overwrites"].(values)
	if overwrote["ssl_enabled"] != "true -> false" || overwrote["excluded_namespaces"] != nil {
		t.Errorf("the state has %v", overwrote)
	}
	imported := another(r)
	imported.ImportID(payments + "/" + cards)
	if got := imported.Attributes()["overwrites"]; got != nil {
		t.Errorf("imported with %v", got)
	}
}

func TestALateValueOfAnAdoptionIsAppliedAndShown(t *testing.T) {
	t.Parallel()
	s, r := startBackupConfig(t)
	p := r.Plan(backupConfig(fraud, values{"excluded_namespaces": unknown, "ssl_enabled": false}))
	r.Apply(p, values{"excluded_namespaces": []any{"fraud.scratch", "staging", "tmp"}}).WantNoErrors(t)
	wantSent(t, s, fraud, `{"sslEnabled":false,"excludedNamespaces":["fraud.scratch","staging","tmp"]}`)
	overwrote, _ := r.Attributes()["overwrites"].(values)
	if overwrote["excluded_namespaces"] != `["fraud.scratch", "staging"] -> ["fraud.scratch", "staging", "tmp"]` {
		t.Errorf("the state has %v", overwrote)
	}
}

func TestWhatIsKnownOnlyDuringTheApplyIsAnnounced(t *testing.T) {
	t.Parallel()
	_, r := manage(t, backupConfig(fraud, nil))
	adopted := another(r)
	for _, test := range map[string]struct {
		late values
		says []string
	}{
		"namespaces": {
			values{"excluded_namespaces": unknown, "encryption_enabled": unknown},
			[]string{
				"[encryption_enabled] Backup of Cluster fraud (" + fraud + ") May Be Resynced",
				"encryption_enabled, excluded_namespaces", "puts load on the cluster",
			},
		},
		"one namespace": {
			values{"included_namespaces": []any{unknown}},
			[]string{"[included_namespaces] Backup of Cluster fraud (" + fraud + ") May Be Resynced"},
		},
		"a storage engine": {
			values{"storage_engine_name": unknown},
			[]string{"[storage_engine_name] Backup of Cluster fraud (" + fraud + ") May Be Resynced"},
		},
		"a status": {
			values{"status_name": unknown},
			[]string{
				"[status_name] Backup of Cluster fraud (" + fraud + ") May Be Started or Stopped", "is STOPPED", "takes no snapshots",
				"deletes those that have expired",
			},
		},
		"an end": {
			values{"on_destroy": unknown},
			[]string{"[on_destroy] Snapshots of Cluster fraud (" + fraud + ") May Be Deleted by a Later Destroy", `If it is "terminate"`, "all snapshots"},
		},
	} {
		for _, planned := range []*providertest.Resource{r, adopted} {
			r.Configure()
			planned.Plan(backupConfig(fraud, test.late)).WantWarning(t, test.says...)
		}
	}
}

func TestAConfiguredValueThatOpsManagerChangesAlongIsAnError(t *testing.T) {
	t.Parallel()
	for _, isAlong := range []bool{true, false} {
		var s *providertest.Service
		e := emulator.New(emulator.Options{})
		plain := object{"sslEnabled": false}
		s = providertest.ServiceBehind(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			e.ServeHTTP(w, r)
			if isAlong && r.Method == http.MethodPatch && r.Header.Get("Authorization") != "" {
				s.SetBackupConfig(payments, fraud, plain)
			}
		}), e)
		s.SetBackupConfig(payments, fraud, object{"sslEnabled": true, "preferredMember": "fraud-0:1"})
		r := providertest.NewWorkspaceOn(t, s.NewServer(80*time.Millisecond), s).NewResource(providertest.BackupConfigType)
		r.Create(backupConfig(fraud, values{"ssl_enabled": true, "preferred_member": "fraud-0:1"}))
		r.Configure()
		p := r.Plan(backupConfig(fraud, values{"ssl_enabled": true, "preferred_member": "fraud-1:1"}))
		if !isAlong { // by another client, before the apply
			s.SetBackupConfig(payments, fraud, plain)
		}
		diags := r.Apply(p)
		if isAlong {
			diags.WantError(t, "[ssl_enabled] Ops Manager Changed a Configured Value", "ssl_enabled: true -> false")
		} else {
			diags.WantNoErrors(t)
		}
	}
}

func TestABackupThatStartsWhileItIsAdoptedAsStoppedIsLeftAlone(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		d := providertest.FaultProxyInMemory()
		r := backupConfigOn(t, d.Service)
		p := r.Plan(backupConfig(fraud, values{"status_name": "STOPPED", "included_namespaces": []any{"shop"}}))
		reads := 0
		d.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
			service.ServeHTTP(w, request)
			if reads++; reads == 1 { // the provider reads it again before it sends the namespaces
				d.SetBackupConfig(payments, fraud, object{"statusName": "STARTED"})
			}
		})
		r.Apply(p).WantError(t, "changed since the plan", "status_name is STARTED, and the plan showed no change of it")
		wantSent(t, d.Service, fraud)
	})
}

// Between the plan of an adoption and its request, another client changes a configured value that the plan saw as wanted.
func TestAValueThatAnAdoptionSawAsConfiguredIsNotOverwrittenIfItChanges(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		field        string
		wanted, late any
		is           string
	}{
		"storage_engine_name":         {"storageEngineName", "WIRED_TIGER", "MEMORY_MAPPED", "MEMORY_MAPPED"},
		"auth_mechanism_name":         {"authMechanismName", "NONE", "GSSAPI", "GSSAPI"},
		"preferred_member":            {"preferredMember", "fraud-0:1", "fraud-1:1", "fraud-1:1"},
		"ssl_enabled":                 {"sslEnabled", true, false, "false"},
		"encryption_enabled":          {"encryptionEnabled", false, true, "true"},
		"multi_region_backup_enabled": {"multiRegionBackupEnabled", false, true, "true"},
		"excluded_namespaces":         {"excludedNamespaces", []any{"tmp"}, []any{"prod", "tmp"}, `["prod", "tmp"]`},
		"included_namespaces":         {"includedNamespaces", []any{"shop"}, []any{"prod", "shop"}, `["prod", "shop"]`},
	}
	for field, attribute := range backupConfigAttributes {
		if attribute != "status_name" && tests[attribute].field != field {
			t.Errorf("no test of %s", attribute)
		}
	}
	for attribute, test := range tests {
		for _, reads := range []int{0, 1} { // of the apply, before the change
			t.Run(fmt.Sprintf("%s, after %d reads", attribute, reads), func(t *testing.T) {
				t.Parallel()
				providertest.InBubble(t, func(t *testing.T) {
					d := providertest.FaultProxyInMemory()
					r := backupConfigOn(t, d.Service)
					beside, besideField, old, changed := "ssl_enabled", "sslEnabled", any(true), any(false)
					if attribute == beside {
						beside, besideField, old, changed = "preferred_member", "preferredMember", "fraud-0:1", "fraud-1:1"
					}
					live := object{"excludedNamespaces": []any{}, besideField: old, test.field: test.wanted}
					d.SetBackupConfig(payments, fraud, live)
					p := r.Plan(backupConfig(fraud, values{attribute: test.wanted, beside: changed}))
					wantOverwrites(t, p, values{beside: fmt.Sprintf("%v -> %v", old, changed)})
					done := 0
					d.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
						if done == reads {
							d.SetBackupConfig(payments, fraud, object{test.field: test.late})
						}
						done++
						service.ServeHTTP(w, request)
					})
					r.Apply(p).WantError(
						t, "Backup Configuration Changed Since the Plan", attribute+" is "+test.is+", and the plan showed",
						"left that as it is",
					)
					wantSent(t, d.Service, fraud)
					providertest.WantNoState(t, r)
				})
			})
		}
	}
}

// The plan of an adoption shows nothing, because the live values are the configured ones. The apply doesn't read them, so
// they may be others by now.
func TestAdoptionDoesNotSendWhatOnlyItsPlanHasRead(t *testing.T) {
	t.Parallel()
	for attribute, f := range map[string]struct {
		field      string
		value, now any
	}{
		"preferred_member":    {"preferredMember", "cards-0:1", "cards-1:1"},
		"encryption_enabled":  {"encryptionEnabled", true, false},
		"excluded_namespaces": {"excludedNamespaces", []any{"tmp"}, []any{"scratch"}},
	} {
		t.Run(attribute, func(t *testing.T) {
			t.Parallel()
			d := providertest.StartFaultProxy(t)
			r := backupConfigOn(t, d.Service)
			d.SetBackupConfig(payments, cards, object{f.field: f.value})
			p := r.Plan(backupConfig(cards, values{attribute: f.value}))
			wantOverwrites(t, p, values{})
			d.SetBackupConfig(payments, cards, object{f.field: f.now})
			d.Handle(providertest.Rewrite(func(_ *http.Request, document object) { delete(document, f.field) }))
			d.ResetRequests()
			r.Apply(p).WantError(t, "changed since the plan: "+attribute+" is ")
			providertest.WantWrites(t, d.Service)
		})
	}
}

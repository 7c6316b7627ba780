package stores_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

// withEverything returns the configuration of a kind with all optional fields.
func (k storeKind) withEverything() providertest.Values {
	config := k.config("new")
	if k.secrets["uri"] != nil {
		config["oidc"] = providertest.Values{"enabled": true, "method": "azure", "token_resource": "r", "scope": "one", "client_id": "c"}
	}
	if k.secrets["aws_access_key"] != nil {
		config["custom_certificates"] = []any{providertest.Values{"filename": "a.pem", "cert_string": pemOf("A")}}
	}
	return config
}

// optionalFields are the fields that a response lacks if they are not set.
var optionalFields = map[string]string{
	"oidc": "oidc", "writeConcern": "write_concern", "maxCapacityGB": "max_capacity_gb", "s3RegionOverride": "s3_region_override", "customCertificates": "custom_certificates",
}

func TestFieldThatWasRemovedElsewhereIsDriftAndNeverRestoredSilently(t *testing.T) {
	t.Parallel()
	for _, k := range storeKinds {
		for field, attribute := range optionalFields {
			config := k.withEverything()
			if config[attribute] == nil {
				continue
			}
			t.Run(k.typeName+" "+field, func(t *testing.T) {
				t.Parallel()
				s, r := providertest.StartResource(t, k.typeName, emulator.Options{})
				r.MustApply(config)
				other := providertest.With(config, providertest.Values{"assignment_enabled": false})
				early := r.Plan(other) // made before the change
				s.SetBackupStore(k.kind, "new", map[string]any{field: nil})
				if errors := r.Apply(early, nil).Errors(); len(errors) > 0 {
					t.Fatal(errors)
				}
				if held := s.BackupStore(k.kind, "new"); held[field] != nil || held["assignmentEnabled"] != false {
					t.Errorf("an update of another field restored %v", held[field])
				}
				r.MustRefresh()
				if got := fmt.Sprint(r.Plan(other).Changes()); got != "["+attribute+"]" {
					t.Errorf("the plan changes %s", got)
				}
				r.MustApply(other)
				if s.BackupStore(k.kind, "new")[field] == nil {
					t.Error("the apply did not set it")
				}
				if attribute == "oidc" || attribute == "custom_certificates" {
					return
				}
				delete(other, attribute)
				s.SetBackupStore(k.kind, "new", map[string]any{field: nil})
				r.MustRefresh()
				r.MustApply(providertest.With(other, providertest.Values{"assignment_enabled": true}))
				if held := s.BackupStore(k.kind, "new"); held[field] != nil {
					t.Errorf("an update restored %v, which is not configured", held[field])
				}
			})
		}
	}
}

func TestPartOfOIDCThatWasRemovedElsewhereIsDrift(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.BlockstoreType, emulator.Options{})
	config := storeKinds[0].withEverything()
	r.MustApply(config)
	s.SetBackupStore(emulator.Blockstore, "new", map[string]any{"oidc": map[string]any{"enabled": true, "method": "azure", "tokenResource": "r", "clientId": "c"}})
	r.MustRefresh()
	if changes := fmt.Sprint(r.Plan(config).Changes()); changes != "[oidc]" {
		t.Errorf("the plan changes %s", changes)
	}
	r.MustApply(config)
}

// A stale response after an update lacks the field. The next one that lacks it is drift.
func TestStaleResponseDoesNotHideThatAFieldWasRemoved(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t, emulator.Options{})
	r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.BlockstoreType)
	config := storeKinds[0].config("new")
	r.MustApply(config)
	var hides atomic.Bool
	proxy.Handle(providertest.Rewrite(func(_ *http.Request, document map[string]any) {
		if hides.Load() {
			delete(document, "writeConcern")
		}
	}))
	hides.Store(true)
	r.MustRefresh()
	if changes := fmt.Sprint(r.Plan(config).Changes()); changes != "[write_concern]" {
		t.Errorf("the plan changes %s", changes)
	}
	hides.Store(false)
	r.MustBeSettled(config)
	proxy.SetBackupStore(emulator.Blockstore, "new", map[string]any{"writeConcern": nil})
	r.MustRefresh()
	if changes := fmt.Sprint(r.Plan(config).Changes()); changes != "[write_concern]" {
		t.Errorf("the plan changes %s", changes)
	}
}

func TestFieldThatIsNeverReturnedIsSentAndNamed(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t, emulator.Options{})
	r := providertest.NewWorkspaceOn(t, proxy.NewServer(20*time.Millisecond), proxy.Service, nil).NewResource(providertest.BlockstoreType)
	proxy.Handle(providertest.Rewrite(func(_ *http.Request, document map[string]any) { delete(document, "maxCapacityGB") }))
	config := storeKinds[0].config("new")
	r.MustApply(config)
	diags := r.MustApply(providertest.With(config, providertest.Values{"load_factor": 9}))
	providertest.WantOne(t, diags.Warnings(), "Values of Blockstore new Not Returned", "max_capacity_gb = 100")
	if held := proxy.BackupStore(emulator.Blockstore, "new"); held["maxCapacityGB"] != 100.0 {
		t.Errorf("held %v", held)
	}
}

func TestSavedPlanKeepsThePartsOfOIDCThatItDoesNotChange(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.BlockstoreType, emulator.Options{})
	oidc := providertest.Values{"enabled": true, "method": "azure", "token_resource": "r", "client_id": "c"}
	config := storeKinds[0].config("new", providertest.Values{"oidc": oidc})
	r.MustApply(config)
	p := r.Plan(providertest.With(config, providertest.Values{"oidc": providertest.With(oidc, providertest.Values{"client_id": "d"})}))
	s.SetBackupStore(emulator.Blockstore, "new", map[string]any{"oidc": map[string]any{"enabled": false, "method": "azure", "tokenResource": "r", "clientId": "c", "scope": "added", "newPart": 1.0}})
	diags := r.Apply(p, nil)
	if errors := diags.Errors(); len(errors) > 0 {
		t.Fatal(errors)
	}
	providertest.WantOne(t, diags.Warnings(), "Blockstore new Changed Since the Plan", "oidc.enabled: true -> false")
	if got := fmt.Sprint(s.BackupStore(emulator.Blockstore, "new")["oidc"]); got != "map[clientId:d enabled:false method:azure newPart:1 scope:added tokenResource:r]" {
		t.Errorf("held %s", got)
	}

	p = r.Plan(config)
	s.SetBackupStore(emulator.Blockstore, "new", map[string]any{"oidc": nil})
	providertest.WantOne(t, r.Apply(p, nil).Errors(), "[id]", "OpenID Connect Removed Since the Plan", "Plan again")
}

func TestLiveOIDCThatAPlanReplacesIsAnnounced(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.BlockstoreType, emulator.Options{})
	config := storeKinds[0].config("new")
	r.MustApply(config)
	s.SetBackupStore(emulator.Blockstore, "new", map[string]any{"oidc": map[string]any{"enabled": true, "method": "k8s", "scope": "added"}})
	r.MustBeSettled(config)
	r.MustApply(providertest.With(config, providertest.Values{"load_factor": 9}))
	withOIDC := providertest.With(config, providertest.Values{"oidc": providertest.Values{"enabled": false, "method": "k8s"}})
	providertest.WantOne(t, r.Plan(withOIDC).Warnings(), "OpenID Connect of Blockstore new Overwritten")
	r.MustApply(withOIDC)
	if got := fmt.Sprint(s.BackupStore(emulator.Blockstore, "new")["oidc"]); got != "map[enabled:false method:k8s]" {
		t.Errorf("held %s", got)
	}
	lacking := providertest.With(config, providertest.Values{"oidc": providertest.Values{"enabled": true, "method": "callback", "token_uri": "https://t", "client_id": "c"}})
	r.MustApply(config)
	providertest.WantOne(t, r.Plan(lacking).Errors(), "[oidc]", "client_secret")
}

// unknownFields are fields that this version of the provider does not know.
var unknownFields = map[string]any{"newSetting": "east", "newLimits": map[string]any{"most": 5.0, "names": []any{"a"}}, "newFlag": true, "newNull": nil}

func TestFieldsThatTheProviderDoesNotKnowAreKept(t *testing.T) {
	t.Parallel()
	for _, rejects := range []bool{false, true} {
		for _, k := range storeKinds {
			t.Run(fmt.Sprint(k.typeName, " rejects ", rejects), func(t *testing.T) {
				t.Parallel()
				options := emulator.Options{Unknowns: emulator.Unknowns{RejectsReturnedMembers: rejects}}
				s, r := providertest.StartResource(t, k.typeName, options)
				config := k.withEverything()
				r.MustApply(config)
				unknown := providertest.Values{}
				for name, value := range unknownFields {
					if value != nil {
						unknown[name] = value
					}
				}
				s.SetBackupStore(k.kind, "new", unknown)
				diags := r.Apply(r.Plan(providertest.With(config, providertest.Values{"labels": []any{"other"}})), nil)
				held := s.BackupStore(k.kind, "new")
				if rejects {
					providertest.WantOne(t, diags.Errors(), "Unable to Update", "(INVALID_ATTRIBUTE)", "newFlag")
				} else if len(diags.Errors()) > 0 {
					t.Errorf("got %q", diags.Errors())
				}
				for name, value := range unknown {
					if fmt.Sprint(held[name]) != fmt.Sprint(value) {
						t.Errorf("%s was %v and is %v", name, value, held[name])
					}
				}
			})
		}
	}
}

func TestUnknownFieldThatMayBeAMaskedSecretPreventsAnUpdate(t *testing.T) {
	t.Parallel()
	for name, unknown := range map[string]map[string]any{
		"a mask":               {"newSetting": "****"},
		"the name of a secret": {"newPassword": "5f2a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.S3BlockstoreType, emulator.Options{})
			config := s3Config(impatient)
			r.MustApply(config)
			s.SetBackupStore(emulator.S3Blockstore, "new", unknown)
			s.ResetRequests()
			diags := r.Apply(r.Plan(providertest.With(config, providertest.Values{"load_factor": 9})), nil)
			providertest.WantOne(t, diags.Errors(), "[id]", "Unknown Secret", "Nothing was changed")
			providertest.WantOne(t, r.Destroy().Errors(), "assignment_enabled = false", "The provider can't do that")
			if sent := s.Sent(http.MethodPut, ""); len(sent) > 0 {
				t.Errorf("sent %q", sent)
			}
		})
	}
}

// startMasking starts a service that returns a different mask with each response.
func startMasking(t *testing.T) (*providertest.FaultProxy, *providertest.Resource) {
	t.Helper()
	proxy := providertest.StartFaultProxy(t, emulator.Options{ServiceVersion: masking})
	var count atomic.Int32
	proxy.Handle(providertest.Rewrite(func(_ *http.Request, document map[string]any) {
		for _, field := range []string{"uri", "awsAccessKey", "awsSecretKey"} {
			if document[field] != nil {
				document[field] = fmt.Sprint("hidden:", count.Add(1))
			}
		}
	}))
	return proxy, providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.S3BlockstoreType)
}

func TestMaskThatChangesWithEachReadIsNoDrift(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]providertest.Values{"in the state": s3Config(), "write-only": writeOnly(s3Config(), 1)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy, r := startMasking(t)
			r.MustApply(config)
			r.MustApply(providertest.With(config, providertest.Values{"load_factor": 9}))
			for range 2 {
				r.MustBeSettled(providertest.With(config, providertest.Values{"load_factor": 9}))
			}
			if sent := strings.Join(proxy.Sent(http.MethodPut, ""), ""); strings.Contains(sent, "hidden:") {
				t.Errorf("a mask was sent: %s", sent)
			}
		})
	}
}

func TestDeletionWaitsUntilTheStoreIsNoLongerUsed(t *testing.T) {
	t.Parallel()
	for _, k := range storeKinds {
		t.Run(k.typeName, func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t, emulator.Options{})
			r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(k.typeName)
			r.MustApply(k.config("new"))
			proxy.UseBackupStore(k.kind, "new", "project Payments")
			var refusals atomic.Int32
			proxy.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
				if request.Method == http.MethodDelete && refusals.Add(1) == 3 {
					proxy.UseBackupStore(k.kind, "new")
				}
				service.ServeHTTP(w, request)
			})
			if errors := r.Destroy().Errors(); len(errors) > 0 || proxy.BackupStore(k.kind, "new") != nil {
				t.Errorf("got %q", errors)
			}
		})
	}
}

func TestTaintedStoreThatWasNotRefreshedIsNotDeleted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		more, changed providertest.Values
		planned       string // the error of the plan
		applied       string // the error of the apply
	}{
		"not adopted": {nil, nil, "Already Exists", ""},
		"adopted":     {providertest.Values{"adopt_existing": true}, nil, "", ""},
		"another ID":  {providertest.Values{"adopt_existing": true}, providertest.Values{"id": "other"}, "", "Tainted Resource Not Destroyed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.BlockstoreType, emulator.Options{})
			config := storeKinds[0].config("new", test.more)
			r.MustApply(config)
			r.Tainted = true
			r.Configure() // and no refresh
			p := r.Plan(providertest.With(config, test.changed))
			if test.planned != "" {
				providertest.WantOne(t, p.Errors(), test.planned)
				return
			}
			diags := append(p.Diagnostics, r.Apply(p, nil)...)
			if test.applied == "" {
				providertest.WantContains(t, fmt.Sprint(diags.Warnings()), "Blockstore new Kept")
				r.MustApply(config)
			} else {
				providertest.WantOne(t, diags.Errors(), test.applied, "terraform untaint")
			}
			if calls := s.Calls(http.MethodDelete); len(calls) > 0 || s.BackupStore(emulator.Blockstore, "new") == nil {
				t.Errorf("sent %q", calls)
			}
			if r.State.IsNull() {
				return
			}
			r.Tainted = false
			if errors := r.Destroy().Errors(); len(errors) > 0 || s.BackupStore(emulator.Blockstore, "new") != nil {
				t.Errorf("the destroy after that: %q", errors)
			}
		})
	}
}

func TestStoreThatIsGoneIsCreatedAgain(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.BlockstoreType, emulator.Options{})
	config := storeKinds[0].config("new")
	r.MustApply(config)
	s.RemoveBackupStore(emulator.Blockstore, "new")
	r.MustRefresh()
	p := r.Plan(config)
	if errors := r.Apply(p, nil).Errors(); len(p.Errors()) > 0 || len(errors) > 0 {
		t.Errorf("got %q and %q", p.Errors(), errors)
	}
}

// Terraform plans the destroy of the deposed object only during the apply, like that of any other
// replacement, but its first plan has shown both IDs.
func TestTaintedStoreIsDeletedAfterTheCreationOfAnotherUnlessItIsProtected(t *testing.T) {
	t.Parallel()
	for _, protects := range []bool{false, true} {
		t.Run(fmt.Sprint("protected ", protects), func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.BlockstoreType, emulator.Options{})
			config := storeKinds[0].config("new", providertest.Values{"deletion_protection": protects})
			r.MustApply(config)
			r.Tainted, r.CreateBeforeDestroy = true, true
			r.Configure() // and no refresh
			diags := r.Apply(r.Plan(providertest.With(config, providertest.Values{"id": "other"})), nil)
			if s.BackupStore(emulator.Blockstore, "other") == nil || (s.BackupStore(emulator.Blockstore, "new") != nil) != protects {
				t.Errorf("sent %q: %q", s.Writes(), diags.Errors())
			}
			if protects {
				providertest.WantOne(t, diags.Errors(), "Blockstore Is Protected")
			} else {
				providertest.WantContains(t, fmt.Sprint(diags.Warnings()), "Deletion of Blockstore new", "Blockstore new Deleted")
			}
		})
	}
}

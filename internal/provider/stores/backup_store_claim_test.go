package stores_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

// startLossy starts a service behind a proxy, and returns a blockstore without a state. The first
// create request is passed to lose, which responds to it.
func startLossy(t *testing.T, settings providertest.Values, lose providertest.Handler) (*providertest.FaultProxy, *providertest.Resource) {
	t.Helper()
	proxy := providertest.StartFaultProxy(t, emulator.Options{})
	r := providertest.NewWorkspace(t, proxy.Service, settings).NewResource(providertest.BlockstoreType)
	isLost := false
	proxy.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
		if request.Method == http.MethodPost && !isLost {
			isLost = true
			lose(w, request, service)
			return
		}
		service.ServeHTTP(w, request)
	})
	return proxy, r
}

func posts(s *providertest.Service) int { return len(s.Sent(http.MethodPost, "")) }

func TestGuessedStoreIsNeitherChangedNorDeleted(t *testing.T) {
	t.Parallel()
	proxy, r := startLossy(t, nil, providertest.DropAfter)
	config := storeKinds[0].config("new", impatient)
	diags := r.Create(config)
	providertest.WantOne(t, diags.Warnings(), "[id]", "Blockstore new May Belong to Someone Else", "probably", "adopt_existing = true", "import")
	r.MustBeSettled(config)

	changed := providertest.With(config, providertest.Values{"load_factor": 9})
	providertest.WantOne(t, r.Plan(changed).Errors(), "[id]", "May Belong to Someone Else", "adopt_existing = true")
	proxy.SetBackupStore(emulator.Blockstore, "new", map[string]any{"loadFactor": 7.0})
	r.MustRefresh()
	providertest.WantOne(t, r.Plan(config).Errors(), "[id]", "May Belong to Someone Else")

	before := *r
	p := r.Plan(nil)
	providertest.WantOne(t, p.Warnings(), "Blockstore new Removed Only From the State")
	providertest.WantOne(t, r.Apply(p, nil).Warnings(), "Blockstore new Removed Only From the State")
	providertest.WantNoState(t, r)
	providertest.WantWrites(t, proxy.Service, "POST /admin/backup/snapshot/mongoConfigs")
	if held := proxy.BackupStore(emulator.Blockstore, "new"); held["loadFactor"] != 7.0 {
		t.Errorf("held %v", held)
	}

	// The user confirms it in one of two ways, and then it is changed and deleted.
	r.State, r.Private, r.Identity = before.State, before.Private, before.Identity
	confirmed := providertest.With(changed, providertest.Values{"adopt_existing": true})
	r.MustApply(confirmed)
	r.MustApply(config)
	if errors := r.Destroy().Errors(); len(errors) > 0 || proxy.BackupStore(emulator.Blockstore, "new") != nil {
		t.Errorf("got %q", errors)
	}
}

func TestGuessEndsWhenTheResourceCreatesOrAdoptsAStore(t *testing.T) {
	t.Parallel()
	config := storeKinds[0].config("new", impatient)
	adopting := providertest.With(config, providertest.Values{"adopt_existing": true})
	for name, test := range map[string]struct {
		plan func(r *providertest.Resource) *providertest.Plan
		id   string // of the store that the resource has then
	}{
		"another ID": {func(r *providertest.Resource) *providertest.Plan {
			return r.Plan(storeKinds[0].config("other", impatient))
		}, "other"},
		"replaced": {func(r *providertest.Resource) *providertest.Plan { return r.PlanReplacement(adopting) }, "new"},
		"tainted": {func(r *providertest.Resource) *providertest.Plan {
			r.Tainted = true
			return r.Plan(adopting)
		}, "new"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy, r := startLossy(t, nil, providertest.DropAfter)
			r.Create(config)
			r.MustRefresh()
			if errors := r.Apply(test.plan(r), nil).Errors(); len(errors) > 0 {
				t.Fatalf("the replacement: %q", errors)
			}
			if calls := proxy.Calls(http.MethodDelete); len(calls) > 0 || proxy.BackupStore(emulator.Blockstore, "new") == nil {
				t.Fatalf("the replacement deleted the guess: %q", calls)
			}
			r.Tainted = false
			r.Configure()
			if errors := r.Destroy().Errors(); len(errors) > 0 || proxy.BackupStore(emulator.Blockstore, test.id) != nil {
				t.Errorf("the destroy after that: %q", errors)
			}
		})
	}
}

func TestGuessOutlivesTheFailedReplacementOfATaintedStore(t *testing.T) {
	t.Parallel()
	proxy, r := startLossy(t, nil, providertest.DropAfter)
	r.Create(storeKinds[0].config("new", impatient))
	r.MustRefresh()
	r.Tainted = true
	providertest.WantOne(t, r.Apply(r.Plan(storeKinds[0].config("other", impatient)), nil).Errors(), "Tainted Resource Not Destroyed")
	r.Tainted = false
	r.MustRefresh()
	providertest.WantContains(t, fmt.Sprint(r.Destroy().Warnings()), "Blockstore new Removed Only From the State")
	if calls := proxy.Calls(http.MethodDelete); len(calls) > 0 {
		t.Errorf("sent %q", calls)
	}
}

func TestImportedGuessIsKnown(t *testing.T) {
	t.Parallel()
	proxy, r := startLossy(t, nil, providertest.DropAfter)
	config := storeKinds[0].config("new", impatient)
	r.Create(config)
	r.ImportID("new")
	r.MustApply(providertest.With(config, providertest.Values{"load_factor": 9}))
	if errors := r.Destroy().Errors(); len(errors) > 0 || proxy.BackupStore(emulator.Blockstore, "new") != nil {
		t.Errorf("got %q", errors)
	}
}

func TestStoreOfSomeoneElseIsNotTakenForALostOne(t *testing.T) {
	t.Parallel()
	var proxy *providertest.FaultProxy
	foreign := map[string]any{"uri": "mongodb://theirs.example.com", "assignmentEnabled": true, "loadFactor": 7.0}
	proxy, r := startLossy(t, nil, func(w http.ResponseWriter, request *http.Request, service http.Handler) {
		proxy.SetBackupStore(emulator.Blockstore, "new", foreign)
		providertest.Drop(w, request, service)
	})
	p := r.Plan(storeKinds[0].config("new", impatient))
	diags := r.Apply(p, nil)
	providertest.WantOne(t, diags.Errors(), "[id]", "Blockstore new Has Other Values", "load_factor: 7 -> 2", "import {")
	providertest.WantNoState(t, r)
	providertest.WantWrites(t, proxy.Service)
}

// Someone else's store may have other secrets, which may be masked.
func TestConfirmedGuessGetsTheConfiguredSecrets(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(providertest.Values) providertest.Values{
		"in the state": func(config providertest.Values) providertest.Values { return config },
		"write-only":   func(config providertest.Values) providertest.Values { return writeOnly(config, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var proxy *providertest.FaultProxy
			proxy, r := startLossy(t, nil, func(_ http.ResponseWriter, request *http.Request, service http.Handler) {
				providertest.Record(request, service)
				proxy.SetBackupStore(emulator.Blockstore, "new", map[string]any{"uri": "mongodb://them:pa55@db.example.com:27017"})
				panic(http.ErrAbortHandler)
			})
			config := change(storeKinds[0].config("new", impatient))
			r.Create(config)
			r.MustRefresh()
			p := r.Plan(providertest.With(config, providertest.Values{"adopt_existing": true}))
			providertest.WantOne(t, p.Warnings(), "Overwritten Secrets of Blockstore new")
			if errors := r.Apply(p, nil).Errors(); len(errors) > 0 {
				t.Fatalf("apply: %q", errors)
			}
			if held := proxy.BackupStore(emulator.Blockstore, "new"); held["uri"] != mongoURI["uri"] {
				t.Errorf("holds %v", held)
			}
			r.MustBeSettled(providertest.With(config, providertest.Values{"adopt_existing": true}))
		})
	}
}

func TestSlowCreationIsFoundAndNotRepeated(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(w http.ResponseWriter, request *http.Request){
		"no response": func(w http.ResponseWriter, request *http.Request) { providertest.Drop(w, request, nil) },
		"504":         func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGatewayTimeout) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy, r := startLossy(t, nil, func(w http.ResponseWriter, request *http.Request, service http.Handler) {
				later := request.Clone(context.Background()) //nolint:contextcheck // it outlives the request
				body, _ := io.ReadAll(request.Body)
				later.Body = io.NopCloser(bytes.NewReader(body))
				time.AfterFunc(150*time.Millisecond, func() { providertest.Record(later, service) })
				lose(w, request)
			})
			config := storeKinds[0].config("new", providertest.Values{"timeouts": providertest.Values{"create": "20s"}})
			diags := r.Create(config)
			providertest.WantOne(t, diags.Warnings(), "Blockstore new May Belong to Someone Else")
			r.MustBeSettled(config)
			if posts(proxy.Service) != 1 {
				t.Errorf("%d POSTs", posts(proxy.Service))
			}
		})
	}
}

func TestCreationWithAnUnknownOutcomeIsAnErrorAndNotStored(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lost     emulator.Fault
		readable bool
		exists   bool
		words    string
	}{
		"exists, and can't be read":      {emulator.Fault{DropAfter: true}, false, true, "Blockstore new May Have Been Created"},
		"does not exist, can't be read":  {emulator.Fault{DropBefore: true}, false, false, "Blockstore new May Have Been Created"},
		"does not exist until the end":   {emulator.Fault{DropBefore: true}, true, false, "Blockstore new May Still Be Created"},
		"a gateway that got no response": {emulator.Fault{Status: http.StatusGatewayTimeout}, true, false, "Blockstore new May Still Be Created"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := providertest.StartResource(t, providertest.BlockstoreType, emulator.Options{})
			config := storeKinds[0].config("new", impatient)
			p := r.Plan(config)
			r.Configure()
			test.lost.Method = http.MethodPost
			s.Inject(test.lost)
			if !test.readable {
				s.Inject(emulator.Fault{Method: http.MethodGet, Skip: 1, Times: -1, Status: http.StatusInternalServerError})
			}
			diags := r.Apply(p, nil)
			providertest.WantOne(t, diags.Errors(), "Unable to Create Blockstore")
			providertest.WantOne(t, diags.Warnings(), "[id]", test.words, "import")
			providertest.WantNoState(t, r)
			s.ClearFaults()
			r.Configure()
			if test.exists {
				providertest.WantOne(t, r.Plan(config).Errors(), "Already Exists", "import {")
				return
			}
			r.MustApply(config)
		})
	}
}

func TestRefusedCreationIsNotLookedFor(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.BlockstoreType, emulator.Options{})
	p := r.Plan(storeKinds[0].config("new"))
	s.Inject(emulator.Fault{Method: http.MethodPost, Status: http.StatusConflict})
	s.ResetRequests()
	diags := r.Apply(p, nil)
	providertest.WantOne(t, diags.Errors(), "Unable to Create Blockstore", "409")
	if calls := fmt.Sprint(s.Calls()); calls != "[GET /admin/backup/snapshot/mongoConfigs/new POST /admin/backup/snapshot/mongoConfigs]" || len(diags.Warnings()) > 0 {
		t.Errorf("sent %s, warned %q", calls, diags.Warnings())
	}
}

// document is an error document of Ops Manager.
func document(status int) emulator.Fault {
	return emulator.Fault{
		Status: status, Header: http.Header{"Content-Type": {"application/json"}},
		Body: fmt.Sprintf(`{"error": %d, "reason": "Unexpected", "errorCode": "UNEXPECTED_ERROR", "detail": "Unexpected error."}`, status),
	}
}

// A server error does not say whether the request had an effect, or still has one later.
func TestCreationThatAServerErrorAnsweredIsLookedFor(t *testing.T) {
	t.Parallel()
	faults := map[string]emulator.Fault{"a document": document(500)}
	for _, status := range []int{500, 502, 503, 504, 520, 524, 529} {
		faults[fmt.Sprint(status)] = emulator.Fault{Status: status}
	}
	for name, fault := range faults {
		for _, exists := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " exists ", exists), func(t *testing.T) {
				t.Parallel()
				_, r := startLossy(t, nil, func(w http.ResponseWriter, request *http.Request, service http.Handler) {
					if exists {
						later := request.Clone(context.Background()) //nolint:contextcheck // it outlives the request
						body, _ := io.ReadAll(request.Body)
						later.Body = io.NopCloser(bytes.NewReader(body))
						time.AfterFunc(100*time.Millisecond, func() { providertest.Record(later, service) })
					}
					for name, values := range fault.Header {
						w.Header()[name] = values
					}
					w.WriteHeader(fault.Status)
					_, _ = io.WriteString(w, fault.Body)
				})
				config := storeKinds[0].config("new", impatient)
				diags := r.Apply(r.Plan(config), nil)
				if exists {
					providertest.WantOne(t, diags.Warnings(), "Blockstore new May Belong to Someone Else")
					return
				}
				providertest.WantOne(t, diags.Errors(), "Unable to Create Blockstore")
				providertest.WantOne(t, diags.Warnings(), "[id]", "Blockstore new May Still Be Created", "import")
				providertest.WantNoState(t, r)
			})
		}
	}
}

func TestStoreWithOtherSecretsIsNotTakenForALostOne(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		theirs map[string]any
		shown  string // the attribute that proves it; empty if nothing does
	}{
		"other hosts":                    {map[string]any{"uri": "mongodb://them:c0rrect-theirs@theirs.example.com:27017"}, "uri"},
		"other hosts, without a user":    {map[string]any{"uri": "mongodb://theirs.example.com"}, "uri"},
		"one more host":                  {map[string]any{"uri": "mongodb://a:b@db1.example.com,db2.example.com"}, "uri"},
		"other hosts, masked user":       {map[string]any{"uri": "mongodb://REDACTED:REDACTED@theirs.example.com:27017"}, "uri"},
		"the same host in another form":  {map[string]any{"uri": "mongodb://DB1.example.com/?tls=true"}, ""},
		"masked":                         {map[string]any{"uri": "[REDACTED]"}, ""},
		"masked hosts":                   {map[string]any{"uri": "mongodb://REDACTED:REDACTED@redacted.example.com:27017"}, ""},
		"masked with stars":              {map[string]any{"uri": "mongodb://****"}, ""},
		"hidden":                         {map[string]any{"uri": "mongodb://hidden"}, ""},
		"hidden with a number":           {map[string]any{"uri": "hidden:1234"}, ""},
		"an empty text":                  {map[string]any{"uri": ""}, ""},
		"another key":                    {map[string]any{"awsAccessKey": "AKIATHEIRS0000000009"}, "aws_access_key"},
		"a masked key":                   {map[string]any{"awsAccessKey": "AKIA************0009"}, ""},
		"another mask of a key":          {map[string]any{"awsAccessKey": "AKIAXXXXXXXXXXXXXXXX"}, ""},
		"a key of another service":       {map[string]any{"awsAccessKey": "minio"}, ""},
		"another secret key, or a hash":  {map[string]any{"awsSecretKey": "da39a3ee5e6b4b0d3255bfef95601890afd80709"}, ""},
		"another certificate":            {map[string]any{"customCertificates": []any{map[string]any{"filename": "a.pem", "certString": pemOf("B")}}}, "custom_certificates"},
		"a certificate in other lines":   {map[string]any{"customCertificates": []any{map[string]any{"filename": "a.pem", "certString": "\n" + pemOf("A") + "\n"}}}, ""},
		"a masked certificate":           {map[string]any{"customCertificates": []any{map[string]any{"filename": "a.pem", "certString": "[REDACTED]"}}}, ""},
		"no certificate, as on old ones": {map[string]any{"customCertificates": nil}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t, emulator.Options{ServiceVersion: readable})
			r := providertest.NewWorkspace(t, proxy.Service, nil).NewResource(providertest.S3BlockstoreType)
			proxy.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
				if request.Method == http.MethodPost {
					providertest.Record(request, service)
					proxy.SetBackupStore(emulator.S3Blockstore, "new", test.theirs)
					panic(http.ErrAbortHandler)
				}
				service.ServeHTTP(w, request)
			})
			diags := r.Apply(r.Plan(s3Config(impatient, providertest.Values{
				"uri": "mongodb://user:c0rrect-horse@db1.example.com:27017/?tls=true", "aws_access_key": "AKIAOURS000000000001",
				"custom_certificates": []any{providertest.Values{"filename": "a.pem", "cert_string": pemOf("A")}},
			})), nil)
			if test.shown == "" {
				providertest.WantOne(t, diags.Warnings(), "S3 Blockstore new May Belong to Someone Else")
				return
			}
			providertest.WantOne(t, diags.Errors(), "[id]", "S3 Blockstore new Has Other Values", test.shown+": a different value -> the configured one")
			providertest.WantNoState(t, r)
			if text := fmt.Sprint(diags); strings.Contains(text, "c0rrect") || strings.Contains(text, "AKIA") {
				t.Errorf("a secret is in %s", text)
			}
		})
	}
}

// With adopt_existing, it does not matter who created the store, but its secrets may be theirs.
func TestLostCreationThatMayAdoptSendsTheSecretsAgain(t *testing.T) {
	t.Parallel()
	var proxy *providertest.FaultProxy
	proxy, r := startLossy(t, nil, func(_ http.ResponseWriter, request *http.Request, service http.Handler) {
		providertest.Record(request, service)
		proxy.SetBackupStore(emulator.Blockstore, "new", map[string]any{"uri": "mongodb://them:pa55@db.example.com:27017"})
		panic(http.ErrAbortHandler)
	})
	config := storeKinds[0].config("new", impatient, providertest.Values{"adopt_existing": true})
	diags := r.Create(config)
	providertest.WantOne(t, diags.Warnings(), "[id]", "Blockstore new Is Adopted After a Failed Request")
	if held := proxy.BackupStore(emulator.Blockstore, "new"); len(diags.Errors()) > 0 || held["uri"] != mongoURI["uri"] {
		t.Fatalf("holds %v: %q", held, diags.Errors())
	}
	r.MustRefresh()
	providertest.WantEmptyPlan(t, r.Plan(config))
	if errors := r.Destroy().Errors(); len(errors) > 0 || proxy.BackupStore(emulator.Blockstore, "new") != nil {
		t.Errorf("the destroy: %q", errors)
	}
}

func TestSlowWritesOfAStoreAreWaitedForAndNotRepeated(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t, emulator.Options{})
	r := providertest.NewWorkspace(t, proxy.Service, providertest.Values{"request_timeout": "1s"}).NewResource(providertest.S3BlockstoreType)
	proxy.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
		if request.Method != http.MethodGet {
			time.Sleep(1300 * time.Millisecond)
		}
		service.ServeHTTP(w, request)
	})
	config := s3Config()
	r.MustApply(config)
	r.MustApply(providertest.With(config, providertest.Values{"load_factor": 9}))
	providertest.WantWrites(t, proxy.Service, "POST /admin/backup/snapshot/s3Configs", "PUT /admin/backup/snapshot/s3Configs/new")

	proxy.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
		if request.Method != http.MethodGet {
			providertest.Hang(w, request, service)
			return
		}
		service.ServeHTTP(w, request)
	})
	proxy.ResetRequests()
	slow := providertest.With(config, providertest.Values{"load_factor": 8, "timeouts": providertest.Values{"update": "300ms"}})
	started := time.Now()
	diags := r.Apply(r.Plan(slow), nil)
	providertest.WantOne(t, diags.Errors(), "Unable to Update S3 Blockstore", "no response within 300ms", "timeouts")
	if passed := time.Since(started); passed > 5*time.Second {
		t.Errorf("took %s", passed)
	}
}

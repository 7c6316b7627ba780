package infrastructure_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

func jobConfig(project string, more ...values) values {
	return values{"project_id": project}.With(more...)
}

var (
	byLabel = values{"label_filter": []any{"east"}}
	reset   = values{"on_destroy": "reset"}
	kmip    = values{"kmip_client_cert_path": "/etc/kmip.pem", "kmip_client_cert_password": "c0rrect-horse"}
)

// startJobConfig starts a service, and returns a job configuration on it without a state.
func startJobConfig(t *testing.T, options ...emulator.Options) (*providertest.Service, *providertest.Resource) {
	t.Helper()
	return providertest.StartResource(t, providertest.JobConfigType, options...)
}

// jobConfigOn returns a job configuration on a service without a state.
func jobConfigOn(t providertest.T, s *providertest.Service) *providertest.Resource {
	return providertest.NewWorkspace(t, s).NewResource(providertest.JobConfigType)
}

func TestJobConfigSendsNoEmptyListExceptOfLabels(t *testing.T) {
	t.Parallel()
	providertest.OnEachVersion(t, bothVersions, func(t *testing.T, version string) {
		s, r := startJobConfig(t, emulator.Options{ServiceVersion: version})
		r.MustApply(jobConfig(payments, byLabel, values{"daemon_filter": []any{}, "sync_store_filter": []any{}}))
		providertest.WantLastSent(t, s, "PUT", `{"labelFilter": ["east"]}`)
		r.MustApply(jobConfig(payments, values{"label_filter": []any{}, "daemon_filter": []any{daemon(inUse), values{"machine": unused}}}))
		providertest.WantLastSent(
			t, s, "PUT",
			`{
				"labelFilter": [], "privateLinkEnabled": false,
				"daemonFilter": [{"machine": "om-ny.example.com", "headRootDirectory": "/data/backup/"}, {"machine": "om-au.example.com"}]
			}`,
		)
		providertest.WantAttributes(t, r, values{"label_filter": []any{}, "oplog_store_filter": []any{}})
	})
}

func TestMissingJobConfigIsDistinguishedFromLostRights(t *testing.T) {
	t.Parallel()
	s, r := startJobConfig(t, emulator.Options{ServiceVersion: "6.0.27"})
	r.MustApply(jobConfig(payments, byLabel))

	s.RemoveJobConfig(payments)
	state := r.State
	r.Configure()
	r.Refresh().WantError(t, "Unable to Read Backup Job Configuration", "401")
	if !r.State.Equal(state) {
		t.Error("a 401 changed the state")
	}

	// A key without the role gets 401 for the list, too.
	s, r = startJobConfig(t, emulator.Options{ServiceVersion: "6.0.27"})
	p := r.Plan(jobConfig(payments, byLabel))
	s.Inject(emulator.Fault{
		Method: http.MethodGet, Path: "/admin/backup/groups", Times: -1, Status: http.StatusUnauthorized,
		Body: `{"error": 401, "reason": "Unauthorized", "errorCode": "USER_UNAUTHORIZED", "detail": "The current user is not authorized."}`,
	})
	r.Apply(p).WantError(t, "Unable to Create Backup Job Configuration", "401")
	providertest.WantNoState(t, r)
	providertest.WantWrites(t, s)

	// A 404 with another code says nothing, so the list decides.
	for _, project := range []string{payments, analytics} {
		s, r = startJobConfig(t)
		s.Inject(emulator.Fault{
			Method: http.MethodGet, Path: "/admin/backup/groups/" + project, Times: -1, Status: http.StatusNotFound,
			Body: `{"error": 404, "reason": "Not Found", "errorCode": "SOMETHING_ELSE", "detail": "Not found."}`,
		})
		if errors := r.Plan(jobConfig(project, byLabel)).Errors(); (len(errors) > 0) != (project == analytics) {
			t.Errorf("%s: %q", project, errors)
		}
	}
}

func TestKMIPCertificateIsKeptUnlessItIsConfigured(t *testing.T) {
	t.Parallel()
	const held = `{"labelFilter": ["east"], "kmipClientCertPath": "/etc/held.pem", "privateLinkEnabled": false}`
	s, r := startJobConfig(t, emulator.Options{ServiceVersion: oldest})
	s.SetJobConfig(payments, object{"kmipClientCertPath": "/etc/held.pem"})
	r.Plan(jobConfig(payments, byLabel, reset)).WantError(t, "Unknown Secret", "Configure kmip_client_cert_password", `If there is none, set it to ""`)
	none := values{"kmip_client_cert_password": ""}
	r.MustApply(jobConfig(payments, byLabel, reset, none))
	providertest.WantLastSent(t, s, "PUT", held)
	providertest.WantAttributes(t, r, values{"kmip_client_cert_path": "/etc/held.pem", "kmip_client_cert_password": ""})
	r.Destroy().WantNoErrors(t)
	providertest.WantLastSent(t, s, "PUT", strings.Replace(held, `"east"`, "", 1))

	// A password can't be kept: it may be a mask.
	for _, shown := range []string{"held-password", "<hidden>"} {
		s, r = startJobConfig(t, emulator.Options{ServiceVersion: oldest})
		p := r.Plan(jobConfig(analytics, reset, values{"label_filter": []any{"a"}}))
		s.SetJobConfig(analytics, object{"kmipClientCertPath": "/etc/held.pem", "kmipClientCertPassword": shown})
		r.Plan(jobConfig(analytics, byLabel)).WantError(t, "Unknown Secret", "Configure kmip_client_cert_password")
		r.Apply(p).WantError(t, "Unknown Secret")
		providertest.WantNoState(t, r)
		r.MustApply(jobConfig(analytics, reset))
		r.Plan(nil).WantError(t, "Unknown Secret", "Nothing was changed")
		providertest.WantWrites(t, s)
	}
}

// An empty text says that there is none, so one that appears is that of another client.
func TestPasswordThatAnotherClientSetsWhereThereWasNoneIsNotRemovedUnseen(t *testing.T) {
	t.Parallel()
	for _, masks := range []bool{false, true} {
		s, r := startJobConfig(t, emulator.Options{Unknowns: emulator.Unknowns{MasksKMIPPassword: masks}})
		config := jobConfig(payments, byLabel, values{"kmip_client_cert_path": "/etc/kmip.pem", "kmip_client_cert_password": ""})
		r.MustApply(config)
		relabeled := config.With(values{"label_filter": []any{"west"}})
		p := r.Plan(relabeled)
		s.SetJobConfig(payments, object{"kmipClientCertPassword": "clicked-password"})
		r.Apply(p).WantError(t, "changed since the plan", "kmip_client_cert_password is another secret")
		r.MustRefresh()
		// Terraform prints no difference between null and an empty text of a sensitive attribute.
		for _, change := range []values{config, relabeled} {
			r.Configure()
			r.Plan(change).WantError(t, "Unable to Update", "Ops Manager returns one that is not in the Terraform state", `set kmip_client_cert_path = ""`)
		}
		r.MustApply(config.With(values{"kmip_client_cert_path": ""}))
		r.MustApply(config)
		if held := s.JobConfig(payments); held["kmipClientCertPassword"] != nil || held["kmipClientCertPath"] != "/etc/kmip.pem" {
			t.Errorf("masks %v: held %v", masks, held)
		}
		r.MustBeSettled(config)

		// An imported one is not in the state, either, but a password that the state has is removed, and shown.
		s.SetJobConfig(payments, object{"kmipClientCertPassword": "clicked-password"})
		r.Configure()
		imported := r.NewResource(providertest.JobConfigType)
		imported.ImportID(payments)
		p = imported.Plan(relabeled)
		p.WantError(t, "Unable to Update", "is an empty text")
		known := relabeled.With(values{"kmip_client_cert_password": "clicked-password"})
		imported.MustApply(known)
		imported.MustApply(relabeled)
		if held := s.JobConfig(payments)["kmipClientCertPassword"]; held != nil {
			t.Errorf("masks %v: held %v", masks, held)
		}
	}
}

// The state of an import doesn't say how Ops Manager returns a password.
func TestPasswordThatAppearsAfterThePlanOfAnImportIsNotRemoved(t *testing.T) {
	t.Parallel()
	s, r := startJobConfig(t)
	s.SetJobConfig(payments, object{"labelFilter": []any{"east"}, "kmipClientCertPath": "/etc/kmip.pem"})
	r.ImportID(payments)
	config := jobConfig(payments, values{"label_filter": []any{"west"}, "kmip_client_cert_path": "/etc/kmip.pem", "kmip_client_cert_password": ""})
	p := r.Plan(config)
	providertest.WantContains(
		t, strings.Join(p.Warnings(), "\n"), "May Lose a Secret", "kmip_client_cert_password is an empty text",
		"To keep it, configure it",
	)
	s.SetJobConfig(payments, object{"kmipClientCertPassword": "clicked-password"})
	r.Apply(p).WantError(t, "Unable to Update", "is an empty text", "not in the Terraform state")
	providertest.WantWrites(t, s)
}

// The plan of an adoption shows the removal in overwrites.
func TestAdoptionRemovesThePasswordThatItsPlanShows(t *testing.T) {
	t.Parallel()
	for _, masks := range []bool{false, true} {
		s, r := startJobConfig(t, emulator.Options{Unknowns: emulator.Unknowns{MasksKMIPPassword: masks}})
		s.SetJobConfig(payments, object{"labelFilter": []any{"east"}, "kmipClientCertPath": "/etc/held.pem", "kmipClientCertPassword": "held-password"})
		p := r.Plan(jobConfig(payments, byLabel, values{"kmip_client_cert_password": ""}))
		shown, _ := p.Values()["overwrites"].(values)
		if got := shown["kmip_client_cert_password"]; got != "(sensitive value) -> (sensitive value)" {
			t.Errorf("masks %v: overwrites %v", masks, got)
		}
		r.Configure()
		if got := r.Apply(p); len(got.Errors())+len(got.Warnings()) > 0 {
			t.Errorf("masks %v: got %q %q", masks, got.Errors(), got.Warnings())
		}
		providertest.WantLastSent(t, s, "PUT", `{"labelFilter": ["east"], "kmipClientCertPath": "/etc/held.pem", "privateLinkEnabled": false}`)
	}
}

// A job configuration that has the configured filters already is not sent, so its password need
// not be known.
func TestJobConfigWithAMaskedPasswordIsAdoptedIfNothingDiffers(t *testing.T) {
	t.Parallel()
	s, r := startJobConfig(t, emulator.Options{Unknowns: emulator.Unknowns{MasksKMIPPassword: true}})
	s.SetJobConfig(payments, object{"labelFilter": []any{"east"}, "kmipClientCertPath": "/etc/held.pem", "kmipClientCertPassword": "held-password"})
	r.MustApply(jobConfig(payments, byLabel))
	providertest.WantWrites(t, s)
}

func TestEmptyPathRemovesTheCertificateAndItsPassword(t *testing.T) {
	t.Parallel()
	removed := values{"kmip_client_cert_path": ""}
	providertest.OnEachVersion(t, bothVersions, func(t *testing.T, version string) {
		s, r := startJobConfig(t, emulator.Options{ServiceVersion: version})
		r.MustApply(jobConfig(payments, byLabel, kmip))
		providertest.WantLastSent(t, s, "PUT", `{"labelFilter": ["east"], "kmipClientCertPath": "/etc/kmip.pem", "kmipClientCertPassword": "c0rrect-horse"}`)
		r.MustApply(jobConfig(payments, byLabel, removed))
		providertest.WantLastSent(t, s, "PUT", `{"labelFilter": ["east"], "privateLinkEnabled": false}`)
		r.MustApply(jobConfig(payments, removed, values{"label_filter": []any{"west"}}))
		providertest.WantLastSent(t, s, "PUT", `{"labelFilter": ["west"], "privateLinkEnabled": false}`)

		// Removing a password does not require it.
		s, r = startJobConfig(t, emulator.Options{ServiceVersion: version})
		s.SetJobConfig(payments, object{"kmipClientCertPath": "/etc/held.pem", "kmipClientCertPassword": "held-password"})
		r.MustApply(jobConfig(payments, byLabel, removed))
		providertest.WantLastSent(t, s, "PUT", `{"labelFilter": ["east"], "privateLinkEnabled": false}`)
	})
	s, r := startJobConfig(t)
	r.MustApply(jobConfig(payments, byLabel, removed))
	providertest.WantLastSent(t, s, "PUT", `{"labelFilter": ["east"]}`)
}

// A response without the path does not say that there is none if no response has ever had it.
func TestEmptyPathIsSentIfThePathWasNeverReturned(t *testing.T) {
	t.Parallel()
	removed := values{"kmip_client_cert_path": ""}
	for _, isImported := range []bool{false, true} {
		t.Run(fmt.Sprintf("imported: %v", isImported), func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t)
			proxy.SetJobConfig(payments, object{"labelFilter": []any{"east"}, "kmipClientCertPath": "/etc/held.pem"})
			proxy.Handle(providertest.Rewrite(func(_ *http.Request, document object) { delete(document, "kmipClientCertPath") }))
			r := jobConfigOn(t, proxy.Service)
			if isImported {
				r.ImportID(payments)
			} else {
				shown, _ := r.Plan(jobConfig(payments, byLabel, removed)).Values()["overwrites"].(values)
				providertest.WantEqual(t, shown["kmip_client_cert_path"], `not returned -> ""`)
				r.Configure()
			}
			r.MustApply(jobConfig(payments, byLabel, removed))
			if held := proxy.JobConfig(payments)["kmipClientCertPath"]; held != nil {
				t.Errorf("held %v", held)
			}
			r.MustBeSettled(jobConfig(payments, byLabel, removed))
		})
	}
}

func TestReadWithoutThePathConfirmsAnEmptyResponseToItsRemoval(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	r := jobConfigOn(t, proxy.Service)
	r.MustApply(jobConfig(payments, byLabel, kmip))
	proxy.Handle(providertest.EmptyPUT)
	removed := jobConfig(payments, byLabel, values{"kmip_client_cert_path": ""})
	r.MustApply(removed)
}

func TestResetRemovesTheFilters(t *testing.T) {
	t.Parallel()
	s, r := startJobConfig(t)
	r.MustApply(jobConfig(analytics, reset))
	r.Plan(nil).WantWarning(t, "Backup Job Configuration of Project Analytics ("+analytics+") Will Be Reset", "every daemon and store without labels")
	r.Destroy().WantNoErrors(t)
	providertest.WantLastSent(t, s, "PUT", `{"labelFilter": [], "privateLinkEnabled": false}`)
	providertest.WantWrites(t, s, "PUT /admin/backup/groups/"+analytics)
}

func TestInvalidJobConfigIsAnErrorOfThePlanOnItsAttribute(t *testing.T) {
	t.Parallel()
	store := func(id, kind string) []any { return []any{values{"id": id, "type": kind}} }
	for attribute, invalid := range map[string][]any{
		"snapshot_store_filter": {store("a", "oplogStore"), store("a", "s3OplogStore"), store("", "blockstore")},
		"oplog_store_filter":    {store("a", "s3blockstore"), store("a", "fileSystemStore")},
		"label_filter":          {[]any{""}, []any{"a", "a"}},
		"sync_store_filter":     {[]any{""}, []any{"a", "a"}},
		"daemon_filter":         {[]any{values{"machine": ""}}},
		"project_id":            {"payments", ""},
	} {
		for _, value := range invalid {
			s, r := startJobConfig(t)
			errors := r.Plan(jobConfig(payments, values{attribute: value})).Errors()
			if len(errors) == 0 || !strings.Contains(errors[0], "["+attribute+"]") {
				t.Errorf("%s = %v: %q", attribute, value, errors)
			}
			providertest.WantWrites(t, s)
		}
	}
}

func TestJobConfigsAreListedByProject(t *testing.T) {
	t.Parallel()
	s, r := startJobConfig(t)
	s.SetJobConfig(payments, object{"kmipClientCertPath": "/etc/kmip.pem", "kmipClientCertPassword": "c0rrect-horse"})
	listed := r.Query(providertest.JobConfigType, nil, true, 100)
	if names := strings.Join(providertest.Names(listed), " "); names != "Payments Analytics" {
		t.Fatalf("listed %q", names)
	}
	r.State = listed[1].Resource
	providertest.WantAttributes(t, r, values{"label_filter": []any{"east", "production"}, "daemon_filter": []any{}})
	if text := fmt.Sprint(providertest.Plain(listed[0].Resource)); strings.Contains(text, "c0rrect") || strings.Contains(text, "kmip.pem") {
		t.Errorf("listed %s", text)
	}
}

// A store that a job configuration names can't be deleted since 8.0.27. The error of the store
// names the project, and what to do.
func TestDeletionOfANamedStoreNamesTheProject(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s := providertest.ServiceInMemory()
		w := providertest.NewWorkspace(t, s)
		store := w.NewResource(providertest.FileSystemStoreType)
		store.ImportID("au-nfs-1")
		store.State = store.ReplaceAttributes(store.State, values{"timeouts": values{"delete": "300ms"}})
		filter := w.NewResource(providertest.JobConfigType)
		filter.MustApply(jobConfig(payments, values{"snapshot_store_filter": []any{values{"id": "au-nfs-1", "type": "fileSystemStore"}}}))
		store.Destroy().WantError(t, "Unable to Delete File System Store", "Payments", "remove the store from the backup job configuration")
		filter.MustApply(jobConfig(payments, reset))
		filter.Destroy()
		store.Destroy().WantNoErrors(t)
	})
}

func TestResetThatChangesNothingIsAnError(t *testing.T) {
	t.Parallel()
	s, r := startJobConfig(t)
	r.MustApply(values{"project_id": payments, "label_filter": []any{"east"}, "on_destroy": "reset"})
	p := r.Plan(nil)
	s.Inject(emulator.Fault{Method: "PUT", Status: 200, Body: `{"id": "` + payments + `", "labelFilter": ["east"]}`})
	r.Apply(p).WantError(t, "[label_filter]", "Ops Manager Adjusted the Value")
	if r.State.IsNull() {
		t.Error("the state is gone")
	}
}

func TestResetOfWhatIsGoneSucceeds(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	r := providertest.NewWorkspace(t, proxy.Service, values{"max_retries": 2}).NewResource(providertest.JobConfigType)
	r.MustApply(jobConfig(payments, byLabel, reset))
	r.Configure()
	proxy.Handle(func(w http.ResponseWriter, request *http.Request, service http.Handler) {
		if request.Method != http.MethodPut {
			service.ServeHTTP(w, request)
			return
		}
		proxy.RemoveJobConfig(payments)
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	r.Destroy().WantNoErrors(t)
}

func TestOtherSpellingOfAProjectInOnePlanIsTheSameProject(t *testing.T) {
	t.Parallel()
	_, r := startJobConfig(t)
	r.MustApply(jobConfig(payments, byLabel, reset))
	r.Plan(nil)
	upper := jobConfig(strings.ToUpper(payments), byLabel, reset)
	r.NewResource(providertest.JobConfigType).Plan(upper).WantError(
		t, "Destroyed and Managed in One Plan", "resets the job configuration of project Payments ("+payments+")",
	)
}

// A plan refuses what the apply can't send: a secret that Ops Manager masks, and that nothing else has.
func TestPlanRefusesAChangeThatNeedsAMaskedPassword(t *testing.T) {
	t.Parallel()
	s, r := startJobConfig(t, emulator.Options{Unknowns: emulator.Unknowns{MasksKMIPPassword: true}})
	config := jobConfig(payments, byLabel, kmip, reset)
	r.MustApply(config)
	r.Plan(config.With(values{"label_filter": []any{"west"}, "kmip_client_cert_password": nil})).WantError(t, "Unknown Secret", "Nothing was changed")
	r.Configure()
	r.Destroy().WantNoErrors(t) // with the password of the state
	providertest.WantEqual(t, s.JobConfig(payments)["kmipClientCertPassword"], "c0rrect-horse")
	r.Configure()
	secret := values{"kmip_client_cert_password": nil, "kmip_client_cert_password_wo": "c0rrect-horse", "kmip_client_cert_password_wo_version": 1}
	r.MustApply(config.With(secret))
	r.Plan(nil).WantError(t, "Unknown Secret", "Nothing was changed")
}

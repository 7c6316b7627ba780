package infrastructure_test

import (
	"net/http"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// A newer version of Ops Manager has members that the provider does not know.
func TestUpdateKeepsTheSettingsThatTheProviderDoesNotKnow(t *testing.T) {
	t.Parallel()
	s, r := startDaemon(t)
	s.SetBackupDaemon(unused, headRoot, object{"newSetting": "x", "machine": object{"zone": "z"}, "labels": []any{"old"}, "assignmentEnabled": true})
	r.MustApply(daemon(unused, values{"labels": []any{"east"}}))
	providertest.WantLastSent(t, s, "PUT", `{
		"newSetting": "x", "machine": {"zone": "z", "machine": "om-au.example.com", "headRootDirectory": "/data/backup/"},
		"configured": true, "assignmentEnabled": true, "backupJobsEnabled": true, "garbageCollectionEnabled": true,
		"resourceUsageEnabled": false, "restoreQueryableJobsEnabled": false, "labels": ["east"]
	}`)
}

// A PUT would send it back as an empty text.
func TestNullInAListIsNotSentBack(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	r := jobConfigOn(t, proxy.Service)
	config := jobConfig(payments, byLabel)
	r.MustApply(config)
	p := r.Plan(jobConfig(payments, values{"label_filter": []any{"west"}}))
	proxy.ResetRequests()
	proxy.Handle(providertest.Rewrite(func(_ *http.Request, document object) { document["syncStoreFilter"] = []any{nil} }))
	r.Apply(p).WantError(t, "Unable to Update Backup Job Configuration", "a list has a null: syncStoreFilter")
	providertest.WantWrites(t, proxy.Service)
}

// A PUT may store the mask of a secret.
func TestFirstConfigurationNeverSendsTheMaskOfASettingThatTheProviderDoesNotKnow(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{"newSetting": object{"mode": "[REDACTED]"}, "labels": []any{"[REDACTED]"}} {
		s, r := startDaemon(t)
		s.SetBackupDaemon(unconfigured, "", object{name: value})
		r.Apply(r.Plan(daemon(unconfigured))).WantError(t, "Unknown Secret", name, "newer version")
		providertest.WantWrites(t, s)
	}
}

// A response without the path of a certificate does not say that there is none if Ops Manager has returned one, and a PUT
// without it would remove it.
func TestCertificateThatIsNoLongerReturnedIsNotRemoved(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	proxy.Service.SetJobConfig(payments, object{"labelFilter": []any{"east"}})
	r := jobConfigOn(t, proxy.Service)
	config := jobConfig(payments, byLabel, kmip, reset)
	r.MustApply(config)
	proxy.Handle(providertest.Rewrite(func(_ *http.Request, document object) { delete(document, "kmipClientCertPath") }))
	r.Configure()
	r.MustRefresh()
	unconfigured := jobConfig(payments, reset, values{"label_filter": []any{"west"}})
	r.Plan(unconfigured).WantError(
		t, "Ops Manager did not return its kmip_client_cert_path",
		"Configure kmip_client_cert_path as well, or do not change the job configuration", `If there is none, set it to ""`,
	)
	r.Plan(nil).WantError(t, "Unable to Reset", "Ops Manager did not return its kmip_client_cert_path", `set on_destroy = "keep", and apply that first`)
	p := r.Plan(config)
	providertest.WantEqual(t, p.Changes(), []string{"kmip_client_cert_path"})
	r.Apply(p).WantError(t, "Value Not Returned", "can't tell whether it took effect", "keep it configured, run 'terraform state rm ADDRESS'")
	providertest.WantLastSent(
		t, proxy.Service, "PUT",
		`{"labelFilter": ["east"], "kmipClientCertPath": "/etc/kmip.pem", "kmipClientCertPassword": "c0rrect-horse", "privateLinkEnabled": false}`,
	)
	r.Apply(r.Plan(config.With(values{"on_destroy": "keep"})))
	if got := r.Attributes()["on_destroy"]; got != "keep" { // the advice on a reset
		t.Errorf("on_destroy is %v", got)
	}
	removed := jobConfig(payments, byLabel, reset, values{"kmip_client_cert_path": ""})
	r.Configure()
	r.MustApply(removed)
	r.Destroy().WantNoErrors(t)
}

// The read that confirms an empty response also says that nothing else has changed.
func TestConfirmedEmptyResponseChangesNothingAlong(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	r := providertest.NewWorkspace(t, proxy.Service).NewResource(providertest.DaemonType)
	config := daemon(unused, values{"labels": []any{"a"}, "num_workers": 4, "head_disk_type": "SSD"})
	r.MustApply(config)
	proxy.Handle(providertest.EmptyPUT)
	r.MustApply(config.With(values{"labels": []any{}})).WantNoWarnings(t)
}

// What a creation sets, Ops Manager has not changed along with it.
func TestCreationOfAListChangesNothingAlong(t *testing.T) {
	t.Parallel()
	_, r := startJobConfig(t)
	r.MustApply(jobConfig(payments, byLabel, kmip)).WantNoWarnings(t)
}

// An Ops Manager that hides the path may hide the password as well.
func TestPasswordOfACertificateThatIsNotReturnedIsNotRemoved(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	held := object{"labelFilter": []any{"east"}, "kmipClientCertPath": "/etc/held.pem", "kmipClientCertPassword": "held-password"}
	proxy.SetJobConfig(payments, held)
	forgotten, adopted, imported := jobConfigOn(t, proxy.Service), jobConfigOn(t, proxy.Service), jobConfigOn(t, proxy.Service)
	forgotten.MustApply(jobConfig(payments, byLabel))
	proxy.Handle(providertest.Rewrite(func(_ *http.Request, document object) {
		delete(document, "kmipClientCertPath")
		delete(document, "kmipClientCertPassword")
	}))
	forgotten.MustRefresh()
	imported.ImportID(payments)
	for _, r := range []*providertest.Resource{forgotten, adopted, imported} {
		p := r.Plan(jobConfig(payments, byLabel, values{"kmip_client_cert_path": "/etc/held.pem"}))
		p.WantError(t, "Unknown Secret", "Configure kmip_client_cert_password", `If there is none, set it to ""`)
	}
	providertest.WantWrites(t, proxy.Service)
}

// A certificate may have a password that no response has, and a change would remove that.
func TestCertificateWithoutAPasswordIsKeptByAChangeThatSaysThatThereIsNone(t *testing.T) {
	t.Parallel()
	texts := values{"kmip_client_cert_password": ""}
	for name, none := range map[string]values{
		"text":       texts,
		"write-only": {"kmip_client_cert_password_wo": "", "kmip_client_cert_password_wo_version": 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := providertest.StartFaultProxy(t)
			proxy.Handle(providertest.Rewrite(func(_ *http.Request, document object) { delete(document, "kmipClientCertPassword") }))
			r := jobConfigOn(t, proxy.Service)
			config := jobConfig(payments, byLabel, reset, values{"kmip_client_cert_path": "/etc/kmip.pem"})
			r.MustApply(config)
			relabeled := config.With(values{"label_filter": []any{"west"}})
			r.Plan(relabeled).WantError(t, "Unknown Secret", "Configure kmip_client_cert_password", `If there is none, set it to ""`)
			r.Plan(nil).WantError(t, "Unknown Secret", "Configure it in the attribute that the state stores and apply", `If there is none, set it to ""`)

			relabeled = relabeled.With(none)
			r.MustApply(relabeled)
			providertest.WantLastSent(t, proxy.Service, "PUT", `{"labelFilter": ["west"], "kmipClientCertPath": "/etc/kmip.pem", "privateLinkEnabled": false}`)
			r.MustBeSettled(relabeled)
			r.Configure()
			if name == "write-only" {
				r.Plan(nil).WantError(t, "Unknown Secret", "Configure it in the attribute that the state stores")
				r.MustApply(relabeled.With(values{"kmip_client_cert_password_wo": nil, "kmip_client_cert_password_wo_version": nil}, texts))
				r.Configure()
			}
			r.Destroy().WantNoErrors(t)
			providertest.WantLastSent(t, proxy.Service, "PUT", `{"labelFilter": [], "kmipClientCertPath": "/etc/kmip.pem", "privateLinkEnabled": false}`)
		})
	}
}

// Ops Manager is documented to return the path, so a response without it says that there is none, unless it is configured.
func TestCertificateThatIsNeverReturnedIsKeptByAnAdoptionThatConfiguresIt(t *testing.T) {
	t.Parallel()
	proxy := providertest.StartFaultProxy(t)
	proxy.SetJobConfig(payments, object{"labelFilter": []any{"north"}, "kmipClientCertPath": "/etc/kmip.pem", "kmipClientCertPassword": "c0rrect-horse"})
	proxy.Handle(providertest.Rewrite(func(_ *http.Request, document object) {
		delete(document, "kmipClientCertPath")
		delete(document, "kmipClientCertPassword")
	}))
	r := jobConfigOn(t, proxy.Service)
	for _, label := range []string{"west", "east"} { // the adoption, and an update
		r.MustApply(jobConfig(payments, kmip, values{"label_filter": []any{label}}))
		providertest.WantLastSent(
			t, proxy.Service, "PUT",
			`{"labelFilter": ["`+label+`"], "kmipClientCertPath": "/etc/kmip.pem", "kmipClientCertPassword": "c0rrect-horse", "privateLinkEnabled": false}`,
		)
	}
}

// startRetrying returns a resource whose provider repeats a failed request.
func startRetrying(t *testing.T, typeName string) (*providertest.Service, *providertest.Resource) {
	t.Helper()
	proxy := providertest.StartFaultProxy(t)
	return proxy.Service, providertest.NewWorkspace(t, proxy.Service, values{"max_retries": 2}).NewResource(typeName)
}

// The read after a request without a response lacks what the request has emptied.
func TestRemovalWithoutAResponseIsFoundDone(t *testing.T) {
	t.Parallel()
	lost := emulator.Fault{Method: http.MethodPut, DropAfter: true}
	s, r := startRetrying(t, providertest.JobConfigType)
	filled := jobConfigRegistrations()[2].Config.With(reset, values{"sync_store_filter": []any{"ny-sync-1"}})
	removed := jobConfig(payments, reset, noFilters, values{"label_filter": []any{}, "kmip_client_cert_path": ""})
	r.MustApply(filled)
	r.Configure()
	p := r.Plan(removed)
	s.Inject(lost)
	r.Apply(p).WantNoErrors(t)
	r.MustBeSettled(removed)
	r.MustApply(filled)
	p = r.Plan(nil)
	s.Inject(lost)
	r.Apply(p).WantNoErrors(t)

	s, r = startRetrying(t, providertest.DaemonType)
	r.MustApply(daemon(unused, values{"labels": []any{"east"}}))
	p = r.Plan(daemon(unused, values{"labels": []any{}}))
	s.Inject(lost)
	r.Apply(p).WantNoErrors(t)
	r.MustBeSettled(daemon(unused, values{"labels": []any{}}))
}

// A response without the path does not say that the request has removed it, nor that it has not.
func TestPathThatARequestWithoutAResponseMayHaveRemovedIsNotBelieved(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]emulator.Fault{
		"it is removed": {Method: http.MethodPut, DropAfter: true}, "it is kept": {Method: http.MethodPut, DropBefore: true},
	} {
		s, r := startJobConfig(t)
		config := jobConfig(payments, byLabel, kmip)
		r.MustApply(config)
		p := r.Plan(jobConfig(payments, byLabel, values{"kmip_client_cert_path": ""}))
		s.Inject(fault)
		r.Apply(p).WantError(t, "Unable to Update Backup Job Configuration", providertest.MayHaveChanged)
		r.MustRefresh()
		r.MustApply(config)
		if held := s.JobConfig(payments); held["kmipClientCertPath"] != "/etc/kmip.pem" || held["kmipClientCertPassword"] != "c0rrect-horse" {
			t.Errorf("%s: held %v", name, held)
		}
		r.MustBeSettled(config)
	}
}

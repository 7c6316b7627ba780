package backups_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const stopBody = `{"statusName":"STOPPED"}`

// started is the configuration of a backup that is started.
func started(cluster string, fields values) values {
	config := backupConfig(cluster, fields)
	config["status_name"] = "STARTED"
	return config
}

// halfASecond is short for a status that is never reached.
var halfASecond = values{"create": "500ms", "update": "500ms"}

// startFaulty starts a service behind a proxy, and returns a resource on it.
func startFaulty(t *testing.T, options ...emulator.Options) (*providertest.FaultProxy, *providertest.Resource) {
	t.Helper()
	d := providertest.StartFaultProxy(t, options...)
	return d, backupConfigOn(t, d.Service)
}

// refusal is an error of Ops Manager.
func refusal(method string, status int, code, detail string) emulator.Fault {
	body := fmt.Sprintf(`{"error": %d, "errorCode": %q, "detail": %q}`, status, code, detail)
	return emulator.Fault{Method: method, Status: status, Body: body}
}

// notMonitored refuses reads from then on, after some.
func notMonitored(skip int) emulator.Fault {
	fault := refusal("GET", 409, "CANNOT_GET_BACKUP_CONFIG_INVALID_STATE", "Not monitored.")
	fault.Skip, fault.Times = skip, -1
	return fault
}

// conflict rejects a start because of the status.
var conflict = providertest.Fault{Handler: providertest.Respond(http.StatusConflict,
	`{"error": 409, "reason": "Conflict", "errorCode": "CANNOT_START_BACKUP_INVALID_STATE", "detail": "Not now."}`, "Content-Type", "application/json")}

func TestABackupThatAwaitsApprovalIsAnErrorAndIsNotStartedTwice(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := startInMemory(t, emulator.Options{AwaitApproval: true})
		config := started(reports, values{"timeouts": halfASecond})
		for range 2 {
			diags := r.Apply(r.Plan(config), nil)
			diags.WantError(
				t, "[status_name]", "Unable to Start the Backup of Cluster reports ("+reports+")", "still PROVISIONING", "approval",
				"snapshot store", "Apply again", "timeouts",
			)
			providertest.WantNoState(t, r)
		}
		s.SetBackupStatus(payments, reports, "STARTED")
		r.MustApply(config)
		wantSent(t, s, reports, startBody)
	})
}

func TestAnUpdateThatAwaitsApprovalKeepsWhatWasReached(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := startInMemory(t, emulator.Options{AwaitApproval: true})
		r.MustApply(backupConfig(reports, nil))
		config := started(reports, values{"sync_source": "SECONDARY", "timeouts": halfASecond})
		r.Apply(r.Plan(config), nil).WantError(t, "[status_name]", "Unable to Start the Backup of Cluster reports ("+reports+")", "approval")
		providertest.WantAttributes(t, r, values{"status_name": "PROVISIONING", "sync_source": "SECONDARY"})
		s.SetBackupStatus(payments, reports, "STARTED")
		r.MustRefresh()
		r.MustApply(config)
		providertest.WantEqual(t, len(sent(s, reports)), 1)
	})
}

func TestAStartWithoutStoresEndsAtOnceAndSaysWhatToCheck(t *testing.T) {
	t.Parallel()
	for version, says := range map[string]string{"8.0.23": "Could not find available Snapshot Store", "7.0.0": "UNEXPECTED_ERROR"} {
		s, r := startBackupConfig(t, emulator.Options{NoStores: true, ServiceVersion: version})
		diags := r.Apply(r.Plan(started(reports, values{"timeouts": anHour})), nil)
		diags.WantError(
			t, "[status_name]", "Unable to Start the Backup of Cluster reports ("+reports+")", says, "snapshot store", "oplog store",
			"daemon", "assignment is enabled", "labels", "filters", "backup module",
		)
		providertest.WantNoState(t, r)
		wantSent(t, s, reports, startBody)
	}
}

// listWithNull is a list whose only item is null.
func listWithNull(path string) emulator.Fault {
	return emulator.Fault{
		Path: path, Status: http.StatusOK, Body: `{"results": [null], "totalCount": 1}`,
	}
}

func TestAStartWithoutStoresSaysWhichOfThemLackALabel(t *testing.T) {
	t.Parallel()
	const checks = "Could not find available Snapshot Store.\n\nCheck in Ops Manager that"
	on := object{"labels": []any{"west"}, "assignmentEnabled": true}
	for name, test := range map[string]struct {
		filter []any
		oplogs object
		fault  emulator.Fault
		says   string
	}{
		"a label that no oplog store has": {
			[]any{"west"}, object{"labels": []any{"east"}, "assignmentEnabled": true}, emulator.Fault{},
			"None of the oplog stores has assignment_enabled = true and the labels of the project's label_filter: west.",
		},
		"an oplog store that is off": {
			[]any{"west"}, object{"labels": []any{"west"}, "assignmentEnabled": false}, emulator.Fault{},
			"None of the oplog stores has assignment_enabled = true",
		},
		"no filter": {[]any{}, nil, emulator.Fault{
			Path: "/daemon/configs", Status: 200, Body: `{"results": [], "totalCount": 0}`,
		},
			"None of the daemons has assignment_enabled = true and no labels, because the project has no label_filter."},
		"labels that fit":        {[]any{"west"}, on, emulator.Fault{}, checks},
		"a key without the role": {[]any{"west"}, nil, emulator.Fault{Path: "/admin/backup/groups", Status: 403}, checks},
		"a daemon that is null":  {[]any{"west"}, on, listWithNull("/daemon/configs"), checks},
		"a store that is null":   {[]any{"west"}, on, listWithNull("/oplog/mongoConfigs"), checks},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startBackupConfig(t)
			s.SetBackupStore(emulator.Blockstore, "blocks", on)
			s.SetBackupDaemon("om.example.com", "/data/", on)
			s.SetBackupStore(emulator.OplogStore, "oplogs", test.oplogs)
			s.SetJobConfig(payments, object{"labelFilter": test.filter, "daemonFilter": []any{object{"machine": "other"}}})
			p := r.Plan(started(reports, nil))
			if test.fault.Status != 0 {
				test.fault.Times = -1
				s.Inject(test.fault)
			}
			r.Apply(p).WantError(t, "[status_name]", "Could not find available Snapshot Store", test.says, "Check in Ops Manager that")
		})
	}
}

func TestABackupThatSomeoneElseStartsMeanwhileGetsItsFields(t *testing.T) {
	t.Parallel()
	d, r := startFaulty(t)
	config := started(reports, values{"ssl_enabled": false})
	p := r.Plan(config)
	d.OnFault = func() { d.SetBackupStatus(payments, reports, "STARTED") }
	d.Inject(conflict, http.MethodPatch, 0, false)
	r.Apply(p).WantNoErrors(t)
	wantSent(t, d.Service, reports, `{"sslEnabled":false}`) // the start did not reach the service
	r.MustBeSettled(config)
}

func TestAStartThatIsAlwaysRejectedForItsStatusIsAnError(t *testing.T) {
	t.Parallel()
	d, r := startFaulty(t)
	p := r.Plan(started(reports, nil))
	d.Inject(conflict, http.MethodPatch, 0, true)
	diags := r.Apply(p)
	diags.WantError(t, "[status_name]", "CANNOT_START_BACKUP_INVALID_STATE", "Not now.")
	if patches := slices.DeleteFunc(d.Clear(t), func(method string) bool { return method != http.MethodPatch }); len(patches) != 4 {
		t.Errorf("%d requests for the status", len(patches))
	}
	providertest.WantNoState(t, r)
}

func TestAChangeOfABackupThatNeverLeavesATransitionIsAnError(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := startInMemory(t)
		config := backupConfig(cards, values{"ssl_enabled": false, "timeouts": halfASecond})
		p := r.Plan(config)
		s.SetBackupConfig(payments, cards, object{"statusName": "TERMINATING"})
		r.Apply(p).WantError(t, "[status_name]", cards, "not ready for changes", "TERMINATING", "timeouts")
		wantSent(t, s, cards)
	})
}

func TestAnInterruptionEndsTheWaitForAStatus(t *testing.T) {
	t.Parallel()
	type row struct {
		cluster string
		state   values // applied earlier
		config  values
		options emulator.Options
		status  string // that Ops Manager stays in
	}
	providertest.EachInBubble(t, map[string]row{
		"create":  {cluster: reports, config: values{"status_name": "STARTED"}, options: emulator.Options{AwaitApproval: true}},
		"update":  {cluster: cards, state: values{}, config: values{"ssl_enabled": false}, status: "PROVISIONING"},
		"destroy": {cluster: cards, state: terminates, options: emulator.Options{TransitionReads: 1_000_000}},
	}, func(t *testing.T, test row) {
		s, r := startInMemory(t, test.options)
		if test.state != nil {
			r.MustApply(backupConfig(test.cluster, test.state))
			r.Configure()
		}
		var config values
		if test.config != nil {
			config = backupConfig(test.cluster, test.config)
		}
		p := r.Plan(config)
		if test.status != "" {
			s.SetBackupConfig(payments, test.cluster, object{"statusName": test.status})
		}
		ctx, interrupt := context.WithCancel(t.Context())
		r.Context = ctx
		var at time.Time
		time.AfterFunc(200*time.Millisecond, func() { at = time.Now(); interrupt() })
		diags := r.Apply(p)
		<-ctx.Done()
		if passed := time.Since(at); passed > time.Second {
			t.Errorf("stopped %s after the interruption", passed)
		}
		// The interruption hits a request, or a pause between two requests.
		diags.WantError(t, "run was interrupted", test.cluster)
		if test.state == nil {
			providertest.WantNoState(t, r)
		} else if test.config == nil {
			providertest.WantAttributes(t, r, values{"status_name": "TERMINATING"})
		}
	})
}

func TestARunWaitsForATransitionThatItFinds(t *testing.T) {
	t.Parallel()
	const sslBody = `{"sslEnabled":false}`
	noSSL := values{"ssl_enabled": false}
	for name, test := range map[string]struct {
		status string
		config values
		want   []string
	}{
		"PROVISIONING, to be started": {"PROVISIONING", values{"status_name": "STARTED"}, nil},
		"PROVISIONING, to be stopped": {"PROVISIONING", values{"status_name": "STOPPED"}, []string{stopBody}},
		"PROVISIONING, for a field":   {"PROVISIONING", noSSL, []string{sslBody}},
		"TERMINATING, to be started":  {"TERMINATING", values{"status_name": "STARTED"}, []string{startBody}},
		"TERMINATING, for a field":    {"TERMINATING", noSSL, []string{sslBody}},
		"TERMINATING, for field, status": {
			"TERMINATING", values{"ssl_enabled": false, "status_name": "STARTED"},
			[]string{`{"statusName":"STARTED","storageEngineName":"WIRED_TIGER","syncSource":"PRIMARY","sslEnabled":false}`},
		},
	} {
		for _, exists := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, in state %t", name, exists), func(t *testing.T) {
				t.Parallel()
				s, r := startBackupConfig(t, emulator.Options{TransitionReads: 6})
				if exists {
					r.MustApply(backupConfig(cards, nil))
				}
				s.SetBackupStatus(payments, cards, test.status)
				r.MustRefresh()
				r.MustApply(backupConfig(cards, test.config))
				wantSent(t, s, cards, test.want...)
			})
		}
	}
}

func TestADestroyWaitsForATransitionThatItFinds(t *testing.T) {
	t.Parallel()
	for status, want := range map[string][]string{
		"PROVISIONING": {stopBody, `{"statusName":"TERMINATING"}`},
		"TERMINATING":  nil,
	} {
		s, r := startBackupConfig(t, emulator.Options{TransitionReads: 3})
		r.MustApply(backupConfig(cards, terminates))
		s.SetBackupStatus(payments, cards, status)
		r.Destroy().WantNoErrors(t)
		providertest.WantNoState(t, r)
		wantSent(t, s, cards, want...)
		providertest.WantEqual(t, s.BackupConfig(payments, cards)["statusName"], "INACTIVE")
	}
}

func TestARestartKeepsTheStorageEngineThatThePlanDoesNotChange(t *testing.T) {
	t.Parallel()
	s, r := manage(t, backupConfig(fraud, nil))
	p := r.Plan(started(fraud, nil))
	s.SetBackupConfig(payments, fraud, object{"storageEngineName": "MEMORY_MAPPED"})
	r.Apply(p).WantNoErrors(t)
	wantSent(t, s, fraud, `{"statusName":"STARTED","storageEngineName":"MEMORY_MAPPED","syncSource":"PRIMARY"}`)
}

func TestAStartKeepsTheStorageEngineThatWasReadBeforeTheBackupEnded(t *testing.T) {
	t.Parallel()
	s, r := startBackupConfig(t)
	s.SetBackupConfig(payments, fraud, object{"storageEngineName": "MEMORY_MAPPED"})
	r.MustApply(backupConfig(fraud, nil))
	s.SetBackupStatus(payments, fraud, "INACTIVE") // which returns no engine
	r.MustRefresh()
	r.MustApply(started(fraud, nil))
	wantSent(t, s, fraud, `{"statusName":"STARTED","storageEngineName":"MEMORY_MAPPED","syncSource":"PRIMARY"}`)
}

func TestARestartKeepsTheStorageEngineThatItHasJustChanged(t *testing.T) {
	t.Parallel()
	s, r := startBackupConfig(t, emulator.Options{StaleReads: 1})
	r.MustApply(backupConfig(fraud, nil))
	r.MustRefresh()
	r.MustApply(started(fraud, values{"storage_engine_name": "MEMORY_MAPPED"}))
	wantSent(
		t, s, fraud, `{"storageEngineName":"MEMORY_MAPPED","syncSource":"PRIMARY"}`,
		`{"statusName":"STARTED","storageEngineName":"MEMORY_MAPPED","syncSource":"PRIMARY"}`,
	)
}

func TestALostResponseToAStartDoesNotStartTwice(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for _, options := range []emulator.Options{{}, {TransitionReads: -1}, {StaleReads: 3, StaleResponses: true}} {
			s, r := startInMemory(t, options)
			config := started(reports, values{"ssl_enabled": false})
			p := r.Plan(config)
			s.Inject(emulator.Fault{Method: http.MethodPatch, DropAfter: true, Times: -1})
			r.Apply(p).WantNoErrors(t)
			s.ClearFaults()
			if got := sent(s, reports); len(got) != 1 {
				t.Errorf("sent %q", got)
			}
			r.MustBeSettled(config)
		}
	})
}

// reversing makes another client set a status right after each request for another one, the given
// number of times.
func reversing(d *providertest.FaultProxy, requested, cluster, status string, times int) {
	d.Handle(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		before := len(sent(d.Service, cluster))
		service.ServeHTTP(w, r)
		if all := sent(d.Service, cluster); len(all) > before && strings.Contains(all[before], requested) && times > 0 {
			times--
			d.SetBackupStatus(payments, cluster, status)
		}
	})
}

// anHour is longer than a test takes.
var anHour = values{"create": "1h", "update": "1h", "delete": "1h"}

func TestAStatusThatIsReversedAtOnceEndsTheWait(t *testing.T) {
	t.Parallel()
	stop := values{"status_name": "STOPPED"}
	for name, test := range map[string]struct {
		cluster            string
		reads              int    // that are old
		config             values // nil destroys the resource
		onDestroy          string
		requested, instead string
		says               []string
	}{
		"a stop":                 {cards, 0, stop, "", "STOPPED", "STARTED", []string{"another resource", "terraform state rm"}},
		"a stop, read late":      {cards, 2, stop, "", "STOPPED", "STARTED", nil},
		"a restart":              {fraud, 0, values{"status_name": "STARTED"}, "", "STARTED", "STOPPED", []string{"another resource"}},
		"a stop in a destroy":    {cards, 0, nil, "stop", "STOPPED", "STARTED", []string{"Destroy again"}},
		"a terminate":            {cards, 0, nil, "terminate", "STOPPED", "STARTED", []string{"Destroy again"}},
		"a termination, stopped": {fraud, 0, nil, "terminate", "TERMINATING", "STOPPED", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, r := startFaulty(t, emulator.Options{StaleReads: test.reads})
			var config values
			if test.config == nil {
				r.Create(backupConfig(test.cluster, values{"on_destroy": test.onDestroy, "timeouts": anHour}))
				r.Configure()
			} else {
				config = backupConfig(test.cluster, test.config.With(values{"timeouts": anHour}))
			}
			reversing(d, test.requested, test.cluster, test.instead, 1)
			p := r.Plan(config)
			d.ResetRequests()
			r.Apply(p).WantError(
				t, append(test.says, "[status_name]", test.cluster, "is "+test.instead+". Either", "does not repeat")...,
			)
			providertest.WantEqual(t, len(sent(d.Service, test.cluster)), 1)
		})
	}
}

func TestAFirstStartThatIsTakenBackOnceIsRequestedAgain(t *testing.T) {
	t.Parallel()
	for times, says := range map[int][]string{1: nil, 2: {"[status_name]", "is INACTIVE. Either", "sharded cluster was created", "Apply again"}} {
		d, r := startFaulty(t)
		reversing(d, "STARTED", reports, "INACTIVE", times)
		p := r.Plan(started(reports, values{"timeouts": anHour}))
		r.Apply(p).WantOutcome(t, says...)
		wantSent(t, d.Service, reports, startBody, startBody)
	}
}

func TestAStartWaitsUntilTheAgentsHaveReported(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		for _, cluster := range []string{reports, fraud} {
			s, r := startInMemory(t, emulator.Options{UnreportedStarts: 3})
			r.MustApply(started(cluster, nil))
			wantSent(t, s, cluster, startBody, startBody, startBody, startBody)
		}
		_, r := startInMemory(t, emulator.Options{UnreportedStarts: 1_000_000})
		diags := r.Apply(r.Plan(started(reports, values{"timeouts": halfASecond})), nil)
		diags.WantError(t, "[status_name]", reports, "MongoDB version information is not yet available", "agents", "timeouts", "Apply again")
	})
}

func TestARestartThatWasPlannedStartsNoNewBackup(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"INACTIVE", "TERMINATING"} {
		for _, fields := range []values{nil, {"ssl_enabled": false}} {
			s, r := manage(t, backupConfig(fraud, nil))
			p := r.Plan(started(fraud, fields))
			s.SetBackupStatus(payments, fraud, status)
			s.ResetRequests()
			r.Apply(p).WantError(t, "[cluster_id]", fraud, "and the plan showed STOPPED", "Plan again")
			wantSent(t, s, fraud)
			r.MustRefresh()
			r.MustApply(started(fraud, fields))
		}
	}
}

func TestAPasswordIsSentWithItsUserAndIsStoredNowhere(t *testing.T) {
	t.Parallel()
	s, r := startBackupConfig(t)
	user := func(version int, more values) values {
		config := backupConfig(fraud, values{
			"auth_mechanism_name": "MONGODB_CR", "username": "backup", "password_wo": secretPassword, "password_wo_version": version,
		})
		for name, value := range more {
			config[name] = value
		}
		return config
	}
	secretless := func(diags providertest.Diagnostics) {
		t.Helper()
		text := fmt.Sprint(diags.Errors(), diags.Warnings(), r.Attributes(), string(r.Private))
		if strings.Contains(text, secretPassword) {
			t.Errorf("the password is in %s", text)
		}
	}
	run := func(config values, want ...string) {
		t.Helper()
		s.ResetRequests()
		p := r.Plan(config)
		if text := fmt.Sprint(p.Values(), string(p.Private)); strings.Contains(text, secretPassword) {
			t.Errorf("the password is in the plan: %s", text)
		}
		secretless(p.Diagnostics)
		secretless(r.MustApply(config))
		wantSent(t, s, fraud, want...)
	}
	credentials := `"username":"backup","password":"` + secretPassword + `"}`
	run(user(1, nil), `{"authMechanismName":"MONGODB_CR",`+credentials)
	run(user(1, values{"ssl_enabled": false}), `{"sslEnabled":false}`)
	run(user(2, nil), "{"+credentials)

	// Someone turns authentication off. Turning it on again takes the credentials.
	s.SetBackupConfig(payments, fraud, object{"authMechanismName": "NONE", "username": nil})
	r.MustRefresh()
	run(user(2, nil), `{"authMechanismName":"MONGODB_CR",`+credentials)

	// An error may repeat what was sent.
	s.Inject(refusal("PATCH", 400, "INVALID_ATTRIBUTE", "Invalid password "+secretPassword+"."))
	diags := r.Apply(r.Plan(user(3, nil)), nil)
	diags.WantError(t, "Invalid password")
	secretless(diags)
	providertest.WantAttributes(t, r, values{"password_wo_version": 2})
	run(user(3, nil), "{"+credentials)
}

func TestNamespacesThatAreIgnoredAreAnError(t *testing.T) {
	t.Parallel()
	for _, config := range []values{
		backupConfig(cards, values{"excluded_namespaces": []any{"tmp"}}),
		started(reports, values{"excluded_namespaces": []any{"tmp"}}), // returned only once the backup runs
	} {
		s, r := startBackupConfig(t, emulator.Options{Unknowns: emulator.Unknowns{BareInactive: true, IgnoresNamespaces: true}})
		cluster := fmt.Sprint(config["cluster_id"])
		says := []string{"[excluded_namespaces]", `["tmp"]`, "[]", "ignores namespaces", "remove the attribute"}
		r.Apply(r.Plan(config), nil).WantError(t, says...)
		providertest.WantNoState(t, r)
		r.MustApply(backupConfig(cluster, nil))
		r.Apply(r.Plan(config), nil).WantError(t, says...)
		r.MustRefresh()
		if p := r.Plan(config); !slices.Contains(p.Changes(), "excluded_namespaces") {
			t.Errorf("the next plan changes %v", p.Changes())
		}
		_ = s
	}
}

func TestAnEmptyListOfNamespacesIsSentWithAFirstStart(t *testing.T) {
	t.Parallel()
	s, r := startBackupConfig(t)
	s.SetBackupConfig(payments, reports, object{"includedNamespaces": []any{"shop"}})
	r.MustApply(started(reports, values{"included_namespaces": []any{}}))
	const body = `{"statusName":"STARTED","storageEngineName":"WIRED_TIGER","syncSource":"PRIMARY","includedNamespaces":[]}`
	wantSent(t, s, reports, body)

	// Also if the list was not returned before.
	s, r = startBackupConfig(t, emulator.Options{Unknowns: emulator.Unknowns{BareInactive: true}})
	s.SetBackupConfig(payments, reports, object{"includedNamespaces": []any{"shop"}})
	r.MustApply(backupConfig(reports, nil))
	r.MustApply(started(reports, values{"included_namespaces": []any{}}))
	wantSent(t, s, reports, body)
}

func TestAnUpdateSendsWhatItChangesAndItsCompanions(t *testing.T) {
	t.Parallel()
	excluded := func(names ...any) values { return values{"excluded_namespaces": names} }
	included := func(names ...any) values { return values{"included_namespaces": names} }
	tmp, encrypted := excluded("tmp"), values{"encryption_enabled": true}
	for name, test := range map[string]struct {
		before, after values
		want          string
	}{
		"another engine": {
			nil, values{"storage_engine_name": "MEMORY_MAPPED"}, `{"storageEngineName":"MEMORY_MAPPED","syncSource":"PRIMARY"}`,
		},
		"encryption turned on":   {nil, encrypted, `{"syncSource":"PRIMARY","encryptionEnabled":true}`},
		"encryption turned off":  {encrypted, values{"encryption_enabled": false}, `{"encryptionEnabled":false}`},
		"a source alone":         {tmp, tmp.With(values{"sync_source": "SECONDARY"}), ""},
		"one more exclusion":     {tmp, excluded("tmp", "x"), `{"excludedNamespaces":["tmp","x"]}`},
		"another order":          {excluded("a", "b"), excluded("b", "a"), ""},
		"one exclusion less":     {excluded("tmp", "x"), tmp, `{"syncSource":"PRIMARY","excludedNamespaces":["tmp"]}`},
		"no exclusions any more": {tmp, excluded().With(values{"sync_source": "SECONDARY"}), `{"syncSource":"SECONDARY","excludedNamespaces":[]}`},
		"inclusions":             {tmp, included("shop"), `{"syncSource":"PRIMARY","includedNamespaces":["shop"]}`},
		"inclusions, and no exclusions": {
			tmp, included("shop").With(excluded()), `{"syncSource":"PRIMARY","includedNamespaces":["shop"]}`,
		},
		"exclusions, and no inclusions": {
			included("shop"), tmp.With(included()), `{"syncSource":"PRIMARY","excludedNamespaces":["tmp"]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := manage(t, backupConfig(cards, test.before))
			s.ResetRequests()
			config := backupConfig(cards, test.after)
			r.MustApply(config)
			wantSent(t, s, cards, slices.DeleteFunc([]string{test.want}, func(body string) bool { return body == "" })...)
			r.MustBeSettled(config)
		})
	}
}

// Of two empty lists, the one that has elements is sent, because an empty list replaces only itself.
func TestTwoEmptyListsOfNamespacesEmptyTheOneThatHasElements(t *testing.T) {
	t.Parallel()
	for _, cluster := range []string{reports, fraud, cards} { // INACTIVE, STOPPED and STARTED
		for field, attribute := range map[string]string{"excludedNamespaces": "excluded_namespaces", "includedNamespaces": "included_namespaces"} {
			for _, isAdoption := range []bool{true, false} {
				t.Run(fmt.Sprint(cluster, field, isAdoption), func(t *testing.T) {
					t.Parallel()
					providertest.InBubble(t, func(t *testing.T) {
						s, r := startInMemory(t)
						if isAdoption {
							held := object{"excludedNamespaces": []any{}, "includedNamespaces": []any{}}
							held[field] = []any{"tmp"}
							s.SetBackupConfig(payments, cluster, held)
						} else {
							r.MustApply(backupConfig(cluster, values{attribute: []any{"tmp"}}))
						}
						config := backupConfig(cluster, values{"excluded_namespaces": []any{}, "included_namespaces": []any{}})
						config["status_name"] = "STARTED"
						r.MustApply(config)
						if held := s.BackupConfig(payments, cluster)[field]; fmt.Sprint(held) != "[]" {
							t.Errorf("held %v", held)
						}
						r.MustBeSettled(config)
					})
				})
			}
		}
	}
}

func TestAnInactiveBackupThatIsReturnedWithoutItsFieldsKeepsThem(t *testing.T) {
	t.Parallel()
	s, r := startBackupConfig(t, emulator.Options{Unknowns: emulator.Unknowns{BareInactive: true}})
	config := backupConfig(reports, values{"ssl_enabled": false, "excluded_namespaces": []any{"tmp"}})
	r.MustApply(config).WantNoWarnings(t)
	wantSent(t, s, reports, `{"sslEnabled":false,"excludedNamespaces":["tmp"]}`)
	config["excluded_namespaces"] = []any{"tmp", "shop"} // what is not returned has not changed
	r.MustApply(config)
}

// A change after the start would cost a resync.
func TestAFirstStartWhoseResponseIsLostIsNotFollowedByAChange(t *testing.T) {
	t.Parallel()
	s, r := startBackupConfig(t)
	s.Inject(emulator.Fault{Method: http.MethodPatch, DropAfter: true, Times: 1})
	r.Create(backupConfig(reports, values{
		"status_name": "STARTED", "encryption_enabled": true,
		"snapshot_store": values{"snapshot_store_type": "s3blockstore", "snapshot_store_id": "s3"},
	}))
	if got := sent(s, reports); len(got) != 1 {
		t.Errorf("sent %q", got)
	}
}

func TestAListThatIsNotReturnedIsOverwrittenAsNotReturned(t *testing.T) {
	t.Parallel()
	_, r := startBackupConfig(t, emulator.Options{Unknowns: emulator.Unknowns{BareInactive: true}})
	p := r.Plan(backupConfig(reports, values{"included_namespaces": []any{"tmp"}}))
	wantOverwrites(t, p, values{"included_namespaces": `not returned -> ["tmp"]`})
}

func TestAFieldThatIsNotReturnedIsSentOnceAndIsNoDifference(t *testing.T) {
	t.Parallel()
	region := func(id string) any { return []any{values{"rs_id": "cards-rs", "deployment_id": id}} }
	for name, test := range map[string]struct {
		fields values
		want   string
	}{
		"a snapshot store": {
			inStore("s3"),
			`{"snapshotStore":{"snapshotStoreType":"s3blockstore","snapshotStoreId":"s3"}}`,
		},
		"a region": {
			values{"deployment_configs": region(providertest.NewYork)},
			`{"multiRegionBackupEnabled":true,"deploymentConfigs":[{"rsId":"cards-rs","deploymentId":"NY_NJ"}]}`,
		},
		"no revocation list": {values{"disable_certificate_revocation_check": true}, `{"disableCertificateRevocationCheck":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := startBackupConfig(t)
			config := backupConfig(cards, test.fields)
			r.MustApply(config)
			config["on_destroy"] = "keep"
			r.MustApply(config)
			wantSent(t, s, cards, test.want)

			started, r := manage(t, backupConfig(cards, nil))
			r.MustApply(config)
			wantSent(t, started, cards, test.want)
		})
	}
}

func TestAFirstStartSendsTheRegions(t *testing.T) {
	t.Parallel()
	s, r := startBackupConfig(t)
	config := backupConfig(reports, inRegion("reports-rs", providertest.NewYork))
	config["status_name"] = "STARTED"
	r.MustApply(config)
	wantSent(
		t, s, reports,
		strings.TrimSuffix(startBody, "}")+`,"multiRegionBackupEnabled":true,"deploymentConfigs":[{"rsId":"reports-rs","deploymentId":"NY_NJ"}]}`,
	)
}

func TestAMoveToAnotherRegionIsSentWithAWarning(t *testing.T) {
	t.Parallel()
	s, r := startBackupConfig(t)
	in := func(region string) values {
		return backupConfig(cards, inRegion("cards-rs", region))
	}
	r.MustApply(in(providertest.NewYork))
	p := r.Plan(in(providertest.Oceania))
	p.WantWarning(t, "[deployment_configs]", cards, "cards-rs", "terminated")
	r.Apply(p).WantError(t, "[deployment_configs]", "BACKUP_ACTIVE_BACKUP_JOBS")
	r.MustBeSettled(in(providertest.NewYork))
	providertest.WantEqual(t, len(sent(s, cards)), 2)
}

func TestAnOldVersionRejectsNewFieldsOnTheirAttribute(t *testing.T) {
	t.Parallel()
	for attribute, value := range map[string]any{
		"snapshot_store":                       inStore("s3")["snapshot_store"],
		"deployment_configs":                   inRegion("cards-rs", providertest.NewYork)["deployment_configs"],
		"multi_region_backup_enabled":          true,
		"disable_certificate_revocation_check": true,
	} {
		_, r := startBackupConfig(t, emulator.Options{ServiceVersion: "7.0.3"})
		p := r.Plan(backupConfig(cards, values{attribute: value}))
		providertest.WantContains(t, fmt.Sprint(p.Warnings()), "["+attribute+"] Ops Manager 7.0.3 Lacks "+attribute)
		r.Apply(p).WantError(t, "["+attribute+"]", "INVALID_ATTRIBUTE")
		providertest.WantNoState(t, r)
	}
}

func TestAPlanSaysNothingOfAVersionThatIsNewEnoughOrNotKnown(t *testing.T) {
	t.Parallel()
	for _, options := range []emulator.Options{{ServiceVersion: "8.0.6"}, {ServiceVersion: "7.0.3", Unknowns: emulator.Unknowns{VersionHeader: "master"}}} {
		_, r := startBackupConfig(t, options)
		p := r.Plan(backupConfig(cards, inStore("s3")))
		if warnings := fmt.Sprint(p.Warnings()); strings.Contains(warnings, "Lacks") {
			t.Errorf("got %s", warnings)
		}
	}
}

func TestAFailedUpdateKeepsTheBackupThatThePlanKeeps(t *testing.T) {
	t.Parallel()
	for onDestroy, want := range map[any]any{"keep": "keep", nil: nil, "terminate": "stop"} {
		d, r := startFaulty(t)
		r.MustApply(backupConfig(reports, values{"on_destroy": "stop"}))
		p := r.Plan(started(reports, values{"on_destroy": onDestroy}))
		d.Inject(conflict, http.MethodPatch, 0, true)
		r.Apply(p).WantError(t, "Not now.")
		providertest.WantAttributes(t, r, values{"on_destroy": want})
	}
}

func TestADestroyOfABackupThatIsNotMonitoredFails(t *testing.T) {
	t.Parallel()
	s, r := startBackupConfig(t)
	p := destroyOf(r, "terminate")
	s.Inject(notMonitored(0))
	r.Apply(p).WantError(t, cards, "does not monitor", "Not monitored.", "If the cluster is permanently gone, run 'terraform state rm ADDRESS'")
	providertest.WantAttributes(t, r, terminates)
}

func TestADestroySaysWhatItRequestedBeforeABackupCouldNotBeRead(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := startInMemory(t)
		p := destroyOf(r, "terminate")
		s.Inject(notMonitored(3))
		r.Apply(p).WantError(t, "does not monitor", "Ops Manager accepted a request of this run, and the backup was ST")
	})
}

func TestADestroyContinuesIfABackupIsMissingOnlyOnce(t *testing.T) {
	t.Parallel()
	missing := func(method, code string, skip, times int) emulator.Fault {
		return emulator.Fault{
			Method: method, Path: "/backupConfigs/", Skip: skip, Times: times, Status: http.StatusNotFound,
			Body: fmt.Sprintf(`{"error": 404, "errorCode": %q}`, code),
		}
	}
	for _, code := range []string{"BACKUP_CONFIG_NOT_FOUND", "CLUSTER_NOT_FOUND"} {
		for _, method := range []string{http.MethodGet, http.MethodPatch} {
			for skip := range 3 {
				s, r := startBackupConfig(t)
				p := destroyOf(r, "terminate")
				s.Inject(missing(method, code, skip, 1))
				r.Apply(p).WantNone(t)
				if got := s.BackupConfig(payments, cards)["statusName"]; got != "INACTIVE" {
					t.Errorf("%s of %s, after %d: the backup is %v", method, code, skip, got)
				}
			}
		}
	}
	s, r := startBackupConfig(t)
	p := destroyOf(r, "terminate")
	s.Inject(missing(http.MethodPatch, "BACKUP_CONFIG_NOT_FOUND", 0, -1))
	r.Apply(p).WantError(t, "Unable to End the Backup", "BACKUP_CONFIG_NOT_FOUND")

	s, r = startBackupConfig(t)
	p = destroyOf(r, "terminate")
	s.RemoveCluster(payments, cards)
	r.Apply(p).WantError(t, "Unable to End the Backup", "CLUSTER_NOT_FOUND", "terraform state rm")
	providertest.WantAttributes(t, r, values{"cluster_id": cards})
}

func TestADestroyEndsNoBackupThatWasStartedSinceThePlan(t *testing.T) {
	t.Parallel()
	const terminateBody = `{"statusName":"TERMINATING"}`
	for _, test := range []struct {
		onDestroy, planned, live string
		isRefused                bool
		sent                     []string
	}{
		{"terminate", "STOPPED", "STARTED", true, nil},
		{"terminate", "INACTIVE", "STARTED", true, nil},
		{"terminate", "INACTIVE", "STOPPED", true, nil},
		{"terminate", "TERMINATING", "PROVISIONING", true, nil},
		{"stop", "STOPPED", "STARTED", true, nil},
		{"stop", "INACTIVE", "STARTED", true, nil},
		{"terminate", "STARTED", "STOPPED", false, []string{terminateBody}},
		{"terminate", "PROVISIONING", "STARTED", false, []string{stopBody, terminateBody}},
		{"terminate", "STARTED", "INACTIVE", false, nil},
		{"stop", "STARTED", "STOPPED", false, []string{stopBody}}, // which Ops Manager refuses: the status may have been that of an old read
	} {
		options := emulator.Options{}
		if test.isRefused {
			options.TransitionReads = 1_000_000
		}
		s, r := startBackupConfig(t, options)
		s.SetBackupConfig(payments, fraud, object{"statusName": test.planned})
		r.Create(backupConfig(fraud, values{"on_destroy": test.onDestroy, "timeouts": anHour}))
		r.Configure()
		p := r.Plan(nil)
		s.SetBackupConfig(payments, fraud, object{"statusName": test.live})
		diags := r.Apply(p)
		if test.isRefused {
			diags.WantError(
				t, "changed since the plan", "status_name is "+test.live+", and the plan showed "+test.planned, "Plan again",
				"terraform apply -refresh-only",
			)
		} else {
			diags.WantNoErrors(t)
		}
		wantSent(t, s, fraud, test.sent...)
	}
}

func TestAPlanSaysWhatADestroyDoesToABackupInEachStatus(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		onDestroy, status string
		says              []string
		never             string
	}{
		{"terminate", "STARTED", []string{"Will Be Terminated", "all snapshots"}, "never"},
		{"terminate", "STOPPED", []string{"Will Be Terminated", "all snapshots"}, "stops"},
		{"terminate", "PROVISIONING", []string{"Will Be Terminated"}, "never"},
		{"terminate", "TERMINATING", []string{"Has Already Ended", "is TERMINATING", "nothing to terminate"}, "Will Be Terminated"},
		{"terminate", "INACTIVE", []string{"Has Already Ended", "is INACTIVE", "nothing to terminate"}, "Will Be Terminated"},
		{"stop", "STARTED", []string{"Will Be Stopped", "Existing snapshots stay"}, "never"},
		{"stop", "STOPPED", []string{"Will Stay STOPPED", "stopped already"}, "Will Be Stopped"},
		{"stop", "TERMINATING", []string{"Has Already Ended", "is TERMINATING", "nothing to stop"}, "kept"},
		{"stop", "INACTIVE", []string{"Has Already Ended", "is INACTIVE", "nothing to stop"}, "kept"},
		{"keep", "TERMINATING", []string{"Backup Configuration Will Be Removed Only From the State"}, "never"},
	} {
		s, r := startBackupConfig(t, emulator.Options{TransitionReads: 1_000_000})
		s.SetBackupConfig(payments, fraud, object{"statusName": test.status})
		r.Create(backupConfig(fraud, values{"on_destroy": test.onDestroy}))
		p := r.Plan(nil)
		p.WantWarning(t, append(test.says, fraud)...)
		providertest.WantUnsaid(t, p.Warnings(), test.never)
	}
	s, r := startBackupConfig(t)
	p := destroyOf(r, "stop")
	s.SetBackupConfig(payments, cards, object{"statusName": "INACTIVE"})
	r.Apply(p).WantWarning(t, "Has Ended", "is INACTIVE", "deletes all snapshots")
	wantSent(t, s, cards)
}

func TestNoErrorIsOnAPassword(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"MISSING_PASSWORD", "CANNOT_SET_PASSWORD_FOR_AUTH_MECHANISM"} {
		s, r := startBackupConfig(t)
		p := r.Plan(backupConfig(fraud, values{"username": "backup", "password": secretPassword}))
		s.Inject(refusal("PATCH", 400, code, "No."))
		r.Apply(p).WantError(t, "[username]", code)
	}
}

// withMembers returns the default seed with hosts and agents of reports. The agent of the last host
// has a short name in Ops Manager's list of hosts, and one host has no data.
func withMembers() *emulator.Seed {
	seed := emulator.DefaultSeed()
	for i := range seed.Projects[0].Clusters {
		if seed.Projects[0].Clusters[i].ID == reports {
			seed.Projects[0].Clusters[i].Members = nil
		}
	}
	add := func(name, kind string, aliases ...string) {
		seed.Projects[0].Hosts = append(seed.Projects[0].Hosts, emulator.Host{
			ID: fmt.Sprintf("%032x", len(seed.Projects[0].Hosts)), Name: name, TypeName: kind, ClusterID: reports,
			ReplicaSetName: "reports-rs", Aliases: aliases,
		})
	}
	add("reports-0.payments.example.com:27017", "REPLICA_PRIMARY")
	add("reports-1.payments.example.com:27017", "REPLICA_SECONDARY")
	add("reports-2:27017", "REPLICA_SECONDARY", "reports-2.payments.example.com:27017")
	add("arbiter.payments.example.com:27017", "REPLICA_ARBITER")
	return seed
}

func TestABackupThatStaysInProvisioningNamesTheHostsWithoutTheModule(t *testing.T) {
	t.Parallel()
	providertest.InBubble(t, func(t *testing.T) {
		s, r := startInMemory(
			t, emulator.Options{Seed: withMembers(), AwaitApproval: true, TransitionReads: -1},
		)
		activate := func(hosts ...string) {
			s.PublishAutomationConfig(payments, func(document []byte) []byte {
				modules := ""
				for _, host := range hosts {
					modules += `{"hostname":"` + host + `"},`
				}
				return []byte(strings.Replace(string(document), `"backupVersions": [`, `"backupVersions": [`+modules, 1))
			})
		}
		activate("reports-2.payments.example.com")
		config := started(reports, values{"timeouts": values{"create": "4s", "update": "4s"}})
		r.Apply(r.Plan(config), nil).WantError(t, "still PROVISIONING",
			"these hosts of the cluster:\n  - reports-0.payments.example.com\n  - reports-1.payments.example.com\n\n",
			"opsmanager_backup_module", "Apply again")
		for _, fault := range []emulator.Fault{{Path: "/agents/BACKUP", Status: http.StatusForbidden}, listWithNull("/agents/BACKUP")} {
			s.Inject(fault)
			r.Apply(r.Plan(config), nil).WantError(t, "still PROVISIONING", "Check in Ops Manager that")
		}
	})
}

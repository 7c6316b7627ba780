package backups_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

const secretPassword = "correct-horse-battery-staple"

// configFields are the fields of a backup configuration that the sequences change.
var configFields = []struct {
	attribute, field string
	value            *rapid.Generator[any]
}{
	{"ssl_enabled", "sslEnabled", rapid.Bool().AsAny()},
	{"encryption_enabled", "encryptionEnabled", rapid.Bool().AsAny()},
	{"preferred_member", "preferredMember", rapid.SampledFrom([]string{"cards-0.payments.example.com:27017", "cards-1.payments.example.com:27017"}).AsAny()},
	{"storage_engine_name", "storageEngineName", rapid.SampledFrom([]string{"WIRED_TIGER", "WIRED_TIGER", "MEMORY_MAPPED"}).AsAny()},
}

var drawnNamespaces = rapid.SampledFrom([][]any{{}, {"tmp"}, {"shop.carts"}, {"tmp", "shop.carts"}, {"logs", "tmp"}})

// drawBackupConfig draws a configuration that the provider accepts.
func drawBackupConfig(t *rapid.T, cluster string) values {
	config := backupConfig(cluster, values{"timeouts": values{"create": "30s", "update": "30s", "delete": "30s"}})
	draw := func(attribute string, value *rapid.Generator[any]) {
		if rapid.Bool().Draw(t, "configures "+attribute) {
			config[attribute] = value.Draw(t, attribute)
		}
	}
	draw("status_name", rapid.SampledFrom([]string{"STARTED", "STARTED", "STOPPED"}).AsAny())
	for _, f := range configFields {
		draw(f.attribute, f.value)
	}
	draw("excluded_namespaces", drawnNamespaces.AsAny())
	if list, _ := config["excluded_namespaces"].([]any); len(list) == 0 {
		draw("included_namespaces", drawnNamespaces.AsAny())
	}
	draw("sync_source", rapid.SampledFrom([]string{"PRIMARY", "SECONDARY"}).AsAny())
	draw("on_destroy", rapid.SampledFrom([]string{"keep", "stop", "terminate"}).AsAny())
	if cluster == fraud && rapid.Bool().Draw(t, "authenticates") {
		config["auth_mechanism_name"] = "MONGODB_CR"
		config["username"] = rapid.SampledFrom([]string{"backup", "reader"}).Draw(t, "username")
		if rapid.Bool().Draw(t, "stores the password") {
			config["password"] = secretPassword
		} else {
			config["password_wo"], config["password_wo_version"] = secretPassword, rapid.IntRange(1, 2).Draw(t, "version")
		}
	}
	return config
}

// drawLateValues draws which values of a configuration are not known when it is planned,
// and replaces them in the returned configuration.
func drawLateValues(t *rapid.T, config values) (early, late values) {
	early, late = maps.Clone(config), values{}
	for _, attribute := range slices.Sorted(maps.Keys(config)) {
		if slices.Contains([]string{"project_id", "cluster_id", "timeouts", "password_wo"}, attribute) ||
			rapid.IntRange(0, 7).Draw(t, attribute+" is unknown") > 0 {
			continue
		}
		early[attribute], late[attribute] = unknown, config[attribute]
		if list, ok := config[attribute].([]any); ok && len(list) > 0 && rapid.Bool().Draw(t, "one element is unknown") {
			early[attribute] = append([]any{unknown}, list[1:]...)
		}
	}
	return early, late
}

// drawLiveConfig draws changes of the fields outside Terraform.
func drawLiveConfig(t *rapid.T) object {
	live := object{}
	for _, f := range configFields {
		if rapid.IntRange(0, 2).Draw(t, "changes "+f.field) == 0 {
			live[f.field] = f.value.Draw(t, f.field)
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "changes namespaces") == 0 {
		live["excludedNamespaces"], live["includedNamespaces"] = []any{}, []any{}
		live[rapid.SampledFrom([]string{"excludedNamespaces", "includedNamespaces"}).Draw(t, "list")] = drawnNamespaces.Draw(t, "namespaces")
	}
	return live
}

// drawLiveStatus draws a status to set outside Terraform, or "" for none.
func drawLiveStatus(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", "", "STARTED", "STOPPED", "INACTIVE", "PROVISIONING", "TERMINATING"}).Draw(t, "live status")
}

// drawUnknowns draws the facts that the documentation leaves open.
func drawUnknowns(t *rapid.T) (drawn emulator.Unknowns) {
	flags := reflect.ValueOf(&drawn).Elem()
	for i := range flags.NumField() {
		if flag := flags.Field(i); flag.Kind() == reflect.Bool && rapid.IntRange(0, 4).Draw(t, flags.Type().Field(i).Name) == 0 {
			flag.SetBool(true)
		}
	}
	return drawn
}

// drawConfigFault draws a fault that hits one or two requests of an apply.
func drawConfigFault(t *rapid.T) emulator.Fault {
	f := rapid.SampledFrom([]emulator.Fault{
		{DropBefore: true},
		{DropAfter: true},
		{Truncate: 20},
		{Status: 500, Body: "<html><title>Internal error</title></html>"},
		{Status: 503, Body: "<html><title>Back in a moment</title></html>"},
		{
			Status: 409, Body: `{"error": 409, "reason": "Conflict", "errorCode": "CANNOT_START_BACKUP_INVALID_STATE", "detail": "Not now."}`,
		},
	}).Draw(t, "fault")
	f.Method = rapid.SampledFrom([]string{"PATCH", "PATCH", "GET"}).Draw(t, "method")
	f.Skip = rapid.IntRange(0, 3).Draw(t, "skip")
	f.Times = rapid.IntRange(1, 2).Draw(t, "times")
	return f
}

// backupRuns is a sequence of runs on one backup and the resource that manages it.
type backupRuns struct {
	*providertest.Resource
	service *providertest.Service
	options emulator.Options
	cluster string

	sent    []object // since reset
	omitted []string // fields that are not returned

	hidesNamespaces bool // a list of namespaces was not returned, so the state may have an empty one
}

// ServeHTTP records the changes that are sent, each with the status that the backup has then. It leaves
// the omitted fields out of responses.
func (b *backupRuns) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPatch && r.Header.Get("Authorization") != "" {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		var fields object
		_ = json.Unmarshal(body, &fields)
		fields["held status"] = b.held()["statusName"]
		b.sent = append(b.sent, fields)
	}
	providertest.Rewrite(func(_ *http.Request, document object) {
		for _, field := range b.omitted {
			delete(document, field)
		}
	})(w, r, b.service.Emulator)
}

func (b *backupRuns) held() object {
	return providertest.SortedLists(b.service.BackupConfig(payments, b.cluster))
}

// catchUp reads until the service no longer returns old values.
func (b *backupRuns) catchUp() {
	b.T.Helper()
	for range b.options.StaleReads {
		b.Configure() // an import is another run
		another(b.Resource).ImportID(payments + "/" + b.cluster)
	}
	b.Configure()
}

func (b *backupRuns) refreshed() {
	b.T.Helper()
	if errors := b.Refresh().Errors(); len(errors) > 0 {
		b.T.Fatalf("refresh: %v", errors)
	}
}

// changeOutside changes fields and the status outside Terraform.
func (b *backupRuns) changeOutside(fields object, status string) {
	if len(fields) > 0 {
		b.service.SetBackupConfig(payments, b.cluster, fields)
	}
	if status != "" {
		b.service.SetBackupStatus(payments, b.cluster, status)
	}
}

// wantNoPassword fails if a diagnostic contains the password.
func (b *backupRuns) wantNoPassword(diags providertest.Diagnostics) {
	b.T.Helper()
	if text := strings.Join(slices.Concat(diags.Errors(), diags.Warnings()), "\n"); strings.Contains(text, secretPassword) {
		b.T.Fatalf("the password is in %s", text)
	}
}

// wasRequestedInVain reports whether requests have a status that the backup already had, although the plan saw that, or
// more than once. One that the plan did not see may be that of an old read, so it is requested once.
func (b *backupRuns) wasRequestedInVain(seen any) bool {
	inVain := slices.DeleteFunc(slices.Clone(b.sent), func(sent object) bool { return sent["statusName"] != sent["held status"] })
	return len(inVain) > 1 || len(inVain) == 1 && (inVain[0]["statusName"] == seen || seen == "PROVISIONING")
}

// asPlanned fails if a request has a status that the plan doesn't show or that the plan saw, or a field that the plan
// doesn't change and that no other field requires.
func (b *backupRuns) asPlanned(p *providertest.Plan, config values, seen any) {
	b.T.Helper()
	if b.wasRequestedInVain(seen) {
		b.T.Fatalf("requested a status that the backup had already: %v", b.sent)
	}
	shown := p.Changes()
	creates := p.Prior.IsNull()
	for _, sent := range b.sent {
		status, requested := sent["statusName"]
		if requested && (status != config["status_name"] || !slices.Contains(shown, "status_name")) {
			b.T.Fatalf("requested %v, but the plan changes %v; configured %v", status, shown, config["status_name"])
		}
		starts := status == "STARTED"
		for field := range sent {
			switch {
			case field == "held status", field == "statusName", field == "syncSource",
				field == "storageEngineName" && starts,
				field == "username", field == "password":
				continue
			}
			attribute := backupConfigAttributes[field]
			firstStart := starts && sent["held status"] == "INACTIVE" // sends every configured field
			if config[attribute] == nil || !creates && !firstStart && !slices.Contains(shown, attribute) {
				b.T.Fatalf("sent %s, but the plan changes %v; configured %v", field, shown, config[attribute])
			}
		}
	}
}

// unchanged fails if a field changed that the plan doesn't show and that no start sends.
func (b *backupRuns) unchanged(p *providertest.Plan, config values, before object) {
	b.T.Helper()
	shown := p.Changes()
	held := b.held()
	starts := slices.ContainsFunc(b.sent, func(sent object) bool { return sent["statusName"] == "STARTED" })
	replaces := func(list string) bool {
		return slices.Contains(shown, list) || starts && config[list] != nil
	}
	for field, attribute := range backupConfigAttributes {
		was, is := fmt.Sprint(before[field]), fmt.Sprint(held[field])
		switch {
		case was == is, slices.Contains(shown, attribute), starts && config[attribute] != nil:
		case field == "storageEngineName" && starts && slices.Contains(b.omitted, field): // a start sends the last one that was returned
		case field == "storageEngineName" && starts && (before["statusName"] == "INACTIVE" || before["statusName"] == "TERMINATING"):
			// It is not returned while the backup is off.
		case field == "storageEngineName" && before[field] == nil && before["statusName"] == "PROVISIONING":
			// The service sets it when the start of others ends.
		case strings.HasSuffix(field, "Namespaces") && (replaces("excluded_namespaces") || replaces("included_namespaces")): // one list replaces the other
		case field == "statusName" && (was == "PROVISIONING" || was == "TERMINATING"):
		default:
			b.T.Fatalf("%s was %s and is %s now, but the plan changes %v", field, was, is, shown)
		}
	}
}

func (b *backupRuns) settled(when string, config values) {
	b.T.Helper()
	if p := b.Plan(config); !p.IsEmpty() || len(p.Errors()) > 0 {
		b.T.Fatalf("%s the plan changes %v %v\nstate %v\nplan %v\nheld %v", when, p.Changes(), p.Errors(), b.Attributes(), p.Values(), b.held())
	}
}

// isExpected reports whether a drawn configuration or server may cause an error: a backup
// that has ended cannot be stopped, namespaces may be ignored, the change of a namespace that the service didn't return
// may require a sync source, and a value that is not returned may not have been taken.
func (b *backupRuns) isExpected(text string, meanwhile bool) bool {
	isHidden := func(field string) bool {
		attribute := backupConfigAttributes[field]
		return strings.HasPrefix(text, "["+attribute+"] Value Not Returned") || strings.Contains(text, attribute+" is not returned, and the plan showed")
	}
	return slices.ContainsFunc(b.omitted, isHidden) || strings.Contains(text, "Only a backup that is STARTED can be stopped") ||
		providertest.IsChangedSincePlan([]string{text}) && meanwhile ||
		strings.Contains(text, "ignores namespaces") && (b.options.Unknowns.IgnoresNamespaces || b.hidesNamespaces) ||
		strings.Contains(text, "MISSING_SYNC_SOURCE") && (meanwhile || b.options.Unknowns.BareInactive || b.hidesNamespaces)
}

// converge plans and applies a configuration, and checks the result. The late values are
// unknown during the plan. meanwhile runs between the plan and the apply.
func (b *backupRuns) converge(config, early, late values, meanwhile func() bool, fault *emulator.Fault) {
	b.T.Helper()
	b.refreshed()
	seen := b.held()["statusName"]
	p := b.Plan(early)
	b.wantNoPassword(p.Diagnostics)
	if errors := p.Errors(); len(errors) > 0 {
		if !b.isExpected(errors[0], false) {
			b.T.Fatalf("plan: %v", errors)
		}
		return
	}
	happened := meanwhile != nil && meanwhile()
	before := b.held()
	b.sent = nil
	creates := p.Prior.IsNull()
	if fault != nil {
		b.service.Inject(*fault)
	}
	diags := b.Apply(p, late)
	b.service.ClearFaults()
	b.catchUp()
	b.wantNoPassword(diags)
	b.asPlanned(p, config, seen)
	if errors := diags.Errors(); len(errors) > 0 {
		// A backup that ends returns fewer fields than the plan of an adoption has shown, and one that starts more.
		inTransition := seen == "TERMINATING" || seen == "PROVISIONING"
		hasChanged := inTransition && b.held()["statusName"] != seen
		if fault == nil && !b.isExpected(errors[0], happened || hasChanged) {
			b.T.Fatalf("apply: %v\nsent %v", errors, b.sent)
		}
		if creates != b.State.IsNull() {
			b.T.Fatalf("a failed apply left the state %v", b.Attributes())
		}
		if fault != nil {
			b.converge(config, config, nil, nil, nil)
		}
		return
	}
	b.unchanged(p, config, before)
	b.settled("after the apply", config)
	held := b.held()
	hidden := b.options.Unknowns.IgnoresNamespaces || b.options.Unknowns.BareInactive || b.hidesNamespaces
	for field, attribute := range backupConfigAttributes {
		want, changes := config[attribute], slices.Contains(p.Changes(), attribute)
		if late[attribute] != nil || hidden && strings.HasSuffix(field, "Namespaces") {
			continue // an unknown value may turn out to change nothing
		}
		if changes && want != nil && fmt.Sprint(sorted(want)) != fmt.Sprint(held[field]) && (field != "statusName" || !happened) {
			b.T.Fatalf("%s is %v, configured %v", field, held[field], want)
		}
	}
	if happened || b.omitsNamespaces() {
		return
	}
	b.refreshed()
	b.settled("after the apply and a refresh", config)
}

// omitsNamespaces reports whether the service leaves out a list of namespaces, which says that it is empty.
func (b *backupRuns) omitsNamespaces() bool {
	return slices.ContainsFunc(b.omitted, func(field string) bool { return strings.HasSuffix(field, "Namespaces") })
}

func sorted(value any) any {
	return providertest.SortedLists(object{"value": value})["value"]
}

// end destroys the resource, and checks that the backup ends as on_destroy in the state says.
func (b *backupRuns) end() {
	b.T.Helper()
	onDestroy, seen := b.Attributes()["on_destroy"], b.Attributes()["status_name"]
	b.sent = nil
	status := b.held()["statusName"]
	diags := b.Destroy()
	if providertest.IsChangedSincePlan(diags.Errors()) { // the backup was started since the last refresh
		b.refreshed()
		diags = b.Destroy()
	}
	b.catchUp()
	b.wantNoPassword(diags)
	if errors := diags.Errors(); len(errors) > 0 || !b.State.IsNull() {
		b.T.Fatalf("destroy: %v %v", errors, b.Attributes())
	}
	var requested []any
	for _, sent := range b.sent {
		if b.wasRequestedInVain(seen) || len(sent) != 2 {
			b.T.Fatalf("sent %v", sent)
		}
		requested = append(requested, sent["statusName"])
	}
	ended := b.held()["statusName"]
	switch {
	case onDestroy == "terminate":
		if ended != "INACTIVE" {
			b.T.Fatalf("terminated, and the backup is %v", ended)
		}
	case onDestroy == "stop":
		if slices.Contains(requested, any("TERMINATING")) || ended == "STARTED" || ended == "PROVISIONING" {
			b.T.Fatalf("stopped with %v, and the backup was %v and is %v", requested, status, ended)
		}
	case len(requested) > 0:
		b.T.Fatalf("a destroy that keeps the backup requested %v", requested)
	}
}

func TestEverySequenceOfRunsOnABackupConverges(t *testing.T) {
	t.Parallel()
	seed := emulator.DefaultSeed()
	for i := range seed.Projects[0].Clusters {
		seed.Projects[0].Clusters[i].Members = nil // so each backup can prefer each of the members that are drawn
	}
	providertest.CheckSequences(t, func(t *rapid.T) {
		b := &backupRuns{cluster: rapid.SampledFrom([]string{cards, fraud, reports}).Draw(t, "cluster")}
		b.options = emulator.Options{
			Seed:            seed,
			Unknowns:        drawUnknowns(t),
			TransitionReads: rapid.SampledFrom([]int{-1, 1, 2}).Draw(t, "transition reads"),
			StaleReads:      rapid.IntRange(0, 2).Draw(t, "stale reads"),
			StaleResponses:  rapid.Bool().Draw(t, "stale answers"),
		}
		b.service = providertest.ServiceBehind(b, emulator.New(b.options))
		w := providertest.NewWorkspaceOn(t, b.service.NewServer(80*time.Millisecond), b.service)
		b.Resource = w.NewResource(providertest.BackupConfigType)

		t.Repeat(map[string]func(*rapid.T){
			"apply": func(t *rapid.T) {
				config := drawBackupConfig(t, b.cluster)
				b.IgnoreChanges = rapid.SampledFrom([][]string{
					nil, nil, nil, {"all"}, {"ssl_enabled", "status_name"}, {"excluded_namespaces", "included_namespaces"},
				}).Draw(t, "ignored")
				early, late := drawLateValues(t, config)
				b.converge(config, early, late, nil, nil)
			},
			"apply a saved plan": func(t *rapid.T) {
				config := drawBackupConfig(t, b.cluster)
				b.IgnoreChanges = nil
				b.converge(config, config, nil, func() bool {
					b.changeOutside(drawLiveConfig(t), drawLiveStatus(t))
					return true
				}, nil)
			},
			"apply with a fault": func(t *rapid.T) {
				config, fault := drawBackupConfig(t, b.cluster), drawConfigFault(t)
				b.IgnoreChanges = nil
				b.converge(config, config, nil, nil, &fault)
			},
			"fields are no longer returned, or again": func(t *rapid.T) {
				b.omitted = rapid.SampledFrom([][]string{
					nil, {"sslEnabled", "preferredMember"}, {"encryptionEnabled", "storageEngineName"}, {"excludedNamespaces"},
					{"includedNamespaces", "syncSource"}, {"provisioned", "authMechanismName"},
				}).Draw(t, "omitted")
				b.hidesNamespaces = b.hidesNamespaces || b.omitsNamespaces()
			},
			"refresh": func(*rapid.T) { b.refreshed() },
			"drift":   func(t *rapid.T) { b.changeOutside(drawLiveConfig(t), drawLiveStatus(t)) },
			"import": func(t *rapid.T) {
				imported := another(b.Resource)
				imported.Configure() // an import is another run
				imported.ImportID(payments + "/" + b.cluster).WantNoErrors(t)
				b.Configure() // one process plans only one of the two resources
				defer b.Configure()
				if p := imported.Plan(backupConfig(b.cluster, nil)); !p.IsEmpty() || len(p.Errors()) > 0 {
					t.Fatalf("an import changes %v %v", p.Changes(), p.Errors())
				}
			},
			"destroy": func(*rapid.T) {
				if !b.State.IsNull() {
					b.end()
				}
			},
		})
	})
}

package modules_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"pgregory.net/rapid"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// planted is a text in each secret of a document.
const planted = "h4nter2"

// plantedConfig has a secret in each member that may have one, and in unknown ones.
const plantedConfig = `{ "version" : 7,  "auth":{"key":"h4nter2-key","autoPwd":"h4nter2-pwd","newAutoPwd":null,
   "usersWanted":[{"user":"h4nter2-user","initPwd":"h4nter2\u002dinit","scramSha256Creds":{"storedKey":"h4nter2-scram"}}]},
 "tls":{"autoPEMKeyFilePwd":"h4nter2-pem"}, "ldap":{"bindQueryPassword":"h4nter2-ldap"},
 "prometheus":{"passwordHash":"h4nter2-hash"}, "n":1000.0, "n":1e3, "big":12345678901234567890,
 "processes":[{"hostname":"h4nter2-host","args2_6":{
   "security":{"kmip":{"clientCertificatePassword":"h4nter2-kmip"}},"setParameter":{"h4nter2-name":"h4nter2-value"}}}],
 "backupVersions" : [ {"hostname":"keep.example.com", "logRotate":{"sizeThresholdMB":1000.0}, "password":"h4nter2-module"} ] ,
 "futureModules":{"secret":["h4nter2-future"]}	}
`

// editing is an Ops Manager whose automation configuration others change before some of the requests.
type editing struct {
	*emulator.Emulator

	mu      sync.Mutex
	edits   []bool // whether they edit before each of the next requests
	made    []string
	written int // number of the requests of the provider that were passed on
	blind   int // number of those that no GET was made before
	read    bool
}

func (e *editing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/automationConfig") && r.Header.Get("Authorization") != "" {
		e.mu.Lock()
		if len(e.edits) > 0 {
			if e.edits[0] {
				e.edit()
			}
			e.edits = e.edits[1:]
		}
		if r.Method == http.MethodPut {
			e.written++
			if !e.read {
				e.blind++
			}
		}
		e.read = r.Method == http.MethodGet
		e.mu.Unlock()
	}
	e.Emulator.ServeHTTP(w, r)
}

// edit makes a change of others: a new member, or a new module.
func (e *editing) edit() {
	number := len(e.made)
	change := fmt.Sprintf(`"edit%d" : %d.50e1`, number, number)
	old := `"futureModules"`
	if number%2 == 1 {
		change, old = fmt.Sprintf(
			`{"x":1e%d,"hostname":"other%d.example.com","password":"h4nter2-%d"}`, number, number, number,
		), `{"hostname":"keep.example.com"`
	}
	e.PublishAutomationConfig(payments, func(document []byte) []byte {
		return []byte(strings.Replace(string(document), old, change+", "+old, 1))
	})
	e.made = append(e.made, change)
}

// lost returns the changes of others that the automation configuration no longer has.
func (e *editing) lost() []string {
	document := string(e.AutomationConfig(payments))
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(e.made), func(change string) bool {
		return strings.Contains(document, strings.TrimSuffix(change, "}")) // the server completes new modules
	})
}

// Whatever others change before, between and after the requests, and whatever fails, nothing of theirs is
// lost, no request is made without reading first, and no secret is shown. If Ops Manager does not
// compare versions, a warning or an error says that a change may be lost.
func TestSequencesLoseNoChangeOfOthers(t *testing.T) {
	t.Parallel()
	providertest.CheckSequences(t, func(t *rapid.T) {
		compares := rapid.Bool().Draw(t, "compares versions")
		e := &editing{Emulator: emulator.New(emulator.Options{
			TransitionReads: rapid.SampledFrom([]int{-1, 0, 2}).Draw(t, "transition reads"),
			Unknowns: emulator.Unknowns{
				IgnoresAutomationVersion: !compares, IgnoresUnknownFields: true,
			},
		}.Fixed())}
		e.SetAutomationConfig(payments, []byte(plantedConfig))
		s := providertest.ServiceBehind(e, e.Emulator)
		w := providertest.NewWorkspace(t, s)
		w.Server = s.NewServer(20 * time.Millisecond)
		w.Configure()
		var log bytes.Buffer
		w.Context = tflogtest.RootLogger(context.Background(), &log)
		m := w.NewResource(providertest.BackupModuleType)
		warned := false
		said := func(diags providertest.Diagnostics) bool {
			text := fmt.Sprint(diags.Errors(), diags.Warnings())
			warned = warned || strings.Contains(text, "may be lost")
			shown := map[string]string{"messages": text, "state": fmt.Sprint(m.Attributes()), "private state": string(m.Private), "log": log.String()}
			for what, text := range shown {
				if strings.Contains(text, planted) {
					t.Fatalf("a secret is in the %s: %s", what, text)
				}
			}
			return len(diags.Errors()) == 0
		}
		apply := func(config values) bool {
			w.Configure()
			if !said(m.Refresh()) {
				return false
			}
			p := m.Plan(config)
			if strings.Contains(fmt.Sprint(providertest.Plain(p.After)), planted) {
				t.Fatalf("a secret is in the plan: %v", p.After)
			}
			return said(p.Diagnostics) && (p.IsEmpty() || said(m.Apply(p)))
		}
		config := values{
			"project_id": payments, "hostnames": hosts(0), "on_destroy": "deactivate",
			"timeouts": values{"create": "500ms", "update": "500ms", "delete": "500ms"},
		}
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			config["hostnames"] = rapid.SampledFrom([][]any{hosts(0), hosts(1), hosts(0, 1), hosts(0, 1, 2), hosts(2)}).Draw(t, "hosts")
			config["on_destroy"] = rapid.SampledFrom([]any{"deactivate", "keep"}).Draw(t, "on_destroy")
			e.mu.Lock()
			e.edits = rapid.SliceOfN(rapid.Bool(), 0, 12).Draw(t, "edits")
			e.mu.Unlock()
			for range rapid.IntRange(0, 2).Draw(t, "faults") {
				fault := rapid.SampledFrom([]emulator.Fault{
					{DropBefore: true}, {DropAfter: true}, {Truncate: 3}, {Status: 503}, {Status: 429}, {
						Status: 500, Body: `{"error":500,"errorCode":"UNEXPECTED_ERROR","detail":"h4nter2-key"}`,
					},
					{
						Status: 400,
						Body:   `{"error":400,"errorCode":"INVALID_ATTRIBUTE","detail":"Invalid config: h4nter2-key","parameters":["h4nter2-key"]}`,
					}, {Status: 200, Body: `<html><title>h4nter2-key</title></html>`},
				}).Draw(t, "fault")
				fault.Method, fault.Path = rapid.SampledFrom([]string{"PUT", "PUT", "GET"}).Draw(t, "method"), "/automationConfig"
				fault.Skip = rapid.IntRange(0, 2).Draw(t, "skip")
				e.Inject(fault)
			}
			if rapid.IntRange(0, 4).Draw(t, "destroy") == 0 {
				w.Configure()
				if said(m.Refresh()) {
					if p := m.Plan(nil); said(p.Diagnostics) {
						said(m.Apply(p))
					}
				}
			} else {
				apply(config)
			}
			if lost := e.lost(); len(lost) > 0 && (compares || !warned) {
				t.Fatalf("lost %q in %s", lost, e.AutomationConfig(payments))
			}
		}
		e.ClearFaults()
		e.mu.Lock()
		e.edits = nil
		e.mu.Unlock()
		config["timeouts"] = values{"create": "20s", "update": "20s", "delete": "20s"}
		for range 2 {
			if !apply(config) {
				t.Fatal("the last apply failed")
			}
		}
		if p := m.Plan(config); !p.IsEmpty() {
			t.Fatalf("the plan changes %v", p.Changes())
		}
		document := string(e.AutomationConfig(payments))
		if lost := e.lost(); len(lost) > 0 && (compares || !warned) {
			t.Fatalf("lost %q in %s", lost, document)
		}
		if e.blind > 0 {
			t.Fatalf("%d of %d requests were made without reading first", e.blind, e.written)
		}
		for _, kept := range []string{
			`"n":1000.0, "n":1e3, "big":12345678901234567890,`, `"h4nter2\u002dinit"`,
			`{"hostname":"keep.example.com", "logRotate":{"sizeThresholdMB":1000.0}, "password":"h4nter2-module"}`,
			"\"h4nter2-future\"]}\t}\n",
		} {
			if !strings.Contains(document, kept) {
				t.Fatalf("%s is not in %s", kept, document)
			}
		}
	})
}

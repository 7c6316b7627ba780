package modules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// publications are changes of the automation configuration.
var publications = map[string]struct {
	from, to []any // the hosts; none if there is no resource
	requests int   // before the first change
}{
	"activation":   {nil, hosts(0, 1), 3},
	"update":       {hosts(0, 1), hosts(1), 1},
	"replacement":  {hosts(0), hosts(1), 3},
	"deactivation": {hosts(0, 1), nil, 1},
}

// Each fault hits the change of the automation configuration, once or until the apply ends. An error
// never says that nothing was changed if something was, the state is true, and the next apply completes.
func TestPublicationSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	for name, change := range publications {
		for i, f := range providertest.Faults {
			for j, lasts := range []bool{false, true} {
				if !providertest.Sampled(i+j+len(name), 2) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%t", name, f.Name, lasts), func(t *testing.T) {
					t.Parallel()
					publish := func(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) {
						publishUnder(t, f, d, w, lasts, change.from, change.to, change.requests)
					}
					providertest.UnderFault(t, f, emulator.Options{}, values{"max_retries": 1}, publish)
				})
			}
		}
	}
}

func publishUnder(t *testing.T, f providertest.Fault, d *providertest.FaultProxy, w *providertest.Workspace, lasts bool, from, to []any, requests int) {
	m := w.NewResource(providertest.BackupModuleType)
	timeout := "10s"
	if f.Slow {
		timeout = "2s"
	}
	configOf := func(hosts []any) values {
		if hosts == nil {
			return nil
		}
		return modules(hosts, deactivating, values{"timeouts": values{"create": timeout, "update": timeout, "delete": timeout}})
	}
	if from != nil {
		m.Create(configOf(from))
		m.Configure() // another process: the one that activates a module does not end it
		m.MustRefresh()
	}
	p := m.Plan(configOf(to))
	document, stored := string(d.AutomationConfig(payments)), fmt.Sprint(m.Attributes()["hostnames"])
	d.Inject(f, "PUT", requests, lasts)
	errors := m.Apply(p).Errors()
	seen := slices.DeleteFunc(d.Clear(t), func(method string) bool { return method != "PUT" })
	if len(seen) > 6 && f.Challenges == 0 { // five, and that of the other phase
		t.Errorf("%d requests", len(seen))
	}
	if text := strings.Join(errors, "\n"); strings.Contains(text, "Nothing was changed.") && string(d.AutomationConfig(payments)) != document {
		t.Errorf("the automation configuration has changed: %s", text)
	}
	if text := strings.Join(errors, "\n"); strings.Contains(text, "No module was deactivated.") &&
		!strings.Contains(string(d.AutomationConfig(payments)), `{"hostname":"`+reports[0]) {
		t.Errorf("the module of %s was deactivated: %s", reports[0], text)
	}
	if len(errors) > 0 {
		providertest.WantEqual(t, fmt.Sprint(m.Attributes()["hostnames"]), stored)
	}
	for range 2 { // if the state is empty, the next apply adopts what is there
		m.Configure()
		m.MustRefresh()
		if to == nil && m.Attributes() == nil {
			break
		}
		m.Apply(m.Plan(configOf(to)), nil).WantNoErrors(t)
	}
	var want []string
	for _, host := range to {
		want = append(want, host.(string))
	}
	wantModules(t, d.Service, want...)
	others := func(document []byte) []string {
		return slices.DeleteFunc(modulesIn(document), func(host string) bool { return slices.Contains(reports, host) })
	}
	providertest.WantEqual(t, others(d.AutomationConfig(payments)), others([]byte(document)))
}

package provider_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"terraform-provider-opsmanager/internal/emulator"
)

// spoiled ends each text of the service's answers with what could hide a message or
// begin another one.
const spoiled = "\x1b[2K\u202e\u009b\r\nSPOILED\ttext\u2028"

// hostileServer hands on the emulator's answers, and spoils each text that is the value of a
// field it is told to spoil.
type hostileServer struct {
	next   http.Handler
	spoils func(field string) bool
}

func (s *hostileServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	recorded := httptest.NewRecorder()
	s.next.ServeHTTP(recorded, r)
	answer := recorded.Body.Bytes()
	var document any
	if json.Unmarshal(answer, &document) == nil && recorded.Code != http.StatusUnauthorized {
		answer, _ = json.Marshal(s.spoil("", document))
	}
	for name, values := range recorded.Header() {
		if name != "Content-Length" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(recorded.Code)
	_, _ = w.Write(answer)
}

func (s *hostileServer) spoil(field string, value any) any {
	switch value := value.(type) {
	case string:
		if s.spoils(field) {
			return value + spoiled
		}
	case []any:
		for i := range value {
			value[i] = s.spoil(field, value[i])
		}
	case map[string]any:
		for name := range value {
			value[name] = s.spoil(name, value[name])
		}
	}
	return value
}

// wantPrintable checks that each message is printable, and that no text of the service
// begins a line of it.
func wantPrintable(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) || strings.Contains(text, "\nSPOILED") {
			t.Errorf("a terminal would obey %s", strconv.Quote(text))
		}
	}
}

func TestNoTextOfTheServiceReachesTheTerminalAsItIs(t *testing.T) {
	t.Parallel()
	ids := []string{"id", "groupId", "clusterId"}
	for name, spoils := range map[string]func(field string) bool{
		"all texts":   func(string) bool { return true },
		"all but ids": func(field string) bool { return !slices.Contains(ids, field) },
		"names":       func(field string) bool { return slices.Contains([]string{"clusterName", "name", "typeName"}, field) },
		"texts of errors": func(field string) bool {
			return slices.Contains([]string{"detail", "reason", "errorCode", "parameters"}, field)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := emulator.New(emulator.Options{})
			server := httptest.NewServer(&hostileServer{next: e, spoils: spoils})
			t.Cleanup(server.Close)
			s := &testService{Emulator: e, URL: server.URL}
			w := openWorkspace(t, s, values{"max_retries": 0})
			told := 0
			check := func(d diagnostics) {
				t.Helper()
				told += len(d)
				wantPrintable(t, append(d.errors(), d.warnings()...)...)
			}
			for _, source := range []struct {
				name   string
				config values
			}{
				{backupConfigType, values{"project_id": payments, "cluster_id": cards}},
				{backupConfigsType, values{"project_id": payments}},
				{backupConfigType, values{"project_id": payments, "cluster_id": "64f0c2a19b3d5e7f80a1bfff"}},
				{snapshotsType, values{"project_id": payments, "host_id": "db1.example.com:27019"}},
				{clusterType, values{"project_id": payments, "name": "orders"}},
				{clusterType, values{"project_id": payments, "name": "nothing"}},
				{clusterType, values{"project_id": payments, "cluster_id": cards}},
				{clustersType, values{"project_id": payments}},
				{clusterSnapshotsType, values{"project_id": payments, "cluster_id": cards}},
				{regionsType, nil},
				{projectType, values{"name": "Payments"}},
				{projectType, values{"project_id": payments}},
				{scheduleType, values{"project_id": payments, "cluster_id": cards}},
			} {
				_, d := w.read(source.name, source.config)
				check(d)
			}

			r := w.resource(scheduleType)
			p := r.plan(schedule(cards, values{"daily_snapshot_retention_days": 5, "full_incremental_day_of_week": "FRIDAY"}))
			check(p.diagnostics)
			if len(p.errors()) == 0 {
				check(r.apply(p, nil))
			}
			check(r.refresh())
			check(w.resource(scheduleType).importID(payments + "/" + cards))
			check(w.resource(scheduleType).importID(payments + "/64f0c2a19b3d5e7f80a1bfff"))

			region1 := w.resource(regionType)
			p = region1.plan(region(oceania, values{"adopt_existing": true}))
			check(p.diagnostics)
			if len(p.errors()) == 0 {
				check(region1.apply(p, nil))
			}
			check(region1.refresh())
			p = region1.plan(region(oceania, values{"adopt_existing": true, "deployment_description": "Changed"}))
			check(p.diagnostics)
			if len(p.errors()) == 0 {
				check(region1.apply(p, nil))
			}
			check(region1.destroy())
			check(w.resource(regionType).importID("nowhere"))

			for _, listed := range []struct {
				name   string
				config values
			}{{scheduleType, values{"project_id": payments}}, {regionType, nil}} {
				for _, one := range w.query(listed.name, listed.config, true, 0) {
					check(one.diagnostics)
					wantPrintable(t, one.name)
					if strings.Contains(one.name, "\n") {
						t.Errorf("a name of two lines: %q", one.name)
					}
				}
			}
			if told < 3 {
				t.Errorf("only %d messages were seen", told)
			}
		})
	}
}

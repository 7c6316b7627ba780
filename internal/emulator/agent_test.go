package emulator_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

// agents returns the agents of a type by hostname.
func (c *client) agents(kind string) map[string]object {
	c.t.Helper()
	found := map[string]object{}
	for _, agent := range c.get(inPayments + "/agents/" + kind + "?itemsPerPage=500").results(c.t) {
		hostname, _ := agent["hostname"].(string)
		found[hostname] = agent
	}
	return found
}

// publish replaces the elements of backupVersions, as another client does.
func (c *client) publish(hostnames ...string) {
	elements := make([]string, len(hostnames))
	for i, hostname := range hostnames {
		elements[i] = `{"hostname":"` + hostname + `"}`
	}
	c.service.PublishAutomationConfig(payments, func(document []byte) []byte {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(document, &members); err != nil {
			panic(err)
		}
		members["backupVersions"] = json.RawMessage("[" + strings.Join(elements, ",") + "]")
		changed, err := json.Marshal(members)
		if err != nil {
			panic(err)
		}
		return changed
	})
}

func TestAgentsAreListedByType(t *testing.T) {
	t.Parallel()
	at := time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC)
	c, _ := startAt(t, at, emulator.Options{})
	automation, monitoring, backup := c.agents("AUTOMATION"), c.agents("MONITORING"), c.agents("BACKUP")
	if len(automation) != 11 || len(monitoring) != 2 || len(backup) != 7 {
		t.Errorf("got %d, %d and %d agents", len(automation), len(monitoring), len(backup))
	}
	if automation[reports0] == nil || backup[reports0] != nil || backup[ledger0]["typeName"] != "BACKUP" {
		t.Errorf("got %v", backup)
	}
	of := backup[ledger0]
	delete(of, "links")
	equal(t, of, object{
		"typeName": "BACKUP", "hostname": ledger0, "stateName": "ACTIVE", "isManaged": true, "tag": nil,
		"lastConf": "2031-05-06T07:08:09Z", "lastPing": "2031-05-06T07:08:09Z", "confCount": 8641.0, "pingCount": 8641.0,
	})
	for hostname, states := range map[string][2]any{
		"ledger-1.payments.example.com": {"ACTIVE", "STANDBY"}, archive0: {"NO_PROCESSES", nil},
	} {
		if got := [2]any{automation[hostname]["stateName"], backup[hostname]["stateName"]}; got != states {
			t.Errorf("%s is %v, want %v", hostname, got, states)
		}
	}
	if last := automation[archive0]["lastConf"]; last != "2031-05-06T04:08:09Z" { // it is down
		t.Errorf("got %v", last)
	}
	c.get(inPayments+"/agents/backup").refused(t, 400, "INVALID_AGENT_TYPE_NAME")
	if got := c.get(inPayments + "/agents/AUTOMATION?itemsPerPage=4&pageNum=3").ok(t); got["totalCount"] != 11.0 ||
		len(got["results"].([]any)) != 3 {
		t.Errorf("got %v", got)
	}
}

func TestANewModuleTakesSomeReadsOrSomeTime(t *testing.T) {
	t.Parallel()
	for name, pass := range map[string]func(*client, *clock){
		"reads": func(c *client, _ *clock) { c.agents("BACKUP"); c.agents("BACKUP") },
		"time":  func(_ *client, moved *clock) { moved.advance(time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, moved := startAt(t, time.Now(), emulator.Options{})
			c.publish(ledger0, reports0, archive0, "reports-1", "nowhere.example.com")
			pass(c, moved)
			before := c.agents("AUTOMATION")[reports0]["lastConf"]
			got := c.agents("BACKUP")
			if got[reports0] == nil || got[reports0]["lastConf"] != before {
				t.Errorf("got %v", got)
			}
			for _, hostname := range []string{archive0, "reports-1", "nowhere.example.com"} { // no agent runs with these names
				if got[hostname] != nil {
					t.Errorf("got %v", got[hostname])
				}
			}
		})
	}
	t.Run("not at once", func(t *testing.T) {
		t.Parallel()
		c, _ := startAt(t, time.Now(), emulator.Options{})
		c.publish(reports0)
		for range 2 {
			if c.agents("BACKUP")[reports0] != nil {
				t.Error("the module runs already")
			}
		}
		c.get(backupAgentsPath + "?pageNum=2").ok(t)
	})
	t.Run("at once", func(t *testing.T) {
		t.Parallel()
		c := start(t, emulator.Options{TransitionReads: -1})
		c.publish(reports0)
		if c.agents("BACKUP")[reports0] == nil {
			t.Error("no module runs")
		}
	})
}

func TestModulesFollowTheirAgents(t *testing.T) {
	t.Parallel()
	c, moved := startAt(t, time.Now(), emulator.Options{TransitionReads: -1})
	lastConf := func(kind, hostname string) any { return c.agents(kind)[hostname]["lastConf"] }
	c.service.StopAgent(payments, ledger0)
	stopped := lastConf("BACKUP", ledger0)
	moved.advance(time.Hour)
	if got := lastConf("BACKUP", ledger0); got != stopped || lastConf("AUTOMATION", ledger0) != stopped {
		t.Errorf("the module ran until %v, and its agent until %v", got, stopped)
	}
	c.service.StartAgent(payments, ledger0)
	if lastConf("BACKUP", ledger0) == stopped || lastConf("AUTOMATION", ledger0) == stopped {
		t.Error("the module does not run")
	}
	c.service.RemoveAgent(payments, ledger0)
	if c.agents("AUTOMATION")[ledger0] != nil || c.agents("BACKUP")[ledger0] != nil {
		t.Error("the agent is still in the lists")
	}
	c.publish("new.example.com")
	c.service.StartAgent(payments, "new.example.com") // registers after the change
	if lastConf("BACKUP", "new.example.com") == nil {
		t.Error("the module of the new agent does not run")
	}
}

func TestAnAgentThatIsNotManagedHasNoModule(t *testing.T) {
	t.Parallel()
	seed := emulator.DefaultSeed()
	seed.Projects[0].Agents = append(seed.Projects[0].Agents, emulator.Agent{Hostname: "own.example.com", Unmanaged: true})
	c := start(t, emulator.Options{Seed: seed, TransitionReads: -1})
	c.publish("own.example.com")
	if c.agents("BACKUP")["own.example.com"] != nil || c.agents("AUTOMATION")["own.example.com"]["isManaged"] != false {
		t.Errorf("got %v", c.agents("AUTOMATION")["own.example.com"])
	}
}

func TestHostsCanHaveOtherNames(t *testing.T) {
	t.Parallel()
	seed := emulator.DefaultSeed()
	seed.Projects[0].Hosts[1].Aliases = []string{"orders-config-1"}
	c := start(t, emulator.Options{Seed: seed})
	got := c.get(inPayments + "/hosts?clusterId=" + seed.Projects[0].Hosts[1].ClusterID).results(t)
	if aliases, _ := got[0]["aliases"].([]any); !slices.Equal(aliases, []any{"orders-config-1"}) {
		t.Errorf("got %v", got)
	}
}

func TestASeedWithInvalidAgentsIsRejected(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"agents":[{"hostname":""}]`:                   "missing",
		`"agents":[{"hostname":"a"},{"hostname":"a"}]`: "used twice",
		`"agents":[{"hostname":"a","down":"-3x"}]`:     "neither a time nor a duration",
		`"automationConfig":[]`:                        "automationConfig",
		`"controlledFeature":{"policy":[]}`:            `unknown field "policy"`,
	} {
		_, err := emulator.ReadSeed(strings.NewReader(`{"projects":[{"id":"` + payments + `","name":"a",` + text + `}],"deploymentRegions":[]}`))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

package opsmanager_test

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// replaced reads an object and sends it back with one change, and returns the unknown members
// that it found.
type replacement func(ctx context.Context, c *opsmanager.Client) (unknown []string, err error)

// replacements are the objects that a PUT replaces as a whole, by the document that a GET returns.
// The client knows the names that begin with k.
var replacements = map[string]struct {
	document, sent string
	unknown        string
	replace        replacement
}{
	"backup store": {
		document: `{"id":"a","links":[],"usedSize":7,"uri":"mongodb://h","oidc":{"enabled":true,"audience":{"z":1e3}},` +
			`"customCertificates":[{"filename":"f","certString":"c","sha":"x"}],"maxCapacityGB":6.0,"newSetting":1e3}`,
		sent: `{"id":"a","assignmentEnabled":false,"usedSize":7,"uri":"mongodb://h","oidc":{"enabled":true,"audience":{"z":1e3}},"maxCapacityGB":6,` +
			`"customCertificates":[{"filename":"f","certString":"c","sha":"x"}],"newSetting":1e3}`,
		unknown: "customCertificates.sha newSetting oidc.audience",
		replace: func(ctx context.Context, c *opsmanager.Client) ([]string, error) {
			store, err := c.BackupStore(ctx, opsmanager.Blockstore, "a")
			if err != nil {
				return nil, err
			}
			store.AssignmentEnabled = new(false)
			_, err = c.UpdateBackupStore(ctx, opsmanager.Blockstore, *store)
			return opsmanager.UnknownNames(store), err
		},
	},
	"backup daemon": {
		document: `{"id":"5f","links":[{"rel":"self","href":"x"}],"machine":{"machine":"m","headRootDirectory":"/d/","zone":["a"]},` +
			`"numWorkers":4e0,"limits":{"b":12345678901234567890,"a":null}}`,
		sent: `{"machine":{"machine":"m","headRootDirectory":"/d/","zone":["a"]},"assignmentEnabled":false,` +
			`"numWorkers":4,"limits":{"b":12345678901234567890,"a":null}}`,
		unknown: "limits machine.zone",
		replace: func(ctx context.Context, c *opsmanager.Client) ([]string, error) {
			daemon, err := c.BackupDaemon(ctx, "m", "/d/")
			if err != nil {
				return nil, err
			}
			daemon.AssignmentEnabled = new(false)
			_, err = c.UpdateBackupDaemon(ctx, *daemon)
			return opsmanager.UnknownNames(daemon), err
		},
	},
	"job configuration": {
		document: `{"id":"` + payments + `","links":[],"daemonFilter":[{"machine":"m","weight":1.50}],` +
			`"snapshotStoreFilter":[{"id":"a","type":"blockstore","tier":"x"}],"quota":-0.0}`,
		sent: `{"labelFilter":["l"],"daemonFilter":[{"machine":"m","weight":1.50}],` +
			`"snapshotStoreFilter":[{"id":"a","type":"blockstore","tier":"x"}],"quota":-0.0}`,
		unknown: "daemonFilter.weight quota snapshotStoreFilter.tier",
		replace: func(ctx context.Context, c *opsmanager.Client) ([]string, error) {
			config, err := c.JobConfig(ctx, payments)
			if err != nil {
				return nil, err
			}
			config.LabelFilter = &opsmanager.Replaced[string]{"l"}
			_, err = c.UpdateJobConfig(ctx, *config)
			return opsmanager.UnknownNames(config), err
		},
	},
	"deployment region": {
		document: `{"id":"EU","links":[],"deploymentDescription":"d","restoreEndpoint":null,"tls":{"min":"1.3","name":"\u003c<\u00fc\/"}}`,
		sent:     `{"deploymentDescription":"d","assignmentEnabled":false,"tls":{"min":"1.3","name":"\u003c<\u00fc\/"}}`,
		unknown:  "tls",
		replace: func(ctx context.Context, c *opsmanager.Client) ([]string, error) {
			region, err := c.DeploymentRegion(ctx, "EU")
			if err != nil {
				return nil, err
			}
			if want := []string{"restoreEndpoint"}; !reflect.DeepEqual(region.Nulls, want) {
				return nil, fmt.Errorf("nulls: got %v, want %v", region.Nulls, want)
			}
			region.AssignmentEnabled = new(false)
			_, err = c.UpdateDeploymentRegion(ctx, *region)
			return opsmanager.UnknownNames(region), err
		},
	},
}

// replacing reads and replaces an object of a server that returns one document, and returns the
// body of the PUT.
func replacing(t *testing.T, document string, replace replacement) (sent string, unknown []string, err error) {
	t.Helper()
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			sent = read(t, r)
		}
		answerOK(w, document)
	})
	unknown, err = replace(t.Context(), c)
	return sent, unknown, err
}

func TestReplacementSendsUnknownMembersAsTheyWere(t *testing.T) {
	t.Parallel()
	for name, r := range replacements {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent, unknown, err := replacing(t, r.document, r.replace)
			succeed(t, err)
			equal(t, "body", sent, r.sent)
			equal(t, "unknown members", strings.Join(unknown, " "), r.unknown)
		})
	}
}

func TestNoMemberOverridesAKnownField(t *testing.T) {
	t.Parallel()
	daemon := replacements["backup daemon"].replace
	const machine = `"machine":{"machine":"m"},`
	for name, test := range map[string]struct{ document, sent string }{
		"other case, later": {
			`{` + machine + `"numWorkers":4,"NUMWORKERS":9}`,
			`{` + machine + `"assignmentEnabled":false,"numWorkers":4,"NUMWORKERS":9}`,
		},
		"other case, earlier": {
			`{"NumWorkers":"x",` + machine + `"numWorkers":4}`,
			`{` + machine + `"assignmentEnabled":false,"numWorkers":4,"NumWorkers":"x"}`,
		},
		"other case of the changed": {
			`{` + machine + `"assignmentENABLED":true,"assignmentEnabled":true}`,
			`{` + machine + `"assignmentEnabled":false,"assignmentENABLED":true}`,
		},
		"only in another case": {`{` + machine + `"NumWorkers":4}`, `{` + machine + `"assignmentEnabled":false,"NumWorkers":4}`},
		"known twice":          {`{` + machine + `"numWorkers":9,"numWorkers":4}`, `{` + machine + `"assignmentEnabled":false,"numWorkers":4}`},
		"escaped":              {`{` + machine + `"numWorkers":9,"num\u0057orkers":4}`, `{` + machine + `"assignmentEnabled":false,"numWorkers":4}`},
		"unknown twice":        {`{` + machine + `"a":1,"a":2}`, `{` + machine + `"assignmentEnabled":false,"a":2}`},
		"unusual names":        {`{` + machine + `"":1,"\u0061\n":2}`, `{` + machine + `"assignmentEnabled":false,"":1,"a\n":2}`},
		"null": {
			`{` + machine + `"a":null,"numWorkers":null,"NumWorkers":9}`,
			`{` + machine + `"assignmentEnabled":false,"NumWorkers":9,"a":null}`,
		},
		"white space": {
			"{ \"machine\" : {\"machine\":\"m\"} ,\n\t\"a b\" : [ 1 , { } ] }",
			`{` + machine + `"assignmentEnabled":false,"a b":[1,{}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent, _, err := replacing(t, test.document, daemon)
			succeed(t, err)
			equal(t, "body", sent, test.sent)
		})
	}
}

// What an unknown member holds may be a secret.
func TestUnknownMembersAreNotPrinted(t *testing.T) {
	t.Parallel()
	var daemon opsmanager.BackupDaemon
	succeed(t, json.Unmarshal([]byte(`{"machine": {"machine": "m", "a": "hunter2"}, "b": "hunter2"}`), &daemon))
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		text := fmt.Sprintf(format, daemon)
		if strings.Contains(text, "hunter2") || strings.Contains(text, fmt.Sprintf("%v", []byte("hunte"))[1:]) {
			t.Errorf("%s shows the secret: %s", format, text)
		}
	}
}

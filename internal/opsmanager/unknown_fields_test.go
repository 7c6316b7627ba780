package opsmanager_test

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"terraform-provider-opsmanager/internal/emulator"
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
		document: `{"id":"a","links":[],"usedSize":7,"uri":"mongodb://h","oidc":{"enabled":true,"audience":{"z":1e3}},"customCertificates":[{"filename":"f","certString":"c","sha":"x"}],"maxCapacityGB":6.0,"newSetting":1e3}`,
		sent:     `{"id":"a","assignmentEnabled":false,"usedSize":7,"uri":"mongodb://h","oidc":{"enabled":true,"audience":{"z":1e3}},"maxCapacityGB":6,"customCertificates":[{"filename":"f","certString":"c","sha":"x"}],"newSetting":1e3}`,
		unknown:  "customCertificates.sha newSetting oidc.audience",
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
		document: `{"id":"5f","links":[{"rel":"self","href":"x"}],"machine":{"machine":"m","headRootDirectory":"/d/","zone":["a"]},"numWorkers":4e0,"limits":{"b":12345678901234567890,"a":null}}`,
		sent:     `{"machine":{"machine":"m","headRootDirectory":"/d/","zone":["a"]},"assignmentEnabled":false,"numWorkers":4,"limits":{"b":12345678901234567890,"a":null}}`,
		unknown:  "limits machine.zone",
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
		document: `{"id":"` + payments + `","links":[],"daemonFilter":[{"machine":"m","weight":1.50}],"snapshotStoreFilter":[{"id":"a","type":"blockstore","tier":"x"}],"quota":-0.0}`,
		sent:     `{"labelFilter":["l"],"daemonFilter":[{"machine":"m","weight":1.50}],"snapshotStoreFilter":[{"id":"a","type":"blockstore","tier":"x"}],"quota":-0.0}`,
		unknown:  "daemonFilter.weight quota snapshotStoreFilter.tier",
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

// An object without any known member comes from another server.
func TestUnknownMembersAloneAreNotAnObject(t *testing.T) {
	t.Parallel()
	for name, r := range replacements {
		for _, document := range []string{`{"status":"ok"}`, `{"status":{"machine":"m"},"machine":{"a":"b"},"oidc":null}`, `{}`} {
			if _, _, err := replacing(t, document, r.replace); !strings.Contains(wantError(t, err).Error(), "none of the expected fields") {
				t.Errorf("%s: %s: %v", name, document, err)
			}
		}
	}
}

// What an unknown member holds may be a secret.
func TestTextOfUnknownMembersIsHidden(t *testing.T) {
	t.Parallel()
	const secret = "hunter2 hunter2"
	for name, r := range replacements {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document := strings.Replace(r.document, `{`, `{"newToken":{"values":["`+secret+`","NOT_FOUND"]},`, 1)
			var logged strings.Builder
			log := func(c *opsmanager.Config) {
				c.Log = func(_ context.Context, message string, fields ...map[string]any) {
					fmt.Fprint(&logged, message, fields)
				}
			}
			c := serve(t, func(w http.ResponseWriter, request *http.Request) {
				if request.Method == http.MethodPut {
					answer(
						w, http.StatusBadRequest, "application/json",
						`{"error":400,"errorCode":"NOT_FOUND","detail":"Cannot store `+secret+`.","parameters":["`+secret+`"]}`,
					)
					return
				}
				answerOK(w, document)
			}, log)
			_, err := r.replace(t.Context(), c)
			e := wantError(t, err)
			equal(t, "code", e.Code, "NOT_FOUND")
			if text := fmt.Sprint(err, e.Parameters, logged.String()); strings.Contains(text, secret) {
				t.Errorf("the text has the secret: %s", text)
			}
			broken := strings.Replace(document, `"links":[`, `"labels":5,"labelFilter":5,"ingestionEndpoint":5,"links":[`, 1)
			_, _, err = replacing(t, broken, r.replace)
			if text := wantError(t, err).Error(); strings.Contains(text, secret) || !strings.Contains(text, "wrong type") {
				t.Errorf("the error of a malformed response: %s", text)
			}
		})
	}
	var daemon opsmanager.BackupDaemon
	succeed(t, json.Unmarshal([]byte(`{"machine":{"machine":"m","a":"`+secret+`"},"b":"`+secret+`"}`), &daemon))
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(format, daemon); strings.Contains(text, secret) || strings.Contains(text, fmt.Sprintf("%v", []byte(secret[:5]))[1:]) {
			t.Errorf("%s shows the secret: %s", format, text)
		}
	}
}

func TestEmulatorKeepsTheMembersThatItReturned(t *testing.T) {
	t.Parallel()
	for _, rejects := range []bool{false, true} {
		client, service := emulateWith(t, emulator.Options{Unknowns: emulator.Unknowns{RejectsReturnedMembers: rejects}})
		ctx := t.Context()
		service.SetBackupDaemon("m", "/d/", map[string]any{"newSetting": "x", "machine": map[string]any{"zone": "z"}})
		daemon, err := client.BackupDaemon(ctx, "m", "/d/")
		succeed(t, err)
		_, err = client.UpdateBackupDaemon(ctx, *daemon)
		if rejects {
			equal(t, "parameter", wantError(t, err).Parameters[0], "machine.zone")
			continue
		}
		succeed(t, err)
		held := service.BackupDaemon("m", "/d/")
		equal(t, "setting", held["newSetting"], any("x"))
		equal(t, "zone", fmt.Sprint(held["machine"]), "map[headRootDirectory:/d/ machine:m zone:z]")
	}
}

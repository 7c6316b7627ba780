package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
)

// output collects the output of a running command.
type output struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buffer.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buffer.String()
}

// await waits for a match of a pattern and returns its groups.
func (o *output) await(t *testing.T, pattern string) []string {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		if match := regexp.MustCompile(pattern).FindStringSubmatch(o.String()); match != nil {
			return match
		}
		if time.Now().After(deadline) {
			t.Fatalf("no %s in:\n%s", pattern, o)
		}
		time.Sleep(time.Millisecond)
	}
}

func succeed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// command is a running command, and what it prints.
type command struct {
	out, logs output
	url       string
}

// start runs the command until the test ends.
func start(t *testing.T, args ...string) *command {
	t.Helper()
	c := new(command)
	go func() { _ = run(t.Context(), append([]string{"-addr", "127.0.0.1:0"}, args...), &c.out, &c.logs) }()
	c.url = c.out.await(t, `export OPSMANAGER_BASE_URL='([^']*)'`)[1]
	return c
}

// lacks returns the texts that another one lacks.
func lacks(text string, want ...string) []string {
	return slices.DeleteFunc(want, func(one string) bool { return strings.Contains(text, one) })
}

func TestCommandServesUntilItsContextEnds(t *testing.T) {
	t.Parallel()
	var out, logs output
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, []string{"-addr", "127.0.0.1:0", "-requests"}, &out, &logs) }()

	baseURL := out.await(t, `export OPSMANAGER_BASE_URL='(http://127\.0\.0\.1:[1-9][0-9]*/api/public/v1\.0)'`)[1]
	if missing := lacks(out.String(),
		"\nRun these in a second terminal. Ctrl-C ends the emulator.\n\nexport ",
		"export OPSMANAGER_PUBLIC_KEY='"+emulator.DefaultPublicKey+"'",
		"export OPSMANAGER_PRIVATE_KEY='"+emulator.DefaultPrivateKey+"'",
		"64f0c2a19b3d5e7f80a1b2c3  Payments", "650a1f3c2e4b6d8091a3b5c7  ledger", "mirrored config server, 4 snapshots",
		"scratch, REPLICA_SET, not monitored, so not backed up", `"EU/West 1"`, "bound to blockstore",
		"reports-0.payments.example.com  runs", "archive-0.payments.example.com  is down",
	); len(missing) > 0 {
		t.Errorf("no %q in:\n%s", missing, out.String())
	}
	if strings.Contains(out.String(), "WARNING") {
		t.Error("warns about a loopback address")
	}

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, baseURL+"/admin/backup/backupDeployments/EU%2FWest%201?pretty=true", nil)
	succeed(t, err)
	request.Header.Set("Authorization", `Digest username="emulator", response="secret"`)
	response, err := http.DefaultClient.Do(request)
	succeed(t, err)
	succeed(t, response.Body.Close())
	logs.await(t, `GET /admin/backup/backupDeployments/EU%2FWest%201\?pretty=true 401\n`)
	if strings.Contains(logs.String(), "secret") {
		t.Error("logs credentials")
	}

	interrupt()
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
	var dialer net.Dialer
	if connection, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(strings.TrimSuffix(baseURL, emulator.BasePath), "http://")); err == nil {
		_ = connection.Close()
		t.Error("still listening")
	}
}

func TestCommandServesTLS(t *testing.T) {
	t.Parallel()
	for _, demand := range []bool{false, true} {
		t.Run(fmt.Sprintf("demand=%t", demand), func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "certificates")
			served := start(t, "-tls", folder, fmt.Sprintf("-demand-client-certificate=%t", demand))
			authority := served.out.await(t, `export OPSMANAGER_CA_CERT_FILE='([^']*)'`)[1]

			text, err := os.ReadFile(authority)
			succeed(t, err)
			trusted := x509.NewCertPool()
			if !trusted.AppendCertsFromPEM(text) {
				t.Fatal("no certificate")
			}
			presented, err := tls.LoadX509KeyPair(filepath.Join(folder, "client.pem"), filepath.Join(folder, "client-key.pem"))
			succeed(t, err)
			if names := strings.Contains(served.out.String(), "export OPSMANAGER_CLIENT_CERT_FILE='"+filepath.Join(folder, "client.pem")+"'"); names != demand {
				t.Errorf("prints the path of the client certificate: %t\n%s", names, served.out.String())
			}
			for _, c := range []struct {
				config *tls.Config
				served bool
			}{
				{&tls.Config{MinVersion: tls.VersionTLS12}, false},
				{&tls.Config{MinVersion: tls.VersionTLS12, RootCAs: trusted}, !demand},
				{&tls.Config{MinVersion: tls.VersionTLS12, RootCAs: trusted, Certificates: []tls.Certificate{presented}}, true},
			} {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, served.url+"/groups", nil)
				succeed(t, err)
				transport := &http.Transport{TLSClientConfig: c.config}
				response, err := transport.RoundTrip(request)
				if err == nil {
					_ = response.Body.Close()
				}
				transport.CloseIdleConnections()
				if (err == nil) != c.served {
					t.Errorf("with the authority: %t, with a client certificate: %t: %v", c.config.RootCAs != nil, c.config.Certificates != nil, err)
				}
			}
		})
	}
}

// call sends a request without credentials for a host to a running command, and returns the
// status.
func call(t *testing.T, baseURL, method, host, body string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, baseURL+"/groups", strings.NewReader(body))
	succeed(t, err)
	request.Host = host
	response, err := http.DefaultClient.Do(request)
	succeed(t, err)
	succeed(t, response.Body.Close())
	return response.StatusCode
}

func TestCommandAnswersOnlyForItsOwnNames(t *testing.T) {
	t.Parallel()
	served := start(t, "-addr", "localhost:0", "-host", "ops-manager, Other.example.com")
	for host, want := range map[string]int{
		"127.0.0.1":              401,
		"127.0.0.1:8080":         401,
		"[::1]:8080":             401,
		"[::1]":                  401,
		"192.0.2.1:8080":         401, // of this machine, with -addr 0.0.0.0:8080
		"localhost":              401,
		"LOCALHOST.:8080":        401,
		"ops-manager:8080":       401,
		"other.example.com":      401,
		"rebound.example.com":    421,
		"127.0.0.1.example.com":  421,
		"localhost.example.com":  421,
		"ops-manager.example":    421,
		"rebound.example.com:80": 421,
	} {
		if got := call(t, served.url, http.MethodGet, host, ""); got != want {
			t.Errorf("%s: status %d, want %d", host, got, want)
		}
	}
	served.logs.await(t, `GET /api/public/v1\.0/groups 421: for another host, "rebound\.example\.com:80"\n`)
}

func TestCommandAnswersForTheNameInItsAddress(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{"ops-manager:8080": "ops-manager", "127.0.0.1:0": "127.0.0.1", ":8080": "", "[::]:8080": "::"} {
		c, err := parse([]string{"-addr", addr}, io.Discard)
		if got := strings.Join(c.hosts, ","); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", addr, got, err, want)
		}
	}
}

func TestCommandKeepsNoRequestInMemory(t *testing.T) {
	t.Parallel()
	served := start(t)
	body := strings.Repeat("a", 1<<20)
	for range 200 {
		if status := call(t, served.url, http.MethodPost, "", body); status != http.StatusUnauthorized {
			t.Fatalf("status %d", status)
		}
	}
	var used uint64
	for range 50 { // other tests use memory, too
		runtime.GC()
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		if used = memory.HeapAlloc >> 20; used <= 100 {
			return
		}
	}
	t.Errorf("%d MiB are in use after requests with 200 MiB", used)
}

func TestCallsWhoseRoleIsNotDocumentedArePrinted(t *testing.T) {
	t.Parallel()
	served := start(t, "-third-party-backup", "-keys", "reader:GLOBAL_READ_ONLY")
	base, err := opsmanager.ParseBaseURL(served.url)
	succeed(t, err)
	public := served.out.await(t, `export OPSMANAGER_PUBLIC_KEY='(\S+)'`)[1]
	if public != "reader" {
		t.Errorf("the key of the settings is %s", public)
	}
	served.out.await(t, `\nPublic key   reader:GLOBAL_READ_ONLY\n +emulator, with all roles\nPrivate key  `)
	client := opsmanager.NewClient(opsmanager.Config{BaseURL: base, PublicKey: public, PrivateKey: emulator.DefaultPrivateKey})
	if _, err := client.ThirdPartyBackups(t.Context(), "64f0c2a19b3d5e7f80a1b2c3"); err != nil {
		t.Fatal(err)
	}
	served.out.await(t, `\nGET /backup/third_party/\S+ is allowed: which role it needs is not documented\n`)
}

func TestLogIsPrintable(t *testing.T) {
	t.Parallel()
	served := start(t, "-requests")
	addr := served.out.await(t, `Listening on (\S+),`)[1]
	connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	succeed(t, err)
	defer func() { _ = connection.Close() }()
	if _, err := io.WriteString(connection, "GET "+emulator.BasePath+"/groups?a=\u009b2J\u202eb\x9b\u00e9 HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	served.logs.await(t, "GET /groups\\?a=\ufffd2J\ufffdb\ufffd\u00e9 401\n")
}

func TestTheStartSaysWhichClusterCannotBeRestoredInto(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	announceSeed(&out, emulator.Options{Seed: emulator.DefaultSeed()})
	if lines := out.String(); strings.Count(lines, "can't be restored into") != 1 || !strings.Contains(lines, "fraud, REPLICA_SET, STOPPED, not managed by Automation") {
		t.Error(lines)
	}
}

func TestCommandWarnsIfOtherMachinesCanReachIt(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"0.0.0.0:8080":     "http://127.0.0.1:8080" + emulator.BasePath,
		"[::]:8080":        "http://127.0.0.1:8080" + emulator.BasePath,
		"192.0.2.1:8080":   "http://192.0.2.1:8080" + emulator.BasePath,
		"[2001:db8::1]:80": "http://[2001:db8::1]:80" + emulator.BasePath,
	} {
		addr, err := net.ResolveTCPAddr("tcp", address)
		succeed(t, err)
		var out bytes.Buffer
		announce(&out, addr, config{options: emulator.Options{Seed: &emulator.Seed{}, PublicKey: "it's"}})
		if !strings.Contains(out.String(), "WARNING") || !strings.Contains(out.String(), "OPSMANAGER_BASE_URL='"+want+"'") {
			t.Errorf("%s: %s", address, out.String())
		}
		if !strings.Contains(out.String(), `export OPSMANAGER_PUBLIC_KEY='it'\''s'`) {
			t.Errorf("not quoted for a shell: %s", out.String())
		}
	}
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	seed := filepath.Join(t.TempDir(), "seed.json")
	succeed(t, os.WriteFile(seed, []byte(`{"deploymentRegions":[{"id":"only"}]}`), 0o600))
	folder := t.TempDir()
	c, err := parse([]string{
		"-addr", "127.0.0.1:1", "-tls", folder, "-demand-client-certificate", "-profile", "documented", "-unknown-routes", "nginx",
		"-seed", seed, "-latency", "20ms", "-challenge", "op", "-nonce-uses", "3", "-nonce-lifetime", "1m",
		"-public-key", "a", "-private-key", "b", "-service-version", "7.0.11", "-max-items-per-page", "100", "-omit-fields",
		"referenceHourOfDay,referenceMinuteOfHour",
		"-transition-reads", "5", "-stale-reads", "6", "-await-approval", "-no-stores", "-unreported-starts", "7",
	}, io.Discard)
	succeed(t, err)
	options := c.options
	if c.addr != "127.0.0.1:1" || c.tlsDir != folder || !c.demandClientCertificate || options.Profile != emulator.Documented ||
		options.UnknownRoutes != emulator.NginxPage || options.Latency != 20*time.Millisecond || options.Challenge != "op" ||
		options.NonceUses != 3 || options.NonceLifetime != time.Minute || options.PublicKey != "a" || options.PrivateKey != "b" ||
		options.ServiceVersion != "7.0.11" || options.MaxItemsPerPage != 100 || len(options.OmitFields) != 2 ||
		options.TransitionReads != 5 || options.StaleReads != 6 || !options.AwaitApproval || !options.NoStores || options.UnreportedStarts != 7 ||
		len(options.Seed.DeploymentRegions) != 1 || options.Seed.DeploymentRegions[0]["id"] != "only" {
		t.Errorf("got %+v", c)
	}

	succeed(t, os.WriteFile(seed, []byte(`{"deploymentRegions":[{"name":"only"}]}`), 0o600))
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	succeed(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	for want, args := range map[string][]string{
		"empty":                                {"-profile", "empty"},
		"apache":                               {"-unknown-routes", "apache"},
		"basic":                                {"-challenge", "basic"},
		"max-items":                            {"-max-items-per-page", "0"},
		"unexpected":                           {"serve"},
		"no-such-file":                         {"-seed", "no-such-file"},
		"seed.json: ":                          {"-seed", seed},
		"not defined":                          {"-unknown"},
		"missing port":                         {"-addr", "127.0.0.1"},
		"requires -tls":                        {"-demand-client-certificate"},
		"name the folder of the configuration": {"-rehearse", ""},
		"no-such-folder":                       {"-rehearse", "no-such-folder"},
		"no-such-terraform":                    {"-rehearse", t.TempDir(), "-terraform", "no-such-terraform"},
		"without -tls in -addr":                {"-rehearse", "x", "-tls", "y"},
		"such as 127.0.0.1:8080":               {"-rehearse", "x", "-addr", "127.0.0.1:0"},
		"-rehearse needs the address":          {"-rehearse", "x", "-addr", ":8080"},
		"in use: choose another address with -addr": {"-addr", taken.Addr().String()},
		`"abc" does not have the form 9.0.0`:        {"-service-version", "abc"},
		`"8.0" does not have the form 9.0.0`:        {"-service-version", "8.0"},
		`"8.0.13-rc" does not have the form 9.0.0`:  {"-service-version", "8.0.13-rc"},
	} {
		err := run(t.Context(), args, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want it to contain %q", args, err, want)
		}
	}
	if err := run(t.Context(), []string{"-h"}, io.Discard, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-h: %v", err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-version"}, &out, io.Discard); err != nil || out.String() != "opsmanager-emulator dev\n" {
		t.Errorf("-version: %v, printed %q", err, &out)
	}
}

func TestTheLinesForShellsQuoteTheirValues(t *testing.T) {
	t.Parallel()
	for goos, want := range map[string]string{
		"linux":   "unset A B\nexport C='it'\\''s'\n",
		"windows": "Remove-Item Env:A, Env:B\n$env:C = 'it''s'\n",
	} {
		if got := unset(goos, []string{"A", "B"}) + export(goos, "C", "it's"); got != want {
			t.Errorf("%s: %q, want %q", goos, got, want)
		}
		if got := unset(goos, nil); got != "" {
			t.Errorf("%s: %q for no variable", goos, got)
		}
	}
}

func TestACopyIsAnnouncedWithTheWayToARehearsal(t *testing.T) {
	t.Parallel()
	addr := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8081}
	for format, want := range []bool{false, true} {
		var out bytes.Buffer
		announce(&out, addr, config{options: emulator.Options{Seed: &emulator.Seed{Copy: emulator.Copy{Format: format}}}})
		if got := strings.Contains(
			out.String(),
			"\nopsmanager-emulator -addr 127.0.0.1:8081 -rehearse ~/backups\nmake rehearse ADDR=127.0.0.1:8081 DIR=~/backups\n",
		); got != want {
			t.Errorf("a copy: %t, printed:\n%s", want, &out)
		}
	}
	var out bytes.Buffer
	announce(&out, addr, config{tlsDir: "tls", options: emulator.Options{Seed: &emulator.Seed{Copy: emulator.Copy{Format: 1}}}})
	if strings.Contains(out.String(), "rehearse") {
		t.Errorf("with TLS, printed:\n%s", &out)
	}
}

func TestAVariableWithLineBreaksMayLeadToAnotherState(t *testing.T) {
	t.Parallel()
	got := variablesOfOtherStates([]string{"TF_CLI_ARGS_apply=-no-color\n-state=/prod.tfstate", "TF_CLI_ARGS_plan=-no-color\n-parallelism=2", "TF_DATA_DIR="})
	if !slices.Equal(got, []string{"TF_CLI_ARGS_apply"}) {
		t.Errorf("got %q", got)
	}
}

// Terraform keeps credentials in its data directory, and secrets in saved plans and states.
func TestRehearsalCopiesNeitherTheDataDirectoryNorSavedPlans(t *testing.T) { //nolint:paralleltest // sets a variable
	var plan, other bytes.Buffer
	for name, to := range map[string]*bytes.Buffer{"tfplan": &plan, "index.js": &other} {
		archive := zip.NewWriter(to)
		_, err := archive.Create(name)
		succeed(t, errors.Join(err, archive.Close()))
	}
	for _, isAbsolute := range []bool{false, true} {
		r := rehearsal{folder: t.TempDir(), copy: t.TempDir()}
		data := "data"
		if isAbsolute {
			data = filepath.Join(r.folder, data)
		}
		t.Setenv("TF_DATA_DIR", data)
		for name, text := range map[string]string{
			"main.tf": "", "modules/data/main.tf": "", "function.zip": other.String(),
			"data/terraform.tfstate": "", "night.out": plan.String(), "terraform.tfstate.backup": "", "modules/.terraform/x": "",
		} {
			path := filepath.Join(r.folder, name)
			succeed(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)))
		}
		succeed(t, r.copyFolder())
		var copied []string
		err := fs.WalkDir(os.DirFS(r.copy), ".", func(path string, entry fs.DirEntry, err error) error {
			if !entry.IsDir() {
				copied = append(copied, path)
			}
			return err
		})
		if want := []string{"function.zip", "main.tf", "modules/data/main.tf"}; err != nil || !slices.Equal(copied, want) {
			t.Errorf("copied %q, want %q: %v", copied, want, err)
		}
	}
}

func TestOnlyACopyLimitsTheMemory(t *testing.T) { //nolint:paralleltest // the limit is that of the process
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	file := filepath.Join(t.TempDir(), "seed.json")
	for seed, want := range map[string]int64{`{"copy":{"format":1}}`: mostMemory, `{}`: before, `{`: before} {
		debug.SetMemoryLimit(before)
		succeed(t, os.WriteFile(file, []byte(seed), 0o600))
		_, _ = parse([]string{"-seed", file}, io.Discard)
		if got := debug.SetMemoryLimit(-1); got != want {
			t.Errorf("%s: got %d, want %d", seed, got, want)
		}
	}
}

func TestEveryOptionHasItsFlag(t *testing.T) {
	t.Parallel()
	var help output
	if _, err := parse([]string{"-h", "all"}, &help); !errors.Is(err, flag.ErrHelp) {
		t.Fatal(err)
	}
	values := map[string]string{
		"profile": "documented", "unknown-routes": "go", "challenge": "op", "service-version": "7.0.11", "inactive-schedule": "404",
		"version-header": "none", "keys": "a:GLOBAL_OWNER",
	}
	defaults := emulator.Defaults()
	for _, group := range defaults.Groups() {
		if !strings.Contains(help.String(), "\n"+group.Name+":\n") {
			t.Errorf("-h lacks the group %s", group.Name)
		}
		for _, s := range group.Options {
			if !regexp.MustCompile(`\n  -` + s.Name + `\b`).MatchString(help.String()) {
				t.Errorf("-h lacks -%s", s.Name)
			}
			before := fmt.Sprint(reflect.ValueOf(s.Value).Elem())
			value := cmp.Or(values[s.Name], "17")
			switch typed := s.Value.(type) {
			case *bool:
				value = fmt.Sprint(!*typed)
			case *time.Duration:
				value = "17s"
			}
			c, err := parse([]string{"-" + s.Name + "=" + value}, io.Discard)
			if err != nil {
				t.Errorf("-%s=%s: %v", s.Name, value, err)
				continue
			}
			for _, parsed := range c.options.Groups() {
				for _, p := range parsed.Options {
					if after := fmt.Sprint(reflect.ValueOf(p.Value).Elem()); p.Name == s.Name && after == before {
						t.Errorf("-%s=%s does not change %s", s.Name, value, before)
					}
				}
			}
		}
	}
	if missing := lacks(help.String(), "  -addr", "  -host", "  -tls", "  -seed"); len(missing) > 0 {
		t.Errorf("-h lacks %q", missing)
	}
}

func TestTheHelpFitsOnTwoScreens(t *testing.T) {
	t.Parallel()
	var help output
	if _, err := parse([]string{"-addr", "127.0.0.1:8080", "-h"}, &help); !errors.Is(err, flag.ErrHelp) { // as make emulator
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(help.String()) {
		lines += (len(strings.ReplaceAll(line, "\t", "    ")) + 79) / 80
	}
	if lines > 48 {
		t.Errorf("it has %d lines:\n%s", lines, &help)
	}
	for _, want := range append([]string{"addr", "host", "tls", "seed", "like", "requests"}, common...) {
		if !strings.Contains(help.String(), "  -"+want) {
			t.Errorf("-h lacks -%s", want)
		}
	}
	if !strings.Contains(help.String(), "-h all") {
		t.Error("-h does not name -h all")
	}
}

func TestRequestsArePrintedOnlyIfAFlagAsksForThem(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"-requests"}} {
		var out, logs output
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- run(ctx, append(args, "-addr", "127.0.0.1:0"), &out, &logs) }()
		call(t, out.await(t, `export OPSMANAGER_BASE_URL='([^']*)'`)[1], http.MethodGet, "", "")
		end()
		succeed(t, <-ended)
		if printed := strings.Contains(logs.String(), "GET /groups"); printed != (args != nil) {
			t.Errorf("%v: printed %q", args, logs.String())
		}
	}
}

func TestRequestWithoutResponseIsLogged(t *testing.T) {
	t.Parallel()
	var logs output
	(&requestLog{to: log.New(&logs, "", 0)}).add(emulator.Request{Method: http.MethodGet, Path: "/groups"})
	logs.await(t, `GET /groups: no response\n`)
}

func TestChallengeIsLoggedOnlyIfItIsNotAnswered(t *testing.T) {
	t.Parallel()
	var logs output
	requests := &requestLog{to: log.New(&logs, "", 0)}
	challenged := func(path string) emulator.Request {
		return emulator.Request{Method: http.MethodGet, Path: path, Query: "a=1", Status: http.StatusUnauthorized, Challenged: true}
	}
	answered := challenged("/groups")
	answered.Challenged, answered.Authenticated, answered.Status = false, true, http.StatusOK
	requests.add(challenged("/groups"))
	requests.add(challenged("/hosts"))
	requests.add(answered)
	rejected := challenged("/clusters")
	rejected.Challenged = false
	requests.add(rejected) // the credentials were wrong
	if want := "GET /groups?a=1 200\nGET /clusters?a=1 401\n"; logs.String() != want {
		t.Errorf("logged %q, want %q", logs.String(), want)
	}
	logs.await(t, `200\nGET /clusters\?a=1 401\nGET /hosts\?a=1 401\n$`)
	requests.add(challenged("/status"))
	requests.flush()
	if !strings.HasSuffix(logs.String(), "GET /status?a=1 401\n") {
		t.Errorf("logged %q", logs.String())
	}
}

package provider_test

import (
	"archive/zip"
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/go-version"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
	"terraform-provider-opsmanager/internal/tools/tfcli"
)

// wiretap forwards requests, and keeps their credentials. It answers requests about a host named
// echo with the request itself, as debugging servers do.
type wiretap struct {
	next http.Handler

	mu             sync.Mutex
	authorizations []string
}

func (w *wiretap) ServeHTTP(response http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.authorizations = append(w.authorizations, r.Header.Values("Authorization")...)
	w.mu.Unlock()
	if authorization := r.Header.Get("Authorization"); authorization != "" && strings.Contains(r.URL.Path, "/hosts/echo/") {
		response.Header().Set("Content-Type", "application/json")
		response.WriteHeader(http.StatusConflict)
		_, _ = fmt.Fprintf(response, `{"error":409,"detail":%q}`, "Refused: "+authorization)
		return
	}
	w.next.ServeHTTP(response, r)
}

func (w *wiretap) heard() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.authorizations)
}

// tapService starts a service behind a wiretap.
func tapService(t *testing.T) (*providertest.Service, *wiretap) {
	t.Helper()
	e := emulator.New(emulator.Options{PrivateKey: secretKey})
	tap := &wiretap{next: e}
	server := httptest.NewServer(tap)
	t.Cleanup(server.Close)
	return &providertest.Service{Emulator: e, URL: server.URL}, tap
}

const (
	secretKey  = "5ec2e7aa-0b1d-4c3e-9f60-7a8b9c0d1e2f"
	wrongKey   = "bad0bad0-1111-4222-8333-444455556666"
	digestUser = emulator.DefaultPublicKey
)

// secretsOf returns the texts that must not be found anywhere: the key, hashes that can replace it,
// and the digests that were computed with it.
func secretsOf(key string, authorizations []string) []string {
	const realm = "MMS Public API"
	pair := digestUser + ":" + key
	secrets := []string{
		key,
		base64.StdEncoding.EncodeToString([]byte(pair)),
		base64.StdEncoding.EncodeToString([]byte(key)),
		fmt.Sprintf("%x", key),
		fmt.Sprintf("%x", md5.Sum([]byte(digestUser+":"+realm+":"+key))), // as good as the key, for that realm
		"Digest username=",
	}
	hash := regexp.MustCompile(`response="([0-9a-f]{32})"`)
	for _, authorization := range authorizations {
		secrets = append(secrets, authorization)
		if found := hash.FindStringSubmatch(authorization); found != nil {
			secrets = append(secrets, found[1])
		}
	}
	return secrets
}

// evidence holds everything that a run wrote: each text by its place.
type evidence map[string]string

// collect reads every file of a directory, and the files inside archives, such as plans.
func (e evidence) collect(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "providers":
			return fs.SkipDir // the provider's binary
		case !entry.Type().IsRegular():
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		e[name] = string(content)
		if !bytes.HasPrefix(content, []byte("PK")) {
			return nil
		}
		archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return err
		}
		for _, member := range archive.File {
			opened, err := member.Open()
			if err != nil {
				return err
			}
			inside, err := io.ReadAll(opened)
			if err != nil {
				return err
			}
			e[name+"/"+member.Name] = string(inside)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// places returns the places where one of the texts is found, quoted or not.
func (e evidence) places(texts ...string) []string {
	var found []string
	for place, content := range e {
		for _, text := range texts {
			quoted := strings.Trim(fmt.Sprintf("%q", text), `"`)
			if strings.Contains(content, text) || strings.Contains(content, quoted) || strings.Contains(content, strings.ReplaceAll(quoted, `\`, `\\\`)) {
				found = append(found, place)
				break
			}
		}
	}
	slices.Sort(found)
	return found
}

func TestSearchFindsASecretInEveryPlace(t *testing.T) {
	t.Parallel()
	header := `Digest username="emulator", realm="MMS Public API", nonce="n", uri="/api", response="0123456789abcdef0123456789abcdef"`
	secrets := secretsOf(secretKey, []string{header})
	dir := t.TempDir()
	write := func(name string, content []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var plan bytes.Buffer
	archive := zip.NewWriter(&plan)
	member, err := archive.Create("tfplan")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(member, "\x85private_key\xd9$"+secretKey); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	planted := map[string][]byte{
		"header.log":    []byte("[DEBUG] sending: Authorization=[" + header + "]"),
		"quoted.log":    fmt.Appendf(nil, "@message=sending header=%q", header),
		"response.json": []byte(`{"response": "0123456789abcdef0123456789abcdef"}`),
		"basic.log":     []byte("Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(digestUser+":"+secretKey))),
		"hash.log":      fmt.Appendf(nil, "ha1=%x", md5.Sum([]byte(digestUser+":MMS Public API:"+secretKey))),
		"next.tfplan":   plan.Bytes(),
	}
	for name, content := range planted {
		write(name, content)
	}
	write("innocent.log", []byte("GET /groups: 401, response=401, username=emulator, Digest"))
	found := evidence{}
	found.collect(t, dir)
	want := append(slices.Sorted(maps.Keys(planted)), "next.tfplan/tfplan")
	want = slices.DeleteFunc(want, func(name string) bool { return name == "next.tfplan" }) // which is compressed
	slices.Sort(want)
	providertest.WantEqual(t, found.places(secrets...), want)
}

// secretRun runs real Terraform with the built provider, with all logs on.
type secretRun struct {
	t     *testing.T
	found evidence
	runs  int
	tfcli.Workspace
}

func (r *secretRun) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.Dir, name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// run runs Terraform, and keeps its output.
func (r *secretRun) run(exitCode int, args ...string) string {
	r.t.Helper()
	var printed strings.Builder
	on := r.Workspace
	on.Out = &printed
	got, err := on.Run(r.t.Context(), args...)
	if err != nil || got != exitCode {
		r.t.Fatalf("terraform %s: exit code %d, want %d (%v)\n%s", strings.Join(args, " "), got, exitCode, err, tail(printed.String()))
	}
	r.found[fmt.Sprintf("output of %s %d", args[0], r.runs)] = printed.String()
	r.runs++
	return printed.String()
}

// tail returns the end of a text.
func tail(text string) string { return text[max(0, len(text)-4000):] }

// startSecretRun prepares a directory. The key pair comes from the environment, or from additional
// settings of the provider.
func startSecretRun(t *testing.T, cli tfcli.CLI, plugins, url, key, more string) *secretRun {
	t.Helper()
	r := &secretRun{t: t, found: evidence{}, Workspace: tfcli.Workspace{CLI: cli, Dir: t.TempDir()}}
	r.Env = []string{
		"OPSMANAGER_BASE_URL=" + url,
		"OPSMANAGER_PUBLIC_KEY=" + digestUser,
		"OPSMANAGER_PRIVATE_KEY=" + key,
		"TF_CLI_ARGS=-no-color",
	}
	r.write("provider.tf", `terraform {
  required_providers {
    opsmanager = {
      source = "terraform.local/local/opsmanager"
    }
  }
}

provider "opsmanager" {
  request_timeout = "15s"
  max_retries     = 0
`+more+"}\n")
	r.run(0, "init", "-plugin-dir="+plugins)
	r.Env = append(r.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(r.Dir, "trace.log"))
	return r
}

// keep adds everything that the run has written so far to the evidence.
func (r *secretRun) keep(moment string) {
	r.t.Helper()
	written := evidence{}
	written.collect(r.t, r.Dir)
	for name, content := range written {
		r.found[name+" "+moment] = content
	}
}

// wantNoSecrets fails if the evidence contains a secret, or if the search would not find a secret
// in the log.
func (r *secretRun) wantNoSecrets(key string, tap *wiretap, except ...string) {
	r.t.Helper()
	heard := tap.heard()
	if len(heard) == 0 || !strings.HasPrefix(heard[0], "Digest username=") {
		r.t.Fatalf("the service received %q", heard)
	}
	for _, secret := range secretsOf(key, heard) {
		if places := r.found.places(secret); places != nil && !slices.Contains(except, secret) {
			r.t.Errorf("%q is in %q", secret, places)
		}
	}
	// A log line of a provider that logs the headers of its requests.
	log := r.found["trace.log in the end"]
	line := regexp.MustCompile(`(?m)^.*Called Ops Manager.*$`).FindString(log)
	careless := strings.Replace(line, " path=", fmt.Sprintf(" authorization=%q path=", heard[0]), 1)
	mutated := evidence{"trace.log": strings.Replace(log, line, careless, 1)}
	if line == "" || mutated.places(heard[0]) == nil {
		r.t.Errorf("a logged header would not be found in the log: %q", careless)
	}
}

// wantFound checks that the search finds a text that is not a secret in each of these places.
func (r *secretRun) wantFound(text string, places ...string) {
	r.t.Helper()
	found := r.found.places(text)
	for _, place := range places {
		if !slices.ContainsFunc(found, func(f string) bool { return strings.Contains(f, place) }) {
			r.t.Errorf("%q is not in %s, but in %q", text, place, found)
		}
	}
}

// Plan files and their JSON contain the values of variables, even sensitive ones, so the key
// belongs in the environment.
func TestTerraformWritesTheKeyPairNowhere(t *testing.T) {
	t.Parallel()
	cli, plugins := providertest.InstalledProvider(t)
	const canary = "A canary in the mine"

	resources := func(description string) string {
		return fmt.Sprintf(`
resource "opsmanager_snapshot_schedule" "one" {
  project_id                      = %q
  cluster_id                      = %q
  weekly_snapshot_retention_weeks = %d
}

resource "opsmanager_deployment_region" "one" {
  deployment_id          = "CANARY_ID"
  deployment_description = %q
  ingestion_endpoint     = "https://om.example.com:8443"
  restore_endpoint       = "https://om.example.com:8443"
  bq_proxy_endpoint      = "om.example.com:27217"
}
`, payments, cards, len(description), description)
	}
	lists := fmt.Sprintf(`
data "opsmanager_backup_configs" "all" {
  project_id = %q
}

data "opsmanager_config_server_snapshots" "all" {
  project_id = %[1]q
  host_id    = %q
}

data "opsmanager_project" "payments" {
  name = "Payments"
}

data "opsmanager_clusters" "all" {
  project_id = %[1]q
}

data "opsmanager_cluster" "orders" {
  project_id = %[1]q
  cluster_id = %[3]q
}

data "opsmanager_snapshot_schedule" "orders" {
  project_id = %[1]q
  cluster_id = %[3]q
}

data "opsmanager_backup_config" "orders" {
  project_id = %[1]q
  cluster_id = %[3]q
}

data "opsmanager_cluster_snapshots" "orders" {
  project_id = %[1]q
  cluster_id = %[3]q
}

data "opsmanager_deployment_regions" "all" {}
`, payments, providertest.MirroredHost, orders)

	t.Run("every operation", func(t *testing.T) {
		t.Parallel()
		s, tap := tapService(t)
		r := startSecretRun(t, cli, plugins, s.URL, secretKey, "")
		r.write("main.tf", resources("First")+lists)
		r.run(0, "apply", "-auto-approve")
		r.write("main.tf", resources(canary)+lists)
		r.run(0, "plan", "-out=next.tfplan")
		r.run(0, "show", "-json", "next.tfplan")
		r.run(0, "apply", "next.tfplan")
		r.run(0, "state", "rm", "opsmanager_snapshot_schedule.one", "opsmanager_deployment_region.one")
		r.run(0, "import", "opsmanager_snapshot_schedule.one", payments+"/"+cards)
		r.run(0, "import", "opsmanager_deployment_region.one", "CANARY_ID")
		r.keep("before the destroy")
		r.run(0, "destroy", "-auto-approve")
		r.keep("in the end")
		r.wantNoSecrets(secretKey, tap)
		r.wantFound(canary, "output of plan", "output of show", "next.tfplan/tfplan", "terraform.tfstate before", "terraform.tfstate.backup")
		r.wantFound("CANARY_ID", "trace.log")
	})

	t.Run("every response", func(t *testing.T) {
		t.Parallel()
		s, tap := tapService(t)
		r := startSecretRun(t, cli, plugins, s.URL, secretKey, "")
		other := httptest.NewServer(tap) // not the configured one
		t.Cleanup(other.Close)
		sourceOf := func(host string) string {
			return fmt.Sprintf("\ndata \"opsmanager_config_server_snapshots\" %q {\n  project_id = %q\n  host_id    = %[1]q\n}\n",
				host, payments)
		}
		config := ""
		for name, fault := range map[string]emulator.Fault{
			"forbidden": {Status: 403, Body: `{"error":403,"errorCode":"IP_ADDRESS_NOT_ON_ACCESS_LIST","detail":"` + canary + `"}`},
			"missing":   {Status: 404, Body: `{"error":404,"errorCode":"HOST_NOT_FOUND","detail":"` + canary + `"}`},
			"conflict":  {Status: 409, Body: `{"error":409,"detail":"` + canary + `"}`},
			"broken":    {Status: 500, Body: "<html><title>" + canary + "</title></html>", Header: http.Header{"Content-Type": {"text/html"}}},
			"login":     {Status: 200, Body: "<html><title>Sign in</title></html>", Header: http.Header{"Content-Type": {"text/html"}}},
			"redirect":  {Status: 302, Header: http.Header{"Location": {other.URL + "/login"}}},
			"silent":    {Unanswered: true},
			"dropped":   {DropAfter: true, Times: -1},
			"refused":   {Status: 401, Body: `{"error":401,"errorCode":"USER_UNAUTHORIZED","detail":"` + canary + `"}`},
		} {
			fault.Path = "/hosts/" + name + "/"
			s.Inject(fault)
			config += sourceOf(name)
		}
		// These two alone, because after some failures no request is sent.
		r.write("main.tf", sourceOf("conflict"))
		r.run(1, "plan")
		r.write("main.tf", sourceOf("echo")) // see wiretap
		printed := r.run(1, "plan")
		if !strings.Contains(strings.Join(strings.Fields(printed), " "), "the detail is not shown, because it may quote a secret") {
			t.Errorf("the error does not say that the echoed request is left out:\n%s", printed)
		}
		r.write("main.tf", config)
		printed = r.run(1, "plan")
		if got := strings.Count(printed, "Error: Unable to List Config Server Snapshots"); got != 9 {
			t.Errorf("%d errors in 9:\n%s", got, printed)
		}
		s.Inject(emulator.Fault{Method: "PATCH", Status: 409, Body: `{"error":409,"errorCode":"CANNOT_MODIFY_SHARD_BACKUP_CONFIG","detail":"` + canary + `"}`})
		s.Inject(emulator.Fault{Method: "POST", Status: 403, Body: `{"error":403,"reason":"Forbidden"}`})
		r.write("main.tf", resources("First"))
		r.run(1, "apply", "-auto-approve")
		r.Env = append(r.Env, "OPSMANAGER_PRIVATE_KEY="+wrongKey)
		if printed := r.run(1, "plan"); !strings.Contains(printed, "rejected the API key") {
			t.Error(printed)
		}
		r.keep("in the end")
		r.wantNoSecrets(wrongKey, tap)
		r.wantNoSecrets(secretKey, tap)
		r.wantFound(canary, "output of plan", "output of apply", "trace.log")
	})

	t.Run("and the secrets of a store", func(t *testing.T) {
		t.Parallel()
		if cli.Version.LessThan(writeOnly) {
			t.Skipf("write-only attributes need %s; this is %s %s", writeOnly, cli.Name, cli.Version)
		}
		s, _ := tapService(t)
		r := startSecretRun(t, cli, plugins, s.URL, secretKey, "")
		secrets := func(word string) []string {
			return []string{word + "-password", "AKIA" + strings.ToUpper(word), word + "-secret-key", word + "-client-secret"}
		}
		written, stored, clicked := secrets("written"), secrets("stored"), secrets("clicked")
		store := func(name, suffix, oidc string, factor int) string {
			version := ""
			if suffix != "" {
				version = fmt.Sprintf("  uri_wo_version = %[1]d\n  aws_access_key_wo_version = %[1]d\n  aws_secret_key_wo_version = %[1]d\n", factor)
			}
			return fmt.Sprintf(`
variable %[1]q {
  type      = list(string)
  sensitive = true
  ephemeral = %[5]t
}

resource "opsmanager_s3_blockstore" %[1]q {
  id                        = %[1]q
  uri%[2]s                  = "mongodb://canary:${var.%[1]s[0]}@db.example.com"
  aws_access_key%[2]s       = var.%[1]s[1]
  aws_secret_key%[2]s       = var.%[1]s[2]
  s3_bucket_name            = "bucket"
  s3_bucket_endpoint        = "https://s3.example.com"
  s3_max_connections        = 5
  path_style_access_enabled = true
  sse_enabled               = true
  accepted_tos              = true
  load_factor               = %[4]d
%[6]s
  oidc_enabled              = true
  oidc_method               = "callback"
  oidc_token_uri            = "https://t.example.com"
  oidc_client_id            = "c"
%[3]s
}
`, name, suffix, oidc, factor, suffix != "", version)
		}
		set := func(factor int) {
			t.Helper()
			r.write("main.tf", store(
				"written", "_wo", fmt.Sprintf("  oidc_client_secret_wo = var.written[3]\n  oidc_client_secret_wo_version = %d", factor),
				factor,
			)+
				store("stored", "", "  oidc_client_secret = var.stored[3]", factor))
		}
		for name, secrets := range map[string][]string{"written": written, "stored": stored} {
			r.Env = append(r.Env, fmt.Sprintf("TF_VAR_%s=[%q, %q, %q, %q]", name, secrets[0], secrets[1], secrets[2], secrets[3]))
		}
		// A response that quotes the request.
		quote := func(method, name string, secrets []string) {
			s.Inject(emulator.Fault{
				Method: method, Path: "s3Configs/" + name, Status: 409, Header: http.Header{"Content-Type": {"application/json"}},
				Body: `{"error": 409, "errorCode": "BACKUP_MONGO_CONNECTION_FAILED", ` +
					`"detail": "` + canary + `: mongodb://canary:` + strings.Join(secrets, " ") + `"}`,
			})
		}
		set(1)
		r.run(0, "apply", "-auto-approve")
		for _, name := range []string{"written", "stored"} {
			s.SetBackupStore(emulator.S3Blockstore, name, object{
				"uri": "mongodb://canary:" + clicked[0] + "@clicked.example.com", "awsAccessKey": clicked[1], "awsSecretKey": clicked[2],
				"oidc": object{"enabled": true, "method": "callback", "tokenUri": "https://t.example.com", "clientId": "c", "clientSecret": clicked[3]},
			})
		}
		set(2)
		r.run(0, "plan", "-out=next.tfplan")
		r.run(0, "show", "-json", "next.tfplan")
		r.run(0, "apply", "next.tfplan")
		set(3)
		quote("PUT", "written", written)
		quote("PUT", "stored", stored)
		r.run(1, "apply", "-auto-approve")
		quote("DELETE", "written", nil)
		quote("DELETE", "stored", nil)
		r.run(1, "destroy", "-auto-approve")
		r.keep("in the end")
		for _, secret := range slices.Concat(written, clicked) {
			if places := r.found.places(secret); places != nil {
				t.Errorf("%s is in %q", secret, places)
			}
		}
		// Terraform stores sensitive values in states and plans, and shows them in the JSON of a plan.
		for _, secret := range stored {
			places := slices.DeleteFunc(r.found.places(secret), func(place string) bool {
				return strings.HasPrefix(place, "terraform.tfstate") || strings.HasPrefix(place, "next.tfplan") || strings.HasPrefix(place, "output of show")
			})
			if len(places) > 0 {
				t.Errorf("%s is in %q", secret, places)
			}
			if !slices.Contains(r.found.places(secret), "terraform.tfstate in the end") {
				t.Errorf("%s is not in the state, but in %q", secret, r.found.places(secret))
			}
		}
		for _, secret := range slices.Concat(written, stored) {
			if sent := fmt.Sprint(s.Sent("POST", ""), s.Sent("PUT", "")); !strings.Contains(sent, secret) {
				t.Errorf("%s was not sent", secret)
			}
		}
		r.wantFound(canary, "output of apply", "output of destroy", "trace.log")
	})

	// Terraform stores the values of variables in the plan, even sensitive ones, and shows them in
	// its JSON. No other file contains the key. To keep it out of the plan, use the environment or
	// an ephemeral variable.
	for ephemeral, held := range map[bool][]string{false: {"next.tfplan/tfplan in the end", "output of show 2"}, true: nil} {
		t.Run(fmt.Sprintf("a variable, ephemeral %t", ephemeral), func(t *testing.T) {
			t.Parallel()
			if first := version.Must(version.NewVersion("1.10.0")); ephemeral && (cli.OpenTofu() || cli.Version.LessThan(first)) {
				t.Skipf("ephemeral variables require Terraform %s; this is %s %s", first, cli.Name, cli.Version)
			}
			s, tap := tapService(t)
			r := startSecretRun(t, cli, plugins, s.URL, "", "  private_key     = var.private_key\n")
			r.Env = append(r.Env, "TF_VAR_private_key="+secretKey)
			declared := "variable \"private_key\" {\n  sensitive = true\n"
			if ephemeral {
				declared += "  ephemeral = true\n"
			}
			r.write("main.tf", declared+"}\n"+resources("First"))
			r.run(0, "plan", "-out=next.tfplan")
			r.run(0, "show", "-json", "next.tfplan")
			r.run(0, "apply", "next.tfplan")
			r.keep("in the end")
			r.wantNoSecrets(secretKey, tap, secretKey)
			providertest.WantEqual(t, r.found.places(secretKey), held)
		})
	}
}

// elsewhere starts another host, which challenges every request.
type elsewhere struct {
	*httptest.Server
	visits atomic.Int32
}

func startElsewhere(t *testing.T) *elsewhere {
	t.Helper()
	e := &elsewhere{}
	e.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Digest realm="MMS Public API", nonce="elsewhere", qop="auth"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	e.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			e.visits.Add(1)
		}
	}
	e.Start()
	t.Cleanup(e.Close)
	return e
}

func TestDigestIsComputedForTheConfiguredHostOnly(t *testing.T) {
	t.Parallel()
	redirect := func(status int) func(http.ResponseWriter, *http.Request, string) {
		return func(w http.ResponseWriter, r *http.Request, other string) {
			w.Header().Set("Location", other+r.URL.Path)
			w.WriteHeader(status)
		}
	}
	header := func(status int, name, value, body string) func(http.ResponseWriter, *http.Request, string) {
		return func(w http.ResponseWriter, _ *http.Request, other string) {
			w.Header().Set(name, strings.ReplaceAll(value, "OTHER", other))
			w.WriteHeader(status)
			_, _ = io.WriteString(w, strings.ReplaceAll(body, "OTHER", other))
		}
	}
	const list = `{"results": [], "totalCount": 900, "links": [{"rel": "self", "href": "OTHER/"}, {"rel": "next", "href": "OTHER/api/public/v1.0/next"}]}`
	lures := map[string]func(w http.ResponseWriter, r *http.Request, other string){
		"moved":             redirect(http.StatusMovedPermanently),
		"use a proxy":       redirect(http.StatusUseProxy),
		"permanent":         redirect(http.StatusPermanentRedirect),
		"created elsewhere": redirect(http.StatusCreated),
		"a domain":          header(http.StatusUnauthorized, "WWW-Authenticate", `Digest realm="MMS Public API", domain="OTHER/", nonce="n", qop="auth"`, ""),
		"a stale domain": header(
			http.StatusUnauthorized, "WWW-Authenticate",
			`Digest realm="MMS Public API", domain="OTHER/", nonce="n", qop="auth", stale=true`, "",
		),
		"a password":         header(http.StatusUnauthorized, "WWW-Authenticate", `Basic realm="OTHER"`, ""),
		"a proxy's":          header(http.StatusProxyAuthRequired, "Proxy-Authenticate", `Digest realm="OTHER", nonce="n", qop="auth"`, ""),
		"a link":             header(http.StatusOK, "Link", `<OTHER/>; rel="next"`, list),
		"a refresh":          header(http.StatusOK, "Refresh", `0; url=OTHER/`, `<meta http-equiv="refresh" content="0; url=OTHER/">`),
		"an alternative":     header(http.StatusServiceUnavailable, "Alt-Svc", `h2="OTHER"; ma=60`, list),
		"a misdirection":     header(http.StatusMisdirectedRequest, "Content-Location", `OTHER/`, list),
		"links of an object": header(http.StatusOK, "Content-Location", "OTHER/", `{"id": "NEW", "links": [{"rel": "self", "href": "OTHER/"}]}`),
	}
	for i, name := range slices.Sorted(maps.Keys(lures)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lure, other := lures[name], startElsewhere(t)
			for j, name := range slices.Sorted(maps.Keys(refusedCalls)) {
				call := refusedCalls[name]
				for k, answered := range []bool{false, true} { // before and after the key pair was accepted
					if !providertest.Sampled(i+2*j+k, 4) {
						continue
					}
					var luring atomic.Bool
					e := emulator.New(emulator.Options{})
					tap := &wiretap{}
					tap.next = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if luring.Load() && (!answered || r.Header.Get("Authorization") != "") {
							lure(w, r, other.URL)
							return
						}
						e.ServeHTTP(w, r)
					})
					server := httptest.NewServer(tap)
					call.run(providertest.NewWorkspace(t, &providertest.Service{Emulator: e, URL: server.URL}), func() { luring.Store(true) })
					server.Close()
					for _, authorization := range tap.heard() {
						if !strings.HasPrefix(authorization, "Digest username=") {
							t.Errorf("%s: the service received %q", call.summary, authorization)
						}
					}
				}
			}
			providertest.WantEqual(t, other.visits.Load(), int32(0))
			// A request to the other host is counted.
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, other.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := other.Client().Do(request)
			if err != nil {
				t.Fatal(err)
			}
			if err := response.Body.Close(); err != nil || other.visits.Load() != 1 {
				t.Errorf("a request was not counted: %v", err)
			}
		})
	}
}

func TestChallengeOfAProxyIsNotAnswered(t *testing.T) {
	t.Parallel()
	var sent atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent.Add(1)
		if r.Header.Get("Authorization") != "" || r.Header.Get("Proxy-Authorization") != "" {
			t.Errorf("the proxy received %v", r.Header)
		}
		w.Header().Set("Proxy-Authenticate", `Digest realm="MMS Public API", nonce="n", qop="auth"`)
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	t.Cleanup(proxy.Close)
	for _, scheme := range []string{"http", "https"} {
		w, _ := configure(t, nil, needed(scheme+"://om.invalid", values{"proxy_url": proxy.URL}))
		if err := reaches(w); err == nil {
			t.Error("the proxy's 407 was accepted as a response")
		}
	}
	if sent.Load() < 2 {
		t.Errorf("the proxy was called %d times", sent.Load())
	}
}

//go:build linux

package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

// versions are the emulated versions of Ops Manager that each client calls.
var versions = []string{"6.0.27", "7.0.23", "8.0.26", "9.0.0"}

// client is a client of Ops Manager that others wrote. It is not a part of this repository: it is
// built from its sources, in a folder that the flag -sources names. It works on real servers, so it
// proves that the emulator accepts what real servers accept.
type client struct {
	name, repository string
	commit           string // the pinned one
	missing          func(ctx context.Context) string

	// build builds the client from its sources. It returns what runs it: a process that prints a
	// line for each call, with its name, and with a tab and the error if it failed.
	build func(ctx context.Context, sources, dir string) (func(ctx context.Context, s *service) ([]byte, error), error)
}

var clients = []client{
	{
		// MongoDB's command line: lists, backup configurations, schedules, restores, and the stores of
		// all kinds but S3 oplog stores, also with a list of hosts as their uri.
		name:       "mongocli 2.0.3",
		repository: "mongodb/mongodb-atlas-cli",
		commit:     "7d949ce58aaf1bf618cc8f98dc48c31e4d9c3d20",
		missing:    needs("go", "version"),
		build:      buildCommandLine,
	},
	{
		// HTTP Digest with nc=1, a slash at the end of a list's path, null labels, stores and daemons
		// that are sent back as they were read, and job configurations.
		name:       "Kubernetes operator",
		repository: "mongodb/mongodb-kubernetes",
		commit:     "67a92993feab83312eb1385d92b68c0467fb0750",
		missing:    needs("go", "version"),
		build:      buildOperator,
	},
	{
		// Every call of backups that the emulator has, except for requests for a restore.
		name:       "pyomsdk 0.1.3",
		repository: "zhangyaoxing/pyomsdk",
		commit:     "60d51f35076012260ea2eadfb3bc92d60e62aeb7",
		missing:    needs("python3", "-c", "import httpx, pydantic as p; assert tuple(map(int, p.VERSION.split('.')[:2])) >= (2, 7), 'it needs pydantic 2.7, not ' + p.VERSION"),
		build:      buildLibrary,
	},
	{
		// Scripts of MongoDB's consultants: the first configuration of a daemon with its ID, in a path
		// with a slash at the end; //api; stores whose body has the ID.
		name:       "ce-terraform-ops-manager",
		repository: "mongodb-ps/ce-terraform-ops-manager",
		commit:     "d5886dd1254be1cc33e9b59183d059c3b85a1f52",
		missing:    needs("python3", "-c", "import requests"),
		build:      buildScripts,
	},
	{
		// A gem of 2018, written for old versions: a body with null in each GET, and objects in lists.
		name:       "mms-api 0.2.3",
		repository: "cargomedia/mms-api",
		commit:     "253d65bbae740b97111df1d79ea5464708ab527e",
		missing:    needs("ruby", "-r", "net/http/digest_auth", "-r", "terminal-table", "-r", "parseconfig", "-r", "clamp", "-e", ""),
		build:      buildGem,
	},
}

// needs returns what reports why a command that a client needs does not run.
func needs(name string, args ...string) func(context.Context) string {
	return func(ctx context.Context) string {
		printed, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
		if err != nil { // #nosec G204 -- constant
			lines := strings.Split(strings.TrimSpace(string(printed)), "\n")
			return strings.TrimSpace(fmt.Sprintf("%s does not run: %v %s", name, err, lines[len(lines)-1]))
		}
		return ""
	}
}

// knownFailures are the calls of clients that fail, with the reason.
var knownFailures = map[string]string{
	"mms-api 0.2.3: start a restore":                      "the gem does not send delivery, which the documentation requires",
	"mms-api 0.2.3: start a restore of a sharded cluster": "the gem does not send delivery, which the documentation requires",
}

// runClients runs the clients against the emulator, and prints a table for each. A call that fails
// is an error, unless it is a known failure. If clone is true, a skipped client is an error, too.
func runClients(ctx context.Context, out io.Writer, sources string, clone bool) error {
	var failures []error
	stale := map[string]bool{}
	for key := range knownFailures {
		stale[key] = true
	}
	for _, c := range clients {
		fmt.Fprintf(out, "\n%s (github.com/%s)\n", c.name, c.repository)
		commit, reason := c.find(ctx, sources, clone)
		if reason == "" {
			reason = c.missing(ctx)
		}
		if reason != "" {
			fmt.Fprintf(out, "SKIPPED: %s\n", reason)
			if clone { // with -clone, everything is expected to be there
				failures = append(failures, fmt.Errorf("%s was skipped: %s", c.name, reason))
			}
			for key := range stale {
				if strings.HasPrefix(key, c.name+": ") {
					delete(stale, key)
				}
			}
			continue
		}
		err := c.run(ctx, out, filepath.Join(sources, filepath.Base(c.repository)), commit, stale)
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", c.name, err))
		}
		if ctx.Err() != nil {
			return errors.Join(append(failures, ctx.Err())...)
		}
	}
	for key := range stale {
		failures = append(failures, fmt.Errorf("%s: this call is a known failure, but it did not fail", key))
	}
	return errors.Join(failures...)
}

// find returns the commit of the client's sources, or the reason why they cannot be used. If clone is
// true, it gets the pinned commit first.
func (c client) find(ctx context.Context, sources string, clone bool) (commit, reason string) {
	if sources == "" {
		return "", "no folder with the sources. Set -sources or OPSMANAGER_INTEROP_SOURCES; -clone gets them with git"
	}
	folder := filepath.Join(sources, filepath.Base(c.repository))
	git := func(args ...string) (string, error) {
		command := exec.CommandContext(ctx, "git", append([]string{"-C", folder}, args...)...) // #nosec G204 -- only the folder varies
		printed, err := command.CombinedOutput()
		return strings.TrimSpace(string(printed)), err
	}
	if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) && clone {
		if err := os.MkdirAll(folder, 0o750); err != nil {
			return "", err.Error()
		}
		for _, args := range [][]string{
			{"init", "--quiet"},
			{"fetch", "--quiet", "--depth=1", "https://github.com/" + c.repository, c.commit},
			{"checkout", "--quiet", "FETCH_HEAD"},
		} {
			if printed, err := git(args...); err != nil {
				return "", fmt.Sprintf("git %s: %v %s", args[0], err, printed)
			}
		}
	}
	commit, err := git("rev-parse", "HEAD")
	if err != nil {
		return "", fmt.Sprintf("%s has no sources", folder)
	}
	if commit != c.commit {
		return "", fmt.Sprintf("%s is at the commit %s. The calls are for %s", folder, commit, c.commit)
	}
	return commit, ""
}

// run builds the client, runs it on each version, and prints the table of its calls.
func (c client) run(ctx context.Context, out io.Writer, sources, commit string, stale map[string]bool) (err error) {
	dir, err := os.MkdirTemp("", "opsmanager-interop")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	sources, err = filepath.Abs(sources)
	if err != nil {
		return err
	}
	start, err := c.build(ctx, sources, dir)
	if err != nil {
		return err
	}
	var calls []string // in the order of the first version that has them
	results := map[string]map[string]string{}
	for _, version := range versions {
		s := newService(version)
		printed, err := start(ctx, s)
		s.Close()
		if err != nil {
			return fmt.Errorf("on %s: %w: %s", version, err, printed)
		}
		for line := range strings.Lines(string(printed)) {
			call, failure, failed := strings.Cut(strings.TrimSpace(line), "\t")
			if results[call] == nil {
				calls = append(calls, call)
				results[call] = map[string]string{}
			}
			results[call][version] = "ok"
			if failed {
				results[call][version] = cmp.Or(failure, "failed")
			}
		}
	}
	if len(calls) == 0 {
		return errors.New("it made no call")
	}

	fmt.Fprintf(out, "commit %s\n\n| call | %s |\n|---|%s\n", commit, strings.Join(versions, " | "), strings.Repeat("---|", len(versions)))
	var failures []error
	var reasons []string
	for _, call := range calls {
		key := c.name + ": " + call
		var cells, failed []string
		failure := ""
		for _, version := range versions {
			result := cmp.Or(results[call][version], "-")
			if result != "ok" && result != "-" {
				if reason := knownFailures[key]; reason != "" {
					if stale[key] {
						reasons = append(reasons, fmt.Sprintf("%s fails: %s", call, reason))
					}
					delete(stale, key)
					result = "known failure"
				} else {
					failure = cmp.Or(failure, result)
					failed = append(failed, version)
					result = "FAILED"
				}
			}
			cells = append(cells, result)
		}
		if failed != nil {
			failures = append(failures, fmt.Errorf("%s fails on %s: %s", call, strings.Join(failed, ", "), failure))
		}
		fmt.Fprintf(out, "| %s | %s |\n", call, strings.Join(cells, " | "))
	}
	for _, reason := range reasons {
		fmt.Fprintln(out, "\n"+reason)
	}
	return errors.Join(failures...)
}

// service is an emulated Ops Manager of one version.
type service struct {
	*httptest.Server

	version  string
	emulated *emulator.Emulator
}

func newService(version string) *service {
	service := &service{
		version: version,
		emulated: emulator.New(emulator.Options{
			ServiceVersion: version,
			Lenient:        true,
			Unrecorded:     true,
		}),
	}
	// The clients hold this snapshot, so it must not have expired.
	expires := time.Now().AddDate(0, 1, 0).UTC().Format(time.RFC3339)
	service.emulated.SetSnapshot(ledgerProject, ledger, ledgerSnapshot, map[string]any{"expires": expires})
	service.Server = httptest.NewServer(service.emulated)
	return service
}

// Objects in the seed of the emulator.
const (
	ledgerProject  = "64f0c2a19b3d5e7f80a1b2c3"
	ledger         = "650a1f3c2e4b6d8091a3b5c7"
	ledgerSnapshot = "66d2a1b0c4d6e8f0a2b4c601"
	cards          = "650a1f8b5d7092a4c6e8f013"
	reports        = "650a2177e1f3a5b7c9d00e42"
	reportsHost    = "reports-0.payments.example.com"
)

// command returns a command that knows the address and the key of the service.
func (s *service) command(ctx context.Context, dir string, environment []string, name string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, name, args...) // #nosec G204 -- what this program has built
	command.Dir = dir
	command.Env = append(append(os.Environ(), "OM_URL="+s.URL+"/", "OM_VERSION="+s.version,
		"PUBLIC_KEY="+emulator.DefaultPublicKey, "PRIVATE_KEY="+emulator.DefaultPrivateKey), environment...)
	return command
}

// output runs a command whose output is the list of calls.
func output(command *exec.Cmd) ([]byte, error) {
	var failed bytes.Buffer
	command.Stderr = &failed
	printed, err := command.Output()
	if err != nil {
		return failed.Bytes(), err
	}
	return printed, nil
}

// build runs go build in the sources of a client.
func build(ctx context.Context, sources string, args ...string) error {
	command := exec.CommandContext(ctx, "go", append([]string{"build", "-buildvcs=false"}, args...)...) // #nosec G204 -- only folders vary
	command.Dir = sources
	if printed, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, printed)
	}
	return nil
}

//go:embed testdata/operator.go
var operatorDriver []byte

//go:embed testdata/python_library.py
var libraryDriver []byte

//go:embed testdata/ruby_gem.rb
var gemDriver []byte

// buildOperator compiles a driver into the module of the operator, whose sources stay as they are.
func buildOperator(ctx context.Context, sources, dir string) (func(context.Context, *service) ([]byte, error), error) {
	driver := filepath.Join(dir, "main.go")
	overlay := filepath.Join(dir, "overlay.json")
	binary := filepath.Join(dir, "operator")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(sources, "interopdriver", "main.go"): driver}})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.WriteFile(driver, operatorDriver, 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		return nil, err
	}
	if err := build(ctx, sources, "-overlay", overlay, "-o", binary, "./interopdriver"); err != nil {
		return nil, err
	}
	return func(ctx context.Context, s *service) ([]byte, error) { return output(s.command(ctx, dir, nil, binary)) }, nil
}

// buildLibrary prepares the Python library, which asks for the version that it was installed with.
func buildLibrary(_ context.Context, sources, dir string) (func(context.Context, *service) ([]byte, error), error) {
	metadata := filepath.Join(dir, "pyomsdk-0.1.3.dist-info")
	driver := filepath.Join(dir, "driver.py")
	err := errors.Join(os.Mkdir(metadata, 0o700), os.WriteFile(filepath.Join(metadata, "METADATA"), []byte("Metadata-Version: 2.1\nName: pyomsdk\nVersion: 0.1.3\n"), 0o600),
		os.WriteFile(driver, libraryDriver, 0o600))
	if err != nil {
		return nil, err
	}
	folders := []string{dir, filepath.Join(sources, "src")}
	if others := os.Getenv("PYTHONPATH"); others != "" {
		folders = append(folders, others)
	}
	path := "PYTHONPATH=" + strings.Join(folders, ":")
	return func(ctx context.Context, s *service) ([]byte, error) {
		return output(s.command(ctx, dir, []string{path, "PYTHONDONTWRITEBYTECODE=1"}, "python3", driver))
	}, nil
}

// buildGem prepares the Ruby gem.
func buildGem(_ context.Context, sources, dir string) (func(context.Context, *service) ([]byte, error), error) {
	driver := filepath.Join(dir, "driver.rb")
	if err := os.WriteFile(driver, gemDriver, 0o600); err != nil {
		return nil, err
	}
	return func(ctx context.Context, s *service) ([]byte, error) {
		return output(s.command(ctx, dir, nil, "ruby", "-I", filepath.Join(sources, "lib"), driver))
	}, nil
}

// step is a call that is a command of its own.
type step struct {
	call string
	args []string
	says string // text in the output
	env  []string
	text bool // the command has no output as JSON
}

// runSteps runs a command for each call.
func runSteps(steps []step, command func(step) *exec.Cmd) []byte {
	var printed bytes.Buffer
	for _, step := range steps {
		said, err := command(step).CombinedOutput()
		printed.WriteString(step.call)
		if err != nil || !bytes.Contains(said, []byte(step.says)) {
			fmt.Fprintf(&printed, "\t%s (%v)", strings.Join(strings.Fields(string(said)), " "), err)
		}
		printed.WriteByte('\n')
	}
	return printed.Bytes()
}

// buildCommandLine builds MongoDB's command line.
func buildCommandLine(ctx context.Context, sources, dir string) (func(context.Context, *service) ([]byte, error), error) {
	binary := filepath.Join(dir, "mongocli")
	if err := build(ctx, sources, "-o", binary, "./cmd/mongocli"); err != nil {
		return nil, err
	}
	backups := func(call, says string, arguments string) step {
		return step{
			call: call,
			says: says,
			args: append([]string{"ops-manager", "backups"}, strings.Fields(arguments)...),
		}
	}
	steps := []step{
		{call: "list projects", says: `"Payments"`, args: []string{"iam", "projects", "list"}},
		{call: "read a project", says: `"Payments"`, args: []string{"iam", "projects", "describe", ledgerProject}},
		backups("list backup configurations", ledger, "config list"),
		backups("read a backup configuration", `"STARTED"`, "config describe "+ledger),
		backups("stop a backup", `"STOPPED"`, "config update "+ledger+" --status STOPPED"),
		backups("restart a backup", `"STARTED"`, "config update "+ledger+" --status STARTED"),
		backups("start a backup", `"STARTED"`,
			"config update "+reports+" --status STARTED --storageEngine WIRED_TIGER --syncSource PRIMARY"),
		backups("list snapshots", ledgerSnapshot, "snapshots list "+ledger),
		backups("change a schedule", `"snapshotRetentionDays": 4`,
			"snapshots schedule update --clusterId "+ledger+" --snapshotRetentionDays 4"),
		backups("list restore jobs", `"results"`, "restores list "+ledger),
		backups("start a restore to a link", ledgerSnapshot,
			"restores start HTTP --clusterId "+ledger+" --snapshotId "+ledgerSnapshot+" --expirationHours 2 --maxDownloads 1"),
		backups("start a restore into a cluster", ledgerSnapshot,
			"restores start AUTOMATED_RESTORE --clusterId "+ledger+" --snapshotId "+ledgerSnapshot+" --targetClusterId "+cards+" --targetProjectId "+ledgerProject),
	}
	automation := func(call, says string, args ...string) step {
		return step{
			call: call,
			says: says,
			args: append([]string{"ops-manager"}, args...),
		}
	}
	const published = "Changes are being applied"
	steps = append(steps,
		automation("list automation agents", reportsHost, "agents", "list", "AUTOMATION"),
		automation("list backup agents", `"BACKUP"`, "agents", "list", "BACKUP"),
		automation("read the automation configuration", `"automation-password"`, "automation", "describe"),
		step{
			call: "enable the backup module",
			says: published,
			args: []string{"ops-manager", "backups", "enable", reportsHost},
			text: true,
		},
		automation("read the automation status", `"goalVersion"`, "automation", "status"),
		step{
			call: "wait for the agents",
			says: "Changes deployed successfully",
			args: []string{"ops-manager", "automation", "watch"},
			text: true,
		},
		automation("list backup agents", `"BACKUP"`, "agents", "list", "BACKUP"), // while the module starts
		automation("list backup agents", `"BACKUP"`, "agents", "list", "BACKUP"),
		automation("list the backup agent of the enabled module", reportsHost, "agents", "list", "BACKUP"),
		step{
			call: "disable the backup module",
			says: published,
			args: []string{"ops-manager", "backups", "disable", reportsHost},
			text: true,
		},
	)
	database := []string{"--uri", "db1.example.com:27017,db2.example.com:27017"}
	files := []string{"--storePath", "/backup", "--wtCompressionSetting", "GZIP", "--mmapv1CompressionSetting", "NONE", "--loadFactor", "2"}
	bucket := append([]string{
		"--awsAccessKey", "AKIA00000000",
		"--awsSecretKey", "secret",
		"--s3AuthMethod", "KEYS",
		"--s3BucketEndpoint", "s3.example.com",
		"--s3BucketName", "snapshots",
		"--s3MaxConnections", "50",
		"--acceptedTos",
		"--loadFactor", "2",
	}, database...)
	for _, store := range []struct {
		name, command string
		fields        []string
	}{
		{"blockstore", "blockstores", append([]string{"--loadFactor", "2"}, database...)},
		{"oplog store", "oplog", database},
		{"sync store", "sync", database},
		{"file system store", "fileSystems", files},
		{"S3 blockstore", "s3", bucket},
	} {
		admin := func(verb, says string, args ...string) step {
			return step{
				call: verb + ": " + store.name,
				says: says,
				args: append([]string{"ops-manager", "admin", "backups", store.command, verb}, args...),
			}
		}
		steps = append(steps,
			admin("list", `"results"`),
			admin("create", `"cli-1"`, append([]string{"--name", "cli-1", "--label", "a", "--assignment"}, store.fields...)...),
			admin("describe", `"cli-1"`, "cli-1"),
			admin("update", `"cli-1"`, append([]string{"cli-1", "--label", "b"}, store.fields...)...),
			admin("delete", "deleted", "cli-1", "--force"),
		)
	}
	return func(ctx context.Context, s *service) ([]byte, error) {
		environment := []string{
			"HOME=" + dir,
			"XDG_CONFIG_HOME=" + dir,
			"MCLI_SKIP_UPDATE_CHECK=yes",
			"MCLI_TELEMETRY_ENABLED=false",
			"MCLI_SERVICE=ops-manager",
			"MCLI_OPS_MANAGER_URL=" + s.URL + "/",
			"MCLI_PUBLIC_API_KEY=" + emulator.DefaultPublicKey,
			"MCLI_PRIVATE_API_KEY=" + emulator.DefaultPrivateKey,
			"MCLI_PROJECT_ID=" + ledgerProject,
		}
		return runSteps(steps, func(step step) *exec.Cmd {
			args := step.args
			if !step.text && !slices.Contains(args, "--force") {
				args = append(slices.Clone(args), "--output", "json")
			}
			return s.command(ctx, dir, environment, binary, args...)
		}), nil
	}, nil
}

// buildScripts prepares the scripts of MongoDB's consultants.
func buildScripts(_ context.Context, sources, dir string) (func(context.Context, *service) ([]byte, error), error) {
	bucket := []string{"S3_BUCKET_NAME=snapshots", "S3_BUCKET_ENDPOINT=https://s3.example.com"}
	store := func(call, kind, backup string, env ...string) step {
		return step{
			call: call,
			args: []string{"configure_backup.py"},
			says: "Successfully",
			env: append(env,
				"STORE_ID=script-1",
				"STORE_TYPE="+kind,
				"BACKUP_TYPE="+backup,
				"HOSTS_STR=db1.example.com:27017",
				"OPLOG_USER=backup",
				"OPLOG_PWD=secret",
			),
		}
	}
	steps := []step{
		{
			call: "configure a daemon",
			args: []string{"enable_daemon.py"},
			says: "enabled successfully",
			env:  []string{"HEADDB=/data/heads/"},
		},
		{
			call: "list and create S3 oplog stores",
			args: []string{"create_s3store.py"},
			says: "Successfully",
			env: []string{
				"S3_ENDPOINT=https://s3.example.com",
				"S3_BUCKET=snapshots",
				"S3_ACCESS_KEY=AKIA00000000",
				"S3_SECRET_KEY=secret",
				"OPLOG_HOSTS_STR=db1.example.com:27017",
				"OPLOG_USER=backup",
				"OPLOG_PWD=secret",
				"OPLOG_STORE_ID=script-0",
				"STORE_TYPE=oplog",
			},
		},
	}
	for _, s := range []struct {
		name, kind, backup string
		env                []string
	}{
		{"blockstore", "snapshot", "mongo", bucket},
		{"oplog store", "oplog", "mongo", bucket},
		{"S3 blockstore", "snapshot", "s3", bucket},
		{"S3 oplog store", "oplog", "s3", bucket},
		{"file system store", "snapshot", "fileSystem", []string{"FILESYSTEM_PATH=/backup"}},
	} {
		steps = append(steps,
			store("create: "+s.name, s.kind, s.backup, s.env...),
			store("update: "+s.name, s.kind, s.backup, s.env...),
		)
	}
	return func(ctx context.Context, s *service) ([]byte, error) {
		// The scripts configure the first daemon of the list.
		s.emulated.RemoveBackupDaemon("om-ny.example.com", "/data/backup/")
		s.emulated.RemoveBackupDaemon("om-au.example.com", "/data/backup/")
		return runSteps(steps, func(step step) *exec.Cmd {
			return s.command(ctx, filepath.Join(sources, "scripts"), append(step.env, "PYTHONDONTWRITEBYTECODE=1"), "python3", step.args...)
		}), nil
	}, nil
}

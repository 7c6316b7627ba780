//go:build linux

// Command interop runs the client against servers that others wrote, the emulator against
// clients that others wrote, and the provider under the tools that people have around Terraform.
//
// The servers are from Debian packages: Apache httpd, and Jetty, which Ops Manager is built on. It
// starts each server with several configurations of HTTP Digest, calls it with concurrent workers,
// and prints how many calls succeeded and how many challenges the server sent.
//
// The clients are built from their sources. It runs each on several versions of the emulator, and
// prints which calls succeeded. A client whose sources or tools are absent is skipped.
//
// The tools are built from their modules. It prints what each proves, and whether it does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"terraform-provider-opsmanager/internal/opsmanager"
)

const (
	workers        = 20
	callsOfAWorker = 200
	calls          = workers * callsOfAWorker

	user, password = "interop", "correct-horse-battery-staple"
	realm          = "MMS Public API"

	project = "5e8f3b5a4f1d2c0012345678"
	cluster = "5e8f3b5a4f1d2c00aabbccdd"
)

// scenario is a configuration of a server.
type scenario struct {
	server, name string

	// command prepares a directory and returns the command of a server that serves its
	// subdirectory files on a local port, and writes the status of each response as a line
	// of answers.log.
	command func(ctx context.Context, dir string, port int) (*exec.Cmd, error)

	restarts       bool          // whether the server is restarted while it is called
	pause          time.Duration // of a worker after each call
	mostChallenges int           // upper bound; more would be a bug of the client
	nonceAge       time.Duration // if set, the bound grows by one for each worker in this time
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("interop: ")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	only := flag.String("only", "", "run one `part`: servers, clients or tools")
	sources := flag.String("sources", os.Getenv("OPSMANAGER_INTEROP_SOURCES"), "`folder` with a folder for each client, named like its repository; the default is OPSMANAGER_INTEROP_SOURCES")
	clone := flag.Bool("clone", false, "get the sources that -sources lacks from GitHub, and fail if a client or a tool is skipped")
	flag.Parse()
	if flag.NArg() > 0 || !slices.Contains([]string{"", "servers", "clients", "tools"}, *only) {
		flag.Usage()
		os.Exit(2)
	}
	var failures []error
	isPart := func(part string) bool { return (*only == "" || *only == part) && ctx.Err() == nil }
	if isPart("servers") {
		failures = append(failures, runServers(ctx, os.Stdout))
	}
	if isPart("clients") {
		failures = append(failures, runClients(ctx, os.Stdout, *sources, *clone))
	}
	if isPart("tools") {
		failures = append(failures, runTools(ctx, os.Stdout, *clone))
	}
	if err := errors.Join(failures...); err != nil {
		log.Fatal(err)
	}
}

// runServers runs the client against the servers.
func runServers(ctx context.Context, out io.Writer) error {
	if err := checkPackages(); err != nil {
		return err
	}
	fmt.Fprintln(out, "| server | scenario | calls | succeeded | challenges | at most | time |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|")
	var failures []error
	for _, s := range append(apacheScenarios, jettyScenarios...) {
		if err := s.run(ctx, out); err != nil {
			failures = append(failures, fmt.Errorf("%s, %s: %w", s.server, s.name, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failures...)
}

// checkPackages returns an error with the packages that are not installed.
func checkPackages() error {
	var missing []string
	for _, p := range []struct{ name, file string }{
		{"apache2", apacheBinary},
		{"default-jre-headless", javaBinary},
		{"libjetty9-java", filepath.Join(jars, "jetty9-security.jar")},
		{"libservlet-api-java", servletAPI},
	} {
		if _, err := os.Stat(p.file); err != nil {
			missing = append(missing, p.name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("some Debian packages are missing: run apt-get install --no-install-recommends %s", strings.Join(missing, " "))
	}
	return nil
}

// run runs a scenario, and prints a row of the table.
func (s scenario) run(ctx context.Context, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "opsmanager-interop")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.Chmod(dir, 0o755); err != nil { // Apache's workers run as another user
		return err
	}
	if err := writeSchedule(dir); err != nil {
		return err
	}
	port, err := freePort(ctx)
	if err != nil {
		return err
	}
	server := &process{start: func() (*exec.Cmd, error) { return s.command(ctx, dir, port) }, address: fmt.Sprintf("127.0.0.1:%d", port)}
	if err := server.up(ctx); err != nil {
		return err
	}
	defer server.down()

	client := opsmanager.NewClient(opsmanager.Config{
		BaseURL:    &url.URL{Scheme: "http", Host: server.address},
		PublicKey:  user,
		PrivateKey: password,
		Timeout:    30 * time.Second,
		MaxRetries: 6,
	})
	var succeeded atomic.Int32
	started := time.Now()
	group, calling := errgroup.WithContext(ctx)
	for range workers {
		group.Go(func() error {
			for range callsOfAWorker {
				if _, err := client.SnapshotSchedule(calling, project, cluster); err != nil {
					return err
				}
				succeeded.Add(1)
				time.Sleep(s.pause)
			}
			return nil
		})
	}
	if s.restarts {
		group.Go(func() error {
			for succeeded.Load() < calls/2 {
				select {
				case <-time.After(time.Millisecond):
				case <-calling.Done():
					return nil
				}
			}
			server.down()
			return server.up(calling)
		})
	}
	failed := group.Wait()
	took := time.Since(started)
	challenges, err := countChallenges(dir)
	if err != nil {
		return err
	}
	most := s.mostChallenges
	if s.nonceAge > 0 {
		most += workers * int(took/s.nonceAge)
	}
	fmt.Fprintf(out, "| %s | %s | %d | %d | %d | %d | %.1f s |\n", s.server, s.name, calls, succeeded.Load(), challenges, most, took.Seconds())
	switch {
	case failed != nil:
		return failed
	case challenges == 0 || challenges > most:
		return fmt.Errorf("%d challenges, want 1 to %d", challenges, most)
	}
	return nil
}

// writeSchedule writes a schedule to the path that the client requests.
func writeSchedule(dir string) error {
	path := filepath.Join(dir, "files", "api/public/v1.0/groups", project, "backupConfigs", cluster)
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	schedule := fmt.Sprintf(`{"groupId": %q, "clusterId": %q, "snapshotIntervalHours": 6}`, project, cluster)
	return os.WriteFile(filepath.Join(path, "snapshotSchedule"), []byte(schedule), 0o644)
}

// countChallenges returns the number of 401 responses in a server's log.
func countChallenges(dir string) (int, error) {
	answers, err := os.ReadFile(filepath.Join(dir, "answers.log"))
	return strings.Count(string(answers), "401\n"), err
}

func freePort(ctx context.Context) (int, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil //nolint:forcetypeassert // documented for TCP
}

// process is a server that can be restarted.
type process struct {
	start   func() (*exec.Cmd, error)
	address string

	running *exec.Cmd
	ended   chan struct{}
	why     error // of the end
}

// up starts the server and waits until it accepts connections.
func (p *process) up(ctx context.Context) (err error) {
	if p.running, err = p.start(); err != nil {
		return err
	}
	var printed strings.Builder
	p.running.Stdout = &printed
	p.running.Stderr = &printed
	p.running.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.running.Start(); err != nil {
		return err
	}
	p.ended = make(chan struct{})
	go func() {
		p.why = p.running.Wait()
		close(p.ended)
	}()
	for {
		connection, err := new(net.Dialer).DialContext(ctx, "tcp", p.address)
		if err == nil {
			return connection.Close()
		}
		select {
		case <-p.ended:
			return fmt.Errorf("the server exited (%w): %s", p.why, printed.String())
		case <-ctx.Done():
			p.down()
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// down stops the server and its child processes.
func (p *process) down() {
	_ = syscall.Kill(-p.running.Process.Pid, syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(5 * time.Second):
		_ = syscall.Kill(-p.running.Process.Pid, syscall.SIGKILL)
		<-p.ended
	}
}

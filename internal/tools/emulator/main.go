// Command emulator serves an emulated Ops Manager, so you can try out the provider and
// write configurations without a real one. It also prepares the rehearsal of a configuration.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/tools/assumptions"
)

// version is set by the release.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "emulator:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. It prints the address, the contents and the changes to out, and requests to
// logs, if a flag asks for them.
func run(ctx context.Context, args []string, out, logs io.Writer) error {
	c, err := parse(args, logs)
	if err != nil {
		return err
	}
	switch {
	case c.version:
		_, err := fmt.Fprintln(out, "opsmanager-emulator", version)
		return err
	case c.rehearse != "":
		return rehearse(ctx, c, out, logs)
	}
	out = printable{out}
	logger := log.New(printable{logs}, "", log.LstdFlags)
	if c.requests {
		requests := &requestLog{to: logger}
		defer requests.flush()
		c.options.OnRequest = requests.add
	}
	if log := c.options.OnRequest; len(c.options.Keys) > 0 {
		c.options.OnRequest = func(r emulator.Request) {
			if r.IsRoleUnknown {
				fmt.Fprintf(out, "%s %s is allowed: which role it needs is not documented\n", r.Method, r.Path)
			}
			if log != nil {
				log(r)
			}
		}
	}
	c.options.OnChange = func(change emulator.Change) { fmt.Fprint(out, inWords(change)) }
	service := emulator.New(c.options)

	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.addr)
	if err != nil {
		return fmt.Errorf("%w: choose another address with -addr, or with make emulator ADDR=127.0.0.1:0; port 0 selects a free port", err)
	}
	server := &http.Server{
		Handler:           forHosts(c.hosts, logger, service),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          logger,
	}
	serve := server.Serve
	if c.tlsDir != "" {
		if server.TLSConfig, err = tlsConfig(c.tlsDir, c.hosts, c.demandClientCertificate); err != nil {
			return errors.Join(err, listener.Close())
		}
		serve = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
	}
	announce(out, listener.Addr(), c)
	defer func() { fmt.Fprint(out, "\n", summary(service.Changes())) }()

	served := make(chan error, 1)
	go func() { served <- serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		return errors.Join(err, server.Close())
	}
	return nil
}

// config is the parsed command line.
type config struct {
	addr                    string
	hosts                   []string // names that requests may use
	tlsDir                  string   // directory for the certificates; without it, connections have no TLS
	demandClientCertificate bool
	requests                bool   // print them
	version                 bool   // print the version, and nothing else
	rehearse                string // folder of a configuration to rehearse, instead of serving
	terraform               string // command that prepares the rehearsal
	options                 emulator.Options
}

// parse parses the command line, and reads the seed file.
func parse(args []string, logs io.Writer) (c config, err error) {
	flags := flag.NewFlagSet("emulator", flag.ContinueOnError)
	flags.SetOutput(logs)
	flags.StringVar(&c.addr, "addr", "127.0.0.1:8080", "`address` to listen on; port 0 selects a free port")
	hosts := flags.String("host", "", "comma-separated `names` of this machine for clients, such as that of a container; clients may always use the host in -addr, localhost and IP addresses")
	flags.StringVar(&c.tlsDir, "tls", "", "serve TLS with a new certificate, and write its authority, and a client certificate with its key, into this `directory`")
	flags.BoolVar(&c.demandClientCertificate, "demand-client-certificate", false, "with -tls, reject connections without the client certificate")
	flags.BoolVar(&c.requests, "requests", false, "print each request, and not only what changes")
	flags.StringVar(&c.rehearse, "rehearse", "", "copy a `folder` and its state, to rehearse them at -addr")
	flags.StringVar(&c.terraform, "terraform", "", "with -rehearse, the `command` of Terraform or OpenTofu")
	flags.BoolVar(&c.version, "version", false, "print the version")
	seedFile := flags.String("seed", "", "JSON `file` with the objects at the start: a copy that the survey wrote, or one like internal/emulator/seed.json, the default")
	var reports []string
	flags.Func("like", "play the Ops Manager of a report of the survey or of make testacc-live, a `file`; other flags count more; repeat it for more reports", func(file string) error {
		reports = append(reports, file)
		return nil
	})
	c.options = emulator.Defaults()
	c.options.Lenient = true
	groups := c.options.Groups()
	for _, group := range groups {
		for _, s := range group.Options {
			define(flags, s)
		}
	}
	flags.Usage = func() { usage(flags, groups, slices.Contains(args, "all")) }
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	keep := func(name string) bool { return given[name] }
	if *seedFile != "" {
		if err := readSeed(*seedFile, &c.options, keep); err != nil {
			return c, fmt.Errorf("%s: %w", *seedFile, err)
		}
	}
	for _, file := range reports {
		if err := play(file, &c.options, keep); err != nil {
			return c, err
		}
	}
	switch {
	case flags.NArg() > 0:
		return c, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case given["rehearse"] && c.rehearse == "":
		return c, errors.New("name the folder of the configuration: -rehearse ~/backups, or make rehearse DIR=~/backups")
	case given["rehearse"] && (c.tlsDir != "" || strings.HasPrefix(c.addr, ":") || strings.HasSuffix(c.addr, ":0")):
		return c, errors.New("-rehearse needs the address of an emulator without -tls in -addr, such as 127.0.0.1:8080")
	case c.demandClientCertificate && c.tlsDir == "":
		return c, errors.New("-demand-client-certificate requires -tls")
	}
	if err := c.options.Check(); err != nil {
		return c, fmt.Errorf("-%w", err)
	}
	for name := range strings.SplitSeq(c.addr+","+*hosts, ",") {
		if name = hostname(strings.TrimSpace(name)); name != "" {
			c.hosts = append(c.hosts, name)
		}
	}
	if c.tlsDir != "" {
		if c.tlsDir, err = filepath.Abs(c.tlsDir); err != nil {
			return c, err
		}
	}
	c.options.Unrecorded = true
	return c, nil
}

// mostMemory is what a copy of thousands of clusters may take, with what reading it leaves behind.
const mostMemory = 280 << 20

// readSeed reads the objects at the start. If the seed is a copy, the emulator also has the version and
// the options of the copy, except for those that keep returns true for.
func readSeed(path string, options *emulator.Options, keep func(name string) bool) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	before := debug.SetMemoryLimit(mostMemory)
	options.Seed, err = emulator.ReadSeed(file)
	if err != nil || options.Seed.Copy.Format == 0 {
		debug.SetMemoryLimit(before) // only a copy is large
		return err
	}
	debug.FreeOSMemory()
	return options.Play(options.Seed.Copy, keep)
}

// play sets the options that a report settles, except for those that keep returns true for.
func play(file string, options *emulator.Options, keep func(name string) bool) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	report, err := assumptions.ReadReport(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	report.Apply(options, keep)
	return nil
}

// announce prints the address, the contents, and the settings of the provider.
func announce(out io.Writer, addr net.Addr, c config) {
	options := c.options
	var text strings.Builder
	host := addr.String()
	if at, err := netip.ParseAddrPort(host); err == nil {
		if !at.Addr().IsLoopback() {
			fmt.Fprintf(&text, "WARNING: other machines can reach %s. The emulator is for testing only.\n\n", addr)
		}
		if at.Addr().IsUnspecified() {
			host = fmt.Sprintf("127.0.0.1:%d", at.Port())
		}
	}
	scheme := "http"
	if c.tlsDir != "" {
		scheme = "https"
	}
	baseURL := scheme + "://" + host + emulator.BasePath
	keys := []string{options.PublicKey}
	if len(options.Keys) > 0 {
		keys = append(slices.Clone(options.Keys), options.PublicKey+", with all roles")
	}
	fmt.Fprintf(&text, "Listening on %s, profile %s\nBase URL     %s\nPublic key   %s\nPrivate key  %s\n",
		addr, options.Profile, baseURL, strings.Join(keys, "\n             "), options.PrivateKey)

	if options.Seed.Copy.Format != 0 {
		announceCopy(&text, options)
	} else {
		announceSeed(&text, options)
	}
	if options.Seed.Copy.Format != 0 && c.tlsDir == "" {
		fmt.Fprintf(&text, "\nTo rehearse a configuration on the copy, run one of these in another terminal:\n\nopsmanager-emulator -addr %[1]s -rehearse ~/backups\nmake rehearse ADDR=%[1]s DIR=~/backups\n", host)
	}
	fmt.Fprint(&text, "\nRun these in a second terminal. Ctrl-C ends the emulator.\n\n")
	set := func(name, value string) { text.WriteString(export(runtime.GOOS, name, value)) }
	set("OPSMANAGER_BASE_URL", baseURL)
	publicKey, _, _ := strings.Cut(keys[0], ":")
	set("OPSMANAGER_PUBLIC_KEY", publicKey)
	set("OPSMANAGER_PRIVATE_KEY", options.PrivateKey)
	if c.tlsDir != "" {
		set("OPSMANAGER_CA_CERT_FILE", filepath.Join(c.tlsDir, "ca.pem"))
	}
	if c.demandClientCertificate {
		set("OPSMANAGER_CLIENT_CERT_FILE", filepath.Join(c.tlsDir, "client.pem"))
		set("OPSMANAGER_CLIENT_KEY_FILE", filepath.Join(c.tlsDir, "client-key.pem"))
	}
	fmt.Fprintln(&text)
	_, _ = io.WriteString(out, text.String())
}

// announceCopy prints how much a copy has, and what it lacks.
func announceCopy(text *strings.Builder, options emulator.Options) {
	clusters := 0
	stores := 0
	for _, project := range options.Seed.Projects {
		clusters += len(project.Clusters)
	}
	for _, kind := range options.Seed.BackupStores {
		stores += len(kind)
	}
	fmt.Fprintf(text, "\nA copy of an Ops Manager %s: %d projects, %d clusters and shards, %d stores, %d daemons, %d deployment regions.\n",
		options.ServiceVersion,
		len(options.Seed.Projects),
		clusters,
		stores,
		len(options.Seed.BackupDaemons),
		len(options.Seed.DeploymentRegions),
	)
	const most = 10
	unread := options.Seed.Copy.Unread
	for i, one := range unread {
		if i == most {
			fmt.Fprintf(text, "  and %d more\n", len(unread)-most)
			break
		}
		fmt.Fprintf(text, "  refused, because the survey could not read it: %s\n", one.Path)
	}
}

// announceSeed prints the objects of a seed.
func announceSeed(text *strings.Builder, options emulator.Options) {
	for _, project := range options.Seed.Projects {
		fmt.Fprintf(text, "\nProject %s  %s\n", project.ID, project.Name)
		for _, cluster := range project.Clusters {
			status := "not monitored, so not backed up"
			if cluster.BackupConfig != nil {
				status = fmt.Sprint(cluster.BackupConfig["statusName"])
			}
			if cluster.Unmanaged {
				status += ", not managed by Automation, so it can't be restored into"
			}
			name := cluster.Name
			if cluster.ShardOf != "" {
				name += " (" + cluster.ReplicaSetName + ")"
			}
			fmt.Fprintf(text, "  cluster %s  %s, %s, %s\n", cluster.ID, name, cluster.TypeName, status)
		}
		for _, host := range project.Hosts {
			kind := "config server"
			if host.Mirrored {
				kind = fmt.Sprintf("mirrored config server, %d snapshots", len(host.Snapshots))
			}
			fmt.Fprintf(text, "  host    %s  %s\n", host.ID, kind)
		}
		for _, agent := range project.Agents {
			state := "runs"
			if agent.Down != "" {
				state = "is down"
			}
			fmt.Fprintf(text, "  agent   %s  %s\n", agent.Hostname, state)
		}
	}
	fmt.Fprintln(text)
	for _, region := range options.Seed.DeploymentRegions {
		bound := ""
		by := options.Seed.RegionBindings[fmt.Sprint(region["id"])]
		if len(by) > 0 {
			bound = ", bound to " + strings.Join(by, ", ")
		}
		fmt.Fprintf(text, "Deployment region %q  %v%s\n", region["id"], region["deploymentDescription"], bound)
	}
	fmt.Fprintln(text)
	for _, kind := range emulator.StoreKinds {
		for _, store := range options.Seed.BackupStores[kind] {
			fmt.Fprintf(text, "Backup store %q  %s\n", store["id"], kind)
		}
	}
}

// printable replaces characters that a terminal would not print, so a request can't forge
// or hide what it shows.
type printable struct{ to io.Writer }

func (p printable) Write(text []byte) (int, error) {
	_, err := p.to.Write(bytes.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text))
	return len(text), err
}

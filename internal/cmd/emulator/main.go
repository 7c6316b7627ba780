// Command emulator serves an in-memory Ops Manager on a port, for trying out
// the provider and for writing configurations without a service.
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
	"regexp"
	"strings"
	"syscall"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

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

// run serves until ctx ends. The address and contents go to out, a line per
// request to logs.
func run(ctx context.Context, args []string, out, logs io.Writer) error {
	addr, secure, options, err := parse(args, logs)
	if err != nil {
		return err
	}
	logger := log.New(logs, "", log.LstdFlags)
	options.OnRequest = func(r emulator.Request) { logRequest(logger, r) }

	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("%w: choose another address with -addr, or make emulator ADDR=127.0.0.1:0; port 0 picks a free one", err)
	}
	server := &http.Server{Handler: emulator.New(options), ReadHeaderTimeout: 10 * time.Second, ErrorLog: logger}
	serve := server.Serve
	if secure.dir != "" {
		host, _, _ := net.SplitHostPort(addr)
		if server.TLSConfig, err = tlsConfig(secure.dir, host, secure.demand); err != nil {
			return errors.Join(err, listener.Close())
		}
		serve = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
	}
	announce(out, listener.Addr(), secure, options)

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

// security is how connections are protected: not at all without a folder for the
// certificates.
type security struct {
	dir    string
	demand bool // of clients, to present a certificate
}

// parse reads the command line and the seed that it names.
func parse(args []string, logs io.Writer) (addr string, secure security, options emulator.Options, err error) {
	flags := flag.NewFlagSet("emulator", flag.ContinueOnError)
	flags.SetOutput(logs)
	flags.StringVar(&addr, "addr", "127.0.0.1:8080", "`address` to listen on; port 0 picks one")
	flags.StringVar(&secure.dir, "tls", "", "serve TLS, with a certificate of an authority made for it, and write that authority's certificate, and a client's with its key, into this `folder`")
	flags.BoolVar(&secure.demand, "demand-client-certificate", false, "with -tls, take no connection without the client's certificate")
	profile := flags.String("profile", string(emulator.Full), "`full` or documented: all operations, or only PATCH of a schedule, the lists of configurations and config server snapshots, and DELETE of a region")
	unknown := flags.String("unknown-routes", string(emulator.APIDocument), "answer to what the profile lacks: `document`, the API's own error; go, the plain text of Go's http.NotFound; nginx, its page")
	seedFile := flags.String("seed", "", "JSON `file` to start from instead of the built-in seed")
	omit := flags.String("omit-fields", "", "comma-separated schedule `fields` to leave out of every answer")
	flags.StringVar(&options.PublicKey, "public-key", emulator.DefaultPublicKey, "user name of Digest")
	flags.StringVar(&options.PrivateKey, "private-key", emulator.DefaultPrivateKey, "password of Digest")
	flags.StringVar(&options.Challenge, "challenge", "qop", "how the Digest challenge names its protection: `qop`, op or none")
	flags.DurationVar(&options.NonceLifetime, "nonce-lifetime", 0, "how long a nonce is good for; 0 is forever")
	flags.IntVar(&options.NonceUses, "nonce-uses", 0, "how many requests a nonce is good for; 0 is any number")
	flags.StringVar(&options.ServiceVersion, "service-version", emulator.NewestVersion, "`version` of Ops Manager; calls and fields that it does not have are rejected")
	flags.IntVar(&options.TransitionReads, "transition-reads", 2, "how many reads of a backup configuration show PROVISIONING or TERMINATING; -1 is none")
	flags.IntVar(&options.StaleReads, "stale-reads", 0, "how many reads after a change show the old values")
	flags.BoolVar(&options.AwaitApproval, "await-approval", false, "keep backups that are started in PROVISIONING")
	flags.BoolVar(&options.NoStores, "no-stores", false, "fail each start of a backup with 500, as without a store")
	flags.IntVar(&options.MaxItemsPerPage, "max-items-per-page", 500, "length of the longest page; 4.0 and older had 100")
	flags.DurationVar(&options.Latency, "latency", 0, "time that passes before each request is looked at")
	if err := flags.Parse(args); err != nil {
		return "", secure, options, err
	}
	if flags.NArg() > 0 {
		return "", secure, options, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	switch options.Profile = emulator.Profile(*profile); options.Profile {
	case emulator.Full, emulator.Documented:
	default:
		return "", secure, options, fmt.Errorf("-profile: %q is neither full nor documented", *profile)
	}
	switch options.UnknownRoutes = emulator.UnknownRoutes(*unknown); options.UnknownRoutes {
	case emulator.APIDocument, emulator.GoText, emulator.NginxPage:
	default:
		return "", secure, options, fmt.Errorf("-unknown-routes: %q is none of document, go, nginx", *unknown)
	}
	switch options.Challenge {
	case "qop", "op", "none":
	default:
		return "", secure, options, fmt.Errorf("-challenge: %q is none of qop, op, none", options.Challenge)
	}
	if !version.MatchString(options.ServiceVersion) {
		return "", secure, options, fmt.Errorf("-service-version: %q is not three numbers with dots between them, such as %s", options.ServiceVersion, emulator.NewestVersion)
	}
	if secure.demand && secure.dir == "" {
		return "", secure, options, errors.New("-demand-client-certificate: without -tls there are no certificates")
	}
	if secure.dir != "" {
		if secure.dir, err = filepath.Abs(secure.dir); err != nil {
			return "", secure, options, err
		}
	}
	if options.MaxItemsPerPage < 1 {
		return "", secure, options, errors.New("-max-items-per-page: must be at least 1")
	}
	if *omit != "" {
		options.OmitFields = strings.Split(*omit, ",")
	}
	options.Seed = emulator.DefaultSeed()
	if *seedFile != "" {
		text, err := os.ReadFile(*seedFile)
		if err != nil {
			return "", secure, options, err
		}
		if options.Seed, err = emulator.ReadSeed(bytes.NewReader(text)); err != nil {
			return "", secure, options, fmt.Errorf("%s: %w", *seedFile, err)
		}
	}
	return addr, secure, options, nil
}

var version = regexp.MustCompile(`^\d+\.\d+\.\d+$`)

// announce prints where the service is and what it holds.
func announce(out io.Writer, addr net.Addr, secure security, options emulator.Options) {
	var text strings.Builder
	host := addr.String()
	if at, err := netip.ParseAddrPort(host); err == nil {
		if !at.Addr().IsLoopback() {
			fmt.Fprintf(&text, "WARNING: %s can be reached from other machines. The emulator is for testing only.\n\n", addr)
		}
		if at.Addr().IsUnspecified() {
			host = fmt.Sprintf("127.0.0.1:%d", at.Port())
		}
	}
	scheme := "http"
	if secure.dir != "" {
		scheme = "https"
	}
	baseURL := scheme + "://" + host + emulator.BasePath
	fmt.Fprintf(&text, "Listening on %s, profile %s\nBase URL     %s\nPublic key   %s\nPrivate key  %s\n", addr, options.Profile, baseURL, options.PublicKey, options.PrivateKey)

	for _, project := range options.Seed.Projects {
		fmt.Fprintf(&text, "\nProject %s  %s\n", project.ID, project.Name)
		for _, cluster := range project.Clusters {
			status := "not backed up"
			if cluster.BackupConfig != nil {
				status = fmt.Sprint(cluster.BackupConfig["statusName"])
			}
			name := cluster.Name
			if cluster.ShardOf != "" {
				name += " (" + cluster.ReplicaSetName + ")"
			}
			fmt.Fprintf(&text, "  cluster %s  %s, %s, %s\n", cluster.ID, name, cluster.TypeName, status)
		}
		for _, host := range project.Hosts {
			kind := "config server"
			if host.Mirrored {
				kind = fmt.Sprintf("mirrored config server, %d snapshots", len(host.Snapshots))
			}
			fmt.Fprintf(&text, "  host    %s  %s\n", host.ID, kind)
		}
	}
	fmt.Fprintln(&text)
	for _, region := range options.Seed.DeploymentRegions {
		bound := ""
		if by := options.Seed.RegionBindings[fmt.Sprint(region["id"])]; len(by) > 0 {
			bound = ", bound to " + strings.Join(by, ", ")
		}
		fmt.Fprintf(&text, "Deployment region %q  %v%s\n", region["id"], region["deploymentDescription"], bound)
	}
	fmt.Fprintf(&text, "\nexport OPSMANAGER_BASE_URL=%s\nexport OPSMANAGER_PUBLIC_KEY=%s\nexport OPSMANAGER_PRIVATE_KEY=%s\n",
		shellQuote(baseURL), shellQuote(options.PublicKey), shellQuote(options.PrivateKey))
	if secure.dir != "" {
		fmt.Fprintf(&text, "export OPSMANAGER_CA_CERT_FILE=%s\n", shellQuote(filepath.Join(secure.dir, "ca.pem")))
	}
	if secure.demand {
		fmt.Fprintf(&text, "export OPSMANAGER_CLIENT_CERT_FILE=%s\nexport OPSMANAGER_CLIENT_KEY_FILE=%s\n",
			shellQuote(filepath.Join(secure.dir, "client.pem")), shellQuote(filepath.Join(secure.dir, "client-key.pem")))
	}
	fmt.Fprintln(&text)
	_, _ = io.WriteString(out, text.String())
}

func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// logRequest leaves headers and body out: nothing that it prints is secret.
func logRequest(logger *log.Logger, r emulator.Request) {
	target := r.Path
	if r.Query != "" {
		target += "?" + r.Query
	}
	if r.Status == 0 {
		logger.Printf("%s %s: no answer", r.Method, target)
		return
	}
	logger.Printf("%s %s %d", r.Method, target, r.Status)
}

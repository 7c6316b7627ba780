// Command survey finds out, with GET requests only, whether an Ops Manager is what the provider
// assumes. It can write down what it found, without names, and copy what the provider reads.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider"
	"terraform-provider-opsmanager/internal/tools/assumptions"
)

// version is set by the release.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	if err != nil && ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "survey:", err)
		os.Exit(1)
	}
}

// run surveys the Ops Manager that the environment names. It prints what it found to out, and its
// progress to logs.
func run(ctx context.Context, args []string, getenv func(string) string, out, logs io.Writer) error {
	o, err := parse(args, logs)
	if err != nil {
		return err
	}
	if o.version {
		_, err := fmt.Fprintln(out, "opsmanager-survey", version)
		return err
	}
	config, warnings, err := provider.FromEnvironment(getenv)
	for _, warning := range warnings {
		fmt.Fprintln(logs, "Warning:", warning)
	}
	if err != nil {
		return err
	}
	config.Limit = make(chan struct{}, o.concurrency) // the survey and the copy share it
	s := newSurvey(config, o, logs)
	projects, err := s.lookAtRequests(ctx)
	if s.evidence == nil {
		return explained(err)
	}
	if err == nil && o.copy != "" {
		copying, cancel := context.WithCancel(ctx)
		s.copied = startCopy(copying, config, o, s.progress)
		defer func() {
			cancel()
			_ = s.copied.reading.Wait() // the survey has failed, or this error was returned
		}()
	}
	if err == nil {
		err = s.look(ctx, projects)
	}
	if s.partial = err != nil; !s.partial {
		if err := s.checkKey(ctx); err != nil {
			return err // what was denied may be denied for this reason only
		}
	}
	var failed error
	if s.copied != nil && !s.partial {
		failed = s.copied.reading.Wait()
		for _, failure := range s.copied.failed {
			s.seeFailure(failure)
		}
	}
	s.print(out)
	if o.report != "" {
		if err := writeFile(o.report, 0o644, s.findings().Write); err != nil {
			return err
		}
		fmt.Fprintln(out, "Wrote the report to", o.report)
	}
	if err = cmp.Or(err, failed); err != nil || s.copied == nil {
		return explained(err)
	}
	return s.writeCopy(out)
}

// options are the parsed command line.
type options struct {
	projects     []string // IDs; all projects that the key can read if it is empty
	report, copy string   // files to write, if any
	names        bool     // print the names of unknown fields
	version      bool     // print the version, and nothing else
	concurrency  int      // number of requests at a time
}

const maxConcurrency = 100

// parse parses the command line.
func parse(args []string, logs io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("survey", flag.ContinueOnError)
	flags.SetOutput(logs)
	flags.Func("project", "`ID` of a project to look at; repeat it for more; by default all projects that the key can read", func(id string) error {
		if opsmanager.IsInvalidID(id) {
			return errors.New("this is not the ID of a project")
		}
		o.projects = append(o.projects, id)
		return nil
	})
	flags.StringVar(&o.report, "report", "", "write what was found to this `file`, as JSON without names, IDs, addresses or secrets, so it can be attached to a public issue")
	flags.StringVar(&o.copy, "copy", "", "write a copy of what the provider reads to this `file`, with names and without secrets, for -seed of the emulator")
	flags.IntVar(&o.concurrency, "concurrency", 32, "send at most this `number` of requests at a time; only -copy sends more than one")
	flags.BoolVar(&o.names, "names", false, "print the names of fields that the provider doesn't know, and other texts that it did not expect; they are in no report")
	flags.BoolVar(&o.version, "version", false, "print the version")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), `The survey finds out whether you can use the provider with your Ops Manager, and what differs from what
it assumes. It sends GET requests only, and exits with 1 if it fails.
Pass flags as in: make survey ARGS='-report report.json'

It has the settings of the provider: set OPSMANAGER_BASE_URL, OPSMANAGER_PUBLIC_KEY and
OPSMANAGER_PRIVATE_KEY, and if you need them OPSMANAGER_CA_CERT_FILE, OPSMANAGER_CLIENT_CERT_FILE,
OPSMANAGER_CLIENT_KEY_FILE, OPSMANAGER_INSECURE_SKIP_VERIFY and HTTPS_PROXY. With the role Project Read
Only it sees the backups of projects, with Project Backup Admin also which clusters other products back
up, and with Global Backup Admin also stores, daemons and regions.

`)
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.concurrency < 1 || o.concurrency > maxConcurrency:
		return o, fmt.Errorf("-concurrency: %d is not between 1 and %d", o.concurrency, maxConcurrency)
	case o.report != "" && o.copy != "" && isSameFile(o.report, o.copy):
		return o, errSameFile
	}
	slices.Sort(o.projects)
	o.projects = slices.Compact(o.projects)
	return o, nil
}

// survey reads an Ops Manager.
type survey struct {
	client   *opsmanager.Client
	wire     *readOnly
	copied   *copier // nil without a copy
	baseURL  *url.URL
	options  options
	progress *progress

	version  string                // as Ops Manager returned it
	lists    bool                  // whether projects are listed
	denied   bool                  // whether Ops Manager has denied a request
	failures map[string][]string   // texts about requests that failed, with the objects that they were for
	failure  error                 // of the last one of them
	names    map[string]string     // of projects and clusters, by ID
	inARow   int                   // number of the last requests that failed
	partial  bool                  // whether the survey has ended early
	evidence *assumptions.Evidence // nil until the version is known
	unknown  map[unknownField]bool
	notes    map[string]bool
}

// newSurvey returns a survey of the Ops Manager that a configuration names.
func newSurvey(config opsmanager.Config, o options, logs io.Writer) *survey {
	s := &survey{
		wire:     &readOnly{},
		baseURL:  config.BaseURL,
		options:  o,
		progress: newProgress(logs),
		failures: map[string][]string{},
		names:    map[string]string{},
		unknown:  map[unknownField]bool{},
		notes:    map[string]bool{},
	}
	s.client = newClient(config, s.wire)
	return s
}

// requests returns the number of requests that were sent, with those of the copy.
func (s *survey) requests() int {
	sent := s.wire.requests()
	if s.copied != nil {
		sent += s.copied.wire.requests()
	}
	return sent
}

// newClient returns a client whose requests pass through a transport that refuses everything but GET.
func newClient(config opsmanager.Config, wire *readOnly) *opsmanager.Client {
	config.UserAgent = "terraform-provider-opsmanager survey"
	config.Wrap = func(next http.RoundTripper) http.RoundTripper {
		wire.next = next
		return wire
	}
	return opsmanager.NewClient(config)
}

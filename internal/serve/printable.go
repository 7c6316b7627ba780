package serve

import (
	"context"
	"reflect"
	"regexp"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// frameworkServer has all interfaces of the framework's servers. terraform-plugin-go
// checks for the optional ones, so a wrapper must implement them too.
type frameworkServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
	tfprotov6.StateStoreServer
}

// printable adds names to the messages of all responses, and sanitizes them.
type printable struct {
	frameworkServer
	namer      Namer // nil if the server knows no names
	isUnlogged bool
}

// Printable returns a server whose messages contain only printable text and line feeds.
// A message may quote a response of Ops Manager, and escape sequences in it could hide or
// forge text on a terminal. Control characters, characters that change the direction of
// text, and invalid UTF-8 are replaced. So are private keys in PEM, because the errors of
// validators quote values.
//
// A message must escape the line feeds of the values that it quotes, because they cannot be
// distinguished from its own here.
//
// If the server is a [Namer], the messages have the names of clusters and projects beside their IDs.
//
// If it is unlogged, it handles requests without the values of their contexts, which are only
// the loggers of the SDK. The framework keeps the context of each request for a resource or a
// data source until the provider ends (registerContext in its internal/proto6server), and
// loggers are large: with them, a plan of 4,000 schedules takes 12 times the memory and
// 1.4 times the processor time.
func Printable(server tfprotov6.ProviderServer, isUnlogged bool) tfprotov6.ProviderServer {
	namer, _ := server.(Namer)
	return printable{server.(frameworkServer), namer, isUnlogged} //nolint:forcetypeassert // a test checks the framework's servers
}

// respond calls a method of the framework's server, and makes the messages of its response printable,
// which has a field Diagnostics.
func respond[Q, R any](ctx context.Context, p printable, method func(context.Context, Q) (*R, error), request Q) (*R, error) {
	if p.isUnlogged {
		own, cancel := context.WithCancel(context.Background())
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		ctx = own
	}
	response, err := method(ctx, request)
	if response != nil {
		messages, _ := reflect.TypeAssert[[]*tfprotov6.Diagnostic](reflect.ValueOf(response).Elem().FieldByName("Diagnostics"))
		p.print(ctx, request, messages)
	}
	return response, err
}

func (p printable) ValidateProviderConfig(
	ctx context.Context, req *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return respond(ctx, p, p.frameworkServer.ValidateProviderConfig, req)
}

func (p printable) ConfigureProvider(
	ctx context.Context, req *tfprotov6.ConfigureProviderRequest,
) (*tfprotov6.ConfigureProviderResponse, error) {
	return respond(ctx, p, p.frameworkServer.ConfigureProvider, req)
}

func (p printable) ValidateResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return respond(ctx, p, p.frameworkServer.ValidateResourceConfig, req)
}

func (p printable) UpgradeResourceState(
	ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return respond(ctx, p, p.frameworkServer.UpgradeResourceState, req)
}

func (p printable) UpgradeResourceIdentity(
	ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest,
) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return respond(ctx, p, p.frameworkServer.UpgradeResourceIdentity, req)
}

func (p printable) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return respond(ctx, p, p.frameworkServer.ReadResource, req)
}

func (p printable) PlanResourceChange(
	ctx context.Context, req *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	return respond(ctx, p, p.frameworkServer.PlanResourceChange, req)
}

func (p printable) ApplyResourceChange(
	ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return respond(ctx, p, p.frameworkServer.ApplyResourceChange, req)
}

func (p printable) ImportResourceState(
	ctx context.Context, req *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	return respond(ctx, p, p.frameworkServer.ImportResourceState, req)
}

func (p printable) MoveResourceState(
	ctx context.Context, req *tfprotov6.MoveResourceStateRequest,
) (*tfprotov6.MoveResourceStateResponse, error) {
	return respond(ctx, p, p.frameworkServer.MoveResourceState, req)
}

func (p printable) ValidateDataResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return respond(ctx, p, p.frameworkServer.ValidateDataResourceConfig, req)
}

func (p printable) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return respond(ctx, p, p.frameworkServer.ReadDataSource, req)
}

func (p printable) ValidateListResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateListResourceConfigRequest,
) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	return respond(ctx, p, p.frameworkServer.ValidateListResourceConfig, req)
}

func (p printable) ListResource(ctx context.Context, req *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	stream, err := p.frameworkServer.ListResource(ctx, req)
	if stream == nil {
		return stream, err
	}
	results := stream.Results
	stream.Results = func(yield func(tfprotov6.ListResourceResult) bool) {
		for result := range results {
			result.DisplayName = oneLine(result.DisplayName)
			p.print(ctx, req, result.Diagnostics)
			if !yield(result) {
				return
			}
		}
	}
	return stream, err
}

func (p printable) ValidateActionConfig(
	ctx context.Context, req *tfprotov6.ValidateActionConfigRequest,
) (*tfprotov6.ValidateActionConfigResponse, error) {
	return respond(ctx, p, p.frameworkServer.ValidateActionConfig, req)
}

func (p printable) PlanAction(ctx context.Context, req *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	return respond(ctx, p, p.frameworkServer.PlanAction, req)
}

func (p printable) InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	stream, err := p.frameworkServer.InvokeAction(ctx, req)
	if stream == nil {
		return stream, err
	}
	events := stream.Events
	stream.Events = func(yield func(tfprotov6.InvokeActionEvent) bool) {
		for event := range events {
			switch is := event.Type.(type) {
			case tfprotov6.ProgressInvokeActionEventType:
				is.Message = oneLine(p.named(ctx, req, is.Message, true))
				event.Type = is
			case tfprotov6.CompletedInvokeActionEventType:
				p.print(ctx, req, is.Diagnostics)
			}
			if !yield(event) {
				return
			}
		}
	}
	return stream, err
}

// print adds names to messages, and sanitizes them.
func (p printable) print(ctx context.Context, request any, messages []*tfprotov6.Diagnostic) {
	p.name(ctx, request, messages)
	for _, m := range messages {
		m.Summary = oneLine(m.Summary)
		m.Detail = printed(m.Detail)
	}
}

func oneLine(text string) string { return strings.ReplaceAll(printed(text), "\n", " ") }

// privateKey matches a private key in PEM, which may be escaped as in a URL, and whose end may
// be missing.
var privateKey = regexp.MustCompile(`(?s)-----BEGIN[A-Z +%20]*PRIVATE.{1,3}KEY.*?(-----END[A-Z +%20]*PRIVATE.{1,3}KEY[A-Z +%20]*-----|$)`)

// printed replaces private keys, unprintable characters with U+FFFD, and white space other
// than line feeds with spaces.
func printed(text string) string {
	text = privateKey.ReplaceAllLiteralString(text, "…")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || unicode.IsPrint(r):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return unicode.ReplacementChar
	}, text)
}

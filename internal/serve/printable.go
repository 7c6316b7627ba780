package serve

import (
	"context"
	"reflect"
	"regexp"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// printable sanitizes the messages of all responses.
type printable struct{ frameworkServer }

// Printable returns a server whose messages contain only printable text and line feeds.
// A message may quote a response of Ops Manager, and escape sequences in it could hide or
// forge text on a terminal. Control characters, characters that change the direction of
// text, and invalid UTF-8 are replaced. So are private keys in PEM, because the errors of
// validators quote values.
//
// A message must escape the line feeds of the values that it quotes, because they cannot be
// distinguished from its own here.
func Printable(server tfprotov6.ProviderServer) tfprotov6.ProviderServer {
	return printable{server.(frameworkServer)} //nolint:forcetypeassert // a test checks the framework's servers
}

// sanitizeResponse sanitizes the messages of a response, which has a field Diagnostics.
func sanitizeResponse[R any](response *R, err error) (*R, error) {
	if response != nil {
		messages, _ := reflect.TypeAssert[[]*tfprotov6.Diagnostic](reflect.ValueOf(response).Elem().FieldByName("Diagnostics"))
		sanitize(messages)
	}
	return response, err
}

func (p printable) ValidateProviderConfig(ctx context.Context, req *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return sanitizeResponse(p.frameworkServer.ValidateProviderConfig(ctx, req))
}

func (p printable) ConfigureProvider(ctx context.Context, req *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return sanitizeResponse(p.frameworkServer.ConfigureProvider(ctx, req))
}

func (p printable) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return sanitizeResponse(p.frameworkServer.ValidateResourceConfig(ctx, req))
}

func (p printable) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return sanitizeResponse(p.frameworkServer.UpgradeResourceState(ctx, req))
}

func (p printable) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return sanitizeResponse(p.frameworkServer.UpgradeResourceIdentity(ctx, req))
}

func (p printable) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return sanitizeResponse(p.frameworkServer.ReadResource(ctx, req))
}

func (p printable) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return sanitizeResponse(p.frameworkServer.PlanResourceChange(ctx, req))
}

func (p printable) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return sanitizeResponse(p.frameworkServer.ApplyResourceChange(ctx, req))
}

func (p printable) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return sanitizeResponse(p.frameworkServer.ImportResourceState(ctx, req))
}

func (p printable) MoveResourceState(ctx context.Context, req *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
	return sanitizeResponse(p.frameworkServer.MoveResourceState(ctx, req))
}

func (p printable) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return sanitizeResponse(p.frameworkServer.ValidateDataResourceConfig(ctx, req))
}

func (p printable) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return sanitizeResponse(p.frameworkServer.ReadDataSource(ctx, req))
}

func (p printable) ValidateListResourceConfig(ctx context.Context, req *tfprotov6.ValidateListResourceConfigRequest) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	return sanitizeResponse(p.frameworkServer.ValidateListResourceConfig(ctx, req))
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
			sanitize(result.Diagnostics)
			if !yield(result) {
				return
			}
		}
	}
	return stream, err
}

func (p printable) ValidateActionConfig(ctx context.Context, req *tfprotov6.ValidateActionConfigRequest) (*tfprotov6.ValidateActionConfigResponse, error) {
	return sanitizeResponse(p.frameworkServer.ValidateActionConfig(ctx, req))
}

func (p printable) PlanAction(ctx context.Context, req *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	return sanitizeResponse(p.frameworkServer.PlanAction(ctx, req))
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
				is.Message = oneLine(is.Message)
				event.Type = is
			case tfprotov6.CompletedInvokeActionEventType:
				sanitize(is.Diagnostics)
			}
			if !yield(event) {
				return
			}
		}
	}
	return stream, err
}

func sanitize(messages []*tfprotov6.Diagnostic) {
	for _, m := range messages {
		m.Summary, m.Detail = oneLine(m.Summary), printed(m.Detail)
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

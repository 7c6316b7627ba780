package serve

import (
	"context"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// printable replaces what doesn't print in the messages that it hands on.
type printable struct{ frameworkServer }

// Printable returns a server whose messages hold nothing but printable text and line
// feeds. A message may quote an answer of Ops Manager, and a terminal obeys escape
// sequences: they could hide the message, or fake another one. Replaced are control
// characters, those that change the direction of text, and what is not UTF-8.
//
// A line feed in a quoted value is for the message to escape: here it cannot be told
// from those of the message.
func Printable(server tfprotov6.ProviderServer) tfprotov6.ProviderServer {
	return printable{server.(frameworkServer)} //nolint:forcetypeassert // a test holds that the framework's servers are one
}

// handOn returns the response of a method with its messages sanitized.
func handOn[Q, A any](ctx context.Context, method func(context.Context, Q) (*A, error), request Q, messages func(*A) []*tfprotov6.Diagnostic) (*A, error) {
	response, err := method(ctx, request)
	if response != nil {
		sanitize(messages(response))
	}
	return response, err
}

func (p printable) ValidateProviderConfig(ctx context.Context, req *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return handOn(ctx, p.frameworkServer.ValidateProviderConfig, req, func(r *tfprotov6.ValidateProviderConfigResponse) []*tfprotov6.Diagnostic { return r.Diagnostics })
}

func (p printable) ConfigureProvider(ctx context.Context, req *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return handOn(ctx, p.frameworkServer.ConfigureProvider, req, func(r *tfprotov6.ConfigureProviderResponse) []*tfprotov6.Diagnostic { return r.Diagnostics })
}

func (p printable) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return handOn(ctx, p.frameworkServer.ValidateResourceConfig, req, func(r *tfprotov6.ValidateResourceConfigResponse) []*tfprotov6.Diagnostic { return r.Diagnostics })
}

func (p printable) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return handOn(ctx, p.frameworkServer.UpgradeResourceState, req, func(r *tfprotov6.UpgradeResourceStateResponse) []*tfprotov6.Diagnostic { return r.Diagnostics })
}

func (p printable) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return handOn(ctx, p.frameworkServer.UpgradeResourceIdentity, req, func(r *tfprotov6.UpgradeResourceIdentityResponse) []*tfprotov6.Diagnostic { return r.Diagnostics })
}

func (p printable) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return handOn(ctx, p.frameworkServer.ReadResource, req, func(r *tfprotov6.ReadResourceResponse) []*tfprotov6.Diagnostic { return r.Diagnostics })
}

func (p printable) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return handOn(ctx, p.frameworkServer.PlanResourceChange, req, func(r *tfprotov6.PlanResourceChangeResponse) []*tfprotov6.Diagnostic { return r.Diagnostics })
}

func (p printable) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return handOn(ctx, p.frameworkServer.ApplyResourceChange, req, func(r *tfprotov6.ApplyResourceChangeResponse) []*tfprotov6.Diagnostic { return r.Diagnostics })
}

func (p printable) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return handOn(ctx, p.frameworkServer.ImportResourceState, req, func(r *tfprotov6.ImportResourceStateResponse) []*tfprotov6.Diagnostic { return r.Diagnostics })
}

func (p printable) MoveResourceState(ctx context.Context, req *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
	return handOn(ctx, p.frameworkServer.MoveResourceState, req, func(r *tfprotov6.MoveResourceStateResponse) []*tfprotov6.Diagnostic { return r.Diagnostics })
}

func (p printable) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return handOn(ctx, p.frameworkServer.ValidateDataResourceConfig, req, func(r *tfprotov6.ValidateDataResourceConfigResponse) []*tfprotov6.Diagnostic { return r.Diagnostics })
}

func (p printable) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return handOn(ctx, p.frameworkServer.ReadDataSource, req, func(r *tfprotov6.ReadDataSourceResponse) []*tfprotov6.Diagnostic { return r.Diagnostics })
}

func (p printable) ValidateListResourceConfig(ctx context.Context, req *tfprotov6.ValidateListResourceConfigRequest) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	return handOn(ctx, p.frameworkServer.ValidateListResourceConfig, req, func(r *tfprotov6.ValidateListResourceConfigResponse) []*tfprotov6.Diagnostic { return r.Diagnostics })
}

func (p printable) ListResource(ctx context.Context, req *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	stream, err := p.frameworkServer.ListResource(ctx, req)
	if stream == nil {
		return stream, err
	}
	results := stream.Results
	stream.Results = func(yield func(tfprotov6.ListResourceResult) bool) {
		for result := range results {
			result.DisplayName = strings.ReplaceAll(printed(result.DisplayName), "\n", " ")
			sanitize(result.Diagnostics)
			if !yield(result) {
				return
			}
		}
	}
	return stream, err
}

func sanitize(messages []*tfprotov6.Diagnostic) {
	for _, m := range messages {
		m.Summary, m.Detail = strings.ReplaceAll(printed(m.Summary), "\n", " "), printed(m.Detail)
	}
}

// printed returns a text with each character that doesn't print replaced by U+FFFD,
// and other blanks than a line feed by a blank.
func printed(text string) string {
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

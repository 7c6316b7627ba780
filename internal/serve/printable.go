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

func (p printable) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	resp, err := p.frameworkServer.ReadResource(ctx, req)
	if resp != nil {
		sanitize(resp.Diagnostics)
	}
	return resp, err
}

func (p printable) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp, err := p.frameworkServer.PlanResourceChange(ctx, req)
	if resp != nil {
		sanitize(resp.Diagnostics)
	}
	return resp, err
}

func (p printable) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	resp, err := p.frameworkServer.ApplyResourceChange(ctx, req)
	if resp != nil {
		sanitize(resp.Diagnostics)
	}
	return resp, err
}

func (p printable) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	resp, err := p.frameworkServer.ImportResourceState(ctx, req)
	if resp != nil {
		sanitize(resp.Diagnostics)
	}
	return resp, err
}

func (p printable) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	resp, err := p.frameworkServer.ReadDataSource(ctx, req)
	if resp != nil {
		sanitize(resp.Diagnostics)
	}
	return resp, err
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

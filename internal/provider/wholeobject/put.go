// Package wholeobject has what resources share whose objects can only be replaced as a whole. A PUT
// sends every field of the object, also those that a plan does not change and those that this
// version of the provider does not know. Roles of values have the names of package tfmodel.
package wholeobject

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Put is a PUT of a whole object.
type Put[T any] struct {
	Name        string // of the object, in messages
	IDAttribute string
	Failure     func(error) diag.Diagnostic // the error of a failed call

	Live  T
	Whole T // what to send, with the members of the live object that the provider does not know
	// Merge returns what to send for an object that has changed since. An error says what would be lost.
	Merge func(live T, diags *diag.Diagnostics) (whole T)
	// Differences compares the values that change with those of the object.
	Differences func(whole, live T) []tfmodel.Difference
	Send        func(context.Context, T) (*T, error)
	Read        func(context.Context) (*T, error)
	// Agrees reports whether Ops Manager may hold what was sent.
	Agrees func(sent, held T) bool
}

// Do sends the object, and returns what it sent and what Ops Manager holds afterwards. An empty response
// is a success only if a read confirms it.
func (p Put[T]) Do(ctx context.Context, d *connection.Data, diags *diag.Diagnostics) (sent, settled T) {
	if p.RejectUnknownSecrets(ctx, diags); diags.HasError() {
		return sent, settled
	}
	sent, response, err := p.Request(ctx, d.Client)
	isEmpty := errors.Is(err, opsmanager.ErrEmptyResponse)
	if err == nil || isEmpty {
		var agrees bool
		if settled, agrees = ReadUntilAgrees(ctx, d, response, p.Read, func(held T) bool { return p.Agrees(sent, held) }); agrees || !isEmpty {
			return sent, settled
		}
	}
	diags.Append(p.Failure(err))
	return sent, settled
}

// Request sends the object, and returns what it sent and the response.
func (p Put[T]) Request(ctx context.Context, c *opsmanager.Client) (sent T, response *T, err error) {
	var merged diag.Diagnostics
	sent = p.Whole
	response, err = tfmodel.Request[T]{
		Name: p.Name, Before: p.Live, Read: p.Read,
		Differences: func(live T) []tfmodel.Difference {
			merged = nil
			sent = p.Merge(live, &merged)
			return p.Differences(sent, live)
		},
		Send: func(ctx context.Context, _ T) (*T, error) {
			if merged.HasError() {
				return nil, errors.New(merged.Errors()[0].Detail())
			}
			return p.Send(ctx, sent)
		},
	}.Do(ctx, c)
	return sent, response, err
}

// RejectUnknownSecrets adds an error if a member that is sent, and that the provider does not know,
// may have a mask in place of a secret. A request with the member may store the mask, and one
// without it may remove the secret.
func (p Put[T]) RejectUnknownSecrets(ctx context.Context, diags *diag.Diagnostics) {
	sent := opsmanager.UnknownNames(p.Whole)
	if len(sent) == 0 {
		return
	}
	again, err := p.Read(ctx)
	if err != nil {
		diags.Append(p.Failure(err))
		return
	}
	masked := slices.DeleteFunc(opsmanager.UnknownSecrets(p.Live, *again), func(name string) bool { return !slices.Contains(sent, name) })
	if len(masked) > 0 {
		diags.AddAttributeError(path.Root(p.IDAttribute), "Unknown Secret", fmt.Sprintf("A change replaces the whole object, and this version of the provider does not know %s, which may be secrets that Ops Manager returns with a mask. So it can't keep them. "+
			"Use a newer version of the provider, or make this change in the console of Ops Manager. Nothing was changed.", opsmanager.Sanitize(strings.Join(masked, ", "))))
	}
}

// ReadUntilAgrees returns what Ops Manager holds after a write with a response, which is nil if it
// was empty, and whether that agrees with what was sent. A server may return old values for a while,
// so it reads until they agree, the settle time is over, or Ops Manager can't return the object.
func ReadUntilAgrees[T any](ctx context.Context, d *connection.Data, response *T, read func(context.Context) (*T, error), agrees func(held T) bool) (settled T, ok bool) {
	if response != nil {
		settled, ok = *response, agrees(*response)
	}
	if !ok {
		d.Settle(ctx, func() bool {
			live, err := read(ctx)
			if err == nil {
				settled, ok = *live, agrees(*live)
			}
			return ok || opsmanager.IsUnsupported(err)
		})
	}
	return settled, ok
}

// ReadDespiteInterrupt reads an object, even if the run was interrupted, within a short time.
func ReadDespiteInterrupt[T any](ctx context.Context, read func(context.Context) (*T, error)) (*T, error) {
	if ctx.Err() == nil {
		return read(ctx)
	}
	moment, cancel := context.WithTimeout(context.WithoutCancel(ctx), 300*time.Millisecond)
	defer cancel()
	return read(moment)
}

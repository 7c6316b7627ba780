package tfmodel

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// Request changes or deletes an object that others may change as well.
type Request[T any] struct {
	Name   string // of the object, in messages
	Before T      // the object when the apply began
	Read   func(context.Context) (*T, error)
	// Differences compares the object with what it must become, or for a deletion, must still be.
	Differences func(live T) []Difference
	Send        func(ctx context.Context, live T) (*T, error)
}

// Do sends the request, and repeats it if that may help. It fails if a value that changes is neither what
// it was nor the wanted one, and sends nothing more if nothing is left to change.
func (r Request[T]) Do(ctx context.Context, c *opsmanager.Client) (*T, error) {
	before := r.Differences(r.Before)
	return opsmanager.Change(ctx, c, &r.Before, r.Read, func(ctx context.Context, live *T) (*T, error) {
		left := r.Differences(*live)
		if err := r.conflict(before, left); err != nil || len(left) == 0 && len(before) > 0 {
			return live, err
		}
		return r.Send(ctx, *live)
	})
}

// Again is Do after another such request, so it begins with a read.
func (r Request[T]) Again(ctx context.Context, c *opsmanager.Client) (*T, error) {
	live, err := r.Read(ctx)
	if err == nil {
		err = r.conflict(r.Differences(r.Before), r.Differences(*live))
	}
	if err != nil {
		return nil, err
	}
	return r.Do(ctx, c)
}

// conflict returns an error about the differences that were others before.
func (r Request[T]) conflict(before, now []Difference) error {
	var changed []string
	for _, d := range now {
		was := d.Wanted
		for _, b := range before {
			if b.Attribute == d.Attribute {
				was = b.Held
			}
		}
		if !slices.Contains(before, d) {
			changed = append(changed, fmt.Sprintf("%s is %s, and it was %s when the apply began", d.Attribute, cmp.Or(d.Held, NotSet), cmp.Or(was, NotSet)))
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return fmt.Errorf("%s changed during the apply: %s. So the provider did not repeat its request. Plan again", r.Name, strings.Join(changed, ", "))
}

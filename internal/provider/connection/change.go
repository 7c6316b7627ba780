package connection

import (
	"context"
	"fmt"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// ReadUntil reads an object again until it agrees, because reads may lag behind writes, or until the settle
// time is over. It returns the object as read last.
func ReadUntil[T any](ctx context.Context, d *Data, live *T, read func(context.Context) (*T, error), agrees func(T) bool) *T {
	if agrees(*live) {
		return live
	}
	d.Settle(ctx, func() bool {
		if later, err := read(ctx); err == nil {
			live = later
		}
		return agrees(*live)
	})
	return live
}

// AsPlanned returns an object, or the error of refusal, which says how the object differs from what a plan saw.
// It reads a difference again. If ctx ends before that is done, the difference may be an old value.
func AsPlanned[T any](ctx context.Context, d *Data, live *T, read func(context.Context) (*T, error), refusal func(T) error) (*T, error) {
	live = ReadUntil(ctx, d, live, read, func(live T) bool { return refusal(live) == nil })
	err := refusal(*live)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("the run was interrupted or its time was over while the provider read something that is not as the plan showed it. It may be an old value, so the provider did not change it. Plan again: %w", ctx.Err())
	}
	return live, err
}

// Change is like [opsmanager.Change], but fails if the object is not as planned before a request.
func Change[T any](ctx context.Context, d *Data, object opsmanager.Object, live *T, read func(context.Context) (*T, error), refusal func(T) error, write func(ctx context.Context, live *T) (*T, error)) (*T, error) {
	return opsmanager.Change(ctx, d.Client, object, live, read, func(attempt context.Context, live *T) (*T, error) {
		live, err := AsPlanned(ctx, d, live, read, refusal)
		if err != nil {
			return nil, err
		}
		return write(attempt, live)
	})
}

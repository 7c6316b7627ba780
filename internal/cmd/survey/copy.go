package main

import (
	"context"
	"errors"
)

// copy writes a copy of what the provider reads.
func (s *survey) copy(_ context.Context, _ string) error {
	return errors.New("-copy is not available yet")
}

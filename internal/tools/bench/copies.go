//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"terraform-provider-opsmanager/internal/emulator"
)

// copies measures how long the survey copies many clusters, each with 30 snapshots.
func (b *bench) copies(ctx context.Context) error {
	const seconds = 20
	service, err := serveBackedUp(b.manySchedules)
	if err != nil {
		return err
	}
	defer service.server.Close()
	took, err := inTurns(b.rounds, timed(func() error {
		survey := exec.CommandContext(ctx, b.stage.survey, "-copy", filepath.Join(b.stage.dir, "copy.json"))
		survey.Env = append(os.Environ(),
			"OPSMANAGER_BASE_URL="+service.server.URL,
			"OPSMANAGER_PUBLIC_KEY="+emulator.DefaultPublicKey,
			"OPSMANAGER_PRIVATE_KEY="+emulator.DefaultPrivateKey,
		)
		out, err := survey.CombinedOutput()
		if err != nil {
			return fmt.Errorf("survey: %w\n%s", err, out)
		}
		return nil
	}))
	if err != nil {
		return err
	}
	work := fmt.Sprintf("survey with a copy of %d clusters", b.manySchedules)
	b.show(row{
		work: work, latency: latency,
		comparedWith: fmt.Sprintf("%d s", seconds), format: "%.3g s",
		theirs: seconds, ours: took[0][wallTime], most: 1,
	})
	return nil
}

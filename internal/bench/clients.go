package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"time"

	"github.com/mongodb-forks/digest"
	"go.mongodb.org/ops-manager/opsmngr"
	"golang.org/x/sync/errgroup"

	"terraform-provider-opsmanager/internal/bench/snapshot"
	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
)

const workers = 10

// clients compares our client with MongoDB's own.
func (b *bench) clients(ctx context.Context) error {
	const official = "MongoDB's Go client"
	for _, wait := range []time.Duration{0, latency} {
		service := emulator.New(emulator.Options{Seed: clusters(b.configs), Latency: wait})
		server := httptest.NewServer(service)
		defer server.Close()
		ours, theirs, err := connect(server.URL)
		if err != nil {
			return err
		}

		// The network alone bounds what is promised, so that is promised at 20 ms.
		promised := func(most float64) float64 {
			if wait == 0 {
				return 0
			}
			return most
		}
		compare := func(work string, most float64, theirs, ours func() error) error {
			took, err := inTurns(b.rounds, timed(theirs), timed(ours))
			if err != nil {
				return err
			}
			b.show(row{work, wait, official, seconds(took[0].wall), seconds(took[1].wall), ratio(took[1].wall, took[0].wall), promised(most)})
			return nil
		}

		err = compare(fmt.Sprintf("read %d schedules, %d workers", b.schedules, workers), 0.55,
			b.each(ctx, func(ctx context.Context, id string) error {
				_, _, err := theirs.SnapshotSchedule.Get(ctx, snapshot.Project, id)
				return err
			}),
			b.each(ctx, func(ctx context.Context, id string) error {
				_, err := ours.SnapshotSchedule(ctx, snapshot.Project, id)
				return err
			}))
		if err != nil {
			return err
		}
		daily := 7
		err = compare(fmt.Sprintf("update %d schedules, %d workers", b.schedules, workers), 0.55,
			b.each(ctx, func(ctx context.Context, id string) error {
				_, _, err := theirs.SnapshotSchedule.Update(ctx, snapshot.Project, id, &opsmngr.SnapshotSchedule{
					GroupID: snapshot.Project, ClusterID: id, DailySnapshotRetentionDays: &daily,
				})
				return err
			}),
			b.each(ctx, func(ctx context.Context, id string) error {
				days := int64(daily)
				_, err := ours.UpdateSnapshotSchedule(ctx, snapshot.Project, id, opsmanager.SnapshotSchedule{DailySnapshotRetentionDays: &days})
				return err
			}))
		if err != nil {
			return err
		}
		for _, list := range []struct {
			size int
			said string
			most float64
		}{{0, "its default page size", 0.05}, {500, "500 a page", 0.2}} {
			err = compare(fmt.Sprintf("list %d backup configurations, theirs at %s", b.configs, list.said), list.most,
				func() error { return b.listTheirs(ctx, theirs, list.size) },
				func() error {
					all, err := ours.ListBackupConfigs(ctx, snapshot.Project, opsmanager.Page{})
					if err == nil && len(all.Results) != b.configs {
						err = fmt.Errorf("we listed %d of %d", len(all.Results), b.configs)
					}
					return err
				})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// connect returns our client, set up as the provider does it, and the other as
// its README shows it.
func connect(address string) (*opsmanager.Client, *opsmngr.Client, error) {
	base, err := opsmanager.ParseBaseURL(address)
	if err != nil {
		return nil, nil, err
	}
	ours := opsmanager.NewClient(opsmanager.Config{
		BaseURL: base, PublicKey: emulator.DefaultPublicKey, PrivateKey: emulator.DefaultPrivateKey,
		Timeout: 30 * time.Second, MaxRetries: 4,
	})
	authenticated, err := digest.NewTransport(emulator.DefaultPublicKey, emulator.DefaultPrivateKey).Client()
	if err != nil {
		return nil, nil, err
	}
	theirs, err := opsmngr.New(authenticated, opsmngr.SetBaseURL(address+"/"))
	return ours, theirs, err
}

// each calls something for every schedule, with ten workers.
func (b *bench) each(ctx context.Context, call func(context.Context, string) error) func() error {
	return func() error {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(workers)
		for i := range b.schedules {
			group.Go(func() error { return call(ctx, clusterID(i)) })
		}
		return group.Wait()
	}
}

// listTheirs goes through the pages as users of that client do: one after the
// other, until all have come.
func (b *bench) listTheirs(ctx context.Context, client *opsmngr.Client, size int) error {
	listed := 0
	for number := 1; ; number++ {
		page, _, err := client.BackupConfigs.List(ctx, snapshot.Project, &opsmngr.ListOptions{PageNum: number, ItemsPerPage: size})
		if err != nil {
			return err
		}
		listed += len(page.Results)
		if len(page.Results) == 0 || listed >= page.TotalCount {
			break
		}
	}
	if listed != b.configs {
		return fmt.Errorf("the other client listed %d of %d", listed, b.configs)
	}
	return nil
}

func clusterID(i int) string { return fmt.Sprintf("%024x", i+1) }

// clusters is a service with one project of so many clusters.
func clusters(count int) *emulator.Seed {
	project := emulator.Project{ID: snapshot.Project, Name: "Fleet"}
	for i := range count {
		project.Clusters = append(project.Clusters, emulator.Cluster{
			ID: clusterID(i), Name: fmt.Sprintf("cluster %d", i), TypeName: "REPLICA_SET",
			BackupConfig: map[string]any{
				"statusName": "STARTED", "storageEngineName": "WIRED_TIGER", "authMechanismName": "NONE",
				"encryptionEnabled": false, "sslEnabled": true, "excludedNamespaces": []string{"scratch"}, "includedNamespaces": []string{},
			},
		})
	}
	return &emulator.Seed{Projects: []emulator.Project{project}}
}

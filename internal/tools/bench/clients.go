//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/mongodb-forks/digest"
	"go.mongodb.org/ops-manager/opsmngr"
	"golang.org/x/sync/errgroup"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/tools/bench/snapshot"
)

const workers = 10

// clients compares our client with MongoDB's Go client.
func (b *bench) clients(ctx context.Context) error {
	for _, wait := range []time.Duration{0, latency} {
		service := emulator.New(emulator.Options{Seed: clusters(b.configs), Latency: wait})
		server := httptest.NewServer(&replayed{Emulator: service, wait: wait})
		defer server.Close()
		ours, theirs, err := connect(server.URL)
		if err != nil {
			return err
		}
		listOurs := func() error {
			_, err := ours.ListBackupConfigs(ctx, snapshot.Project, opsmanager.Page{})
			return err
		}
		// One page after the other, as users of that client do.
		listTheirs := func(pageSize int) func() error {
			return func() error {
				for number, listed := 1, 0; listed < b.configs; number++ {
					options := &opsmngr.ListOptions{PageNum: number, ItemsPerPage: pageSize}
					page, _, err := theirs.BackupConfigs.List(ctx, snapshot.Project, options)
					if err != nil {
						return err
					}
					listed += len(page.Results)
				}
				return nil
			}
		}
		for _, c := range []struct {
			work         string
			most         float64
			theirs, ours func() error
		}{
			{
				fmt.Sprintf("read %d schedules, %d workers", b.schedules, workers), 0.55,
				each(ctx, b.schedules, workers, func(ctx context.Context, id string) error {
					_, _, err := theirs.SnapshotSchedule.Get(ctx, snapshot.Project, id)
					return err
				}),
				each(ctx, b.schedules, workers, func(ctx context.Context, id string) error {
					_, err := ours.SnapshotSchedule(ctx, snapshot.Project, id)
					return err
				}),
			},
			{
				fmt.Sprintf("update %d schedules, %d workers", b.schedules, workers), 0.55,
				each(ctx, b.schedules, workers, func(ctx context.Context, id string) error {
					_, _, err := theirs.SnapshotSchedule.Update(ctx, snapshot.Project, id, &opsmngr.SnapshotSchedule{
						GroupID: snapshot.Project, ClusterID: id, DailySnapshotRetentionDays: new(7),
					})
					return err
				}),
				each(ctx, b.schedules, workers, func(ctx context.Context, id string) error {
					change := opsmanager.SnapshotSchedule{DailySnapshotRetentionDays: new(int64(7))}
					_, err := ours.UpdateSnapshotSchedule(ctx, snapshot.Project, id, change)
					return err
				}),
			},
			{
				fmt.Sprintf("list %d backup configurations, theirs at its default page size", b.configs), 0.05,
				listTheirs(0), listOurs,
			},
			{
				fmt.Sprintf("list %d backup configurations, theirs at 500 a page", b.configs), 0.2,
				listTheirs(500), listOurs,
			},
		} {
			took, err := inTurns(b.rounds, timed(c.theirs), timed(c.ours))
			if err != nil {
				return err
			}
			if wait == 0 {
				c.most = 0 // the bounds are about waiting for the network
			}
			b.show(row{
				work: c.work, latency: wait,
				comparedWith: "MongoDB's Go client", format: "%.3g s",
				theirs: took[0][wallTime], ours: took[1][wallTime], most: c.most,
			})
		}
	}
	return nil
}

// replayed is a service that keeps the pages of its lists, because the emulator needs longer for them than the clients.
type replayed struct {
	*emulator.Emulator
	wait  time.Duration
	pages sync.Map // recorded responses, by address
}

func (r *replayed) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if !strings.HasSuffix(request.URL.Path, "/backupConfigs") || request.Header.Get("Authorization") == "" {
		r.Emulator.ServeHTTP(w, request)
		return
	}
	address := request.URL.RequestURI()
	page, ok := r.pages.Load(address)
	if !ok {
		recorded := httptest.NewRecorder()
		r.Emulator.ServeHTTP(recorded, request)
		if recorded.Code == http.StatusOK {
			r.pages.Store(address, recorded)
		}
		page = recorded
	} else {
		time.Sleep(r.wait)
	}
	recorded, _ := page.(*httptest.ResponseRecorder)
	for name, values := range recorded.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(recorded.Code)
	_, _ = w.Write(recorded.Body.Bytes())
}

// connect returns our client with the provider's defaults, and the other as its
// README shows it.
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

// each returns a function that makes a call for every cluster, some in parallel.
func each(ctx context.Context, clusterCount, atOnce int, call func(context.Context, string) error) func() error {
	return func() error {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(atOnce)
		for i := range clusterCount {
			group.Go(func() error { return call(ctx, clusterID(i)) })
		}
		return group.Wait()
	}
}

func clusterID(i int) string { return fmt.Sprintf("%024x", i+1) }

// clusters returns a project with a number of clusters.
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

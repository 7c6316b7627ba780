package provider_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"terraform-provider-opsmanager/internal/providertest"
)

// listOf serves a list of items, with as many on a page as requested.
func listOf(total int, item string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		number, _ := strconv.Atoi(r.URL.Query().Get("pageNum"))
		size, _ := strconv.Atoi(r.URL.Query().Get("itemsPerPage"))
		results := []string{}
		for i := (number - 1) * size; i < min(total, number*size); i++ {
			results = append(results, strings.ReplaceAll(item, "{id}", fmt.Sprintf("%024x", i)))
		}
		_, _ = fmt.Fprintf(w, `{"totalCount": %d, "results": [%s]}`, total, strings.Join(results, ","))
	}
}

// compressed serves a response with gzip.
func compressed(t *testing.T, response string) http.HandlerFunc {
	t.Helper()
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = io.WriteString(w, response)
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes())
	}
}

const (
	listedPart = `{
  "clusterId": "650a1f3c2e4b6d8091a3b5c7", "completedTime": "2026-05-01T00:00:00Z", "compressionSetting": "GZIP",
  "dataSizeBytes": 123456789, "encryptionEnabled": false, "fcv": "7.0", "fileSizeBytes": 123456789,
  "machineId": "host-1.example.com:27017", "mongodVersion": "7.0.14", "replicaSetName": "rs0",
  "replicaState": "SECONDARY", "storageSizeBytes": 123456789, "typeName": "REPLICA_SET"
}`
	listedSnapshot = `{
  "id": "{id}", "groupId": "64f0c2a19b3d5e7f80a1b2c3", "clusterId": "650a1f3c2e4b6d8091a3b5c7", "clusterName": "ledger",
  "complete": true, "created": {"date": "2026-05-01T00:00:00Z", "increment": 1},
  "doNotDelete": false, "expires": "2027-05-01T00:00:00Z",
  "lastOplogAppliedTimestamp": {"date": "2026-05-01T00:00:00Z", "increment": 1},
  "namespaceFilterList": {"filterList": [], "filterType": "denyList"},
  "parts": [` + listedPart + `]
}`
	listedConfig = `{
  "groupId": "64f0c2a19b3d5e7f80a1b2c3", "clusterId": "{id}", "statusName": "STARTED", "storageEngineName": "WIRED_TIGER",
  "encryptionEnabled": false, "sslEnabled": true, "excludedNamespaces": ["admin.a"], "authMechanismName": "NONE",
  "preferredMember": "host-1.example.com:27017",
  "links": [{
    "rel": "self",
    "href": "https://om.example.com/api/public/v1.0/groups/64f0c2a19b3d5e7f80a1b2c3/backupConfigs/650a1f3c2e4b6d8091a3b5c7"
  }]
}`
)

// It measures the data sources and not only the client, because the framework needs several times as
// much memory for a list as the client.
//
//nolint:paralleltest // it measures the memory of the process
func TestListsTakeLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute with the race detector, and runs without -short")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // so that garbage hardly counts
	project := values{"project_id": payments}
	cluster := values{"project_id": payments, "cluster_id": ledger}
	const mib = 1 << 20
	for name, test := range map[string]struct {
		typeName string
		config   values
		handler  http.HandlerFunc
		most     int
		failure  []string // empty if the list is read
	}{
		"500 snapshots":             {providertest.ClusterSnapshotsType, cluster, listOf(500, listedSnapshot), 500 * 26_000, nil},
		"500 backup configurations": {providertest.BackupConfigsType, project, listOf(500, listedConfig), 500 * 10_000, nil},
		"1000 empty snapshots":      {providertest.ClusterSnapshotsType, cluster, listOf(1_000, "{}"), 1_000 * 8_000, nil},
		"a page of 99,990 empty snapshots": {
			providertest.ClusterSnapshotsType, cluster, compressed(t, `{"totalCount": 99990, "results": [{}`+strings.Repeat(",{}", 99_989)+"]}"), 200 * mib,
			[]string{"Unable to List Cluster Snapshots", "the page has 99990 items, but at most 500 were requested"},
		},
		"130,000 empty snapshots": {
			providertest.ClusterSnapshotsType, cluster, listOf(130_000, "{}"), 600 * mib,
			[]string{"Unable to List Cluster Snapshots", "The 130000 items", "more than 1 GiB", "page_num, and a smaller items_per_page"},
		},
		"130,000 clusters": {
			providertest.ClustersType, project, listOf(130_000, `{"id": "{id}"}`), 600 * mib,
			[]string{"Unable to List Clusters", "The 130000 items", "more than 1 GiB", "use IDs instead of it"},
		},
		"1000 snapshots of 190 empty parts": {
			providertest.ClusterSnapshotsType, cluster, listOf(1000, `{"id":"{id}","parts":[{}`+strings.Repeat(",{}", 189)+`]}`), 600 * mib,
			[]string{"Unable to List Cluster Snapshots", "more than 1 GiB", "page_num, and a smaller items_per_page"},
		},
		"a text of 30 MiB": {
			providertest.BackupConfigsType, project, compressed(
				t, `{"totalCount": 1, "results": [{"statusName": "`+strings.Repeat("s", 30*mib)+`"}]}`,
			), 200 * mib,
			[]string{"Unable to List Backup Configurations", "a text of more than 1 MiB"},
		},
		"30 texts of 1 MiB": {
			providertest.BackupConfigsType, project, compressed(
				t, `{"totalCount": 30, "results": [{}`+strings.Repeat(`,{"statusName": "`+strings.Repeat("s", mib)+`"}`, 29)+"]}",
			), 300 * mib, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(test.handler)
			defer server.Close()
			w := providertest.NewWorkspace(t, &providertest.Service{URL: server.URL})
			request := &tfprotov6.ReadDataSourceRequest{TypeName: test.typeName, Config: w.Dynamic(w.Schema.DataSourceSchemas[test.typeName], test.config)}
			var response *tfprotov6.ReadDataSourceResponse
			peak := smallestPeak(uint64(test.most), func() {
				var err error
				if response, err = w.Server.ReadDataSource(t.Context(), request); err != nil {
					t.Fatal(err)
				}
			})
			if peak > uint64(test.most) {
				t.Errorf("it took %d MiB, at most %d", peak/mib, test.most/mib)
			}
			failures := providertest.Diagnostics(response.Diagnostics).Errors()
			if len(test.failure) == 0 {
				if len(failures) > 0 {
					t.Error(failures)
				}
				return
			}
			providertest.WantOne(t, failures, test.failure...)
		})
	}
}

// Terraform reads up to ten data sources at once by default.
//
//nolint:paralleltest // it measures the memory of the process
func TestLargeListsWaitForEachOther(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute with the race detector, and runs without -short")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // so that garbage hardly counts
	server := httptest.NewServer(listOf(400, listedSnapshot))
	defer server.Close()
	w := providertest.NewWorkspace(t, &providertest.Service{URL: server.URL})
	config := w.Dynamic(w.Schema.DataSourceSchemas[providertest.ClusterSnapshotsType], values{"project_id": payments, "cluster_id": ledger})
	one := uint64(400 * 26_000)
	peak := smallestPeak(3*one, func() {
		var reading sync.WaitGroup
		for range 6 {
			reading.Go(func() {
				response, err := w.Server.ReadDataSource(
					t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: providertest.ClusterSnapshotsType, Config: config},
				)
				if err != nil || len(response.Diagnostics) > 0 {
					t.Errorf("%v %v", err, response)
				}
			})
		}
		reading.Wait()
	})
	if peak > 3*one { // at once, six take four times as much
		t.Errorf("six lists took %d MiB", peak>>20)
	}
}

// smallestPeak returns the first peak within a limit, or else the smallest one of five: a busy machine may collect
// garbage late.
func smallestPeak(limit uint64, run func()) uint64 {
	smallest := peakOfMemory(run)
	for tries := 1; tries < 5 && smallest > limit; tries++ {
		smallest = min(smallest, peakOfMemory(run))
	}
	return smallest
}

// peakOfMemory returns the largest growth of the memory of objects during run.
func peakOfMemory(run func()) uint64 {
	runtime.GC()
	objects := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(objects)
	before := objects[0].Value.Uint64()
	var done atomic.Bool
	ended := make(chan uint64)
	go func() {
		peak := before
		for !done.Load() {
			metrics.Read(objects)
			peak = max(peak, objects[0].Value.Uint64())
			time.Sleep(time.Millisecond)
		}
		ended <- peak - before
	}()
	run()
	done.Store(true)
	return <-ended
}

package opsmanager_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// gzipBomb returns a response of some KiB that decompresses to a page of many items.
func gzipBomb(t *testing.T, item string, items int) []byte {
	t.Helper()
	return slices.Concat(
		gzipped(t, `{"totalCount": 1, "results": [`+item),
		bytes.Repeat(gzipped(t, strings.Repeat(","+item, 10_000)), items/10_000),
		gzipped(t, "]}"),
	)
}

// gzipped compresses a text. Compressed texts can be put one after another.
func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	succeed(t, err)
	_, _ = io.WriteString(w, text)
	succeed(t, w.Close())
	return packed.Bytes()
}

//nolint:paralleltest // it measures the memory of the process
func TestResponseWithMillionsOfItemsIsRejectedWithoutMuchMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("decompresses millions of items, which takes some seconds with the race detector: runs without -short")
	}
	const most = 200 << 20
	for _, test := range []struct {
		name   string
		answer []byte
		lists  int
	}{
		{"items", gzipBomb(t, "{}", 3_000_000), 1},
		{"parts of items", gzipBomb(t, `{"parts":[{},{},{},{},{},{},{},{},{},{}]}`, 250_000), 1},
		{"items with text", gzipBomb(t, `{"links":[{"rel":"\"]"}]}`, 400_000), 1},
		{"just too many", gzipBomb(t, "{}", 110_000), 16},
		// Eight responses of 32 MiB each, held at once, would take more than the limit.
		{"as many bytes as are read", gzipBomb(t, "{}", 10_000_000), 8},
		{"more bytes", gzipBomb(t, `{"id":"`+strings.Repeat("0", 1000)+`"}`, 40_000), 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", "gzip")
				_, _ = w.Write(test.answer)
			}, retries(0))
			peak := smallestPeak(most, func() {
				failures := concurrently(test.lists, func(int) error {
					_, err := client.ListClusterSnapshots(t.Context(), payments, ledger, "", opsmanager.Page{})
					return err
				})
				equal(t, "failures", len(failures), test.lists)
				for _, err := range failures {
					if text := err.Error(); !strings.Contains(text, "more than 100000 array elements and unknown members") &&
						!strings.Contains(text, "larger than 32 MiB") {
						t.Errorf("got %q", text)
					}
				}
			})
			if peak > most {
				t.Errorf("used %d MiB", peak>>20)
			}
		})
	}
}

// largePage returns a page with one item that has many elements, and a next link.
func largePage(number string, elements int) string {
	return fmt.Sprintf(`{"results": [{"clusterId": %q, "links": [{}%s]}], "links": [{"rel": "next"}]}`, number, strings.Repeat(",{}", elements))
}

func TestListThatTakesTooMuchMemoryIsAnError(t *testing.T) {
	t.Parallel()
	pages := 0
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		pages++
		answerOK(w, largePage(r.URL.Query().Get("pageNum"), 90_000))
	})
	_, err := client.ListBackupConfigs(t.Context(), payments, opsmanager.Page{})
	incomplete(t, err, "its pages would take more than 32 MiB")
	equal(t, "pages", pages, 1)
}

func TestClientsThatShareALimitSendNoMoreRequestsAtATime(t *testing.T) {
	t.Parallel()
	for _, most := range []int64{1, 3} {
		var now, peak atomic.Int64
		handler := func(w http.ResponseWriter, r *http.Request) {
			n := now.Add(1)
			for before := peak.Load(); before < n && !peak.CompareAndSwap(before, n); before = peak.Load() {
			}
			time.Sleep(5 * time.Millisecond)
			for range 300 { // until there were as many as may be
				if peak.Load() < most {
					time.Sleep(time.Millisecond)
				}
			}
			now.Add(-1) // before the response, after which another request may begin
			items := ""
			if number, _ := strconv.Atoi(r.URL.Query().Get("pageNum")); number <= 12 {
				items = fmt.Sprintf(`{"clusterId": "%024d"}`, number)
			}
			answerOK(w, fmt.Sprintf(`{"results": [%s], "totalCount": 12}`, items))
		}
		room := make(chan struct{}, most)
		limit := func(c *opsmanager.Config) { c.Limit = room }
		clients := []*opsmanager.Client{serve(t, handler, limit), serve(t, handler, limit)}
		for _, err := range concurrently(4, func(i int) error {
			_, err := clients[i%2].ListBackupConfigs(t.Context(), payments, opsmanager.Page{})
			return err
		}) {
			t.Error(err)
		}
		equal(t, "requests at a time", peak.Load(), most)
	}
}

// Each large response waits for the others, and for its place among the requests.
func TestALimitOfRequestsDoesNotKeepLargeListsFromEnding(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body := `{"results": [], "totalCount": 0}`
		if number := r.URL.Query().Get("pageNum"); number == "1" {
			body = largePage(number, 1_000) + strings.Repeat(" ", 3<<20)
		}
		answerOK(w, body)
	}, retries(0), func(c *opsmanager.Config) { c.Limit = make(chan struct{}, 1) })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for _, err := range concurrently(6, func(int) error {
		_, err := client.ListBackupConfigs(ctx, payments, opsmanager.Page{})
		return err
	}) {
		t.Error(err)
	}
}

func TestAWaitBecauseOfALimitIsNoPartOfTheTimeoutAndEndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		room := make(chan struct{}, 1)
		client := newClient(t, "http://127.0.0.1:9", withoutNetwork(func(w http.ResponseWriter, _ *http.Request) {
			answerOK(w, `{"results": [], "totalCount": 0}`)
		}), retries(0), func(c *opsmanager.Config) { c.Limit, c.Timeout = room, 50*time.Millisecond })
		room <- struct{}{}
		time.AfterFunc(200*time.Millisecond, func() { <-room })
		_, err := client.ListBackupConfigs(t.Context(), payments, opsmanager.Page{})
		succeed(t, err)
		room <- struct{}{}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if _, err := client.ListBackupConfigs(ctx, payments, opsmanager.Page{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		<-room
	})
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

func TestWaitingForALargeAnswerIsNotPartOfTheTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := newClient(t, "http://127.0.0.1:9", withoutNetwork(func(w http.ResponseWriter, _ *http.Request) {
			answerOK(w, `{"results": [], "totalCount": 0}`+strings.Repeat(" ", 3<<20))
		}), retries(0), func(c *opsmanager.Config) { c.Timeout = 5 * time.Second })
		other, cancel := context.WithTimeout(t.Context(), 6*time.Second)
		defer cancel()
		succeed(t, client.BeginLargeAnswer(other))
		begin := time.Now()
		_, err := client.ListBackupConfigs(t.Context(), payments, opsmanager.Page{})
		succeed(t, err)
		equal(t, "waited", time.Since(begin), 6*time.Second)
	})
}

//nolint:paralleltest // it measures the memory of the process
func TestLargePagesOfOneListAreReadOneAtATime(t *testing.T) {
	if testing.Short() {
		t.Skip("decompresses 300 MiB, which takes some seconds with the race detector: runs without -short")
	}
	spaces := gzipped(t, strings.Repeat(" ", 30<<20))
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		number := r.URL.Query().Get("pageNum")
		if n, _ := strconv.Atoi(number); n > 8 {
			_, _ = w.Write(gzipped(t, `{"results": [], "totalCount": 8}`))
			return
		}
		_, _ = w.Write(gzipped(t, fmt.Sprintf(`{"results": [{"clusterId": %q}], "totalCount": 8}`, number)))
		if number != "1" {
			_, _ = w.Write(spaces)
		}
	}, retries(0))
	const most = 270 << 20 // one takes 130 to 200, and eight 340
	peak := smallestPeak(most, func() {
		_, err := client.ListBackupConfigs(t.Context(), payments, opsmanager.Page{})
		succeed(t, err)
	})
	if peak > most {
		t.Errorf("used %d MiB", peak>>20)
	}
}

func TestObjectWithManyMembersIsRejected(t *testing.T) {
	t.Parallel()
	var members strings.Builder
	for i := range 100_001 {
		fmt.Fprintf(&members, `, "k%d": 0`, i)
	}
	_, err := returning(t, `{"id": "NY_NJ"`+members.String()+"}").DeploymentRegion(t.Context(), "NY_NJ")
	fails(t, "region", err, "more than 100000 array elements and unknown members")
}

func TestLongTextIsRejected(t *testing.T) {
	t.Parallel()
	for document, request := range map[string]string{
		`{"id": "NY_NJ", "deploymentDescription": "%s"}`:                                 "GET " + admin + "/backupDeployments/NY_NJ",
		`{"results": [{"id": "NY_NJ", "deploymentDescription": "%s"}], "totalCount": 1}`: "GET " + admin + "/backupDeployments",
		`{"results": [{"id": "NY_NJ", "%s": null}], "totalCount": 1}`:                    "GET " + admin + "/backupDeployments",
	} {
		for _, length := range []int{1 << 20, 1<<20 + 1, 3 << 20} {
			_, err := requestOf(t, request, "").call(t, returning(t, fmt.Sprintf(document, strings.Repeat("d", length))))
			if length == 1<<20 {
				succeed(t, err)
				continue
			}
			fails(t, fmt.Sprintf("%d bytes in %s", length, document), err, "a text of more than 1 MiB")
		}
	}
}

// endless serves a list of snapshots without an end, with a total for each page.
func endless(total func(page int) string) http.HandlerFunc {
	part := `{"clusterId": "650a1f3c2e4b6d8091a3b5c7", "completedTime": "2026-05-01T00:00:00Z", "replicaSetName": "rs0", "typeName": "REPLICA_SET"}`
	return func(w http.ResponseWriter, r *http.Request) {
		var page int
		_, _ = fmt.Sscan(r.URL.Query().Get("pageNum"), &page)
		var body bytes.Buffer
		fmt.Fprintf(&body, `{%s"results": [{}`, total(page))
		for i := range opsmanager.MaxItemsPerPage - 1 {
			fmt.Fprintf(&body, `, {"id": "%024x", "created": {"date": "2026-05-01T00:00:00Z"}, "parts": [%s]}`, page<<16+i, part)
		}
		answerOK(w, body.String()+"]}")
	}
}

//nolint:paralleltest // it measures the memory of the process
func TestAListWithoutAnEndIsAnError(t *testing.T) {
	for name, test := range map[string]struct {
		total func(page int) string
		lists int
		most  uint64
		says  string
	}{
		"one with a total": {
			func(int) string { return `"totalCount": 2000, ` }, 1, 100 << 20,
			"it continues after the 2000 items that Ops Manager counts",
		},
		"ten with a total": {
			func(int) string { return `"totalCount": 2000, ` }, 10, 300 << 20,
			"it continues after the 2000 items that Ops Manager counts",
		},
		"ten with a large total": {
			func(int) string { return `"totalCount": 1000000000, ` }, 10, 300 << 20,
			"its 1000000000 items would take more than 256 MiB",
		},
		"ten without a total": {func(int) string { return "" }, 10, 350 << 20, "its pages would take more than 32 MiB"},
		"ten with a growing total": {
			func(page int) string { return fmt.Sprintf(`"totalCount": %d, `, 500*page+1) }, 10, 300 << 20,
			"its total grew from 501 to 1501",
		},
	} {
		t.Run(name, func(t *testing.T) {
			client := serve(t, endless(test.total), retries(0))
			peak := smallestPeak(test.most, func() {
				failures := concurrently(test.lists, func(int) error {
					_, err := client.ListClusterSnapshots(t.Context(), payments, ledger, "", opsmanager.Page{})
					return err
				})
				equal(t, "failures", len(failures), test.lists)
				for _, err := range failures {
					incomplete(t, err, test.says)
				}
			})
			if peak > test.most {
				t.Errorf("used %d MiB", peak>>20)
			}
		})
	}
}

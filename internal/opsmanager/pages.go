package opsmanager

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// MaxItemsPerPage is the maximum number of items on a page of a list.
const MaxItemsPerPage = 500

const (
	// The default page size of Ops Manager.
	defaultItemsPerPage = 100
	// How many pages of a list are requested concurrently: as many as Terraform has
	// workers by default.
	concurrentPages = 10
	// How many pages are requested before they are checked for new items. With batches of
	// 10, nine connections would wait for the slowest one, which takes 1.15 times as long
	// with a latency of 20 ms.
	pagesPerBatch = 4 * concurrentPages
	// How often a list is read if it keeps changing.
	maxReadings = 4
	// A list with more pages is an error.
	maxPages = 2_000
)

// Page selects a page of a list. The zero value selects all pages.
type Page struct {
	Number int64 // starts at 1
	Size   int64 // items per page, 1 to MaxItemsPerPage; 0 uses the default of Ops Manager, 100
}

// Link is a link to another object, with a relation as in RFC 8288. The client never
// follows links, because their host is the one that Ops Manager is configured with.
type Link struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
}

func (Link) ids() []string { return nil }

// List is a list of items, or a page of it.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/core/api/
type List[T any] struct {
	Results    []T    `json:"results"`
	Links      []Link `json:"links"`
	TotalCount *int64 `json:"totalCount"` // of the whole list; nil if the response leaves it out

	Date time.Time `json:"-"` // of the first page, by the clock of the server; zero if the response leaves it out

	size         int64 // estimate of what it takes in memory, in bytes
	unidentified error // why the list can't decide anything, or nil
}

// ErrUnidentified is the cause of an [*Error] if an item of a list is null or has no ID, and something depends on the
// list.
var ErrUnidentified = errors.New("an item of the list is null or has no ID")

// Identified returns a list with which something is decided, or an error if one of its items is null or has no ID. What
// follows from such an item is not known.
func Identified[T any](all *List[T], err error) (*List[T], error) {
	if err == nil && all.unidentified != nil {
		return nil, all.unidentified
	}
	return all, err
}

func (l *List[T]) setSize(bytes int) { l.size = int64(bytes) }

func (l *List[T]) setDate(header http.Header) { l.Date, _ = http.ParseTime(header.Get("Date")) }

func (l *List[T]) hasNext() bool {
	return slices.ContainsFunc(l.Links, func(link Link) bool { return link.Rel == "next" })
}

// list returns one page of a list, or all.
func list[T identified](ctx context.Context, c *Client, e endpoint, page Page) (*List[T], error) {
	r := listReader[T]{
		client:   c,
		endpoint: e,
		size:     new(atomic.Int64),
	}
	if page != (Page{}) {
		return r.readPage(ctx, page)
	}
	return r.readAll(ctx)
}

// stringValue returns the string at a pointer, or an empty one if it is nil.
func stringValue(id *string) string {
	if id == nil {
		return ""
	}
	return *id
}

// ErrIncompleteList is the cause of an [*Error] if a list may lack items. Such a list is not
// returned, because Terraform would treat missing items as deleted.
var ErrIncompleteList = errors.New("the list may be incomplete")

// listReader reads a list.
type listReader[T identified] struct {
	client   *Client
	endpoint endpoint      // its query lacks the page
	size     *atomic.Int64 // of the pages of a reading, in bytes
}

// key returns what identifies an item across pages. It is empty if the item has no ID.
func (listReader[T]) key(item T) string {
	ids := item.ids()
	return ids[len(ids)-1]
}

// readPage returns one page.
func (r listReader[T]) readPage(ctx context.Context, page Page) (*List[T], error) {
	e := r.endpoint
	e.query = url.Values{}
	maps.Copy(e.query, r.endpoint.query)
	if page.Number > 0 {
		e.query.Set("pageNum", strconv.FormatInt(page.Number, 10))
	}
	if page.Size > 0 {
		e.query.Set("itemsPerPage", strconv.FormatInt(page.Size, 10))
	}
	list := new(List[T])
	if err := r.client.do(ctx, e, nil, list); err != nil {
		return nil, err
	}
	if most := int(cmp.Or(page.Size, MaxItemsPerPage)); len(list.Results) > most {
		return nil, e.undocumented("the page has %d items, but at most %d were requested", len(list.Results), most)
	}
	if r.size.Add(list.size) > maxListBytes {
		return nil, r.incomplete("its pages would take more than %d MiB of memory", maxListBytes>>20)
	}
	list.size = 0 // r.size has counted it
	for _, item := range list.Results {
		if err := r.client.checkObject(e, item); err != nil {
			return nil, err
		}
		if r.key(item) == "" {
			list.unidentified = e.failure(Error{Status: http.StatusOK, Err: ErrUnidentified})
		}
	}
	if list.Results == nil && (list.TotalCount == nil || *list.TotalCount != 0) {
		return nil, e.undocumented("the list has no results")
	}
	return list, nil
}

// readAll reads all pages. An item that is deleted meanwhile moves its successors to
// pages that may have been read already, so a list that changes is read again. A reading
// is final if its pages agree on the total, hold that many items and have not moved, or
// if it found no new items and there are as many as the total.
//
// It fails with ErrIncompleteList if it finds fewer items than the total, or if there
// is no total and the list keeps changing.
func (r listReader[T]) readAll(ctx context.Context) (*List[T], error) {
	all := &List[T]{Results: []T{}}
	seen := map[string]bool{}
	for reading := 1; ; reading++ {
		r.size.Store(0)
		pages, err := r.readPages(ctx)
		if err != nil {
			return nil, err
		}
		added := 0
		for _, page := range pages {
			all.unidentified = cmp.Or(all.unidentified, page.unidentified)
		}
		for item, k := range r.items(pages) {
			// Items without a key cannot be identified, so the first reading counts.
			if k == "" && reading > 1 || k != "" && seen[k] {
				continue
			}
			seen[k] = true
			added++
			all.Results = append(all.Results, item)
		}
		all.Date = pages[0].Date
		all.Links = pages[0].Links
		all.TotalCount = pages[len(pages)-1].TotalCount
		total := smallestTotal(pages)
		found := int64(len(all.Results))
		if total != nil && found < *total && found+r.duplicates(pages) < *total {
			if reading == maxReadings {
				return nil, r.incomplete("%d readings found %d distinct items, but Ops Manager counts %d", reading, found, *total)
			}
			continue
		}
		if len(pages) == 1 || total != nil && (reading > 1 && added == 0 || reading == maxReadings) {
			return all, nil
		}
		if r.consistent(pages) {
			stable, err := r.stable(ctx, pages)
			if err != nil {
				return nil, err
			}
			if stable {
				return all, nil
			}
		}
		if reading == maxReadings {
			return nil, r.incomplete("it has no total, and its items moved during each of %d readings", reading)
		}
	}
}

// incomplete returns an error with ErrIncompleteList as its cause.
func (r listReader[T]) incomplete(format string, args ...any) error {
	return r.endpoint.failure(Error{
		Status: http.StatusOK,
		Err:    fmt.Errorf("%w: %s", ErrIncompleteList, fmt.Sprintf(format, args...)),
	})
}

// smallestTotal returns the smallest total of the pages of a reading, or nil if they have
// none. Items that were added during the reading may be missing.
func smallestTotal[T any](pages []*List[T]) *int64 {
	var smallest *int64
	for _, page := range pages {
		if page.TotalCount != nil && (smallest == nil || *page.TotalCount < *smallest) {
			smallest = page.TotalCount
		}
	}
	return smallest
}

// duplicates returns how many items repeat another one on the same page. Changes of the
// list cannot cause that: Ops Manager lists these items twice, and counts them twice.
func (r listReader[T]) duplicates(pages []*List[T]) (count int64) {
	for _, page := range pages {
		count += int64(len(page.Results)) - r.distinct(page)
	}
	return count
}

// distinct returns the number of different items on some pages. Each item without a key counts.
func (r listReader[T]) distinct(pages ...*List[T]) (count int64) {
	seen := map[string]bool{}
	for _, k := range r.items(pages) {
		if k == "" || !seen[k] {
			count++
		}
		seen[k] = true
	}
	return count
}

// readPages reads the pages from the first to the last, concurrently if the total says
// how many there are.
func (r listReader[T]) readPages(ctx context.Context) ([]*List[T], error) {
	first, err := r.readPage(ctx, Page{Number: 1, Size: MaxItemsPerPage})
	if err != nil {
		return nil, err
	}
	// A short page that is not the last one shows that Ops Manager limits pages to
	// fewer items than requested. Version 4.0 and older limit them to 100.
	size := int64(len(first.Results))
	pages := []*List[T]{first}
	if size == 0 || size < MaxItemsPerPage && !first.hasNext() && first.TotalCount != nil && *first.TotalCount == size {
		return pages, nil
	}
	seen := map[string]bool{}
	for _, k := range r.items(pages) {
		seen[k] = true
	}
	for len(pages) < maxPages {
		lastByTotal := int64(0)
		done := int64(len(pages))
		total := pages[done-1].TotalCount
		if total != nil {
			lastByTotal = (*total + size - 1) / size
		}
		if done >= lastByTotal && atEnd(pages, size) {
			return pages, nil
		}
		if err := r.checkLength(first, total, done, lastByTotal); err != nil {
			return nil, err
		}
		batch, err := r.readBatch(ctx, done, min(max(lastByTotal-done, 1), pagesPerBatch), size)
		if err != nil {
			return nil, err
		}
		// After the last page, a server returns empty pages. A server without paging
		// returns the same page for each number.
		hasNew := false
		expectsMore := done < lastByTotal || pages[done-1].hasNext() || !reflect.DeepEqual(batch[0].Results, pages[done-1].Results)
		for _, k := range r.items(batch) {
			if k == "" {
				hasNew = hasNew || expectsMore
				continue
			}
			hasNew = hasNew || !seen[k]
			seen[k] = true
		}
		ended := slices.ContainsFunc(batch, func(l *List[T]) bool {
			return len(l.Results) == 0
		})
		if hasNew || ended {
			pages = append(pages, batch...)
		}
		if ended {
			return pages, nil
		}
		if !hasNew {
			return pages, r.checkRepeated(pages)
		}
	}
	return nil, r.incomplete("it did not end after %d pages", maxPages)
}

// checkLength returns an error if a list takes too much memory, or continues after its total. A total that fits on the
// first page may be that of the page.
func (r listReader[T]) checkLength(first *List[T], total *int64, done, lastByTotal int64) error {
	isCounted := lastByTotal > 1
	ofPage := r.size.Load() / done
	switch {
	case !isCounted && ofPage > maxUncounted/done:
		return r.incomplete("it has no end, or its pages would take more than %d MiB of memory without a total", maxUncounted>>20)
	case !isCounted:
		return nil
	case ofPage > maxListBytes/max(done, lastByTotal):
		return r.incomplete("its %d items would take more than %d MiB of memory", *total, maxListBytes>>20)
	case done > lastByTotal:
		return r.incomplete("it continues after the %d items that Ops Manager counts", *total)
	case first.TotalCount != nil && *total/2 > max(*first.TotalCount, MaxItemsPerPage):
		return r.incomplete("its total grew from %d to %d while it was read", *first.TotalCount, *total)
	}
	return nil
}

// readBatch reads a number of pages of a size, concurrently. done is the number of pages before them.
func (r listReader[T]) readBatch(ctx context.Context, done, count, size int64) ([]*List[T], error) {
	batch := make([]*List[T], count)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrentPages)
	for i := range batch {
		group.Go(func() (err error) {
			batch[i], err = r.readPage(ctx, Page{Number: done + int64(i) + 1, Size: size})
			return err
		})
	}
	return batch, group.Wait()
}

// checkRepeated returns an error if page 2 only repeats page 1, and page 1 may be
// truncated: it has a next link, or the length of a full page and no total that
// confirms it. A page of another length comes from a server without paging. A later page
// that repeats its predecessor comes from a server that returns the last page for
// numbers beyond it.
func (r listReader[T]) checkRepeated(pages []*List[T]) error {
	if len(pages) > 1 {
		return nil
	}
	first := pages[0]
	size := int64(len(first.Results))
	mayBeTruncated := size == MaxItemsPerPage || size == defaultItemsPerPage
	if total := first.TotalCount; total != nil && *total >= size {
		mayBeTruncated = *total > size
	}
	if !first.hasNext() && !mayBeTruncated {
		return nil
	}
	return r.incomplete("page 2 repeats the %d items of page 1", size)
}

// items returns an iterator over the items of some pages and their keys.
func (r listReader[T]) items(pages []*List[T]) iter.Seq2[T, string] {
	return func(yield func(T, string) bool) {
		for _, page := range pages {
			for _, item := range page.Results {
				if !yield(item, r.key(item)) {
					return
				}
			}
		}
	}
}

// consistent reports whether the pages of a reading agree on the total and hold that
// many distinct items.
func (r listReader[T]) consistent(pages []*List[T]) bool {
	total := pages[0].TotalCount
	if total == nil {
		return true // there is nothing to compare
	}
	for _, page := range pages {
		if page.TotalCount == nil || *page.TotalCount != *total {
			return false
		}
	}
	return r.distinct(pages...) == *total
}

// stable reports whether the items of a reading have not moved. If one item is deleted
// and another one is added, the total stays the same, but the items between them move.
// It requests the last item of each page again and compares its key.
func (r listReader[T]) stable(ctx context.Context, pages []*List[T]) (bool, error) {
	var moved atomic.Bool
	size := len(pages[0].Results)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2 * concurrentPages) // requests for one item each
	for i, page := range pages[:len(pages)-1] {
		if len(page.Results) < size || r.key(page.Results[size-1]) == "" {
			continue // the end of the list, or an item without a key
		}
		group.Go(func() error {
			current, err := r.readPage(ctx, Page{Number: int64((i + 1) * size), Size: 1})
			if err == nil && (len(current.Results) == 0 || r.key(current.Results[0]) != r.key(page.Results[size-1])) {
				moved.Store(true)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return false, err
	}
	return !moved.Load(), nil
}

// atEnd reports whether the last page of a reading is the last one of the list: it has
// no next link, and it is short or the total is reached.
func atEnd[T any](pages []*List[T], size int64) bool {
	last := pages[len(pages)-1]
	served := int64(len(pages)) * size
	if last.hasNext() {
		return false
	}
	return int64(len(last.Results)) < size || len(last.Links) > 0 && last.TotalCount != nil && *last.TotalCount >= served
}

package opsmanager

import (
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

	"golang.org/x/sync/errgroup"
)

// MaxItemsPerPage is the most items that one page of a list may hold.
const MaxItemsPerPage = 500

const (
	// What the service puts on a page where nobody asks for another number.
	usualItemsPerPage = 100
	// How many pages of one list are asked for side by side: as many as Terraform
	// has workers by default.
	pagesAtOnce = 10
	// After how many to see whether they bring anything new. A look after each ten
	// lets nine connections wait for the slowest: 1.15 times the time at 20 ms.
	pagesInARow = 4 * pagesAtOnce
	// How often a list that changes while it is read is read again.
	maxReadings = 4
	// Where a service that never stops serving pages is given up.
	maxPages = 2_000
)

// Page selects one page of a list. The zero Page selects all of them.
type Page struct {
	Number int64 // from 1
	Size   int64 // items on a page, 1 to MaxItemsPerPage; 0: as many as the service likes, 100
}

// Link relates an object to another, as RFC 8288 has it. Links are for people
// to see and are never followed: their host is what the service believes its
// own to be.
type Link struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
}

// List is the envelope around the items of a list.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/core/api/
type List[T any] struct {
	Results    []T    `json:"results"`
	Links      []Link `json:"links"`
	TotalCount *int64 `json:"totalCount"` // of the whole list; nil where the service does not count

	// Whether there are, or may be, more items than those that were asked for.
	More bool `json:"-"`

	elements int // of all arrays of the answer
}

func (l *List[T]) setElements(elements int) { l.elements = elements }

func (l *List[T]) hasNext() bool {
	for _, link := range l.Links {
		if link.Rel == "next" {
			return true
		}
	}
	return false
}

// list reads one page, or all of them. The key of an item is what makes it the
// same item on another page.
func list[T any](ctx context.Context, c *Client, e endpoint, page Page, key func(T) string) (*List[T], error) {
	r := listReader[T]{client: c, endpoint: e, key: key}
	if page != (Page{}) {
		return r.page(ctx, page)
	}
	return r.all(ctx)
}

// stringValue is the key of an item that its id tells apart; without one, nothing does.
func stringValue(id *string) string {
	if id == nil {
		return ""
	}
	return *id
}

// ErrIncompleteList is the cause of an [*Error] of a list that was read and may
// lack items. To act on such a list would be to take what it lacks for gone.
var ErrIncompleteList = errors.New("the list is not known to be complete")

type listReader[T any] struct {
	client   *Client
	endpoint endpoint // whose query lacks the page
	key      func(T) string
	enough   int64 // items after which no further page is read; 0: all
	read     *listElements
}

func (r listReader[T]) page(ctx context.Context, page Page) (*List[T], error) {
	e := r.endpoint
	e.query = url.Values{}
	maps.Copy(e.query, r.endpoint.query)
	if page.Number > 0 {
		e.query.Set("pageNum", strconv.FormatInt(page.Number, 10))
	}
	if page.Size > 0 {
		e.query.Set("itemsPerPage", strconv.FormatInt(page.Size, 10))
	}
	answer := new(List[T])
	if err := r.client.do(ctx, e, nil, answer); err != nil {
		return nil, err
	}
	if r.read != nil {
		short, err := r.read.add(ctx, answer.elements)
		if err != nil {
			return nil, e.failure(Error{Err: err})
		}
		if !short {
			return nil, r.incomplete("its pages have more than %d elements together", maxListElements)
		}
	}
	if answer.Results == nil && (answer.TotalCount == nil || *answer.TotalCount != 0) {
		return nil, e.failure(Error{Status: http.StatusOK, Err: fmt.Errorf("%w: it is a list without results", errUndocumented)})
	}
	return answer, nil
}

// all reads every page, or as many as hold enough items, and reads again what
// changed meanwhile: an item that goes while pages are read moves its successors
// to pages that have been read already. A reading is believed if its pages agree
// on the total, hold as many items and are still where they were, or if it found
// nothing that the one before had not and there are as many items as the total.
// A list that is not meant to be whole is read once.
//
// It fails with ErrIncompleteList if it finds fewer items than the total, or if
// there is no total and the list is never still.
func (r listReader[T]) all(ctx context.Context) (*List[T], error) {
	r.read = &listElements{turn: r.client.largeList}
	defer r.read.release()
	whole := &List[T]{Results: []T{}}
	known := map[string]bool{}
	for reading := 1; ; reading++ {
		r.read.count = 0
		pages, err := r.reading(ctx)
		if err != nil {
			return nil, err
		}
		added := 0
		for item, k := range r.items(pages) {
			// Items without an identifier cannot be told apart: the first reading counts.
			if k == "" && reading > 1 || k != "" && known[k] {
				continue
			}
			known[k] = true
			added++
			whole.Results = append(whole.Results, item)
		}
		whole.Links, whole.TotalCount = pages[0].Links, pages[len(pages)-1].TotalCount
		whole.More = r.stopped(pages)
		if r.enough > 0 {
			return whole, nil
		}
		total := smallestTotal(pages)
		found := int64(len(whole.Results))
		if total != nil && found < *total && found+r.listedTwice(pages) < *total {
			if reading == maxReadings {
				return nil, r.incomplete("%d readings found %d distinct items, and Ops Manager counts %d", reading, found, *total)
			}
			continue
		}
		if len(pages) == 1 || total != nil && (reading > 1 && added == 0 || reading == maxReadings) {
			return whole, nil
		}
		if r.consistent(pages) {
			stable, err := r.stable(ctx, pages)
			if err != nil {
				return nil, err
			}
			if stable {
				return whole, nil
			}
		}
		if reading == maxReadings {
			return nil, r.incomplete("it has no total, and its items moved during each of %d readings", reading)
		}
	}
}

// incomplete returns the error of a list that may lack items.
func (r listReader[T]) incomplete(format string, args ...any) error {
	return r.endpoint.failure(Error{
		Status: http.StatusOK,
		Err:    fmt.Errorf("%w: %s", ErrIncompleteList, fmt.Sprintf(format, args...)),
	})
}

// smallestTotal returns the smallest total that the pages of one reading show,
// or nil if they show none. Items that came while they were read may be missing.
func smallestTotal[T any](pages []*List[T]) *int64 {
	var smallest *int64
	for _, page := range pages {
		if page.TotalCount != nil && (smallest == nil || *page.TotalCount < *smallest) {
			smallest = page.TotalCount
		}
	}
	return smallest
}

// listedTwice returns how many items repeat an item of the same page. Pages that
// move cannot cause that: the service lists the item twice, and counts it twice.
func (r listReader[T]) listedTwice(pages []*List[T]) int64 {
	twice := int64(0)
	for _, page := range pages {
		seen := map[string]bool{}
		for _, k := range r.items([]*List[T]{page}) {
			if k != "" && seen[k] {
				twice++
			}
			seen[k] = true
		}
	}
	return twice
}

// stopped says whether a reading had enough before it had seen the end.
func (r listReader[T]) stopped(pages []*List[T]) bool {
	served := int64(0)
	for _, page := range pages {
		served += int64(len(page.Results))
	}
	last, size := pages[len(pages)-1], int64(usualItemsPerPage)
	if len(pages) > 1 {
		size = int64(len(pages[0].Results))
	}
	end := atEnd(pages, size)
	if last.TotalCount != nil {
		end = !last.hasNext() && *last.TotalCount <= served
	}
	return r.enough > 0 && served >= r.enough && !end
}

// reading reads the pages from the first to the last, or until there are enough
// items, several side by side if the service says how many there are.
func (r listReader[T]) reading(ctx context.Context) ([]*List[T], error) {
	asked := int64(MaxItemsPerPage)
	if r.enough > 0 {
		asked = min(max(r.enough, usualItemsPerPage), MaxItemsPerPage)
	}
	first, err := r.page(ctx, Page{Number: 1, Size: asked})
	if err != nil {
		return nil, err
	}
	// If a page is short and not the last, the service serves smaller pages than
	// it was asked for: Ops Manager 4.0 and older, 100.
	size := int64(len(first.Results))
	pages := []*List[T]{first}
	if size == 0 || size < asked && !first.hasNext() && first.TotalCount != nil && *first.TotalCount == size {
		return pages, nil
	}
	known := map[string]bool{}
	for _, k := range r.items(pages) {
		known[k] = true
	}
	for len(pages) < maxPages {
		lastByCount := int64(0)
		if total := pages[len(pages)-1].TotalCount; total != nil {
			lastByCount = (*total + size - 1) / size
		}
		done := int64(len(pages))
		if done >= lastByCount && atEnd(pages, size) || r.enough > 0 && done*size >= r.enough {
			return pages, nil
		}
		wanted := min(max(lastByCount-done, 1), pagesInARow)
		if r.enough > 0 {
			wanted = min(wanted, (r.enough+size-1)/size-done)
		}
		batch := make([]*List[T], wanted)
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(pagesAtOnce)
		for i := range batch {
			group.Go(func() (err error) {
				batch[i], err = r.page(ctx, Page{Number: done + int64(i) + 1, Size: size})
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
		// A service that has no more items answers with empty pages, one that
		// does not know of pages with the same one for ever.
		news := false
		for _, k := range r.items(batch) {
			if k == "" { // news only if there is reason to expect more
				news = news || done < lastByCount || pages[done-1].hasNext() || !reflect.DeepEqual(batch[0].Results, pages[done-1].Results)
				continue
			}
			news = news || !known[k]
			known[k] = true
		}
		ended := slices.ContainsFunc(batch, func(l *List[T]) bool { return len(l.Results) == 0 })
		if news || ended {
			pages = append(pages, batch...)
		}
		if ended {
			return pages, nil
		}
		if !news {
			if err := r.checkRepeated(pages, asked); err != nil {
				return nil, err
			}
			return pages, nil
		}
	}
	return nil, r.incomplete("it has no end, %d pages were read", maxPages)
}

// checkRepeated fails if page 2 of a list brings nothing that is not on page 1,
// and page 1 is or may be cut: something points to more, or it is as long as pages
// are and no total says that it is all. A page of another length is what a service
// without pages has. A later page that repeats the one before is what a service
// answers that takes a number beyond the last page for the last.
func (r listReader[T]) checkRepeated(pages []*List[T], asked int64) error {
	if len(pages) > 1 {
		return nil
	}
	first := pages[0]
	size := int64(len(first.Results))
	mayBeCut := size == asked || size == usualItemsPerPage
	if total := first.TotalCount; total != nil && *total >= size {
		mayBeCut = *total > size
	}
	if !first.hasNext() && !mayBeCut {
		return nil
	}
	return r.incomplete("page 2 repeats the %d items of page 1", size)
}

// items yields each item of the pages, with its key.
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

// consistent says whether the pages show one state of the list: they agree on
// the total, and there are as many different items.
func (r listReader[T]) consistent(pages []*List[T]) bool {
	total := pages[0].TotalCount
	if total == nil {
		return true // nothing to compare with
	}
	for _, page := range pages {
		if page.TotalCount == nil || *page.TotalCount != *total {
			return false
		}
	}
	different, anonymous := map[string]bool{}, int64(0)
	for _, k := range r.items(pages) {
		if k == "" {
			anonymous++
		} else {
			different[k] = true
		}
	}
	return int64(len(different))+anonymous == *total
}

// stable says whether the pages are still where they were: an item that goes and
// another one that comes elsewhere leave the total as it is, and move everything
// between them. The last item of each page tells, for a request of that item.
func (r listReader[T]) stable(ctx context.Context, pages []*List[T]) (bool, error) {
	var moved atomic.Bool
	size := len(pages[0].Results)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2 * pagesAtOnce) // of one item each
	for i, page := range pages[:len(pages)-1] {
		if len(page.Results) < size || r.key(page.Results[size-1]) == "" {
			continue // the end, or an item that cannot be told from others
		}
		group.Go(func() error {
			there, err := r.page(ctx, Page{Number: int64((i + 1) * size), Size: 1})
			if err == nil && (len(there.Results) == 0 || r.key(there.Results[0]) != r.key(page.Results[size-1])) {
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

// atEnd says whether nothing points beyond the last of some pages: it is short, or
// its total says that this is all.
func atEnd[T any](pages []*List[T], size int64) bool {
	last, served := pages[len(pages)-1], int64(len(pages))*size
	if last.hasNext() {
		return false
	}
	return int64(len(last.Results)) < size || len(last.Links) > 0 && last.TotalCount != nil && *last.TotalCount >= served
}

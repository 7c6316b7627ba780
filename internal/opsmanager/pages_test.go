package opsmanager_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// listServer serves a list of backup configurations, with a number of possible defects.
type listServer struct {
	most        int  // maximum page size; defaults to 500
	noLinks     bool // links is empty, as in the documented examples
	noNextLink  bool // there is no next link
	ignoresPage bool // every page is page 1
	repeatsLast bool // numbers beyond the last page return the last page
	withoutIDs  bool // items have no ID
	total       func(page, there int) any

	// afterPage is called after each page and may change the items.
	afterPage func(l *listServer, page int)
	// fault may send the response instead; it then returns true.
	fault func(w http.ResponseWriter, page int) bool

	mu        sync.Mutex
	items     []string
	requested []string // the query strings, in order
}

func sequentialIDs(n int) []string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf("%024x", i)
	}
	return items
}

func (l *listServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requested = append(l.requested, r.URL.RawQuery)
	number, size := 1, 100
	for name, value := range map[string]*int{"pageNum": &number, "itemsPerPage": &size} {
		if given := r.URL.Query().Get(name); given != "" {
			*value, _ = strconv.Atoi(given)
		}
	}
	if l.fault != nil && l.fault(w, number) {
		return
	}
	most := l.most
	if most == 0 {
		most = 500
	}
	if size > most {
		size = most
	}
	page := number
	if l.ignoresPage {
		page = 1
	}
	if l.repeatsLast {
		page = min(page, (len(l.items)+size-1)/size)
	}
	start := min((page-1)*size, len(l.items))
	end := min(start+size, len(l.items))
	var results, links []string
	for _, id := range l.items[start:end] {
		if l.withoutIDs {
			results = append(results, "{}")
		} else {
			results = append(results, `{"clusterId": "`+id+`", "id": "`+id+`"}`)
		}
	}
	if !l.noLinks {
		links = append(links, `{"rel": "self", "href": "http://om.invalid/"}`)
		if end < len(l.items) && !l.noNextLink {
			links = append(links, `{"rel": "next", "href": "http://om.invalid/"}`)
		}
	}
	body := `{"results": [` + strings.Join(results, ", ") + `], "links": [` + strings.Join(links, ", ") + `]`
	if l.total == nil {
		body += fmt.Sprintf(`, "totalCount": %d`, len(l.items))
	} else if total := l.total(number, len(l.items)); total != nil {
		body += fmt.Sprintf(`, "totalCount": %d`, total)
	}
	answerOK(w, body+"}")
	if l.afterPage != nil {
		l.afterPage(l, number)
	}
}

func (l *listServer) list(t *testing.T) (*opsmanager.List[opsmanager.BackupConfig], error) {
	t.Helper()
	return serve(t, l.ServeHTTP).ListBackupConfigs(t.Context(), payments, opsmanager.Page{})
}

// lists checks that the client lists the items with some IDs, each once.
func (l *listServer) lists(t *testing.T, want []string) {
	t.Helper()
	got, err := l.list(t)
	succeed(t, err)
	if !slices.Equal(ids(got), want) {
		t.Errorf("got %d items, want %d", len(got.Results), len(want))
	}
}

// incomplete checks that an error says that a list is incomplete, and why.
func incomplete(t *testing.T, err error, why string) {
	t.Helper()
	fails(t, "list", err, why)
	equal(t, "is incomplete", errors.Is(err, opsmanager.ErrIncompleteList), true)
}

// ids returns the sorted IDs of a list.
func ids(list *opsmanager.List[opsmanager.BackupConfig]) []string {
	found := []string{}
	for _, item := range list.Results {
		found = append(found, *item.ClusterID)
	}
	slices.Sort(found)
	return found
}

func TestListIsCompleteWithAnyTotalAndLinks(t *testing.T) {
	t.Parallel()
	always := func(total any) func(int, int) any { return func(int, int) any { return total } }
	tooSmall := func(_, there int) any { return min(3, there) }
	services := map[string]*listServer{
		"correct":                                           {},
		"without links":                                     {noLinks: true},
		"without a next link":                               {noNextLink: true},
		"at most 100, without a next link":                  {most: 100, noNextLink: true},
		"at most 100 per page":                              {most: 100},
		"at most 100, without links":                        {most: 100, noLinks: true},
		"at most 100, without a total":                      {most: 100, total: always(nil)},
		"at most 100, without links and total":              {most: 100, total: always(nil), noLinks: true},
		"without a total":                                   {total: always(nil)},
		"without links and total":                           {total: always(nil), noLinks: true},
		"without a total and a next link":                   {total: always(nil), noNextLink: true},
		"at most 100, without a total and a next link":      {most: 100, total: always(nil), noNextLink: true},
		"total too small":                                   {total: tooSmall},
		"total too small, without a next link":              {total: tooSmall, noNextLink: true},
		"at most 100, total too small, without a next link": {most: 100, total: tooSmall, noNextLink: true},
		"total too small, without links":                    {total: tooSmall, noLinks: true},
		"at most 100, total too small, without links":       {most: 100, total: tooSmall, noLinks: true},
		"total 0":                              {total: always(0), noLinks: true},
		"negative total":                       {total: always(-5)},
		"total of the page, without links":     {noLinks: true, total: func(page, there int) any { return max(0, min(500, there-500*(page-1))) }},
		"changing total":                       {total: func(page, there int) any { return there + page - 1 }},
		"changing total, at most 100 per page": {most: 100, total: func(page, there int) any { return there - page }},
		"at most 7 per page":                   {most: 7},
	}
	for name, service := range services {
		for _, n := range []int{0, 1, 99, 100, 101, 499, 500, 501, 1000, 1001} {
			if service.most == 7 && n > 501 {
				continue
			}
			t.Run(fmt.Sprint(name, "/", n), func(t *testing.T) {
				t.Parallel()
				l := listServer{most: service.most, noLinks: service.noLinks, noNextLink: service.noNextLink, total: service.total, items: sequentialIDs(n)}
				l.lists(t, sequentialIDs(n))
				if len(l.requested) > 200 {
					t.Errorf("%d requests", len(l.requested))
				}
			})
		}
	}
}

// There is one request for each page, and a small one for each page but the last to check
// that no items have moved.
func TestListNeedsFewRequests(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ items, most, want int }{
		{0, 500, 1}, {1, 500, 1}, {499, 500, 1}, {500, 500, 1}, {501, 500, 2 + 1}, {1000, 500, 2 + 1}, {1001, 500, 3 + 2},
		{100, 100, 1}, {101, 100, 2 + 1}, {1000, 100, 10 + 9},
	} {
		l := listServer{items: sequentialIDs(test.items), most: test.most}
		got, err := l.list(t)
		succeed(t, err)
		equal(t, fmt.Sprintf("requests for %d items", test.items), len(l.requested), test.want)
		equal(t, "total", *got.TotalCount, int64(test.items))
	}
}

// shuffled changes the order of the items after each request.
func shuffled(l *listServer, _ int) {
	rand.Shuffle(len(l.items), func(i, j int) { l.items[i], l.items[j] = l.items[j], l.items[i] })
}

// With for_each, Terraform would plan to destroy the missing items.
func TestIncompleteListIsAnError(t *testing.T) {
	t.Parallel()
	none := func(int, int) any { return nil }
	more := func(_, there int) any { return there + 700 }
	for name, test := range map[string]struct {
		there   int
		service *listServer
		says    string
	}{
		"changing order":                  {2000, &listServer{afterPage: shuffled}, "distinct items, but Ops Manager counts 2000"},
		"changing order, without a total": {2000, &listServer{afterPage: shuffled, total: none}, "moved during each of 4 readings"},
		"a gateway that drops the query":  {1200, &listServer{ignoresPage: true}, "page 2 repeats the 500 items of page 1"},
		"a gateway, 100 per page":         {1200, &listServer{ignoresPage: true, most: 100}, "page 2 repeats the 100 items of page 1"},
		"a gateway, without a total":      {1200, &listServer{ignoresPage: true, total: none}, "page 2 repeats the 500 items of page 1"},
		"a gateway, without a next link": {
			1200, &listServer{ignoresPage: true, total: none, noNextLink: true}, "page 2 repeats the 500 items",
		},
		"a gateway, without links": {1200, &listServer{ignoresPage: true, total: none, noLinks: true}, "page 2 repeats the 500 items"},
		"a gateway, 100 per page, without links": {
			1200, &listServer{ignoresPage: true, most: 100, total: none, noLinks: true},
			"page 2 repeats the 100 items",
		},
		"a gateway, 70 per page, with a next link": {1200, &listServer{ignoresPage: true, most: 70, total: none}, "page 2 repeats the 70 items"},
		"a gateway, total too small": {
			1200, &listServer{ignoresPage: true, total: func(int, int) any { return 3 }, noNextLink: true},
			"page 2 repeats the 500 items",
		},
		"a gateway, items without an ID": {
			500, &listServer{withoutIDs: true, ignoresPage: true, total: none}, "page 2 repeats the 500 items",
		},
		"one page, total too high":                     {3, &listServer{total: more}, "4 readings found 3 distinct items, but Ops Manager counts 703"},
		"several pages, total too high":                {1001, &listServer{total: more}, "found 1001 distinct items"},
		"several pages, total too high, without links": {1000, &listServer{total: more, noLinks: true}, "found 1000 distinct items"},
		"total too high by one":                        {40, &listServer{total: func(_, there int) any { return there + 1 }}, "found 40 distinct items"},
		"absurd total": {
			501, &listServer{total: func(int, int) any { return int64(1) << 62 }},
			"items would take more than 256 MiB",
		},
		"total without items": {
			0, &listServer{total: func(int, int) any { return 3 }}, "4 readings found 0 distinct items, but Ops Manager counts 3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.service.items = sequentialIDs(test.there)
			got, err := test.service.list(t)
			incomplete(t, err, test.says)
			if got != nil {
				t.Errorf("got %d items", len(got.Results))
			}
			if wantError(t, err).Path != "/groups/"+payments+"/backupConfigs" || isAnyMissing(err) {
				t.Errorf("got %+v", err)
			}
			if len(test.service.requested) > 200 {
				t.Errorf("%d requests", len(test.service.requested))
			}
		})
	}
}

// The total counts duplicates too.
func TestDuplicateOnAPageIsNotAMissingItem(t *testing.T) {
	t.Parallel()
	for _, n := range []int{3, 700} {
		l := listServer{items: append(sequentialIDs(n), sequentialIDs(n)[n-1])}
		l.lists(t, sequentialIDs(n))
	}
}

func TestPageAfterTheLastOneMayRepeatIt(t *testing.T) {
	t.Parallel()
	l := listServer{items: sequentialIDs(1000), repeatsLast: true, total: func(int, int) any { return nil }, noLinks: true}
	l.lists(t, sequentialIDs(1000))
}

func TestSmallerPageSizeIsTakenFromTheFirstPage(t *testing.T) {
	t.Parallel()
	l := listServer{items: sequentialIDs(150), most: 100}
	_, err := l.list(t)
	succeed(t, err)
	equal(t, "queries", strings.Join(l.requested, " "), "itemsPerPage=500&pageNum=1 itemsPerPage=100&pageNum=2 itemsPerPage=1&pageNum=100")
}

// A server with paging returns as many items as requested, or 100.
func TestServerWithoutPagingIsReadOnce(t *testing.T) {
	t.Parallel()
	for _, noLinks := range []bool{true, false} {
		for _, n := range []int{3, 99, 101, 499} {
			l := listServer{items: sequentialIDs(n), ignoresPage: true, noLinks: noLinks, total: func(int, int) any { return nil }}
			l.lists(t, sequentialIDs(n))
			if len(l.requested) > 2 {
				t.Errorf("%d items, no links %t: %d requests", n, noLinks, len(l.requested))
			}
		}
	}
	for _, n := range []int{100, 500} { // confirmed by the total
		l := listServer{items: sequentialIDs(n), ignoresPage: true, noLinks: true}
		got, err := l.list(t)
		succeed(t, err)
		equal(t, "items", len(ids(got)), n)
	}
}

func TestItemsWithoutAnIDAreListed(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 3, 500, 501, 1000} {
		for _, noLinks := range []bool{false, true} { // only the total says that there are more
			l := listServer{items: sequentialIDs(n), withoutIDs: true, noLinks: noLinks}
			got, err := l.list(t)
			succeed(t, err)
			equal(t, "items", len(got.Results), n)
		}
	}
	for _, n := range []int{30, 99} {
		l := listServer{items: sequentialIDs(n), withoutIDs: true, ignoresPage: true, noLinks: true, total: func(int, int) any { return nil }}
		got, err := l.list(t)
		succeed(t, err)
		equal(t, "items", len(got.Results), n)
	}
}

func TestItemsWithoutAnIDOnDifferentPagesAreDistinct(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		pages := map[string]string{"1": `{"statusName":"STARTED"}`, "2": `{"statusName":"STOPPED"}`}
		answer(w, http.StatusOK, "", `{"results":[`+pages[r.URL.Query().Get("pageNum")]+`]}`)
	})
	got, err := client.ListBackupConfigs(t.Context(), payments, opsmanager.Page{})
	succeed(t, err)
	equal(t, "items", len(got.Results), 2)
}

func TestEndlessListIsAnError(t *testing.T) {
	t.Parallel()
	requests := 0
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		requests++
		answerOK(w, fmt.Sprintf(`{"results":[{"clusterId":"%024x"}],"links":[{"rel":"next"}]}`, requests))
	})
	_, err := client.ListBackupConfigs(t.Context(), payments, opsmanager.Page{})
	incomplete(t, err, "did not end")
}

func TestOnePageIsRequestedAsSpecified(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		page  opsmanager.Page
		query string
		items int
	}{
		{opsmanager.Page{Number: 2}, "pageNum=2", 50},
		{opsmanager.Page{Size: 7}, "itemsPerPage=7", 7},
		{opsmanager.Page{Number: 3, Size: 60}, "itemsPerPage=60&pageNum=3", 30},
		{opsmanager.Page{Number: 9, Size: 500}, "itemsPerPage=500&pageNum=9", 0},
	} {
		l := &listServer{items: sequentialIDs(150)}
		got, err := serve(t, l.ServeHTTP).ListBackupConfigs(t.Context(), payments, test.page)
		succeed(t, err)
		equal(t, "queries", strings.Join(l.requested, " "), test.query)
		equal(t, "items", len(got.Results), test.items)
		equal(t, "total", *got.TotalCount, 150)
		if len(got.Links) == 0 || got.Links[0] != (opsmanager.Link{Rel: "self", Href: "http://om.invalid/"}) {
			t.Errorf("got %v", got.Links)
		}
	}
}

func TestPageWithMoreItemsThanRequestedIsAnError(t *testing.T) {
	t.Parallel()
	for page, most := range map[opsmanager.Page]int{{}: 500, {Number: 1}: 500, {Number: 1, Size: 500}: 500, {Size: 1}: 1} {
		for _, items := range []int{most, most + 1, 99_990} {
			list := fmt.Sprintf(`{"totalCount": %d, "results": [{}%s]}`, items, strings.Repeat(",{}", items-1))
			got, err := returning(t, list).ListBackupConfigs(t.Context(), payments, page)
			if items != most {
				fails(t, fmt.Sprint(page), err, fmt.Sprintf("the page has %d items, but at most %d were requested", items, most))
				continue
			}
			succeed(t, err)
			equal(t, "items", len(got.Results), items)
		}
	}
}

func TestListFailsIfOnePageFails(t *testing.T) {
	t.Parallel()
	for _, page := range []int{1, 2, 5} {
		t.Run(fmt.Sprint(page), func(t *testing.T) {
			t.Parallel()
			l := listServer{items: sequentialIDs(5000), fault: func(w http.ResponseWriter, number int) bool {
				if number == page {
					answer(w, http.StatusForbidden, "", fmt.Sprintf(`{"error":403,"errorCode":"PAGE_%d"}`, number))
				}
				return number == page
			}}
			got, err := l.list(t)
			equal(t, "code", wantError(t, err).Code, fmt.Sprintf("PAGE_%d", page))
			if got != nil {
				t.Errorf("got %d items", len(got.Results))
			}
		})
	}
}

func TestPageIsRetriedOnItsOwn(t *testing.T) {
	t.Parallel()
	faults := 0
	l := listServer{items: sequentialIDs(1200), fault: func(w http.ResponseWriter, number int) bool {
		if number == 2 && faults < 2 {
			faults++
			answer(w, http.StatusServiceUnavailable, "", "")
			return true
		}
		return false
	}}
	l.lists(t, sequentialIDs(1200))
	equal(t, "requests", len(l.requested), 3+2+2) // its pages, two retries, and two checks for moved items
}

func TestListWithoutResultsIsNotEmpty(t *testing.T) {
	t.Parallel()
	for body, empty := range map[string]bool{
		`{}`:                               false,
		`null`:                             false,
		`{"totalCount":3}`:                 false,
		`{"status":"ok"}`:                  false,
		`{"results":null,"totalCount":3}`:  false,
		`{"totalCount":0}`:                 true,
		`{"results":null,"totalCount":0}`:  true,
		`{"results":[]}`:                   true,
		`{"results":[],"totalCount":null}`: true,
	} {
		got, err := returning(t, body).ListBackupConfigs(t.Context(), payments, opsmanager.Page{})
		if empty && (err != nil || len(got.Results) != 0) || !empty && err == nil {
			t.Errorf("%s: got %v, %v", body, got, err)
		}
	}
}

// Items that existed when the last reading started are listed. Later ones may be missing.
func TestListIsCompleteWhileItChanges(t *testing.T) {
	t.Parallel()
	first := func(l *listServer) string { return fmt.Sprintf("%024x", 100_000+len(l.requested)) }
	// During the first readings, after each page one item is deleted and others are added. A list that never stops changing
	// cannot be read.
	long := func(coming int) func(*listServer, int) {
		changes := 0
		return func(l *listServer, _ int) {
			if changes++; changes > 25 {
				return
			}
			l.items = slices.Delete(l.items, changes*7919%len(l.items), changes*7919%len(l.items)+1)
			for i := range coming {
				l.items = slices.Insert(l.items, changes*6007%len(l.items), first(l)+fmt.Sprint(i))
			}
		}
	}
	deleting := func(l *listServer, page int) {
		if page == 1 && len(l.requested) < 30 {
			l.items = slices.Delete(l.items, 10, 11)
		}
	}
	once := func(change func(l *listServer)) func(*listServer, int) {
		return func(l *listServer, _ int) {
			l.afterPage = nil
			change(l)
		}
	}
	replacing := once(func(l *listServer) { l.items = append(l.items[1:], first(l)) })
	for name, test := range map[string]struct {
		there   int
		change  func(l *listServer, page int)
		isWhole bool // items that are added are listed, too
		total   func(int, int) any
	}{
		"one added in front, in each reading": {1200, func(l *listServer, page int) {
			if page == 1 {
				l.items = slices.Insert(l.items, 0, first(l))
			}
		}, false, nil},
		"ten added in front": {1000, once(func(l *listServer) {
			l.items = append(sequentialIDs(1010)[1000:], l.items...) // the last ones of page 1 move to page 2
		}), true, nil},
		"one deleted, of two pages":            {501, deleting, true, nil},
		"one deleted, of two whole pages":      {1000, deleting, true, nil},
		"one deleted, of three pages":          {1001, deleting, true, nil},
		"one deleted, of six pages":            {2600, deleting, true, nil},
		"the oldest replaced by a new one":     {5000, replacing, true, nil},
		"the oldest replaced, without a total": {5000, replacing, true, func(int, int) any { return nil }},
		"many pages, fewer added than deleted": {5000, long(0), false, nil},
		"many pages, as many added as deleted": {5000, long(1), false, nil},
		"many pages, more added than deleted":  {5000, long(2), false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := listServer{items: sequentialIDs(test.there), total: test.total, afterPage: test.change}
			got, err := l.list(t)
			succeed(t, err)
			times := map[string]int{}
			for _, id := range ids(got) {
				times[id]++
				equal(t, id, times[id], 1)
			}
			for _, id := range l.items {
				if times[id] == 0 && (test.isWhole || id < first(&listServer{})) {
					t.Errorf("%s exists, but is not listed", id)
				}
			}
		})
	}
}

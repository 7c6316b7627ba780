package emulator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// gitHash is the git hash in X-MongoDB-Service-Version.
const gitHash = "6f1c3b0d9a7e42588c1f4d2b7a90e3c5d8f61b24"

// Query parameters of operations. The documented envelope is missing: it is for clients that cannot read a
// status.
var (
	singleQuery = []string{"pretty"}
	listQuery   = []string{"pageNum", "itemsPerPage", "pretty"}
)

// documentList is a list of documents before paging.
type documentList []map[string]any

// longList is a list whose documents are created only for the requested page.
type longList struct {
	count    int
	document func(i int) map[string]any
}

// run handles a call of a route.
func (e *Emulator) run(route route, c *call) reply {
	var err error
	if c.query, err = url.ParseQuery(c.URL.RawQuery); err != nil {
		return e.failure(refuse(http.StatusBadRequest, "INVALID_QUERY_PARAMETER", "The query string cannot be parsed."))
	}
	for _, name := range slices.Sorted(maps.Keys(c.query)) {
		if !e.options.Lenient && (!slices.Contains(route.query, name) || len(c.query[name]) > 1) {
			return e.failure(invalidParameter(name))
		}
	}
	pretty, err := c.flag("pretty", false)
	if err != nil {
		return e.failure(err)
	}

	result, err := e.handle(route, c)
	for _, change := range c.changes {
		e.options.OnChange(change)
	}
	status := cmp.Or(c.status, http.StatusOK)
	if err != nil {
		failure := asRefusal(err)
		if failure.bare {
			return reply{status: failure.status, header: e.headerOfSuccess()}
		}
		status, result = failure.status, failure.errorDocument()
		if route.traits&otherErrors != 0 {
			result = failure.otherErrorDocument(c.URL.EscapedPath())
		}
	} else if result == nil {
		if c.Method == http.MethodDelete && e.options.Unknowns.DeleteReturnsObject {
			return e.reply(http.StatusOK, map[string]any{}, false)
		}
		return reply{status: http.StatusNoContent, header: e.headerOfSuccess()}
	}
	return e.reply(status, result, pretty)
}

// handle calls the handler of a route with the state locked. Documents are encoded without
// the lock, because changes replace their values and never modify them.
func (e *Emulator) handle(route route, c *call) (any, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c.changes = e.passed()
	if !accepts(c.Header) {
		return nil, refuse(http.StatusNotAcceptable, "", "The only representation of this resource is application/json.")
	}
	if contentType, _, _ := mime.ParseMediaType(c.Header.Get("Content-Type")); c.hasBody() && contentType != "application/json" {
		return nil, refuse(http.StatusUnsupportedMediaType, "", "The body must be application/json.")
	}
	if refused := e.refusedOnCopy(route, c); refused != nil {
		return nil, refused
	}
	if refused := e.findOwner(c); refused != nil {
		return nil, refused
	}
	look := e.watch(c)
	before := look()
	defer func() { c.changes = append(c.changes, e.note(before, look(), c.Method == http.MethodGet)...) }()
	result, err := route.handle(c)
	if err != nil {
		return nil, err
	}
	switch items := result.(type) {
	case documentList:
		return e.page(c, longList{len(items), func(i int) map[string]any { return items[i] }})
	case longList:
		return e.page(c, items)
	}
	return result, nil
}

// hasBody reports whether the request has a body, or should have one. Only operations that
// are requested with POST have none.
func (c *call) hasBody() bool {
	return c.Method == http.MethodPatch || c.Method == http.MethodPut || len(c.body) > 0
}

// accepts reports whether the client accepts JSON. Without Accept, it accepts anything.
func accepts(header http.Header) bool {
	ranges := header.Values("Accept")
	for mediaRange := range strings.SplitSeq(strings.Join(ranges, ","), ",") {
		mediaType, _, err := mime.ParseMediaType(mediaRange)
		if err == nil && (mediaType == "application/json" || mediaType == "application/*" || mediaType == "*/*") {
			return true
		}
	}
	return len(ranges) == 0
}

// flag returns a boolean query parameter.
func (c *call) flag(name string, byDefault bool) (bool, error) {
	switch c.query.Get(name) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	if c.query.Has(name) {
		return false, invalidParameter(name)
	}
	return byDefault, nil
}

// number returns a query parameter that is a positive integer.
func (c *call) number(name string, byDefault int) (int, error) {
	if !c.query.Has(name) {
		return byDefault, nil
	}
	n, err := strconv.ParseInt(c.query.Get(name), 10, 32)
	if err != nil || n < 1 {
		return 0, invalidParameter(name)
	}
	return int(n), nil
}

// bodyObject returns the body, which must be a JSON object. Its numbers are [json.Number].
func (c *call) bodyObject() (map[string]any, error) {
	invalid := refuse(http.StatusBadRequest, "INVALID_JSON", "The body is not a JSON object.")
	decoder := json.NewDecoder(bytes.NewReader(c.body))
	decoder.UseNumber()
	var object map[string]any
	if err := decoder.Decode(&object); err != nil || object == nil {
		return nil, invalid
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, invalid
	}
	return object, nil
}

// checkedBody returns the body, whose members it checks. If it changes or replaces an object, before is
// that object.
func (e *Emulator) checkedBody(c *call, before map[string]any, known members) (map[string]any, error) {
	object, err := c.bodyObject()
	if err != nil {
		return nil, err
	}
	if refused := e.checkMembers("", object, before, known); refused != nil {
		return nil, refused
	}
	return object, nil
}

// checkMembers checks the members of an object in a request, and removes those that are ignored. The
// object before it can have members that are not known, which tests add. A request can have them
// too, because a client may send back what it read. The prefix precedes the names in an error.
func (e *Emulator) checkMembers(prefix string, object, before map[string]any, known members) *refusal {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		m, isKnown := known[name]
		isKnown = isKnown && e.version.since(m.since)
		value := object[name]
		text, isText := value.(string)
		switch {
		case !isKnown && before[name] != nil && !e.options.Unknowns.RejectsReturnedMembers:
		case !isKnown && e.options.Unknowns.IgnoresUnknownFields, isKnown && e.options.Lenient && value == nil:
			delete(object, name)
		case !isKnown:
			return invalidAttribute(prefix + name)
		case m.readOnly:
			return readOnlyAttribute(prefix + name)
		case m.isValid != nil && !m.isValid(value), m.values != nil && !isText:
			return invalidType(prefix + name)
		case m.values != nil && !slices.Contains(m.values, text):
			return invalidEnum(prefix+name, text)
		case m.ignored:
			delete(object, name)
		}
		if !isKnown || m.nested == nil {
			continue
		}
		nestedBefore := map[string]any{}
		for _, nested := range objectsIn(before[name]) {
			maps.Copy(nestedBefore, nested)
		}
		for _, nested := range objectsIn(value) {
			if refused := e.checkMembers(prefix+name+".", nested, nestedBefore, m.nested); refused != nil {
				return refused
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		m := known[name]
		if m.required && (object[name] == nil || object[name] == "" && !m.mayBeEmpty) {
			return missingAttribute(prefix + name)
		}
	}
	return nil
}

// page returns a page of a list: results, totalCount, and links to itself and to the previous
// and next page if there are any.
func (e *Emulator) page(c *call, items longList) (map[string]any, error) {
	number, err := c.number("pageNum", 1)
	if err != nil {
		return nil, err
	}
	size, err := c.number("itemsPerPage", 100)
	if err != nil {
		return nil, err
	}
	size = min(size, e.options.MaxItemsPerPage)

	start := items.count
	if number-1 <= items.count/size {
		start = min((number-1)*size, items.count)
	}
	end := min(start+size, items.count)
	others := maps.Clone(c.query)
	delete(others, "pageNum")
	delete(others, "itemsPerPage")
	kept := ""
	if len(others) > 0 {
		kept = others.Encode() + "&"
	}
	link := func(rel string, number int) map[string]any {
		return map[string]any{"rel": rel, "href": fmt.Sprintf("%s?%spageNum=%d&itemsPerPage=%d", c.href(c.URL.EscapedPath()), kept, number, size)}
	}
	links := []map[string]any{link("self", number)}
	if number > 1 {
		links = append(links, link("previous", number-1))
	}
	if end < items.count {
		links = append(links, link("next", number+1))
	}
	results := documentList{}
	for i := start; i < end; i++ {
		results = append(results, items.document(i))
	}
	p := map[string]any{"links": links, "results": results}
	switch {
	case e.options.OmitTotalCount:
	case e.options.TotalCount != nil:
		p["totalCount"] = e.options.TotalCount(items.count)
	default:
		p["totalCount"] = items.count
	}
	return p, nil
}

// headerOfSuccess returns the documented header fields of a success. Date is the time on the clock when the
// last request arrived.
func (e *Emulator) headerOfSuccess() http.Header {
	e.mu.Lock()
	now := e.now
	e.mu.Unlock()
	header := http.Header{
		"Date":                      {now.UTC().Format(http.TimeFormat)},
		"Vary":                      {"Accept-Encoding"},
		"Strict-Transport-Security": {"max-age=300"},
	}
	const name = "X-MongoDB-Service-Version" // as documented, which is not Go's canonical form
	switch e.options.Unknowns.VersionHeader {
	case "full":
		header[name] = []string{"gitHash=" + gitHash + "; versionString=" + e.options.ServiceVersion}
	case "master":
		header[name] = []string{"gitHash=" + gitHash + "; versionString=master"}
	case "hash":
		header[name] = []string{"gitHash=" + gitHash}
	}
	return header
}

func (e *Emulator) reply(status int, document any, pretty bool) reply {
	header := e.headerOfSuccess()
	header.Set("Content-Type", "application/json")
	return reply{status: status, header: header, body: encode(document, pretty)}
}

func (e *Emulator) failure(err error) reply {
	failure := asRefusal(err)
	return e.reply(failure.status, failure.errorDocument(), false)
}

// challenged returns the response to missing or wrong credentials.
func (e *Emulator) challenged(r *http.Request, stale bool) reply {
	e.mu.Lock()
	e.challenges++
	e.mu.Unlock()
	var body []byte
	if r.Header.Get("Authorization") != "" {
		body = encode(refuse(http.StatusUnauthorized, "", "You are not authorized for this resource.").errorDocument(), false)
	}
	return reply{
		status: http.StatusUnauthorized,
		header: http.Header{
			"Content-Type":     {"application/json;charset=ISO-8859-1"},
			"Www-Authenticate": {e.digest.issue(stale)},
			"Connection":       {"keep-alive"},
		},
		body: body,
	}
}

// unknownRoute returns the response of a server that does not use the error document.
func unknownRoute(answer UnknownRoutes) reply {
	if answer == NginxPage {
		return notFound("text/html", "<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n"+
			"<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n")
	}
	plain := notFound("text/plain; charset=utf-8", "404 page not found\n")
	plain.header.Set("X-Content-Type-Options", "nosniff")
	return plain
}

package emulator

import (
	"bytes"
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

// Query parameters of operations.
var (
	singleQuery = []string{"pretty", "envelope"}
	listQuery   = []string{"pageNum", "itemsPerPage", "pretty", "envelope"}
)

// documentList is a list of documents before paging.
type documentList []map[string]any

// longList is a list whose documents are created only for the requested page.
type longList struct {
	count    int
	document func(i int) map[string]any
}

func listOf[T any](items []T, document func(T) map[string]any) longList {
	return longList{len(items), func(i int) map[string]any {
		return document(items[i])
	}}
}

// run handles a call of a route.
func (e *Emulator) run(route route, c *call) reply {
	result, refused := e.handle(route, c)
	for _, change := range c.changes {
		e.options.OnChange(change)
	}
	switch {
	case refused != nil && refused.bare:
		return reply{status: refused.status, header: e.headerOfSuccess()}
	case refused != nil && route.traits&otherErrors != 0:
		return e.answer(c, refused.status, refused.otherErrorDocument(c.URL.EscapedPath()))
	case refused != nil:
		return e.answer(c, refused.status, refused.errorDocument())
	case result == nil && c.Method == http.MethodDelete && e.options.Unknowns.DeleteReturnsObject:
		return e.answer(c, http.StatusOK, map[string]any{})
	case result == nil: // also with an envelope: a 204 has no body
		return reply{status: http.StatusNoContent, header: e.headerOfSuccess()}
	}
	return e.answer(c, http.StatusOK, result)
}

// answer returns the response to a call, in an envelope if the client wants one. That is for clients that can't
// read a status, so the status is 200 then, also for an error. The documentation doesn't say so.
func (e *Emulator) answer(c *call, status int, document any) reply {
	if c.envelope {
		document = enveloped(status, document)
		status = http.StatusOK
	}
	return e.reply(status, document, c.pretty)
}

// enveloped returns a document with a status. A page of a list is an envelope already.
func enveloped(status int, document any) any {
	switch document := document.(type) {
	case page:
		document["status"] = status
		return document
	case rawDocument:
		return rawDocument(fmt.Sprintf(`{"status":%d,"content":%s}`, status, document))
	}
	return map[string]any{"status": status, "content": document}
}

// handle calls the handler of a route with the state locked. Documents are encoded without
// the lock, because changes replace their values and never modify them.
func (e *Emulator) handle(route route, c *call) (result any, refused *refusal) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() {
		if cause := recover(); cause != nil {
			var isRefusal bool
			if refused, isRefusal = cause.(*refusal); !isRefusal {
				panic(cause)
			}
		}
	}()
	e.checkQuery(route, c)
	c.changes = e.passed()
	if !accepts(c.Header) {
		panic(refuse(http.StatusNotAcceptable, "", "The only representation of this resource is application/json."))
	}
	contentType, _, _ := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if c.hasBody() && contentType != "application/json" {
		panic(refuse(http.StatusUnsupportedMediaType, "", "The body must be application/json."))
	}
	e.refuseUncopied(route, c)
	e.findProject(c)
	e.authorize(route, c)
	c.findCluster()
	look := e.watch(c)
	before := look()
	defer func() {
		c.changes = append(c.changes, e.note(before, look(), c.Method == http.MethodGet)...)
	}()
	switch result := route.handle(c).(type) {
	case documentList:
		return e.page(c, listOf(result, func(document map[string]any) map[string]any {
			return document
		})), nil
	case longList:
		return e.page(c, result), nil
	default:
		return result, nil
	}
}

// checkQuery parses the query parameters, and refuses those that the route does not have.
func (e *Emulator) checkQuery(route route, c *call) {
	var err error
	if c.query, err = url.ParseQuery(c.URL.RawQuery); err != nil {
		panic(refuse(http.StatusBadRequest, "INVALID_QUERY_PARAMETER", "The query string cannot be parsed."))
	}
	c.envelope = c.flag("envelope", false) // first, because the errors below may be in one
	for _, name := range slices.Sorted(maps.Keys(c.query)) {
		if !e.options.Lenient && (!slices.Contains(route.query, name) || len(c.query[name]) > 1) {
			panic(invalidParameter(name))
		}
	}
	c.pretty = c.flag("pretty", false)
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
func (c *call) flag(name string, byDefault bool) bool {
	switch c.query.Get(name) {
	case "true":
		return true
	case "false":
		return false
	}
	if c.query.Has(name) {
		panic(invalidParameter(name))
	}
	return byDefault
}

// number returns a query parameter that is a positive integer.
func (c *call) number(name string, byDefault int) int {
	if !c.query.Has(name) {
		return byDefault
	}
	n, err := strconv.ParseInt(c.query.Get(name), 10, 32)
	if err != nil || n < 1 {
		panic(invalidParameter(name))
	}
	return int(n)
}

// bodyObject returns the body, which must be a JSON object. Its numbers are [json.Number].
func (c *call) bodyObject() map[string]any {
	decoder := json.NewDecoder(bytes.NewReader(c.body))
	decoder.UseNumber()
	var object map[string]any
	err := decoder.Decode(&object)
	if _, end := decoder.Token(); err != nil || object == nil || end != io.EOF {
		panic(refuse(http.StatusBadRequest, "INVALID_JSON", "The body is not a JSON object."))
	}
	return object
}

// checkedBody returns the body, whose members it checks. If it changes or replaces an object, before is
// that object.
func (e *Emulator) checkedBody(c *call, before map[string]any, known members) map[string]any {
	object := c.bodyObject()
	e.checkMembers("", object, before, known)
	return object
}

// checkMembers checks the members of an object in a request, and removes those that are ignored. The
// object before it can have members that are not known, which tests add. A request can have them
// too, because a client may send back what it read. The prefix precedes the names in an error.
func (e *Emulator) checkMembers(prefix string, object, before map[string]any, known members) {
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
			panic(invalidAttribute(prefix + name))
		case m.readOnly:
			panic(readOnlyAttribute(prefix + name))
		case m.isValid != nil && !m.isValid(value), m.values != nil && !isText:
			panic(invalidType(prefix + name))
		case m.values != nil && !slices.Contains(m.values, text):
			panic(invalidEnum(prefix+name, text))
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
			e.checkMembers(prefix+name+".", nested, nestedBefore, m.nested)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		m := known[name]
		if m.required && (object[name] == nil || object[name] == "" && !m.mayBeEmpty) {
			panic(missingAttribute(prefix + name))
		}
	}
}

// page is a page of a list.
type page map[string]any

// page returns a page of a list: results, totalCount, and links to itself and to the previous
// and next page if there are any.
func (e *Emulator) page(c *call, items longList) page {
	number := c.number("pageNum", 1)
	size := c.number("itemsPerPage", 100)
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
		return map[string]any{
			"rel":  rel,
			"href": fmt.Sprintf("%s?%spageNum=%d&itemsPerPage=%d", c.href(c.URL.EscapedPath()), kept, number, size),
		}
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
	p := page{"links": links, "results": results}
	switch {
	case e.options.OmitTotalCount:
	case e.options.TotalCount != nil:
		p["totalCount"] = e.options.TotalCount(items.count)
	default:
		p["totalCount"] = items.count
	}
	return p
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
	return reply{
		status: status,
		header: header,
		body:   encode(document, pretty),
	}
}

func (e *Emulator) failure(refused *refusal) reply {
	return e.reply(refused.status, refused.errorDocument(), false)
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

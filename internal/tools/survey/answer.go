package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider"
	"terraform-provider-opsmanager/internal/tools/assumptions"
)

// document is a JSON object of a response.
type document = map[string]any

// answer is a response and what is in it.
type answer struct {
	status  int
	header  http.Header
	body    []byte
	object  document // nil if the body is not a JSON object
	refusal error    // what a call of the client fails with for this response
	failure error    // why the response says nothing about Ops Manager, or why there is none
}

// mostFailures is the number of requests in a row that may fail: all lists of what all projects share.
const mostFailures = 10

// get sends a request. An answer may have a failure, as about an object that Ops Manager can't read. After
// many of them in a row, get fails.
func (s *survey) get(ctx context.Context, query url.Values, path ...string) (a answer, err error) {
	s.progress.report("%d requests", s.requests())
	response, err := s.client.Raw(ctx, http.MethodGet, query, nil, path...)
	if ctx.Err() != nil {
		return a, ctx.Err()
	}
	if a.failure = err; err == nil {
		a = answer{
			status: response.Status,
			header: response.Header,
			body:   response.Body,
			object: objectIn(response.Body),
		}
		switch {
		case response.Failure != nil:
			a.refusal = response.Failure
			if a.status < http.StatusBadRequest || a.status >= http.StatusInternalServerError || a.status == http.StatusTooManyRequests {
				a.failure = response.Failure
			}
		case a.object == nil:
			a.failure = fmt.Errorf("GET /%s: the response is not the JSON of Ops Manager", strings.Join(path, "/"))
		}
	}
	s.denied = s.denied || a.isDenied()
	if s.evidence == nil {
		return a, nil
	}
	if a.failure != nil {
		s.seeFailure(a.failure)
		if s.inARow++; s.inARow > mostFailures {
			return a, fmt.Errorf("%d requests in a row failed, the last one with %w", s.inARow, a.failure)
		}
		return a, nil
	}
	s.evidence.See("failures", true)
	s.inARow = 0
	if a.ok() {
		mediaType, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
		s.evidence.See("json-content-type", mediaType == "application/json")
	}
	return a, nil
}

// ids matches the IDs in a text.
var ids = regexp.MustCompile(`(?i)\b[\da-f]{24}\b`)

// seeFailure notes why a request of the survey or of its copy failed, and for which object: the last one of its path.
func (s *survey) seeFailure(err error) {
	status := 0
	code := ""
	e, ok := errors.AsType[*opsmanager.Error](err)
	if ok && e.Status != http.StatusOK { // not a success with something else
		status = e.Status
		code = e.Code
	}
	s.evidence.SeeResponse("failures", false, status, code)
	s.failure = err
	text := withoutDetail(err)
	path, _, _ := strings.Cut(text, ": ")
	inPath := append([]string{""}, ids.FindAllString(path, -1)...)
	s.addFailure(ids.ReplaceAllString(text, "…"), inPath[len(inPath)-1])
}

// addFailure notes what failed for the object with an ID.
func (s *survey) addFailure(what, id string) {
	if name := s.names[id]; name != "" {
		id = fmt.Sprintf("%s (%s)", name, id)
	}
	if !slices.Contains(s.failures[what], id) {
		s.failures[what] = append(s.failures[what], id)
	}
}

// withoutDetail returns an error as a text without the texts of Ops Manager, and without advice.
func withoutDetail(err error) string {
	e, ok := errors.AsType[*opsmanager.Error](err)
	if !ok {
		return err.Error()
	}
	short := *e
	short.Detail = ""
	short.Attempts = 0
	return short.Error()
}

// explained returns an error with the provider's advice, and without the texts of Ops Manager.
func explained(err error) error {
	e, ok := errors.AsType[*opsmanager.Error](err)
	if !ok {
		return err
	}
	text := strings.Replace(err.Error(), e.Error(), withoutDetail(e), 1)
	return errors.New(strings.TrimSpace(text + "\n\n" + provider.Advice(e)))
}

// objectIn returns a JSON object, or nil if the body is something else. Its numbers are [json.Number].
func objectIn(body []byte) document {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var object document
	if decoder.Decode(&object) != nil {
		return nil
	}
	return object
}

func (a answer) ok() bool { return a.status == http.StatusOK && a.failure == nil }

// code returns the code of the error document, if there is one.
func (a answer) code() string { return opsmanager.CodeOf(a.refusal) }

// hasDocument reports whether the response is the error document of the API.
func (a answer) hasDocument() bool {
	number, _ := a.object["error"].(json.Number)
	return number.String() == strconv.Itoa(a.status)
}

// isDenied reports whether the key may not make the request.
func (a answer) isDenied() bool {
	return a.status == http.StatusUnauthorized || a.status == http.StatusForbidden
}

// isUnclear reports whether the answer says nothing about the object: it failed, or the key may not read it.
func (a answer) isUnclear() bool { return a.failure != nil || a.isDenied() }

// lacksOperation reports whether Ops Manager doesn't have the operation.
func (a answer) lacksOperation() bool {
	hasNoObject := a.hasDocument() && a.code() != "RESOURCE_NOT_FOUND"
	return a.status == http.StatusMethodNotAllowed || a.status == http.StatusNotFound && !hasNoObject
}

// why returns why a request failed.
func (a answer) why() assumptions.Why {
	isOfList := func(part string) bool { return strings.Contains(a.code(), part) }
	switch {
	case a.failure != nil:
		return assumptions.Failed
	case a.status == http.StatusForbidden && slices.ContainsFunc([]string{"ACCESS_LIST", "WHITELIST", "SUBNET"}, isOfList):
		return assumptions.NotListed
	case a.isDenied():
		return assumptions.NotPermitted
	case a.lacksOperation():
		return assumptions.NoOperation
	}
	return assumptions.UnclearOutcome
}

// items returns the items of a list.
func (a answer) items() []document { return documents(a.object["results"]) }

// documents returns the objects in a list.
func documents(list any) []document {
	elements, _ := list.([]any)
	var found []document
	for _, element := range elements {
		if object, ok := element.(document); ok {
			found = append(found, object)
		}
	}
	return found
}

// linksOf returns the relations of the links of an object or a list.
func linksOf(object document) map[string]bool {
	rels := map[string]bool{}
	for _, link := range documents(object["links"]) {
		rels[text(link, "rel")] = true
	}
	return rels
}

// text returns a field that is a text.
func text(object document, name string) string {
	value, _ := object[name].(string)
	return value
}

// nested returns a field that is an object.
func nested(object document, name string) document {
	value, _ := object[name].(document)
	return value
}

// number returns a field that is a number, or -1.
func number(object document, name string) int {
	value, _ := object[name].(json.Number)
	n, err := strconv.Atoi(value.String())
	if err != nil {
		return -1
	}
	return n
}

// mostPages is the maximum number of pages of a list that are read.
const mostPages = 200

// list reads all pages of a list. It notes why it can't, and then returns false.
func (s *survey) list(
	ctx context.Context, area assumptions.Area, object assumptions.Object, query url.Values, path ...string,
) (items []document, ok bool, err error) {
	for page := 1; page <= mostPages; page++ {
		parameters := url.Values{"itemsPerPage": {"500"}, "pageNum": {strconv.Itoa(page)}}
		maps.Copy(parameters, query)
		a, err := s.get(ctx, parameters, path...)
		if err != nil {
			return nil, false, err
		}
		if !a.ok() {
			s.evidence.Deny(area, a.why())
			if a.lacksOperation() {
				s.seeOperation(a)
			}
			return nil, false, nil
		}
		found := a.items()
		items = append(items, found...)
		total := number(a.object, "totalCount")
		s.seeList(a.object, len(found), len(items), page)
		links := linksOf(a.object)
		if len(found) == 0 || !links["next"] && len(items) >= total {
			break
		}
	}
	for _, item := range items {
		id := text(item, "id")
		s.names[id] = cmp.Or(text(item, "clusterName"), text(item, "replicaSetName"), text(item, "name"), s.names[id])
		s.seeObject(object, item)
	}
	return items, true, nil
}

// seeList looks at the form of a page of a list.
func (s *survey) seeList(list document, onPage, read, page int) {
	total := number(list, "totalCount")
	links := linksOf(list)
	s.evidence.See("omit-total-count", total >= 0)
	hasMore := links["next"]
	if total >= 0 {
		hasMore = read < total
	}
	s.evidence.See("list-links", links["self"] && links["next"] == hasMore)
	if page == 1 && onPage >= 100 && (onPage > 100 || total > onPage || links["next"]) {
		s.evidence.SeeNumber("max-items-per-page", onPage == 500 || !hasMore, max(onPage, 100))
	}
}

package providertest

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// WantOne checks that there is exactly one text, which contains all words.
func WantOne(t *testing.T, texts []string, words ...string) {
	t.Helper()
	if len(texts) != 1 {
		t.Fatalf("want one that says %q, got %d: %q", words, len(texts), texts)
	}
	WantContains(t, texts[0], words...)
}

// WantEach checks that there is one text for each list of words, which contains these words, and no other text.
func WantEach(t *testing.T, texts []string, each ...[]string) {
	t.Helper()
	left := slices.Clone(texts)
	for _, words := range each {
		i := slices.IndexFunc(left, func(text string) bool {
			return !slices.ContainsFunc(words, func(word string) bool {
				return !strings.Contains(text, word)
			})
		})
		if i < 0 {
			t.Errorf("none says %q: %q", words, texts)
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	if len(left) > 0 {
		t.Errorf("more than expected: %q", left)
	}
}

// WantContains checks that a text contains all words.
func WantContains(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q is not in %q", word, text)
		}
	}
}

// WantUnsaid checks that no text contains any of the words.
func WantUnsaid(t *testing.T, texts []string, words ...string) {
	t.Helper()
	for _, text := range texts {
		for _, word := range words {
			if strings.Contains(text, word) {
				t.Errorf("%q is in %q", word, text)
			}
		}
	}
}

// WantEmptyPlan checks that a plan changes nothing and has no error.
func WantEmptyPlan(t *testing.T, p *Plan) {
	t.Helper()
	if !p.IsEmpty() || len(p.Errors()) > 0 {
		t.Errorf("the plan is not empty: %v %v", p.Changes(), p.Errors())
	}
}

// WantEqual checks a value.
func WantEqual(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// WantAttributes checks attributes of the state.
func WantAttributes(t *testing.T, m *Resource, want Values) {
	t.Helper()
	for name, value := range want {
		if got := m.Attributes()[name]; !reflect.DeepEqual(got, value) {
			t.Errorf("%s is %v, want %v", name, got, value)
		}
	}
}

// WantNoState checks that there is no state.
func WantNoState(t *testing.T, m *Resource) {
	t.Helper()
	if stored := m.Attributes(); stored != nil {
		t.Errorf("stored %v", stored)
	}
}

// WantWrites checks the requests that changed something, each as 'METHOD path'.
func WantWrites(t *testing.T, s *Service, want ...string) {
	t.Helper()
	if got := s.Writes(); !slices.Equal(got, want) {
		t.Errorf("changed the service with %q, want %q", got, want)
	}
}

// WantNoCalls checks that there was no request with one of the methods, or none at all.
func WantNoCalls(t *testing.T, s *Service, methods ...string) {
	t.Helper()
	if got := s.Calls(methods...); len(got) > 0 {
		t.Errorf("sent %q", got)
	}
}

// WantSent checks the bodies of all requests with a method and a path suffix, each as JSON. It
// leaves out empty objects, because a PATCH of one only reads.
func WantSent(t *testing.T, s *Service, method, pathEnd string, want ...string) {
	t.Helper()
	sent := slices.DeleteFunc(s.Sent(method, pathEnd), func(body string) bool {
		return body == "{}"
	})
	if len(sent) != len(want) {
		t.Errorf("sent %q, want %q", sent, want)
		return
	}
	for i := range want {
		wantSameJSON(t, sent[i], want[i])
	}
}

// WantLastSent checks the body of the last request with a method, as JSON.
func WantLastSent(t *testing.T, s *Service, method, want string) {
	t.Helper()
	wantSameJSON(t, lastSent(t, s, method), want)
}

// LastSent returns the body of the last request with a method.
func LastSent(t *testing.T, s *Service, method string) map[string]any {
	t.Helper()
	return decodeJSON[map[string]any](t, lastSent(t, s, method))
}

// JSON returns the text of a body.
func JSON(body any) string {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func lastSent(t *testing.T, s *Service, method string) string {
	t.Helper()
	bodies := s.Sent(method, "")
	if len(bodies) == 0 {
		t.Fatalf("no %s was sent", method)
	}
	return bodies[len(bodies)-1]
}

func wantSameJSON(t *testing.T, sent, want string) {
	t.Helper()
	if !reflect.DeepEqual(decodeJSON[any](t, sent), decodeJSON[any](t, want)) {
		t.Errorf("sent %s\nwant %s", sent, want)
	}
}

func decodeJSON[T any](t *testing.T, text string) (decoded T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &decoded); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return decoded
}

// WantPrintable checks that texts are printable, and that no line of them begins with a text of
// AddControlCharacters.
func WantPrintable(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.ContainsFunc(text, func(r rune) bool {
			return r != '\n' && !unicode.IsPrint(r)
		}) || strings.Contains(text, "\nINJECTED") {
			t.Errorf("control characters reach the terminal: %s", strconv.Quote(text))
		}
	}
}

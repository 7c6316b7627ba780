package wholeobject_test

import (
	"fmt"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/provider/tfmodel"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

// object is an object of an API with two texts and a list.
type object struct {
	a, b *string
	list *[]string
}

var fields = tfmodel.Fields[object]{
	tfmodel.TextField("a", func(o *object) **string { return &o.a }),
	tfmodel.TextField("b", func(o *object) **string { return &o.b }),
	tfmodel.TextsField("list", func(o *object) **[]string { return &o.list }),
}

func (o object) String() string {
	var text []string
	for _, f := range fields {
		if !f.IsMissing(o) {
			text = append(text, f.Attribute+"="+f.Value(o).String())
		}
	}
	return strings.Join(text, " ")
}

func TestPutSendsTheLiveValuesWithWhatThePlanChanges(t *testing.T) {
	t.Parallel()
	one, two, three := new("1"), new("2"), new("3")
	for name, test := range map[string]struct {
		wanted, planned, prior, live object
		removed                      []string
		sends                        string
		notReturned, sincePlan       string
	}{
		"one change": {object{a: two}, object{a: two, b: one}, object{a: one, b: one}, object{a: one, b: one}, nil, `a="2" b="1"`, "[]", "[]"},
		"a change since the plan": {
			object{a: two}, object{a: two, b: one}, object{a: one, b: one}, object{a: one, b: three}, nil, `a="2" b="3"`, "[]", `[b: "1" -> "3"]`,
		},
		"a field that is not managed": {object{a: two}, object{a: two}, object{a: one}, object{a: one, b: three}, nil, `a="2" b="3"`, "[]", "[]"},
		"a field that is not returned": {
			object{a: two}, object{a: two, b: one}, object{a: one, b: one}, object{a: one}, nil, `a="2" b="1"`, `[b = "1" (not returned by Ops Manager)]`, "[]",
		},
		"a field that was removed":            {object{a: two}, object{a: two, b: one}, object{a: one, b: one}, object{a: one}, []string{"b"}, `a="2"`, "[]", `[b: "1" -> not set]`},
		"a removed field that is set again":   {object{b: two}, object{b: two}, object{b: one}, object{}, []string{"b"}, `b="2"`, "[]", "[]"},
		"a list that was removed":             {object{a: two}, object{a: two, list: &[]string{"x"}}, object{a: one, list: &[]string{"x"}}, object{a: one}, nil, `a="2"`, "[]", `[list: ["x"] -> []]`},
		"an adoption, without a prior object": {object{a: two}, object{a: two}, object{}, object{a: one, b: one}, nil, `a="2" b="1"`, "[]", "[]"},
	} {
		change := wholeobject.Change[object]{Fields: fields, Wanted: test.wanted, Planned: test.planned, Prior: test.prior, Live: test.live, Removed: test.removed}
		if got := change.Whole().String(); got != test.sends {
			t.Errorf("%s: sends %s, want %s", name, got, test.sends)
		}
		if got := fmt.Sprint(change.NotReturned()); got != test.notReturned {
			t.Errorf("%s: not returned: %s, want %s", name, got, test.notReturned)
		}
		if got := fmt.Sprint(change.SincePlan()); got != test.sincePlan {
			t.Errorf("%s: since the plan: %s, want %s", name, got, test.sincePlan)
		}
	}
}

func TestBlockIsValidHCL(t *testing.T) {
	t.Parallel()
	got := wholeobject.Block("opsmanager_x", "id", `a "b"`+"\n${c}%{d}\x1b\U000e0001", fields, object{b: new(`\`), list: &[]string{"y", "x"}})
	const want = `  resource "opsmanager_x" "example" {
    id   = "a \"b\"\n$${c}%%{d}\u001b\U000e0001"
    b    = "\\"
    list = ["x","y"]
  }`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

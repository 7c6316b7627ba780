package opsmanager

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// configOf returns the automation configuration of a document.
func configOf(t interface{ Fatalf(string, ...any) }, document string) *AutomationConfig {
	config := new(AutomationConfig)
	if err := config.receive([]byte(document)); err != nil {
		t.Fatalf("%s: %v", document, err)
	}
	return config
}

func TestOnlyTheListOfBackupModulesChanges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		activated, deactivated []string
		before, after          string
	}{
		"a missing list": {
			[]string{"a", "b"}, nil,
			"{ \"version\" : 7 ,\n\t\"x\" : 1000.0 }\n",
			"{ \"version\" : 7 ,\n\t\"x\" : 1000.0,\"backupVersions\":[{\"hostname\":\"a\"},{\"hostname\":\"b\"}] }\n",
		},
		"null": {
			[]string{"a"}, nil,
			`{"backupVersions": null, "version":7e0}`,
			`{"backupVersions": [{"hostname":"a"}], "version":7e0}`,
		},
		"an empty list": {
			[]string{"a"}, nil,
			`{"version":7,"backupVersions":[ ]}`,
			`{"version":7,"backupVersions":[{"hostname":"a"}]}`,
		},
		"a list with the modules of others": {
			[]string{"a"}, nil,
			`{"version":7,"backupVersions":[ {"name" : "1.0", "hostname":"z", "logRotate":{"sizeThresholdMB":1000.0}} ] , "z":[]}`,
			`{"version":7,"backupVersions":[{"name" : "1.0", "hostname":"z", "logRotate":{"sizeThresholdMB":1000.0}},{"hostname":"a"}] , "z":[]}`,
		},
		"one that is given twice": {
			[]string{"DB1", "db1"}, nil,
			`{"version":7,"backupVersions":[]}`,
			`{"version":7,"backupVersions":[{"hostname":"DB1"}]}`,
		},
		"one that is active in another case": {
			[]string{"DB1", "db2"}, nil,
			`{"version":7,"backupVersions":[{"hostname":"db1"}]}`,
			`{"version":7,"backupVersions":[{"hostname":"db1"},{"hostname":"db2"}]}`,
		},
		"the first one": {
			nil, []string{"A"},
			`{"version":7,"backupVersions":[ {"hostname":"a"} , {"hostname":"b"}  ]}`,
			`{"version":7,"backupVersions":[{"hostname":"b"}]}`,
		},
		"the last one": {
			nil, []string{"b"},
			`{"version":7,"backupVersions":[ {"hostname":"a"} , {"hostname":"b"}  ]}`,
			`{"version":7,"backupVersions":[{"hostname":"a"}]}`,
		},
		"the only one": {
			nil, []string{"a"},
			`{"version":7,"backupVersions":[ {"hostname":"a"}	]}`,
			`{"version":7,"backupVersions":[]}`,
		},
		"one that occurs twice": {
			nil, []string{"a"},
			`{"version":7,"backupVersions":[{"hostname":"a"},{"hostname":"A"},{"hostname":"b"}]}`,
			`{"version":7,"backupVersions":[{"hostname":"b"}]}`,
		},
		"one for another": {
			[]string{"c"}, []string{"a", "b"},
			`{"version":7,"backupVersions":[{"hostname":"a"},{"hostname":"b"}]}`,
			`{"version":7,"backupVersions":[{"hostname":"c"}]}`,
		},
		"escaped names": {
			[]string{"a<b"}, []string{"b"},
			`{"\u0076ersion":7,"backup\u0056ersions":[{"\u0068ostname":"\u0062"}],"a":"\ud800\/<"}`,
			`{"\u0076ersion":7,"backup\u0056ersions":[{"hostname":"a<b"}],"a":"\ud800\/<"}`,
		},
		"unknown members": {
			[]string{"a"}, nil,
			`{"a":1e3,"a":12345678901234567890123,"Version":"x","backupversions":[1],"version":9007199254740993,"b":1e999999999,"h":{"h":false}}`,
			`{"a":1e3,"a":12345678901234567890123,"Version":"x","backupversions":[1],"version":9007199254740993,"b":1e999999999,"h":{"h":false},` +
				`"backupVersions":[{"hostname":"a"}]}`,
		},
	} {
		before := configOf(t, test.before)
		after, err := before.WithBackupModules(test.activated, test.deactivated)
		if err != nil || after == nil {
			t.Errorf("%s: %v %v", name, after, err)
			continue
		}
		if got := string(after.document); got != test.after {
			t.Errorf("%s: got\n%s, want\n%s", name, got, test.after)
		}
		if string(before.document) != test.before {
			t.Errorf("%s: the document that was read has changed: %s", name, before.document)
		}
		if again, err := after.WithBackupModules(test.activated, test.deactivated); again != nil || err != nil {
			t.Errorf("%s: a second change is needed: %v %v", name, again, err)
		}
	}
}

func TestConfigurationThatHasTheModulesDoesNotChange(t *testing.T) {
	t.Parallel()
	for _, document := range []string{
		`{"version":7,"backupVersions":[{"hostname":"A.example.com"}]}`,
		`{"version":7,"backupVersions":[{"hostname":"a.example.com"}],"password":"<redacted>"}`, // nothing is sent
	} {
		if changed, err := configOf(t, document).WithBackupModules([]string{"a.example.com"}, []string{"b"}); changed != nil || err != nil {
			t.Errorf("%s: %v %v", document, changed, err)
		}
	}
}

func TestUnknownFormsAreNoAutomationConfiguration(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]error{
		"":                                 errConfigForm,
		"[]":                               errConfigForm,
		"null":                             errConfigForm,
		`<html>Sign in</html>`:             errConfigForm,
		`{"version":7`:                     errConfigForm,
		`{"version":7}{}`:                  errConfigForm,
		"\ufeff" + `{"version":7}`:         errConfigForm,
		`{}`:                               errConfigVersion,
		`{"backupVersions":[]}`:            errConfigVersion,
		`{"Version":7}`:                    errConfigVersion,
		`{"version":null}`:                 errConfigVersion,
		`{"version":"7"}`:                  errConfigVersion,
		`{"version":7.5}`:                  errConfigVersion,
		`{"version":1e30}`:                 errConfigVersion,
		`{"version":1e999999999}`:          errConfigVersion,
		`{"version":7,"version":"7"}`:      errConfigVersion,
		`{"version":7,"backupVersions":7}`: errConfigModules,
		`{"version":7,"backupVersions":[{"x":"a"}]}`:                           errConfigHost,
		`{"version":7,"backupVersions":[{"hostname":""}]}`:                     errConfigHost,
		`{"version":7,"backupVersions":[{"hostname":7}]}`:                      errConfigHost,
		`{"version":7,"backupVersions":[null]}`:                                errConfigHost,
		`{"version":7,"backupVersions":{"hostname":"a"}}`:                      errConfigModules,
		`{"version":7,"backupVersions":[],"backup\u0056ersions":[]}`:           errConfigModules,
		`{"version":7,"x":"` + strings.Repeat("x", maxAutomationConfig) + `"}`: errConfigTooLarge,
	} {
		if err := new(AutomationConfig).receive([]byte(document)); !errors.Is(err, want) {
			t.Errorf("%.80s: got %v, want %v", document, err, want)
		}
	}
}

func TestDocumentThatMustNotBeSentBackIsReadAndNotChanged(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]error{
		`{"version":7,"backupVersions":[{"hostname":"a"}],"x":"` + "\xff" + `"}`:                               errConfigEncoding,
		`{"version":7,"backupVersions":[{"hostname":"a"}],"version":8}`:                                        errConfigDuplicate,
		`{"version":7,"backupVersions":[{"hostname":"a","hostname":"a"}]}`:                                     errConfigDuplicate,
		`{"version":7,"backupVersions":[{"hostname":"b","hostname":"a"}]}`:                                     errConfigDuplicate,
		`{"version":7,"backupVersions":[{"hostname":"a"}],"auth":{"key":"<redacted>"}}`:                        errConfigMasked,
		`{"version":7,"backupVersions":[{"hostname":"a"}],"auth":{"key":"\u003cREDACTED\u003e"}}`:              errConfigMasked,
		`{"version":7,"backupVersions":[{"hostname":"a"}],"url":"mongodb://u:<redacted>@db1"}`:                 errConfigMasked,
		`{"version":7,"backupVersions":[{"hostname":"a"}],"url":"mongodb://REDACTED:REDACTED@db1"}`:            errConfigMasked,
		`{"version":7,"backupVersions":[{"hostname":"a"}],"url":"mongodb://u:*****@db1"}`:                      errConfigMasked,
		`{"version":7,"backupVersions":[{"hostname":"a"}],"auth":[[{"key":"*****"}]]}`:                         errConfigMasked,
		`{"version":7,"backupVersions":[{"hostname":"a","password" : "••••"}]}`:                                errConfigMasked,
		`{"version":7,"backupVersions":[{"hostname":"a"}],"x":{"a":"\\\"","password":"<Redacted>"}}`:           errConfigMasked,
		`{"version":7,"backupVersions":[{"hostname":"a"}],"x":"[REDACTED]"}`:                                   errConfigMasked,
		`{"version":7,"backupVersions":[{"hostname":"a"}],"x":["REDACTED"]}`:                                   errConfigMasked,
		`{"version":7,"backupVersions":[{"hostname":"a"}],"x":"***REDACTED***"}`:                               errConfigMasked,
		`{"version":7,"backupVersions":[{"hostname":"a"}],"x":"<hidden>"}`:                                     errConfigMasked,
		`{"version":7,"backupVersions":[{"hostname":"a"}],"x":"(masked)"}`:                                     errConfigMasked,
		`{"version":7,"backupVersions":[{"hostname":"a"}],"x":"https://h/?sig=a***b"}`:                         errConfigMasked,
		`{"version":7,"backupVersions":[{"hostname":"a"}],"x":"-----BEGIN KEY-----\n****\n-----END KEY-----"}`: errConfigMasked,
	} {
		config := configOf(t, document)
		if got := config.BackupModules(); !slices.Equal(got, []string{"a"}) {
			t.Errorf("%s: got %q", document, got)
		}
		if changed, err := config.WithBackupModules([]string{"c"}, nil); !errors.Is(err, want) || changed != nil {
			t.Errorf("%s: got %v, want %v", document, err, want)
		}
	}
}

func TestHostNamesAndPathsAreNoMasks(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"mongo-hidden-1.example.com", "/data/masked/db", "redacted.example.com", "xxx", "x", "a*b**c", "/dev/null", "not hidden",
		"hidden", "masked", "xxxx", "redacted", "/hidden/", "**", "redacted:redacted@db1", "https://h/redacted:redacted@db1",
	} {
		document, _ := json.Marshal(map[string]any{"version": 7, "members": []any{map[string]any{"hidden": true, "host": text}}})
		if changed, err := configOf(t, string(document)).WithBackupModules([]string{"a"}, nil); err != nil || changed == nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestNothingOfAnAutomationConfigurationIsPrinted(t *testing.T) {
	t.Parallel()
	config := configOf(t, `{"version":7,"backupVersions":[{"hostname":"h4nter2"}],"password":"h4nter2"}`)
	encoded, _ := json.Marshal([]any{config})
	for _, text := range []string{
		fmt.Sprint(config), fmt.Sprint(*config), fmt.Sprintf(
			"%v %+v %#v %s %q %x %d", config, config, config, config, config, config, config,
		), fmt.Sprintf("%+v", []any{*config}),
		string(encoded),
	} {
		if strings.Contains(text, "h4nter2") || strings.Contains(text, "104 52 110 116") || strings.Contains(text, fmt.Sprintf("%x", "h4nter2")) {
			t.Errorf("got %s", text)
		}
	}
}

// jsonText generates JSON values as a server may write them, or an object with fixed members among
// others.
func jsonText(t *rapid.T, depth int) string {
	blank := func() string {
		return rapid.SampledFrom([]string{"", "", "", " ", "\n  ", "\t", "\r\n"}).Draw(t, "blank")
	}
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth == 0 {
		kind %= 4
	}
	switch kind {
	case 0:
		return rapid.SampledFrom([]string{
			"0", "-0.0", "1000.0", "1e3", "1E+3", "9007199254740993", "123456789012345678901234567890", "1e999", "0.10",
		}).Draw(t, "number")
	case 1:
		return rapid.SampledFrom([]string{"true", "false", "null"}).Draw(t, "word")
	case 2, 3:
		return rapid.SampledFrom([]string{
			`""`, `"<&>"`, `"\u003c\u0026"`, `"\/"`, `"\ud83d\ude00"`, `"\ud800"`, `"é"`, `"e\u0301"`, `"\\\""`, `"]}"`,
			`"{\"version\":7}"`,
		}).Draw(t, "text")
	case 4:
		var elements []string
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			elements = append(elements, blank()+jsonText(t, depth-1)+blank())
		}
		return "[" + cmp.Or(strings.Join(elements, ","), blank()) + "]"
	}
	var members []string
	for range rapid.IntRange(0, 3).Draw(t, "members") {
		name := rapid.SampledFrom([]string{`"a"`, `"\u0061"`, `"b"`, `"Version"`, `"hostname"`, `"x"`, `""`, `"x"`}).Draw(t, "name")
		members = append(members, blank()+name+blank()+":"+blank()+jsonText(t, depth-1)+blank())
	}
	return "{" + cmp.Or(strings.Join(members, ","), blank()) + "}"
}

// Whatever a document contains, a change of its modules keeps the bytes before and after the list, and
// those of each element that is not removed, in their order.
func TestAnyDocumentKeepsEverythingElse(t *testing.T) {
	t.Parallel()
	hosts := []string{"a", "B", "c", "d"}
	rapid.Check(t, func(t *rapid.T) {
		blank := func() string { return rapid.SampledFrom([]string{"", " ", "\n  "}).Draw(t, "blank") }
		others := func() (text string) {
			for i := range rapid.IntRange(0, 3).Draw(t, "others") {
				text += fmt.Sprintf(`%s"o%d"%s:%s%s%s,`, blank(), i%2, blank(), blank(), jsonText(t, 3), blank())
			}
			return text
		}
		var elements []string
		for range rapid.IntRange(0, 5).Draw(t, "elements") {
			host := rapid.SampledFrom(append(hosts, "A")).Draw(t, "host")
			elements = append(elements, fmt.Sprintf(`{%s"x":%s,"hostname"%s:"%s"%s}`, blank(), jsonText(t, 1), blank(), host, blank()))
		}
		list, form := "", rapid.SampledFrom([]string{"missing", "null", "list", "list", "list"}).Draw(t, "form")
		switch form {
		case "null":
			list = "null"
		case "list":
			list = "[" + blank() + strings.Join(elements, blank()+","+blank()) + blank() + "]"
		}
		before := "{" + others()
		after := others() + `"version"` + blank() + `:` + rapid.SampledFrom([]string{"7", "7.0", "7e0"}).Draw(t, "version") + blank() + "}" + blank()
		name := `"backupVersions"` + blank() + ":" + blank()
		document := before + name + list + "," + after
		if form == "missing" {
			document = before + after
		}
		config := new(AutomationConfig)
		if err := config.receive([]byte(document)); err != nil {
			t.Fatalf("%s: %v", document, err)
		}
		if config.refusal != nil { // an element has two host names
			return
		}
		var activated, deactivated []string
		for _, host := range hosts {
			switch rapid.IntRange(0, 2).Draw(t, host) {
			case 0:
				activated = append(activated, host)
			case 1:
				deactivated = append(deactivated, host)
			}
		}
		changed, err := config.WithBackupModules(activated, deactivated)
		if err != nil {
			t.Fatalf("%s: %v", document, err)
		}
		result := cmp.Or(changed, config)
		for _, host := range activated {
			if !result.HasBackupModule(host) {
				t.Fatalf("%s lacks %s", result.document, host)
			}
		}
		var kept [][]byte
		for _, module := range config.modules {
			if !slices.ContainsFunc(deactivated, func(host string) bool { return strings.EqualFold(host, module.hostname) }) {
				kept = append(kept, module.of(config.document))
			}
		}
		for i, module := range result.modules {
			if i < len(kept) && !bytes.Equal(module.of(result.document), kept[i]) {
				t.Fatalf("element %d of %s was %s", i, result.document, kept[i])
			}
			if i >= len(kept) &&
				!slices.ContainsFunc(activated, func(host string) bool { return string(module.of(result.document)) == `{"hostname":"`+host+`"}` }) {
				t.Fatalf("element %d of %s is new", i, result.document)
			}
		}
		if len(result.modules) < len(kept) {
			t.Fatalf("%s lacks elements of %s", result.document, document)
		}
		if changed == nil {
			return
		}
		head, tail := before+name, ","+after
		if form == "missing" {
			trimmed := strings.TrimRight(document, " \n")
			trimmed = strings.TrimRight(strings.TrimSuffix(trimmed, "}"), " \n")
			head, tail = trimmed, document[len(trimmed):]
		}
		text := string(changed.document)
		if !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) {
			t.Fatalf("%s became %s", document, text)
		}
	})
}

// compacted returns a document without the blanks between its tokens.
func compacted(t *testing.T, document []byte) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := json.Compact(&text, document); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

func FuzzAutomationConfig(f *testing.F) {
	for _, document := range []string{
		`{"version":7}`, `{"backupVersions":null,"version":7}`, ` { "version" : 7 , "backupVersions" : [ ] } `,
		`{"version":1e3,"backupVersions":[{"hostname":"a","x":1000.0},null,{"hostname":"b"}],"x":{"x":[1,2,{"y":"\u003c"}]}}`,
	} {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		const host = "new.example.com"
		config := new(AutomationConfig)
		if config.receive(slices.Clone(document)) != nil || config.HasBackupModule(host) {
			return
		}
		activated, err := config.WithBackupModules([]string{host}, nil)
		if err != nil {
			if config.refusal == nil {
				t.Fatalf("%s: %v", document, err)
			}
			return
		}
		if !json.Valid(activated.document) || !activated.HasBackupModule(host) || len(activated.modules) != len(config.modules)+1 ||
			activated.version != config.version {
			t.Fatalf("%s became %s", document, activated.document)
		}
		deactivated, err := activated.WithBackupModules(nil, []string{host})
		if err != nil {
			t.Fatalf("%s: %v", activated.document, err)
		}
		want := slices.Clone(document)
		if list := config.list.of(document); len(list) == 0 {
			want = slices.Concat(document[:config.list.start], []byte(`,"backupVersions":[]`), document[config.list.end:])
		} else if list[0] == 'n' {
			want = slices.Concat(document[:config.list.start], []byte("[]"), document[config.list.end:])
		}
		isAround := bytes.HasPrefix(deactivated.document, document[:config.list.start]) && bytes.HasSuffix(deactivated.document, document[config.list.end:])
		if !isAround || !bytes.Equal(compacted(t, deactivated.document), compacted(t, want)) {
			t.Fatalf("%s became %s", document, deactivated.document)
		}
	})
}

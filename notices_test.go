package main_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the notices of third parties")

const noticesFile = "NOTICES.txt"

// A release has the licenses of the modules that its programs contain, on any platform of .goreleaser.yml.
func TestNoticesNameEveryLinkedModule(t *testing.T) {
	t.Parallel()
	want := notices(t)
	if *update {
		if err := os.WriteFile(noticesFile, want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(noticesFile); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is out of date: run make generate and commit it (%v)", noticesFile, err)
	}
}

// notices returns the notices of the linked modules and of Go, each text once.
func notices(t *testing.T) []byte {
	t.Helper()
	holders := map[string][]string{} // by the text
	for module, texts := range licenses(t) {
		if len(texts) == 0 {
			t.Errorf("%s has no license", module)
		}
		all := strings.Join(texts, "\n")
		holders[all] = append(holders[all], module)
	}
	sections := map[string]string{} // by the first module
	for text, modules := range holders {
		slices.Sort(modules)
		sections[modules[0]] = strings.Join(modules, "\n") + "\n\n" + text
	}
	var out bytes.Buffer
	fmt.Fprintln(&out, "The programs of this project contain code of the following modules.")
	for _, first := range slices.Sorted(maps.Keys(sections)) {
		fmt.Fprintf(&out, "\n%s\n\n%s", strings.Repeat("=", 80), sections[first])
	}
	return out.Bytes()
}

// licenses returns the licenses and notices in the folders of the linked packages, and in those above them, by module.
func licenses(t *testing.T) map[string][]string {
	t.Helper()
	config, err := os.ReadFile(".goreleaser.yml")
	if err != nil {
		t.Fatal(err)
	}
	systems := map[string]bool{}
	for _, match := range regexp.MustCompile(`\b(darwin|freebsd|linux|windows)_\w+`).FindAllSubmatch(config, -1) {
		systems[string(match[1])] = true
	}
	folders := map[string]map[string]bool{} // by module
	for system := range systems {
		list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}",
			".", "./internal/tools/survey", "./internal/tools/emulator")
		list.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		printed, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(printed)) {
			fields := strings.Split(strings.TrimSpace(line), "\t")
			if len(fields) != 3 {
				continue
			}
			module, top, folder := fields[0], fields[1], fields[2]
			if folders[module] == nil {
				folders[module] = map[string]bool{}
			}
			for ; len(folder) >= len(top); folder = filepath.Dir(folder) {
				folders[module][folder] = true
			}
		}
	}
	texts := map[string][]string{}
	for module, in := range folders {
		texts[module] = nil
		for _, folder := range slices.Sorted(maps.Keys(in)) {
			texts[module] = append(texts[module], licensesIn(t, folder)...)
		}
	}
	texts["Go"] = texts["golang.org/x/sys"] // the same text, which not every distribution of Go has
	return texts
}

var license = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)(\.(md|txt))?$`)

func licensesIn(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, entry := range entries {
		if entry.IsDir() || !license.MatchString(entry.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))+"\n")
	}
	return texts
}

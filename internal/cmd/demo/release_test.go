package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What runs with a token of the repository is what was looked at: a tag can be
// moved, a commit cannot.
func TestActionsArePinnedAndMayDoLittle(t *testing.T) {
	t.Parallel()
	var workflows []string
	for _, pattern := range []string{root + ".github/workflows/*.yml", root + "examples/pipelines/github-actions.yml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: nothing found, %v", pattern, err)
		}
		workflows = append(workflows, found...)
	}
	var (
		uses   = regexp.MustCompile(`(?m)^ *(?:- )?uses: *(.*)$`)
		pinned = regexp.MustCompile(`^(?:\./\S+|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$`)
		commit = map[string]string{}
	)
	for _, path := range workflows {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "\npermissions:") {
			t.Errorf("%s: no permissions for the whole of it, so that it has those of the repository", path)
		}
		for _, match := range uses.FindAllStringSubmatch(string(text), -1) {
			if !pinned.MatchString(match[1]) {
				t.Errorf("%s: %s is not pinned to a commit, with its version", path, match[1])
			}
			action, at, _ := strings.Cut(match[1], "@")
			if other := commit[action]; other != "" && other != at && strings.Contains(path, ".github") {
				t.Errorf("%s: %s is %s here and %s elsewhere", path, action, at, other)
			}
			commit[action] = at
		}
	}
}

func TestAReleaseHasNotes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script, err := os.ReadFile(root + "tools/release-notes.sh")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"tools/release-notes.sh": string(script),
		"CHANGELOG.md":           "# Changelog\n\n## Unreleased\n\n- Soon.\n\n## 0.2.0 (2026-01-02)\n\n- New.\n\n### Fixed\n\n- Old.\n\n## 0.1.0\n\n- First.\n\n## 0.0.1\n\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for tag, want := range map[string]string{"v0.2.0": "- New.\n\n### Fixed\n\n- Old.\n", "v0.1.0": "- First.\n", "v0.0.1": "", "v0.2": "", "v0.3.0": ""} {
		notes, err := exec.CommandContext(t.Context(), "sh", filepath.Join(dir, "tools", "release-notes.sh"), tag).Output()
		if string(notes) != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v, want %q", tag, notes, err, want)
		}
	}
}

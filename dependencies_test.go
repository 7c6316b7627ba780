package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

func TestEachDirectDependencySaysItsUse(t *testing.T) {
	t.Parallel()
	module, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	required := regexp.MustCompile(`(?m)^\t(\S+) v\S+(?: // (.*))?$`).FindAllStringSubmatch(string(module), -1)
	if len(required) < 15 {
		t.Errorf("found only %d dependencies", len(required))
	}
	for _, match := range required {
		if match[2] == "" {
			t.Errorf("go.mod does not say in a comment what %s is for", match[1])
		}
	}
}

// Without a network, make lint has the same result.
func TestOutdatedDependenciesAreNamed(t *testing.T) {
	t.Parallel()
	const list = `case "$*" in *-u*) printf '%s\n' 'a v1.2.0 v1.3.9' 'b v0.9.0 v0.11.0' 'c v1.9.0 v2.0.0' 'd v1.2.3 v1.2.9' ;; *) echo a b c d ;; esac`
	for _, c := range []struct{ command, want string }{
		{list, "OUTDATED: b v0.9.0, newest v0.11.0\nOUTDATED: c v1.9.0, newest v2.0.0\n"},
		{"exit 1", "SKIPPED: newer versions, because the module proxy cannot be reached\n"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\n"+c.command+"\n"), 0o700); err != nil { // #nosec G306 -- a command
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), "tools/outdated.sh")
		command.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		if printed, err := command.CombinedOutput(); err != nil || string(printed) != c.want {
			t.Errorf("%q: %v, %s", c.command, err, printed)
		}
	}
}

//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestALibraryThatIsTooOldIsMissing(t *testing.T) { //nolint:paralleltest // it sets the environment
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	i := slices.IndexFunc(clients, func(c client) bool { return strings.HasPrefix(c.name, "pyomsdk") })
	for version, want := range map[string]string{"1.10.4": "it needs pydantic 2.7, not 1.10.4", "2.13.4": ""} {
		dir := t.TempDir()
		for module, text := range map[string]string{"httpx": "", "pydantic": "VERSION = '" + version + "'"} {
			if err := os.WriteFile(filepath.Join(dir, module+".py"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PYTHONPATH", dir)
		if got := clients[i].missing(t.Context()); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q", version, got)
		}
	}
}

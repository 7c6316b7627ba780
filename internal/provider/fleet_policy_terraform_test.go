package provider_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

// shownClusters matches the clusters in the examples of the module fleet-policy.
var shownClusters = regexp.MustCompile(`clusters += (\{.*\})`)

// A new user runs what a page shows on the emulator.
func TestShownClustersOfTheFleetModuleArePlannedOnTheEmulator(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"README.md", "main.tf"} {
		w := copyExample(t, providertest.StartService(t), "modules/fleet-policy")
		w.Init()
		text, err := os.ReadFile(filepath.Join(w.Dir, page))
		shown := shownClusters.FindStringSubmatch(string(text))
		if err != nil || shown == nil {
			t.Fatalf("%s shows no clusters: %v", page, err)
		}
		w.MustRun("plan", "-var", "project_id="+payments, "-var", "clusters="+shown[1])
	}
}

package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

var copiedFleet = flag.Int(
	"fleet", 0,
	"number of clusters, in three projects, that TestFleetIsCopiedAndServedInTime copies with a latency of 20 ms; 0 skips it",
)

func TestFleetIsCopiedAndServedInTime(t *testing.T) { //nolint:paralleltest // it measures
	if *copiedFleet == 0 {
		t.Skip("a measurement that takes minutes: choose the number of clusters with -fleet, such as -fleet=1000")
	}
	whole := emulator.DefaultSeed()
	model := whole.Projects[0].Clusters[0]
	seed := &emulator.Seed{}
	for p := range 3 {
		project := emulator.Project{ID: fmt.Sprintf("64f0%020x", p), Name: fmt.Sprint("project-", p)}
		for i := range *copiedFleet / 3 {
			cluster := model
			cluster.ID, cluster.Name = fmt.Sprintf("65%02d%020x", p, i), fmt.Sprintf("cluster-%d", i)
			cluster.Snapshots, cluster.Members = nil, nil
			for m := range 3 {
				cluster.Members = append(cluster.Members, fmt.Sprintf("%s-%d.project-%d.example.com:27017", cluster.Name, m, p))
			}
			for s := range 30 {
				snapshot := map[string]any{}
				for name, value := range model.Snapshots[0] {
					snapshot[name] = value
				}
				snapshot["id"] = fmt.Sprintf("66%02d%010x%010x", p, i, s)
				cluster.Snapshots = append(cluster.Snapshots, snapshot)
			}
			project.Clusters = append(project.Clusters, cluster)
		}
		seed.Projects = append(seed.Projects, project)
	}
	server := httptest.NewServer(emulator.New(emulator.Options{Seed: seed, Latency: 20 * time.Millisecond, Lenient: true, Unrecorded: true}))
	t.Cleanup(server.Close)
	original := &service{url: server.URL}
	file := filepath.Join(t.TempDir(), "copy.json")
	began := time.Now()
	succeed(t, run(t.Context(), []string{"-copy", file}, original.getenv, io.Discard, io.Discard))
	copied := time.Since(began)
	info, err := os.Stat(file)
	succeed(t, err)
	t.Logf("copied %d clusters in %s: %d MiB", *copiedFleet, copied.Round(time.Millisecond), info.Size()>>20)
	if copied > 20*time.Second {
		t.Error("more than 20 s")
	}

	binary := filepath.Join(t.TempDir(), "emulator")
	if out, err := exec.CommandContext(
		t.Context(), "go", "build", "-o", binary, "terraform-provider-opsmanager/internal/tools/emulator",
	).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	command := exec.CommandContext(t.Context(), binary, "-addr", "127.0.0.1:0", "-seed", file)
	out, err := command.StdoutPipe()
	succeed(t, err)
	began = time.Now()
	succeed(t, command.Start())
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	var printed bytes.Buffer
	for buffer := make([]byte, 4096); !strings.Contains(printed.String(), "PRIVATE_KEY="); {
		n, err := out.Read(buffer)
		succeed(t, err)
		printed.Write(buffer[:n])
	}
	served := time.Since(began)
	again := &service{url: regexp.MustCompile(`OPSMANAGER_BASE_URL='([^']*)'`).FindStringSubmatch(printed.String())[1]}
	t.Logf("serves it after %s, with %s", served.Round(time.Millisecond), peak(t, command.Process.Pid))
	second := filepath.Join(t.TempDir(), "second.json")
	succeed(t, run(t.Context(), []string{"-copy", second, "-concurrency", "8"}, again.getenv, io.Discard, io.Discard))
	t.Logf("after a copy of the copy: %s", peak(t, command.Process.Pid))
	if served > 5*time.Second {
		t.Error("more than 5 s")
	}
}

// peak returns the memory that a process had at most, on Linux.
func peak(t *testing.T, pid int) string {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "an unknown amount of memory"
	}
	return string(regexp.MustCompile(`VmHWM:\s*(\d+ kB)`).FindSubmatch(status)[1])
}

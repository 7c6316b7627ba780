package main_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var dist = flag.String("dist", "", "the absolute `folder` of a release or a snapshot that goreleaser has made")

func TestReleaseHasTheFilesThatRegistriesExpect(t *testing.T) {
	t.Parallel()
	if *dist == "" {
		t.Skip("a workflow runs this test on a snapshot: see RELEASING.md")
	}
	archives, problems := problemsOfRelease(os.DirFS(*dist))
	for _, problem := range problems {
		t.Error(problem)
	}
	if archives < 2 {
		t.Errorf("found %d archives of the provider", archives)
	}
}

var (
	providerArchive = regexp.MustCompile(`^terraform-provider-opsmanager_(.+)_(\w+)_(\w+)\.zip$`)
	toolsArchive    = regexp.MustCompile(`^opsmanager-tools_(.+)_(\w+)_(\w+)\.tar\.gz$`)
)

// problemsOfRelease returns the number of the provider's archives in a folder, and what is wrong with its files.
func problemsOfRelease(folder fs.FS) (archives int, problems []string) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return 0, []string{err.Error()}
	}
	sums := map[string]string{}
	var packed, listed []string // the archives, and those with a bill of materials
	named := map[string]bool{}
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() {
			continue
		}
		content, err := fs.ReadFile(folder, name)
		if err != nil {
			report("%v", err)
			continue
		}
		if archive, isBill := strings.CutSuffix(name, ".sbom.json"); isBill {
			listed = append(listed, archive)
			continue
		}
		var want, got []string
		switch {
		case providerArchive.MatchString(name):
			archives++
			sums[name] = fmt.Sprintf("%x", sha256.Sum256(content))
			match := providerArchive.FindStringSubmatch(name)
			want = []string{"CHANGELOG.md", "LICENSE", "NOTICES.txt", "terraform-provider-opsmanager_v" + match[1] + executable(match[2])}
			got, err = zipped(content)
		case toolsArchive.MatchString(name):
			end := executable(toolsArchive.FindStringSubmatch(name)[2])
			want = []string{"LICENSE", "NOTICES.txt", "opsmanager-emulator" + end, "opsmanager-survey" + end}
			got, err = tarred(content)
		case strings.HasSuffix(name, "_SHA256SUMS"):
			for line := range strings.Lines(string(content)) {
				sum, file, _ := strings.Cut(strings.TrimSpace(line), "  ")
				named[file+" "+sum] = true
			}
			continue
		default:
			continue
		}
		packed = append(packed, name)
		if err != nil || !slices.Equal(got, want) {
			report("%s contains %q, want %q (%v)", name, got, want, err)
		}
	}
	if len(listed) > 0 && !slices.Equal(listed, packed) { // a snapshot may have none
		report("%q have a bill of materials, want %q", listed, packed)
	}
	manifests := 0
	for line := range named {
		if strings.Contains(line, "_manifest.json ") {
			manifests++
			delete(named, line)
		}
	}
	if manifests != 1 {
		report("the checksums name %d manifests", manifests)
	}
	for name, sum := range sums {
		if !named[name+" "+sum] {
			report("the checksums lack %s, with %s", name, sum)
		}
		delete(named, name+" "+sum)
	}
	for line := range maps.Keys(named) {
		report("the checksums also name %s", line)
	}
	return archives, problems
}

func executable(system string) string {
	if system == "windows" {
		return ".exe"
	}
	return ""
}

// zipped returns the names of the files in a zip archive.
func zipped(content []byte) ([]string, error) {
	reader, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range reader.File {
		names = append(names, file.Name)
	}
	slices.Sort(names)
	return names, nil
}

// tarred returns the names of the files in a compressed tar archive.
func tarred(content []byte) ([]string, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	var names []string
	for reader := tar.NewReader(unpacked); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			slices.Sort(names)
			return names, nil
		}
		if err != nil {
			return nil, err
		}
		names = append(names, header.Name)
	}
}

func TestProblemsOfAReleaseAreReported(t *testing.T) {
	t.Parallel()
	const name = "terraform-provider-opsmanager_1.2.3_windows_amd64.zip"
	files := []string{"CHANGELOG.md", "LICENSE", "NOTICES.txt", "terraform-provider-opsmanager_v1.2.3.exe"}
	const manifest = "0  terraform-provider-opsmanager_1.2.3_manifest.json\n"
	for what, c := range map[string]struct {
		files    []string
		sums     string // of the archive, %s
		problems int
	}{
		"a release":                 {files, "%s  " + name + "\n" + manifest, 0},
		"no notices":                {slices.Delete(slices.Clone(files), 2, 3), "%s  " + name + "\n" + manifest, 1},
		"no manifest":               {files, "%s  " + name + "\n", 1},
		"a wrong checksum":          {files, "0%s  " + name + "\n" + manifest, 2},
		"a bill of materials":       {files, "%s  " + name + "\n0  " + name + ".sbom.json\n" + manifest, 1},
		"two manifests, no archive": {files, manifest + "1" + manifest + "# %s\n", 3},
	} {
		folder := t.TempDir()
		var packed bytes.Buffer
		writer := zip.NewWriter(&packed)
		for _, file := range c.files {
			if _, err := writer.Create(file); err != nil {
				t.Fatal(err)
			}
		}
		if err := writer.Close(); err != nil {
			t.Fatal(err)
		}
		for file, content := range map[string][]byte{
			name:                packed.Bytes(),
			name + ".sbom.json": {},
			"terraform-provider-opsmanager_1.2.3_SHA256SUMS": fmt.Appendf(nil, c.sums, fmt.Sprintf("%x", sha256.Sum256(packed.Bytes()))),
		} {
			if err := os.WriteFile(filepath.Join(folder, file), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if archives, problems := problemsOfRelease(os.DirFS(folder)); archives != 1 || len(problems) != c.problems {
			t.Errorf("%s: %d archives, %q, want %d problems", what, archives, problems, c.problems)
		}
	}
}

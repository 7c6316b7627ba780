package documents_test

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The table of BENCHMARKS.md has rows of the figures, without their last columns. make bench updates it.
func TestThePageOfBenchmarksQuotesTheFigures(t *testing.T) {
	t.Parallel()
	const page, figures = root + "BENCHMARKS.md", root + "internal/tools/bench/FIGURES.md"
	measured := rows(t, figures)
	text, err := os.ReadFile(page)
	succeed(t, err)
	current, quoted := string(text), 0
	for _, row := range rows(t, page) {
		i := slices.IndexFunc(measured, func(m []string) bool { return slices.Equal(m[:3], row[:3]) })
		if i < 0 {
			t.Errorf("no figure is that of %q", row)
			continue
		}
		quoted++
		old, now := strings.Join(row, " | "), strings.Join(measured[i][:len(row)], " | ")
		if old != now && !*update {
			t.Errorf("BENCHMARKS.md has %q, and the figures %q: run this test with -update", old, now)
		}
		current = strings.Replace(current, old, now, 1)
	}
	if quoted == 0 {
		t.Error("BENCHMARKS.md quotes no figures")
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(page, []byte(current), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// rows returns the cells of the rows of a document's tables, without their headers.
func rows(t *testing.T, document string) [][]string {
	t.Helper()
	text, err := os.ReadFile(document)
	succeed(t, err)
	var found [][]string
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | "); len(cells) >= 5 && cells[0] != "work" {
			found = append(found, cells)
		}
	}
	return found
}

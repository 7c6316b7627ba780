package provider_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// makeReport applies the example to an Ops Manager, and returns the page.
func makeReport(t *testing.T, start time.Time, projects []emulator.Project, variables string) string {
	t.Helper()
	service := providertest.StartService(
		t, emulator.Options{Now: stopped(start), TransitionTime: -1, TransitionReads: 1_000, Seed: &emulator.Seed{Projects: projects}},
	)
	w := copyExample(t, service, "report")
	w.Write("terraform.tfvars", variables)
	w.Init()
	if printed := w.MustRun("apply", "-auto-approve"); strings.Contains(printed, "<html") {
		t.Error("the apply prints the page")
	}
	return w.MustRun("output", "-raw", "html")
}

// reported is a row of the page.
type reported struct {
	Cluster, Project, Problem, Status, Newest, Age, Retention, Window string
}

// hostileNames are names of clusters and projects that a page may get wrong.
var hostileNames = []string{
	"<script>alert(1)</script>", `</td><img src=x onerror="alert(1)">`, `"double" & 'single'`, "&lt;b&gt; &amp;amp;", "${path.module} %{ if true }",
	"دفتر الأستاذ", "חשבונות <b>", strings.TrimSpace(strings.Repeat("long name ", 20)), strings.Repeat("W", 200), "ledger",
}

// hostileProjects returns 60 clusters, and their rows in the order of the page. 36 clusters have a
// problem.
func hostileProjects(start time.Time) (projects []emulator.Project, rows []reported) {
	const retention, window = "1\u00a0day, 30\u00a0daily, 12\u00a0monthly", "1 hour"
	schedule := object{
		"snapshotIntervalHours": 24, "snapshotRetentionDays": 1, "dailySnapshotRetentionDays": 30, "weeklySnapshotRetentionWeeks": 0,
		"monthlySnapshotRetentionMonths": 12, "pointInTimeWindowHours": 1,
	}
	kinds := []struct {
		section, rank   int
		status, problem string
		hours           int // age of the newest snapshot; 0 if it is not read or missing, negative in the future
		hasSchedule     bool
	}{
		{2, 4, "PAUSED", `unknown status "PAUSED"`, 3, true},
		{0, 1, "", "not backed up", 0, false},
		{0, 1, "PROVISIONING", "being set up", 0, false},
		{0, 2, "TERMINATING", "being terminated", 50, false},
		{2, 5, "STOPPED", "stopped", 900, true},
		{0, 3, "STARTED", "no complete snapshot", 0, true},
		{2, 6, "STARTED", "newest snapshot older than 26 hours", 30, true},
		{2, 6, "STARTED", "newest snapshot dated in the future", -30, true},
		{3, 7, "STARTED", "", 1, true},
	}
	type placed struct {
		reported
		section, rank int
		created       time.Time
		id            string
	}
	var all []placed
	for i := range 5 {
		projects = append(projects, emulator.Project{ID: fmt.Sprintf("64f0c2a19b3d5e7f80a1b2%02x", i), Name: hostileNames[2*i]})
	}
	for i := range 60 {
		kind := kinds[min(i%14, len(kinds)-1)]
		p := placed{section: kind.section, rank: kind.rank, id: fmt.Sprintf("650a000000000000000000%02x", 255-i)}
		p.reported = reported{Cluster: hostileNames[i*7%len(hostileNames)], Project: projects[i%5].Name, Problem: kind.problem}
		cluster := emulator.Cluster{ID: p.id, Name: p.Cluster, TypeName: "REPLICA_SET", SnapshotSchedule: schedule}
		if kind.status != "" {
			cluster.BackupConfig = object{"statusName": kind.status}
			p.Status = kind.status[:1] + strings.ToLower(kind.status[1:])
		}
		if kind.hours != 0 {
			// The oldest snapshots are older than several leap days.
			hours := kind.hours + i/14
			if kind.status == "STOPPED" {
				hours += i * 1000
			}
			p.created = start.Add(-time.Duration(hours)*time.Hour - 30*time.Minute)
			cluster.Snapshots = []object{completeSnapshot(p.created.Format(time.RFC3339))}
			p.Newest, p.Age = p.created.Format("2006-01-02 15:04"), fmt.Sprintf("%d hours old", hours)
			switch {
			case hours < 0:
				p.Age = "in the future"
			case hours == 1:
				p.Age = "1 hour old"
			case hours >= 48:
				p.Age = fmt.Sprintf("%d days old", hours/24)
			}
		}
		if kind.hasSchedule {
			p.Retention, p.Window = retention, window
		}
		projects[i%5].Clusters = append(projects[i%5].Clusters, cluster)
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b placed) int {
		byAge := 0
		if a.Problem != "" {
			byAge = a.created.Compare(b.created)
		}
		return cmp.Or(
			cmp.Compare(a.section, b.section), cmp.Compare(a.rank, b.rank), byAge,
			cmp.Compare(strings.ToLower(a.Project), strings.ToLower(b.Project)),
			cmp.Compare(strings.ToLower(a.Cluster), strings.ToLower(b.Cluster)), cmp.Compare(a.id, b.id),
		)
	})
	for _, p := range all {
		rows = append(rows, p.reported)
	}
	return projects, rows
}

// completeSnapshot returns a complete snapshot that was taken at a time.
func completeSnapshot(created string) object {
	return object{"id": "66d2a1b0c4d6e8f0a2b4c601", "complete": true, "created": object{"date": created, "increment": 1}, "expires": "+48h"}
}

// elementsOf returns the elements of a page with a name and a class. An empty class stands for any.
func elementsOf(root *html.Node, name, class string) (found []*html.Node) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == name && (class == "" || attributeOf(n, "class") == class) {
			found = append(found, n)
		}
	}
	return found
}

func attributeOf(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// textOf returns the text of the elements of a page with a name and a class.
func textOf(root *html.Node, name, class string) string {
	var texts []string
	for _, element := range elementsOf(root, name, class) {
		var text strings.Builder
		for n := range element.Descendants() {
			if n.Type == html.TextNode {
				text.WriteString(n.Data)
			}
		}
		texts = append(texts, strings.TrimSpace(text.String()))
	}
	return strings.Join(texts, "; ")
}

// rowsOf returns the rows of the first table of a page.
func rowsOf(page *html.Node) (rows []reported) {
	for _, row := range elementsOf(elementsOf(page, "table", "")[0], "tr", "") {
		if textOf(row, "bdi", "name") != "" {
			rows = append(rows, reported{
				textOf(row, "bdi", "name"), textOf(row, "bdi", "project"), textOf(row, "td", "problem"), textOf(row, "td", "status"),
				textOf(row, "time", ""), textOf(row, "span", "age"), textOf(row, "td", "retention"), textOf(row, "td", "window"),
			})
		}
	}
	return rows
}

// harmless matches the elements and the attributes of the page. None of them can run or load
// anything.
var harmless = regexp.MustCompile(
	`^(html( lang)?|head|meta( charset| http-equiv| name| content)*|title|style|body|header|main|footer|p( class)?|h1( class)?|h2|` +
		`ul( class)?|li|b|table( class)?|caption|thead|tbody( class)?|tr( class)?|th( scope| colspan)*|td( class)?|bdi( class)?|` +
		`time( datetime)?|span( class)?|svg( viewbox| viewBox| preserveAspectRatio| role| aria-label| aria-hidden)*|` +
		`path( class| d)*|polyline( class| points)*|text( class)?( x| y)*)$`,
)

func TestReportShowsEachClusterWithTheWorstFirst(t *testing.T) {
	t.Parallel()
	start := time.Now().UTC().Truncate(time.Second)
	projects, want := hostileProjects(start)
	text := makeReport(t, start, projects, "title = \"Status of </title><script>\"\n")
	page, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	got := rowsOf(page)
	if len(got) != len(want) {
		t.Errorf("%d rows, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("row %d is\n%q\nwant\n%q", i, got[i], want[i])
		}
	}
	for n := range page.Descendants() {
		signature := n.Data
		for _, a := range n.Attr {
			signature += " " + a.Key
		}
		if n.Type == html.ElementNode && !harmless.MatchString(signature) {
			t.Errorf("the page has the element <%s>", signature)
		}
	}
	verdict := "19 of 60 clusters can't be restored. 17 more can be restored only to " +
		start.Add(-3*time.Hour-30*time.Minute).Format("2 January 2006") + " or earlier."
	for what, texts := range map[string][2]string{
		"the sections": {textOf(page, "tr", "group"), "Can't be restored; Can be restored, but only to an old time; Can be restored"},
		"the title":    {textOf(page, "title", ""), verdict + " – Status of </title><script>"},
		"the heading":  {textOf(page, "h1", "bad"), verdict},
		"the counts": {
			textOf(elementsOf(page, "ul", "counts")[0], "li", ""),
			"10 not backed up; 5 being terminated; 4 without a complete snapshot; 5 could not be read; 4 stopped; " +
				"8 without a recent snapshot; 24 without a problem",
		},
		"the column headings": {
			textOf(page, "thead", ""),
			"ClusterProblemStatusNewest snapshot (UTC)RetentionPoint-in-time window; Cluster1 day1 week1 month1 yearnowNumber and size",
		},
		"the language": {attributeOf(elementsOf(page, "html", "")[0], "lang"), "en"},
		"the policy": {
			attributeOf(elementsOf(page, "meta", "")[1], "content"),
			"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
		},
		"the number of names":  {strconv.Itoa(len(elementsOf(page, "bdi", ""))), "245"},
		"the number of labels": {strconv.Itoa(strings.Count(text, `scope="row"`) + strings.Count(text, `scope="col"`)), "129"},
	} {
		if texts[0] != texts[1] {
			t.Errorf("%s: %q, want %q", what, texts[0], texts[1])
		}
	}
	made := regexp.MustCompile(`as of (\d{4}-\d\d-\d\d \d\d:\d\d) UTC`).FindStringSubmatch(text)
	if made == nil || made[1] < start.Format("2006-01-02 15:04") || made[1] > time.Now().UTC().Format("2006-01-02 15:04") {
		t.Errorf("the page was made %q, want a time since %s", made, start)
	}
	if limits := textOf(page, "footer", ""); !strings.Contains(limits, "at most 26 hours old") ||
		!strings.Contains(limits, "Read from all projects of the API key.") {
		t.Errorf("the limits are %q", limits)
	}
	t.Run("in a browser", func(t *testing.T) {
		t.Parallel()
		wantFittingLayout(t, text)
	})
}

func TestReportOfFewClustersReadsWell(t *testing.T) {
	t.Parallel()
	start := time.Now().UTC().Truncate(time.Second)
	const rule = "A cluster has no problem if its backup is started and it has a complete snapshot"
	for heading, test := range map[string]struct {
		clusters                 int
		status                   string
		variables, rule, farther string
	}{
		"All 57 clusters can be restored.": {
			57, "STARTED", "max_snapshot_age_hours = 9001", rule + " that is at most 9001 hours old.",
			"Read from all projects of the API key. Projects with clusters: Payments.",
		},
		"The only cluster can be restored.": {
			2, "STARTED", "max_snapshot_age_hours = null\nexcluded_cluster_ids = [\"650a00000000000000000001\"]", rule + ".",
			"Read from all projects of the API key. Excluded clusters: 1. Projects with clusters: Payments.",
		},
		"No cluster was checked.": {
			0, "", "project_ids = [\"" + payments + "\"]", rule + " that is at most 26 hours old.",
			"Read from selected projects only. They have no cluster to check.",
		},
		"The only cluster may not be restorable.": {
			1, "PAUSED", "excluded_cluster_ids = null", rule + " that is at most 26 hours old.",
			"Read from all projects of the API key. Projects with clusters: Payments.",
		},
		"The only cluster can't be restored.": {
			1, "INACTIVE", "max_snapshot_age_hours = null", rule + ".",
			"Read from all projects of the API key. Projects with clusters: Payments.",
		},
	} {
		t.Run(heading, func(t *testing.T) {
			t.Parallel()
			project := emulator.Project{ID: payments, Name: "Payments"}
			for i := range test.clusters {
				cluster := emulator.Cluster{
					ID: fmt.Sprintf("650a000000000000000000%02x", i), Name: "ledger", TypeName: "REPLICA_SET",
					BackupConfig: object{"statusName": test.status},
				}
				if test.status == "STARTED" {
					cluster.Snapshots = []object{completeSnapshot("-9000h")}
				}
				project.Clusters = append(project.Clusters, cluster)
			}
			page, err := html.Parse(strings.NewReader(makeReport(t, start, []emulator.Project{project}, test.variables)))
			if err != nil {
				t.Fatal(err)
			}
			providertest.WantEqual(t, textOf(page, "h1", ""), heading)
			providertest.WantEqual(t, textOf(page, "footer", ""), test.rule+" Only a restore proves that its data is good.\n"+test.farther)
			if test.clusters != 1 && strings.Contains(textOf(page, "main", "")+textOf(page, "ul", ""), "an't be") {
				t.Error("the page speaks of problems")
			}
		})
	}
}

func TestReportDrawsWhatCanBeRestoredToWhen(t *testing.T) {
	t.Parallel()
	start := time.Now().UTC().Truncate(time.Second)
	taken := func(hours int) time.Time { return start.Add(-time.Duration(hours)*time.Hour - 30*time.Minute) }
	snapshot := func(id, hours int, more map[string]any) map[string]any {
		s := completeSnapshot(taken(hours).Format(time.RFC3339))
		s["id"] = fmt.Sprintf("66d2a1b0%016x", id)
		maps.Copy(s, more)
		return s
	}
	size := func(bytes int) []any { return []any{map[string]any{"typeName": "REPLICA_SET", "dataSizeBytes": bytes}} }
	schedule := map[string]any{"snapshotIntervalHours": 24, "pointInTimeWindowHours": 9, "snapshotRetentionDays": 2}
	started := map[string]any{"statusName": "STARTED"}
	projects := []emulator.Project{{ID: providertest.Payments, Name: "Payments", Clusters: []emulator.Cluster{
		{
			ID: "650a00000000000000000001", Name: "all", TypeName: "REPLICA_SET", BackupConfig: started, SnapshotSchedule: schedule,
			Snapshots: []map[string]any{
				snapshot(1, 0, map[string]any{"parts": size(4_000_000_000)}),
				snapshot(2, 99, map[string]any{"expires": start.AddDate(1, 0, 0).Format(time.RFC3339), "parts": size(2_000_000_000)}),
				snapshot(3, 9999, map[string]any{"doNotDelete": true, "expires": nil, "parts": size(1_000_000_000)}),
			},
		},
		{ID: "650a00000000000000000002", Name: "none", TypeName: "REPLICA_SET", BackupConfig: started, SnapshotSchedule: schedule},
		{
			ID: "650a00000000000000000003", Name: "stopped", TypeName: "REPLICA_SET", SnapshotSchedule: schedule,
			BackupConfig: map[string]any{"statusName": "STOPPED"}, Snapshots: []map[string]any{snapshot(4, 999, nil)},
		},
		{ID: "650a00000000000000000004", Name: "<b>theirs</b>", TypeName: "REPLICA_SET", ThirdPartyBackup: "ACTIVE"},
	}}}
	page, err := html.Parse(strings.NewReader(makeReport(t, start, projects, "")))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, row := range elementsOf(elementsOf(page, "table", "points")[0], "tr", "") {
		name := textOf(row, "bdi", "name")
		for _, path := range append(elementsOf(row, "path", ""), elementsOf(row, "polyline", "")...) {
			if class := attributeOf(path, "class"); class != "grid" && class != "objective" {
				got[name] = append(got[name], class+" "+attributeOf(path, "d")+attributeOf(path, "points"))
			}
		}
		if name != "" {
			got[name] = append(got[name], textOf(row, "td", ""))
		}
	}
	// An age of 9, 99, 999 and 9999 hours is about 1, 2, 3 and 4 of 4 on the scale.
	want := map[string][]string{
		"all": {
			"times M746 14H990", "short M947 9h0", "long M500 9h0", "held M10 9h0", "sizes 947,16 500,20 10,22",
			"; 3, since " + taken(9999).Format("2006-01-02") + " 4 GB, was 1 GB",
		},
		"none":    {"; none"},
		"stopped": {"long M255 9h0", "; 1, taken " + taken(999).Format(time.RFC3339)},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the picture is\n%q\nwant\n%q", got, want)
	}
	if others := textOf(page, "p", ""); !strings.Contains(others, "<b>theirs</b> (Payments).") {
		t.Errorf("the page says %q", others)
	}
}

// measure is a script that replaces a page of frames by what does not fit into them.
const measure = `onload = () => {
  const problems = [];
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument.documentElement, width = page.clientWidth;
    const problem = text => problems.push(frame.width + " pixels: " + text);
    if (page.scrollWidth > width) problem("the page is " + page.scrollWidth + " pixels wide");
    for (const e of page.querySelectorAll("body *")) {
      const box = e.getBoundingClientRect();
      if (box.left < 0 || box.right > width + 1) problem("outside: " + e.outerHTML.slice(0, 100));
      if (e.clientWidth > 1 && e.scrollWidth > e.clientWidth + 1) problem("too wide for its cell: " + e.outerHTML.slice(0, 100));
    }
    const isTable = getComputedStyle(page.querySelector("thead")).display != "none";
    if (isTable != frame.width > 960) problem("the layout is that of another width");
    if (page.querySelectorAll("tbody tr").length != 123) problem("rows are missing");
  }
  document.body.textContent = JSON.stringify(problems);
}`

// framed returns a page with frames of some widths, which show a page.
func framed(page string, height int, widths ...int) string {
	var frames strings.Builder
	frames.WriteString("<!DOCTYPE html>\n<meta charset=utf-8>\n<body style='margin: 0; display: flex; gap: 8px; background: #bbb'>\n")
	for _, width := range widths {
		fmt.Fprintf(&frames, "<iframe width=%d height=%d style='flex: none; border: 0' srcdoc=\"%s\"></iframe>\n", width, height, html.EscapeString(page))
	}
	return frames.String()
}

// browse opens a page in a headless browser, and returns what the browser prints. Without a browser,
// the test is skipped.
func browse(t *testing.T, page string, args ...string) (printed string) {
	t.Helper()
	names := []string{"chromium", "chromium-browser", "google-chrome"}
	i := slices.IndexFunc(names, func(name string) bool { _, err := exec.LookPath(name); return err == nil })
	if i < 0 {
		t.Skipf("none of the browsers %s is installed", strings.Join(names, ", "))
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	// The page is the test's own, so the browser needs no sandbox, which it can't have as root.
	args = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + filepath.Join(dir, "profile")}, args...)
	output, err := exec.CommandContext(ctx, names[i], append(args, "file://"+file)...).Output()
	if err != nil {
		t.Fatalf("%s: %v", names[i], err)
	}
	return string(output)
}

// wantFittingLayout checks in a browser that nothing is wider than a phone or a screen.
func wantFittingLayout(t *testing.T, page string) {
	t.Helper()
	printed := browse(t, framed(page, 800, 320, 390, 980, 1280)+"<script>"+measure+"</script>\n", "--dump-dom")
	measured, err := html.Parse(strings.NewReader(printed))
	if err != nil {
		t.Fatal(err)
	}
	var problems []string
	if err := json.Unmarshal([]byte(textOf(measured, "body", "")), &problems); err != nil {
		t.Fatalf("%v\n%.1000s", err, printed)
	}
	for _, problem := range problems[:min(len(problems), 20)] {
		t.Error(problem)
	}
}

// picture is what the README of the example shows. To draw it again, run this test with -update, with
// a browser.
const picture = "../../.github/report.png"

func TestPictureOfTheReportIsSmall(t *testing.T) {
	t.Parallel()
	if *update {
		drawPicture(t)
	}
	file, err := os.Open(picture)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	drawn, err := png.DecodeConfig(file)
	info, statErr := file.Stat()
	if err := errors.Join(err, statErr); err != nil {
		t.Fatal(err)
	}
	if drawn.Width != pictureWidth || info.Size() > 150_000 {
		t.Errorf("the picture is %d pixels wide and has %d bytes", drawn.Width, info.Size())
	}
}

// The size of the picture, in pixels.
const pictureWidth, pictureHeight = 1080 + 8 + 390, 1900

// invention returns the snapshots of a backup that began some months ago: those of 30 days, 8 weeks and 12 months, and one
// of each year, which is held.
func invention(newest time.Time, months int) (all []map[string]any) {
	add := func(created time.Time, days int) {
		id := len(all)
		age := newest.Sub(created).Hours() / 730
		if age > float64(months) || months == 0 {
			return
		}
		all = append(all, map[string]any{
			"id": fmt.Sprintf("66d2a1b0%016x", id), "complete": true, "created": map[string]any{"date": created.Format(time.RFC3339), "increment": 1},
			"expires": created.AddDate(0, 0, days).Format(time.RFC3339),
			"parts":   []any{map[string]any{"typeName": "REPLICA_SET", "dataSizeBytes": int64(4e10 * (1 + float64(months)/12 - age/12))}},
		})
		if days == 0 {
			all[id]["doNotDelete"], all[id]["expires"] = true, nil
		}
	}
	for i := range 30 {
		add(newest.AddDate(0, 0, -i), 30)
	}
	for i := range 4 {
		add(newest.AddDate(0, 0, -35-7*i), 56)
	}
	for i := range 10 {
		add(newest.AddDate(0, -2-i, 0), 365)
	}
	for i := range 3 {
		add(newest.AddDate(-1-i, 0, 0), 0)
	}
	return all
}

// drawPicture writes the picture of a page about invented clusters.
func drawPicture(t *testing.T) {
	t.Helper()
	start := time.Now().UTC().Truncate(time.Second)
	schedule := object{
		"snapshotIntervalHours": 24, "snapshotRetentionDays": 2, "dailySnapshotRetentionDays": 30, "weeklySnapshotRetentionWeeks": 8,
		"monthlySnapshotRetentionMonths": 12, "pointInTimeWindowHours": 48,
	}
	var projects []emulator.Project
	for i, invented := range []struct {
		project, cluster, status string
		hours, months            int // the age of the newest snapshot, and of the backup; no snapshot if it is 0
	}{
		{"Analytics", "clicks", "STARTED", 9, 14}, {"Analytics", "events", "STARTED", 74, 5},
		{"Payments", "cards", "STARTED", 8, 14}, {"Payments", "fraud", "", 0, 0}, {"Payments", "ledger", "STARTED", 3, 40},
		{"Warehouse", "orders-eu", "STARTED", 10, 3}, {"Warehouse", "orders-us", "STARTED", 0, 0},
		{"Web shop", "basket", "STOPPED", 301, 9}, {"Web shop", "catalog", "STARTED", 5, 1}, {"Web shop", "sessions", "STARTED", 2, 14},
	} {
		if len(projects) == 0 || projects[len(projects)-1].Name != invented.project {
			projects = append(projects, emulator.Project{ID: fmt.Sprintf("64f0c2a19b3d5e7f80a1b2%02x", i), Name: invented.project})
		}
		cluster := emulator.Cluster{
			ID: fmt.Sprintf("650a000000000000000000%02x", i), Name: invented.cluster, TypeName: "REPLICA_SET",
			SnapshotSchedule: schedule,
		}
		if invented.status != "" {
			cluster.BackupConfig = object{"statusName": invented.status}
		}
		newest := start.Add(-time.Duration(invented.hours) * time.Hour)
		cluster.Snapshots = invention(newest, invented.months)
		last := &projects[len(projects)-1]
		last.Clusters = append(last.Clusters, cluster)
	}
	shot := filepath.Join(t.TempDir(), "shot.png")
	page := framed(makeReport(t, start, projects, ""), pictureHeight, 1080, 390)
	browse(t, page, "--hide-scrollbars", fmt.Sprintf("--window-size=%d,%d", pictureWidth, pictureHeight), "--screenshot="+shot)
	file, err := os.Open(shot)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	drawn, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	// With 16 shades of red, green and blue, the file has half the size.
	small := image.NewPaletted(drawn.Bounds(), nil)
	shade := func(v uint32) uint8 { return uint8((v*15+0x7fff)/0xffff) * 17 }
	for y := range drawn.Bounds().Dy() {
		for x := range drawn.Bounds().Dx() {
			r, g, b, _ := drawn.At(x, y).RGBA()
			rounded := color.RGBA{shade(r), shade(g), shade(b), 0xff}
			i := slices.Index(small.Palette, color.Color(rounded))
			if i < 0 {
				i = len(small.Palette)
				small.Palette = append(small.Palette, rounded)
			}
			small.SetColorIndex(x, y, uint8(i))
		}
	}
	written, err := os.Create(picture)
	if err != nil {
		t.Fatal(err)
	}
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := errors.Join(encoder.Encode(written, small), written.Close()); err != nil {
		t.Fatal(err)
	}
}

// WCAG requires a contrast of 4.5 for text.
func TestColorsOfTheReportHaveEnoughContrast(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(examples + "/report/report.html.tftpl")
	if err != nil {
		t.Fatal(err)
	}
	schemes := regexp.MustCompile(`:root \{ (--page.*?) \}`).FindAllStringSubmatch(string(text), -1)
	if len(schemes) != 2 {
		t.Fatalf("found %d color schemes", len(schemes))
	}
	for _, scheme := range schemes {
		colors := map[string]float64{}
		for _, color := range regexp.MustCompile(`--(\w+): #(\w{6})`).FindAllStringSubmatch(scheme[1], -1) {
			colors[color[1]] = luminance(t, color[2])
		}
		for _, name := range []string{"text", "faint", "bad", "good"} {
			light, dark := max(colors["page"], colors[name]), min(colors["page"], colors[name])
			if contrast := (light + 0.05) / (dark + 0.05); contrast < 4.5 {
				t.Errorf("--%s has a contrast of %.1f with --page in %s", name, contrast, scheme[1])
			}
		}
	}
}

// luminance returns the relative luminance of a color, as WCAG defines it.
func luminance(t *testing.T, color string) (sum float64) {
	t.Helper()
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		part, err := strconv.ParseUint(color[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(part) / 255
		if c <= 0.04045 {
			sum += weight * c / 12.92
		} else {
			sum += weight * math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return sum
}

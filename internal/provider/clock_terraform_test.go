package provider_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

// The clock of the emulator is two years ahead, and so are the times that it returns. They are
// returned to Terraform as if they were those of today, because the clock of this machine can't be
// changed. So a time in the seed that does not move with the clock is two years old.
func TestExamplesAndDemoWorkInTwoYears(t *testing.T) {
	t.Parallel()
	cli := providertest.CLI(t)
	for path, command := range map[string]string{
		examples + "/compliance":    "test",
		examples + "/restore-drill": "test",
		"../tools/demo":             "apply",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			if command == "test" && cli.Version.LessThan(testCommand) {
				t.Skipf("terraform test requires Terraform %s; this is %s %s", testCommand, cli.Name, cli.Version)
			}
			today := time.Now()
			then := today.AddDate(2, 0, 0)
			ahead := then.Sub(today)
			service := emulator.New(emulator.Options{Now: stopped(then)})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				recorded := providertest.Record(r, service)
				recorded.Header().Del("Content-Length")
				providertest.Send(w, recorded, []byte(earlier(t, recorded.Body.String(), ahead)))
			}))
			t.Cleanup(server.Close)
			w := openExample(t, cli, "OPSMANAGER_BASE_URL="+server.URL)
			if err := os.CopyFS(w.Dir, os.DirFS(path)); err != nil {
				t.Fatal(err)
			}
			w.Init()
			if command == "test" {
				if printed := w.MustRun("test"); !strings.Contains(printed, "Success!") {
					t.Errorf("no test ran:\n%s", printed)
				}
				return
			}
			if printed := w.MustRun("apply", "-auto-approve"); strings.Contains(printed, "Expired") ||
				!strings.Contains(printed, "1 imported, 2 added, 1 changed") {
				t.Errorf("printed\n%s", printed)
			}
			w.MustRun("plan", "-detailed-exitcode")
		})
	}
}

var (
	isoTime     = regexp.MustCompile(`"\d{4}-\d\d-\d\dT[\d:]+Z"`)
	unixSeconds = regexp.MustCompile(`"time": ?\d+`)
)

// earlier returns a response with earlier times.
func earlier(t *testing.T, body string, by time.Duration) string {
	body = isoTime.ReplaceAllStringFunc(body, func(found string) string {
		at, err := time.Parse(time.RFC3339, strings.Trim(found, `"`))
		if err != nil {
			t.Error(err)
		}
		return at.Add(-by).Format(`"` + time.RFC3339 + `"`)
	})
	return unixSeconds.ReplaceAllStringFunc(body, func(found string) string {
		unix, err := strconv.ParseInt(strings.Trim(found, `"time: `), 10, 64)
		if err != nil {
			t.Error(err)
		}
		return `"time":` + strconv.FormatInt(unix-int64(by/time.Second), 10)
	})
}

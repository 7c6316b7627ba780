package tf_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

func TestRepeatedCauseKeepsWhatIsSpecialAboutAnError(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch {
			panic(http.ErrAbortHandler) // without a response
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	address, err := opsmanager.ParseBaseURL(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := opsmanager.NewClient(opsmanager.Config{BaseURL: address, MaxRetries: 1, RetryWaitMin: time.Millisecond})
	_, read := client.Project(t.Context(), "64f0c2a19b3d5e7f80a1b2c3")
	_, change := client.UpdateSnapshotSchedule(
		t.Context(), "64f0c2a19b3d5e7f80a1b2c3", "650a1f3c2e4b6d8091a3b5c7",
		opsmanager.SnapshotSchedule{DailySnapshotRetentionDays: new(int64(7))},
	)
	if text := tf.Failure("Unable", read).Detail(); !strings.Contains(text, "503") {
		t.Errorf("the first error is %q", text)
	}
	const repeated = "Ops Manager can't be reached, as another error of this run explains."
	for want, err := range map[string]error{repeated: read, repeated + "\n\n" + tf.MayHaveChanged: change} {
		if got := tf.Failure("Unable", err).Detail(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

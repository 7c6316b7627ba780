package backups

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestTheNextStepLeadsToTheStatus(t *testing.T) {
	t.Parallel()
	const started, stopped, inactive, provisioning, terminating = opsmanager.StatusStarted, opsmanager.StatusStopped, opsmanager.StatusInactive, opsmanager.StatusProvisioning, opsmanager.StatusTerminating
	for _, test := range []struct {
		status, wanted string
		want           step
	}{
		{inactive, started, start},
		{stopped, started, start},
		{started, started, done},
		{provisioning, started, wait},
		{terminating, started, wait},

		{started, stopped, stop},
		{stopped, stopped, done},
		{provisioning, stopped, wait},
		{inactive, stopped, impossible},
		{terminating, stopped, impossible},

		{started, inactive, stop},
		{stopped, inactive, terminate},
		{terminating, inactive, wait},
		{provisioning, inactive, wait},
		{inactive, inactive, done},

		{"PAUSED", started, impossible},
		{"PAUSED", stopped, impossible},
		{"PAUSED", inactive, impossible},
		{"", started, impossible},
	} {
		if got := nextStep(test.status, test.wanted); got != test.want {
			t.Errorf("from %q to %s: step %d, want %d", test.status, test.wanted, got, test.want)
		}
	}
}

func TestABackupThatDoesNotReachAStatusSaysWhatToCheck(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		failed statusError
		says   []string
	}{
		"approval":        {statusError{"STARTED", "PROVISIONING", 20 * time.Minute, context.DeadlineExceeded}, []string{"still PROVISIONING after 20m0s", "snapshot store", "approval", "Apply again"}},
		"a slow stop":     {statusError{"STOPPED", "STARTED", time.Minute, context.DeadlineExceeded}, []string{"is not STOPPED after 1m0s", "Apply again", "timeouts"}},
		"a short wait":    {statusError{"INACTIVE", "", 40 * time.Millisecond, context.DeadlineExceeded}, []string{"is not INACTIVE after 40ms: Ops Manager did not return its status."}},
		"an unread start": {statusError{"STARTED", "", 40 * time.Millisecond, context.DeadlineExceeded}, []string{"is not STARTED after 40ms: Ops Manager did not return its status."}},
		"an interruption": {statusError{"STARTED", "PROVISIONING", time.Second, context.Canceled}, []string{"interrupted", "Apply again"}},
		"missing stores": {
			statusError{"STARTED", "INACTIVE", time.Second, &opsmanager.Error{Status: http.StatusInternalServerError, Code: "UNEXPECTED_ERROR", Document: true, Method: http.MethodPatch}},
			[]string{"UNEXPECTED_ERROR", "snapshot store", "backup module"},
		},
		"nothing to stop":   {statusError{"STOPPED", "INACTIVE", 0, errNoWay}, []string{"is INACTIVE", "Only a backup that is STARTED can be stopped"}},
		"no status":         {statusError{"STARTED", "", 0, errNoWay}, []string{"did not return the status"}},
		"an unknown status": {statusError{"STARTED", "PAUSED\x1b[31m", 0, errNoWay}, []string{"is PAUSED", "no request that makes it STARTED"}},
	} {
		said := test.failed.diagnostic("Unable to Start", "650a1f3c2e4b6d8091a3b5c7", "Apply")
		for _, want := range test.says {
			if !strings.Contains(said.Detail(), want) {
				t.Errorf("%s: %q is not in %q", name, want, said.Detail())
			}
		}
		if strings.Contains(said.Detail(), "\x1b") {
			t.Errorf("%s: an escape sequence is in %q", name, said.Detail())
		}
		if !errors.Is(&test.failed, test.failed.err) {
			t.Errorf("%s: the cause is lost", name)
		}
	}
}

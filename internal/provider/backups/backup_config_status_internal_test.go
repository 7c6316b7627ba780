package backups

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestTheNextStepLeadsToTheStatus(t *testing.T) {
	t.Parallel()
	const (
		started      = opsmanager.StatusStarted
		stopped      = opsmanager.StatusStopped
		inactive     = opsmanager.StatusInactive
		provisioning = opsmanager.StatusProvisioning
		terminating  = opsmanager.StatusTerminating
	)
	for _, test := range []struct {
		status, wanted string
		want           transition
	}{
		{inactive, started, start},
		{stopped, started, start},
		{started, started, noRequest},
		{provisioning, started, wait},
		{terminating, started, wait},

		{started, stopped, stop},
		{stopped, stopped, noRequest},
		{provisioning, stopped, wait},
		{inactive, stopped, impossible},
		{terminating, stopped, impossible},

		{started, inactive, stop},
		{stopped, inactive, terminate},
		{terminating, inactive, wait},
		{provisioning, inactive, wait},
		{inactive, inactive, noRequest},

		{"PAUSED", started, impossible},
		{"PAUSED", stopped, impossible},
		{"PAUSED", inactive, impossible},
		{"", started, impossible},
	} {
		if got := nextTransition(test.status, test.wanted); got != test.want {
			t.Errorf("from %q to %s: transition %q, want %q", test.status, test.wanted, got, test.want)
		}
	}
}

func TestABackupThatDoesNotReachAStatusSaysWhatToCheck(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		failed statusError
		says   []string
	}{
		"approval": {
			statusError{wanted: "STARTED", status: "PROVISIONING", waited: 20 * time.Minute, err: context.DeadlineExceeded},
			[]string{"still PROVISIONING after 20m0s", "snapshot store", "approval", "Apply again"},
		},
		"missing modules": {
			statusError{
				wanted: "STARTED", status: "PROVISIONING", waited: 20 * time.Minute, err: context.DeadlineExceeded,
				lacking: []string{"db1.example.com", "db2.example.com"},
			},
			[]string{
				"does not run on these hosts of the cluster:\n  - db1.example.com\n  - db2.example.com\n\nActivate it, ",
				"for example with opsmanager_backup_module.",
				"still does not start: check in Ops Manager", "Apply again",
			},
		},
		"a slow stop": {
			statusError{wanted: "STOPPED", status: "STARTED", waited: time.Minute, err: context.DeadlineExceeded},
			[]string{"is not STOPPED after 1m0s", "Apply again", "timeouts"},
		},
		"a short wait": {
			statusError{wanted: "INACTIVE", waited: 40 * time.Millisecond, err: context.DeadlineExceeded},
			[]string{"is not INACTIVE after 40ms: Ops Manager did not return its status."},
		},
		"an unread start": {
			statusError{wanted: "STARTED", waited: 40 * time.Millisecond, err: context.DeadlineExceeded},
			[]string{"is not STARTED after 40ms: Ops Manager did not return its status."},
		},
		"an interruption": {
			statusError{wanted: "STARTED", status: "PROVISIONING", waited: time.Second, err: context.Canceled},
			[]string{"interrupted", "Apply again"},
		},
		"missing stores": {
			statusError{
				wanted: "STARTED", status: "INACTIVE", waited: time.Second,
				err: &opsmanager.Error{Status: http.StatusInternalServerError, Code: "UNEXPECTED_ERROR", Document: true, Method: http.MethodPatch},
			},
			[]string{"UNEXPECTED_ERROR", "snapshot store", "backup module"},
		},
		"nothing to stop": {
			statusError{wanted: "STOPPED", status: "INACTIVE", err: errNoWay},
			[]string{"is INACTIVE", "Only a backup that is STARTED can be stopped"},
		},
		"no status": {statusError{wanted: "STARTED", err: errNoWay}, []string{"did not return the status"}},
		"an unknown status": {
			statusError{wanted: "STARTED", status: "PAUSED\x1b[31m", err: errNoWay},
			[]string{"is PAUSED", "no request that makes it STARTED"},
		},
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
	}
}

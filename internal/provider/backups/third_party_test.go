package backups_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/providertest"
)

var thirdPartyOptions = emulator.Options{ThirdPartyBackup: true, TransitionReads: -1}

func TestABackupThatAnotherProductTakesOverWhileItIsStoppedIsNotTerminated(t *testing.T) {
	t.Parallel()
	var s *providertest.Service
	options := thirdPartyOptions
	options.OnRequest = func(r emulator.Request) {
		if r.Method == http.MethodPatch && r.Authenticated {
			s.SetThirdPartyBackup(payments, cards, "ACTIVE")
		}
	}
	s = providertest.StartService(t, options)
	r := backupConfigOn(t, s)
	r.MustApply(backupConfig(cards, terminates))
	providertest.WantEach(t, r.Destroy().Errors(), []string{"Cluster Backed Up by Another Product"}, []string{"Backup of Cluster cards", "Is Stopped"})
	if sent := fmt.Sprint(s.Sent("PATCH", "")); strings.Contains(sent, "TERMINATING") || !strings.Contains(sent, "STOPPED") {
		t.Errorf("sent %s", sent)
	}
}

func TestStateOfABackupThatAnotherProductTookOverCanBeKept(t *testing.T) {
	t.Parallel()
	s, r := startBackupConfig(t, thirdPartyOptions)
	config := backupConfig(cards, terminates)
	r.MustApply(config)
	s.SetThirdPartyBackup(payments, cards, "ACTIVE")
	r.Configure()
	r.MustBeSettled(config)
	r.Apply(r.Plan(backupConfig(cards, nil)), nil).WantNoErrors(t)
	if diags := r.Destroy(); len(diags.Errors()) > 0 || len(s.Writes()) > 0 {
		t.Errorf("got %q, sent %q", diags.Errors(), s.Writes())
	}
}

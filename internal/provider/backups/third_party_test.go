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
			s.SetThirdPartyBackup(providertest.Payments, providertest.Cards, "ACTIVE")
		}
	}
	s = providertest.StartService(t, options)
	r := providertest.NewWorkspace(t, s, nil).NewResource(providertest.BackupConfigType)
	r.MustApply(backupConfig(providertest.Cards, providertest.Values{"on_destroy": "terminate"}))
	providertest.WantOne(t, r.Destroy().Errors(), "Cluster Backed Up by Another Product")
	if sent := fmt.Sprint(s.Sent("PATCH", "")); strings.Contains(sent, "TERMINATING") || !strings.Contains(sent, "STOPPED") {
		t.Errorf("sent %s", sent)
	}
}

func TestStateOfABackupThatAnotherProductTookOverCanBeKept(t *testing.T) {
	t.Parallel()
	s, r := providertest.StartResource(t, providertest.BackupConfigType, thirdPartyOptions)
	config := backupConfig(providertest.Cards, providertest.Values{"on_destroy": "terminate"})
	r.MustApply(config)
	s.SetThirdPartyBackup(providertest.Payments, providertest.Cards, "ACTIVE")
	r.Configure()
	r.MustBeSettled(config)
	if diags := r.Apply(r.Plan(backupConfig(providertest.Cards, nil)), nil); len(diags.Errors()) > 0 {
		t.Fatal(diags.Errors())
	}
	if diags := r.Destroy(); len(diags.Errors()) > 0 || len(s.Writes()) > 0 {
		t.Errorf("got %q, sent %q", diags.Errors(), s.Writes())
	}
}

package backups_test

import (
	"strings"
	"testing"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

func TestATaintedBackupConfigEndsNoBackup(t *testing.T) {
	t.Parallel()
	for _, onDestroy := range []string{"stop", "terminate"} {
		s, r := newBackupConfig(t, emulator.Options{})
		config := backupConfig(providertest.Cards, providertest.Values{"on_destroy": onDestroy})
		r.Create(config)
		r.Tainted = true
		r.Configure()
		r.Refresh()
		providertest.WantOne(t, r.Plan(backupConfig(providertest.Cards, providertest.Values{"on_destroy": "keep"})).Errors(), "[on_destroy]", providertest.Cards, "terraform untaint")
		wantSent(t, s, providertest.Cards)
	}
}

func TestATaintedBackupConfigThatKeepsItsBackupIsReplaced(t *testing.T) {
	t.Parallel()
	_, r := newBackupConfig(t, emulator.Options{})
	config := backupConfig(providertest.Cards, nil)
	r.Create(config)
	r.Tainted = true
	r.Configure()
	r.Refresh()
	if errors := r.Plan(config).Errors(); len(errors) > 0 {
		t.Errorf("refused: %q", errors)
	}
}

func TestARenamedBackupConfigEndsNoBackup(t *testing.T) {
	t.Parallel()
	_, old := newBackupConfig(t, emulator.Options{})
	old.Create(backupConfig(providertest.Cards, providertest.Values{"on_destroy": "terminate"}))
	renamed := old.NewResource(providertest.BackupConfigType)
	keep := backupConfig(strings.ToUpper(providertest.Cards), nil)
	for name, plan := range map[string]func() []string{
		"refreshed":     func() []string { old.Refresh(); return renamed.Plan(keep).Errors() },
		"destroy first": func() []string { old.Plan(nil); return renamed.Plan(keep).Errors() },
		"create first":  func() []string { renamed.Plan(keep); return old.Plan(nil).Errors() },
	} {
		old.Configure()
		if errors := plan(); len(errors) != 1 {
			t.Errorf("%s: %q", name, errors)
		} else {
			providertest.WantContains(t, strings.ToLower(errors[0]), "[on_destroy]", providertest.Cards, "moved block")
		}
	}
}

func TestADeposedBackupConfigEndsNoBackup(t *testing.T) {
	t.Parallel()
	_, current := newBackupConfig(t, emulator.Options{})
	config := backupConfig(providertest.Cards, providertest.Values{"on_destroy": "terminate"})
	current.Create(config)
	deposed := current.NewResource(providertest.BackupConfigType)
	deposed.State, deposed.Private, deposed.Identity = current.State, current.Private, current.Identity
	current.Configure()
	current.Refresh()
	deposed.Refresh()
	current.Plan(config)
	providertest.WantOne(t, deposed.Plan(nil).Errors(), "[on_destroy]", providertest.Cards, "deposed")
}

func TestABackupConfigThatIsGoneIsPlannedAgain(t *testing.T) {
	t.Parallel()
	s, r := newBackupConfig(t, emulator.Options{})
	config := backupConfig(providertest.Cards, providertest.Values{"on_destroy": "terminate"})
	r.Create(config)
	s.RemoveCluster(providertest.Payments, providertest.Cards)
	r.Configure()
	r.Refresh()
	providertest.WantNoState(t, r)
	if errors := r.Plan(config).Errors(); len(errors) > 0 {
		t.Errorf("refused: %q", errors)
	}
}

func TestADestroyTerminatesOnce(t *testing.T) {
	t.Parallel()
	s, r := newBackupConfig(t, emulator.Options{TransitionReads: 1000})
	r.Create(backupConfig(providertest.Ledger, providertest.Values{"on_destroy": "terminate", "timeouts": providertest.Values{"delete": "2s"}}))
	r.Configure()
	restarted := make(chan struct{})
	go func() {
		defer close(restarted)
		for len(sent(s, providertest.Ledger)) < 2 {
			time.Sleep(time.Millisecond)
		}
		s.SetBackupStatus(providertest.Payments, providertest.Ledger, "INACTIVE")
		s.SetBackupStatus(providertest.Payments, providertest.Ledger, "STARTED") // someone else starts a new backup
	}()
	diags := r.Apply(r.Plan(nil), nil)
	select {
	case <-restarted:
	case <-time.After(5 * time.Second):
		t.Fatalf("sent %q: %v", sent(s, providertest.Ledger), diags.Errors())
	}
	providertest.WantOne(t, diags.Errors(), providertest.Ledger, "does not repeat")
	wantSent(t, s, providertest.Ledger, `{"statusName":"STOPPED"}`, `{"statusName":"TERMINATING"}`)
}

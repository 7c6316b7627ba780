package provider_test

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
)

var emulatorKey = map[string]string{"OPSMANAGER_PUBLIC_KEY": emulator.DefaultPublicKey, "OPSMANAGER_PRIVATE_KEY": emulator.DefaultPrivateKey}

func TestRehearsalRefusesOtherMachines(t *testing.T) {
	t.Parallel()
	for value, refuses := range map[string]bool{
		"1": true, "true": true, "TRUE": true, "yes": true, "on": true, "2": true, "flase": true, " ": true, "disabled": true,
		"": false, "0": false, "false": false, "False": false, "no": false, "off": false, " off ": false,
	} {
		environment := maps.Clone(emulatorKey)
		environment["OPSMANAGER_REHEARSAL"] = value
		_, diags := configure(t, environment, values{"base_url": "https://opsmanager.example.com:8443"})
		if !refuses {
			if len(diags.Errors()) > 0 {
				t.Errorf("%q: %q", value, diags.Errors())
			}
			continue
		}
		diags.WantError(
			t, "[base_url]", "Not in a Rehearsal", "opsmanager.example.com:8443 is not this machine", "rehearsal_override.tf",
			"OPSMANAGER_REHEARSAL",
		)
	}
}

func TestRehearsalKnowsThisMachine(t *testing.T) {
	t.Parallel()
	for address, isAllowed := range map[string]bool{
		"http://127.0.0.1:8080":               true,
		"http://127.8.9.10:8080":              true,
		"http://localhost:8080":               true,
		"http://LOCALHOST:8080":               true,
		"https://[::1]:8080":                  true,
		"http://[::ffff:127.0.0.1]:8080":      true,
		"http://0.0.0.0:8080":                 false,
		"http://[::]:8080":                    false,
		"http://192.0.2.1:8080":               false,
		"http://localhost.example.com:8080":   false,
		"http://127.0.0.1.example.com:8080":   false,
		"http://127.1:8080":                   false,
		"http://opsmanager:8080":              false,
		"http://[::ffff:192.0.2.1]:8080":      false,
		"http://2130706433:8080":              false,
		"https://opsmanager.example.com:8443": false,
	} {
		environment := maps.Clone(emulatorKey)
		environment["OPSMANAGER_REHEARSAL"] = "1"
		environment["OPSMANAGER_BASE_URL"] = address
		if _, diags := configure(t, environment, nil); len(diags.Errors()) == 0 != isAllowed {
			t.Errorf("%s: %q", address, diags.Errors())
		}
	}
}

// A tunnel on this machine may lead to a real Ops Manager, so its key pair must not be used.
func TestRehearsalUsesOnlyTheKeyPairOfTheEmulator(t *testing.T) {
	t.Parallel()
	const public, private = "vbdkdrqi", "4c5b8e0f-93d2-4a67-b1fe-0a7c2d6e9f31"
	const address = "https://localhost:8443"
	for _, settings := range []values{
		{"base_url": address, "public_key": public, "private_key": private},
		{"base_url": address, "public_key": emulator.DefaultPublicKey, "private_key": private},
		{"base_url": address, "public_key": public, "private_key": emulator.DefaultPrivateKey},
		{"base_url": address}, // from the environment
	} {
		_, diags := configure(t, map[string]string{"OPSMANAGER_REHEARSAL": "1", "OPSMANAGER_PUBLIC_KEY": public, "OPSMANAGER_PRIVATE_KEY": private}, settings)
		diags.WantError(t, "Not the Key Pair of the Emulator", "public_key", "a tunnel to a real Ops Manager", "rehearsal_override.tf", "OPSMANAGER_REHEARSAL")
		if strings.Contains(fmt.Sprint(diags), private) {
			t.Error("the private key is printed")
		}
	}
}

// The emulator may have keys with roles.
func TestRehearsalUsesKeysWithRolesOfTheEmulator(t *testing.T) {
	t.Parallel()
	_, diags := configure(t, map[string]string{
		"OPSMANAGER_REHEARSAL":   "1",
		"OPSMANAGER_BASE_URL":    "https://localhost:8443",
		"OPSMANAGER_PUBLIC_KEY":  "emulator-payments",
		"OPSMANAGER_PRIVATE_KEY": emulator.DefaultPrivateKey,
	}, nil)
	if len(diags.Errors()) > 0 {
		t.Error(diags.Errors())
	}
}

// In another shell, the variable is missing.
func TestFolderOfARehearsalRefusesOtherMachines(t *testing.T) { //nolint:paralleltest // changes the working directory
	t.Chdir(t.TempDir())
	block := values{"base_url": "https://opsmanager.example.com:8443"}
	if _, diags := configure(t, emulatorKey, block); len(diags.Errors()) > 0 {
		t.Fatal(diags.Errors())
	}
	if err := os.WriteFile("rehearsal_override.tf", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{"", "0"} {
		environment := maps.Clone(emulatorKey)
		environment["OPSMANAGER_REHEARSAL"] = value
		_, diags := configure(t, environment, block)
		diags.WantError(t, "[base_url]", "Not in a Rehearsal", "this folder has a rehearsal_override.tf")
		environment["OPSMANAGER_PRIVATE_KEY"] = "4c5b8e0f-93d2-4a67-b1fe-0a7c2d6e9f31"
		_, diags = configure(t, environment, values{"base_url": "https://localhost:8443"})
		diags.WantError(t, "Not the Key Pair of the Emulator", "this folder has a rehearsal_override.tf")
	}
}

// Terraform changes to the folder of -chdir, and leaves PWD as it was. A shell keeps the path of a link in PWD.
func TestFoldersInsideARehearsalRefuseOtherMachines(t *testing.T) { //nolint:paralleltest // changes the working directory
	parent := t.TempDir()
	folder := func(names ...string) string {
		t.Helper()
		path := filepath.Join(append([]string{parent}, names...)...)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	rehearsal, outside, inside := folder("backups-rehearsal"), folder("backups"), folder("backups-rehearsal", "envs", "eu")
	if err := errors.Join(
		os.WriteFile(filepath.Join(rehearsal, "rehearsal_override.tf"), nil, 0o600),
		os.Symlink(outside, filepath.Join(rehearsal, "shared")),
		os.Symlink(inside, filepath.Join(parent, "link")),
	); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		here, shell string
		refuses     bool
	}{
		{inside, inside, true},
		{inside, outside, true}, // -chdir
		{inside, "", true},      // no shell
		{filepath.Join(parent, "link"), filepath.Join(parent, "link"), true},           // a link into it
		{filepath.Join(rehearsal, "shared"), filepath.Join(rehearsal, "shared"), true}, // a link out of it
		{outside, inside, true}, // -chdir=shared
		{outside, outside, false},
		{outside, "", false},
		{parent, parent, false},
	} {
		t.Chdir(c.here)
		environment := maps.Clone(emulatorKey)
		environment["PWD"] = c.shell
		_, diags := configure(t, environment, values{"base_url": "https://opsmanager.example.com:8443"})
		if !c.refuses {
			if len(diags.Errors()) > 0 {
				t.Errorf("%s in %s: %q", c.here, c.shell, diags.Errors())
			}
			continue
		}
		const title, because = "Inside of a Rehearsal", "inside of the rehearsal in "
		diags.WantError(t, title, because+rehearsal)
		_, diags = configure(
			t,
			map[string]string{"PWD": c.shell, "OPSMANAGER_PUBLIC_KEY": "vbdkdrqi", "OPSMANAGER_PRIVATE_KEY": "4c5b8e0f-93d2-4a67-b1fe-0a7c2d6e9f31"},
			values{"base_url": "https://localhost:8443"},
		)
		diags.WantError(t, title, because+rehearsal)
		// Also on the emulator: the configuration has a state of its own.
		_, diags = configure(t, environment, values{"base_url": "https://localhost:8443"})
		diags.WantError(t, title, because+rehearsal)
	}
}

// A proxy on this machine, too, may lead to another one.
func TestRehearsalUsesNoProxy(t *testing.T) {
	t.Parallel()
	var proxied atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		proxied.Add(1)
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(proxy.Close)
	server := httptest.NewServer(emulator.New(emulator.Options{}))
	t.Cleanup(server.Close)
	environment := maps.Clone(emulatorKey)
	environment["OPSMANAGER_REHEARSAL"] = "1"
	w, diags := configure(t, environment, values{"base_url": server.URL, "proxy_url": proxy.URL})
	diags.WantNoErrors(t)
	if err := reaches(w); err != nil || proxied.Load() > 0 {
		t.Errorf("%v, %d requests to the proxy", err, proxied.Load())
	}
}

// The name of this machine may resolve to another one, so the address of each connection counts.
func TestClientForThisMachineConnectsToNoOther(t *testing.T) {
	t.Parallel()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	tested := 0
	for _, address := range addresses {
		ip, _, err := net.ParseCIDR(address.String())
		if err != nil || ip.IsLoopback() || ip.IsLinkLocalUnicast() {
			continue
		}
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", net.JoinHostPort(ip.String(), "0"))
		if err != nil {
			continue
		}
		service := emulator.New(emulator.Options{})
		server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: service}} //nolint:gosec // in a test
		server.Start()
		t.Cleanup(server.Close)
		base, err := url.Parse(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		for only, want := range map[bool]bool{true: false, false: true} {
			service.ResetRequests()
			client := opsmanager.NewClient(opsmanager.Config{
				BaseURL: base, PublicKey: emulator.DefaultPublicKey, PrivateKey: emulator.DefaultPrivateKey, MaxRetries: 3,
				LoopbackOnly: only,
			})
			_, err := client.ListProjects(t.Context())
			if (err == nil) != want || (len(service.Requests()) > 0) != want {
				t.Errorf("LoopbackOnly %t: %v, %d requests", only, err, len(service.Requests()))
			}
		}
		tested++
	}
	if tested == 0 {
		t.Skip("this machine has no other address than the loopback ones")
	}
}

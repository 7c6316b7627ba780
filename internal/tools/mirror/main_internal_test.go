package main

import (
	"archive/zip"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
	"terraform-provider-opsmanager/internal/tools/certificates"
	"terraform-provider-opsmanager/internal/tools/tfcli"
)

func TestMain(m *testing.M) { providertest.Main(m) }

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMirrorKeepsWhatItHas(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "address")
	for _, one := range []struct{ version, platform, binary string }{
		{"0.1.0", "linux_amd64", "provider"}, {"0.1.0", "windows_amd64", "provider.exe"}, {"0.2.0", "linux_amd64", "provider"},
	} {
		binary := write(t, filepath.Join(t.TempDir(), one.binary), one.version+one.platform)
		for range 2 {
			if _, err := (mirror{dir, one.version}).add(one.platform, binary); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, want := range map[string][]string{
		"index.json": {`"0.1.0": {}`, `"0.2.0": {}`},
		"0.1.0.json": {`"linux_amd64"`, `"windows_amd64"`, `"url": "terraform-provider-opsmanager_0.1.0_windows_amd64.zip"`, `"zh:`},
		"0.2.0.json": {`"linux_amd64"`},
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		for _, part := range want {
			if err != nil || strings.Count(string(text), part) == 0 {
				t.Errorf("%s: %v, %s", name, err, text)
			}
		}
	}
	packed, err := zip.OpenReader(filepath.Join(dir, "terraform-provider-opsmanager_0.1.0_windows_amd64.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	file, err := packed.Open("terraform-provider-opsmanager_v0.1.0.exe")
	if err != nil {
		t.Fatal(err)
	}
	if content, err := io.ReadAll(file); err != nil || string(content) != "0.1.0windows_amd64" {
		t.Errorf("%q, %v", content, err)
	}
}

func TestTerraformInstallsFromTheMirror(t *testing.T) {
	t.Parallel()
	cli := providertest.CLI(t)
	const address = "example.com/backups/opsmanager"
	root := t.TempDir()
	_, plugins := providertest.InstalledProvider(t)
	platform := runtime.GOOS + "_" + runtime.GOARCH
	if _, err := (mirror{filepath.Join(root, address), "0.1.0"}).add(platform, cli.ProviderBinary(plugins)); err != nil {
		t.Fatal(err)
	}
	authority, err := certificates.NewAuthority("mirror")
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := authority.Server(certificates.Lifetime, "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.FileServer(http.Dir(root)))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	server.StartTLS()
	t.Cleanup(server.Close)
	trusted := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.Leaf.Raw}))
	for kind, method := range map[string]string{
		"a filesystem mirror": fmt.Sprintf("filesystem_mirror {\n    path = %q\n  }", filepath.ToSlash(root)),
		"a network mirror":    fmt.Sprintf("network_mirror {\n    url = %q\n  }", server.URL+"/"),
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			settings := write(t, filepath.Join(dir, "cli.tfrc"), "provider_installation {\n  "+method+"\n}\n")
			w := providertest.Folder{T: t, Workspace: tfcli.Workspace{CLI: cli, Dir: dir, Env: []string{
				"TF_CLI_ARGS=-no-color", "TF_CLI_CONFIG_FILE=" + settings, "SSL_CERT_FILE=" + write(t, filepath.Join(dir, "ca.pem"), trusted),
			}}}
			w.Write("main.tf", fmt.Sprintf("terraform {\n  required_providers {\n    opsmanager = {\n      source = %q\n    }\n  }\n}\n", address))
			if printed := w.MustRun("init"); !strings.Contains(printed, "- Installed "+address+" v0.1.0") {
				t.Errorf("init printed %s", printed)
			}
			w.MustRun("validate")
		})
	}
}

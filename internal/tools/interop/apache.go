//go:build linux

package main

import (
	"context"
	"crypto/md5"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const apacheBinary = "/usr/sbin/apache2"

var apacheScenarios = []scenario{
	{server: "Apache httpd", name: "defaults", command: apache(""), mostChallenges: 1},
	{
		server:         "Apache httpd",
		name:           "nonces of one second",
		command:        apache("AuthDigestNonceLifetime 1"),
		pause:          20 * time.Millisecond,
		mostChallenges: calls / 10,
	},
	{
		server:         "Apache httpd",
		name:           "one-time nonces, whose nextnonce the client ignores",
		command:        apache("AuthDigestNonceLifetime 0"),
		mostChallenges: calls + 6*workers,
	},
	{server: "Apache httpd", name: "AuthDigestNcCheck On", command: apache("AuthDigestNcCheck On"), mostChallenges: 6 * workers},
	{
		server:         "Apache httpd",
		name:           "a restart in the middle",
		command:        apache(""),
		restarts:       true,
		mostChallenges: 6 * workers,
	},
}

// apache returns the command of a server with an additional directive of mod_auth_digest.
//
// Source: https://httpd.apache.org/docs/2.4/mod/mod_auth_digest.html
func apache(directive string) func(ctx context.Context, dir string, port int) (*exec.Cmd, error) {
	return func(ctx context.Context, dir string, port int) (*exec.Cmd, error) {
		account := fmt.Sprintf("%s:%s:%x\n", user, realm, md5.Sum([]byte(user+":"+realm+":"+password)))
		err := os.WriteFile(filepath.Join(dir, "accounts"), []byte(account), 0o644)
		if err != nil {
			return nil, err
		}
		config := fmt.Sprintf(`
ServerRoot %[1]q
ServerName localhost
Listen 127.0.0.1:%[2]d
PidFile httpd.pid
DefaultRuntimeDir %[1]q
ErrorLog error.log
LogFormat "%%>s" status
CustomLog answers.log status
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authn_core_module /usr/lib/apache2/modules/mod_authn_core.so
LoadModule authn_file_module /usr/lib/apache2/modules/mod_authn_file.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule authz_user_module /usr/lib/apache2/modules/mod_authz_user.so
LoadModule auth_digest_module /usr/lib/apache2/modules/mod_auth_digest.so
KeepAlive On
MaxKeepAliveRequests 0
DocumentRoot "%[1]s/files"
<Location "/">
  AuthType Digest
  AuthName %[3]q
  AuthUserFile accounts
  Require valid-user
  %[4]s
</Location>
`, dir, port, realm, directive)
		file := filepath.Join(dir, "httpd.conf")
		return exec.CommandContext(ctx, apacheBinary, "-f", file, "-DFOREGROUND"), os.WriteFile(file, []byte(config), 0o644)
	}
}

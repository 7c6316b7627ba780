//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const (
	javaBinary = "/usr/bin/java"
	jars       = "/usr/share/java"
	servletAPI = jars + "/servlet-api.jar"
)

var jettyScenarios = []scenario{
	{server: "Jetty", name: "defaults", command: jetty("60000", "1024"), mostChallenges: calls / 20},
	{
		server:         "Jetty",
		name:           "nonces of 150 ms",
		command:        jetty("150", "1024"),
		mostChallenges: workers,
		nonceAge:       150 * time.Millisecond,
	},
	{server: "Jetty", name: "nonces for one request", command: jetty("60000", "2"), mostChallenges: calls + 6*workers},
	{
		server:         "Jetty",
		name:           "a restart in the middle",
		command:        jetty("60000", "1024"),
		restarts:       true,
		mostChallenges: calls / 20,
	},
}

// jetty returns the command of a server whose DigestAuthenticator has a maximum age of
// nonces, in milliseconds, and a maximum nonce count. Jetty rejects the request that
// reaches the count: with 2, a nonce is valid for one request; with 1, for none.
//
// Source: https://javadoc.jetty.org/jetty-9/org/eclipse/jetty/security/authentication/DigestAuthenticator.html
func jetty(maxNonceAge, maxNonceCount string) func(ctx context.Context, dir string, port int) (*exec.Cmd, error) {
	return func(ctx context.Context, dir string, port int) (*exec.Cmd, error) {
		err := os.WriteFile(filepath.Join(dir, "accounts.properties"), []byte(user+": "+password+", api\n"), 0o644)
		if err != nil {
			return nil, err
		}
		config := fmt.Sprintf(`<?xml version="1.0"?>
<!DOCTYPE Configure PUBLIC "-//Jetty//Configure//EN" "http://www.eclipse.org/jetty/configure_9_3.dtd">
<Configure id="Server" class="org.eclipse.jetty.server.Server">
  <Call name="addConnector"><Arg>
    <New class="org.eclipse.jetty.server.ServerConnector">
      <Arg name="server"><Ref refid="Server"/></Arg>
      <Set name="host">127.0.0.1</Set>
      <Set name="port">%[2]d</Set>
    </New>
  </Arg></Call>
  <Set name="requestLog">
    <New class="org.eclipse.jetty.server.CustomRequestLog">
      <Arg>
        <New class="org.eclipse.jetty.server.RequestLogWriter">
          <Arg>%[1]s/answers.log</Arg>
          <Set name="append">true</Set>
        </New>
      </Arg>
      <Arg>%%s</Arg>
    </New>
  </Set>
  <Set name="handler">
    <New class="org.eclipse.jetty.security.ConstraintSecurityHandler">
      <Set name="realmName">%[3]s</Set>
      <Set name="loginService">
        <New class="org.eclipse.jetty.security.HashLoginService">
          <Set name="name">%[3]s</Set>
          <Set name="config">%[1]s/accounts.properties</Set>
        </New>
      </Set>
      <Set name="authenticator">
        <New class="org.eclipse.jetty.security.authentication.DigestAuthenticator">
          <Set name="maxNonceAge">%[4]s</Set>
          <Set name="maxNonceCount">%[5]s</Set>
        </New>
      </Set>
      <Call name="addConstraintMapping"><Arg>
        <New class="org.eclipse.jetty.security.ConstraintMapping">
          <Set name="pathSpec">/*</Set>
          <Set name="constraint">
            <New class="org.eclipse.jetty.util.security.Constraint">
              <Set name="authenticate">true</Set>
              <Set name="roles"><Array type="String"><Item>api</Item></Array></Set>
            </New>
          </Set>
        </New>
      </Arg></Call>
      <Set name="handler">
        <New class="org.eclipse.jetty.server.handler.ResourceHandler">
          <Set name="resourceBase">%[1]s/files</Set>
        </New>
      </Set>
    </New>
  </Set>
</Configure>
`, dir, port, realm, maxNonceAge, maxNonceCount)
		classes := servletAPI
		for _, part := range []string{"server", "security", "http", "io", "util", "util-ajax", "xml"} {
			classes += ":" + filepath.Join(jars, "jetty9-"+part+".jar")
		}
		file := filepath.Join(dir, "jetty.xml")
		return exec.CommandContext(ctx, javaBinary, "-cp", classes, "org.eclipse.jetty.xml.XmlConfiguration", file), os.WriteFile(file, []byte(config), 0o644)
	}
}

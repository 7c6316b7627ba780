package provider_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider"
	"terraform-provider-opsmanager/internal/serve"
	"terraform-provider-opsmanager/internal/tfcli"
)

// testService is an emulator of one test's own, and the address it answers at.
type testService struct {
	*emulator.Emulator
	URL string
}

func startService(t *testing.T, options emulator.Options) *testService {
	t.Helper()
	e := emulator.New(options)
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	return &testService{Emulator: e, URL: server.URL}
}

// services are what the operations that every service documents are tested on.
var services = []emulator.Options{
	{Profile: emulator.Full},
	{Profile: emulator.Documented},
	{Profile: emulator.Documented, UnknownRoutes: emulator.GoText},
	{Profile: emulator.Documented, UnknownRoutes: emulator.NginxPage},
}

// config returns a configuration that begins with the provider's.
func (s *testService) config(body string) string {
	return fmt.Sprintf(`
provider "opsmanager" {
  base_url    = %q
  public_key  = %q
  private_key = %q
}
%s`, s.URL, emulator.DefaultPublicKey, emulator.DefaultPrivateKey, body)
}

// providers serves the provider within the test's process. Its environment is
// empty, whatever the machine's is, and it is in a hurry.
func providers() map[string]func() (tfprotov6.ProviderServer, error) {
	options := provider.Options{
		Getenv:       func(string) string { return "" },
		RetryWaitMin: time.Millisecond,
		RetryWaitMax: longestWait,
		SettleTime:   400 * time.Millisecond,
	}
	return map[string]func() (tfprotov6.ProviderServer, error){
		"opsmanager": func() (tfprotov6.ProviderServer, error) {
			return serve.Printable(providerserver.NewProtocol6(provider.NewWithOptions("test", options)())()), nil
		},
	}
}

// longestWait is how long the provider waits for a retry, whatever Retry-After
// asks.
const longestWait = 50 * time.Millisecond

// terraform runs the steps with real Terraform or OpenTofu. After each step that
// applies, the test fails where the next plan is not empty.
func terraform(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{
		IsUnitTest:               true, // the emulator is all it takes
		ProtoV6ProviderFactories: providers(),
		Steps:                    steps,
	})
}

// sent returns the bodies of the requests of a method whose path ends so, each
// one answered.
func (s *testService) sent(method, pathEnd string) []string {
	var bodies []string
	for _, r := range s.Requests() {
		if r.Authenticated && r.Method == method && strings.HasSuffix(r.Path, pathEnd) {
			bodies = append(bodies, string(r.Body))
		}
	}
	return bodies
}

// afterPlan is called between the plan of a step and its apply.
type afterPlan func()

func (f afterPlan) CheckPlan(context.Context, plancheck.CheckPlanRequest, *plancheck.CheckPlanResponse) {
	f()
}

// afterApply is called after the apply of a step, before the next plan.
type afterApply func()

func (f afterApply) CheckState(context.Context, statecheck.CheckStateRequest, *statecheck.CheckStateResponse) {
	f()
}

// installedProvider returns the Terraform that is here, and the folder of a
// mirror with the provider's binary.
func installedProvider(t *testing.T) (cli tfcli.CLI, plugins string) {
	t.Helper()
	cli, err := tfcli.Find(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plugins = t.TempDir()
	if err := tfcli.BuildProvider(t.Context(), plugins); err != nil {
		t.Fatal(err)
	}
	return cli, plugins
}

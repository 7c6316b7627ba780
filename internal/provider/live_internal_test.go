package provider

import "terraform-provider-opsmanager/internal/opsmanager"

// ClientFromEnvironment returns the client of a provider that is configured by the environment
// only, for tests that call Ops Manager directly.
func ClientFromEnvironment(getenv func(string) string) (*opsmanager.Client, error) {
	config, _, err := FromEnvironment(getenv)
	if err != nil {
		return nil, err
	}
	return opsmanager.NewClient(config), nil
}

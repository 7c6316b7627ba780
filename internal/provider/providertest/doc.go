// Package providertest has what the tests of the provider's packages share: a
// provider that runs in the test's process, services and the ways in which they
// fail, certificates, checks, and the conformance suite.
//
// The conformance suite attacks every resource in the ways that Terraform, people
// and servers do. Its tests are the functions whose names begin with Check. They hold
// each step to two laws:
//
//   - An apply changes what its plan showed, and nothing else.
//   - The next plan is empty, or shows exactly what is left to do.
//
// A resource takes part with a Registration for each configuration to attack.
//
// Only external test packages may import this package, because it imports the
// provider.
package providertest

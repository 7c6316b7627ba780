// Package providertest contains the code that the tests of the provider's packages share: a
// provider in the process of the test, services and their faults, certificates, checks, and the
// conformance suite.
//
// The conformance suite tests each resource with the actions and failures that Terraform, users and
// servers may cause. Its tests are the functions whose names begin with Check. They check two rules
// after each step:
//
//   - An apply makes the changes that its plan showed, and no others.
//   - The next plan is empty, or shows exactly the changes that are left.
//
// A resource takes part with a Registration for each configuration to test.
//
// Only external test packages may import this package, because it imports the
// provider.
package providertest

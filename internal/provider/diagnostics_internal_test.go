package provider

import (
	"terraform-provider-opsmanager/internal/provider/diagnostics"
)

// AdviceTopics are the codes and statuses that there is advice on, for the tests
// that meet each of them through the whole provider.
func AdviceTopics() []string { return diagnostics.Topics() }

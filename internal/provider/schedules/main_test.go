package schedules_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

// values are the attributes of a configuration, a plan or a state.
type values = providertest.Values

// object is a JSON object of the API.
type object = map[string]any

const (
	payments = providertest.Payments
	cards    = providertest.Cards
	ledger   = providertest.Ledger
	orders   = providertest.Orders
)

// scheduleOf returns the configuration of the schedule of a cluster in Payments.
var scheduleOf = providertest.Schedule

// unknown is a value that is known only after the apply.
var unknown = providertest.Unknown

// Settings of a policy and of a schedule.
var (
	guard   = values{"retention_protection": true}
	minimum = values{"retention_mode": "minimum"}
)

// kinds return the configuration of each kind of resource that sets the schedule of a cluster.
var kinds = map[string]func(cluster string, fields values) values{
	"schedule":           scheduleOf,
	"policy":             func(cluster string, fields values) values { return policy(fields, only(cluster)) },
	"policy that raises": func(cluster string, fields values) values { return policy(fields, only(cluster).With(minimum)) },
}

// newResource returns a resource of the kind of a configuration.
func newResource(w *providertest.Workspace, config values) *providertest.Resource {
	if config["project_ids"] != nil {
		return w.NewResource(providertest.PolicyType)
	}
	return w.NewResource(providertest.ScheduleType)
}

// setDaily sets the daily retention of a cluster outside Terraform.
func setDaily(s *providertest.Service, cluster string, days any) {
	s.SetSchedule(payments, cluster, object{"dailySnapshotRetentionDays": days})
}

func TestMain(m *testing.M) { providertest.Main(m) }

package daemons_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

const jobConfigPath = "/admin/backup/groups/" + payments

func TestOperationsOfAJobConfigurationSurviveEveryFault(t *testing.T) {
	t.Parallel()
	providertest.CheckOperations(t,
		providertest.Operation{Name: "creating a job configuration, its read", Sends: []string{"GET", "GET", "PUT", "GET"}, Hits: 0,
			Fails: []string{"Unable to Create Backup Job Configuration", "GET " + jobConfigPath}, Prepare: createJobConfig},
		providertest.Operation{Name: "creating a job configuration", Creates: true, Reads: 2, Sends: []string{"GET", "GET", "PUT", "GET"}, Hits: 2,
			Fails: []string{"Unable to Create Backup Job Configuration", "PUT " + jobConfigPath}, Prepare: createJobConfig},
		providertest.Operation{Name: "refreshing a job configuration", Sends: []string{"GET"},
			Fails: []string{"Unable to Read Backup Job Configuration", "GET " + jobConfigPath}, Prepare: refreshJobConfig},
		providertest.Operation{Name: "updating a job configuration, its read", Sends: []string{"GET", "PUT", "GET"}, Hits: 0,
			Fails: []string{"Unable to Update Backup Job Configuration", "GET " + jobConfigPath}, Prepare: updateJobConfig},
		providertest.Operation{Name: "updating a job configuration", Sends: []string{"GET", "PUT", "GET"}, Hits: 1,
			Fails: []string{"Unable to Update Backup Job Configuration", "PUT " + jobConfigPath}, Prepare: updateJobConfig},
		providertest.Operation{Name: "resetting a job configuration, its read", Sends: []string{"GET", "PUT"}, Hits: 0,
			Fails: []string{"Unable to Reset Backup Job Configuration", "GET " + jobConfigPath}, Prepare: resetJobConfig},
		providertest.Operation{Name: "resetting a job configuration", Sends: []string{"GET", "PUT"}, Hits: 1,
			Fails: []string{"Unable to Reset Backup Job Configuration", "PUT " + jobConfigPath}, Prepare: resetJobConfig},
	)
}

func TestJobConfigurationThatAnotherClientChangesMeanwhileIsKept(t *testing.T) {
	t.Parallel()
	providertest.CheckContested(t,
		providertest.Contested{
			Name: "job configuration", Prepare: updateJobConfig, Method: "PUT", Attribute: "kmip_client_cert_path", Field: "kmipClientCertPath", Third: "/theirs.pem",
			Other: "newSetting", Theirs: "theirs", Object: "Job Configuration of Project", Set: setJobConfig, Get: getJobConfig,
		},
		providertest.Contested{
			Name: "new job configuration", Prepare: createJobConfig, Method: "PUT", Field: "kmipClientCertPath", Third: "/theirs.pem", IsAbsent: true,
			Object: "Unable to Create Backup Job Configuration", Set: setJobConfig, Get: getJobConfig,
		},
		providertest.Contested{
			Name: "reset job configuration", Prepare: resetJobConfig, Method: "PUT", Attribute: "label_filter", Field: "labelFilter", Third: []any{"theirs"},
			Object: "Job Configuration of Project", Set: setJobConfig, Get: getJobConfig, Remove: func(d *providertest.FaultProxy) { d.RemoveJobConfig(payments) },
		},
	)
}

// certified returns the job configuration of a project, with a certificate that has no password.
func certified(certificate string) providertest.Values {
	return jobConfig(payments, byLabel, providertest.Values{"kmip_client_cert_path": certificate, "kmip_client_cert_password": ""})
}

func certificateHeld(d *providertest.FaultProxy) func() any {
	return func() any { return d.JobConfig(payments)["kmipClientCertPath"] }
}

func createJobConfig(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.JobConfigType)
	return providertest.Applying(t, m, certified("/a.pem")).Watching(certificateHeld(d), providertest.Stored(m, "kmip_client_cert_path"), "/a.pem", "/a.pem")
}

func refreshJobConfig(_ *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.JobConfigType)
	m.Create(certified("/a.pem"))
	d.SetJobConfig(payments, map[string]any{"kmipClientCertPath": "/b.pem"})
	return providertest.Refreshing(m).Watching(certificateHeld(d), providertest.Stored(m, "kmip_client_cert_path"), "/b.pem", "/b.pem")
}

func updateJobConfig(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.JobConfigType)
	m.Create(certified("/a.pem"))
	return providertest.Applying(t, m, certified("/b.pem")).Watching(certificateHeld(d), providertest.Stored(m, "kmip_client_cert_path"), "/b.pem", "/b.pem")
}

func resetJobConfig(t *testing.T, d *providertest.FaultProxy, w *providertest.Workspace) *providertest.Attempt {
	m := w.NewResource(providertest.JobConfigType)
	m.Create(providertest.With(certified("/a.pem"), reset))
	hasLabels := func() any { return hasFilter(d.JobConfig(payments)) }
	return providertest.Destroying(t, m).Watching(hasLabels, providertest.Stored(m, "kmip_client_cert_path"), false, nil)
}

func setJobConfig(d *providertest.FaultProxy, fields map[string]any) {
	d.SetJobConfig(payments, fields)
}

func getJobConfig(d *providertest.FaultProxy) map[string]any {
	return d.JobConfig(payments)
}

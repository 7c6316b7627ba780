package provider_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

// If an item were missing from a list, for_each would plan to destroy its resource.
func TestIncompleteListIsAnErrorOfEachDataSource(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{TotalCount: func(count int) int { return count + 1 }})
	w := providertest.NewWorkspace(t, s, nil)
	says := []string{"Unable to List", "distinct items, but Ops Manager counts", "pageNum and itemsPerPage"}
	for typeName, config := range map[string]providertest.Values{
		providertest.BackupConfigsType:         {"project_id": providertest.Payments},
		providertest.ClustersType:              {"project_id": providertest.Payments},
		providertest.ConfigServerSnapshotsType: {"project_id": providertest.Payments, "host_id": providertest.MirroredHost},
		providertest.ClusterSnapshotsType:      {"project_id": providertest.Payments, "cluster_id": providertest.Cards},
		providertest.RestoreJobsType:           {"project_id": providertest.Payments, "cluster_id": providertest.Cards},
		providertest.HostsType:                 {"project_id": providertest.Payments},
		providertest.RegionsType:               {},
		providertest.StoresType:                {},
		providertest.DaemonsType:               {},
		providertest.ProjectsType:              {},
	} {
		_, diags := w.Read(typeName, config)
		providertest.WantOne(t, diags.Errors(), says...)
	}
	_, diags := w.Read(providertest.BackupStatusType, nil)
	providertest.WantOne(t, diags.Errors(), append(says[1:], "Unable to Read Backup Status")...)
	for typeName, config := range map[string]providertest.Values{providertest.ScheduleType: {"project_id": providertest.Payments}, providertest.RegionType: {}} {
		providertest.WantOne(t, w.Query(typeName, config, false, 0)[0].Errors(), says...)
	}
	w.MustRead(t, providertest.BackupConfigsType, providertest.Values{"project_id": providertest.Payments, "page_num": 1})
	w.MustRead(t, providertest.ClusterSnapshotsType, providertest.Values{"project_id": providertest.Payments, "cluster_id": providertest.Cards, "items_per_page": 1})
}

func TestItemsWithoutAnIDProduceAWarningOfEachDataSource(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config            providertest.Values
		id                string
		list, title, text string
	}{
		providertest.ClustersType: {
			providertest.Values{"project_id": providertest.Payments}, "cluster_id", `{"clusterName": "lost"}`,
			"Clusters Without an ID in Project " + providertest.Payments, `lists 1 cluster without an ID: "lost". The cluster_id`,
		},
		providertest.BackupConfigsType: {
			providertest.Values{"project_id": providertest.Payments}, "cluster_id", `{"statusName": "STARTED"}`,
			"Backup Configurations Without an ID in Project " + providertest.Payments, `lists 1 backup configuration without an ID: "STARTED"`,
		},
		providertest.HostsType: {
			providertest.Values{"project_id": providertest.Payments}, "id", `{"hostname": "lost", "port": 27017}`,
			"Hosts Without an ID in Project " + providertest.Payments, `lists 1 host without an ID: "lost:27017". The id`,
		},
		providertest.RegionsType: {
			nil, "deployment_id", `{"deploymentDescription": "Lost"}`,
			"Deployment Regions Without an ID", `lists 1 deployment region without an ID: "Lost". The deployment_id`,
		},
		providertest.DaemonsType: {
			nil, "machine", `{"machine": {"headRootDirectory": "/lost/"}}`,
			"Backup Daemons Without an ID", `lists 1 backup daemon without an ID: "/lost/". The machine`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t, emulator.Options{})
			w := providertest.NewWorkspace(t, s, nil)
			s.Inject(emulator.Fault{Status: 200, Body: `{"totalCount": 1, "results": [` + c.list + `]}`, Header: http.Header{"Content-Type": {"application/json"}}})
			data, diags := w.Read(name, c.config)
			providertest.WantOne(t, diags.Warnings(), c.title, c.text)
			if got := providertest.ResultValues(t, data, c.id); !slices.Contains(got, "<nil>") {
				t.Errorf("read %q", got)
			}
			if _, diags := w.Read(name, c.config); len(diags) > 0 {
				t.Errorf("got %q", diags.Warnings())
			}
		})
	}
}

func TestIDsInUpperCaseAreAccepted(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{})
	w := providertest.NewWorkspace(t, s, nil)
	project, cluster := strings.ToUpper(providertest.Payments), strings.ToUpper(providertest.Cards)
	for typeName, config := range map[string]providertest.Values{
		providertest.ProjectType:          {"project_id": project},
		providertest.ClusterType:          {"project_id": project, "cluster_id": cluster},
		providertest.ClustersType:         {"project_id": project},
		providertest.BackupConfigType:     {"project_id": project, "cluster_id": cluster},
		providertest.BackupConfigsType:    {"project_id": project},
		providertest.ClusterSnapshotsType: {"project_id": project, "cluster_id": cluster},
		providertest.RestoreJobsType:      {"project_id": project, "cluster_id": cluster},
		providertest.TimeRangesType:       {"project_id": project, "cluster_id": cluster},
		providertest.ScheduleType:         {"project_id": project, "cluster_id": cluster},
		providertest.HostsType:            {"project_id": project},
	} {
		got := w.MustRead(t, typeName, config)
		for attribute, configured := range config {
			if got[attribute] != configured {
				t.Errorf("%s: %s is %v", typeName, attribute, got[attribute])
			}
		}
	}
}

func TestResponseForAnotherClusterIsAnErrorWithBothIDs(t *testing.T) {
	t.Parallel()
	for _, typeName := range []string{providertest.ClusterType, providertest.BackupConfigType, providertest.ScheduleType} {
		s := providertest.StartService(t, emulator.Options{})
		s.Inject(emulator.Fault{Status: 200, Body: `{"id": "` + providertest.Cards + `", "clusterId": "` + providertest.Cards + `"}`, Header: http.Header{"Content-Type": {"application/json"}}})
		_, diags := providertest.NewWorkspace(t, s, nil).Read(typeName, providertest.Values{"project_id": providertest.Payments, "cluster_id": providertest.Ledger})
		providertest.WantOne(t, diags.Errors(), "another object", `"`+providertest.Ledger+`", got "`+providertest.Cards+`"`, "A cache or proxy")
	}
}

package provider_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/provider/providertest"
)

// A list that lacks an item would have for_each plan to destroy what it lacks.
func TestAListThatMayLackItemsIsAnErrorEverywhere(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t, emulator.Options{TotalCount: func(count int) int { return count + 1 }})
	w := providertest.NewWorkspace(t, s, nil)
	says := []string{"Unable to List", "distinct items, but Ops Manager counts", "pageNum and itemsPerPage"}
	for typeName, config := range map[string]providertest.Values{
		providertest.BackupConfigsType:         {"project_id": providertest.Payments},
		providertest.ClustersType:              {"project_id": providertest.Payments},
		providertest.ConfigServerSnapshotsType: {"project_id": providertest.Payments, "host_id": providertest.MirroredHost},
		providertest.ClusterSnapshotsType:      {"project_id": providertest.Payments, "cluster_id": providertest.Cards},
		providertest.RegionsType:               {},
		providertest.ProjectsType:              {},
	} {
		_, told := w.Read(typeName, config)
		providertest.WantOne(t, told.Errors(), says...)
	}
	for typeName, config := range map[string]providertest.Values{providertest.ScheduleType: {"project_id": providertest.Payments}, providertest.RegionType: {}} {
		providertest.WantOne(t, w.Query(typeName, config, false, 0)[0].Errors(), says...)
	}
	w.MustRead(t, providertest.BackupConfigsType, providertest.Values{"project_id": providertest.Payments, "page_num": 1})
	w.MustRead(t, providertest.ClusterSnapshotsType, providertest.Values{"project_id": providertest.Payments, "cluster_id": providertest.Cards, "items_per_page": 1})
}

func TestListsTellOfItemsWithoutAnID(t *testing.T) {
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
		providertest.RegionsType: {
			nil, "deployment_id", `{"deploymentDescription": "Lost"}`,
			"Deployment Regions Without an ID", `lists 1 deployment region without an ID: "Lost". The deployment_id`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := providertest.StartService(t, emulator.Options{})
			w := providertest.NewWorkspace(t, s, nil)
			s.Inject(emulator.Fault{Status: 200, Body: `{"totalCount": 1, "results": [` + c.list + `]}`, Header: http.Header{"Content-Type": {"application/json"}}})
			data, told := w.Read(name, c.config)
			providertest.WantOne(t, told.Warnings(), c.title, c.text)
			if got := providertest.ResultValues(t, data, c.id); !slices.Contains(got, "<nil>") {
				t.Errorf("read %q", got)
			}
			if _, told := w.Read(name, c.config); len(told) > 0 {
				t.Errorf("told %q", told.Warnings())
			}
		})
	}
}

func TestIDsInCapitalsAreRead(t *testing.T) {
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
		providertest.ScheduleType:         {"project_id": project, "cluster_id": cluster},
	} {
		got := w.MustRead(t, typeName, config)
		for attribute, configured := range config {
			if got[attribute] != configured {
				t.Errorf("%s: %s is %v", typeName, attribute, got[attribute])
			}
		}
	}
}

func TestAnAnswerAboutAnotherClusterIsAnErrorThatNamesBoth(t *testing.T) {
	t.Parallel()
	for _, typeName := range []string{providertest.ClusterType, providertest.BackupConfigType, providertest.ScheduleType} {
		s := providertest.StartService(t, emulator.Options{})
		s.Inject(emulator.Fault{Status: 200, Body: `{"id": "` + providertest.Cards + `", "clusterId": "` + providertest.Cards + `"}`, Header: http.Header{"Content-Type": {"application/json"}}})
		_, told := providertest.NewWorkspace(t, s, nil).Read(typeName, providertest.Values{"project_id": providertest.Payments, "cluster_id": providertest.Ledger})
		providertest.WantOne(t, told.Errors(), "another object", `"`+providertest.Ledger+`", got "`+providertest.Cards+`"`, "A cache or proxy")
	}
}

package opsmanager_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// apiRequest is a request to the API.
type apiRequest struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Body   any    `json:"body"`
}

// segments returns the segments of the path of a request.
func (r apiRequest) segments() []string {
	path, _, _ := strings.Cut(r.Path, "?")
	return strings.Split(strings.Trim(path, "/"), "/")
}

// apiCall is a call of a client for a request.
type apiCall struct {
	*opsmanager.Client

	path []string
	body []byte
}

// requestOf returns a request of a method, a blank and a path, with a document unless that is empty.
func requestOf(t *testing.T, request, document string) (r apiRequest) {
	t.Helper()
	r.Method, r.Path, _ = strings.Cut(request, " ")
	if document != "" {
		r.Body = decode(t, []byte(document))
	}
	return r
}

// call makes the call for a request, and returns the object in its response.
func (r apiRequest) call(t *testing.T, c *opsmanager.Client) (any, error) {
	t.Helper()
	return r.callIn(t.Context(), t, c)
}

func (r apiRequest) callIn(ctx context.Context, t *testing.T, c *opsmanager.Client) (any, error) {
	t.Helper()
	call := apiCall{Client: c, path: r.segments()}
	if r.Body != nil {
		var err error
		call.body, err = json.Marshal(r.Body)
		succeed(t, err)
	}
	request := r.Method + " /" + strings.Join(call.path, "/")
	for _, known := range apiCalls {
		if regexp.MustCompile("^" + known.pattern + "$").MatchString(request) {
			return known.call(ctx, call)
		}
	}
	t.Fatalf("the client has no call for %s", request)
	return nil, nil
}

// decoded calls a method of the client with the decoded body of the request. An observed one may have members of another type.
func decoded[T any](c apiCall, call func(T) (any, error)) (any, error) {
	var in T
	_ = json.Unmarshal(c.body, &in)
	return call(in)
}

// apiCalls are the calls of the client by the method and the path of a request.
var apiCalls = []struct {
	pattern string
	call    func(ctx context.Context, c apiCall) (any, error)
}{
	{`GET /groups`, func(ctx context.Context, c apiCall) (any, error) { return c.ListProjects(ctx) }},
	{`GET /groups/\w+`, func(ctx context.Context, c apiCall) (any, error) { return c.Project(ctx, c.path[1]) }},
	{`GET /groups/byName/\w+`, func(ctx context.Context, c apiCall) (any, error) {
		return c.ProjectByName(ctx, c.path[2])
	}},
	{`GET /groups/\w+/clusters`, func(ctx context.Context, c apiCall) (any, error) { return c.ListClusters(ctx, c.path[1]) }},
	{`GET /groups/\w+/clusters/\w+`, func(ctx context.Context, c apiCall) (any, error) {
		return c.Cluster(ctx, c.path[1], c.path[3])
	}},
	{`GET /groups/\w+/hosts`, func(ctx context.Context, c apiCall) (any, error) { return c.ListHosts(ctx, c.path[1]) }},
	{`GET /groups/\w+/hosts/\w+/snapshots`, func(ctx context.Context, c apiCall) (any, error) {
		return c.ListConfigServerSnapshots(ctx, c.path[1], c.path[3], opsmanager.Page{})
	}},
	{`GET /groups/\w+/agents/\w+`, func(ctx context.Context, c apiCall) (any, error) {
		return c.ListAgents(ctx, c.path[1], opsmanager.AgentType(c.path[3]))
	}},
	{`(GET|POST) /groups/\w+/backupConfigs`, func(ctx context.Context, c apiCall) (any, error) {
		return c.ListBackupConfigs(ctx, c.path[1], opsmanager.Page{})
	}},
	{`GET /groups/\w+/backupConfigs/\w+`, func(ctx context.Context, c apiCall) (any, error) {
		return c.BackupConfig(ctx, c.path[1], c.path[3])
	}},
	{`GET /groups/\w+/backupConfigs/\w+/availableMembers`, func(ctx context.Context, c apiCall) (any, error) {
		return c.BackupConfigWithMembers(ctx, c.path[1], c.path[3])
	}},
	{`PATCH /groups/\w+/backupConfigs/\w+`, func(ctx context.Context, c apiCall) (any, error) {
		return decoded(c, func(change opsmanager.BackupConfigChange) (any, error) {
			return c.UpdateBackupConfig(ctx, c.path[1], c.path[3], change)
		})
	}},
	{`GET /groups/\w+/backupConfigs/\w+/snapshotSchedule`, func(ctx context.Context, c apiCall) (any, error) {
		return c.SnapshotSchedule(ctx, c.path[1], c.path[3])
	}},
	{`PATCH /groups/\w+/backupConfigs/\w+/snapshotSchedule`, func(ctx context.Context, c apiCall) (any, error) {
		return decoded(c, func(change opsmanager.SnapshotSchedule) (any, error) {
			return c.UpdateSnapshotSchedule(ctx, c.path[1], c.path[3], change)
		})
	}},
	{`GET /groups/\w+/clusters/\w+/snapshots`, func(ctx context.Context, c apiCall) (any, error) {
		return c.ListClusterSnapshots(ctx, c.path[1], c.path[3], "", opsmanager.Page{})
	}},
	{`GET /groups/\w+/clusters/\w+/snapshots/\w+`, func(ctx context.Context, c apiCall) (any, error) {
		return c.ClusterSnapshot(ctx, c.path[1], c.path[3], c.path[5])
	}},
	{`PATCH /groups/\w+/clusters/\w+/snapshots/\w+`, func(ctx context.Context, c apiCall) (any, error) {
		return decoded(c, func(change opsmanager.SnapshotExpiry) (any, error) {
			return c.ChangeSnapshotExpiry(ctx, c.path[1], c.path[3], c.path[5], change)
		})
	}},
	{`DELETE /groups/\w+/clusters/\w+/snapshots/\w+`, func(ctx context.Context, c apiCall) (any, error) {
		return nil, c.DeleteClusterSnapshot(ctx, c.path[1], c.path[3], c.path[5])
	}},
	{`POST /groups/\w+/clusters/\w+/snapshots/onDemandSnapshot`, func(ctx context.Context, c apiCall) (any, error) {
		return c.TakeSnapshot(ctx, c.path[1], c.path[3], 2)
	}},
	{`GET /groups/\w+/clusters/\w+/restoreJobs`, func(ctx context.Context, c apiCall) (any, error) {
		return c.ListRestoreJobs(ctx, c.path[1], c.path[3], "", opsmanager.Page{})
	}},
	{`GET /groups/\w+/clusters/\w+/restoreJobs/\w+`, func(ctx context.Context, c apiCall) (any, error) {
		return c.RestoreJob(ctx, c.path[1], c.path[3], c.path[5])
	}},
	{`POST /groups/\w+/clusters/\w+/restoreJobs`, func(ctx context.Context, c apiCall) (any, error) {
		return decoded(c, func(request opsmanager.RestoreRequest) (any, error) {
			jobs, err := c.CreateRestoreJob(ctx, c.path[1], c.path[3], request)
			return opsmanager.List[opsmanager.RestoreJob]{Results: jobs}, err
		})
	}},
	{`POST /groups/\w+/clusters/\w+/restoreJobs/restorableTimeRanges`, func(ctx context.Context, c apiCall) (any, error) {
		return c.RestorableTimeRanges(ctx, c.path[1], c.path[3])
	}},
	{`GET /groups/\w+/alertConfigs`, func(ctx context.Context, c apiCall) (any, error) { return c.ListAlertConfigs(ctx, c.path[1]) }},
	{`GET /groups/\w+/alertConfigs/\w+`, func(ctx context.Context, c apiCall) (any, error) {
		return c.AlertConfig(ctx, c.path[1], c.path[3])
	}},
	{`(POST|PUT) /groups/\w+/alertConfigs(/\w+)?`, func(ctx context.Context, c apiCall) (any, error) {
		return decoded(c, func(config opsmanager.AlertConfig) (any, error) {
			if len(c.path) == 3 {
				return c.CreateAlertConfig(ctx, c.path[1], config)
			}
			return c.UpdateAlertConfig(ctx, c.path[1], c.path[3], config)
		})
	}},
	{`DELETE /groups/\w+/alertConfigs/\w+`, func(ctx context.Context, c apiCall) (any, error) {
		return nil, c.DeleteAlertConfig(ctx, c.path[1], c.path[3])
	}},
	{`GET /groups/\w+/alerts`, func(ctx context.Context, c apiCall) (any, error) { return c.ListOpenAlerts(ctx, c.path[1]) }},
	{`GET /groups/\w+/automationConfig`, func(ctx context.Context, c apiCall) (any, error) {
		return c.AutomationConfig(ctx, c.path[1])
	}},
	{`PUT /groups/\w+/automationConfig`, func(ctx context.Context, c apiCall) (any, error) {
		read, err := c.AutomationConfig(ctx, c.path[1]) // the client sends only what it has read; a failure has the same form
		if err != nil {
			return nil, err
		}
		return nil, c.UpdateAutomationConfig(ctx, c.path[1], read)
	}},
	{`GET /backup/third_party/group/\w+/.*`, func(ctx context.Context, c apiCall) (any, error) {
		return c.ThirdPartyBackups(ctx, c.path[3])
	}},
	{`GET /groups/\w+/controlledFeature`, func(ctx context.Context, c apiCall) (any, error) {
		return c.ControlledFeatures(ctx, c.path[1])
	}},
	{`GET /admin/backup/daemon/configs`, func(ctx context.Context, c apiCall) (any, error) { return c.ListBackupDaemons(ctx) }},
	{`GET /admin/backup/daemon/configs/.*`, func(ctx context.Context, c apiCall) (any, error) {
		return c.BackupDaemon(ctx, c.path[4], "/data/backup/")
	}},
	{`PUT /admin/backup/daemon/configs/.*`, func(ctx context.Context, c apiCall) (any, error) {
		return decoded(c, func(daemon opsmanager.BackupDaemon) (any, error) {
			if len(c.path) == 5 {
				return c.ConfigureBackupDaemon(ctx, daemon)
			}
			return c.UpdateBackupDaemon(ctx, daemon)
		})
	}},
	{`DELETE /admin/backup/daemon/configs/.*`, func(ctx context.Context, c apiCall) (any, error) {
		return nil, c.DeleteBackupDaemon(ctx, c.path[4], "/data/backup/")
	}},
	{`GET /admin/backup/groups`, func(ctx context.Context, c apiCall) (any, error) { return c.ListJobConfigs(ctx) }},
	{`GET /admin/backup/groups/\w+`, func(ctx context.Context, c apiCall) (any, error) { return c.JobConfig(ctx, c.path[3]) }},
	{`PUT /admin/backup/groups/\w+`, func(ctx context.Context, c apiCall) (any, error) {
		return decoded(c, func(config opsmanager.JobConfig) (any, error) {
			config.ID = c.path[3]
			return c.UpdateJobConfig(ctx, config)
		})
	}},
	{`GET /admin/backup/backupDeployments`, func(ctx context.Context, c apiCall) (any, error) {
		return c.ListDeploymentRegions(ctx)
	}},
	{`GET /admin/backup/backupDeployments/\w+`, func(ctx context.Context, c apiCall) (any, error) {
		return c.DeploymentRegion(ctx, c.path[3])
	}},
	{`(POST|PUT) /admin/backup/backupDeployments(/\w+)?`, func(ctx context.Context, c apiCall) (any, error) {
		return decoded(c, func(region opsmanager.DeploymentRegion) (any, error) {
			if len(c.path) == 3 {
				return c.CreateDeploymentRegion(ctx, region)
			}
			region.ID = c.path[3]
			return c.UpdateDeploymentRegion(ctx, region)
		})
	}},
	{`DELETE /admin/backup/backupDeployments/\w+`, func(ctx context.Context, c apiCall) (any, error) {
		return nil, c.DeleteDeploymentRegion(ctx, c.path[3])
	}},
	{`GET /admin/backup/\w+/\w+`, func(ctx context.Context, c apiCall) (any, error) {
		return c.ListBackupStores(ctx, c.storeKind())
	}},
	{`GET /admin/backup/\w+/\w+/[\w-]+`, func(ctx context.Context, c apiCall) (any, error) {
		return c.BackupStore(ctx, c.storeKind(), c.path[4])
	}},
	{`(POST|PUT) /admin/backup/\w+/\w+(/[\w-]+)?`, func(ctx context.Context, c apiCall) (any, error) {
		return decoded(c, func(store opsmanager.BackupStore) (any, error) {
			if len(c.path) == 4 {
				return c.CreateBackupStore(ctx, c.storeKind(), store)
			}
			store.ID = c.path[4]
			return c.UpdateBackupStore(ctx, c.storeKind(), store)
		})
	}},
	{`DELETE /admin/backup/\w+/\w+/[\w-]+`, func(ctx context.Context, c apiCall) (any, error) {
		return nil, c.DeleteBackupStore(ctx, c.storeKind(), c.path[4])
	}},
}

func (c apiCall) storeKind() opsmanager.StoreKind {
	return opsmanager.StoreKind(c.path[2] + "/" + c.path[3])
}

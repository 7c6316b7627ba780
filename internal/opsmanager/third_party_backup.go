package opsmanager

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// ThirdPartyBackups has clusters of a project, with the state of their backup by another product. Ops
// Manager never backs up such a cluster itself at the same time, and answers 500 to GET of its schedule.
type ThirdPartyBackups struct {
	Clusters []ThirdPartyCluster `json:"clusters"`
}

// ThirdPartyCluster is a cluster of ThirdPartyBackups. A field is nil if the response leaves it out.
type ThirdPartyCluster struct {
	GroupID   *string `json:"groupId"`
	ClusterID *string `json:"clusterId"`
	State     *string `json:"state"` // ACTIVE if the other product manages the backup; the others are not documented
}

func (c ThirdPartyCluster) ids() []string {
	return []string{stringValue(c.GroupID), stringValue(c.ClusterID)}
}

// BacksUp reports whether another product backs up a cluster. It fails if the state of the cluster does not
// tell.
func (b ThirdPartyBackups) BacksUp(clusterID string) (bool, error) {
	var unknown error
	for _, c := range b.Clusters { // it may be listed once for each job
		if !strings.EqualFold(stringValue(c.ClusterID), clusterID) {
			continue
		}
		switch state := stringValue(c.State); state {
		case "ACTIVE":
			return true, nil
		case "INACTIVE":
		default:
			unknown = fmt.Errorf("the state of the third-party backup of cluster %s is %q, which is not documented. Look at the backup of the cluster in Ops Manager and in the other product", clusterID, Sanitize(state))
		}
	}
	return false, unknown
}

// ThirdPartyBackups returns the clusters of a project that another product backs up. An Ops Manager without
// the feature, which is in 8.0.8 and later and has to be turned on, has none, and Clusters is nil.
//
// Its errors have a document of their own, so they are quoted by their status only. No page of MongoDB has the
// call: its path and its document were observed on 8.0.23. Pages were not; a part of a list is an error.
func (c *Client) ThirdPartyBackups(ctx context.Context, projectID string) (*ThirdPartyBackups, error) {
	e := get("backup", "third_party", "group", projectID, "clusters").about(hexID("groupId", projectID))
	e.role = ProjectBackupAdmin
	answer := new(struct {
		ThirdPartyBackups
		List[ThirdPartyCluster] // for its links and its total

		ErrorCode string `json:"errorCode"`
		Status    string `json:"status"`
	})
	err := c.do(ctx, e, nil, answer)
	if isWithoutThirdPartyBackups(err) || MayBeUnsupported(err) && c.lacksProjects(ctx, projectID) {
		return &answer.ThirdPartyBackups, nil
	}
	switch total := answer.TotalCount; {
	case err != nil:
		return nil, err
	case answer.ErrorCode != "" && answer.ErrorCode != "NONE", answer.Status == "ERROR":
		err = fmt.Errorf("%w: it is an error, %s", errUndocumented, cmp.Or(errorCode.FindString(answer.ErrorCode), "without a code"))
	case answer.Clusters == nil || slices.ContainsFunc(answer.Clusters, func(c ThirdPartyCluster) bool {
		return stringValue(c.ClusterID) == ""
	}):
		err = fmt.Errorf("%w: it has no clusters, or one without an ID", errUndocumented)
	case answer.hasNext() || total != nil && *total > int64(len(answer.Clusters)):
		err = ErrIncompleteList
	}
	if err != nil {
		return nil, c.failure(e, Error{Status: http.StatusOK, Err: err})
	}
	for _, cluster := range answer.Clusters {
		if err := c.checkObject(e, cluster); err != nil {
			return nil, err
		}
	}
	return &answer.ThirdPartyBackups, nil
}

// lacksProjects reports whether the server does not even have the call that reads a project, as one that has only a part of
// the API. The 404s of such a server may have no document.
func (c *Client) lacksProjects(ctx context.Context, projectID string) bool {
	_, err := c.Project(ctx, projectID)
	return MayBeUnsupported(err)
}

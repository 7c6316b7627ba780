package opsmanager

import (
	"context"
	"slices"
	"strings"
)

// ControlledFeatures is what an external system, such as MongoDB's Kubernetes operator, has locked in
// a project. A field is nil if the response leaves it out.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/controlled-features/get-controlled-features-for-one-project/
type ControlledFeatures struct {
	Created  *string                   `json:"created"`
	Manager  *ExternalManagementSystem `json:"externalManagementSystem"`
	Policies []ControlledPolicy        `json:"policies"`
}

// ExternalManagementSystem is the holder of a lock.
type ExternalManagementSystem struct {
	Name     *string `json:"name"` // such as mongodb-enterprise-operator
	SystemID *string `json:"systemId"`
	Version  *string `json:"version"`
}

// ControlledPolicy is a lock.
type ControlledPolicy struct {
	Policy *string `json:"policy"` // such as EXTERNALLY_MANAGED_LOCK
}

func (ControlledPolicy) ids() []string { return nil }

func (ControlledFeatures) ids() []string { return nil }

// moduleLocks are the policies that keep others than the external system from changing backup modules.
// Sources spell the first one in two ways.
var moduleLocks = []string{"EXTERNALLYMANAGEDLOCK", "DISABLEBACKUPAGENT"}

// ModuleLock returns the name of the policy that keeps others than the external system from changing the
// backup modules of the project, or "".
func (f ControlledFeatures) ModuleLock() string {
	i := slices.IndexFunc(f.Policies, func(p ControlledPolicy) bool {
		return slices.Contains(moduleLocks, strings.ToUpper(strings.ReplaceAll(stringValue(p.Policy), "_", "")))
	})
	if i < 0 {
		return ""
	}
	return *f.Policies[i].Policy
}

// ControlledFeatures returns what an external system has locked in a project.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/controlled-features/get-controlled-features-for-one-project/
func (c *Client) ControlledFeatures(ctx context.Context, projectID string) (*ControlledFeatures, error) {
	return call[ControlledFeatures](ctx, c, get("groups", projectID, "controlledFeature"), nil)
}

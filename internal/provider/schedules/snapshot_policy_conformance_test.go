package schedules_test

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

// flatPolicy returns a policy of one cluster as a schedule: with the values of that cluster in a
// state or a plan, and those of the policy in a configuration. It returns nil if the state does
// not have the cluster.
func flatPolicy(v values) values {
	flat := values{"retention_protection": v["retention_protection"]}
	for one, set := range map[string]string{"project_id": "project_ids", "cluster_id": "cluster_ids"} {
		if ids, ok := v[set].([]any); ok {
			flat[one] = ids[0]
		}
	}
	schedule, _ := v["schedule"].(values)
	lines, isState := v["clusters"].(values)
	id, _ := flat["cluster_id"].(string)
	line := lines[strings.ToLower(id)]
	text, isText := line.(string)
	switch {
	case !isState && v["clusters"] == nil:
		maps.Copy(flat, schedule)
	case !isState, line == any(unknown):
		for attribute, value := range schedule {
			if value != nil {
				flat[attribute] = unknown
			}
		}
	case !isText:
		return nil
	default:
		overwrites := values{}
		_, values, _ := strings.Cut(text, ": ")
		for _, value := range strings.Split(values, ", ") {
			value, before, isOverwritten := strings.Cut(value, " (was ")
			attribute, text, _ := strings.Cut(value, " ")
			if isOverwritten {
				overwrites[cmp.Or(schedules.Parts[attribute], attribute)] = before
			}
			if n, err := strconv.Atoi(text); err == nil && attribute != "reference_time_zone_offset" {
				flat[attribute] = n
			} else if slices.Contains(slices.Collect(maps.Keys(fieldOf)), attribute) && text != "not returned" {
				flat[attribute] = text
			}
		}
		flat["overwrites"] = overwrites
	}
	return flat
}

// nestedPolicy returns a schedule as a policy of its cluster.
func nestedPolicy(v values) values {
	schedule := values{}
	for attribute := range fieldOf {
		schedule[attribute] = v[attribute]
	}
	return values{
		"project_ids": []any{v["project_id"]}, "cluster_ids": []any{v["cluster_id"]},
		"schedule": schedule, "retention_protection": v["retention_protection"],
	}
}

// policyRegistrations has the policies of one cluster that correspond to the schedules: a policy
// obeys the same rules.
func policyRegistrations() []providertest.Registration {
	const (
		noImport    = "a policy can't be imported, because creating it adopts its clusters"
		notAnObject = "the values of a cluster are not attributes that ignore_changes could contain; a policy repairs drift unless the cluster is excluded"
	)
	var registrations []providertest.Registration
	for i, r := range scheduleRegistrations() {
		if i != 0 && i != 2 && i != 3 {
			continue
		}
		r.Name = "the policy like " + r.Name
		r.TypeName = providertest.PolicyType
		r.Flat, r.Nested, r.Partial = flatPolicy, nestedPolicy, true
		r.Pending = nil
		r.RemoveObject = func(s *providertest.Service, id string) { // a policy keeps a cluster without a schedule, and skips it
			project, cluster, _ := strings.Cut(id, "/")
			s.RemoveCluster(project, cluster)
		}
		r.Creatable = func(config values, live object) bool {
			return live != nil && !isPartlyLate(config)
		}
		r.Inapplicable = map[string]string{
			"an imported object plans the changes that are left": noImport,
			"an ID without an object is not imported":            noImport,
			"an ignored attribute keeps its live value":          notAnObject,
			"real Terraform follows the two rules with each resource": "TestTerraformManagesAFleetWithAPolicy tests that, because most of these scenarios " +
				"configure IDs, ignore fields, or import",
		}
		if r.Config[r.Guard] == true {
			r.Inapplicable["a state of an older version is upgraded"] = "without a private state, a plan of a policy reads the live values, " +
				"also without a refresh, and the guard finds decreases that the state does not show"
		}
		registrations = append(registrations, r)
	}
	return registrations
}

// isPartlyLate reports whether only some fields of a flat policy are known.
func isPartlyLate(config values) bool {
	late, known := false, false
	for attribute := range fieldOf {
		late, known = late || config[attribute] == any(unknown), known || config[attribute] != nil &&
			config[attribute] != any(unknown)
	}
	return late && known
}

func TestPoliciesConform(t *testing.T) {
	t.Parallel()
	providertest.CheckConformance(t, policyRegistrations())
}

func TestGuardOfAPolicyAppliesToReplacements(t *testing.T) {
	t.Parallel()
	providertest.CheckGuardedReplacement(t, policyRegistrations())
}

func TestGuardOfAPolicyKeepsLengthenedRetentions(t *testing.T) {
	t.Parallel()
	providertest.CheckGuardedDrift(t, policyRegistrations())
}

package projects_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/projects"
	"terraform-provider-opsmanager/internal/providertest"
)

func TestStartOfAClusterThatIsNotKnownYetMayBeThatOfAny(t *testing.T) {
	t.Parallel()
	const project, other = providertest.Payments, "64f0c2d57c1e4a6b92d3f4e5"
	for name, c := range map[string]struct {
		plan          func(d *connection.Data)
		starts, might bool
	}{
		"no start":                       {func(*connection.Data) {}, false, false},
		"this cluster":                   {func(d *connection.Data) { projects.PlanStart(d, project, providertest.Cards) }, true, true},
		"another cluster":                {func(d *connection.Data) { projects.PlanStart(d, project, providertest.Ledger) }, false, false},
		"an unknown cluster":             {func(d *connection.Data) { projects.PlanStart(d, project, "") }, false, true},
		"an unknown cluster elsewhere":   {func(d *connection.Data) { projects.PlanStart(d, other, "") }, false, false},
		"this cluster, unknown project":  {func(d *connection.Data) { projects.PlanStart(d, "", providertest.Cards) }, false, true},
		"an unknown one":                 {func(d *connection.Data) { projects.PlanStart(d, "", "") }, false, true},
		"the end of a module":            {func(d *connection.Data) { projects.PlanEndOfModule(d, project, providertest.Cards) }, false, false},
		"the end of a module of unknown": {func(d *connection.Data) { projects.PlanEndOfModule(d, project, "") }, false, false},
	} {
		data := &connection.Data{}
		c.plan(data)
		starts := projects.StartsHere(data, project, providertest.Cards)
		might := projects.MayStartHere(data, project, providertest.Cards)
		if starts != c.starts || might != c.might {
			t.Errorf("%s: starts %t, may start %t", name, starts, might)
		}
	}
}

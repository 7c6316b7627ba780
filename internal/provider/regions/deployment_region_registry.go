package regions

import "terraform-provider-opsmanager/internal/provider/connection"

var registry connection.Shared[regionRegistry]

// regionRegistry holds what the resources of one provider process plan for each region, by ID
// or unknownID.
type regionRegistry struct {
	connection.Registry[string, plannedRegion]

	set connection.Registry[string, struct{}] // the regions whose fields the process has set
}

// unknownID is the ID of a region to create or adopt whose ID is unknown, and of any region
// that is deleted.
const unknownID = ""

// plannedRegion holds what the resources of a plan do with one region.
type plannedRegion struct {
	refreshed *replacedRegion // the region in the state, if it has been refreshed

	kept      bool // a resource keeps it
	claimed   bool // a resource creates or adopts it
	described bool // that resource configures all required fields
	set       bool // a resource that keeps or claims it configures a field
	destroyed bool // a resource deletes it
}

// replacedRegion is the region that a replacement destroys. The private data of the
// plan keeps it: Terraform plans a replacement twice, without a state the second time.
type replacedRegion struct {
	ID          string `json:"id"`
	Protected   bool   `json:"protected"`
	SkipDestroy bool   `json:"skip_destroy"`
	Guess       bool   `json:"guess"` // the provider only guesses that it created the region
}

func (m *deploymentRegionModel) replaced(guess bool) replacedRegion {
	return replacedRegion{m.DeploymentID.ValueString(), m.DeletionProtection.ValueBool(), m.SkipDestroy.ValueBool(), guess}
}

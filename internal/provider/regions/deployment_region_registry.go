package regions

import (
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

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
	wholeobject.Planned

	refreshed *replacedRegion // the region in the state, if it has been refreshed
	described bool            // a resource that creates or adopts it configures all required fields
	set       bool            // a resource that manages it configures a field
}

// replacedRegion is the region that a replacement destroys. The private data of the
// plan keeps it: Terraform plans a replacement twice, without a state the second time.
type replacedRegion struct {
	ID          string `json:"id"`
	Protected   bool   `json:"protected"`
	SkipDestroy bool   `json:"skip_destroy"`
	Guess       bool   `json:"guess"` // the provider only guesses that it created the region
}

func (m regionModel) replaced(guess bool) replacedRegion {
	return replacedRegion{m.id(), m.flag(deletionProtection).ValueBool(), m.flag(skipDestroy).ValueBool(), guess}
}

package daemons

import (
	"time"

	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

// planned holds what the states and the plans of one process do with an object.
type planned struct {
	wholeobject.Planned
	ends bool // a state that was read would end it on destroy
}

// overwrites is the effect of two resources for one object.
const overwrites = "applying one overwrites the values of the other. Keep only one of them."

const (
	defaultWriteTimeout  = 10 * time.Minute
	defaultDeleteTimeout = 5 * time.Minute
)

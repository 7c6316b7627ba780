package references

import (
	"strings"

	"terraform-provider-opsmanager/internal/provider/connection"
)

// Daemon is a reference to a daemon. Without a head directory, it is any daemon on the machine.
type Daemon struct{ Machine, HeadRootDirectory string }

// plannedDaemons holds the daemons that the plans of one process manage, and whether they are new.
var plannedDaemons connection.Shared[connection.Registry[Daemon, bool]]

// PlanDaemon records that a plan configures, adopts or keeps a daemon. It returns another daemon on the
// same machine, if both are new.
func PlanDaemon(data *connection.Data, daemon Daemon, isNew bool) (other *Daemon) {
	planned := plannedDaemons.Of(data)
	planned.Plan(daemon, func(before *bool) { *before = isNew })
	planned.Any(func(one Daemon, isOneNew bool) bool {
		if isNew && isOneNew && one != daemon && strings.EqualFold(one.Machine, daemon.Machine) {
			other = &one
		}
		return other != nil
	})
	return other
}

// Is reports whether a reference is to a daemon with a machine and a head directory.
func (d Daemon) Is(machine, directory string) bool {
	return strings.EqualFold(machine, d.Machine) && (d.HeadRootDirectory == "" || directory == d.HeadRootDirectory)
}

// IsPlanned reports whether the same plan manages a daemon that is referred to.
func (d Daemon) IsPlanned(data *connection.Data) bool {
	return plannedDaemons.Of(data).Any(func(one Daemon, _ bool) bool { return d.Is(one.Machine, one.HeadRootDirectory) })
}

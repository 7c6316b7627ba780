package references

import (
	"strings"

	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/putresource"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Daemon is a reference to a daemon. Without a head directory, it is any daemon on the machine.
type Daemon struct{ Machine, HeadRootDirectory string }

// Is reports whether a reference is to a daemon with a machine and a head directory.
func (d Daemon) Is(machine, directory string) bool {
	return strings.EqualFold(machine, d.Machine) && (d.HeadRootDirectory == "" || directory == d.HeadRootDirectory)
}

// IsPlanned reports whether the same plan manages a daemon that is referred to.
func (d Daemon) IsPlanned(data *connection.Data) bool {
	return putresource.IsPlanned(data, "backup_daemon", func(id []string, _ tfmodel.Values, _ bool) bool { return d.Is(id[0], id[1]) })
}

package emulator

import (
	"fmt"
	"regexp"
	"slices"
)

// NewestVersion is the newest version of Ops Manager that the emulator supports.
const NewestVersion = "9.0.0"

// version is a version of Ops Manager, such as 8.0.27.
type version [3]int

var versionPattern = regexp.MustCompile(`^\d+\.\d+\.\d+(\.|$)`)

// parseVersion parses the first three numbers of a versionString.
func parseVersion(text string) (version, error) {
	var v version
	if !versionPattern.MatchString(text) {
		return v, fmt.Errorf("%q does not have the form %s", text, NewestVersion)
	}
	_, err := fmt.Sscanf(text, "%d.%d.%d", &v[0], &v[1], &v[2])
	return v, err
}

// since reports whether v is at least other.
func (v version) since(other version) bool { return slices.Compare(v[:], other[:]) >= 0 }

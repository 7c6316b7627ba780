package change

import (
	"fmt"
	"strings"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// Drift is a value that is neither what a plan saw nor what its change makes it.
type Drift struct {
	Attribute string
	Saw       string // empty if the plan showed no value
	Is        string // empty if Ops Manager does not return it
	IsSecret  bool   // so it has no texts
}

func (v Drift) String() string {
	saw := opsmanager.Sanitize(v.Saw)
	is := opsmanager.Sanitize(v.Is)
	switch {
	case v.IsSecret:
		return v.Attribute + " is another secret than the one that Terraform knows"
	case v.Is == "":
		return fmt.Sprintf("%s is not returned, and the plan showed %s", v.Attribute, saw)
	case v.Saw == "":
		return fmt.Sprintf("%s is %s, which is not what the plan showed", v.Attribute, is)
	}
	return fmt.Sprintf("%s is %s, and the plan showed %s", v.Attribute, is, saw)
}

// SincePlan says of an object that values of it have changed since the plan, and what to do, such as to plan again.
// renew is what to do with a resource after its object was removed from the state, such as to import it again.
func SincePlan(object string, values []Drift, next, renew string) string {
	var texts, missing []string
	for _, v := range values {
		texts = append(texts, v.String())
		if v.Is == "" && !v.IsSecret {
			missing = append(missing, v.Attribute)
		}
	}
	if missing != nil {
		next = fmt.Sprintf("If Ops Manager no longer returns %s at all, configure what it was, run 'terraform state rm ADDRESS', and %s. Otherwise: %s", strings.Join(missing, " and "), renew, next)
	}
	return fmt.Sprintf("%s changed since the plan: %s. The provider left that as it is. %s", object, strings.Join(texts, "; "), next)
}

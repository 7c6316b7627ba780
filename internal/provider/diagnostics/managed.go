package diagnostics

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// EndedAndManaged returns the error for a plan that manages what the destroy of an object in the state
// ends. The effect says what the destroy does, such as "deletes store s1", and the object names what
// the resource manages, such as "store".
func EndedAndManaged(at path.Path, title, resource, effect, object string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(at, title, fmt.Sprintf(
		"The Terraform state has an object whose destroy %[1]s, and this plan creates, adopts or keeps the same %[2]s at a different address, or for a different object.\n\n"+
			"If the resource is tainted, run 'terraform untaint ADDRESS'.\n\n"+
			"If you renamed the resource, add a moved block:\n\n  moved {\n    from = opsmanager_%[3]s.OLD\n    to   = opsmanager_%[3]s.NEW\n  }\n\n"+
			"If two addresses manage the %[2]s, remove one of them from the Terraform state only: use a removed block with destroy = false, or run 'terraform state rm ADDRESS'.\n\n"+
			"If the plan shows a deposed object, run 'terraform state rm ADDRESS', which removes both objects from the state, and then import the %[2]s.\n\n"+
			"To destroy everything instead, run 'terraform destroy -refresh=false'.", effect, object, resource))
}

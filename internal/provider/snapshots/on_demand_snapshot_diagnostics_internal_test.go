package snapshots

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestExpiryThatOpsManagerDoesNotKeepIsAnError(t *testing.T) {
	t.Parallel()
	d := notSet(t.Context(), expiry{held: true, expires: types.StringNull()}, expiry{expires: types.StringValue("2027-01-31T00:00:00Z")})
	const want = "The provider sent true for do_not_delete, and Ops Manager changed it to false. Configure a value that Ops Manager keeps, or remove the attribute. Another client may also have changed it at the same time."
	if d.Detail() != want {
		t.Errorf("got %q", d.Detail())
	}
}

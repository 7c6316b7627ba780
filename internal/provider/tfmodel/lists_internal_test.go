package tfmodel

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
)

func TestAnAbsentListIsNullAndAnEmptyOneEmpty(t *testing.T) {
	t.Parallel()
	if got := StringsFromAPI(nil); !got.IsNull() {
		t.Errorf("absent: %v", got)
	}
	if got := StringsFromAPI([]string{}); got.IsNull() || len(got.Elements()) != 0 {
		t.Errorf("empty: %v", got)
	}
	if got := StringsFromAPI([]string{"b", "a"}).String(); got != `["b","a"]` {
		t.Errorf("in the service's order: %v", got)
	}
}

func TestPagesAreSelected(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		number, size types.Int64
		want         opsmanager.Page
	}{
		{types.Int64Null(), types.Int64Null(), opsmanager.Page{}},
		{types.Int64Value(3), types.Int64Null(), opsmanager.Page{Number: 3}},
		{types.Int64Null(), types.Int64Value(500), opsmanager.Page{Size: 500}},
	} {
		if got := Page(test.number, test.size); got != test.want {
			t.Errorf("%v, %v: %v", test.number, test.size, got)
		}
	}
}

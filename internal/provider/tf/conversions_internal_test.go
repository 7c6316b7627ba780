package tf

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestMissingListIsNullAndEmptyListIsEmpty(t *testing.T) {
	t.Parallel()
	list := func(texts []string) types.List {
		return ListOf(texts, types.StringType, func(text string) attr.Value { return types.StringValue(text) })
	}
	if got := list(nil); !got.IsNull() {
		t.Errorf("absent: %v", got)
	}
	if got := list([]string{}); got.IsNull() || len(got.Elements()) != 0 {
		t.Errorf("empty: %v", got)
	}
	if got := list([]string{"b", "a"}).String(); got != `["b","a"]` {
		t.Errorf("the items have another order: %v", got)
	}
}

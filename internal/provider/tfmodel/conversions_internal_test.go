package tfmodel

import (
	"testing"
)

func TestMissingListIsNullAndEmptyListIsEmpty(t *testing.T) {
	t.Parallel()
	if got := StringsFromAPI(nil); !got.IsNull() {
		t.Errorf("absent: %v", got)
	}
	if got := StringsFromAPI([]string{}); got.IsNull() || len(got.Elements()) != 0 {
		t.Errorf("empty: %v", got)
	}
	if got := StringsFromAPI([]string{"b", "a"}).String(); got != `["b","a"]` {
		t.Errorf("the items have another order: %v", got)
	}
}

package tf_test

import (
	"slices"
	"testing"

	"terraform-provider-opsmanager/internal/provider/tf"
)

func TestLongListIsShortenedAndKeepsItsItems(t *testing.T) {
	t.Parallel()
	items := []string{"a", "b", "c", "d"}
	for most, want := range map[int][]string{5: {"a", "b", "c", "d"}, 4: {"a", "b", "c", "d"}, 3: {"a", "b", "c", "and 1 more"}, 2: {"a", "b", "and 2 more"}} {
		if got := tf.First(items, most); !slices.Equal(got, want) {
			t.Errorf("%d: got %q, want %q", most, got, want)
		}
	}
	if !slices.Equal(items, []string{"a", "b", "c", "d"}) {
		t.Errorf("changed to %q", items)
	}
}

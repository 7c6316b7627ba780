package sources_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/sources"
)

func ofLinks(list []opsmanager.Link) []opsmanager.Link { return list }

func TestMissingLinksAreNull(t *testing.T) {
	t.Parallel()
	columns := sources.Columns[[]opsmanager.Link]{sources.Links("Links.", ofLinks)}
	for want, links := range map[string][]opsmanager.Link{
		"<null>":                         nil,
		"[]":                             {},
		`[{"href":<null>,"rel":"self"}]`: {{Rel: "self"}},
	} {
		if got := columns.Values(links)["links"].String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A list of snapshots takes longer to read if nested attributes do not name their types.
func TestNestedAttributesNameTheTypeOfTheirValues(t *testing.T) {
	t.Parallel()
	list := sources.Columns[[]opsmanager.Link]{sources.Links("Links.", ofLinks)}.Attributes()["links"].(schema.ListNestedAttribute)
	want := types.ObjectType{AttrTypes: map[string]attr.Type{"rel": types.StringType, "href": types.StringType}}
	if !want.Equal(list.NestedObject.CustomType) || !(types.ListType{ElemType: want}).Equal(list.CustomType) {
		t.Errorf("got %v and %v", list.CustomType, list.NestedObject.CustomType)
	}
	timestamp := types.ObjectType{AttrTypes: map[string]attr.Type{"date": types.StringType, "increment": types.Int64Type}}
	if got := sources.Timestamp.Attribute("A time.").(schema.SingleNestedAttribute).CustomType; !timestamp.Equal(got) {
		t.Errorf("got %v", got)
	}
}

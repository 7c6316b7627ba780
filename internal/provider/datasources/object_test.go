package datasources_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/datasources"
)

func TestMissingLinksAreNull(t *testing.T) {
	t.Parallel()
	for want, links := range map[string][]opsmanager.Link{
		"<null>":                         nil,
		"[]":                             {},
		`[{"href":<null>,"rel":"self"}]`: {{Rel: "self"}},
	} {
		if got := datasources.LinksFromAPI(links).String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A list of snapshots takes longer to read if nested attributes do not name their types.
func TestNestedAttributesNameTheTypeOfTheirValues(t *testing.T) {
	t.Parallel()
	list := datasources.Links("Links.").(schema.ListNestedAttribute)
	want := types.ObjectType{AttrTypes: map[string]attr.Type{"rel": types.StringType, "href": types.StringType}}
	if !want.Equal(list.NestedObject.CustomType) || !(types.ListType{ElemType: want}).Equal(list.CustomType) {
		t.Errorf("got %v and %v", list.CustomType, list.NestedObject.CustomType)
	}
	object := datasources.NewObject(list.NestedObject.Attributes, func(opsmanager.Link) map[string]attr.Value { return nil })
	if got := object.Attribute("A link.").(schema.SingleNestedAttribute).CustomType; !want.Equal(got) {
		t.Errorf("got %v", got)
	}
}

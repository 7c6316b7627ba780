package sources_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/sources"
	"terraform-provider-opsmanager/internal/provider/tf"
)

type thing struct{ id, name string }

func identify(t thing) (id, name *string) { return tf.NonEmpty(&t.id), tf.NonEmpty(&t.name) }

// things describes a list of things, and selects those of one page.
func things(list ...thing) sources.List[thing] {
	return sources.List[thing]{
		Name: "things", Title: "Things", Paged: true,
		Attributes: map[string]schema.Attribute{"project_id": schema.StringAttribute{Optional: true}},
		Items:      sources.Columns[thing]{sources.String("id", "ID.", func(t thing) *string { return &t.id })},
		Read: func(_ context.Context, _ *opsmanager.Client, config sources.Config) (*opsmanager.List[thing], error) {
			if page := config.Page(); page.Number > 0 {
				list = list[(page.Number-1)*page.Size:][:page.Size]
			}
			return &opsmanager.List[thing]{Results: list, TotalCount: new(int64(7))}, nil
		},
		Singular: "thing", IDAttribute: "id", Identify: identify,
		ByName: sources.ByName[thing]{Attribute: "ids_by_name", Of: identify},
	}
}

// read reads a list with a configuration, in which the other attributes are null.
func read(t *testing.T, list sources.List[thing], config map[string]tftypes.Value) (map[string]attr.Value, datasource.ReadResponse) {
	t.Helper()
	source := list.Constructor()()
	source.(datasource.DataSourceWithConfigure).Configure(
		t.Context(), datasource.ConfigureRequest{ProviderData: &connection.Data{Client: opsmanager.NewClient(opsmanager.Config{})}},
		&datasource.ConfigureResponse{},
	)
	var described datasource.SchemaResponse
	source.Schema(t.Context(), datasource.SchemaRequest{}, &described)
	object := described.Schema.Type().TerraformType(t.Context()).(tftypes.Object)
	values := map[string]tftypes.Value{}
	for name, kind := range object.AttributeTypes {
		values[name] = tftypes.NewValue(kind, nil)
		if value, ok := config[name]; ok {
			values[name] = value
		}
	}
	resp := datasource.ReadResponse{State: tfsdk.State{Schema: described.Schema}}
	source.Read(t.Context(), datasource.ReadRequest{Config: tfsdk.Config{Schema: described.Schema, Raw: tftypes.NewValue(object, values)}}, &resp)
	if resp.Diagnostics.HasError() {
		return nil, resp
	}
	state := tf.ReadValues(t.Context(), resp.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		t.Fatal(resp.Diagnostics)
	}
	return state, resp
}

func TestListWithoutItemsIsEmptyAndNotNull(t *testing.T) {
	t.Parallel()
	state, resp := read(t, things(), nil)
	if got := state["results"]; got.String() != "[]" || len(resp.Diagnostics) > 0 {
		t.Errorf("got %v, %v", got, resp.Diagnostics)
	}
	if got := state["ids_by_name"].String(); got != "{}" {
		t.Errorf("IDs by name are %s", got)
	}
}

func TestConfiguredValuesAreKept(t *testing.T) {
	t.Parallel()
	state, _ := read(t, things(thing{"1", "a"}, thing{"2", "b"}, thing{"3", "c"}), map[string]tftypes.Value{
		"page_num": tftypes.NewValue(tftypes.Number, 2), "items_per_page": tftypes.NewValue(tftypes.Number, 1),
	})
	for attribute, want := range map[string]string{
		"project_id": "<null>", "page_num": "2", "items_per_page": "1", "total_count": "7",
		"results": `[{"id":"2"}]`, "ids_by_name": `{"b":"2"}`,
	} {
		if got := state[attribute].String(); got != want {
			t.Errorf("%s is %s, want %s", attribute, got, want)
		}
	}
}

func TestItemsAreSorted(t *testing.T) {
	t.Parallel()
	list := things(thing{"1", "a"}, thing{"2", "b"})
	list.Sort = func(t []thing) []thing { return []thing{t[1], t[0]} }
	if state, _ := read(t, list, nil); state["results"].String() != `[{"id":"2"},{"id":"1"}]` {
		t.Errorf("got %v", state["results"])
	}
}

func TestAmbiguousNamesAreLeftOutWithAWarning(t *testing.T) {
	t.Parallel()
	list := things(
		thing{"1", "a"}, thing{"2", "twin"}, thing{"3\x1b", "twin"}, thing{"4", ""}, thing{"", "lost"}, thing{"5", "b"},
		thing{"5", "b"}, thing{"6", "twin\n"}, thing{"7", "twin\n"},
	)
	list.Identify = nil
	state, resp := read(t, list, map[string]tftypes.Value{"project_id": tftypes.NewValue(tftypes.String, "p")})
	if got := state["ids_by_name"].String(); got != `{"a":"1","b":"5"}` {
		t.Errorf("got %s", got)
	}
	const detail = "ids_by_name leaves out each name that has more than one ID:\n  - \"twin\": 2, 3\n  - \"twin\\n\": 6, 7\n\nChoose one of them by its ID."
	if len(resp.Diagnostics) != 2 || resp.Diagnostics[0].Summary() != "Things Without a Name in Project p" ||
		!strings.Contains(resp.Diagnostics[0].Detail(), "leaves them out: 4.") ||
		resp.Diagnostics[1].Summary() != "Things With the Same Name in Project p" || resp.Diagnostics[1].Detail() != detail {
		t.Errorf("got %q", resp.Diagnostics)
	}
}

func TestWarningsNameOnlySomeOfManyItems(t *testing.T) {
	t.Parallel()
	var many []thing
	for i := range 30 {
		many = append(many, thing{fmt.Sprint(100 + i), ""}, thing{"", fmt.Sprint("lost", i)})
	}
	_, resp := read(t, things(many...), nil)
	if len(resp.Diagnostics) != 2 {
		t.Fatalf("got %q", resp.Diagnostics)
	}
	for i, ends := range []string{`"lost19", and 10 more. `, "119, and 10 more. "} {
		if detail := resp.Diagnostics[i].Detail(); !strings.Contains(detail, ends) {
			t.Errorf("%q does not contain %q", detail, ends)
		}
	}
}

func TestItemsWithoutAnIDProduceAWarning(t *testing.T) {
	t.Parallel()
	_, resp := read(t, things(thing{"", "lost"}, thing{"1", "a"}), map[string]tftypes.Value{"project_id": tftypes.NewValue(tftypes.String, "p")})
	if len(resp.Diagnostics) != 1 || resp.Diagnostics[0].Summary() != "Things Without an ID in Project p" ||
		!strings.Contains(resp.Diagnostics[0].Detail(), `"lost"`) {
		t.Errorf("got %v", resp.Diagnostics)
	}
}

func TestTextsOfEachCollectionCountAsMemory(t *testing.T) {
	t.Parallel()
	long := []attr.Value{types.StringValue(strings.Repeat("x", 1<<20))}
	for _, c := range []struct {
		attribute schema.Attribute
		texts     attr.Value
	}{
		{schema.ListAttribute{ElementType: types.StringType}, types.ListValueMust(types.StringType, long)},
		{schema.SetAttribute{ElementType: types.StringType}, types.SetValueMust(types.StringType, long)},
	} {
		list := things(make([]thing, 200)...)
		list.Items = sources.Columns[thing]{sources.NewColumn("texts", c.attribute, func(thing) attr.Value { return c.texts })}
		_, resp := read(t, list, nil)
		if errors := resp.Diagnostics.Errors(); len(errors) != 1 || !strings.Contains(errors[0].Detail(), "more than 1 GiB") {
			t.Errorf("%T: got %d errors", c.texts, len(errors))
		}
	}
}

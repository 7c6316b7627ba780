package tf_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/provider/tf"
)

// model has a field of each type.
type model struct {
	Number  types.Int64  `tfsdk:"number"`
	Number0 types.Int64  `tfsdk:"number_0"`
	Text    types.String `tfsdk:"text"`
	Empty   types.String `tfsdk:"empty"`
	Null    types.String `tfsdk:"null"`
	Flag    types.Bool   `tfsdk:"flag"`
}

// emptyState returns a null state.
func emptyState(t *testing.T) tfsdk.State {
	t.Helper()
	described := schema.Schema{Attributes: map[string]schema.Attribute{
		"empty":    schema.StringAttribute{Optional: true},
		"flag":     schema.BoolAttribute{Optional: true},
		"null":     schema.StringAttribute{Optional: true},
		"number":   schema.Int64Attribute{Optional: true, CustomType: tf.WholeNumberType{}},
		"number_0": schema.Int64Attribute{Optional: true},
		"text":     schema.StringAttribute{Optional: true},
	}}
	return tfsdk.State{Schema: described, Raw: tftypes.NewValue(described.Type().TerraformType(t.Context()), nil)}
}

func TestWrittenModelIsReadBack(t *testing.T) {
	t.Parallel()
	written := model{
		Number: types.Int64Unknown(), Number0: types.Int64Value(0),
		Text: types.StringUnknown(), Empty: types.StringValue(""), Flag: types.BoolValue(false),
	}
	state := emptyState(t)
	var diags diag.Diagnostics
	tf.Write(t.Context(), &state, written, &diags)
	if read := tf.Read[model](t.Context(), state, &diags); diags.HasError() || read != written {
		t.Errorf("read %+v, %v; want %+v", read, diags, written)
	}
}

func TestNestedValuesAreWrittenAsTheFrameworkConvertsThem(t *testing.T) {
	t.Parallel()
	itemTypes := map[string]attr.Type{"name": types.StringType, "tags": types.ListType{ElemType: types.StringType}}
	item := types.ObjectType{AttrTypes: itemTypes}
	items := types.ListValueMust(item, []attr.Value{
		types.ObjectValueMust(itemTypes, map[string]attr.Value{
			"name": types.StringValue("a"),
			"tags": types.ListValueMust(types.StringType, []attr.Value{types.StringValue("x"), types.StringUnknown()}),
		}),
		types.ObjectValueMust(itemTypes, map[string]attr.Value{"name": types.StringNull(), "tags": types.ListNull(types.StringType)}),
		types.ObjectNull(itemTypes),
		types.ObjectUnknown(itemTypes),
	})
	values := map[string]attr.Value{
		"items":   items,
		"none":    types.ListValueMust(item, []attr.Value{}),
		"null":    types.ListNull(item),
		"unknown": types.ListUnknown(item),
		"set":     types.SetValueMust(types.StringType, []attr.Value{types.StringValue("x")}),
		"map":     types.MapValueMust(types.Int64Type, map[string]attr.Value{"one": types.Int64Value(1)}),
	}
	attributes := map[string]schema.Attribute{}
	for name, value := range values {
		switch value.Type(t.Context()).(type) {
		case types.SetType:
			attributes[name] = schema.SetAttribute{Optional: true, ElementType: types.StringType}
		case types.MapType:
			attributes[name] = schema.MapAttribute{Optional: true, ElementType: types.Int64Type}
		default:
			attributes[name] = schema.ListAttribute{Optional: true, ElementType: item}
		}
	}
	state := tfsdk.State{Schema: schema.Schema{Attributes: attributes}}
	var diags diag.Diagnostics
	if tf.WriteValues(t.Context(), &state, values, &diags); diags.HasError() {
		t.Fatal(diags)
	}
	var written map[string]tftypes.Value
	if err := state.Raw.As(&written); err != nil {
		t.Fatal(err)
	}
	for name, value := range values {
		want, err := value.ToTerraformValue(t.Context())
		if err != nil || !written[name].Equal(want) {
			t.Errorf("%s is %s, want %s, %v", name, written[name], want, err)
		}
	}
}

func TestModelOfANullValueIsNull(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	if read := tf.Read[model](t.Context(), emptyState(t), &diags); diags.HasError() || read != (model{}) {
		t.Errorf("read %+v, %v", read, diags)
	}
}

func TestModelOfAnotherSchemaIsAnError(t *testing.T) {
	t.Parallel()
	state := emptyState(t)
	var diags diag.Diagnostics
	if tf.Write(t.Context(), &state, ids{}, &diags); !diags.HasError() {
		t.Errorf("written: %s", state.Raw)
	}
}

type ids struct {
	ProjectID types.String `tfsdk:"project_id"`
	ClusterID types.String `tfsdk:"cluster_id"`
}

func TestModelMayEmbedAnother(t *testing.T) {
	t.Parallel()
	type identityModel struct{ ids }
	described := identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"project_id": identityschema.StringAttribute{RequiredForImport: true},
		"cluster_id": identityschema.StringAttribute{RequiredForImport: true},
	}}
	identity := tfsdk.ResourceIdentity{Schema: described, Raw: tftypes.NewValue(described.Type().TerraformType(t.Context()), nil)}
	written := identityModel{ids{types.StringValue("64f0c2a19b3d5e7f80a1b2c3"), types.StringValue("650a1f3c2e4b6d8091a3b5c7")}}
	var diags diag.Diagnostics
	tf.Write(t.Context(), &identity, written, &diags)
	if read := tf.Read[identityModel](t.Context(), identity, &diags); diags.HasError() || read != written {
		t.Errorf("read %+v, %v; want %+v", read, diags, written)
	}
}

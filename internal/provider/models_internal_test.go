package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// emptySchedule returns a state of the resource that holds nothing.
func emptySchedule(t *testing.T) tfsdk.State {
	t.Helper()
	var described resource.SchemaResponse
	newSnapshotScheduleResource().Schema(t.Context(), resource.SchemaRequest{}, &described)
	return tfsdk.State{Schema: described.Schema, Raw: tftypes.NewValue(described.Schema.Type().TerraformType(t.Context()), nil)}
}

func TestAModelComesBackAsItWasWritten(t *testing.T) {
	t.Parallel()
	written := snapshotScheduleModel{
		ProjectID: types.StringValue("64f0c2a19b3d5e7f80a1b2c3"), ClusterID: types.StringUnknown(),
		SnapshotRetentionDays: types.Int64Value(0), SnapshotIntervalHours: types.Int64Unknown(),
		ReferenceTimeZoneOffset: types.StringValue(""), PreventRetentionDecrease: types.BoolValue(false),
	}
	state := emptySchedule(t)
	if diags := writeModel(t.Context(), &state, written); diags.HasError() {
		t.Fatal(diags)
	}
	var read snapshotScheduleModel
	if diags := readModel(t.Context(), state, &read); diags.HasError() || read != written {
		t.Errorf("read %+v, %v; want %+v", read, diags, written)
	}
}

func TestAModelOfNothingIsNull(t *testing.T) {
	t.Parallel()
	var read snapshotScheduleModel
	if diags := readModel(t.Context(), emptySchedule(t), &read); diags.HasError() || read != (snapshotScheduleModel{}) {
		t.Errorf("read %+v, %v", read, diags)
	}
}

func TestAModelOfAnotherSchemaIsRefused(t *testing.T) {
	t.Parallel()
	state := emptySchedule(t)
	if diags := writeModel(t.Context(), &state, snapshotScheduleIdentity{}); !diags.HasError() {
		t.Errorf("written: %s", state.Raw)
	}
}

type modelIDs struct {
	ProjectID types.String `tfsdk:"project_id"`
	ClusterID types.String `tfsdk:"cluster_id"`
}

func TestAModelMayEmbedAnother(t *testing.T) {
	t.Parallel()
	type identityModel struct{ modelIDs }
	var described resource.IdentitySchemaResponse
	(&snapshotScheduleResource{}).IdentitySchema(t.Context(), resource.IdentitySchemaRequest{}, &described)
	kind := described.IdentitySchema.Type().TerraformType(t.Context())
	identity := tfsdk.ResourceIdentity{Schema: described.IdentitySchema, Raw: tftypes.NewValue(kind, nil)}
	written := identityModel{modelIDs{types.StringValue("64f0c2a19b3d5e7f80a1b2c3"), types.StringValue("650a1f3c2e4b6d8091a3b5c7")}}
	if diags := writeModel(t.Context(), &identity, written); diags.HasError() {
		t.Fatal(diags)
	}
	var read identityModel
	if diags := readModel(t.Context(), identity, &read); diags.HasError() || read != written {
		t.Errorf("read %+v, %v; want %+v", read, diags, written)
	}
}

func BenchmarkModels(b *testing.B) {
	var described resource.SchemaResponse
	newSnapshotScheduleResource().Schema(b.Context(), resource.SchemaRequest{}, &described)
	state := tfsdk.State{Schema: described.Schema, Raw: tftypes.NewValue(described.Schema.Type().TerraformType(b.Context()), nil)}
	written := snapshotScheduleModel{ProjectID: types.StringValue("64f0c2a19b3d5e7f80a1b2c3"), SnapshotRetentionDays: types.Int64Value(5)}
	for b.Loop() {
		writeModel(b.Context(), &state, written)
		var read snapshotScheduleModel
		readModel(b.Context(), state, &read)
	}
}

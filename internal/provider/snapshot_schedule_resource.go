package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

type snapshotScheduleResource struct{}

func newSnapshotScheduleResource() resource.Resource { return &snapshotScheduleResource{} }

func (r *snapshotScheduleResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_snapshot_schedule"
}

func (r *snapshotScheduleResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{}
}
func (r *snapshotScheduleResource) Create(context.Context, resource.CreateRequest, *resource.CreateResponse) {}
func (r *snapshotScheduleResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse)       {}
func (r *snapshotScheduleResource) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}
func (r *snapshotScheduleResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

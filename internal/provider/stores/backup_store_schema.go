package stores

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/attributes"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

func (r *backupStoreResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	all := map[string]schema.Attribute{
		"id": schema.StringAttribute{
			Required: true, Validators: attributes.PathSegmentValidators(), PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			MarkdownDescription: "ID of the store: any non-empty text, chosen by the administrator. Changing it forces replacement: this store is destroyed, and the other one is created or adopted.",
		},
		adoptExisting: schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether creating this resource adopts a store that exists, and changes it to the configured values. " +
				"If `false`, creating it fails if the store exists. Defaults to `false`.",
		},
		deletionProtection: attributes.DeletionProtection("store"),
		"timeouts":         timeoutsAttribute(ctx),
	}
	for _, f := range r.fields {
		all[f.Attribute] = f.schema()
	}
	for _, s := range r.secrets {
		description := s.description
		if s.required {
			description += " Either this or `" + s.attribute + secrets.WriteOnly + "` is required."
		}
		secrets.AddAttributes(all, s.attribute, description)
	}
	if r.oidc {
		all["oidc"] = oidcAttribute()
	}
	if r.s3 {
		all[customCertificates] = schema.SetNestedAttribute{
			Optional:            true,
			MarkdownDescription: "Certificates of authorities that Ops Manager trusts when it connects to the bucket. If you remove them, the next apply removes them from the store. Requires Ops Manager 5.0 or later.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"filename":    schema.StringAttribute{Required: true, Validators: []validator.String{secrets.NoContent}, MarkdownDescription: "Name of the certificate's file."},
				"cert_string": schema.StringAttribute{Required: true, Validators: []validator.String{secrets.NoKey}, MarkdownDescription: "Certificate in PEM format."},
			}},
		}
	}
	resp.Schema = schema.Schema{MarkdownDescription: r.overview(), Attributes: all}
}

// overview returns the description of the resource.
func (k *storeKind) overview() string {
	text := "Manages a backup store " + k.description + ".\n\n" +
		"Creating this resource **creates** the store, and fails if the store exists, unless `adopt_existing` is set. " +
		"An attribute that is unset keeps its current value, so removing an attribute from the configuration doesn't change the store" + k.removable() + ". " +
		"If someone removes a configured value in Ops Manager, the next plan shows that.\n\n" +
		"If the response to the create request is lost, and a store with the ID and the values of the request exists afterwards, it may still be someone else's. " +
		"The provider adds it to the state with a warning, and neither changes nor deletes it until you set `adopt_existing = true`, or remove it from the state and import it.\n\n" +
		"-> Requires the role `Global Backup Admin`, because stores are shared by all projects.\n\n" +
		"!> Destroying this resource **deletes** the store in Ops Manager, even if it was adopted, and so does replacing it. " + k.deletion +
		" To keep the store, set `deletion_protection = true`. If you rename the resource, add a `moved` block."
	if len(k.secrets) > 0 {
		text += "\n\nSet each secret either in a sensitive attribute, which is stored in the state, or in its write-only counterpart, which is not. " +
			"An update replaces the whole store, so it sends every secret, even a write-only one whose version you didn't change. " +
			"The provider never stores a secret that it reads. If Ops Manager returns a different one than after the last apply, the next plan sets the configured secret again.\n\n" +
			"After an import, the first apply sends the secrets. " +
			"`terraform plan -generate-config-out` writes a configuration without the secrets, and then reports that they are missing: add them."
	}
	if k.s3 {
		text += "\n\nOps Manager tests the bucket each time it saves the store. If the test fails, the provider repeats the request a few times. " + bucketRights
	}
	return text
}

// removable names the attributes whose removal changes a store, as an exception.
func (k *storeKind) removable() string {
	switch {
	case k.s3:
		return ", except for `oidc` and `custom_certificates`, which are removed"
	case k.oidc:
		return ", except for `oidc`, which is removed"
	}
	return ""
}

func oidcAttribute() schema.Attribute {
	attributes := map[string]schema.Attribute{}
	for _, f := range oidcFields {
		attributes[f.Attribute] = schema.StringAttribute{Optional: true, MarkdownDescription: f.description}
		if _, isBool := f.Value(opsmanager.StoreOIDC{}).(types.Bool); isBool {
			attributes[f.Attribute] = schema.BoolAttribute{Optional: true, MarkdownDescription: f.description}
		}
	}
	secrets.AddAttributes(attributes, clientSecret, "Secret of the client. Required with `callback`. If unset, an update keeps the current one.")
	return schema.SingleNestedAttribute{
		Optional: true, Attributes: attributes,
		MarkdownDescription: "OpenID Connect, for the connection to the database. If you remove it, or an attribute in it, the next apply removes that from the store. An attribute that was never set keeps its current value. Requires Ops Manager 8.0.26 or later.",
	}
}

func timeoutsAttribute(ctx context.Context) schema.Attribute {
	return attributes.Timeouts(ctx, timeouts.Opts{
		Create: true, Update: true, Delete: true,
		CreateDescription: "How long creating the store may take, including the tests that Ops Manager runs, as a duration such as `30s` or `10m`. It replaces the provider's `request_timeout`. If the response to the request is lost, the provider looks for the store until then. Defaults to `5m`.",
		UpdateDescription: "How long an update may take, including the tests that Ops Manager runs. It replaces the provider's `request_timeout`. Defaults to `5m`.",
		DeleteDescription: "How long to wait until Ops Manager no longer refuses to delete the store. Defaults to `5m`.",
	})
}

// ValidateConfig rejects a configuration without the secrets that Ops Manager requires, or
// with values that it never accepts.
func (r *backupStoreResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	config := tfmodel.ValuesFrom(ctx, req.Config, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		r.validate(config, &resp.Diagnostics)
	}
}

func (k *storeKind) validate(config storeModel, diags *diag.Diagnostics) {
	if k.oidc {
		config.secret(clientSecret).Validate(path.Root("id"), clientSecret, diags)
	}
	for _, s := range k.secrets {
		config.secret(s.attribute).Validate(path.Root(s.attribute+secrets.Version), s.attribute, diags)
		if s.required && !config.secret(s.attribute).IsSet() {
			diags.AddAttributeError(path.Root(s.attribute), "Missing Secret", fmt.Sprintf("Set %[1]s or %[1]s_wo. Ops Manager requires it in every change of the store.", s.attribute))
		}
	}
	if !k.s3 {
		return
	}
	method := config.text("s3_auth_method")
	for _, s := range keys {
		isSet := config.secret(s.attribute).IsSet()
		switch {
		case method.ValueString() == authRole && isSet:
			diags.AddAttributeError(path.Root("s3_auth_method"), "Key With an IAM Role", fmt.Sprintf("Ops Manager ignores %s if s3_auth_method is %s. Remove one of them.", s.attribute, authRole))
		case !method.IsUnknown() && method.ValueString() != authRole && !isSet:
			diags.AddAttributeError(path.Root(s.attribute), "Missing Secret", fmt.Sprintf("Set %[1]s or %[1]s_wo, or set s3_auth_method = %[2]q.", s.attribute, authRole))
		}
	}
	if accepted := config.flag("accepted_tos"); !accepted.IsNull() && !accepted.IsUnknown() && !accepted.ValueBool() {
		diags.AddAttributeError(path.Root("accepted_tos"), "Terms of Service Not Accepted", "Ops Manager saves S3 stores only if you accept its terms of service for them. Set accepted_tos = true.")
	}
	mode, days, lock := config["object_retention_mode"], config["object_retention_days"], config.flag("object_lock_enabled")
	switch {
	case !mode.IsNull() && days.IsNull():
		diags.AddAttributeError(path.Root("object_retention_days"), "Incomplete Retention", "object_retention_mode requires object_retention_days.")
	case mode.IsNull() && !days.IsNull():
		diags.AddAttributeError(path.Root("object_retention_mode"), "Incomplete Retention", "object_retention_days requires object_retention_mode.")
	case !mode.IsNull() && !lock.IsUnknown() && !lock.ValueBool():
		diags.AddAttributeError(path.Root("object_lock_enabled"), "Retention Without Object Lock", "object_retention_mode requires object_lock_enabled = true.")
	}
}

package infrastructure

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
	"terraform-provider-opsmanager/internal/provider/putresource"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// check rejects a change that Ops Manager can't make, and warns if its location changes.
func (k *storeKind) check(ctx context.Context, d *connection.Data, p putresource.Plan[backupStore], diags *diag.Diagnostics) {
	if k.place.isS3 {
		checkS3(p, diags)
	}
	if p.Before == nil {
		return
	}
	warnLabels(ctx, d, k.title+" "+p.ID[0], p.Before.Labels, p.Changed.Labels, diags)
	for _, f := range k.Fields {
		wasSet := !f.IsMissing(*p.Before)
		isOff := f.Value(p.Changed).Equal(types.BoolValue(false))
		switch isSet := !f.IsMissing(p.Changed); f.Attribute {
		case "s3_bucket_name", "object_lock_enabled", "object_retention_mode", "object_retention_days":
			if isSet && (wasSet || !isOff) {
				diags.Append(k.unchangeable(p, f))
			}
		case "store_path", "s3_bucket_endpoint":
			was := opsmanager.Sanitize(f.Value(*p.Before).String())
			switch {
			case wasSet && p.Config[f.Attribute].IsUnknown():
				diags.Append(k.mayStayBehind(p.ID[0], f.Attribute, f.Attribute+" is "+was))
			case wasSet && isSet:
				diags.Append(k.staysBehind("Will", p.ID[0], f.Attribute, "This plan changes "+f.Attribute+" from "+was+"."))
			}
		}
	}
	before := tf.SecretOf(p.Prior, "uri")
	after := tf.SecretOf(p.Values, "uri")
	was := hosts(before.Text)
	configured := tf.SecretOf(p.Config, "uri")
	is := cmp.Or(hosts(after.Text), hosts(configured.WriteOnly))
	isLate := configured.Text.IsUnknown() || configured.WriteOnly.IsUnknown()
	if before == after || is == "" && !isLate {
		return
	}
	if was == "" { // the state doesn't have a write-only one, nor that of an import
		live, err := d.Client.BackupStore(ctx, k.api, p.ID[0])
		if err == nil {
			was = hosts(types.StringPointerValue(live.URI))
		}
	}
	was = opsmanager.Sanitize(was)
	switch {
	case was == "":
	case isLate:
		diags.Append(k.mayStayBehind(p.ID[0], "id", "uri has the hosts "+was))
	case was != is:
		diags.Append(k.staysBehind("Will", p.ID[0], "id", "This plan changes the hosts of uri, which were "+was+". If the new ones are those of another database,"))
	}
}

// checkS3 rejects new values that Ops Manager accepts for no S3 store.
func checkS3(p putresource.Plan[backupStore], diags *diag.Diagnostics) {
	changed := p.Changed
	if changed.AcceptedTOS != nil && !*changed.AcceptedTOS {
		diags.AddAttributeError(path.Root("accepted_tos"), "Terms of Service Not Accepted", "Ops Manager saves S3 stores only if you accept its terms of service for them. Set accepted_tos = true.")
	}
	if changed.ObjectLockEnabled == nil && changed.ObjectRetentionMode == nil && changed.ObjectRetentionDays == nil {
		return
	}
	hasMode := !p.Config["object_retention_mode"].IsNull()
	hasDays := !p.Config["object_retention_days"].IsNull()
	lock := tf.As[types.Bool](p.Config, "object_lock_enabled")
	switch {
	case hasMode && !hasDays:
		diags.AddAttributeError(path.Root("object_retention_days"), "Incomplete Retention", "object_retention_mode requires object_retention_days.")
	case hasMode && !lock.IsUnknown() && !lock.ValueBool():
		diags.AddAttributeError(path.Root("object_lock_enabled"), "Retention Without Object Lock", "object_retention_mode requires object_lock_enabled = true.")
	}
}

// unchangeable is the error of changing a field that Ops Manager can't change.
func (k *storeKind) unchangeable(p putresource.Plan[backupStore], f tf.Field[backupStore]) diag.Diagnostic {
	held := "is not set, or not returned"
	if !f.IsMissing(*p.Before) {
		held = "is " + opsmanager.Sanitize(f.Value(*p.Before).String())
	}
	return diag.NewAttributeErrorDiagnostic(path.Root(f.Attribute), "Unable to Change "+k.title,
		fmt.Sprintf("Ops Manager can't change %s of a store, and that of store %s %s. Keep that, or choose a new id for a store with the new value. "+
			"With a new id, Terraform replaces the store. To use the same id, remove the resource and apply first, which deletes the store. "+
			"If this error stops 'terraform destroy', run it with -refresh=false.",
			f.Attribute, tf.HCLString(p.ID[0]), held))
}

// staysBehind warns that a store loses what is in it. The attribute is none with a secret, because Terraform
// prints its line.
func (k *storeKind) staysBehind(word, id, attribute, change string) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(path.Root(attribute), "Location of "+k.title+" "+id+" "+word+" Change",
		change+" Ops Manager moves nothing: what is in the store, such as snapshots and oplogs, stays where it is, and Ops Manager no longer finds it there.")
}

// mayStayBehind warns that a store may lose what is in it, because its location is known only during the apply.
func (k *storeKind) mayStayBehind(id, attribute, was string) diag.Diagnostic {
	return k.staysBehind("May", id, attribute, was+" now, and the configured value is known only during the apply. If that is another location,")
}

var connectionString = regexp.MustCompile(`^mongodb(?:\+srv)?://(?:[^/]*@)?([^/?@]+)(?:[/?][^@]*)?$`)

// hosts returns the hosts of a connection string, or an empty text if they are not known. Those of a mask
// are the same as those of its connection string.
func hosts(uri types.String) string {
	parts := connectionString.FindStringSubmatch(uri.ValueString())
	if parts == nil {
		return ""
	}
	all := strings.Split(strings.ToLower(parts[1]), ",")
	for i, host := range all {
		all[i] = strings.TrimSuffix(host, ":27017") // the default
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}

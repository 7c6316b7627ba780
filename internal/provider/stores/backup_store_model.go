package stores

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

// storeModel has the attributes of a store by name.
type storeModel map[string]attr.Value

func (m storeModel) id() string { return m.text("id").ValueString() }

// text returns an attribute that is a string.
func (m storeModel) text(attribute string) types.String {
	return tfmodel.As[types.String](tfmodel.Values(m), attribute)
}

// flag returns an attribute that is a Boolean value.
func (m storeModel) flag(attribute string) types.Bool {
	return tfmodel.As[types.Bool](tfmodel.Values(m), attribute)
}

// secret returns a secret; that of oidc is in a nested object.
func (m storeModel) secret(attribute string) secrets.Value {
	if attribute == clientSecret {
		return secrets.Of(m.oidc(), attribute)
	}
	return secrets.Of(m, attribute)
}

// oidc returns the attributes of oidc, or nil if it is null or unknown.
func (m storeModel) oidc() map[string]attr.Value {
	object := tfmodel.As[types.Object](tfmodel.Values(m), "oidc")
	if object.IsNull() || object.IsUnknown() {
		return nil
	}
	return object.Attributes()
}

// toAPI returns the store without its secrets, and without the fields that are null or
// unknown.
func (k *storeKind) toAPI(m storeModel) opsmanager.BackupStore {
	store := opsmanager.BackupStore{ID: m.id()}
	k.convertible().Set(&store, m)
	store.OIDC = oidcToAPI(m.oidc())
	certificates.Set(&store, m)
	return store
}

// fromAPI returns a model with the fields that a response has. A missing field becomes null if Ops
// Manager has returned it before and leaves it out if it is not set, or if it is unknown. Otherwise,
// it keeps its value. A missing list of labels is empty. Secrets stay as they are, unless Ops
// Manager returns them in a different form than after the last write: then they become null, so that the
// next plan sets them again.
func (k *storeKind) fromAPI(m storeModel, response opsmanager.BackupStore, known secrets.ReadBack, before returned) storeModel {
	updated := storeModel(k.convertible().FromAPI(m, response))
	removed := wholeobject.Removed(before.Returned, k.optional(), response)
	for _, f := range k.optional() {
		if slices.Contains(removed, f.Attribute) && !isEmptyText(m[f.Attribute]) {
			updated[f.Attribute] = f.Value(response)
		}
	}
	if oidc := m.oidc(); oidc != nil {
		updated["oidc"] = oidcFromAPI(oidc, response.OIDC, before)
	}
	if _, managed := m[customCertificates]; managed && !hasCertificates(response) && before.has(customCertificates) {
		updated[customCertificates] = types.SetNull(certificateType)
	}
	for attribute, shown := range k.shownSecrets(response) {
		if !known.Differs(attribute, shown) {
			continue
		}
		switch attribute {
		case clientSecret:
			if oidc := updated.oidc(); oidc != nil {
				updated["oidc"] = types.ObjectValueMust(oidcTypes, withoutSecret(oidc, attribute))
			}
		case customCertificates:
			updated[attribute] = types.SetNull(certificateType)
		default:
			updated = withoutSecret(updated, attribute)
		}
	}
	return updated
}

// isEmptyText reports whether a value is an empty text, which already says that a field is not set.
func isEmptyText(value attr.Value) bool {
	text, ok := value.(types.String)
	return ok && !text.IsNull() && !text.IsUnknown() && text.ValueString() == ""
}

// withoutSecret returns values with a secret and its version removed.
func withoutSecret[M ~map[string]attr.Value](values M, attribute string) M {
	removed := maps.Clone(values)
	secrets.Remove(removed, attribute)
	return removed
}

// changes returns the fields of a plan whose value is known and differs from a prior state.
func (k *storeKind) changes(plan, prior storeModel) opsmanager.BackupStore {
	changed := opsmanager.BackupStore{ID: plan.id()}
	k.convertible().SetChanges(&changed, plan, prior)
	if planned := plan.oidc(); planned != nil {
		changed.OIDC = new(opsmanager.StoreOIDC)
		convertibleOIDC.SetChanges(changed.OIDC, planned, prior.oidc())
	}
	return changed
}

// unplannedOIDC returns the differences between oidc of two versions of a store, in the parts that the
// plan has a value for and does not change.
func unplannedOIDC(wanted, planned, from, to opsmanager.BackupStore) []tfmodel.Difference {
	if wanted.OIDC == nil || planned.OIDC == nil || from.OIDC == nil || to.OIDC == nil {
		return nil
	}
	return inOIDC(convertibleOIDC.Unplanned(*wanted.OIDC, *planned.OIDC, *from.OIDC, *to.OIDC))
}

// inOIDC returns differences in parts of oidc with the names of their attributes.
func inOIDC(differences []tfmodel.Difference) []tfmodel.Difference {
	for i := range differences {
		differences[i].Attribute = "oidc." + differences[i].Attribute
	}
	return differences
}

// differences compares the wanted fields with those that Ops Manager holds. Secrets are
// not compared.
func (k *storeKind) differences(wanted, held opsmanager.BackupStore) []tfmodel.Difference {
	found := k.convertible().Differences(wanted, held)
	if wanted.OIDC == nil {
		return found
	}
	if held.OIDC == nil {
		held.OIDC = new(opsmanager.StoreOIDC)
	}
	return append(found, inOIDC(convertibleOIDC.Differences(*wanted.OIDC, *held.OIDC))...)
}

// lacksClientSecret reports whether the method of oidc requires a client secret that is not
// configured.
func lacksClientSecret(config storeModel) bool {
	oidc := config.oidc()
	return tfmodel.As[types.Bool](oidc, "enabled").ValueBool() && tfmodel.As[types.String](oidc, "method").ValueString() == "callback" && !config.secret(clientSecret).IsSet()
}

// missingFields returns the attributes of the required fields that are null in a model.
func (k *storeKind) missingFields(m storeModel) []string {
	var missing []string
	for _, f := range k.fields {
		if f.required && m[f.Attribute].IsNull() {
			missing = append(missing, f.Attribute)
		}
	}
	for _, s := range k.secrets {
		if s.required && !m.secret(s.attribute).IsSet() {
			missing = append(missing, s.attribute)
		}
	}
	return missing
}

// oidcField is a field of oidc that is no secret.
type oidcField struct {
	tfmodel.Field[opsmanager.StoreOIDC]

	description string
}

var oidcFields = []oidcField{
	{
		tfmodel.BoolField("enabled", func(o *opsmanager.StoreOIDC) **bool { return &o.Enabled }),
		"Whether Ops Manager uses OpenID Connect. If it does, it ignores credentials in the connection string.",
	},
	{
		tfmodel.TextField("method", func(o *opsmanager.StoreOIDC) **string { return &o.Method }),
		"How Ops Manager gets a token: `callback`, `azure`, `gcp` or `k8s`.",
	},
	{
		tfmodel.TextField("token_uri", func(o *opsmanager.StoreOIDC) **string { return &o.TokenURI }),
		"URL that issues tokens. Required with `callback`.",
	},
	{
		tfmodel.TextField("client_id", func(o *opsmanager.StoreOIDC) **string { return &o.ClientID }),
		"ID of the client. Required with `callback`.",
	},
	{
		tfmodel.TextField("scope", func(o *opsmanager.StoreOIDC) **string { return &o.Scope }),
		"Scope of the token, for `callback`.",
	},
	{
		tfmodel.TextField("token_resource", func(o *opsmanager.StoreOIDC) **string { return &o.TokenResource }),
		"Resource that the token is for. Required with `azure` and `gcp`.",
	},
}

// convertibleOIDC has the fields of oidc, to convert and compare them.
var convertibleOIDC = func() (all tfmodel.Fields[opsmanager.StoreOIDC]) {
	for _, f := range oidcFields {
		all = append(all, f.Field)
	}
	return all
}()

// oidcTypes are the types of the attributes of oidc.
var oidcTypes = func() map[string]attr.Type {
	all := map[string]attr.Type{clientSecret: types.StringType, clientSecret + secrets.WriteOnly: types.StringType, clientSecret + secrets.Version: tfmodel.WholeNumberType{}}
	for _, f := range oidcFields {
		all[f.Attribute] = f.Value(opsmanager.StoreOIDC{}).Type(context.Background())
	}
	return all
}()

// oidcToAPI returns oidc without the client secret, or nil.
func oidcToAPI(values map[string]attr.Value) *opsmanager.StoreOIDC {
	if values == nil {
		return nil
	}
	oidc := new(opsmanager.StoreOIDC)
	convertibleOIDC.Set(oidc, values)
	return oidc
}

// oidcFromAPI returns oidc with the fields that it has and that a response has, too. What Ops Manager
// has returned before, and a response lacks, was removed.
func oidcFromAPI(values map[string]attr.Value, response *opsmanager.StoreOIDC, before returned) types.Object {
	if response == nil && before.has("oidc") {
		return types.ObjectNull(oidcTypes)
	}
	updated := maps.Clone(values)
	if response == nil {
		response = new(opsmanager.StoreOIDC)
	}
	for _, f := range oidcFields {
		value, held := f.Value(*response), values[f.Attribute]
		if !held.IsNull() && (!value.IsNull() || before.has("oidc."+f.Attribute) && !isEmptyText(held)) {
			updated[f.Attribute] = value
		}
	}
	return types.ObjectValueMust(oidcTypes, updated)
}

// mergedOIDC returns what a replacement sends for oidc, apart from the client secret, which it keeps
// if it is nil. Each part has its live value, unless the plan changes it. Without a prior oidc, the
// plan sets it as a whole: of the live one, which a plan does not show, remain the fields that this
// provider does not know, if there was one when the plan was made. An adoption keeps the live value
// of each part that is not configured.
func mergedOIDC(u update) (merged *opsmanager.StoreOIDC, vanished bool) {
	planned, prior, live := u.plan.oidc(), u.prior.oidc(), u.live.OIDC
	isAdoption := u.prior == nil
	switch {
	case planned == nil && prior != nil:
		return nil, false
	case planned == nil:
		return withoutClientSecret(live), false
	case live == nil && prior != nil && u.returned.has("oidc"):
		// It was removed after the plan was made.
		return nil, !u.plan["oidc"].Equal(u.prior["oidc"])
	case live == nil:
		return oidcToAPI(planned), false
	case prior == nil && !isAdoption:
		whole := *oidcToAPI(planned)
		if u.returned.OIDC {
			whole.Unknown = live.Unknown
		}
		return &whole, false
	}
	merged = withoutClientSecret(live)
	for _, f := range oidcFields {
		one := tfmodel.Fields[opsmanager.StoreOIDC]{f.Field}
		switch value := planned[f.Attribute]; {
		case isAdoption && value.IsNull():
		case isAdoption, !value.Equal(prior[f.Attribute]):
			one.Set(merged, planned)
		case f.IsMissing(*live) && !u.returned.has("oidc."+f.Attribute):
			one.Set(merged, planned) // this version of Ops Manager does not return it
		}
	}
	return merged, false
}

func withoutClientSecret(oidc *opsmanager.StoreOIDC) *opsmanager.StoreOIDC {
	if oidc == nil {
		return nil
	}
	copied := *oidc
	copied.ClientSecret = nil
	return &copied
}

// certificateType is the type of an element of custom_certificates.
var certificateType = types.ObjectType{AttrTypes: map[string]attr.Type{"filename": types.StringType, "cert_string": types.StringType}}

// certificates converts custom_certificates.
var certificates = tfmodel.Fields[opsmanager.BackupStore]{
	tfmodel.SetField(customCertificates, func(s *opsmanager.BackupStore) **[]opsmanager.Certificate { return &s.CustomCertificates }, certificateType,
		func(c opsmanager.Certificate) attr.Value {
			return types.ObjectValueMust(certificateType.AttrTypes, map[string]attr.Value{"filename": types.StringValue(c.Filename), "cert_string": types.StringValue(c.CertString)})
		},
		func(value attr.Value) opsmanager.Certificate {
			object, _ := value.(types.Object)
			text := func(attribute string) string {
				return tfmodel.As[types.String](object.Attributes(), attribute).ValueString()
			}
			return opsmanager.Certificate{Filename: text("filename"), CertString: text("cert_string")}
		}),
}

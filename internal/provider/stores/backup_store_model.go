package stores

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/secrets"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// storeModel has the attributes of a store by name.
type storeModel map[string]attr.Value

func (m storeModel) id() string { return m.text("id").ValueString() }

// text returns an attribute that is a string.
func (m storeModel) text(attribute string) types.String {
	value, _ := m[attribute].(types.String)
	return value
}

// flag returns an attribute that is a Boolean value.
func (m storeModel) flag(attribute string) types.Bool {
	value, _ := m[attribute].(types.Bool)
	return value
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
	object, _ := m["oidc"].(types.Object)
	if object.IsNull() || object.IsUnknown() {
		return nil
	}
	return object.Attributes()
}

// toAPI returns the store without its secrets, and without the fields that are null or
// unknown.
func (k *storeKind) toAPI(m storeModel) opsmanager.BackupStore {
	store := opsmanager.BackupStore{ID: m.id()}
	for _, f := range k.fields {
		f.set(&store, m[f.attribute])
	}
	store.OIDC = oidcToAPI(m.oidc())
	store.CustomCertificates = certificatesToAPI(m[customCertificates])
	return store
}

// fromAPI returns a model with the fields that a response has. A missing field keeps its
// value, or becomes null if that is unknown. A missing list of labels is empty. Secrets
// stay as they are, unless Ops Manager returns them in another form than after the last
// write: then they become null, so that the next plan sets them again.
func (k *storeKind) fromAPI(m storeModel, response opsmanager.BackupStore, known secrets.ReadBack) storeModel {
	updated := maps.Clone(m)
	for _, f := range k.fields {
		if prior := m[f.attribute]; !f.isMissing(response) || f.attribute == labels.attribute || prior != nil && prior.IsUnknown() {
			updated[f.attribute] = f.value(response)
		}
	}
	if oidc := m.oidc(); oidc != nil && response.OIDC != nil {
		updated["oidc"] = oidcFromAPI(oidc, *response.OIDC)
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

// withoutSecret returns values with a secret and its version removed.
func withoutSecret[M ~map[string]attr.Value](values M, attribute string) M {
	removed := maps.Clone(values)
	secrets.Remove(removed, attribute)
	return removed
}

// applied returns a planned model whose unknown values are taken from a response. The
// known ones stay, or Terraform reports an inconsistent result.
func (k *storeKind) applied(plan storeModel, response opsmanager.BackupStore) storeModel {
	done := maps.Clone(plan)
	for _, f := range k.fields {
		if plan[f.attribute].IsUnknown() {
			done[f.attribute] = f.value(response)
		}
	}
	return done
}

// merged returns a store with the fields that it lacks taken from another one.
func (k *storeKind) merged(store, from opsmanager.BackupStore) opsmanager.BackupStore {
	for _, f := range k.fields {
		if f.isMissing(store) {
			f.copy(&store, from)
		}
	}
	if store.OIDC == nil {
		store.OIDC = from.OIDC
	}
	if store.CustomCertificates == nil {
		store.CustomCertificates = from.CustomCertificates
	}
	return store
}

// copy copies the field of another store, as it is.
func (f storeField) copy(to *opsmanager.BackupStore, from opsmanager.BackupStore) {
	switch field := f.api(to).(type) {
	case **bool:
		*field = *f.api(&from).(**bool) //nolint:forcetypeassert // the same field has the same type
	case **int64:
		*field = *f.api(&from).(**int64) //nolint:forcetypeassert // the same field has the same type
	case **[]string:
		*field = *f.api(&from).(**[]string) //nolint:forcetypeassert // the same field has the same type
	case **string:
		*field = *f.api(&from).(**string) //nolint:forcetypeassert // the same field has the same type
	}
}

// changes returns the fields of a plan whose value is known and differs from a prior state.
func (k *storeKind) changes(plan, prior storeModel) opsmanager.BackupStore {
	changed := opsmanager.BackupStore{ID: plan.id()}
	for _, f := range k.fields {
		if !plan[f.attribute].Equal(prior[f.attribute]) {
			f.set(&changed, plan[f.attribute])
		}
	}
	return changed
}

// differences compares the wanted fields with those that Ops Manager holds. Secrets are
// not compared.
func (k *storeKind) differences(wanted, held opsmanager.BackupStore) []tfmodel.Difference {
	var found []tfmodel.Difference
	for _, f := range k.fields {
		value := f.literal(held)
		if value == nil && f.attribute == labels.attribute {
			value = new("[]")
		}
		found = tfmodel.AppendDifference(found, f.attribute, f.literal(wanted), value, "")
	}
	if wanted.OIDC == nil {
		return found
	}
	for _, f := range oidcFields {
		var value *string
		if held.OIDC != nil {
			value = f.literal(*held.OIDC)
		}
		found = tfmodel.AppendDifference(found, "oidc."+f.attribute, f.literal(*wanted.OIDC), value, "")
	}
	return found
}

// missingFields returns the attributes of the required fields that are null in a model.
func (k *storeKind) missingFields(m storeModel) []string {
	var missing []string
	for _, f := range k.fields {
		if f.required && m[f.attribute].IsNull() {
			missing = append(missing, f.attribute)
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
	attribute   string
	text        func(*opsmanager.StoreOIDC) **string // nil for enabled
	description string
}

var oidcFields = []oidcField{
	{"enabled", nil, "Whether Ops Manager uses OpenID Connect. If it does, it ignores credentials in the connection string."},
	{"method", func(o *opsmanager.StoreOIDC) **string { return &o.Method }, "How Ops Manager gets a token: `callback`, `azure`, `gcp` or `k8s`."},
	{"token_uri", func(o *opsmanager.StoreOIDC) **string { return &o.TokenURI }, "URL that issues tokens. Required with `callback`."},
	{"client_id", func(o *opsmanager.StoreOIDC) **string { return &o.ClientID }, "ID of the client. Required with `callback`."},
	{"scope", func(o *opsmanager.StoreOIDC) **string { return &o.Scope }, "Scope of the token, for `callback`."},
	{"token_resource", func(o *opsmanager.StoreOIDC) **string { return &o.TokenResource }, "Resource that the token is for. Required with `azure` and `gcp`."},
}

func (f oidcField) value(oidc opsmanager.StoreOIDC) attr.Value {
	if f.text == nil {
		return types.BoolPointerValue(oidc.Enabled)
	}
	return types.StringPointerValue(tfmodel.Normalized(*f.text(&oidc)))
}

func (f oidcField) literal(oidc opsmanager.StoreOIDC) *string {
	value := f.value(oidc)
	if value.IsNull() {
		return nil
	}
	return new(value.String())
}

// oidcTypes are the types of the attributes of oidc.
var oidcTypes = func() map[string]attr.Type {
	all := map[string]attr.Type{clientSecret: types.StringType, clientSecret + secrets.WriteOnly: types.StringType, clientSecret + secrets.Version: tfmodel.WholeNumberType{}}
	for _, f := range oidcFields {
		all[f.attribute] = types.StringType
		if f.text == nil {
			all[f.attribute] = types.BoolType
		}
	}
	return all
}()

// oidcToAPI returns oidc without the client secret, or nil.
func oidcToAPI(values map[string]attr.Value) *opsmanager.StoreOIDC {
	if values == nil {
		return nil
	}
	oidc := new(opsmanager.StoreOIDC)
	for _, f := range oidcFields {
		switch value := values[f.attribute].(type) {
		case types.Bool:
			oidc.Enabled = tfmodel.BoolPointer(value)
		case types.String:
			*f.text(oidc) = tfmodel.StringPointer(value)
		}
	}
	return oidc
}

// oidcFromAPI returns oidc with the fields that it has and that a response has, too.
func oidcFromAPI(values map[string]attr.Value, response opsmanager.StoreOIDC) types.Object {
	updated := maps.Clone(values)
	for _, f := range oidcFields {
		if value := f.value(response); !value.IsNull() && !values[f.attribute].IsNull() {
			updated[f.attribute] = value
		}
	}
	return types.ObjectValueMust(oidcTypes, updated)
}

// certificateType is the type of an element of custom_certificates.
var certificateType = types.ObjectType{AttrTypes: map[string]attr.Type{"filename": types.StringType, "cert_string": types.StringType}}

// certificatesToAPI returns certificates, or nil. They are sorted, so that they are always
// sent in the same order.
func certificatesToAPI(value attr.Value) *[]opsmanager.Certificate {
	set, _ := value.(types.Set)
	if set.IsNull() || set.IsUnknown() {
		return nil
	}
	certificates := []opsmanager.Certificate{}
	for _, element := range sorted(slices.Clone(set.Elements())) {
		object, _ := element.(types.Object)
		name, _ := object.Attributes()["filename"].(types.String)
		text, _ := object.Attributes()["cert_string"].(types.String)
		certificates = append(certificates, opsmanager.Certificate{Filename: name.ValueString(), CertString: text.ValueString()})
	}
	return &certificates
}

package infrastructure

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/putresource"
	"terraform-provider-opsmanager/internal/provider/tf"
)

const customCertificates = "custom_certificates"

// certificate is an element of custom_certificates.
type certificate = opsmanager.Certificate

var certificatesAttribute = schema.SetNestedAttribute{
	Optional:            true,
	Computed:            true,
	MarkdownDescription: "Certificate authorities that Ops Manager trusts for the bucket. `[]` removes all. Requires Ops Manager 5.0 or later." + tf.Kept,
	NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
		"filename": schema.StringAttribute{
			Required:            true,
			Validators:          []validator.String{tf.NoContent},
			MarkdownDescription: "Name of the certificate's file.",
		},
		"cert_string": schema.StringAttribute{
			Required:            true,
			Validators:          []validator.String{tf.NoKey},
			MarkdownDescription: "Certificate in PEM format.",
		},
	}},
}

// certificateType is the type of the values of an element, which is that of the schema.
var certificateType = certificatesAttribute.NestedObject.Type().(types.ObjectType) //nolint:forcetypeassert // nothing else

// certificates are custom_certificates. A response lacks them if there are none, or if they are masked.
var certificates = tf.SetField(
	customCertificates,
	putresource.At(&sample, &sample.CustomCertificates),
	certificateType,
	certificateFromAPI,
	certificateToAPI,
).Absent(tf.UnsetOnceReturned).OrMasked(func(s *backupStore) bool {
	return s.MaskedCertificates != nil
})

func certificateFromAPI(c certificate) attr.Value {
	return types.ObjectValueMust(certificateType.AttrTypes, tf.Values{
		"filename":    types.StringValue(c.Filename),
		"cert_string": types.StringValue(c.CertString),
	})
}

func certificateToAPI(value attr.Value) certificate {
	object, _ := value.(types.Object)
	values := object.Attributes()
	return certificate{
		Filename:   tf.As[types.String](values, "filename").ValueString(),
		CertString: tf.As[types.String](values, "cert_string").ValueString(),
	}
}

// certificateElements are the certificates of a store. A masked one has no text to compare.
var certificateElements = putresource.Elements[certificate]{
	Value:   certificateFromAPI,
	Name:    func(c certificate) string { return c.Filename },
	Unknown: func(c *certificate) *opsmanager.UnknownFields { return &c.Unknown },
}

// hiddenCertificates are custom_certificates, which a response may have without their texts.
var hiddenCertificates = putresource.Hidden[backupStore]{
	Attribute: customCertificates,
	Text: func(store backupStore) string {
		text := ""
		for _, c := range certificatesOf(store) {
			pair, _ := json.Marshal([]string{c.Filename, c.CertString}) // can't fail
			text += string(pair)
		}
		return text
	},
	CouldShow: func(shown, wanted backupStore) bool {
		return slices.EqualFunc(certificatesOf(shown), certificatesOf(wanted), func(is, want certificate) bool {
			return is.Filename == want.Filename && opsmanager.CouldShow(is.CertString, want.CertString)
		})
	},
	Describe: func(store backupStore) string {
		var all []string
		for _, c := range certificatesOf(store) {
			seen := "masked"
			if store.MaskedCertificates == nil {
				seen = fmt.Sprintf("SHA-256 %x", sha256.Sum256([]byte(c.CertString)))[:24]
			}
			all = append(all, c.Filename+" ("+seen+")")
		}
		return strings.Join(all, ", ")
	},
}

// certificatesOf returns the certificates of a store in the same order each time.
func certificatesOf(store backupStore) []certificate {
	held := cmp.Or(store.MaskedCertificates, store.CustomCertificates)
	if held == nil {
		return nil
	}
	return slices.SortedFunc(slices.Values(*held), func(a, b certificate) int {
		return cmp.Or(strings.Compare(a.Filename, b.Filename), strings.Compare(a.CertString, b.CertString))
	})
}

// withoutMasks moves certificates to MaskedCertificates if the response may have masks in place of their
// texts. Not all forms of masks are known.
func withoutMasks(store *backupStore) *backupStore {
	isMasked := func(c certificate) bool { return !opsmanager.IsCertificate(c.CertString) }
	if store != nil && store.CustomCertificates != nil && slices.ContainsFunc(*store.CustomCertificates, isMasked) {
		store.CustomCertificates, store.MaskedCertificates = nil, store.CustomCertificates
	}
	return store
}

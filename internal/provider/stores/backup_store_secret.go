package stores

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// Attributes of the secrets that are parts of a nested object or list.
const (
	clientSecret       = "client_secret" // in oidc
	customCertificates = "custom_certificates"
)

// shownSecrets returns the secrets of a store, as they are in a response, by attribute.
func (k *storeKind) shownSecrets(store opsmanager.BackupStore) map[string]string {
	shown := map[string]string{}
	for _, s := range k.secrets {
		if text := *s.api(&store); text != nil {
			shown[s.attribute] = *text
		}
	}
	if store.OIDC != nil && store.OIDC.ClientSecret != nil {
		shown[clientSecret] = *store.OIDC.ClientSecret
	}
	if store.CustomCertificates != nil {
		certificates := slices.Clone(*store.CustomCertificates)
		slices.SortFunc(certificates, func(a, b opsmanager.Certificate) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		text, _ := json.Marshal(certificates) // can't fail
		shown[customCertificates] = string(text)
	}
	return shown
}

// areReadable reports whether each certificate of a response has its text, as opposed to a mask.
func areReadable(certificates *[]opsmanager.Certificate) bool {
	return !slices.ContainsFunc(*certificates, func(c opsmanager.Certificate) bool {
		block, _ := pem.Decode([]byte(c.CertString))
		return block == nil
	})
}

// required returns the secrets that each request for a store must have.
func (k *storeKind) required(authMethod string) []storeSecret {
	return slices.DeleteFunc(slices.Clone(k.secrets), func(s storeSecret) bool { return !s.required && authMethod == authRole })
}

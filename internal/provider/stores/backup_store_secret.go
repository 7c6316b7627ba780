package stores

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/secrets"
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

// hasMask reports whether one of the certificates is masked.
func hasMask(certificates *[]opsmanager.Certificate) bool {
	return certificates != nil && slices.ContainsFunc(*certificates, func(c opsmanager.Certificate) bool { return secrets.IsMasked(c.CertString) })
}

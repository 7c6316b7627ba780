package stores

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"regexp"
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

// certificateTexts returns the certificates of a store without what their notation leaves open, sorted.
func certificateTexts(store opsmanager.BackupStore) []string {
	var texts []string
	if store.CustomCertificates != nil {
		for _, c := range *store.CustomCertificates {
			if block, _ := pem.Decode([]byte(c.CertString)); block != nil {
				texts = append(texts, c.Filename+" "+string(block.Bytes))
			}
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

var (
	connectionString = regexp.MustCompile(`^mongodb(?:\+srv)?://(?:[^/]*@)?([^/?@]+)(?:[/?][^@]*)?$`)
	host             = regexp.MustCompile(`^(?:[\w.-]+\.[\w.-]+(?::\d+)?|[\w-]+:\d+|\[[\da-f:.]+\](?::\d+)?)$`)
	accessKey        = regexp.MustCompile(`^A[KS]IA[A-Z0-9]{16}$`)
	maskWord         = regexp.MustCompile(`(?i)redacted|hidden|masked|xxx`)
)

// hostsInClear returns the hosts of a connection string, or an empty text if they may be masked.
func hostsInClear(uri string) string {
	parts := connectionString.FindStringSubmatch(uri)
	if parts == nil || maskWord.MatchString(parts[1]) {
		return ""
	}
	hosts := strings.Split(strings.ToLower(parts[1]), ",")
	for i, one := range hosts {
		if !host.MatchString(one) {
			return ""
		}
		hosts[i] = strings.TrimSuffix(one, ":27017") // the default
	}
	slices.Sort(hosts)
	return strings.Join(slices.Compact(hosts), ",")
}

// accessKeyInClear returns the ID of an access key of AWS, or an empty text if it may be masked. No form
// tells the keys of other services from a mask.
func accessKeyInClear(key string) string {
	if !accessKey.MatchString(key) || maskWord.MatchString(key) {
		return ""
	}
	return key
}

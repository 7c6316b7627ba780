package provider_test

import (
	"encoding/base64"
	"encoding/pem"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"terraform-provider-opsmanager/internal/providertest"
)

// forPaths matches the names of attributes that are paths, files or certificates.
var forPaths = regexp.MustCompile(`path$|_file$|^file|director|cert_|_pem$`)

// placement is an attribute, and how to set it, perhaps in nested objects.
type placement struct {
	name  string
	place func(value string) (attribute string, in any)
}

// placements returns the texts among some attributes that a configuration can set.
func placements(attributes []*tfprotov6.SchemaAttribute) (all []placement) {
	for _, a := range attributes {
		switch {
		case !a.Optional && !a.Required || a.Sensitive:
		case a.NestedType == nil && forPaths.MatchString(a.Name) && strings.Contains(a.Type.String(), "String"):
			all = append(all, placement{a.Name, func(value string) (string, any) { return a.Name, value }})
		case a.NestedType != nil:
			for _, inner := range placements(a.NestedType.Attributes) {
				all = append(all, placement{a.Name + "." + inner.name, func(value string) (string, any) {
					attribute, in := inner.place(value)
					object := values{attribute: in}
					for _, other := range a.NestedType.Attributes {
						if other.Required && other.Name != attribute { // the framework's error about a missing one would quote the others
							object[other.Name] = "x"
						}
					}
					if a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle {
						return a.Name, object
					}
					return a.Name, []any{object}
				}})
			}
		}
	}
	return all
}

func TestContentOfAKeyFileInPlaceOfItsPathIsRejectedUnseen(t *testing.T) {
	t.Parallel()
	certificate, key := providertest.EncodePEM(t, providertest.Certificates().Client)
	block, _ := pem.Decode(key)
	body := base64.StdEncoding.EncodeToString(block.Bytes)
	keys := map[string]string{
		"a key":                    string(key),
		"a key in one line":        strings.ReplaceAll(string(key), "\n", ""),
		"a key without its frame":  body,
		"a key in base64":          base64.StdEncoding.EncodeToString(key),
		"a key behind a comment":   "Bag Attributes\n" + string(key),
		"a certificate with a key": string(certificate) + string(key),
		"an encrypted key":         "-----BEGIN ENCRYPTED PRIVATE KEY-----\n" + body + "\n-----END ENCRYPTED PRIVATE KEY-----\n",
	}
	block, _ = pem.Decode(certificate)
	lines := base64.StdEncoding.EncodeToString(block.Bytes)
	contents := map[string]string{
		"a certificate":   string(certificate),
		"some lines":      lines[:20] + "\n" + lines[20:],
		"the first line":  lines[:64],
		"a binary":        "\x00\x01" + lines,
		"a Windows file":  lines[:20] + "\r\n",
		"a directory key": lines + "\n/",
		"two slashes":     string(certificate) + "//a",
	}
	w := providertest.NewWorkspace(t, providertest.StartService(t))
	found := map[string]bool{}
	for typeName, schema := range w.Schema.ResourceSchemas {
		for _, p := range placements(schema.Block.Attributes) {
			found[strings.TrimPrefix(typeName, "opsmanager_")+"."+p.name] = true
			refuse := func(what, value string, refused bool) {
				t.Helper()
				attribute, in := p.place(value)
				planned := w.NewResource(typeName).Plan(values{attribute: in})
				text := strings.Join(append(planned.Errors(), planned.Warnings()...), "\n")
				named := strings.Contains(text, "Invalid File Path: "+p.name[strings.LastIndex(p.name, ".")+1:]+": The value must be") ||
					strings.Contains(text, "Private Key in a Certificate: cert_string: ")
				// Terraform prints the line of the configuration that an error refers to.
				isShown := strings.Contains(text, body[:16]) || strings.Contains(text, lines[:16]) ||
					strings.Contains(text, "] Invalid File Path") || strings.Contains(text, "] Private Key in a Certificate")
				if named != refused || refused && isShown {
					t.Errorf("%s.%s: %s: %s", typeName, p.name, what, text)
				}
			}
			for what, value := range keys {
				refuse(what, value, true)
			}
			takesCertificates := strings.HasSuffix(p.name, "cert_string")
			for what, value := range contents {
				if what != "a Windows file" || !takesCertificates { // which ends with a line feed, like a path that was read from a file
					refuse(what, value, !takesCertificates && what != "a Windows file")
				}
			}
			if !takesCertificates {
				refuse("a path", "/etc/mongodb/MIIE/kmip-client.pem", false)
				refuse("a path on Windows", `C:\mongodb\MIIE\kmip.pem`, false)
				refuse("a relative path", "Mongo/certificates/of/the/production/clusters/kmip/client/and/more", false)
			}
		}
	}
	for _, want := range []string{
		"backup_daemon.head_root_directory", "project_backup_job_config.kmip_client_cert_path", "project_backup_job_config.daemon_filter.head_root_directory",
		"file_system_store.store_path", "s3_blockstore.custom_certificates.filename", "s3_blockstore.custom_certificates.cert_string",
		"s3_oplog_store.custom_certificates.cert_string",
	} {
		if !found[want] {
			t.Errorf("%s is missing in %v", want, found)
		}
	}
	none := func(kind, name string, attributes []*tfprotov6.SchemaAttribute) {
		for _, p := range placements(attributes) {
			t.Errorf("%s %s: %s is not tested", kind, name, p.name)
		}
	}
	for name, schema := range w.Schema.DataSourceSchemas {
		none("data source", name, schema.Block.Attributes)
	}
	for name, schema := range w.Schema.ListResourceSchemas {
		none("list resource", name, schema.Block.Attributes)
	}
	for name, schema := range w.Schema.ActionSchemas {
		none("action", name, schema.Schema.Block.Attributes)
	}
}

// Terraform checks a value that the plan doesn't know yet in the apply.
func TestContentOfAKeyFileThatIsKnownOnlyAtApplyIsRejectedUnseen(t *testing.T) {
	t.Parallel()
	_, key := providertest.EncodePEM(t, providertest.Certificates().Client)
	s, r := providertest.StartResource(t, providertest.JobConfigType)
	r.MustApply(values{"project_id": payments, "kmip_client_cert_path": "/etc/kmip.pem"})
	p := r.Plan(values{"project_id": payments, "kmip_client_cert_path": providertest.Unknown})
	p.WantNoErrors(t)
	s.ResetRequests()
	diags := r.Apply(p, values{"kmip_client_cert_path": string(key)})
	diags.WantError(t, "Invalid File Path")
	if text := strings.Join(append(diags.Errors(), diags.Warnings()...), "\n"); strings.Contains(text, string(key[40:60])) ||
		strings.HasPrefix(text, "[") {
		t.Error(text)
	}
	providertest.WantNoCalls(t, s, "PUT")
}

// The errors of the framework and of its validators quote values, and the elements of a set.
func TestNoMessageShowsAPrivateKey(t *testing.T) {
	t.Parallel()
	_, key := providertest.EncodePEM(t, providertest.Certificates().Client)
	w := providertest.NewWorkspace(t, providertest.StartService(t))
	check := func(typeName string, config values) {
		t.Helper()
		p := w.NewResource(typeName).Plan(config)
		text := strings.Join(append(p.Errors(), p.Warnings()...), "\n")
		if text == "" || strings.Contains(text, "PRIVATE") || strings.Contains(text, string(key[40:60])) {
			t.Errorf("%s: %s", typeName, text)
		}
	}
	check("opsmanager_deployment_region", values{"deployment_id": string(key)}) // which is in the path of a request
	for typeName, schema := range w.Schema.ResourceSchemas {
		config := values{}
		for _, a := range schema.Block.Attributes {
			if (a.Optional || a.Required) && a.NestedType == nil && a.Type.String() == "tftypes.String" {
				config[a.Name] = string(key)
			}
		}
		for _, p := range placements(schema.Block.Attributes) {
			if p.name == "daemon_filter.head_root_directory" {
				config["daemon_filter"] = []any{values{"head_root_directory": string(key)}}
			}
		}
		check(typeName, config)
	}
}

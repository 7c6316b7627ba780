// Command schemas prints the schemas of the provider in the format of terraform providers schema
// -json. tfplugindocs generates the pages from them. Terraform itself prints the schemas of list
// resources and actions since 1.14 only, so the pages would depend on its version.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"terraform-provider-opsmanager/internal/provider"
)

func main() {
	groups := flag.String("groups", "", "a file for the groups of the pages, in which each line is the name of a type, a colon and a title")
	flag.Parse()
	err := write(context.Background(), os.Stdout)
	if *groups != "" && err == nil {
		lines := ""
		for name, title := range provider.Groups(context.Background()) {
			lines += name + ": " + title + "\n"
		}
		err = os.WriteFile(*groups, []byte(lines), 0o600)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// The documents of the format.
type (
	document struct {
		FormatVersion   string               `json:"format_version"`
		ProviderSchemas map[string]schemaSet `json:"provider_schemas"`
	}
	schemaSet struct {
		Provider      schema            `json:"provider"`
		Resources     map[string]schema `json:"resource_schemas"`
		DataSources   map[string]schema `json:"data_source_schemas"`
		ListResources map[string]schema `json:"list_resource_schemas"`
		Actions       map[string]action `json:"action_schemas"`
	}
	schema struct {
		Version int64 `json:"version"`
		Block   block `json:"block"`
	}
	action struct {
		Block block `json:"block"`
	}
	block struct {
		Attributes      map[string]attribute `json:"attributes,omitempty"`
		Description     string               `json:"description,omitempty"`
		DescriptionKind string               `json:"description_kind"`
		Deprecated      bool                 `json:"deprecated,omitempty"`
	}
	attribute struct {
		Type            any         `json:"type,omitempty"`
		NestedType      *nestedType `json:"nested_type,omitempty"`
		Description     string      `json:"description,omitempty"`
		DescriptionKind string      `json:"description_kind"`
		Deprecated      bool        `json:"deprecated,omitempty"`
		Required        bool        `json:"required,omitempty"`
		Optional        bool        `json:"optional,omitempty"`
		Computed        bool        `json:"computed,omitempty"`
		Sensitive       bool        `json:"sensitive,omitempty"`
		WriteOnly       bool        `json:"write_only,omitempty"`
	}
	nestedType struct {
		Attributes  map[string]attribute `json:"attributes"`
		NestingMode string               `json:"nesting_mode"`
	}
)

// write writes the schemas of the provider.
func write(ctx context.Context, w io.Writer) error {
	server := providerserver.NewProtocol6(provider.New("dev")())()
	response, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return err
	}
	for _, diagnostic := range response.Diagnostics {
		return fmt.Errorf("%s: %s", diagnostic.Summary, diagnostic.Detail)
	}
	actions := map[string]action{}
	for name, a := range response.ActionSchemas {
		actions[name] = action{Block: toBlock(a.Schema.Block)}
	}
	return json.NewEncoder(w).Encode(document{FormatVersion: "1.0", ProviderSchemas: map[string]schemaSet{"opsmanager": {
		Provider:      toSchema(response.Provider),
		Resources:     toSchemas(response.ResourceSchemas),
		DataSources:   toSchemas(response.DataSourceSchemas),
		ListResources: toSchemas(response.ListResourceSchemas),
		Actions:       actions,
	}}})
}

func toSchemas(schemas map[string]*tfprotov6.Schema) map[string]schema {
	converted := map[string]schema{}
	for name, s := range schemas {
		converted[name] = toSchema(s)
	}
	return converted
}

func toSchema(s *tfprotov6.Schema) schema {
	return schema{Version: s.Version, Block: toBlock(s.Block)}
}

// toBlock converts a block. The provider has nested attributes and no nested blocks.
func toBlock(b *tfprotov6.SchemaBlock) block {
	return block{
		Attributes:      toAttributes(b.Attributes),
		Description:     b.Description,
		DescriptionKind: strings.ToLower(b.DescriptionKind.String()),
		Deprecated:      b.Deprecated,
	}
}

func toAttributes(attributes []*tfprotov6.SchemaAttribute) map[string]attribute {
	converted := map[string]attribute{}
	for _, a := range attributes {
		to := attribute{
			Description:     a.Description,
			DescriptionKind: strings.ToLower(a.DescriptionKind.String()),
			Deprecated:      a.Deprecated,
			Required:        a.Required,
			Optional:        a.Optional,
			Computed:        a.Computed,
			Sensitive:       a.Sensitive,
			WriteOnly:       a.WriteOnly,
		}
		if a.NestedType == nil {
			to.Type = a.Type
		} else {
			to.NestedType = &nestedType{
				Attributes:  toAttributes(a.NestedType.Attributes),
				NestingMode: strings.ToLower(a.NestedType.Nesting.String()),
			}
		}
		converted[a.Name] = to
	}
	return converted
}

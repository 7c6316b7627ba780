package documents_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"terraform-provider-opsmanager/internal/providertest"
)

// read returns the text of a file of the repository.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	succeed(t, err)
	return string(text)
}

// section returns the text below a heading.
func section(t *testing.T, path, heading string) string {
	t.Helper()
	_, text, found := strings.Cut(read(t, path), "\n"+heading+"\n")
	if !found {
		t.Fatalf("%s has no heading %s", path, heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// eachAttribute calls a function for each attribute of each resource that is not nested.
func eachAttribute(t *testing.T, call func(resource string, attribute *tfprotov6.SchemaAttribute)) {
	t.Helper()
	for name, schema := range providertest.NewWorkspace(t, providertest.StartService(t)).Schema.ResourceSchemas {
		for _, attribute := range schema.Block.Attributes {
			call(name, attribute)
		}
	}
}

// Ops Manager doesn't return some fields, and their pages say so.
func TestDriftGuideListsTheFieldsThatAPlanDoesNotSee(t *testing.T) {
	t.Parallel()
	list := section(t, "templates/guides/pipelines.md.tmpl", "## What a plan does not see")
	fields := 0
	eachAttribute(t, func(resource string, attribute *tfprotov6.SchemaAttribute) {
		if !strings.Contains(attribute.Description, "can't detect drift") {
			return
		}
		fields++
		if !strings.Contains(list, "`"+attribute.Name+"`") {
			t.Errorf("the guide does not list %s of %s", attribute.Name, resource)
		}
	})
	if fields == 0 {
		t.Error("no page says that a field is not returned")
	}
}

var requiredVersion = regexp.MustCompile(`Ops Manager (\d+\.\d+(?:\.\d+)?) or later`)

// An attribute that requires a version of Ops Manager is in the row of that version.
func TestIndexHasTheVersionsThatAttributesRequire(t *testing.T) {
	t.Parallel()
	table := section(t, "templates/index.md.tmpl", "## Compatibility")
	eachAttribute(t, func(resource string, attribute *tfprotov6.SchemaAttribute) {
		required := requiredVersion.FindStringSubmatch(attribute.Description)
		if required == nil {
			return
		}
		isS3Oplog := resource == providertest.S3OplogStoreType && strings.HasPrefix(attribute.Name, "object_")
		row := regexp.MustCompile(`(?m)^\| .*` + "`" + attribute.Name + "`" + `.* \| ` + regexp.QuoteMeta(required[1]) + ` \|$`)
		if isS3Oplog {
			row = regexp.MustCompile(`(?m)^\| Object Lock of S3 oplog stores \|.*\| ` + regexp.QuoteMeta(required[1]) + ` \|$`)
		}
		if !row.MatchString(table) {
			t.Errorf("no row of the table says that %s of %s requires %s", attribute.Name, resource, required[1])
		}
	})
}

// A resource and the data source of the same name describe a field with the same words.
func TestResourcesAndDataSourcesDescribeAFieldAlike(t *testing.T) {
	t.Parallel()
	schemas := providertest.NewWorkspace(t, providertest.StartService(t)).Schema
	compared := 0
	eachAttribute(t, func(resource string, attribute *tfprotov6.SchemaAttribute) {
		source := schemas.DataSourceSchemas[resource]
		if source == nil || attribute.Type == nil {
			return
		}
		for _, other := range source.Block.Attributes {
			if other.Name != attribute.Name || strings.HasSuffix(attribute.Name, "_id") {
				continue
			}
			compared++
			first, _, _ := strings.Cut(attribute.Description, ".")
			if second, _, _ := strings.Cut(other.Description, "."); first != second {
				t.Errorf("%s of %s: the resource says %q, and the data source %q", attribute.Name, resource, first, second)
			}
		}
	})
	if compared == 0 {
		t.Error("compared nothing")
	}
}

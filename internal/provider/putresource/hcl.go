package putresource

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// block returns the fields that an object has as an indented resource block.
func block[T any](resource string, idAttributes, id []string, fields tfmodel.Fields[T], object T) string {
	var width int
	var lines [][2]string
	for i, attribute := range idAttributes {
		width, lines = max(width, len(attribute)), append(lines, [2]string{attribute, HCLString(id[i])})
	}
	for _, f := range fields {
		width = max(width, len(f.Attribute))
		if f.IsMissing(object) || f.Value(object).IsNull() {
			continue
		}
		switch value := f.Value(object).(type) {
		case types.String:
			lines = append(lines, [2]string{f.Attribute, HCLString(value.ValueString())})
		default:
			lines = append(lines, [2]string{f.Attribute, opsmanager.Sanitize(tfmodel.TextOf(value))})
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "  resource %q \"example\" {\n", resource)
	for _, line := range lines {
		fmt.Fprintf(&text, "    %-*s = %s\n", width, line[0], line[1])
	}
	return text.String() + "  }"
}

// HCLString returns a text as a string literal in HCL, without characters that a terminal interprets.
func HCLString(text string) string {
	var quoted strings.Builder
	for _, r := range text {
		switch {
		case r == '"', r == '\\':
			quoted.WriteString("\\" + string(r))
		case r == '\n':
			quoted.WriteString(`\n`)
		case unicode.IsPrint(r):
			quoted.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&quoted, `\u%04x`, r)
		default:
			fmt.Fprintf(&quoted, `\U%08x`, r)
		}
	}
	return `"` + strings.NewReplacer("${", "$${", "%{", "%%{").Replace(quoted.String()) + `"`
}

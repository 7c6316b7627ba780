package datasources

import (
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Merge returns the attributes of several maps.
func Merge(several ...map[string]schema.Attribute) map[string]schema.Attribute {
	merged := map[string]schema.Attribute{}
	for _, attributes := range several {
		maps.Copy(merged, attributes)
	}
	return merged
}

// pageAttributes are the attributes of a list that can be read by page.
var pageAttributes = map[string]schema.Attribute{
	"page_num": schema.Int64Attribute{
		Optional: true, CustomType: tfmodel.WholeNumberType{}, Validators: []validator.Int64{int64validator.AtLeast(1)},
		MarkdownDescription: "Page to read, `1` or more. Defaults to all pages, or to `1` with `items_per_page`.",
	},
	"items_per_page": schema.Int64Attribute{
		Optional: true, CustomType: tfmodel.WholeNumberType{}, Validators: []validator.Int64{int64validator.Between(1, opsmanager.MaxItemsPerPage)},
		MarkdownDescription: fmt.Sprintf("Items on a page, `1` to `%d`. The documented default is `100`.", opsmanager.MaxItemsPerPage),
	},
	"total_count": schema.Int64Attribute{
		Computed: true, MarkdownDescription: "Number of items on all pages, if Ops Manager counts them.",
	},
}

package tf

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// WholeNumberType is the type of every number that a configuration can set. Its values
// are types.Int64 values. Unlike types.Int64Type, which fails to convert a fraction so
// that Terraform blames the provider, it converts a fraction to a notWhole, which causes
// an error on the attribute.
type WholeNumberType struct{ basetypes.Int64Type }

// Equal implements [attr.Type].
func (WholeNumberType) Equal(other attr.Type) bool {
	switch other.(type) {
	case WholeNumberType, basetypes.Int64Type:
		return true
	}
	return false
}

// ValueFromTerraform implements [attr.Type].
func (t WholeNumberType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.Int64Type.ValueFromTerraform(ctx, in)
	var number big.Float
	if err == nil || in.As(&number) != nil {
		return value, err
	}
	return notWhole{basetypes.NewInt64Unknown(), &number}, nil // neither missing nor out of range
}

// notWhole is a number that an int64 cannot hold.
type notWhole struct {
	basetypes.Int64Value
	number *big.Float
}

var _ xattr.ValidateableAttribute = notWhole{}

func (v notWhole) ValidateAttribute(_ context.Context, req xattr.ValidateAttributeRequest, resp *xattr.ValidateAttributeResponse) {
	resp.Diagnostics.Append(v.diagnostic(req.Path))
}

// ToTerraformValue returns the number, which the path of an element of a set contains.
func (v notWhole) ToTerraformValue(context.Context) (tftypes.Value, error) {
	return tftypes.NewValue(tftypes.Number, v.number), nil
}

func (v notWhole) diagnostic(at path.Path) diag.Diagnostic {
	name, _ := at.Steps().LastStep() // the other steps may contain the elements of a set
	shown := v.number.String()       // ten digits
	if v.number.IsInt() {
		return diag.NewAttributeErrorDiagnostic(at, "Number Out of Range", fmt.Sprintf("%s is %s, which is out of range.", name, shown))
	}
	same, _, err := big.ParseFloat(shown, 10, v.number.Prec(), big.ToNearestEven)
	if err != nil || same.Cmp(v.number) != 0 {
		shown = "about " + shown
	}
	return diag.NewAttributeErrorDiagnostic(at, "Number Is Not Whole",
		fmt.Sprintf("%s must be a whole number, but is %s. Round it with floor() or ceil().", name, shown))
}

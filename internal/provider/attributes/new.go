package attributes

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// OfNew is a validator of new values. Ops Manager may have a value that a rule refuses: another version or another client
// may have set it, and enumerations grow. A configuration with such a value must plan without a change. So an OfNew
// rejects nothing when Terraform validates a configuration. CheckNew applies it to the values that a plan changes.
type OfNew struct {
	validator.Describer

	check func(ctx context.Context, at path.Path, value, live attr.Value) diag.Diagnostics
}

// ValidateString implements [validator.String].
func (OfNew) ValidateString(context.Context, validator.StringRequest, *validator.StringResponse) {}

// ValidateInt64 implements [validator.Int64].
func (OfNew) ValidateInt64(context.Context, validator.Int64Request, *validator.Int64Response) {}

// ValidateFloat64 implements [validator.Float64].
func (OfNew) ValidateFloat64(context.Context, validator.Float64Request, *validator.Float64Response) {}

// ValidateSet implements [validator.Set].
func (OfNew) ValidateSet(context.Context, validator.SetRequest, *validator.SetResponse) {}

// NewText returns a validator of a new text.
func NewText(rule validator.String) OfNew {
	return OfNew{rule, func(ctx context.Context, at path.Path, value, _ attr.Value) diag.Diagnostics {
		text, _ := value.(types.String)
		resp := new(validator.StringResponse)
		rule.ValidateString(ctx, validator.StringRequest{Path: at, ConfigValue: text}, resp)
		return resp.Diagnostics
	}}
}

// NewNumber returns a validator of a new whole number.
func NewNumber(rule validator.Int64) OfNew {
	return OfNew{rule, func(ctx context.Context, at path.Path, value, _ attr.Value) diag.Diagnostics {
		number, _ := value.(types.Int64)
		resp := new(validator.Int64Response)
		rule.ValidateInt64(ctx, validator.Int64Request{Path: at, ConfigValue: number}, resp)
		return resp.Diagnostics
	}}
}

// NewFraction returns a validator of a new number.
func NewFraction(rule validator.Float64) OfNew {
	return OfNew{rule, func(ctx context.Context, at path.Path, value, _ attr.Value) diag.Diagnostics {
		number, _ := value.(types.Float64)
		resp := new(validator.Float64Response)
		rule.ValidateFloat64(ctx, validator.Float64Request{Path: at, ConfigValue: number}, resp)
		return resp.Diagnostics
	}}
}

// NewSet returns a validator of a new set.
func NewSet(rule validator.Set) OfNew {
	return OfNew{rule, func(ctx context.Context, at path.Path, value, _ attr.Value) diag.Diagnostics {
		set, _ := value.(types.Set)
		resp := new(validator.SetResponse)
		rule.ValidateSet(ctx, validator.SetRequest{Path: at, ConfigValue: set}, resp)
		return resp.Diagnostics
	}}
}

// NewElements returns a validator of the new elements of a set of texts.
func NewElements(rule validator.String) OfNew {
	return OfNew{setvalidator.ValueStringsAre(rule), func(ctx context.Context, at path.Path, value, live attr.Value) (diags diag.Diagnostics) {
		for _, element := range added(value, live) {
			diags.Append(NewText(rule).check(ctx, at, element, nil)...)
		}
		return diags
	}}
}

// added returns the known elements of a set that another one lacks.
func added(value, live attr.Value) []attr.Value {
	set, _ := value.(types.Set)
	before, _ := live.(types.Set)
	return slices.DeleteFunc(slices.Clone(set.Elements()), func(element attr.Value) bool {
		return element.IsUnknown() || slices.ContainsFunc(before.Elements(), element.Equal)
	})
}

// CheckNew applies the validators of new values to those values of a configuration that differ from the live ones. What
// does not exist has none. Terraform names an element of a set by printing all of it, so each error is on the attribute.
func CheckNew(ctx context.Context, all map[string]schema.Attribute, config, live tfmodel.Values, diags *diag.Diagnostics) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, d := range checkAttribute(ctx, all[name], path.Root(name), config[name], live[name]) {
			diags.AddAttributeError(path.Root(name), d.Summary(), d.Detail())
		}
	}
}

func checkAttribute(ctx context.Context, of schema.Attribute, at path.Path, value, live attr.Value) (diags diag.Diagnostics) {
	if value == nil || value.IsNull() || value.IsUnknown() || live != nil && value.Equal(live) {
		return nil
	}
	var rules []any
	switch of := of.(type) {
	case schema.StringAttribute:
		rules = list(of.Validators)
	case schema.Int64Attribute:
		rules = list(of.Validators)
	case schema.Float64Attribute:
		rules = list(of.Validators)
	case schema.SetAttribute:
		rules = list(of.Validators)
	case schema.SetNestedAttribute:
		rules = list(of.Validators)
		for _, element := range added(value, live) {
			diags.Append(checkObject(ctx, of.NestedObject.Attributes, at, element, nil)...)
		}
	case schema.SingleNestedAttribute:
		diags = checkObject(ctx, of.Attributes, at, value, live)
	}
	for _, rule := range rules {
		if rule, ok := rule.(OfNew); ok {
			diags.Append(rule.check(ctx, at, value, live)...)
		}
	}
	return diags
}

func checkObject(ctx context.Context, all map[string]schema.Attribute, at path.Path, value, live attr.Value) (diags diag.Diagnostics) {
	object, _ := value.(types.Object)
	before, _ := live.(types.Object)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		diags.Append(checkAttribute(ctx, all[name], at.AtName(name), object.Attributes()[name], before.Attributes()[name])...)
	}
	return diags
}

func list[V any](validators []V) (all []any) {
	for _, v := range validators {
		all = append(all, v)
	}
	return all
}

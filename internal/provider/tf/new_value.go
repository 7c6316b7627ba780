package tf

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// NewValueRule is a validator of new values. Ops Manager may have a value that a rule refuses: another version or another client
// may have set it, and enumerations grow. A configuration with such a value must plan without a change. So a new rule
// accepts everything when Terraform validates a configuration, and CheckNew asks its rule about what a plan changes.
type NewValueRule struct{ validator.Describer }

// NewValue returns a validator of a new text, number or set, or of the new elements of a set of texts. The rule is a
// [validator.String], a [validator.Int64], a [validator.Float64] or a [validator.Set].
func NewValue(rule validator.Describer) NewValueRule { return NewValueRule{rule} }

// ValidateString implements [validator.String].
func (NewValueRule) ValidateString(context.Context, validator.StringRequest, *validator.StringResponse) {
}

// ValidateInt64 implements [validator.Int64].
func (NewValueRule) ValidateInt64(context.Context, validator.Int64Request, *validator.Int64Response) {
}

// ValidateFloat64 implements [validator.Float64].
func (NewValueRule) ValidateFloat64(context.Context, validator.Float64Request, *validator.Float64Response) {
}

// ValidateSet implements [validator.Set].
func (NewValueRule) ValidateSet(context.Context, validator.SetRequest, *validator.SetResponse) {}

// ask asks the rule about what differs from the live value, which is nil if there is none.
func (n NewValueRule) ask(ctx context.Context, at path.Path, value, live attr.Value) (diags diag.Diagnostics) {
	switch rule := n.Describer.(type) {
	case validator.String:
		texts := []attr.Value{value}
		if _, isSet := value.(types.Set); isSet {
			texts = AddedElements(value, live)
		}
		for _, one := range texts {
			text, _ := one.(types.String)
			resp := validator.StringResponse{}
			rule.ValidateString(ctx, validator.StringRequest{Path: at, ConfigValue: text}, &resp)
			diags.Append(resp.Diagnostics...)
		}
	case validator.Int64:
		number, _ := value.(types.Int64)
		resp := validator.Int64Response{}
		rule.ValidateInt64(ctx, validator.Int64Request{Path: at, ConfigValue: number}, &resp)
		return resp.Diagnostics
	case validator.Float64:
		number, _ := value.(types.Float64)
		resp := validator.Float64Response{}
		rule.ValidateFloat64(ctx, validator.Float64Request{Path: at, ConfigValue: number}, &resp)
		return resp.Diagnostics
	case validator.Set:
		set, _ := value.(types.Set)
		resp := validator.SetResponse{}
		rule.ValidateSet(ctx, validator.SetRequest{Path: at, ConfigValue: set}, &resp)
		return resp.Diagnostics
	}
	return diags
}

// CheckNew asks the rules for new values about those values of a configuration that differ from the live ones. What
// does not exist has none, so live is nil then. A path of an element of a set would print all of it, so each error is on the
// attribute.
func CheckNew(ctx context.Context, all map[string]schema.Attribute, config, live Values, diags *diag.Diagnostics) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, d := range checkAttribute(ctx, all[name], path.Root(name), config[name], live[name]) {
			diags.AddAttributeError(path.Root(name), d.Summary(), d.Detail()+IfDestroying(live))
		}
	}
}

// OfNew completes the errors about an object that a plan creates with what to do if a destroy reaches them.
func OfNew(problems diag.Diagnostics) diag.Diagnostics {
	for i, d := range problems {
		if d.Severity() == diag.SeverityError && !strings.Contains(d.Detail(), "-refresh=false") {
			problems[i] = WithMore(d, IfDestroying(nil))
		}
	}
	return problems
}

// IfDestroying ends an error about a new value. A destroy plans the configuration first, and Ops Manager may have had the
// value before.
func IfDestroying(live Values) string {
	if live == nil {
		return "\n\nIf this error stops 'terraform destroy', run it with -refresh=false."
	}
	return "\n\nIf this error stops 'terraform destroy', configure what Ops Manager has now."
}

func checkAttribute(ctx context.Context, of schema.Attribute, at path.Path, value, live attr.Value) (diags diag.Diagnostics) {
	if value == nil || value.IsUnknown() || live != nil && value.Equal(live) {
		return nil
	}
	switch of := of.(type) {
	case schema.StringAttribute:
		return check(ctx, of.Validators, at, value, live)
	case schema.Int64Attribute:
		return check(ctx, of.Validators, at, value, live)
	case schema.Float64Attribute:
		return check(ctx, of.Validators, at, value, live)
	case schema.SetAttribute:
		return check(ctx, of.Validators, at, value, live)
	case schema.SetNestedAttribute:
		for _, element := range AddedElements(value, live) {
			object, _ := element.(types.Object)
			kept := heldIn(AddedElements(live, value), object.Attributes())
			diags.Append(checkObject(ctx, of.NestedObject.Attributes, at, object.Attributes(), kept)...)
		}
		diags.Append(check(ctx, of.Validators, at, value, live)...)
	case schema.SingleNestedAttribute:
		object, _ := value.(types.Object)
		before, _ := live.(types.Object)
		return checkObject(ctx, of.Attributes, at, object.Attributes(), before.Attributes())
	}
	return diags
}

func checkObject(ctx context.Context, all map[string]schema.Attribute, at path.Path, values, live Values) (diags diag.Diagnostics) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		diags.Append(checkAttribute(ctx, all[name], at.AtName(name), values[name], live[name])...)
	}
	return diags
}

// heldIn returns those of an object's values that one of the elements which its set loses has as well. A changed element is
// a new one to Terraform, and what it keeps is not new.
func heldIn(lost []attr.Value, values Values) Values {
	held := Values{}
	for _, element := range lost {
		object, _ := element.(types.Object)
		for name, value := range object.Attributes() {
			if value.Equal(values[name]) {
				held[name] = value
			}
		}
	}
	return held
}

func check[V any](ctx context.Context, validators []V, at path.Path, value, live attr.Value) (diags diag.Diagnostics) {
	for _, one := range validators {
		if asked, isNew := any(one).(NewValueRule); isNew {
			diags.Append(asked.ask(ctx, at, value, live)...)
		}
	}
	return diags
}

// AddedElements returns the known elements of a set that the live one lacks.
func AddedElements(value, live attr.Value) []attr.Value {
	set, _ := value.(types.Set)
	before, _ := live.(types.Set)
	return slices.DeleteFunc(slices.Clone(set.Elements()), func(element attr.Value) bool {
		return element.IsUnknown() || slices.ContainsFunc(before.Elements(), element.Equal)
	})
}

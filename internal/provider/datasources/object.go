package datasources

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/provider/tfmodel"
)

// Object describes the attribute value of an item of a response.
type Object[T any] struct {
	columns   Columns[T]
	valueType types.ObjectType
}

// ObjectOf returns an object with columns.
func ObjectOf[T any](columns ...Column[T]) Object[T] {
	attributeTypes := make(map[string]attr.Type, len(columns))
	for _, c := range columns {
		attributeTypes[c.name] = c.attribute.GetType()
	}
	return Object[T]{columns, types.ObjectType{AttrTypes: attributeTypes}}
}

// Attribute returns a computed attribute that is one object. It names the type of its
// values. Otherwise, the framework would build the type for each value of a list, and
// reading snapshots would take 1.2 times the processor time.
func (o Object[T]) Attribute(description string) schema.Attribute {
	return schema.SingleNestedAttribute{Computed: true, MarkdownDescription: description, CustomType: o.valueType, Attributes: o.columns.Attributes()}
}

// ListAttribute returns a computed attribute that is a list of objects. It names the
// type of its values, as Attribute does.
func (o Object[T]) ListAttribute(description string) schema.Attribute {
	return schema.ListNestedAttribute{
		Computed: true, MarkdownDescription: description, CustomType: types.ListType{ElemType: o.valueType},
		NestedObject: schema.NestedAttributeObject{CustomType: o.valueType, Attributes: o.columns.Attributes()},
	}
}

// MapAttribute returns a computed attribute that is a map of objects. It names the type of its
// values, as Attribute does.
func (o Object[T]) MapAttribute(description string) schema.Attribute {
	return schema.MapNestedAttribute{
		Computed: true, MarkdownDescription: description, CustomType: types.MapType{ElemType: o.valueType},
		NestedObject: schema.NestedAttributeObject{CustomType: o.valueType, Attributes: o.columns.Attributes()},
	}
}

// Value converts an item. A missing item is nil, and becomes null.
func (o Object[T]) Value(item *T) attr.Value {
	if item == nil {
		return types.ObjectNull(o.valueType.AttrTypes)
	}
	return types.ObjectValueMust(o.valueType.AttrTypes, o.columns.Values(*item))
}

// Map converts items by their key.
func (o Object[T]) Map(items map[string]T) types.Map {
	values := make(map[string]attr.Value, len(items))
	for key, item := range items {
		values[key] = o.Value(&item)
	}
	return types.MapValueMust(o.valueType, values)
}

// List converts items, as [tfmodel.ListOf] does.
func (o Object[T]) List(items []T) types.List {
	return tfmodel.ListOf(items, o.valueType, func(item T) attr.Value { return o.Value(&item) })
}

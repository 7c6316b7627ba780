package sources

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/tf"
)

// Column is a computed attribute of an object that Ops Manager returned, with its value.
type Column[T any] struct {
	name      string
	attribute schema.Attribute
	value     func(T) attr.Value
}

// Columns are the attributes of an object.
type Columns[T any] []Column[T]

// NewColumn returns a column of any type.
func NewColumn[T any](name string, attribute schema.Attribute, value func(T) attr.Value) Column[T] {
	return Column[T]{name, attribute, value}
}

// String returns a column that is a string.
func String[T any](name, description string, of func(T) *string) Column[T] {
	return NewColumn(name, schema.StringAttribute{
		Computed:            true,
		MarkdownDescription: description,
	}, func(item T) attr.Value { return types.StringPointerValue(of(item)) })
}

// ID returns a column that is an ID. An empty one is null.
func ID[T any](name, description string, of func(T) *string) Column[T] {
	return String(name, description, func(item T) *string { return tf.NonEmpty(of(item)) })
}

// Bool returns a column that is a Boolean value.
func Bool[T any](name, description string, of func(T) *bool) Column[T] {
	return NewColumn(name, schema.BoolAttribute{
		Computed:            true,
		MarkdownDescription: description,
	}, func(item T) attr.Value { return types.BoolPointerValue(of(item)) })
}

// Int64 returns a column that is a whole number.
func Int64[T any](name, description string, of func(T) *int64) Column[T] {
	return NewColumn(name, schema.Int64Attribute{
		Computed:            true,
		MarkdownDescription: description,
	}, func(item T) attr.Value { return types.Int64PointerValue(of(item)) })
}

// Strings returns a column that is a list of strings. A missing list is nil, and becomes null.
func Strings[T any](name, description string, of func(T) []string) Column[T] {
	attribute := schema.ListAttribute{
		Computed:            true,
		ElementType:         types.StringType,
		MarkdownDescription: description,
	}
	return NewColumn(name, attribute, func(item T) attr.Value {
		return tf.ListOf(of(item), types.StringType, func(text string) attr.Value {
			return types.StringValue(text)
		})
	})
}

// Nested returns a column that is one object. A missing one is nil, and becomes null.
func Nested[T, N any](name, description string, object Object[N], of func(T) *N) Column[T] {
	return NewColumn(name, object.Attribute(description), func(item T) attr.Value { return object.Value(of(item)) })
}

// NestedList returns a column that is a list of objects. A missing list is nil, and becomes null.
func NestedList[T, N any](name, description string, object Object[N], of func(T) []N) Column[T] {
	return NewColumn(name, object.ListAttribute(description), func(item T) attr.Value { return object.List(of(item)) })
}

// Links returns the column links of an item.
func Links[T any](description string, of func(T) []opsmanager.Link) Column[T] {
	return NestedList("links", description+hostOfLinks, links, of)
}

const hostOfLinks = " Their host is the one that Ops Manager is configured with."

var links = ObjectOf(
	String("rel", "Relation, such as `self` or `next`.", func(l opsmanager.Link) *string { return tf.NonEmpty(&l.Rel) }),
	String("href", "URL.", func(l opsmanager.Link) *string { return tf.NonEmpty(&l.Href) }),
)

// Timestamp is a time in the oplog.
var Timestamp = ObjectOf(
	String("date", "Time to the second, ISO 8601 in UTC.", func(t opsmanager.Timestamp) *string { return t.Date }),
	Int64("increment", "Order within that second, `1` or more.", func(t opsmanager.Timestamp) *int64 { return t.Increment }),
)

// Fields returns the columns of the fields that a resource sets. Each of them needs a description.
func Fields[T any](fields tf.Fields[T], descriptions map[string]string) Columns[T] {
	var columns Columns[T]
	for _, f := range fields {
		var attribute schema.Attribute
		switch of := f.Value(*new(T)).Type(context.Background()).(type) {
		case basetypes.BoolType:
			attribute = schema.BoolAttribute{Computed: true, MarkdownDescription: descriptions[f.Attribute]}
		case basetypes.Int64Type:
			attribute = schema.Int64Attribute{Computed: true, MarkdownDescription: descriptions[f.Attribute]}
		case basetypes.SetType:
			attribute = schema.SetAttribute{
				Computed:            true,
				ElementType:         of.ElemType,
				MarkdownDescription: descriptions[f.Attribute],
			}
		default:
			attribute = schema.StringAttribute{Computed: true, MarkdownDescription: descriptions[f.Attribute]}
		}
		columns = append(columns, NewColumn(f.Attribute, attribute, f.Value))
	}
	return columns
}

// And returns columns with further ones.
func (columns Columns[T]) And(more ...Column[T]) Columns[T] {
	return slices.Concat(columns, more)
}

// Of returns the columns of a part of an object.
func Of[T, P any](columns Columns[P], part func(T) P) Columns[T] {
	var all Columns[T]
	for _, c := range columns {
		all = append(all, NewColumn(c.name, c.attribute, func(item T) attr.Value { return c.value(part(item)) }))
	}
	return all
}

// Attributes returns the schema of the columns.
func (columns Columns[T]) Attributes() map[string]schema.Attribute {
	attributes := make(map[string]schema.Attribute, len(columns))
	for _, c := range columns {
		attributes[c.name] = c.attribute
	}
	return attributes
}

// Values returns the values of an object.
func (columns Columns[T]) Values(item T) map[string]attr.Value {
	values := make(map[string]attr.Value, len(columns))
	for _, c := range columns {
		values[c.name] = c.value(item)
	}
	return values
}

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
	return schema.SingleNestedAttribute{
		Computed:            true,
		MarkdownDescription: description,
		CustomType:          o.valueType,
		Attributes:          o.columns.Attributes(),
	}
}

// ListAttribute returns a computed attribute that is a list of objects. It names the
// type of its values, as Attribute does.
func (o Object[T]) ListAttribute(description string) schema.Attribute {
	return schema.ListNestedAttribute{
		Computed:            true,
		MarkdownDescription: description,
		CustomType:          types.ListType{ElemType: o.valueType},
		NestedObject:        schema.NestedAttributeObject{CustomType: o.valueType, Attributes: o.columns.Attributes()},
	}
}

// MapAttribute returns a computed attribute that is a map of objects. It names the type of its
// values, as Attribute does.
func (o Object[T]) MapAttribute(description string) schema.Attribute {
	return schema.MapNestedAttribute{
		Computed:            true,
		MarkdownDescription: description,
		CustomType:          types.MapType{ElemType: o.valueType},
		NestedObject:        schema.NestedAttributeObject{CustomType: o.valueType, Attributes: o.columns.Attributes()},
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

// List converts items, as [tf.ListOf] does.
func (o Object[T]) List(items []T) types.List {
	return tf.ListOf(items, o.valueType, func(item T) attr.Value {
		return o.Value(&item)
	})
}

package emulator

import (
	"reflect"
	"testing"
)

func TestCopyOfASeedIsEqualAndSharesNothing(t *testing.T) {
	t.Parallel()
	var seed Seed
	fill(reflect.ValueOf(&seed).Elem())
	clone := seed.clone()
	if !reflect.DeepEqual(*clone, seed) {
		t.Errorf("the copy is %+v, want %+v", *clone, seed)
	}
	wantNothingShared(t, "Seed", reflect.ValueOf(seed), reflect.ValueOf(*clone))
}

// fill sets all fields of a struct, and gives each list and each map one element.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Interface:
		v.Set(reflect.ValueOf(map[string]any{"list": []any{map[string]any{"number": 1.5}}}))
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint('1') // a JSON document
	default:
		v.SetInt(1)
	}
}

func wantNothingShared(t *testing.T, path string, one, other reflect.Value) {
	t.Helper()
	switch one.Kind() {
	case reflect.Struct:
		for i := range one.NumField() {
			wantNothingShared(t, path+"."+one.Type().Field(i).Name, one.Field(i), other.Field(i))
		}
	case reflect.Interface:
		wantNothingShared(t, path, one.Elem(), other.Elem())
	case reflect.Slice, reflect.Map:
		if one.Pointer() == other.Pointer() {
			t.Errorf("%s is shared", path)
		}
		if one.Kind() == reflect.Slice {
			wantNothingShared(t, path+"[0]", one.Index(0), other.Index(0))
			return
		}
		for _, key := range one.MapKeys() {
			wantNothingShared(t, path+"["+key.String()+"]", one.MapIndex(key), other.MapIndex(key))
		}
	default:
	}
}

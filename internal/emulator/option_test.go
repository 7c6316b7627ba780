package emulator_test

import (
	"reflect"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
)

// plainFields adds the addresses of the fields with plain values of a struct, also those of Unknowns.
func plainFields(value reflect.Value, found map[uintptr]string) {
	for i := range value.NumField() {
		field, name := value.Field(i), value.Type().Field(i).Name
		switch {
		case name == "Unknowns":
			plainFields(field, found)
		case name == "Unrecorded": // belongs to the process, and not to the service
		case field.Kind() == reflect.Func, field.Kind() == reflect.Pointer:
		default:
			found[field.Addr().Pointer()] = name
		}
	}
}

func TestEveryOptionHasAFlag(t *testing.T) {
	t.Parallel()
	var options emulator.Options
	fields, names := map[uintptr]string{}, map[string]bool{}
	plainFields(reflect.ValueOf(&options).Elem(), fields)
	for _, group := range options.Groups() {
		for _, s := range group.Options {
			address := reflect.ValueOf(s.Value).Pointer()
			if fields[address] == "" || names[s.Name] || s.Help == "" {
				t.Errorf("the option %s has no value of its own, or no help", s.Name)
			}
			delete(fields, address)
			names[s.Name] = true
		}
	}
	if len(fields) > 0 {
		t.Errorf("these options have no flag: %v", fields)
	}
}

package emulator_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
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

func TestEveryOptionIsASwitch(t *testing.T) {
	t.Parallel()
	var options emulator.Options
	fields, names := map[uintptr]string{}, map[string]bool{}
	plainFields(reflect.ValueOf(&options).Elem(), fields)
	for _, group := range options.Switches() {
		for _, s := range group.Switches {
			address := reflect.ValueOf(s.Value).Pointer()
			if fields[address] == "" || names[s.Name] || s.Help == "" {
				t.Errorf("the switch %s has no option of its own, or no help", s.Name)
			}
			delete(fields, address)
			names[s.Name] = true
		}
	}
	if len(fields) > 0 {
		t.Errorf("these options have no switch: %v", fields)
	}
}

func TestContributorsAreToldOfExistingSwitches(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, group := range new(emulator.Options).Switches() {
		for _, s := range group.Switches {
			names[s.Name] = true
		}
	}
	_, table, found := strings.Cut(string(text), "### What only a real server can settle")
	table, _, _ = strings.Cut(table, "\n###")
	rows := regexp.MustCompile("(?m)^\\|.*\\| (`.*`) \\|$").FindAllStringSubmatch(table, -1)
	if !found || len(rows) < 5 {
		t.Fatalf("CONTRIBUTING.md has %d rows with a switch", len(rows))
	}
	for _, row := range rows {
		for name := range strings.SplitSeq(row[1], ", ") {
			if !names[strings.Trim(name, "`")] {
				t.Errorf("CONTRIBUTING.md names the switch %s, which does not exist", name)
			}
		}
	}
}

package emulator

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Option is an option with a plain value. make emulator has a flag with its name.
type Option struct {
	Name string
	// Value points to the option. It is a *bool, *int, *string, *time.Duration or *[]string.
	Value any
	// Help says what the option does. If only a real Ops Manager can show which value is right,
	// Source says where the values come from.
	Help, Source string
	byDefault    string // instead of a zero value
	choices      string // separated by commas, if there are some
}

// Set sets the value from the text of a flag.
func (o Option) Set(text string) (err error) {
	switch value := o.Value.(type) {
	case *bool:
		*value, err = strconv.ParseBool(text)
	case *int:
		*value, err = strconv.Atoi(text)
	case *string:
		*value = text
	case *time.Duration:
		*value, err = time.ParseDuration(text)
	case *[]string:
		*value = strings.Split(text, ",")
	}
	return err
}

// Text returns the value as the text of a flag.
func (o Option) Text() string {
	value := reflect.ValueOf(o.Value).Elem()
	if names, ok := value.Interface().([]string); ok {
		return strings.Join(names, ",")
	}
	return fmt.Sprint(value)
}

// OptionGroup is a group of options.
type OptionGroup struct {
	Name    string
	Options []Option
}

// Groups returns the options that have a plain value, in groups.
func (o *Options) Groups() []OptionGroup {
	var groups []OptionGroup
	for _, name := range []string{
		"Requests", "Responses", "Backup configurations", "Snapshot schedules", "Snapshots", "Restores", "Backup stores",
		"Daemons and job configurations", "Automation",
	} {
		groups = append(groups, OptionGroup{Name: name})
	}
	var group *OptionGroup
	for _, options := range []any{o, &o.Unknowns} {
		for field, value := range reflect.ValueOf(options).Elem().Fields() {
			if name := field.Tag.Get("group"); name != "" {
				group = &groups[slices.IndexFunc(groups, func(g OptionGroup) bool { return g.Name == name })]
			}
			if name := field.Tag.Get("option"); name != "" {
				address := value.Addr()
				if value.Kind() == reflect.String {
					address = address.Convert(reflect.TypeFor[*string]())
				}
				group.Options = append(group.Options, Option{name, address.Interface(), field.Tag.Get("help"), field.Tag.Get("source"), field.Tag.Get("default"), field.Tag.Get("of")})
			}
		}
	}
	return groups
}

// Check returns an error if an option has an impossible value.
func (o *Options) Check() error {
	for _, group := range o.Groups() {
		for _, s := range group.Options {
			if s.choices != "" && !slices.Contains(strings.Split(s.choices, ","), s.Text()) {
				return fmt.Errorf("%s: %s is not one of %s", s.Name, s.Text(), s.choices)
			}
		}
	}
	if o.MaxItemsPerPage < 1 {
		return fmt.Errorf("max-items-per-page: %d is less than 1", o.MaxItemsPerPage)
	}
	if _, err := parseVersion(o.ServiceVersion); err != nil {
		return fmt.Errorf("service-version: %w", err)
	}
	return nil
}

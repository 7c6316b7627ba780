package main

import (
	"cmp"
	"flag"
	"fmt"
	"time"

	"terraform-provider-opsmanager/internal/assumptions"
	"terraform-provider-opsmanager/internal/emulator"
)

// define defines the flag of an option. Its default is the current value.
func define(flags *flag.FlagSet, s emulator.Option) {
	help := s.Help
	if s.Source != "" {
		help += " [" + s.Source + "]"
	}
	switch value := s.Value.(type) {
	case *bool:
		flags.BoolVar(value, s.Name, *value, help)
	case *int:
		flags.IntVar(value, s.Name, *value, help)
	case *string:
		flags.StringVar(value, s.Name, *value, help)
	case *time.Duration:
		flags.DurationVar(value, s.Name, *value, help)
	case *[]string:
		flags.Func(s.Name, help, s.Set)
	default:
		panic(fmt.Sprintf("the option %s has a %T", s.Name, value))
	}
}

// usage prints the flags of the command, and then those of each group of options.
func usage(flags *flag.FlagSet, groups []emulator.OptionGroup) {
	title := map[string]string{}
	for _, group := range groups {
		for _, s := range group.Options {
			title[s.Name] = group.Name
		}
	}
	fmt.Fprintln(flags.Output(), `The emulator serves an emulated Ops Manager. Pass flags as in: make emulator ARGS='-service-version 7.0.11'

By default, it behaves as Ops Manager most likely does. If only a real Ops Manager can show whether
that is right, brackets say what is known. make survey looks at one, and -like plays it.`)
	for _, group := range append([]emulator.OptionGroup{{}}, groups...) {
		fmt.Fprintf(flags.Output(), "\n%s:\n", cmp.Or(group.Name, "The command"))
		part := flag.NewFlagSet("", flag.ContinueOnError)
		part.SetOutput(flags.Output())
		flags.VisitAll(func(f *flag.Flag) {
			if title[f.Name] == group.Name {
				part.Var(f.Value, f.Name, f.Usage)
				part.Lookup(f.Name).DefValue = f.DefValue
			}
		})
		part.PrintDefaults()
	}
	fmt.Fprint(flags.Output(), "\nWithout an option, the emulator assumes:\n")
	for _, a := range assumptions.All {
		if title[string(a.Name)] == "" {
			fmt.Fprintf(flags.Output(), "  %s\n    \t%s: %s\n", a.Name, a.About, a.Expected)
		}
	}
}

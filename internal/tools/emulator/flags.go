package main

import (
	"flag"
	"fmt"
	"slices"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/tools/assumptions"
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

// common are the options that people need to try a configuration. The others are about what is not known.
var common = []string{"latency", "no-stores", "restore-outcome", "service-version", "stale-reads", "transition-time"}

// usage prints the flags of the command and the common options, or all options by their groups.
func usage(flags *flag.FlagSet, groups []emulator.OptionGroup, all bool) {
	title := map[string]string{}
	for _, group := range groups {
		for _, s := range group.Options {
			title[s.Name] = group.Name
			if !all && slices.Contains(common, s.Name) {
				title[s.Name] = ""
			}
		}
	}
	fmt.Fprint(flags.Output(), `The emulator serves an emulated Ops Manager, and prints what changes in it.
Pass flags as in: make emulator ARGS='-service-version 7.0.11'

`)
	if all {
		fmt.Fprintln(flags.Output(), `By default, it behaves as Ops Manager most likely does. If only a real Ops Manager can show whether
that is right, brackets say what is known. The survey looks at one, and -like plays it.

The command:`)
	}
	printFlags(flags, title, "")
	if !all {
		fmt.Fprintln(flags.Output(), "\n-h all lists the other options, about what is not known about real servers.")
		return
	}
	for _, group := range groups {
		fmt.Fprintf(flags.Output(), "\n%s:\n", group.Name)
		printFlags(flags, title, group.Name)
	}
	fmt.Fprint(flags.Output(), "\nWithout an option, the emulator assumes:\n")
	for _, a := range assumptions.All {
		if title[string(a.Name)] == "" {
			fmt.Fprintf(flags.Output(), "  %s\n    \t%s: %s\n", a.Name, a.About, a.Expected)
		}
	}
}

// printFlags prints the flags with a title.
func printFlags(flags *flag.FlagSet, title map[string]string, with string) {
	part := flag.NewFlagSet("", flag.ContinueOnError)
	part.SetOutput(flags.Output())
	flags.VisitAll(func(f *flag.Flag) {
		if title[f.Name] == with {
			part.Var(f.Value, f.Name, f.Usage)
			part.Lookup(f.Name).DefValue = f.DefValue
		}
	})
	part.PrintDefaults()
}

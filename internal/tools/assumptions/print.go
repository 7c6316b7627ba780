package assumptions

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Verdict says for people what the findings of a survey mean.
func (r *Report) Verdict() string {
	handled := 0
	fresh := 0
	writes := 0
	for _, f := range r.Findings {
		switch {
		case f.Verdict == NeedsWrite:
			writes++
		case f.Verdict == Differs && Find(f.Assumption).Report:
			fresh++
		case f.Verdict == Differs:
			handled++
		}
	}
	text := "You can use the provider here."
	if f := r.Finding("known-third-party-backup"); f.Verdict == Differs {
		text = "You can use the provider here, but it refuses to change backups in " + plural(f.Otherwise, "project", "projects") +
			", because it can't tell which clusters another product backs up: see below, or run the survey with -names."
	}
	unseen := func(what string, f *Finding) string {
		return "The survey has seen no " + what + ", so it can't say whether you can use the provider here: " + f.Why.text(Find(f.Assumption)) + "."
	}
	if f := r.Finding("omit-fields"); f.Verdict == Unknown && *f.Why != NoObject && *f.Why != NoOperation {
		text = unseen("schedule", f)
	}
	if f := r.Finding("known-statuses"); f.Verdict == Unknown {
		text = unseen("backup", f)
	}
	if r.Partial {
		text = "The survey ended early, so it can't say whether you can use the provider here."
	}
	switch differences := plural(handled, "difference is handled", "differences are handled"); {
	case fresh > 0:
		text += " " + differences + ", " + plural(fresh, "is new: please report it.", "are new: please report them.")
	case handled > 0:
		text += " " + differences + "."
	}
	return text + " " + plural(writes, "fact", "facts") + " can only be seen by writing; rehearse first."
}

// plural returns a number with what it counts.
func plural(number int, one, many string) string {
	if number == 1 {
		many = one
	}
	return fmt.Sprintf("%d %s", number, many)
}

// Print prints the findings of a report for people, those that need a write only as a number.
func (r *Report) Print(to io.Writer) {
	counts := map[Verdict]int{}
	for _, f := range r.Findings {
		counts[f.Verdict]++
		if f.Verdict == NeedsWrite {
			continue
		}
		a := Find(f.Assumption)
		fmt.Fprintf(to, "  %-12s  %s: %s  [%s]\n", f.Verdict, a.About, f.text(a), a.Name)
		if f.Verdict == Differs {
			fmt.Fprintf(to, "  %-12s  %s\n", "", a.IfDifferent())
		}
	}
	fmt.Fprintln(to)
	if len(r.UnknownFields) > 0 {
		fmt.Fprintln(to, "Fields that the provider doesn't know:")
		for _, u := range r.UnknownFields {
			fmt.Fprintf(to, "  %s: %d of type %s\n", u.Object, u.Names, u.Type)
		}
		fmt.Fprintln(to)
	}
	var parts []string
	for _, verdict := range Verdicts {
		if counts[verdict] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[verdict], map[Verdict]string{
				Holds:      "hold",
				Differs:    "differ",
				OneWayOnly: "seen one way, which proves nothing",
				Unknown:    "unknown",
				NeedsWrite: "need a write (see CONTRIBUTING.md)",
			}[verdict]))
		}
	}
	fmt.Fprintf(to, "%s. %d requests.\n", strings.Join(parts, ", "), r.Requests)
}

// text returns what was found.
func (f Finding) text(a Assumption) string {
	switch f.Verdict {
	case Holds:
		return a.Expected
	case OneWayOnly:
		if f.AsExpected == 1 {
			return a.Expected + ", seen once"
		}
		return fmt.Sprintf("%s, seen %d times", a.Expected, f.AsExpected)
	case Unknown:
		return f.Why.text(a)
	}
	var words []string
	for _, word := range f.Words {
		words = append(words, string(word))
	}
	found := a.Otherwise
	switch {
	case f.Code != nil && *f.Code == "none":
		found = fmt.Sprintf("%d without a code", f.Status)
	case f.Code != nil && *f.Code == "other":
		found = fmt.Sprintf("%d with another code", f.Status)
	case f.Code != nil:
		found = fmt.Sprintf("%d %s", f.Status, *f.Code)
	case f.Status != 0:
		found = strconv.Itoa(f.Status)
	case found != "":
	case a.Name == "omit-fields":
		found = "without " + strings.Join(words, ", ")
	case len(words) > 0:
		found = strings.Join(words, ", ")
	case f.Number != nil:
		found = strconv.Itoa(*f.Number)
	}
	text := found + " (expected: " + a.Expected + ")"
	if f.AsExpected > 0 {
		text += fmt.Sprintf(", in %d of %d", f.Otherwise, f.Otherwise+f.AsExpected)
	}
	return text
}

// text returns why nothing is known about an assumption.
func (w Why) text(a Assumption) string {
	switch w {
	case NoObject:
		if a.Needs == "" {
			return "there is nothing that shows it"
		}
		return "it takes " + a.Needs
	case NotPermitted:
		return "the key lacks " + a.Area.Role()
	case NotListed:
		return "your address is not on the access list of the key"
	case NotInVersion:
		return "this version doesn't show it; " + a.Since.String() + " does"
	case NoVersion:
		return "it depends on the version, which Ops Manager doesn't return"
	case NoOperation:
		return "Ops Manager lacks the operation that shows it"
	case Failed:
		return "Ops Manager failed to answer"
	}
	return "the response doesn't show it"
}

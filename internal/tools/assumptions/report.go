package assumptions

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"terraform-provider-opsmanager/internal/emulator"
)

// Report is what one Ops Manager showed. It can be published: its type has only words of constant
// lists, numbers and Booleans, and no field for a name, an ID, an address or a secret.
type Report struct {
	Format   int       `json:"format"`
	Version  Version   `json:"version"`
	Writes   bool      `json:"writes"` // whether the test with a scratch cluster wrote it
	Requests int       `json:"requests"`
	Partial  bool      `json:"partial,omitempty"` // whether the survey ended early
	Findings []Finding `json:"findings"`
	// UnknownFields counts the fields of responses that the client doesn't know, by their type. It has
	// no names, because the fields of an object may be named after something of the user.
	UnknownFields []UnknownField `json:"unknownFields"`
}

// reportFormat is the format of new reports.
const reportFormat = 1

// Finding is what is known about an assumption.
type Finding struct {
	Assumption Name    `json:"assumption"`
	Verdict    Verdict `json:"verdict"`
	Why        *Why    `json:"why,omitempty"` // if the verdict is Unknown
	AsExpected int     `json:"asExpected"`    // number of responses that were as expected
	Otherwise  int     `json:"otherwise"`     // and that were not
	// Status and Code are those of a response that was not as expected, if they say what it was.
	Status int   `json:"status,omitempty"`
	Code   *Code `json:"code,omitempty"`
	// Number and Words are the value that was seen, if it is not just another one than expected.
	Number *int   `json:"number,omitempty"`
	Words  []Word `json:"words,omitempty"`
}

// UnknownField is a number of fields that the client doesn't know.
type UnknownField struct {
	Object Object `json:"object"`
	Type   Type   `json:"type"`
	Names  int    `json:"names"` // number of different names
}

// Object is a kind of object.
type Object string

// The kinds of objects.
const (
	ProjectObject  Object = "project"
	ClusterObject  Object = "cluster"
	ConfigObject   Object = "backup configuration"
	ScheduleObject Object = "snapshot schedule"
	SnapshotObject Object = "snapshot"
	RestoreObject  Object = "restore job"
	StoreObject    Object = "backup store"
	DaemonObject   Object = "backup daemon"
	JobObject      Object = "job configuration"
	RegionObject   Object = "deployment region"
)

var objects = []Object{
	ProjectObject,
	ClusterObject,
	ConfigObject,
	ScheduleObject,
	SnapshotObject,
	RestoreObject,
	StoreObject,
	DaemonObject,
	JobObject,
	RegionObject,
}

// Write writes a report as JSON.
func (r *Report) Write(to io.Writer) error {
	r.Format = reportFormat
	text, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		_, err = to.Write(append(text, '\n'))
	}
	return err
}

// ReadReport reads what Write writes.
func ReadReport(text []byte) (*Report, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var r Report
	if err := decoder.Decode(&r); err != nil {
		return nil, fmt.Errorf("this is not a report of the survey: %w", err)
	}
	if r.Format != reportFormat {
		return nil, fmt.Errorf("the report has the format %d, want %d", r.Format, reportFormat)
	}
	return &r, nil
}

// Finding returns the finding about an assumption, or nil if the report has none.
func (r *Report) Finding(name Name) *Finding {
	if i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Assumption == name }); i >= 0 {
		return &r.Findings[i]
	}
	return nil
}

// Apply makes an emulator with these options play the Ops Manager of the report: it sets the version
// and each option that the report knows the value of. It leaves out the options with names that keep
// returns true for.
func (r *Report) Apply(options *emulator.Options, keep func(name string) bool) {
	if r.Version != (Version{}) && !keep("service-version") {
		options.ServiceVersion = r.Version.String()
	}
	for _, f := range r.Findings {
		s, ok := Find(f.Assumption).Option(options)
		if ok && !keep(s.Name) {
			f.apply(s)
		}
	}
}

// apply sets an option to the value in a finding, if it has one.
func (f Finding) apply(s emulator.Option) {
	settled := f.Verdict == Holds || f.Verdict == Differs
	switch value := s.Value.(type) {
	case *bool:
		// All options are off by default, except for the leniency of make emulator, which is what is
		// expected of a real server.
		if settled {
			*value = (f.Verdict == Differs) != (f.Assumption == "lenient")
		}
	case *int:
		if f.Number != nil {
			*value = *f.Number
		} else if f.Assumption == "inactive-schedule" && slices.Contains([]int{200, 404}, f.Status) {
			*value = f.Status
		}
	case *string:
		if f.Assumption == "secret-mask" && f.Verdict == Differs {
			*value = otherMask
		} else if len(f.Words) == 1 && f.Words[0] != "other" {
			*value = string(f.Words[0])
		}
	case *[]string:
		var names []string
		for _, word := range f.Words {
			names = append(names, string(word))
		}
		*value = names
	case *time.Duration: // chosen
	}
}

// otherMask is the mask of an emulator that plays an Ops Manager with a different mask than the known ones.
const otherMask = "********"

// Evidence collects what responses show about the assumptions.
type Evidence struct {
	version Version
	seen    map[Name]*Finding
	denied  map[Area]Why
	missed  map[Name]Why
}

// NewEvidence returns no evidence about an Ops Manager of a version.
func NewEvidence(version Version) *Evidence {
	return &Evidence{
		version: version,
		seen:    map[Name]*Finding{},
		denied:  map[Area]Why{},
		missed:  map[Name]Why{},
	}
}

// Version returns the version of the Ops Manager.
func (e *Evidence) Version() Version { return e.version }

// Applies reports whether this version can show an assumption.
func (e *Evidence) Applies(name Name) bool {
	since := Find(name).Since
	return since == (Version{}) || e.version != (Version{}) && slices.Compare(e.version[:], since[:]) >= 0
}

// See adds a response that is as expected or not, unless this version can't show the assumption. It
// returns the finding, so that a caller can add what it was.
func (e *Evidence) See(name Name, asExpected bool) *Finding {
	if !e.Applies(name) {
		return &Finding{}
	}
	f := e.seen[name]
	if f == nil {
		f = &Finding{Assumption: name}
		e.seen[name] = f
	}
	if asExpected {
		f.AsExpected++
	} else {
		f.Otherwise++
	}
	return f
}

// SeeResponse is See for an assumption about the status and the code of a response.
func (e *Evidence) SeeResponse(name Name, asExpected bool, status int, code string) {
	if f := e.See(name, asExpected); !asExpected {
		f.Status = status
		f.Code = nil
		if status >= 400 {
			f.Code = new(CodeOf(code))
		}
	}
}

// SeeWord is See for an assumption about a word.
func (e *Evidence) SeeWord(name Name, want, got Word) {
	if f := e.See(name, want == got); !slices.Contains(f.Words, got) {
		f.Words = append(f.Words, got)
	}
}

// SeeNumber is See for an assumption about a number.
func (e *Evidence) SeeNumber(name Name, asExpected bool, number int) {
	e.See(name, asExpected).Number = &number
}

// Deny notes why an area could not be read.
func (e *Evidence) Deny(area Area, why Why) { e.denied[area] = cmp.Or(e.denied[area], why) }

// Miss notes why a response does not show an assumption.
func (e *Evidence) Miss(name Name, why Why) { e.missed[name] = cmp.Or(e.missed[name], why) }

// Findings returns the finding about each assumption that can be settled in one of some ways. All
// others need a write.
func (e *Evidence) Findings(tried ...How) []Finding {
	var findings []Finding
	for _, a := range All {
		f := Finding{Assumption: a.Name}
		if seen := e.seen[a.Name]; seen != nil {
			f = *seen
		}
		switch {
		case f.Otherwise > 0:
			f.Verdict = Differs
		case f.AsExpected > 0 && a.How == OneWay:
			f.Verdict = OneWayOnly
		case f.AsExpected > 0:
			f.Verdict = Holds
		case !slices.Contains(tried, a.How):
			f.Verdict = NeedsWrite
		default:
			f.Verdict = Unknown
			f.Why = new(e.why(a))
		}
		findings = append(findings, f)
	}
	return findings
}

// why returns why nothing is known about an assumption.
func (e *Evidence) why(a Assumption) Why {
	switch {
	case e.version == (Version{}) && a.Since != (Version{}):
		return NoVersion
	case !e.Applies(a.Name):
		return NotInVersion
	}
	return cmp.Or(e.missed[a.Name], e.denied[a.Area], NoObject)
}

package assumptions

import (
	"fmt"
	"slices"
)

// Verdict is what is known about an assumption.
type Verdict string

// The verdicts.
const (
	Holds      Verdict = "holds"
	Differs    Verdict = "differs"
	OneWayOnly Verdict = "seen one way" // nothing contradicts it, which proves nothing
	Unknown    Verdict = "unknown"
	NeedsWrite Verdict = "needs a write"
)

// Verdicts are all verdicts, in the order in which they are printed.
var Verdicts = []Verdict{Holds, Differs, OneWayOnly, Unknown, NeedsWrite}

// Why is why the verdict is Unknown.
type Why string

// The reasons.
const (
	NoObject       Why = "no object"   // there is none that shows it
	NotPermitted   Why = "role"        // the key lacks the role
	NotListed      Why = "access list" // the address of the caller is not on the access list of the key
	NotInVersion   Why = "version"     // this version doesn't have it
	NoVersion      Why = "no version"  // it depends on the version, which is not known
	NoOperation    Why = "operation"   // Ops Manager lacks the operation that shows it
	Failed         Why = "failure"     // Ops Manager failed to answer
	UnclearOutcome Why = "unclear"     // the response shows neither
)

var reasons = []Why{NoObject, NotPermitted, NotListed, NotInVersion, NoVersion, NoOperation, Failed, UnclearOutcome}

// Word is a value of an option that is a text.
type Word string

var words = []Word{
	"full", "documented", "document", "go", "nginx", "qop", "op", "none", "master", "hash", "other",
	"clusterCheckpointIntervalMin",
	"dailySnapshotRetentionDays",
	"fullIncrementalDayOfWeek",
	"monthlySnapshotRetentionMonths",
	"pointInTimeWindowHours",
	"referenceHourOfDay",
	"referenceMinuteOfHour",
	"referenceTimeZoneOffset",
	"snapshotIntervalHours",
	"snapshotRetentionDays",
	"weeklySnapshotRetentionWeeks",
	"MD5", "MD5-sess", "SHA-256", "SHA-256-sess", "SHA-512-256",
}

// WordOf returns a text as a word, or other if it is none.
func WordOf(text string) Word {
	if slices.Contains(words, Word(text)) {
		return Word(text)
	}
	return "other"
}

// Code is a code of an error document. It is empty if there was none.
type Code string

var codes = []Code{
	"other", "none",
	"ACCESS_FORBIDDEN", "ATTRIBUTE_READ_ONLY", "BACKUP_CONFIG_NOT_FOUND", "BACKUP_DEPLOYMENT_NOT_FOUND", "CANNOT_GET_BACKUP_CONFIG_INVALID_STATE",
	"CANNOT_MODIFY_SHARD_BACKUP_CONFIG",
	"CLUSTER_NOT_FOUND",
	"DAEMON_MACHINE_CONFIG_NOT_FOUND",
	"FILESYSTEM_SNAPSHOT_CONFIG_NOT_FOUND",
	"GLOBAL_USER_OUTSIDE_SUBNET",
	"GROUP_NOT_FOUND",
	"HOST_NOT_FOUND",
	"INVALID_ATTRIBUTE",
	"INVALID_CLUSTER_ID",
	"INVALID_ENUM_VALUE",
	"INVALID_GROUP_ID",
	"INVALID_JSON",
	"INVALID_JSON_ATTRIBUTE",
	"INVALID_QUERY_PARAMETER",
	"INVALID_SNAPSHOT_ID",
	"IP_ADDRESS_NOT_ON_ACCESS_LIST",
	"METHOD_NOT_ALLOWED",
	"MISSING_ATTRIBUTE",
	"MONGO_SNAPSHOT_CONFIG_NOT_FOUND",
	"NOT_GROUP_ADMIN",
	"NOT_IN_GROUP",
	"NO_CURRENT_USER",
	"ORG_REQUIRES_ACCESS_LIST",
	"RESOURCE_NOT_FOUND",
	"RESOURCE_REQUIRES_ACCESS_LIST",
	"RESTORE_JOB_NOT_FOUND",
	"SNAPSHOT_NOT_FOUND", "UNEXPECTED_ERROR", "USER_UNAUTHORIZED",
}

// CodeOf returns the code of an error document: none if it is empty, and other if it is not known.
func CodeOf(text string) Code {
	switch {
	case text == "":
		return "none"
	case slices.Contains(codes, Code(text)):
		return Code(text)
	}
	return "other"
}

// Type is a type of JSON.
type Type string

var types = []Type{"array", "boolean", "null", "number", "object", "string"}

// known returns a word as text. It is an error if the list does not have it.
func known[W ~string](word W, list []W) ([]byte, error) {
	if !slices.Contains(list, word) {
		return nil, fmt.Errorf("%q is not one of the words of a report", word)
	}
	return []byte(word), nil
}

// read sets a word to a text that the list has.
func read[W ~string](word *W, text []byte, list []W) error {
	_, err := known(W(text), list)
	if err == nil {
		*word = W(text)
	}
	return err
}

func (v Verdict) MarshalText() ([]byte, error)     { return known(v, Verdicts) }
func (v *Verdict) UnmarshalText(text []byte) error { return read(v, text, Verdicts) }
func (w Why) MarshalText() ([]byte, error)         { return known(w, reasons) }
func (w *Why) UnmarshalText(text []byte) error     { return read(w, text, reasons) }
func (w Word) MarshalText() ([]byte, error)        { return known(w, words) }
func (w *Word) UnmarshalText(text []byte) error    { return read(w, text, words) }
func (c Code) MarshalText() ([]byte, error)        { return known(c, codes) }
func (c *Code) UnmarshalText(text []byte) error    { return read(c, text, codes) }
func (t Type) MarshalText() ([]byte, error)        { return known(t, types) }
func (t *Type) UnmarshalText(text []byte) error    { return read(t, text, types) }
func (n Name) MarshalText() ([]byte, error)        { return known(n, names) }
func (n *Name) UnmarshalText(text []byte) error    { return read(n, text, names) }
func (o Object) MarshalText() ([]byte, error)      { return known(o, objects) }
func (o *Object) UnmarshalText(text []byte) error  { return read(o, text, objects) }

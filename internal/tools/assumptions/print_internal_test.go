package assumptions

import "testing"

func TestFindingSaysWhatWasFound(t *testing.T) {
	t.Parallel()
	code, none, other, number := Code("NOT_IN_GROUP"), Code("none"), Code("other"), 500
	why := func(why Why) Finding { return Finding{Verdict: Unknown, Why: &why} }
	for name, test := range map[string]struct {
		finding Finding
		of      Assumption
		want    string
	}{
		"as expected":            {Finding{Verdict: Holds, AsExpected: 3}, Assumption{Expected: "404"}, "404"},
		"seen once":              {Finding{Verdict: OneWayOnly, AsExpected: 1}, Assumption{Expected: "never"}, "never, seen once"},
		"seen often":             {Finding{Verdict: OneWayOnly, AsExpected: 3}, Assumption{Expected: "never"}, "never, seen 3 times"},
		"another status":         {Finding{Verdict: Differs, Status: 403, Otherwise: 2}, Assumption{Expected: "404"}, "403 (expected: 404)"},
		"another code":           {Finding{Verdict: Differs, Status: 403, Code: &code}, Assumption{Expected: "404"}, "403 NOT_IN_GROUP (expected: 404)"},
		"no code":                {Finding{Verdict: Differs, Status: 403, Code: &none}, Assumption{Expected: "404"}, "403 without a code (expected: 404)"},
		"an unknown code":        {Finding{Verdict: Differs, Status: 403, Code: &other}, Assumption{Expected: "404"}, "403 with another code (expected: 404)"},
		"the other way":          {Finding{Verdict: Differs}, Assumption{Expected: "yes", Otherwise: "no"}, "no (expected: yes)"},
		"a status, not the rest": {Finding{Verdict: Differs, Status: 500}, Assumption{Expected: "yes", Otherwise: "no"}, "500 (expected: yes)"},
		"words":                  {Finding{Verdict: Differs, Words: []Word{"MD5", "SHA-256"}}, Assumption{Expected: "MD5"}, "MD5, SHA-256 (expected: MD5)"},
		"absent fields": {
			Finding{Verdict: Differs, Words: []Word{"snapshotRetentionDays"}}, Assumption{Name: "omit-fields", Expected: "all"},
			"without snapshotRetentionDays (expected: all)",
		},
		"a number": {Finding{Verdict: Differs, Number: &number}, Assumption{Expected: "100"}, "500 (expected: 100)"},
		"sometimes different": {
			Finding{Verdict: Differs, AsExpected: 3, Otherwise: 1}, Assumption{Expected: "yes", Otherwise: "no"},
			"no (expected: yes), in 1 of 4",
		},
		"no object":           {why(NoObject), Assumption{Needs: "a store"}, "it takes a store"},
		"no object to name":   {why(NoObject), Assumption{}, "there is nothing that shows it"},
		"no role":             {why(NotPermitted), Assumption{Area: Stores}, "the key lacks Global Backup Admin"},
		"no access":           {why(NotListed), Assumption{}, "your address is not on the access list of the key"},
		"an old version":      {why(NotInVersion), Assumption{Since: Version{8, 0}}, "this version doesn't show it; 8.0.0 does"},
		"no version":          {why(NoVersion), Assumption{}, "it depends on the version, which Ops Manager doesn't return"},
		"no operation":        {why(NoOperation), Assumption{}, "Ops Manager lacks the operation that shows it"},
		"a failure":           {why(Failed), Assumption{}, "Ops Manager failed to answer"},
		"an unclear response": {why(UnclearOutcome), Assumption{}, "the response doesn't show it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.finding.text(test.of); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

package modules

import "testing"

func TestAPlanHasShownTheBackupsThatItNamed(t *testing.T) {
	t.Parallel()
	const one, two, untold = "the backup of cluster a is STARTED", "the backup of cluster b is STARTED", couldNotTell + "no host"
	for name, test := range map[string]struct {
		shown, effect string
		want          bool
	}{
		"the same":                     {one, one, true},
		"one of two":                   {one + ", " + two, two, true},
		"one more":                     {one, one + ", " + two, false},
		"one that is being started":    {one, "the backup of cluster a is PROVISIONING", true},
		"one where none was":           {noEffect, one, false},
		"more than the plan could say": {one, one + "; " + untold, false},
		"a plan that could not tell":   {untold, two, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := isShown([]string{onHost("db1", test.shown)}, "db1", test.effect); got != test.want {
				t.Errorf("got %t", got)
			}
			if isShown([]string{onHost("db2", test.shown)}, "db1", test.effect) {
				t.Error("shown of another host")
			}
		})
	}
}

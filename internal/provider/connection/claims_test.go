package connection_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"terraform-provider-opsmanager/internal/provider/connection"
)

func TestClaimsConflict(t *testing.T) {
	t.Parallel()
	const (
		none, ended, twice = connection.None, connection.Ended, connection.Twice

		keeps, adopts, readopts, ends = connection.Keeps, connection.Adopts, connection.Readopts, connection.Ends
		keepsToEnd, gone, did         = connection.Keeps | connection.WouldEnd, connection.Gone, connection.Applied
		has, hasToEnd                 = connection.Has, connection.HasToEnd
	)
	for name, test := range map[string]struct {
		earlier []connection.Claim
		claim   connection.Claim
		want    connection.Conflict
	}{
		"the first one":                                     {nil, keeps, none},
		"two that keep":                                     {[]connection.Claim{keeps}, keeps, twice},
		"one that keeps, one that adopts":                   {[]connection.Claim{keeps}, adopts, twice},
		"one that adopts, one that keeps":                   {[]connection.Claim{adopts}, keeps, twice},
		"two that adopt":                                    {[]connection.Claim{adopts}, adopts, twice},
		"one that keeps what another one readopts":          {[]connection.Claim{readopts}, keeps, twice},
		"the second plan of a replacement":                  {[]connection.Claim{keeps}, readopts, none},
		"the second plan of an adoption":                    {[]connection.Claim{adopts}, readopts, none},
		"a replacement that would end it":                   {[]connection.Claim{keepsToEnd}, readopts, ended},
		"a new address of what another one keeps":           {[]connection.Claim{keepsToEnd}, adopts, twice},
		"a tainted resource that would end it":              {[]connection.Claim{hasToEnd}, adopts, ended},
		"an update of what its state would end":             {[]connection.Claim{hasToEnd}, keeps, none},
		"a destroy of what its state would end":             {[]connection.Claim{hasToEnd}, ends, none},
		"what a state would have ended, and is gone":        {[]connection.Claim{hasToEnd, gone}, adopts, none},
		"what a tainted resource would end, refreshed late": {[]connection.Claim{adopts}, hasToEnd, ended},
		"what a tainted resource keeps, refreshed late":     {[]connection.Claim{adopts}, has, none},
		"two states, of which the first would end it":       {[]connection.Claim{hasToEnd}, has, none},
		"two states, of which the second would end it":      {[]connection.Claim{has}, hasToEnd, none},
		"two states that would end it":                      {[]connection.Claim{hasToEnd}, hasToEnd, none},
		"two states that keep it":                           {[]connection.Claim{has}, has, none},
		"an update of what its refreshed state would end":   {[]connection.Claim{hasToEnd}, keepsToEnd, none},
		"one that ends, one that keeps":                     {[]connection.Claim{ends}, keeps, ended},
		"one that ends, one that adopts":                    {[]connection.Claim{ends}, adopts, ended},
		"one that ends, the second plan of a replacement":   {[]connection.Claim{ends}, readopts, ended},
		"one that keeps, one that ends":                     {[]connection.Claim{keeps}, ends, ended},
		"one that adopts, one that ends":                    {[]connection.Claim{adopts}, ends, ended},
		"one that readopts, one that ends":                  {[]connection.Claim{readopts}, ends, ended},
		"two that end":                                      {[]connection.Claim{ends}, ends, none},
		"an apply of what a plan keeps":                     {[]connection.Claim{keeps}, did, none},
		"no claim":                                          {[]connection.Claim{keeps}, keeps.If(false), none},
	} {
		data := &connection.Data{}
		for _, claim := range test.earlier {
			data.Claim("store s1", claim)
			data.Claim("store s2", keepsToEnd|ends) // another object
		}
		if got := data.Claim("store s1", test.claim); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
		if !data.HasClaim("store s1", test.claim|did) && test.claim != 0 || data.HasClaim("store s3", test.claim) {
			t.Errorf("%s: the claim of an object is unknown, or that of another one is known", name)
		}
		if got := data.Claim("store s1", 0); got != none {
			t.Errorf("%s: afterwards, no claim has the conflict %d", name, got)
		}
	}
	if conflict := (*connection.Data)(nil).Claim("store s1", keeps); conflict != none {
		t.Errorf("without a provider: %d", conflict)
	}
}

func TestOneOfManyClaimsAtOnceIsTheFirst(t *testing.T) {
	t.Parallel()
	data, all := &connection.Data{}, sync.WaitGroup{}
	var first, noted atomic.Int32
	for range 50 {
		all.Go(func() {
			if data.Claim("store s1", connection.Adopts) == connection.None {
				first.Add(1)
			}
			before := connection.Note(data, "stores", func(names *[]string) { *names = append(*names, "s1") })
			noted.Add(int32(len(before)))
		})
	}
	all.Wait()
	if first.Load() != 1 || noted.Load() != 49*50/2 {
		t.Errorf("%d are the first one, and there were %d notes before", first.Load(), noted.Load())
	}
	if names := connection.Noted[[]string](data, "stores"); len(names) != 50 || !slices.Equal(slices.Compact(slices.Clone(names)), []string{"s1"}) {
		t.Errorf("noted %q", names)
	}
}

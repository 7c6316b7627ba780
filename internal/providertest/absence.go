package providertest

import (
	"cmp"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/provider/tf"
)

// What a response without a field says, as the provider has to behave: Unsaid keeps the value of the state. Needed does
// so, and refuses a PUT without the field. UnsetOnceReturned keeps the value only until a response has had the field.
// Unset keeps none.
const (
	Unsaid            = "unsaid"
	Needed            = "needed"
	UnsetOnceReturned = "unset once returned"
	Unset             = "unset"
)

// CheckAbsences tests what responses without a member say about it, for each member of want that a configuration of the
// resource has. A member is like oidc.enabled. All fields of the resource are in want.
func CheckAbsences(t *testing.T, r Registration, want map[string]string) {
	t.Helper()
	r = sharingApplied([]Registration{r})[0]
	for field := range r.Attributes {
		if want[field] == "" {
			t.Errorf("want lacks %s", field)
		}
	}
	for member, absence := range want {
		attribute := cmp.Or(r.Attributes[member], tf.SnakeCase(strings.ReplaceAll(member, ".", "_")))
		if config := r.configWith(attribute); config != nil {
			runCase(t, member, func(t *testing.T) {
				without := Rewrite(func(_ *http.Request, document map[string]any) {
					atMember(document, strings.Split(member, "."), removeMember)
				})
				if got := r.absenceOf(t, attribute, config, without); got != absence {
					t.Errorf("absence is %s, want %s", got, absence)
				}
			})
		}
	}
}

// configWith returns the registered configuration with an attribute that is not empty, from a change if it lacks that, or
// nil.
func (r Registration) configWith(attribute string) Values {
	for _, change := range slices.Concat([]Values{nil}, r.Changes) {
		config := With(r.Config, change)
		list, isList := config[attribute].([]any)
		if config[attribute] != nil && (!isList || len(list) > 0) {
			return config
		}
	}
	return nil
}

// absenceOf finds out what responses without the field of an attribute say to the provider.
func (r Registration) absenceOf(t *testing.T, attribute string, config Values, without Handler) string {
	t.Helper()
	returned := r.startApplied(t)
	returned.MustApply(config)
	if returned.keeps(attribute, without) {
		if r.isRefusedWithout(t, attribute, without) {
			return Needed
		}
		return Unsaid
	}
	never := r.Start(t)
	never.Proxy.Handle(without)
	p := never.Plan(config)
	if len(p.Errors()) == 0 && len(never.Apply(p, Values{}).Errors()) == 0 && never.keeps(attribute, without) {
		return UnsetOnceReturned
	}
	return Unset
}

// keeps reports whether a refresh keeps the value of an attribute.
func (a *Trial) keeps(attribute string, without Handler) bool {
	a.T.Helper()
	before := a.Attributes()[attribute]
	a.Proxy.Handle(without)
	a.Restart()
	a.MustRefresh()
	return reflect.DeepEqual(a.Attributes()[attribute], before)
}

// isRefusedWithout reports whether the provider refuses a PUT after an import if neither the configuration nor any
// response has the field of an attribute.
func (r Registration) isRefusedWithout(t *testing.T, attribute string, without Handler) bool {
	t.Helper()
	a := r.startWithObject(t)
	a.Proxy.Handle(without)
	a.mustImport()
	i := slices.IndexFunc(r.Changes, func(change Values) bool {
		return change[attribute] == nil && len(differing(r.Fields(With(r.Config, change)), r.Fields(r.Config))) > 0
	})
	p := a.Plan(With(r.Config, r.Changes[i], Values{attribute: nil}))
	errors := p.Errors()
	if len(errors) == 0 {
		errors = a.Apply(p, Values{}).Errors()
	}
	return mention(errors, "did not return its "+attribute)
}

package providertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"terraform-provider-opsmanager/internal/tools/masks"
)

// Secret describes a secret of a resource that a PUT replaces to [CheckSecret].
type Secret struct {
	Attribute, Field      string // the field may have a dot
	Before, After         string
	Beside, BesideChanged Values // another attribute, as it is first and then
	BesideField           string
}

// showings are the ways in which a response may have a secret.
var showings = map[string]func(secret any) any{
	"as it is":          func(secret any) any { return secret },
	"left out":          func(any) any { return nil },
	"REDACTED":          mask("REDACTED"),
	"[REDACTED]":        mask("[REDACTED]"),
	"<redacted>":        mask("<redacted>"),
	"[PROTECTED]":       mask("[PROTECTED]"),
	"<hidden>":          mask("<hidden>"),
	"(hidden)":          mask("(hidden)"),
	"hidden":            mask("hidden"),
	"stars":             mask("****************"),
	"bullets":           mask("••••••••"),
	"letters":           mask("xxxxxxxx"),
	"its beginning":     func(secret any) any { return beginning(secret) + "***" },
	"its two ends":      func(secret any) any { return beginning(secret) + "****" + text(secret)[len(text(secret))-2:] },
	"null":              func(any) any { return json.RawMessage("null") },
	"without its user":  withUser("REDACTED:REDACTED"),
	"its user redacted": withUser("<redacted>"),
	"its user in x":     withUser("xxxxx:xxxxx"),
	"another each time": func(any) any { return fmt.Sprintf("masked-%d", masked.Add(1)) },
}

var masked atomic.Int64

// withUser returns a function that replaces the user and the password of a connection string, or all of another secret.
func withUser(mask string) func(any) any {
	return func(secret any) any {
		scheme, rest, _ := strings.Cut(text(secret), "://")
		if _, hosts, ok := strings.Cut(rest, "@"); ok {
			return scheme + "://" + mask + "@" + hosts
		}
		return mask
	}
}

func mask(text string) func(any) any { return func(any) any { return text } }

func beginning(secret any) string { return text(secret)[:3] }

// CheckSecret tests that a change of a resource never loses or masks a secret, and that a plan is empty only if the
// object has the configured one, however responses show it.
func CheckSecret(t *testing.T, r Registration, secret Secret) {
	t.Helper()
	r = sharingApplied([]Registration{r})[0]
	checks := []struct {
		name string
		run  func(*secretTrial)
	}{
		{"another attribute changes", (*secretTrial).changesBeside},
		{"the attribute is removed", (*secretTrial).isRemoved},
		{"a rotation fails in part", (*secretTrial).rotatesInPart},
		{"a rotation has no answer", (*secretTrial).losesAnAnswer},
		{"a rotation is refused", (*secretTrial).isRefused},
		{"a rotation is ignored", (*secretTrial).isIgnored},
		{"it is imported", (*secretTrial).isImported},
		{"the object is adopted again", (*secretTrial).isAdopted},
		{"the resource is destroyed", (*secretTrial).isDestroyed},
	}
	all := maps.Clone(showings)
	for _, text := range slices.Concat(masks.Everywhere, masks.OfSecrets) {
		all["text "+text] = mask(text)
	}
	for i, showing := range slices.Sorted(maps.Keys(all)) {
		rate := 7
		if showings[showing] == nil {
			rate = 61
		}
		for j, isWriteOnly := range []bool{false, true} {
			for k, check := range checks {
				if !Sampled(i+11*j+5*k, rate) {
					continue
				}
				runCase(t, fmt.Sprintf("%s, shown %s, write-only %v", check.name, showing, isWriteOnly), func(t *testing.T) {
					s := &secretTrial{
						Trial:       r.Start(t),
						Secret:      secret,
						show:        all[showing],
						isWriteOnly: isWriteOnly,
						version:     1,
					}
					s.Proxy.Handle(s.answer)
					s.mustApply(s.config(secret.Before, secret.Beside))
					check.run(s)
				})
			}
		}
	}
}

// secretTrial is a trial of one secret.
type secretTrial struct {
	*Trial
	Secret
	show        func(any) any
	isWriteOnly bool
	version     int
	fault       Handler // of a PUT
}

// answer answers requests with the secret as the service shows it.
func (s *secretTrial) answer(w http.ResponseWriter, request *http.Request, service http.Handler) {
	if request.Method == http.MethodPut && s.fault != nil {
		s.fault(w, request, service)
		return
	}
	Rewrite(func(_ *http.Request, document map[string]any) {
		object, field := s.inside(document)
		switch shown := s.shown(object[field]); {
		case object == nil || object[field] == nil:
		case shown == nil:
			delete(object, field)
		default:
			object[field] = shown
		}
	})(w, request, service)
}

func (s *secretTrial) shown(secret any) any {
	if secret == nil {
		return nil
	}
	return s.show(secret)
}

// inside returns the innermost object with the secret, and its field there.
func (s *secretTrial) inside(document map[string]any) (object map[string]any, field string) {
	outer, inner, isNested := strings.Cut(s.Field, ".")
	if !isNested {
		return document, outer
	}
	object, _ = document[outer].(map[string]any)
	return object, inner
}

// config returns a configuration with a secret.
func (s *secretTrial) config(secret string, more ...Values) Values {
	config := With(s.Registration.Config, more...)
	if !s.isWriteOnly {
		return With(config, Values{s.Attribute: secret})
	}
	return With(config, Values{
		s.Attribute:                 nil,
		s.Attribute + "_wo":         secret,
		s.Attribute + "_wo_version": s.version,
	})
}

// without returns a configuration without the secret.
func (s *secretTrial) without(more ...Values) Values {
	return With(s.config("", more...), Values{
		s.Attribute:                 nil,
		s.Attribute + "_wo":         nil,
		s.Attribute + "_wo_version": nil,
	})
}

// run plans and applies a configuration, and returns the errors.
func (s *secretTrial) run(config Values) []string {
	s.T.Helper()
	s.Restart()
	if errors := s.Refresh().Errors(); len(errors) > 0 {
		s.T.Fatalf("refresh: %q", errors)
	}
	held := s.Attributes()[s.Attribute]
	if held != nil && held != s.Before && held != s.After {
		s.T.Fatalf("the state has a mask: %v", held)
	}
	p := s.Plan(config)
	if errors := p.Errors(); len(errors) > 0 || p.IsEmpty() {
		return errors
	}
	s.Restart()
	return s.Apply(p, Values{}).Errors()
}

func (s *secretTrial) mustApply(config Values) {
	s.T.Helper()
	if errors := s.run(config); len(errors) > 0 {
		s.T.Fatalf("apply: %q", errors)
	}
}

// mustHold fails if the service does not hold a secret.
func (s *secretTrial) mustHold(secret string) {
	s.T.Helper()
	object, field := s.inside(s.Live(s.Registration.Config))
	if object[field] != secret {
		s.T.Fatalf("the service holds %v, want %s", object[field], secret)
	}
}

// mustSettle applies a configuration until the plan is empty.
func (s *secretTrial) mustSettle(config Values, secret string) {
	s.T.Helper()
	s.mustApply(config)
	s.mustHold(secret)
	s.Restart()
	s.Refresh()
	p := s.Plan(config)
	if len(p.Errors()) > 0 || !p.IsEmpty() {
		s.T.Fatalf("the plan is not empty: %q %v", p.Errors(), p.Changes())
	}
}

// mustKeepOrRefuse applies a configuration, which either keeps the secret or fails because it is not known.
func (s *secretTrial) mustKeepOrRefuse(config Values) {
	s.T.Helper()
	writes := len(s.Service.Writes())
	errors := s.run(config)
	s.mustHold(s.Before)
	if len(errors) > 0 && (!mention(errors, "Unknown Secret") || len(s.Service.Writes()) > writes) {
		s.T.Fatalf("apply: %q, %q", errors, s.Service.Writes())
	}
}

func (s *secretTrial) changesBeside() {
	s.mustSettle(s.config(s.Before, s.BesideChanged), s.Before)
}

func (s *secretTrial) isRemoved() {
	s.mustKeepOrRefuse(s.without(s.BesideChanged))
	s.mustApply(s.without(s.Beside))
	s.mustHold(s.Before)
	s.mustKeepOrRefuse(s.without(s.BesideChanged))
	s.mustSettle(s.config(s.Before, s.BesideChanged), s.Before)
}

// rotated returns the configuration with the other secret.
func (s *secretTrial) rotated(more Values) Values {
	s.version++
	return s.config(s.After, more)
}

// reverted returns the configuration with the secret before.
func (s *secretTrial) reverted() Values {
	s.version--
	return s.config(s.Before, s.Beside)
}

func (s *secretTrial) rotatesInPart() {
	id := s.Registration.ID(s.Registration.Config)
	kept := s.Live(s.Registration.Config)[s.BesideField]
	s.fault = Rewrite(func(_ *http.Request, document map[string]any) {
		s.Registration.SetObject(s.Service, id, map[string]any{s.BesideField: kept})
		document[s.BesideField] = kept
		if object, field := s.inside(document); object != nil && object[field] != nil {
			object[field] = s.show(object[field])
		}
	})
	if errors := s.run(s.rotated(s.BesideChanged)); len(errors) == 0 {
		s.T.Fatalf("the apply succeeded, although the service kept %s", s.BesideField)
	}
	s.mustHold(s.After)
	s.fault = nil
	s.mustSettle(s.reverted(), s.Before)
}

func (s *secretTrial) losesAnAnswer() {
	s.fault = func(w http.ResponseWriter, request *http.Request, service http.Handler) {
		Record(request, service)
		w.WriteHeader(http.StatusGatewayTimeout)
	}
	errors := s.run(s.rotated(s.Beside))
	s.mustHold(s.After)
	if len(errors) == 0 {
		return // a read has shown that it took effect
	}
	s.fault = nil
	s.mustSettle(s.reverted(), s.Before)
}

func (s *secretTrial) isRefused() {
	const refusal = `{"error": 400, "reason": "Bad Request", "errorCode": "INVALID_ATTRIBUTE", "detail": "Invalid."}`
	s.fault = Respond(http.StatusBadRequest, refusal, "Content-Type", "application/json")
	if errors := s.run(s.rotated(s.Beside)); len(errors) == 0 {
		s.T.Fatalf("the apply succeeded, although the service refused it")
	}
	s.fault = nil
	s.mustSettle(s.reverted(), s.Before)
}

func (s *secretTrial) isIgnored() {
	object, field := s.inside(s.Live(s.Registration.Config))
	shown := text(s.shown(object[field]))
	first, rest, _ := strings.Cut(shown, "***")
	isWhole := slices.Contains(masks.Everywhere, shown)
	fitsAfter := strings.HasPrefix(s.After, first) && strings.HasSuffix(s.After, strings.TrimLeft(rest, "*"))
	if isWhole || shown != s.Before && (fitsAfter || !strings.Contains(shown, "***")) {
		return // nothing tells that it is the one before
	}
	s.fault = Rewrite(func(_ *http.Request, document map[string]any) {
		s.Registration.SetObject(s.Service, s.Registration.ID(s.Registration.Config), s.withSecret(s.Before))
		object, field := s.inside(document)
		object[field] = s.show(s.Before)
	})
	if errors := s.run(s.rotated(s.BesideChanged)); !mention(errors, "still returns the one before") {
		s.T.Fatalf("the service has ignored the secret, and the apply says %q", errors)
	}
	s.mustHold(s.Before)
	s.fault = nil
	s.mustSettle(s.config(s.After, s.BesideChanged), s.After)
}

// withSecret returns the field of an object with a secret, and with what is beside the secret in it.
func (s *secretTrial) withSecret(secret string) map[string]any {
	outer, inner, isNested := strings.Cut(s.Field, ".")
	if !isNested {
		return map[string]any{outer: secret}
	}
	object, _ := s.Live(s.Registration.Config)[outer].(map[string]any)
	return map[string]any{outer: With(object, Values{inner: secret})}
}

func (s *secretTrial) isImported() {
	s.Restart()
	s.State = s.Null()
	s.Private = nil
	s.Identity = nil
	errors := s.ImportID(s.Registration.ID(s.Registration.Config)).Errors()
	if len(errors) > 0 {
		s.T.Fatalf("import: %q", errors)
	}
	s.mustKeepOrRefuse(s.without(s.BesideChanged))
	s.mustSettle(s.config(s.Before, s.BesideChanged), s.Before)
}

func (s *secretTrial) isAdopted() {
	if !s.Registration.Creatable(s.Registration.Config, s.Live(s.Registration.Config)) {
		return
	}
	s.State = s.Null()
	s.Private = nil
	s.Identity = nil
	s.mustKeepOrRefuse(s.without(s.BesideChanged))
	s.mustSettle(s.config(s.Before, s.BesideChanged), s.Before)
}

func (s *secretTrial) isDestroyed() {
	if slices.Contains(s.Registration.IDs, "id") { // a store, which is deleted with its secrets
		return
	}
	s.mustApply(s.config(s.Before, Values{"on_destroy": "reset"}))
	s.mustKeepOrRefuse(nil)
}

package providertest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/tools/masks"
)

// identifying are the texts of responses that say which object it is. With others, it is another object.
var identifying = []string{"id", "groupId", "machine.machine", "machine.headRootDirectory"}

// unsent are the other texts of responses that no PUT sends in its body.
var unsent = []string{"created", "updated", "typeName", "notifications.0.id", "objectLockEnabledAt"}

// CheckMasks tests that no PUT of a resource sends back a mask, wherever responses have one: in each of their texts but
// the secrets, and in a member that the provider does not know, in each object. Texts that look similar are sent back.
func CheckMasks(t *testing.T, r Registration, secrets ...string) {
	t.Helper()
	r = sharingApplied([]Registration{r})[0]
	var places []string
	InBubble(t, func(t *testing.T) {
		a := r.startApplied(t)
		a.Proxy.Handle(Rewrite(func(request *http.Request, document map[string]any) {
			if request.Method == http.MethodGet && document["results"] == nil {
				places = placesOf(document)
			}
		}))
		a.Restart()
		a.Refresh()
	})
	isSkipped := func(place string) bool {
		return slices.Contains(slices.Concat(identifying, unsent, secrets), place)
	}
	for i, place := range slices.DeleteFunc(places, isSkipped) {
		isUnknown := strings.HasSuffix(place, newSetting)
		all := slices.Concat(masks.Everywhere, masks.OfParts)
		if isUnknown {
			all = slices.Concat(all, masks.OfSecrets, masks.OfPartsOfSecrets, masks.Doubtful)
		}
		for j, mask := range all {
			if Sampled(i+j, 23) {
				runCase(t, fmt.Sprintf("%s is %q", place, mask), func(t *testing.T) {
					s := r.sentWith(t, place, mask)
					isSent := strings.Contains(s.bodies, strconv.Quote(mask))
					isStored := strings.HasSuffix(place, "certString") && strings.Contains(s.state, mask)
					if isSent || isStored {
						t.Errorf("sent %s, state %s", s.bodies, s.state)
					}
				})
			}
		}
		if isUnknown || strings.HasSuffix(place, "certString") || place == "eventTypeName" {
			continue
		}
		for j, name := range masks.Names {
			if Sampled(i+j, 23) {
				runCase(t, fmt.Sprintf("%s is the name %q", place, name), func(t *testing.T) {
					s := r.sentWith(t, place, name)
					if !s.isConfigured && !strings.Contains(s.bodies, strconv.Quote(name)) {
						t.Errorf("sent %s", s.bodies)
					}
				})
			}
		}
	}
}

// placesOf returns the paths of the members of a document that are texts or lists of texts, and of a new member in each
// object. A path is like machine.machine.
func placesOf(document map[string]any) (places []string) {
	for _, path := range membersOf(document, nil) {
		if path[0] == "links" {
			continue
		}
		atMember(document, path, func(object map[string]any, name string) {
			if withText(object[name], "") != nil {
				places = append(places, strings.Join(path, "."))
			}
		})
		places = append(places, strings.Join(append(path[:len(path)-1:len(path)-1], newSetting), "."))
	}
	slices.Sort(places)
	return slices.Compact(places)
}

const newSetting = "newSetting"

// replaceText replaces the text of a member of an object that has it, or the first text of its list, or sets the new member.
func replaceText(by string) func(object map[string]any, name string) {
	return func(object map[string]any, name string) {
		if replaced := withText(object[name], by); replaced != nil {
			object[name] = replaced
		} else if name == newSetting {
			object[name] = by
		}
	}
}

// withText returns another text, or a list that begins with it, in place of a value of the same kind, or nil.
func withText(value any, text string) any {
	list, _ := value.([]any)
	if _, isText := value.(string); isText {
		return text
	} else if len(list) > 0 && withText(list[0], text) == text {
		return append([]any{text}, list[1:]...)
	}
	return nil
}

// sentWith is what was sent and stored while each response had a text at a place.
type sentWith struct {
	bodies, state string // the bodies of all PUTs, and the state before the destroy
	isConfigured  bool   // whether the configuration requires the attribute of the place
}

// sentWith applies a change of another attribute while each response has a text at a place, and destroys the resource.
// The attribute of the place is not configured, unless it is required. A change that sends nothing has to fail.
func (r Registration) sentWith(t *testing.T, place, text string) (s sentWith) {
	t.Helper()
	steps := strings.Split(place, ".")
	attribute, isKnown := r.Attributes[steps[0]]
	a := r.startApplied(t)
	a.Proxy.Handle(Rewrite(func(_ *http.Request, document map[string]any) {
		atMember(document, steps, replaceText(text))
	}))
	a.Service.ResetRequests()
	for _, change := range r.changesWithout(attribute) {
		if len(differing(r.Fields(With(r.Config, change)), r.Fields(r.Config))) == 0 {
			continue
		}
		a.Restart()
		a.Refresh()
		config := With(r.Config, change)
		without := config
		if isKnown {
			without = With(config, Values{attribute: nil})
		}
		p := a.Plan(without)
		if len(p.Errors()) > 0 {
			a.Restart()
			s.isConfigured = true
			p = a.Plan(config)
		}
		a.Restart()
		if len(p.Errors()) == 0 && len(a.Apply(p, Values{}).Errors()) == 0 && len(a.Service.Sent("PUT", "")) == 0 {
			t.Error("the change succeeded, and nothing was sent")
		}
		break
	}
	s.bodies = strings.Join(a.Service.Sent("PUT", ""), "\n")
	if a.State.IsNull() { // a replacement has failed
		return s
	}
	s.state = fmt.Sprint(a.Attributes())
	a.Restart()
	if p := a.Plan(nil); len(p.Errors()) == 0 {
		a.Apply(p, Values{})
	}
	s.bodies = strings.Join(a.Service.Sent("PUT", ""), "\n")
	return s
}

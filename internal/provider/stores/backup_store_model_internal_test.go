package stores

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/wholeobject"
)

// oidcOf returns a model with oidc from a text such as 'enabled=true scope=a', or without it for
// "-". For "none", there is no model: the store is adopted.
func oidcOf(text string) storeModel {
	if text == "none" {
		return nil
	}
	if text == "-" {
		return storeModel{"oidc": types.ObjectNull(oidcTypes)}
	}
	values := map[string]attr.Value{}
	for attribute, kind := range oidcTypes {
		values[attribute] = types.StringNull()
		if kind.Equal(types.BoolType) {
			values[attribute] = types.BoolNull()
		} else if !kind.Equal(types.StringType) {
			values[attribute] = types.Int64Null()
		}
	}
	for _, part := range strings.Fields(text) {
		attribute, value, _ := strings.Cut(part, "=")
		values[attribute] = types.StringValue(value)
		if attribute == "enabled" {
			values[attribute] = types.BoolValue(value == "true")
		}
	}
	return storeModel{"oidc": types.ObjectValueMust(oidcTypes, values)}
}

// sentText returns what a request has for oidc.
func sentText(t *testing.T, oidc *opsmanager.StoreOIDC) string {
	t.Helper()
	if oidc == nil {
		return "-"
	}
	var fields map[string]any
	document, err := json.Marshal(oidc)
	if err != nil || json.Unmarshal(document, &fields) != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		parts = append(parts, fmt.Sprintf("%s=%v", name, fields[name]))
	}
	return strings.Join(parts, " ")
}

func TestEachPartOfOIDCIsMerged(t *testing.T) {
	t.Parallel()
	everything := returned{wholeobject.Returned{Attributes: []string{"oidc", "oidc.enabled", "oidc.method", "oidc.scope", "oidc.token_uri"}}, true}
	unseen := returned{everything.Returned, false}
	for name, test := range map[string]struct {
		plan, prior, live string
		returned          returned
		want              string
		vanished          bool
	}{
		"unchanged, and as it was":     {"enabled=true scope=a", "enabled=true scope=a", `{"enabled":true,"scope":"a","clientSecret":"***"}`, everything, "enabled=true scope=a", false},
		"unchanged, changed elsewhere": {"enabled=true scope=a", "enabled=true scope=a", `{"enabled":false,"scope":"b","new":1}`, everything, "enabled=false new=1 scope=b", false},
		"unchanged, removed elsewhere": {"enabled=true", "enabled=true", ``, everything, "-", false},
		"unchanged, never returned":    {"enabled=true", "enabled=true", ``, returned{}, "enabled=true", false},
		"unmanaged":                    {"-", "-", `{"enabled":true,"new":1}`, everything, "enabled=true new=1", false},
		"unmanaged and not set":        {"-", "-", ``, everything, "-", false},
		"removed by the plan":          {"-", "enabled=true", `{"enabled":true,"new":1}`, everything, "-", false},
		"a part changed, a part elsewhere": {"enabled=true token_uri=b", "enabled=true token_uri=a", `{"enabled":false,"tokenUri":"a","scope":"s","new":1}`, everything,
			"enabled=false new=1 scope=s tokenUri=b", false},
		"a part changed, also elsewhere": {"enabled=true token_uri=b", "enabled=true token_uri=a", `{"enabled":true,"tokenUri":"c"}`, everything, "enabled=true tokenUri=b", false},
		"a part removed by the plan":     {"enabled=true", "enabled=true scope=a", `{"enabled":true,"scope":"a","new":1}`, everything, "enabled=true new=1", false},
		"a part removed elsewhere":       {"enabled=true scope=a token_uri=b", "enabled=true scope=a token_uri=a", `{"enabled":true,"tokenUri":"a"}`, everything, "enabled=true tokenUri=b", false},
		"a part never returned":          {"enabled=true client_id=c token_uri=b", "enabled=true client_id=c token_uri=a", `{"enabled":true,"tokenUri":"a"}`, everything, "clientId=c enabled=true tokenUri=b", false},
		"a part changed, all removed":    {"enabled=true scope=b", "enabled=true scope=a", ``, everything, "-", true},
		"a part changed, never returned": {"enabled=true scope=b", "enabled=true scope=a", ``, returned{}, "enabled=true scope=b", false},
		"added":                          {"enabled=true", "-", ``, returned{}, "enabled=true", false},
		"added to a live one":            {"enabled=true", "-", `{"enabled":false,"scope":"s","new":1}`, everything, "enabled=true new=1", false},
		"added, and since elsewhere":     {"enabled=true", "-", `{"enabled":false,"scope":"s","new":1}`, unseen, "enabled=true", false},
		"adopted":                        {"enabled=true", "none", `{"enabled":false,"scope":"s","new":1}`, returned{}, "enabled=true new=1 scope=s", false},
		"adopted without oidc":           {"-", "none", `{"enabled":false,"scope":"s"}`, returned{}, "enabled=false scope=s", false},
		"adopted, and not live":          {"enabled=true", "none", ``, returned{}, "enabled=true", false},
	} {
		u := update{plan: oidcOf(test.plan), prior: oidcOf(test.prior), returned: test.returned}
		if test.live != "" {
			u.live.OIDC = new(opsmanager.StoreOIDC)
			if err := json.Unmarshal([]byte(test.live), u.live.OIDC); err != nil {
				t.Fatal(err)
			}
		}
		before := sentText(t, u.live.OIDC)
		merged, vanished := mergedOIDC(u)
		if got := sentText(t, merged); got != test.want || vanished != test.vanished {
			t.Errorf("%s: got %q (%t), want %q (%t)", name, got, vanished, test.want, test.vanished)
		}
		if after := sentText(t, u.live.OIDC); after != before {
			t.Errorf("%s: the live one was %q and is %q", name, before, after)
		}
	}
}

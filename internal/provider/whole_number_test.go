package provider_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/emulator"
)

func TestANumberThatIsNotWholeIsAnErrorOnItsAttribute(t *testing.T) {
	t.Parallel()
	w, _ := configure(t, nil, nil)
	const fraction, tooLarge = "Number Is Not Whole", "Number Out of Range"
	tried := 0
	try := func(of string, schema *tfprotov6.Schema, validate func(*tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error)) {
		for _, attribute := range schema.Block.Attributes {
			if !attribute.ValueType().Is(tftypes.Number) || !attribute.Optional && !attribute.Required {
				continue
			}
			for _, test := range []struct {
				number float64
				says   []string
			}{
				{30.0 / 7, []string{fraction, attribute.Name + " must be a whole number, and is about 4.285714286.", "floor() or ceil()"}},
				{-0.5, []string{fraction, "is -0.5."}},
				{7.000000000001, []string{fraction, "is about 7."}},
				{1e30, []string{tooLarge, attribute.Name + " is 1e+30, which is out of range."}},
				{-1e30, []string{tooLarge, "is -1e+30"}},
			} {
				told, err := validate(w.dynamic(schema, values{attribute.Name: test.number}))
				if err != nil {
					t.Fatal(err)
				}
				var about []string
				for _, text := range diagnostics(told).errors() {
					if strings.Contains(text, attribute.Name) {
						about = append(about, text)
					}
					if strings.Contains(text, "error in the provider") {
						t.Errorf("%s.%s = %v: %s", of, attribute.Name, test.number, text)
					}
				}
				wantOne(t, about, append(test.says, "["+attribute.Name+"]")...)
			}
			tried++
		}
	}
	try("provider", w.schema.Provider, func(config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
		answer, err := w.server.ValidateProviderConfig(w.ctx, &tfprotov6.ValidateProviderConfigRequest{Config: config})
		return answer.Diagnostics, err
	})
	for name, schema := range w.schema.ResourceSchemas {
		try(name, schema, func(config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			answer, err := w.server.ValidateResourceConfig(w.ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: name, Config: config})
			return answer.Diagnostics, err
		})
	}
	for name, schema := range w.schema.DataSourceSchemas {
		try("data."+name, schema, func(config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			answer, err := w.server.ValidateDataResourceConfig(w.ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: config})
			return answer.Diagnostics, err
		})
	}
	if tried < 15 {
		t.Errorf("only %d numbers were tried", tried)
	}
}

// A server may be called without validation before, and must not panic.
func TestANumberThatIsNotWholeFailsEachCall(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	_, told := configure(t, nil, needed(s.URL, values{"max_retries": 1.5}))
	wantOne(t, slices.Compact(told.errors()), "max_retries must be a whole number, and is 1.5.")

	w := openWorkspace(t, s, nil)
	schema := w.schema.DataSourceSchemas[backupConfigsType]
	answer, err := w.server.ReadDataSource(w.ctx, &tfprotov6.ReadDataSourceRequest{
		TypeName: backupConfigsType, Config: w.dynamic(schema, values{"project_id": payments, "page_num": 1.5}),
	})
	if err != nil {
		t.Fatal(err)
	}
	wantOne(t, diagnostics(answer.Diagnostics).errors(), "page_num must be a whole number, and is 1.5.")
	if sent := s.calls(); len(sent) > 0 {
		t.Errorf("sent %q", sent)
	}
}

func TestAFractionThatIsKnownLateIsAnErrorOfTheApply(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	r := openWorkspace(t, s, nil).resource(scheduleType)
	p := r.plan(schedule(cards, values{"daily_snapshot_retention_days": unknown}))
	if len(p.errors()) > 0 {
		t.Fatal(p.errors())
	}
	s.ResetRequests()
	told := r.apply(p, values{"daily_snapshot_retention_days": 4.5})
	wantOne(t, told.errors(), "[daily_snapshot_retention_days]", "must be a whole number, and is 4.5.")
	wantNothing(t, r)
	if sent := s.calls("PATCH"); len(sent) > 0 {
		t.Errorf("sent %q", sent)
	}
}

package provider_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-opsmanager/internal/providertest"
)

func TestFractionIsAnErrorOnItsAttribute(t *testing.T) {
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
				{30.0 / 7, []string{fraction, attribute.Name + " must be a whole number, but is about 4.285714286.", "floor() or ceil()"}},
				{-0.5, []string{fraction, "is -0.5."}},
				{7.000000000001, []string{fraction, "is about 7."}},
				{1e30, []string{tooLarge, attribute.Name + " is 1e+30, which is out of range."}},
				{-1e30, []string{tooLarge, "is -1e+30"}},
			} {
				diags, err := validate(w.Dynamic(schema, values{attribute.Name: test.number}))
				if err != nil {
					t.Fatal(err)
				}
				var about []string
				for _, text := range providertest.Diagnostics(diags).Errors() {
					if strings.Contains(text, attribute.Name) {
						about = append(about, text)
					}
					if strings.Contains(text, "error in the provider") {
						t.Errorf("%s.%s = %v: %s", of, attribute.Name, test.number, text)
					}
				}
				providertest.WantOne(t, about, append(test.says, "["+attribute.Name+"]")...)
			}
			tried++
		}
	}
	try("provider", w.Schema.Provider, func(config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
		resp, err := w.Server.ValidateProviderConfig(w.Context, &tfprotov6.ValidateProviderConfigRequest{Config: config})
		return resp.Diagnostics, err
	})
	for name, schema := range w.Schema.ResourceSchemas {
		try(name, schema, func(config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			resp, err := w.Server.ValidateResourceConfig(w.Context, &tfprotov6.ValidateResourceConfigRequest{TypeName: name, Config: config})
			return resp.Diagnostics, err
		})
	}
	for name, schema := range w.Schema.DataSourceSchemas {
		try("data."+name, schema, func(config *tfprotov6.DynamicValue) ([]*tfprotov6.Diagnostic, error) {
			resp, err := w.Server.ValidateDataResourceConfig(w.Context, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: config})
			return resp.Diagnostics, err
		})
	}
	if tried < 15 {
		t.Errorf("only %d numbers were tried", tried)
	}
}

// A call that was not validated before must not panic.
func TestFractionFailsEachCall(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	_, diags := configure(t, nil, needed(s.URL, values{"max_retries": 1.5}))
	providertest.WantOne(t, slices.Compact(diags.Errors()), "max_retries must be a whole number, but is 1.5.")

	w := providertest.NewWorkspace(t, s)
	schema := w.Schema.DataSourceSchemas[providertest.BackupConfigsType]
	resp, err := w.Server.ReadDataSource(w.Context, &tfprotov6.ReadDataSourceRequest{
		TypeName: providertest.BackupConfigsType, Config: w.Dynamic(schema, values{"project_id": payments, "page_num": 1.5}),
	})
	if err != nil {
		t.Fatal(err)
	}
	providertest.Diagnostics(resp.Diagnostics).WantError(t, "page_num must be a whole number, but is 1.5.")
	providertest.WantNoCalls(t, s)
}

func TestFractionThatIsKnownOnlyAtApplyIsAnError(t *testing.T) {
	t.Parallel()
	s := providertest.StartService(t)
	r := providertest.NewWorkspace(t, s).NewResource(providertest.ScheduleType)
	p := r.Plan(providertest.Schedule(cards, values{"daily_snapshot_retention_days": providertest.Unknown}))
	p.WantNoErrors(t)
	s.ResetRequests()
	diags := r.Apply(p, values{"daily_snapshot_retention_days": 4.5})
	diags.WantError(t, "[daily_snapshot_retention_days]", "must be a whole number, but is 4.5.")
	providertest.WantNoState(t, r)
	providertest.WantNoCalls(t, s, "PATCH")
}

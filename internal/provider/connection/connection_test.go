package connection_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider/connection"
)

func TestProviderDataOfAnotherTypeIsAnError(t *testing.T) {
	t.Parallel()
	data := &connection.Data{}
	for _, test := range []struct {
		providerData any
		want         *connection.Data
		fails        bool
	}{
		{nil, nil, false},
		{data, data, false},
		{"a string", nil, true},
		{&opsmanager.Client{}, nil, true},
	} {
		var (
			r            connection.Resource
			d            connection.DataSource
			ofResource   resource.ConfigureResponse
			ofDataSource datasource.ConfigureResponse
			a            connection.Action
			ofAction     action.ConfigureResponse
		)
		r.Configure(t.Context(), resource.ConfigureRequest{ProviderData: test.providerData}, &ofResource)
		d.Configure(t.Context(), datasource.ConfigureRequest{ProviderData: test.providerData}, &ofDataSource)
		a.Configure(t.Context(), action.ConfigureRequest{ProviderData: test.providerData}, &ofAction)
		if r.Data != test.want || d.Data != test.want || a.Data != test.want {
			t.Errorf("%T: the resource has %v, the data source %v, the action %v", test.providerData, r.Data, d.Data, a.Data)
		}
		for _, diags := range []diag.Diagnostics{ofResource.Diagnostics, ofDataSource.Diagnostics, ofAction.Diagnostics} {
			if diags.HasError() != test.fails {
				t.Errorf("%T: %v", test.providerData, diags)
			}
			if test.fails && !strings.Contains(diags[0].Detail(), "*connection.Data") {
				t.Errorf("%T: %v", test.providerData, diags)
			}
		}
	}
}

func TestResourcesOfOneProviderShareTheValueOfAVariable(t *testing.T) {
	t.Parallel()
	data := &connection.Data{}
	*counted.Of(data)++
	*counted.Of(data)++
	if n := *counted.Of(data); n != 2 {
		t.Errorf("counted %d, want 2", n)
	}
	if n := *alsoCounted.Of(data); n != 0 {
		t.Errorf("another variable of the same type has %d", n)
	}
	if n := *counted.Of(&connection.Data{}); n != 0 {
		t.Errorf("another provider has %d", n)
	}
	if n := *counted.Of(nil); n != 0 {
		t.Errorf("an unconfigured provider has %d", n)
	}
}

var counted, alsoCounted connection.Shared[int]

package serve_test

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"terraform-provider-opsmanager/internal/provider"
	"terraform-provider-opsmanager/internal/serve"
)

// terraform-plugin-go checks which of these a server implements, and serves only those.
var serverInterfaces = []reflect.Type{
	reflect.TypeFor[tfprotov6.ProviderServer](),
	reflect.TypeFor[tfprotov6.ResourceServer](),
	reflect.TypeFor[tfprotov6.DataSourceServer](),
	reflect.TypeFor[tfprotov6.FunctionServer](),
	reflect.TypeFor[tfprotov6.EphemeralResourceServer](),
	reflect.TypeFor[tfprotov6.ListResourceServer](),
	reflect.TypeFor[tfprotov6.ActionServer](),
	reflect.TypeFor[tfprotov6.StateStoreServer](),
}

func TestWrappedServerHasAllMethodsOfTheFramework(t *testing.T) {
	t.Parallel()
	framework := providerserver.NewProtocol6(provider.New("test")())()
	with, without := reflect.TypeOf(framework), reflect.TypeOf(serve.Printable(framework, true))
	for _, is := range serverInterfaces {
		if with.Implements(is) != without.Implements(is) {
			t.Errorf("%s: the framework's server %t, wrapped %t", is, with.Implements(is), without.Implements(is))
		}
	}
	// A later version of the framework may add an interface with new methods.
	for method := range with.Methods() {
		if _, ok := without.MethodByName(method.Name); !ok {
			t.Errorf("no method %s", method.Name)
		}
		if !known(method.Name) {
			t.Errorf("%s is in none of the interfaces above", method.Name)
		}
	}
}

func known(method string) bool {
	for _, is := range serverInterfaces {
		if _, ok := is.MethodByName(method); ok {
			return true
		}
	}
	return false
}

package putresource_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/provider/providertest"
)

func TestMain(m *testing.M) { providertest.Main(m) }

package provider_test

import (
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

func TestEachReadNamesWhatItCannotFind(t *testing.T) {
	t.Parallel()
	providertest.CheckMissingObjects(t)
}

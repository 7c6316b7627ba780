package main

import (
	"testing"

	"terraform-provider-opsmanager/internal/providertest"
)

func TestMain(m *testing.M) { providertest.Main(m) }

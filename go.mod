module terraform-provider-opsmanager

go 1.26.0

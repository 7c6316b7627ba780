module terraform-provider-opsmanager

go 1.26.0

require (
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/hashicorp/go-retryablehttp v0.7.8 // indirect
	github.com/icholy/digest v1.2.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
)

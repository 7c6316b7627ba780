package infrastructure_test

import "maps"

// regionBody returns the request body of providertest.Region.
func regionBody(more object) object {
	body := object{
		"deploymentDescription": "Test",
		"ingestionEndpoint":     "https://om.example.com:8443",
		"restoreEndpoint":       "https://om.example.com:8443",
		"bqProxyEndpoint":       "om.example.com:27217",
	}
	maps.Copy(body, more)
	return body
}

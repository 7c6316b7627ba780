package opsmanager_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestKeyOfTheAgentsIsInNoLogAndNoError(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 404, 500} {
		for _, body := range []string{
			`{"id": "` + payments + `", "agentApiKey": "s3cr3t"}`,
			`{"id": "` + nowhere + `", "agentApiKey": "s3cr3t"}`,
			`{"name": 1, "agentApiKey": "s3cr3t"}`,
			`{"agentApiKey": "s3cr3t"`,
			`{"agentApiKey": "s3cr3t"}`,
		} {
			printed := ""
			project, err := responding(t, status, body, retries(0), logging(&printed)).Project(t.Context(), payments)
			if printed += fmt.Sprintf("%+v %v", project, err); strings.Contains(printed, "s3cr3t") {
				t.Error(printed)
			}
		}
	}
}

package main

import (
	"context"
	"net/url"
	"regexp"
	"strings"
)

// secretOfNotification matches the names of the fields of notifications that are secrets.
var secretOfNotification = regexp.MustCompile(`(Key|Token|Secret|Url)$`)

// lookAtAlerts looks at the alert configurations of a project. It compares secrets with the masks, and keeps none.
func (s *survey) lookAtAlerts(ctx context.Context, project string) error {
	a, err := s.get(ctx, url.Values{"itemsPerPage": {"500"}}, "groups", project, "alertConfigs")
	for _, config := range a.items() {
		for _, notification := range documents(config["notifications"]) {
			s.seeNotification(notification)
		}
	}
	return err
}

func (s *survey) seeNotification(notification document) {
	for name, value := range notification {
		if secret, ok := value.(string); ok && secretOfNotification.MatchString(name) {
			s.evidence.See("masks-alert-secrets", strings.Contains(secret, "***"))
		}
	}
	roles, has := notification["roles"].([]any)
	if text(notification, "typeName") == "GROUP" && len(roles) == 0 {
		s.evidence.See("returns-empty-roles", !has)
	}
}

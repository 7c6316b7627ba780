package main

import (
	"context"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/tools/assumptions"
)

// adminPath returns a path of what all projects share.
func adminPath(segments ...string) []string {
	return append([]string{"admin", "backup"}, segments...)
}

// seeDefault looks at what a list leaves out by default: the items that have a field that is not true.
func (s *survey) seeDefault(
	ctx context.Context, name assumptions.Name, items []document, field string, id func(document) string, path []string,
) error {
	items = slices.DeleteFunc(slices.Clone(items), func(item document) bool {
		return item[field] != false
	})
	if len(items) == 0 {
		return nil
	}
	byDefault, err := s.get(ctx, url.Values{"itemsPerPage": {"500"}}, path...)
	if err != nil || !byDefault.ok() {
		return err
	}
	for _, item := range items {
		s.evidence.See(name, !slices.ContainsFunc(byDefault.items(), func(other document) bool {
			return id(other) == id(item)
		}))
	}
	return nil
}

func identify(object document) string { return text(object, "id") }

func (s *survey) lookAtStores(ctx context.Context) error {
	for _, kind := range storeKinds {
		path := adminPath(strings.Split(string(kind), "/")...)
		stores, ok, err := s.list(ctx, assumptions.Stores, assumptions.StoreObject, url.Values{"assignableOnly": {"false"}}, path...)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		for _, store := range stores {
			s.seeStore(store)
		}
		if err := s.seeDefault(ctx, "assignable-only-by-default", stores, "assignmentEnabled", identify, path); err != nil {
			return err
		}
	}
	a, err := s.get(ctx, nil, adminPath("snapshot", "mongoConfigs", nothing)...)
	if err == nil && !a.isUnclear() && !a.lacksOperation() {
		s.evidence.SeeResponse("missing-store", a.code() == "MONGO_SNAPSHOT_CONFIG_NOT_FOUND", a.status, a.code())
	}
	return err
}

// seeStore looks at a store. It compares secrets with the masks, and keeps none.
func (s *survey) seeStore(store document) {
	if uri, ok := store["uri"].(string); ok {
		scheme, rest, isAddress := strings.Cut(uri, "://")
		at := strings.LastIndexByte(rest, '@')
		switch {
		case !isAddress || !strings.HasPrefix(scheme, "mongodb"):
			s.evidence.See("secret-mask", false)
		case at >= 0:
			s.evidence.See("secret-mask", rest[:at] == "REDACTED:REDACTED")
		}
	}
	if text(store, "s3AuthMethod") != "IAM_ROLE" && store["s3BucketName"] != nil {
		s.evidence.See("omits-secret-key", store["awsSecretKey"] != nil)
	}
	if secret, ok := store["awsSecretKey"].(string); ok {
		s.evidence.See("secret-mask", secret == strings.Repeat("*", 16))
	}
	for _, certificate := range documents(store["customCertificates"]) {
		s.evidence.See("redacts-certificates", strings.HasPrefix(strings.TrimSpace(text(certificate, "certString")), "-----BEGIN"))
	}
}

func (s *survey) lookAtDaemons(ctx context.Context) error {
	path := adminPath("daemon", "configs")
	var query url.Values
	if s.evidence.Applies("backup-jobs-only-by-default") {
		query = url.Values{"backupJobsEnabledOnly": {"false"}}
	}
	daemons, ok, err := s.list(ctx, assumptions.Daemons, assumptions.DaemonObject, query, path...)
	if err != nil || !ok {
		return err
	}
	machine := func(daemon document) string {
		names := nested(daemon, "machine")
		return text(names, "machine") + "|" + text(names, "headRootDirectory")
	}
	if err := s.seeDefault(ctx, "backup-jobs-only-by-default", daemons, "backupJobsEnabled", machine, path); err != nil {
		return err
	}
	missing, err := s.get(ctx, nil, append(path, nothing, nothing)...)
	if err != nil {
		return err
	}
	if missing.status == 404 {
		s.evidence.See("missing-daemon-has-no-body", len(missing.body) > 0)
		if missing.hasDocument() {
			code := missing.code()
			s.evidence.SeeResponse("missing-daemon-has-no-code", code == "DAEMON_MACHINE_CONFIG_NOT_FOUND", missing.status, code)
		}
	}
	for _, daemon := range daemons {
		if daemon["configured"] != false || nested(daemon, "machine")["headRootDirectory"] != nil {
			continue
		}
		name := text(nested(daemon, "machine"), "machine")
		if opsmanager.IsInvalidID(name) {
			continue
		}
		a, err := s.get(ctx, nil, append(path, name, nothing)...)
		if err != nil {
			return err
		}
		if a.ok() || a.status == 404 {
			s.evidence.See("returns-unconfigured-daemons", !a.ok())
		}
	}
	return nil
}

func (s *survey) lookAtJobConfigs(ctx context.Context) error {
	path := adminPath("groups")
	configs, ok, err := s.list(ctx, assumptions.Jobs, assumptions.JobObject, nil, path...)
	if err != nil || !ok {
		return err
	}
	for _, config := range configs {
		s.seeJobConfig(config)
	}
	return nil
}

// seeJobConfig looks at a job configuration. It compares the password with the masks, and keeps none.
func (s *survey) seeJobConfig(config document) {
	for _, name := range []string{"labelFilter", "daemonFilter", "snapshotStoreFilter", "oplogStoreFilter", "syncStoreFilter"} {
		elements, has := config[name].([]any)
		if !has || len(elements) == 0 {
			s.evidence.See("returns-empty-filters", !has)
		}
	}
	if password, ok := config["kmipClientCertPassword"].(string); ok && password != "" {
		s.evidence.See("masks-kmip-password", !strings.Contains(password, "REDACTED") && strings.Trim(password, "*") != "")
	}
}

func (s *survey) lookAtRegions(ctx context.Context) error {
	if !s.evidence.Applies("one-region") {
		return nil
	}
	path := adminPath("backupDeployments")
	regions, ok, err := s.list(ctx, assumptions.Regions, assumptions.RegionObject, nil, path...)
	if err != nil || !ok {
		return err
	}
	missing, err := s.get(ctx, nil, append(path, nothing)...)
	if err != nil {
		return err
	}
	if !missing.isUnclear() {
		code := missing.code()
		s.evidence.SeeResponse("missing-region", missing.status == 404 && code == "BACKUP_DEPLOYMENT_NOT_FOUND", missing.status, code)
	}
	for _, region := range regions[:min(len(regions), 3)] {
		id := identify(region)
		if opsmanager.IsInvalidID(id) {
			continue
		}
		one, err := s.get(ctx, nil, append(path, id)...)
		if err != nil {
			return err
		}
		if !one.isUnclear() {
			s.evidence.See("one-region", one.ok() && same(one.object, region))
		}
	}
	return nil
}

// same reports whether two objects are the same apart from their links.
func same(one, other document) bool {
	one, other = maps.Clone(one), maps.Clone(other)
	delete(one, "links")
	delete(other, "links")
	return reflect.DeepEqual(one, other)
}

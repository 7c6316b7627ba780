package opsmanager_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// missing has the codes that say that an object does not exist.
var missing = map[opsmanager.Object][]string{
	opsmanager.ObjectProject:                      {"GROUP_NOT_FOUND", "GROUP_NAME_NOT_FOUND"},
	opsmanager.ObjectCluster:                      {"CLUSTER_NOT_FOUND"},
	opsmanager.ObjectHost:                         {"HOST_NOT_FOUND"},
	opsmanager.ObjectConfigServer:                 {"NOT_CONFIG_SERVER"},
	opsmanager.ObjectBackupConfig:                 {"BACKUP_CONFIG_NOT_FOUND"},
	opsmanager.ObjectSchedule:                     {"BACKUP_CONFIG_NOT_FOUND"},
	opsmanager.ObjectMembers:                      {"BACKUP_CONFIG_NOT_FOUND"},
	opsmanager.ObjectSnapshot:                     {"SNAPSHOT_NOT_FOUND"},
	opsmanager.ObjectRestore:                      {"RESTORE_JOB_NOT_FOUND", "RESTORE_JOB_NOT_FOUND_IN_GROUP"},
	opsmanager.ObjectAutomationConfig:             {"AUTOMATION_CONFIG_NOT_FOUND"},
	opsmanager.ObjectAlertConfig:                  {"ALERT_CONFIG_NOT_FOUND"},
	opsmanager.ObjectDeploymentRegion:             {"BACKUP_DEPLOYMENT_NOT_FOUND"},
	opsmanager.ObjectDaemon:                       {"DAEMON_MACHINE_CONFIG_NOT_FOUND"},
	opsmanager.ObjectJobConfig:                    nil,
	opsmanager.Object(opsmanager.Blockstore):      {"MONGO_SNAPSHOT_CONFIG_NOT_FOUND"},
	opsmanager.Object(opsmanager.S3Blockstore):    {"S3_SNAPSHOT_CONFIG_NOT_FOUND"},
	opsmanager.Object(opsmanager.FileSystemStore): {"FILESYSTEM_SNAPSHOT_CONFIG_NOT_FOUND"},
	opsmanager.Object(opsmanager.OplogStore):      {"MONGO_OPLOG_CONFIG_NOT_FOUND"},
	opsmanager.Object(opsmanager.S3OplogStore):    {"S3_OPLOG_CONFIG_NOT_FOUND"},
	opsmanager.Object(opsmanager.SyncStore):       {"MONGO_SYNC_CONFIG_NOT_FOUND"},
}

func errorDocument(status int, code string) string {
	return fmt.Sprintf(`{"error":%d,"errorCode":%q,"detail":"d"}`, status, code)
}

func TestAnObjectIsMissingOnlyByItsOwnCode(t *testing.T) {
	t.Parallel()
	codes := []string{"", "REGION_NOT_FOUND", "RESOURCE_NOT_FOUND", "INVALID_GROUP_ID", "INVALID_CLUSTER_ID", "ATLAS_GROUP", "NOT_ATLAS_GROUP", "NOT_IN_GROUP"}
	for _, own := range missing {
		codes = append(codes, own...)
	}
	for _, code := range codes {
		err := fmt.Errorf("reading: %w", failingWith(t, 404, "", errorDocument(404, code)))
		for object, own := range missing {
			equal(t, string(object)+" with "+code, opsmanager.IsMissing(err, object), slices.Contains(own, code))
		}
	}
}

// Such as after a list that lacks the object, although the response had the code of its project.
func TestAnErrorOfMissingIsAboutOneObjectWhateverTheResponseWas(t *testing.T) {
	t.Parallel()
	for object := range missing {
		err := fmt.Errorf("reading: %w", opsmanager.Missing(object, failingWith(t, 404, "", errorDocument(404, "GROUP_NOT_FOUND"))))
		for other := range missing {
			equal(t, fmt.Sprintf("%s if the %s is missing", other, object), opsmanager.IsMissing(err, other), other == object)
		}
	}
}

func TestNothingIsMissingWithoutThe404AndTheDocumentOfTheAPI(t *testing.T) {
	t.Parallel()
	for object, own := range missing {
		for _, code := range own {
			for name, err := range map[string]error{
				"a page":                 failingWith(t, 404, "text/html", "<title>"+code+"</title>"),
				"another API":            failingWith(t, 404, "", fmt.Sprintf(`{"error":"Not Found","errorCode":%q}`, code)),
				"another status":         failingWith(t, 409, "", errorDocument(409, code)),
				"the document of a 404":  failingWith(t, 500, "", errorDocument(404, code)),
				"a rejected key":         failingWith(t, 401, "", errorDocument(401, code)),
				"nothing":                failingWith(t, 404, "", ""),
				"an interrupted request": context.Canceled,
				"an error of its own":    errors.New(code),
				"no error":               nil,
			} {
				equal(t, string(object)+" after "+name, opsmanager.IsMissing(err, object), false)
			}
		}
	}
}

func TestABackupIsNotMonitoredOnlyByThe409OfTheAPI(t *testing.T) {
	t.Parallel()
	const code = "CANNOT_GET_BACKUP_CONFIG_INVALID_STATE"
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"the documented response": {failingWith(t, 409, "", errorDocument(409, code)), true},
		"another status":          {failingWith(t, 404, "", errorDocument(404, code)), false},
		"another code":            {failingWith(t, 409, "", errorDocument(409, "CANNOT_STOP_BACKUP_INVALID_STATE")), false},
		"no document":             {failingWith(t, 409, "", code), false},
		"no error":                {nil, false},
	} {
		equal(t, name, opsmanager.IsNotMonitored(test.err), test.want)
	}
}

// What a response may mean decides which request follows, so each form is checked with each question.
func TestAResponseLeavesOpenOnlyWhatItDoesNotSay(t *testing.T) {
	t.Parallel()
	type objects = []opsmanager.Object
	const unsupported, maybeUnsupported, notReady = "unsupported", "may be unsupported", "not ready"
	const schedule, members, jobConfig, daemon = opsmanager.ObjectSchedule, opsmanager.ObjectMembers, opsmanager.ObjectJobConfig, opsmanager.ObjectDaemon
	for _, test := range []struct {
		name   string
		status int
		body   string
		want   objects
	}{
		{"an unknown code", 404, errorDocument(404, "REGION_NOT_FOUND"), objects{schedule, members, jobConfig}},
		{"no code", 404, errorDocument(404, ""), objects{schedule, members, jobConfig, daemon}},
		{"nothing", 404, "", objects{daemon, maybeUnsupported}},
		{"a page", 404, "<title>404</title>", objects{maybeUnsupported}},
		{"a gateway", 404, `{"message":"no route"}`, objects{maybeUnsupported}},
		{"another API", 404, `{"error":"Not Found","status":404}`, objects{maybeUnsupported}},
		{"an unknown path", 404, errorDocument(404, "RESOURCE_NOT_FOUND"), objects{members, unsupported, maybeUnsupported}},
		{"a project", 404, errorDocument(404, "GROUP_NOT_FOUND"), nil},
		{"a project by name", 404, errorDocument(404, "GROUP_NAME_NOT_FOUND"), nil},
		{"a cluster", 404, errorDocument(404, "CLUSTER_NOT_FOUND"), nil},
		{"a host", 404, errorDocument(404, "HOST_NOT_FOUND"), nil},
		{"a backup", 404, errorDocument(404, "BACKUP_CONFIG_NOT_FOUND"), objects{schedule, members}},
		{"a method", 405, errorDocument(405, "METHOD_NOT_ALLOWED"), objects{members, unsupported, maybeUnsupported}},
		{"a method, without a document", 405, "", objects{members, unsupported, maybeUnsupported}},
		{"an upgrade", 405, errorDocument(405, "WRITES_NOT_ALLOWED_DURING_APP_UPGRADES"), nil},
		{"an operation", 501, "", objects{members, unsupported, maybeUnsupported}},
		{"a conflict", 409, errorDocument(409, "CANNOT_GET_BACKUP_CONFIG_INVALID_STATE"), objects{schedule, members, notReady}},
		{"a conflict of a shard", 409, errorDocument(409, "CANNOT_MODIFY_SHARD_BACKUP_CONFIG"), nil},
		{"a conflict of a proxy", 409, "<title>409</title>", nil},
		{"a missing role", 401, errorDocument(401, "USER_UNAUTHORIZED"), objects{jobConfig}},
		{"a rejected key", 401, errorDocument(401, ""), nil},
		{"no permission", 403, errorDocument(403, "ACCESS_FORBIDDEN"), nil},
		{"a failure", 500, errorDocument(500, ""), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := fmt.Errorf("reading: %w", failingWith(t, test.status, "", test.body))
			got := map[opsmanager.Object]bool{
				unsupported: opsmanager.IsUnsupported(err), maybeUnsupported: opsmanager.MayBeUnsupported(err), notReady: opsmanager.IsNotReady(err),
			}
			for object := range missing {
				got[object] = opsmanager.MayBeMissing(err, object)
			}
			for question, is := range got {
				equal(t, string(question), is, slices.Contains(test.want, question))
			}
		})
	}
}

// The provider asks the client what is missing. Elsewhere, a code is only a key of a table of texts or of attributes.
func TestOnlyOneFileSaysWhichResponseMeansThatAnObjectIsMissing(t *testing.T) {
	t.Parallel()
	isKey := map[ast.Node]bool{}
	for _, path := range slices.Concat(sources(t, "."), sources(t, filepath.Join("..", "provider"))) {
		if path == "missing.go" {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.KeyValueExpr:
				isKey[node.Key] = true
			case *ast.BasicLit:
				if value := strings.Trim(node.Value, "\"`"); !isKey[node] && (value == "404" || isCode(value)) {
					t.Errorf("%s compares %s: ask IsMissing or MayBeMissing", files.Position(node.Pos()), value)
				}
			case *ast.Ident:
				explains := node.Name == "StatusNotFound" && filepath.Base(path) == "diagnostics.go"
				if slices.Contains([]string{"StatusNotFound", "IsGone"}, node.Name) && !explains {
					t.Errorf("%s uses %s: ask IsMissing or MayBeMissing", files.Position(node.Pos()), node.Name)
				}
			}
			return true
		})
	}
}

// sources returns the paths of the sources in a folder, without tests.
func sources(t *testing.T, folder string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// isCode reports whether a text is a code that says that an object does not exist.
func isCode(text string) bool {
	for _, codes := range missing {
		if slices.Contains(codes, text) {
			return true
		}
	}
	return false
}

// isAnyMissing reports whether an error says that any object does not exist.
func isAnyMissing(err error) bool {
	for object := range missing {
		if opsmanager.IsMissing(err, object) {
			return true
		}
	}
	return false
}

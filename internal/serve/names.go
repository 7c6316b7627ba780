package serve

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Namer knows the names of clusters and projects.
type Namer interface {
	// KnownName returns the name of a cluster or a project that was read, or "". It sends no request.
	KnownName(id string) string

	// ReadName reads the name of a project, or of a cluster of it unless its ID is "", and returns "" if it can't.
	ReadName(ctx context.Context, projectID, clusterID string) string
}

// clusterOrProject matches the ID of a cluster or a project in a message.
var clusterOrProject = regexp.MustCompile(`\b([Cc]luster|[Pp]roject) ([0-9a-fA-F]{24})\b`)

// name adds the names of clusters and projects to their IDs in messages. It reads those that are not known for an
// error, and for a warning whose summary has an ID. Terraform combines the other warnings, and shows few of them.
func (p printable) name(ctx context.Context, request any, messages []*tfprotov6.Diagnostic) {
	for _, m := range messages {
		mayRead := m.Severity == tfprotov6.DiagnosticSeverityError || clusterOrProject.MatchString(m.Summary)
		m.Summary = p.named(ctx, request, m.Summary, mayRead)
		m.Detail = p.named(ctx, request, m.Detail, mayRead)
	}
}

// named adds names to the IDs in a text.
func (p printable) named(ctx context.Context, request any, text string, mayRead bool) string {
	if p.namer == nil {
		return text
	}
	return clusterOrProject.ReplaceAllStringFunc(text, func(found string) string {
		kind, id, _ := strings.Cut(found, " ")
		name := p.namer.KnownName(id)
		if name == "" && mayRead {
			name = p.readName(ctx, request, kind, id)
		}
		if name == "" || name == id {
			return found
		}
		return fmt.Sprintf("%s %s (%s)", kind, name, id)
	})
}

// readName reads the name of a project, or of a cluster that the request has with its project.
func (p printable) readName(ctx context.Context, request any, kind, id string) string {
	if strings.EqualFold(kind, "project") {
		return p.namer.ReadName(ctx, id, "")
	}
	if project := projectOf(request, id); project != "" {
		return p.namer.ReadName(ctx, project, id)
	}
	return ""
}

// idAttribute matches the ID of a project or a cluster in a value of a request, as MessagePack or JSON has it, such
// as that of target_project_id.
var idAttribute = regexp.MustCompile(`(\w*)(project|cluster)_id\W{1,3}([0-9a-fA-F]{24})`)

// projectOf returns the ID of the project that a request has with a cluster, in its configuration, its plan or its
// state, or "".
func projectOf(request any, clusterID string) string {
	for _, field := range reflect.ValueOf(request).Elem().Fields() {
		ids := map[string]string{} // by attribute
		for _, found := range idAttribute.FindAllSubmatch(encoded(field.Interface()), -1) {
			ids[string(found[1])+string(found[2])] = string(found[3])
		}
		for attribute, id := range ids {
			if prefix, isCluster := strings.CutSuffix(attribute, "cluster"); isCluster && strings.EqualFold(id, clusterID) {
				return ids[prefix+"project"]
			}
		}
	}
	return ""
}

// encoded returns a value of a request as it is encoded.
func encoded(field any) []byte {
	switch value := field.(type) {
	case *tfprotov6.DynamicValue:
		if value != nil {
			return value.MsgPack
		}
	case *tfprotov6.RawState:
		if value != nil {
			return value.JSON
		}
	}
	return nil
}

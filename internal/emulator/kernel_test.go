package emulator_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// kernel are the files that know no type of resource.
var kernel = []string{
	"answer.go", "changes.go", "clock.go", "collection.go", "copy.go", "digest.go", "document.go", "faults.go",
	"kernel.go", "lag.go", "options.go", "respond.go", "roles.go", "seed.go", "server.go", "unknowns.go", "version.go",
}

func TestTheKernelKnowsNoTypeOfResource(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("*.go")
	succeed(t, err)
	uses, defined := map[string][]string{}, map[string]string{} // the files of the kernel that use a name, and the other file that defines it
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		succeed(t, err)
		if slices.Contains(kernel, path) {
			for _, name := range file.Unresolved { // in the file, so it is of another one
				uses[name.Name] = append(uses[name.Name], path)
			}
			ast.Inspect(file, func(node ast.Node) bool {
				if selector, ok := node.(*ast.SelectorExpr); ok && !ast.IsExported(selector.Sel.Name) {
					uses[selector.Sel.Name] = append(uses[selector.Sel.Name], path)
				}
				return true
			})
			continue
		}
		for name := range file.Scope.Objects {
			defined[name] = path
		}
		for _, declared := range file.Decls {
			if method, ok := declared.(*ast.FuncDecl); ok && method.Recv != nil {
				defined[method.Name.Name] = path
			}
		}
	}
	for name, path := range defined {
		if len(uses[name]) > 0 {
			t.Errorf("%v uses %s of %s", uses[name], name, path)
		}
	}
}

package main

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"terraform-provider-opsmanager/internal/emulator"
	"terraform-provider-opsmanager/internal/opsmanager"
	"terraform-provider-opsmanager/internal/provider"
)

// This calls every method of the client, also those that a later change adds.
func TestNothingButGETReachesOpsManagerWhateverTheClientIsAsked(t *testing.T) {
	t.Parallel()
	for _, profile := range []emulator.Profile{emulator.Full, emulator.Documented} {
		s := startService(t, emulator.Options{Profile: profile})
		config, _, err := provider.FromEnvironment(s.getenv)
		succeed(t, err)
		survey := newSurvey(config, options{}, io.Discard)
		client := reflect.ValueOf(survey.client)
		for method, call := range client.Methods() {
			var args []reflect.Value
			signature := call.Type()
			if signature.NumIn() == 0 || signature.In(0) != reflect.TypeFor[context.Context]() {
				continue // it sends nothing
			}
			for i := range signature.NumIn() {
				argument := reflect.New(signature.In(i)).Elem()
				switch {
				case i == 0:
					argument.Set(reflect.ValueOf(t.Context()))
				case signature.IsVariadic() && i == signature.NumIn()-1:
					continue
				default:
					setTexts(argument, []string{"", payments, cards, "64f0c2a19b3d5e7f80a1b2c9"}[min(i, 3)])
				}
				args = append(args, argument)
			}
			before := survey.wire.refused
			call.Call(args)
			writes := isWrite(method.Name) || method.Name == "RestorableTimeRanges" // which POST reads
			if writes = writes || method.Name == "SnapshotSchedule" && profile == emulator.Documented; writes && survey.wire.refused == before {
				t.Errorf("%s: no request was refused", method.Name)
			}
		}
		for _, r := range s.Requests() {
			if r.Method != "GET" {
				t.Errorf("%s %s reached Ops Manager", r.Method, r.Path)
			}
		}
		if survey.wire.refused < 10 || survey.wire.sent < 10 {
			t.Errorf("%d requests were refused, and %d sent", survey.wire.refused, survey.wire.sent)
		}
	}
}

// isWrite reports whether a method of the client changes something, or can.
func isWrite(method string) bool {
	verbs := []string{"Change", "Configure", "Create", "Delete", "Raw", "TakeSnapshot", "Update"}
	return slices.ContainsFunc(verbs, func(verb string) bool { return strings.HasPrefix(method, verb) })
}

// setTexts sets the texts in an argument, such as the ID of a store.
func setTexts(value reflect.Value, text string) {
	switch value.Kind() {
	case reflect.String:
		value.SetString(text)
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
	case reflect.Struct:
		for field, inner := range value.Fields() {
			if field.IsExported() {
				setTexts(inner, text)
			}
		}
	}
}

func TestARefusedRequestIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	s := startService(t, emulator.Options{})
	config, _, err := provider.FromEnvironment(s.getenv)
	succeed(t, err)
	survey := newSurvey(config, options{}, io.Discard)
	_, err = survey.client.UpdateSnapshotSchedule(t.Context(), payments, cards, opsmanager.SnapshotSchedule{})
	if err == nil || !strings.Contains(err.Error(), "PATCH: not sent, because only GET requests are allowed") {
		t.Errorf("got %v", err)
	}
	if survey.wire.refused != 1 {
		t.Errorf("tried %d times", survey.wire.refused)
	}
}

// This proves that the code of the command has no other way to send requests.
func TestAllRequestsPassThroughTheTransportThatRefusesWrites(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(".")
	succeed(t, err)
	clients := 0
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, 0)
		succeed(t, err)
		for _, imported := range parsed.Imports {
			if slices.Contains([]string{`"net"`, `"crypto/tls"`, `"os/exec"`}, imported.Path.Value) {
				t.Errorf("%s imports %s", file.Name(), imported.Path.Value)
			}
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			selector, ok := node.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, _ := selector.X.(*ast.Ident)
			switch name := selector.Sel.Name; {
			case pkg == nil:
			case pkg.Name == "opsmanager" && name == "NewClient":
				clients++
			case pkg.Name == "http" && !strings.HasPrefix(name, "Status") &&
				!slices.Contains([]string{"Header", "MethodGet", "Request", "Response", "RoundTripper"}, name):
				t.Errorf("%s uses http.%s", file.Name(), name)
			}
			return true
		})
	}
	if clients != 1 {
		t.Errorf("the command has %d clients", clients)
	}
}

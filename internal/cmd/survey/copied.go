package main

import (
	"reflect"
	"regexp"
	"strings"

	"terraform-provider-opsmanager/internal/opsmanager"
)

// copiedList returns the documents of a list, which may be nil.
func copiedList[T any](list *opsmanager.List[T]) []map[string]any {
	var found []map[string]any
	if list != nil {
		for _, item := range list.Results {
			found = append(found, copied(item))
		}
	}
	return found
}

// copied returns an object of the client as a JSON document without secrets. The fields of the client's
// struct are the ones that may be copied: an unknown field may be a secret. Links lead to the copied Ops
// Manager, and are left out.
func copied(object any) map[string]any {
	document := map[string]any{}
	copyFields(document, reflect.ValueOf(object))
	return document
}

func copyFields(document map[string]any, object reflect.Value) {
	for field, value := range object.Fields() {
		name, option, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			copyFields(document, value)
		case name == "-" || name == "links" || option == "omitempty" && value.IsZero():
		default:
			if held := copiedValue(name, value); held != nil {
				document[name] = held
			}
		}
	}
}

// copiedValue returns the value of a field in a document, or nil if it is missing.
func copiedValue(name string, value reflect.Value) any {
	switch value.Kind() {
	case reflect.Pointer:
		if value.IsNil() {
			return nil
		}
		return copiedValue(name, value.Elem())
	case reflect.Slice:
		if value.IsNil() {
			return nil
		}
		elements := make([]any, value.Len())
		for i := range elements {
			elements[i] = copiedValue(name, value.Index(i))
		}
		return elements
	case reflect.Struct:
		document := map[string]any{}
		copyFields(document, value)
		return document
	case reflect.String:
		return withoutSecret(name, value.String())
	}
	return value.Interface()
}

// leftOut takes the place of a secret.
const leftOut = "left-out-of-the-copy"

var (
	// A mask that the server sent. No access key and no password in clear that is worth having looks like it.
	mask = regexp.MustCompile(`(?i)^[A-Z0-9]{0,4}\*{4,}[A-Z0-9]{0,4}$|^[\[<]?redacted[\]>]?$|^redacted:redacted$`)
	// secretQuery matches the parameters of a connection string that have secrets.
	secretQuery = regexp.MustCompile(`(?i)([?&][^=&]*(?:password|properties|token|secret)[^=&]*=)[^&]*`)
)

// withoutSecret returns the text of a field, without secrets. A mask stays.
func withoutSecret(name, text string) string {
	switch name {
	case "uri":
		return withoutUserInfo(text)
	case "awsAccessKey", "awsSecretKey", "certString", "clientSecret", "kmipClientCertPassword", "password", "url":
		if text != "" && !mask.MatchString(text) {
			return leftOut
		}
	}
	return text
}

// withoutUserInfo returns a connection string without its user name and password.
func withoutUserInfo(uri string) string {
	scheme, rest, hasScheme := strings.Cut(uri, "://")
	if !hasScheme {
		scheme, rest = "", uri
	} else {
		scheme += "://"
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		user := rest[:at]
		if !mask.MatchString(user) {
			user = leftOut
		}
		rest = user + rest[at:]
	}
	return scheme + secretQuery.ReplaceAllString(rest, "${1}"+leftOut)
}

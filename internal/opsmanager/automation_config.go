package opsmanager

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// AutomationConfig is the automation configuration of a project: what its agents bring about. The
// document has undocumented fields, numbers of any form, and secrets. So it is kept as the
// bytes that Ops Manager returned. Only its list of backup modules is read and changed, and the rest
// can't be printed.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/automation-config/get-automation-config/
type AutomationConfig struct {
	document []byte
	version  int64
	list     span // of the list of backup modules; empty, after the last member, if it is missing
	modules  []backupModule
	refusal  error // why the document must not be sent back, or nil
}

// backupModule is an element of the list of backup modules.
type backupModule struct {
	span
	hostname string
}

// span is a part of a document.
type span struct{ start, end int }

func (s span) of(document []byte) []byte { return document[s.start:s.end] }

// maxAutomationConfig is the maximum size of an automation configuration, in bytes. Ops Manager stores
// it in a document of MongoDB, which has at most 16 MiB. The limits of other responses don't hold: the
// known versions of MongoDB alone may have more elements.
const maxAutomationConfig = 24 << 20

var (
	errConfigTooLarge = fmt.Errorf("the automation configuration is larger than %d MiB", maxAutomationConfig>>20)
	errConfigForm     = fmt.Errorf("%w: it is not an automation configuration", errUndocumented)
	errConfigVersion  = fmt.Errorf("%w: it has no version that is a whole number", errConfigForm)
	errConfigModules  = fmt.Errorf("%w: backupVersions is not a list, or occurs twice", errConfigForm)
	errConfigHost     = fmt.Errorf("%w: an element of backupVersions has no hostname, so it is not known which backup modules are active", errConfigForm)

	// The configuration can be read, but not changed.
	errConfigEncoding  = errors.New("the automation configuration is not UTF-8, so the provider does not send it back")
	errConfigDuplicate = errors.New("the automation configuration has version, or the hostname of a backup module, twice, so the provider does not send it back")
	errConfigMasked    = errors.New("the automation configuration has a mask in place of a secret, such as <redacted>, so the provider does not send it back: that would replace the secret by the mask")
)

// Version returns the version of the configuration. Ops Manager adds one with each change.
func (a AutomationConfig) Version() int64 { return a.version }

// BackupModules returns the host names in the list of backup modules, in its order.
func (a AutomationConfig) BackupModules() []string {
	hosts := make([]string, len(a.modules))
	for i, module := range a.modules {
		hosts[i] = module.hostname
	}
	return hosts
}

// ListsBackupModules reports whether the configuration has a list of backup modules. By its documentation, it may lack
// one if no module is active.
func (a AutomationConfig) ListsBackupModules() bool {
	return a.list.start < a.list.end && a.document[a.list.start] == '['
}

// HasBackupModule reports whether the list of backup modules has a host, in any case.
func (a AutomationConfig) HasBackupModule(host string) bool {
	return slices.ContainsFunc(a.modules, func(m backupModule) bool { return m.isOn(host) })
}

// isOn reports whether a backup module is that of a host, in any case.
func (m backupModule) isOn(host string) bool { return strings.EqualFold(m.hostname, host) }

// Format implements [fmt.Formatter], so that no message has the document.
func (a AutomationConfig) Format(s fmt.State, _ rune) {
	_, _ = fmt.Fprintf(s, "automation configuration of version %d", a.version)
}

// receive keeps a response, and finds the version and the backup modules in it.
func (a *AutomationConfig) receive(document []byte) error {
	if len(document) > maxAutomationConfig {
		return errConfigTooLarge
	}
	trimmed := bytes.TrimSpace(document)
	if len(trimmed) == 0 || trimmed[0] != '{' || !jsontext.Value(document).IsValid(likeEncodingJSON) {
		return errConfigForm
	}
	*a = AutomationConfig{document: document}
	var versions, lists []span
	for name, value := range values(document, span{0, len(document)}) {
		switch name {
		case "version":
			versions = append(versions, value)
		case "backupVersions":
			lists = append(lists, value)
		}
		a.list = span{value.end, value.end}
	}
	if len(versions) == 0 {
		return errConfigVersion
	}
	for _, version := range versions { // the last one counts
		var err error
		if a.version, err = parseInteger(string(version.of(document))); err != nil {
			return errConfigVersion
		}
	}
	if len(versions) > 1 {
		a.refusal = errConfigDuplicate
	}
	if len(lists) > 1 {
		return errConfigModules
	}
	if len(lists) == 1 {
		a.list = lists[0]
		if err := a.findModules(); err != nil {
			return err
		}
	}
	if !utf8.Valid(document) {
		a.refusal = errConfigEncoding
	}
	return nil
}

// findModules finds the backup modules in their list.
func (a *AutomationConfig) findModules() error {
	if first := a.document[a.list.start]; first == 'n' { // null
		return nil
	} else if first != '[' {
		return errConfigModules
	}
	for _, element := range values(a.document, a.list) {
		module := backupModule{span: element}
		names := 0
		if a.document[element.start] == '{' {
			for name, value := range values(a.document, element) {
				if name == "hostname" {
					// A value of a different type is not a host name.
					_ = json.Unmarshal(value.of(a.document), &module.hostname, likeEncodingJSON)
					names++
				}
			}
		}
		if module.hostname == "" {
			return errConfigHost
		}
		if names > 1 {
			a.refusal = errConfigDuplicate
		}
		a.modules = append(a.modules, module)
	}
	return nil
}

// values returns an iterator over the values in an object or a list of a valid document, with the names of
// those of an object.
func values(document []byte, container span) iter.Seq2[string, span] {
	return func(yield func(string, span) bool) {
		d := jsontext.NewDecoder(bytes.NewBuffer(container.of(document)), likeEncodingJSON)
		isObject := d.PeekKind() == '{'
		name := ""
		_, _ = d.ReadToken() // the brace or the bracket
		for d.PeekKind() != '}' && d.PeekKind() != ']' {
			if isObject {
				token, _ := d.ReadToken()
				name = token.String()
			}
			value, err := d.ReadValue()
			end := container.start + int(d.InputOffset())
			if err != nil || !yield(name, span{end - len(value), end}) {
				return
			}
		}
	}
}

// hasMask reports whether a text in a valid document stands for a secret. The names of members don't
// count: a member of a replica set has one that is called hidden.
func hasMask(document []byte) bool {
	return slices.ContainsFunc(unknownMember{value: document}.texts(), func(t namedText) bool {
		return IsMask(t.text, InText) || (isSecretName(t.name) || keyName.MatchString(t.name)) && IsMask(t.text, InUnknown)
	})
}

// WithBackupModules returns a configuration whose list of backup modules has the activated hosts and
// lacks the deactivated ones. Their case does not matter. Everything else is the same, byte by byte,
// but for blanks between the elements of the list. The result is nil if nothing changes.
func (a AutomationConfig) WithBackupModules(activated, deactivated []string) (*AutomationConfig, error) {
	var added [][]byte
	for i, host := range activated {
		isTwice := slices.ContainsFunc(activated[:i], func(other string) bool {
			return strings.EqualFold(other, host)
		})
		if isTwice || a.HasBackupModule(host) {
			continue
		}
		element, err := json.Marshal(struct {
			Hostname string `json:"hostname"`
		}{host}, likeEncodingJSON)
		if err != nil {
			return nil, err
		}
		added = append(added, element)
	}
	isRemoved := func(m backupModule) bool { return slices.ContainsFunc(deactivated, m.isOn) }
	switch {
	case len(added) == 0 && !slices.ContainsFunc(a.modules, isRemoved):
		return nil, nil
	case a.refusal != nil:
		return nil, a.refusal
	case hasMask(a.document):
		return nil, errConfigMasked
	}
	changed := new(AutomationConfig)
	return changed, changed.receive(slices.Concat(a.document[:a.list.start], a.changedList(added, isRemoved), a.document[a.list.end:]))
}

// changedList returns the list of backup modules without some elements, and with others at its end.
func (a AutomationConfig) changedList(added [][]byte, isRemoved func(backupModule) bool) []byte {
	var elements [][]byte
	for _, module := range a.modules {
		if !isRemoved(module) {
			elements = append(elements, module.of(a.document))
		}
	}
	elements = append(elements, added...)
	name := ""
	if a.list.start == a.list.end {
		name = `,"backupVersions":` // after another member: there is a version
	}
	return slices.Concat([]byte(name+"["), bytes.Join(elements, []byte(",")), []byte("]"))
}

// automationConfigEndpoint returns an endpoint for the automation configuration of a project. A
// response may quote any part of the document, so its errors quote nothing of it.
func automationConfigEndpoint(method string, effect effect, projectID string) endpoint {
	e := get("groups", projectID, "automationConfig")
	e.method = method
	e.effect = effect
	e.role = ProjectAutomationAdmin
	e.quotes = quoteCodes
	return e
}

// AutomationConfig returns the automation configuration of a project.
//
// It fails with AUTOMATION_CONFIG_NOT_FOUND (404) if the project has none, and like Project if the
// project does not exist or is not visible to the key.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/automation-config/get-automation-config/
func (c *Client) AutomationConfig(ctx context.Context, projectID string) (*AutomationConfig, error) {
	config := new(AutomationConfig)
	err := c.do(ctx, automationConfigEndpoint(http.MethodGet, readOnly, projectID), nil, config)
	if err != nil {
		return nil, err
	}
	return config, nil
}

// UpdateAutomationConfig replaces the automation configuration of a project. If it is unclear
// whether that took effect, read the configuration, and see what is left to do, so that no change of
// others is lost.
//
// It fails with AUTOMATION_CONFIG_CONCURRENT_MODIFICATION (409) if others changed the configuration
// since it was read. Sources contradict each other on whether all versions of Ops Manager compare
// that. If one doesn't, the next version is not the one after the version that was read.
//
// Source: https://www.mongodb.com/docs/ops-manager/current/reference/api/automation-config/update-automation-config/
func (c *Client) UpdateAutomationConfig(ctx context.Context, projectID string, config *AutomationConfig) error {
	e := automationConfigEndpoint(http.MethodPut, changes, projectID)
	if config.refusal != nil {
		return c.failure(e, Error{Err: config.refusal})
	}
	return c.do(c.withSlowWrite(ctx), e, verbatim(config.document), nil)
}

// verbatim is a document that is sent as it is, byte by byte.
type verbatim []byte

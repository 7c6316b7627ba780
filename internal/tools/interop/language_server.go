//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"terraform-provider-opsmanager/internal/tools/tfcli"
)

// schemasTake is how long a language server may take to read the schemas of the providers.
const schemasTake = 2 * time.Minute

func runLanguageServer(ctx context.Context, b bench) error {
	folder := filepath.Join(b.dir, "folder")
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	w := tfcli.Workspace{CLI: b.cli, Dir: folder, Out: io.Discard, Env: []string{"TF_CLI_CONFIG_FILE=" + b.settings}}
	text := fmt.Sprintf("terraform {\n  required_providers {\n    opsmanager = {\n      source = %q\n    }\n  }\n}\n", b.cli.Source())
	path := filepath.Join(folder, "main.tf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return err
	}
	if code, err := w.Run(ctx, "init"); err != nil || code != 0 {
		return errors.Join(err, fmt.Errorf("init: exit code %d", code))
	}
	settable, err := resources(ctx, w)
	if err != nil {
		return err
	}
	lines := map[string]int{} // of each resource
	for _, name := range slices.Sorted(maps.Keys(settable)) {
		lines[name] = strings.Count(text, "\n") + 1
		text += fmt.Sprintf("\nresource %q \"example\" {\n  \n}\n", name)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, schemasTake)
	defer stop()
	server, err := startLanguageServer(ctx, b, folder)
	if err != nil {
		return err
	}
	defer server.stop()
	file := map[string]any{"uri": "file://" + path, "languageId": "terraform", "version": 1, "text": text}
	if err := server.send("textDocument/didOpen", map[string]any{"textDocument": file}, 0); err != nil {
		return err
	}
	var failures []error
	for name, attributes := range settable {
		if err := server.completes(ctx, path, lines[name]+1, attributes); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", name, err))
			continue
		}
		hover, err := server.call("textDocument/hover", at(path, lines[name], len(`resource "`)))
		if err != nil {
			return err
		}
		if !strings.Contains(string(hover), name) || len(hover) < 200 {
			failures = append(failures, fmt.Errorf("%s: its hover is %s", name, hover))
		}
	}
	return errors.Join(failures...)
}

// languageServer is a running server of the Language Server Protocol.
type languageServer struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	id      int
}

func startLanguageServer(ctx context.Context, b bench, folder string) (*languageServer, error) {
	command := exec.CommandContext(ctx, b.binary, "serve")
	command.Dir = folder
	command.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+b.settings, "CHECKPOINT_DISABLE=1")
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	server := &languageServer{command: command, in: in, out: bufio.NewReader(out)}
	_, err = server.call("initialize", map[string]any{
		"rootUri": "file://" + folder,
		"capabilities": map[string]any{"textDocument": map[string]any{
			"completion": map[string]any{"completionItem": map[string]any{}},
			"hover":      map[string]any{"contentFormat": []string{"markdown"}},
		}},
		"initializationOptions": map[string]any{"terraform": map[string]any{"path": b.cli.Path}},
	})
	if err == nil {
		err = server.send("initialized", map[string]any{}, 0)
	}
	if err != nil {
		server.stop()
		return nil, err
	}
	return server, nil
}

func (s *languageServer) stop() {
	_ = s.in.Close()
	_ = s.command.Process.Kill()
	_ = s.command.Wait()
}

func at(path string, line, character int) map[string]any {
	return map[string]any{
		"textDocument": map[string]any{"uri": "file://" + path},
		"position":     map[string]any{"line": line, "character": character},
	}
}

// completes waits until the server offers all attributes in a line.
func (s *languageServer) completes(ctx context.Context, path string, line int, attributes []string) error {
	for {
		result, err := s.call("textDocument/completion", at(path, line, 2))
		if err != nil {
			return err
		}
		var offered struct{ Items []struct{ Label string } }
		if err := json.Unmarshal(result, &offered); err != nil {
			return err
		}
		missing := slices.DeleteFunc(slices.Clone(attributes), func(attribute string) bool {
			return slices.ContainsFunc(offered.Items, func(item struct{ Label string }) bool { return item.Label == attribute })
		})
		if len(missing) == 0 {
			return nil
		}
		select { // the server reads the schemas in the background
		case <-ctx.Done():
			return fmt.Errorf("%q are not completed", missing)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// message is a request, a response or a notification.
type message struct {
	Method string
	ID     *int
	Result json.RawMessage
	Error  *struct{ Message string }
}

// call sends a request and returns its result. It responds to requests of the server with null.
func (s *languageServer) call(method string, params any) (json.RawMessage, error) {
	s.id++
	if err := s.send(method, params, s.id); err != nil {
		return nil, err
	}
	for {
		m, err := s.receive()
		if err != nil {
			return nil, err
		}
		switch {
		case m.Method != "" && m.ID != nil:
			if err := s.write(map[string]any{"jsonrpc": "2.0", "id": *m.ID, "result": nil}); err != nil {
				return nil, err
			}
		case m.ID == nil || *m.ID != s.id:
		case m.Error != nil:
			return nil, fmt.Errorf("%s: %s", method, m.Error.Message)
		default:
			return m.Result, nil
		}
	}
}

// send sends a request, or with the ID 0 a notification.
func (s *languageServer) send(method string, params any, id int) error {
	m := map[string]any{"jsonrpc": "2.0", "method": method, "params": params}
	if id > 0 {
		m["id"] = id
	}
	return s.write(m)
}

func (s *languageServer) write(m map[string]any) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.in, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

func (s *languageServer) receive() (m message, err error) {
	header, err := textproto.NewReader(s.out).ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return m, err
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(s.out, body); err != nil {
		return m, err
	}
	return m, json.Unmarshal(body, &m)
}

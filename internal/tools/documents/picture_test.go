package documents_test

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// The picture has some of the lines, wrapped and with Terraform's frames, and make generate draws it.
func TestPictureShowsWhatTheDemoPrints(t *testing.T) {
	if testing.Short() {
		t.Skip("runs make demo, which builds the provider and starts Terraform: runs without -short")
	}
	t.Parallel()
	picture, err := os.Open(root + ".github/demo.svg")
	succeed(t, err)
	defer picture.Close()
	lines := linesOf(t, picture)
	if len(lines) < 10 {
		t.Errorf("the picture has only the lines %q", lines)
	}
	r := &reader{t: t}
	r.execute("run", "make demo\n")
	rest := singleSpaced(r.printed)
	for _, line := range lines {
		_, after, found := strings.Cut(rest, singleSpaced(strings.TrimLeft(line, "╷│ ")))
		if !found {
			t.Fatalf("the picture shows %q, but this was printed:\n%s\nRun make generate to update it.", line, r.printed)
		}
		rest = after
	}
}

// linesOf returns the lines of text of a picture, without empty ones.
func linesOf(t *testing.T, picture io.Reader) []string {
	t.Helper()
	var lines []string
	line, inText := "", false
	for decoder := xml.NewDecoder(picture); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return lines
		}
		succeed(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "text" {
				line, inText = "", true
			}
		case xml.CharData:
			if inText {
				line += string(token)
			}
		case xml.EndElement:
			if token.Name.Local == "text" {
				inText = false
				if strings.TrimSpace(line) != "" {
					lines = append(lines, line)
				}
			}
		}
	}
}

// singleSpaced returns a text with single spaces between its words.
func singleSpaced(text string) string { return strings.Join(strings.Fields(text), " ") }

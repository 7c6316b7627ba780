package documents_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Links to other sites are not checked: no test needs the network.
func TestLinksAndAnchorsExist(t *testing.T) {
	t.Parallel()
	links := 0
	for _, document := range documents(t) {
		text, err := os.ReadFile(filepath.Join(root, document))
		succeed(t, err)
		for _, link := range linksOf(string(text)) {
			links++
			problem := problemOf(document, link, string(text))
			if problem != "" && strings.HasPrefix(filepath.Join(filepath.Dir(document), link), "docs/") {
				problem += ". If you added or changed what the page is generated from, run make generate."
			}
			if problem != "" {
				t.Errorf("%s: %s: %s", document, link, problem)
			}
		}
	}
	if links < 50 {
		t.Errorf("found only %d links", links)
	}
}

// documents returns all Markdown files except the templates, whose links are relative
// to docs/.
func documents(t *testing.T) []string {
	t.Helper()
	var found []string
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "bin", "dist", "templates", "testdata"}, entry.Name()):
			return fs.SkipDir
		case strings.HasSuffix(path, ".md"):
			found = append(found, path)
		}
		return nil
	})
	succeed(t, err)
	return found
}

var (
	fences   = regexp.MustCompile("(?ms)^( *)```.*?^ *```$")
	code     = regexp.MustCompile("`[^`\n]*`")
	inline   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	anchored = regexp.MustCompile(`<a id="([^"]+)">`)
	// ownFile matches a link of a page, which a registry shows without the repository, to a file of the repository.
	ownFile = regexp.MustCompile(`^https://github\.com/[^/]+/terraform-provider-opsmanager/(?:blob|tree)/main/(.+)$`)
)

// linksOf returns the targets of a document's links, without those in code.
func linksOf(text string) []string {
	text = code.ReplaceAllString(fences.ReplaceAllString(text, ""), "")
	var links []string
	for _, match := range inline.FindAllStringSubmatch(text, -1) {
		links = append(links, match[1])
	}
	return links
}

// problemOf returns why a link of a document is broken, or an empty string.
func problemOf(document, link, text string) string {
	if file := ownFile.FindStringSubmatch(link); file != nil {
		link, document = file[1], "README.md"
	}
	if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
		return ""
	}
	path, anchor, _ := strings.Cut(link, "#")
	if path != "" {
		target := filepath.Join(root, filepath.Dir(document), filepath.FromSlash(path))
		info, err := os.Stat(target)
		switch {
		case err != nil:
			return "there is no such file"
		case info.IsDir() && anchor != "":
			return "a folder has no anchors"
		case info.IsDir():
			return ""
		}
		other, err := os.ReadFile(target)
		if err != nil {
			return err.Error()
		}
		text = string(other)
	}
	if anchor != "" && !slices.Contains(anchors(text), anchor) {
		return "there is no such heading"
	}
	return ""
}

// anchors returns the anchors of a document.
func anchors(text string) []string {
	var names []string
	for _, match := range anchored.FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	return append(names, headings(text)...)
}

// headings returns the anchors that are derived from headings.
func headings(text string) []string {
	var names []string
	for _, match := range heading.FindAllStringSubmatch(fences.ReplaceAllString(text, ""), -1) {
		names = append(names, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, match[1]))
	}
	return names
}

func TestBrokenLinksAreReported(t *testing.T) {
	t.Parallel()
	text := "# Some `code`, and words\n\n```text\n[not](a-link)\n```\n\n`[nor](this)` [a](b.md) [c](#d)\n"
	if got, want := linksOf(text), []string{"b.md", "#d"}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	for link, want := range map[string]string{
		"https://example.com/nowhere":   "",
		"#some-code-and-words":          "",
		"#some-words":                   "there is no such heading",
		"docs/index.md#authentication":  "",
		"docs/index.md#nowhere":         "there is no such heading",
		"docs/nowhere.md":               "there is no such file",
		"examples":                      "",
		"examples#nowhere":              "a folder has no anchors",
		"docs/resources/../index.md":    "",
		"../terraform-provider-nowhere": "there is no such file",
		"https://github.com/OWNER/terraform-provider-opsmanager/tree/main/examples": "",
		"https://github.com/OWNER/terraform-provider-opsmanager/blob/main/nowhere":  "there is no such file",
	} {
		if got := problemOf("README.md", link, text); got != want {
			t.Errorf("%s: %q, want %q", link, got, want)
		}
	}
}

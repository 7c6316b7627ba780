package documents_test

import (
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// site shows the pages of docs/ to their readers.
type site struct {
	name string
	// address returns the address of a page, or an empty string if the site does not show it.
	address func(page string) string
	// rewritten returns the link that the site makes of a link.
	rewritten func(link string) string
	// own is the prefix of the anchors that a page sets with <a id>. Those of headings have none.
	own string
}

const (
	owner  = "acme"
	github = "https://github.com/" + owner + "/terraform-provider-opsmanager/blob/main/"
	pages  = "https://registry.terraform.io/providers/" + owner + "/opsmanager/latest/docs"
	search = "https://search.opentofu.org/provider/" + owner + "/opsmanager/latest"
)

// sites are GitHub and the registries of Terraform and OpenTofu. Terraform's registry only removes extensions, so that the
// links of its first page, whose address has no slash at the end, are resolved one level too high. OpenTofu's registry
// rewrites links without a slash, and shows no actions and no list resources.
//
// Sources: https://github.com/BerriAI/terraform-provider-litellm/pull/65,
// https://github.com/cloudflare/terraform-provider-cloudflare/pull/7218, and
// frontend/src/routes/Provider/components/docsProcessor.ts of https://github.com/opentofu/registry-ui
var sites = []site{
	{
		name:      "GitHub",
		address:   func(page string) string { return github + page },
		rewritten: func(link string) string { return link },
	},
	{
		name: "Terraform's registry",
		address: func(page string) string {
			return pages + strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(page, "docs"), ".md"), "/index")
		},
		rewritten: withoutExtension,
	},
	{
		name: "OpenTofu's registry",
		address: func(page string) string {
			switch folder, name, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(page, "docs/"), ".md"), "/"); folder {
			case "index":
				return search
			case "resources", "guides":
				return search + "/docs/" + folder + "/" + name
			case "data-sources":
				return search + "/docs/datasources/" + name
			}
			return ""
		},
		rewritten: func(link string) string {
			if strings.Contains(link, "/") {
				return link
			}
			return withoutExtension(strings.Replace(link, "#", "#user-content-", 1))
		},
		own: "user-content-",
	},
}

func withoutExtension(link string) string {
	path, anchor, found := strings.Cut(link, "#")
	path = strings.TrimSuffix(path, ".md")
	if found {
		return path + "#" + anchor
	}
	return path
}

// problemOn returns why a link of a page is broken on a site, or an empty string. The texts of all pages are by path.
func problemOn(s site, texts map[string]string, page, link string) string {
	base, err := url.Parse(s.address(page))
	if err != nil {
		return err.Error()
	}
	target, err := base.Parse(s.rewritten(link))
	if err != nil {
		return err.Error()
	}
	anchor := target.Fragment
	target.Fragment = ""
	for _, shown := range sites {
		for path, text := range texts {
			if shown.address(path) != target.String() {
				continue
			}
			if anchor != "" && !slices.Contains(anchorsOn(shown, text), anchor) {
				return "there is no such anchor"
			}
			return ""
		}
	}
	isOwn := strings.HasPrefix(target.String(), pages) || strings.HasPrefix(target.String(), search)
	if isOwn || !strings.Contains(link, "://") {
		return "there is no page " + target.String()
	}
	return "" // another site, or a file of the repository
}

// anchorsOn returns the anchors of a page on a site.
func anchorsOn(s site, text string) []string {
	names := headings(text)
	for _, match := range anchored.FindAllStringSubmatch(text, -1) {
		names = append(names, s.own+match[1])
	}
	return names
}

// tools/publish.sh makes the links between the pages absolute with tools/links.sh.
func TestLinksOfPublishedPagesWorkInEveryRegistry(t *testing.T) {
	t.Parallel()
	published := t.TempDir()
	for _, folder := range []string{"docs", "templates", "tools"} {
		if err := os.CopyFS(filepath.Join(published, folder), os.DirFS(root+folder)); err != nil {
			t.Fatal(err)
		}
	}
	module, err := os.ReadFile(root + "go.mod")
	succeed(t, err)
	isPublished := strings.HasPrefix(string(module), "module github.com/")
	if !isPublished {
		if printed, err := exec.CommandContext(t.Context(), filepath.Join(published, "tools/links.sh"), owner).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, printed)
		}
	}
	address := regexp.MustCompile(`registry\.terraform\.io/providers/[^/]+/opsmanager/`)
	texts := map[string]string{}
	err = fs.WalkDir(os.DirFS(published), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(path, "tools/") {
			return err
		}
		text, err := os.ReadFile(filepath.Join(published, path))
		if strings.HasPrefix(path, "docs/") {
			texts[path] = address.ReplaceAllLiteralString(string(text), "registry.terraform.io/providers/"+owner+"/opsmanager/")
		} else if found := betweenPages.FindString(string(text)); found != "" {
			t.Errorf("%s: %s is not absolute", path, found)
		}
		return err
	})
	succeed(t, err)
	links := 0
	for _, s := range sites {
		for page, text := range texts {
			if s.address(page) == "" {
				continue
			}
			for _, link := range linksOf(text) {
				links++
				if problem := problemOn(s, texts, page, link); problem != "" {
					t.Errorf("%s, %s: %s: %s", s.name, page, link, problem)
				}
			}
		}
	}
	if links < 1000 {
		t.Errorf("found only %d links", links)
	}
}

// betweenPages matches a relative link to another page in a template, whose name may be an expression.
var betweenPages = regexp.MustCompile(`(?:\]\(|")(?:\.\./)?(?:(?:actions|data-sources|guides|list-resources|resources)/)?(?:[\w-]+|\{\{[^}]*\}\})\.md\b`)

func TestRulesOfEachRegistry(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"docs/index.md":            "# First\n",
		"docs/guides/a.md":         "# A\n\n<a id=\"own\"></a>\n## Own\n\n## Other\n",
		"docs/guides/b.md":         "# B\n",
		"docs/data-sources/d.md":   "# D\n\n<a id=\"nested\"></a>\n",
		"docs/list-resources/l.md": "# L\n",
	}
	for _, c := range []struct {
		page, link string
		works      [3]bool // on GitHub, in Terraform's registry, and in OpenTofu's
	}{
		{"docs/index.md", "guides/a.md", [3]bool{true, false, false}},
		{"docs/index.md", "docs/guides/a", [3]bool{false, true, false}},
		{"docs/guides/a.md", "b.md", [3]bool{true, true, true}},
		{"docs/guides/b.md", "a.md#own", [3]bool{true, true, true}},
		{"docs/guides/b.md", "a.md#other", [3]bool{true, true, false}},
		{"docs/guides/a.md", "#own", [3]bool{true, true, true}},
		{"docs/guides/a.md", "#other", [3]bool{true, true, false}},
		{"docs/guides/a.md", "#nowhere", [3]bool{false, false, false}},
		{"docs/guides/a.md", "../index.md", [3]bool{true, false, false}},
		{"docs/guides/a.md", "../data-sources/d.md", [3]bool{true, true, false}},
		{"docs/guides/a.md", "../data-sources/d", [3]bool{false, true, false}},
		{"docs/guides/a.md", "/docs/guides/b", [3]bool{false, false, false}},
		{"docs/guides/a.md", pages + "/data-sources/d#nested", [3]bool{true, true, true}},
		{"docs/guides/a.md", pages + "/guides/a#other", [3]bool{true, true, true}},
		{"docs/guides/a.md", pages + "/list-resources/l", [3]bool{true, true, true}},
		{"docs/guides/a.md", pages + "#first", [3]bool{true, true, true}},
		{"docs/guides/a.md", pages + "/guides/nowhere", [3]bool{false, false, false}},
		{"docs/guides/a.md", "https://example.com/guides/nowhere", [3]bool{true, true, true}},
	} {
		for i, s := range sites {
			if problem := problemOn(s, texts, c.page, c.link); (problem == "") != c.works[i] {
				t.Errorf("%s: the link %s of %s: %q", s.name, c.link, c.page, problem)
			}
		}
	}
}

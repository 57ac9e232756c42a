package words

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	quoted   = regexp.MustCompile("`([^`]+)`")
	filePath = regexp.MustCompile(`^(internal|cmd|client|api|web|tests|tools|deploy|docs)(/[\w.-]+)+$`)
	linked   = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	function = regexp.MustCompile(`^[A-Za-z]\w*$`)

	notOfAnchors = regexp.MustCompile(`[^\pL\pN _-]`)
)

// Pages name files of the tree as they are called.
func TestDocsNameFilesThatAreThere(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) < 20 {
		t.Fatal(len(pages), err)
	}
	for _, page := range append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range quoted.FindAllStringSubmatch(string(text), -1) {
			if !filePath.MatchString(name[1]) || strings.HasPrefix(name[1], "web/dist") {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, name[1])); err != nil {
				t.Errorf("%s names %s, which is not there", filepath.Base(page), name[1])
			}
		}
	}
}

// A row of the walkthrough's tables names functions, and the files or packages in which they are declared.
func TestWalkthroughNamesFunctionsThatAreThere(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "walkthrough.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || !strings.Contains(cells[1], "`") {
			continue
		}
		rows++
		var source strings.Builder
		for _, name := range quoted.FindAllStringSubmatch(cells[2], -1) {
			files := []string{filepath.Join(root, name[1])}
			if !strings.HasSuffix(name[1], ".go") {
				files, _ = filepath.Glob(filepath.Join(files[0], "*.go")) // the pattern is well formed
			}
			for _, f := range files {
				code, err := os.ReadFile(f)
				if err != nil {
					t.Errorf("%v", err)
				}
				source.Write(code)
			}
		}
		for _, name := range quoted.FindAllStringSubmatch(cells[1], -1) {
			if function.MatchString(name[1]) && !regexp.MustCompile(`func (\([^)]*\) )?`+name[1]+`[\[(]`).MatchString(source.String()) {
				t.Errorf("%s is not declared in %s", name[1], strings.TrimSpace(cells[2]))
			}
		}
	}
	if rows < 20 {
		t.Errorf("%d rows with functions", rows)
	}
}

// What the walkthrough's prose names is declared in one of the files that the page names, or is a package.
func TestWalkthroughsProseNamesWhatIsThere(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "walkthrough.md"))
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	packages := map[string]bool{}
	for _, name := range quoted.FindAllStringSubmatch(string(text), -1) {
		if strings.HasSuffix(name[1], ".go") {
			code, err := os.ReadFile(filepath.Join(root, name[1]))
			if err != nil {
				t.Errorf("%v", err)
			}
			source.Write(code)
			packages[filepath.Base(filepath.Dir(name[1]))] = true
		}
	}
	names := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "|") {
			continue
		}
		for _, name := range quoted.FindAllStringSubmatch(line, -1) {
			if !function.MatchString(name[1]) || packages[name[1]] {
				continue
			}
			names++
			if !regexp.MustCompile(`(func (\([^)]*\) )?|type )` + name[1] + `\b`).MatchString(source.String()) {
				t.Errorf("%s is not declared in any file that the page names", name[1])
			}
		}
	}
	if names < 10 {
		t.Errorf("%d names in prose", names)
	}
}

// A page is short enough to be read, and what it links to is there.
func TestPagesAreShortAndTheirLinksLead(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n > 200 {
			t.Errorf("%s has %d lines", filepath.Base(page), n)
		}
		for _, link := range linked.FindAllStringSubmatch(quoted.ReplaceAllString(string(text), ""), -1) {
			target, anchor, _ := strings.Cut(link[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			file := page
			if target != "" {
				file = filepath.Join(root, "docs", target)
			}
			_, err := os.Stat(file)
			there, _ := os.ReadFile(file) // a folder has no headings
			if err != nil || anchor != "" && !headingsOf(string(there))[anchor] {
				t.Errorf("%s links to %s, which is not there", filepath.Base(page), link[1])
			}
		}
	}
}

// headingsOf gives the anchors of a page's headings, as GitHub makes them.
func headingsOf(page string) map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(page) {
		if title := strings.TrimLeft(line, "#"); title != line {
			all[strings.ReplaceAll(notOfAnchors.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")] = true
		}
	}
	return all
}

// Every page is in the index.
func TestEveryPageIsInTheIndex(t *testing.T) {
	index, err := os.ReadFile(filepath.Join(root, "docs", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		name := filepath.Base(page)
		if name != "README.md" && !strings.Contains(string(index), "("+name+")") {
			t.Errorf("docs/README.md does not name %s", name)
		}
	}
}

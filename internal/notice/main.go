// Command notice writes NOTICE: whose work is in the binary and in its pages, and under which terms. The Go modules are
// those that cmd/stoa is compiled of on every system that is released for, with the licence files of the module cache; the
// npm packages are those that the pages ship, with those of web/node_modules.
//
//	go run ./internal/notice
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// systems are those of .goreleaser.yaml; the processor decides on no module.
var systems = []string{"linux", "darwin", "windows"}

// shipped are the npm packages of which something ends up in web/dist. The others build and check the pages.
var shipped = []string{"@lucide/svelte", "@tanstack/virtual-core", "clsx", "devlop", "esm-env", "highlight.js", "i18next", "katex", "lowlight", "openapi-fetch", "svelte", "swagger-ui-dist"}

// part is a module or package with the texts that go with it.
type part struct {
	Path, Version, Dir string
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)([.-].*)?$|\.license\.txt$`)

// texts returns the licence files of a part.
func (p part) texts() ([]string, error) {
	entries, err := os.ReadDir(p.Dir)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, e := range entries {
		if !licenceFile.MatchString(e.Name()) || e.IsDir() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(p.Dir, e.Name()))
		if err != nil {
			return nil, err
		}
		var out strings.Builder
		for line := range strings.Lines(strings.TrimSpace(string(text)) + "\n") {
			out.WriteString(strings.TrimRight("  "+line, " \t\r\n") + "\n")
		}
		all = append(all, out.String())
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s %s has no licence file", p.Path, p.Version)
	}
	return all, nil
}

// modules lists what cmd/stoa is compiled of, by path.
func modules(ctx context.Context, root string) ([]part, error) {
	found := map[string]part{}
	for _, system := range systems {
		list := exec.CommandContext(ctx, "go", "list", "-deps", "-f", `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}`, "./cmd/stoa")
		list.Dir = root
		list.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		for line := range strings.Lines(string(out)) {
			if f := strings.Fields(line); len(f) == 3 {
				found[f[0]] = part{f[0], f[1], f[2]}
			}
		}
	}
	var all []part
	for _, p := range found {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b part) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// packages lists what the pages ship, at the versions of the lock file.
func packages(_ context.Context, root string) ([]part, error) {
	text, err := os.ReadFile(filepath.Join(root, "web/package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version string `json:"version"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, err
	}
	var all []part
	for _, name := range shipped {
		p, ok := lock.Packages["node_modules/"+name]
		if !ok {
			return nil, fmt.Errorf("%s is not in the lock file", name)
		}
		all = append(all, part{name, p.Version, filepath.Join(root, "web/node_modules", name)})
	}
	return all, nil
}

const (
	goHead  = "\n== Go modules in the binary ==\n"
	npmHead = "\n== npm packages in the pages ==\n"
)

// section writes a list of parts; the same text of several is written once, with the first of them.
func section(head string, parts []part) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(head)
	first := map[string]string{}
	for _, p := range parts {
		texts, err := p.texts()
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "\n%s %s\n", p.Path, p.Version)
		for _, text := range texts {
			same := strings.Join(strings.Fields(text), " ")
			if other, known := first[same]; known {
				fmt.Fprintf(&out, "  The text is that of %s.\n", other)
				continue
			}
			first[same] = p.Path
			out.WriteString(text)
		}
	}
	return out.Bytes(), nil
}

func write(ctx context.Context, root string) error {
	path := filepath.Join(root, "NOTICE")
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	own, _, _ := bytes.Cut(old, []byte(goHead))
	out := bytes.TrimRight(own, "\n")
	out = append(out, '\n')
	for _, list := range []struct {
		head string
		of   func(context.Context, string) ([]part, error)
	}{{goHead, modules}, {npmHead, packages}} {
		parts, err := list.of(ctx, root)
		if err != nil {
			return err
		}
		text, err := section(list.head, parts)
		if err != nil {
			return err
		}
		out = append(out, text...)
	}
	return os.WriteFile(path, out, 0o644)
}

func main() {
	if err := write(context.Background(), "."); err != nil {
		fmt.Fprintln(os.Stderr, "notice:", err)
		os.Exit(1)
	}
}

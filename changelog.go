// Package stoa carries the changelog of the tree that a program is built from, so that the program can say what is new in it.
package stoa

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed CHANGELOG.md
var changelog string

var (
	bullet = regexp.MustCompile(`(?m)^- `)
	link   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// News is what is new in this version: the heading of the changelog's newest section, and its points in plain words, newest first.
func News() (version string, points []string) { return newsOf(changelog) }

func newsOf(text string) (version string, points []string) {
	_, text, _ = strings.Cut(text, "\n## ")
	version, text, _ = strings.Cut(text, "\n")
	text, _, _ = strings.Cut(text, "\n## ")
	if _, brief, ok := strings.Cut(text, "### New in brief\n"); ok {
		text, _, _ = strings.Cut(brief, "\n### ")
	}
	for _, point := range bullet.Split(text, -1)[1:] {
		point = link.ReplaceAllString(strings.Join(strings.Fields(point), " "), "$1")
		points = append(points, strings.NewReplacer("**", "", "`", "").Replace(point))
	}
	return strings.TrimSpace(version), points
}

package notes

import (
	"strings"
	"testing"
)

// strange texts that make careless readers slow. The time per byte of each must not grow with its length: compare the
// two sizes.
func BenchmarkStrange(b *testing.B) {
	for name, unit := range map[string]string{
		"brackets": "[", "wiki": "[[", "closed": "[[a]]", "quotes": ">", "lists": "- ", "nested": "> - ", "dollars": "$$", "ticks": "` `` ", "comments": "<!--",
		"percent": "%%", "headings": "# a\n", "fences": "```\n", "math": "$$\nx\n", "labels": "Requires: \n", "items": "- [[a]]\n", "lazy": "> a\nb\n", "numbers": "1. ",
		"deep": "#### a\n# a\n", "paragraph": "word [[a]] ", "md": "[a](b.md)", "open": "[a](", "setext": "a\n=\n", "html": "<div>\n", "cells": "|a|b|\n|-|-|\n", "defs": "[a]: b\n", "stars": "* * ", "emph": "*a",
	} {
		for _, n := range []int{32 << 10, 256 << 10} {
			text := strings.Repeat(unit, n/len(unit))
			b.Run(name+"/"+map[int]string{32 << 10: "32K", 256 << 10: "256K"}[n], func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					Parse(Source{Path: "x.md", Content: text})
				}
			})
		}
	}
}

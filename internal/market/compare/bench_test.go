package compare

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// big is a pack of sections with items of about bytes each, and every nth item changed in the second.
func big(sections, items, bytes, nth int) (before, after map[string]any) {
	r := rand.New(rand.NewPCG(1, 2))
	before, after = map[string]any{}, map[string]any{}
	for s := range sections {
		b, a := map[string]any{}, map[string]any{}
		for i := range items {
			var prompt strings.Builder
			for prompt.Len() < bytes {
				fmt.Fprintf(&prompt, "Rule %d says that %d is not %d.\n", r.IntN(1e6), r.IntN(100), r.IntN(100))
			}
			id := fmt.Sprintf("item-%04d", i)
			text := prompt.String()
			b[id] = map[string]any{"prompt": text, "n": json.Number("1")}
			if i%nth == 0 {
				text = strings.Replace(text, "is not", "is", 1)
			}
			a[id] = map[string]any{"prompt": text, "n": json.Number("1")}
		}
		before[fmt.Sprintf("s%03d", s)], after[fmt.Sprintf("s%03d", s)] = b, a
	}
	return before, after
}

func BenchmarkPacks(b *testing.B) {
	numbers := func(n, add int) any {
		list := make([]any, n)
		for i := range list {
			list[i] = json.Number(fmt.Sprint(i*7 + add))
		}
		return list
	}
	deep := func(leaf string) any {
		v := any(leaf)
		for range 60 {
			v = []any{v, "x"}
		}
		return v
	}
	wide := func(leaf string) any {
		list := make([]any, 3000)
		for i := range list {
			list[i] = deep(leaf)
		}
		return list
	}
	cases := map[string]func() (map[string]any, map[string]any){
		"200 sections of 20 items":        func() (map[string]any, map[string]any) { return big(200, 20, 500, 10) },
		"1 section of 200 items, all new": func() (map[string]any, map[string]any) { return big(1, 200, 4000, 1) },
		"8 MiB of prose":                  func() (map[string]any, map[string]any) { return big(1, 2000, 4200, 1) },
		"2 MiB of prose":                  func() (map[string]any, map[string]any) { return big(1, 480, 4200, 1) },
		"8 MiB of numbers": func() (map[string]any, map[string]any) {
			return map[string]any{"h": numbers(1_000_000, 0)}, map[string]any{"h": numbers(1_000_000, 1)}
		},
		"19,000 other lines": func() (map[string]any, map[string]any) {
			return map[string]any{"h": numbers(19_000, 0)}, map[string]any{"h": numbers(19_000, 1)}
		},
		"deep lists": func() (map[string]any, map[string]any) {
			return map[string]any{"h": wide("a")}, map[string]any{"h": wide("b")}
		},
	}
	for name, make := range cases {
		b.Run(name, func(b *testing.B) {
			before, after := make()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Packs(before, after, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

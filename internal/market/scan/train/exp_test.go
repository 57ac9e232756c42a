package train

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"stoa/internal/market/scan/model"
)

func recallAt(s []Scored, fpr float64) (r, thr float64, auc float64) {
	sort.Slice(s, func(i, j int) bool { return s[i].Score > s[j].Score })
	p, n := 0, 0
	for _, x := range s { if x.Label == 1 { p++ } else { n++ } }
	tp, fp := 0, 0
	thr = 99
	for _, x := range s {
		if x.Label == 1 { tp++; } else { fp++; auc += float64(tp) }
		if float64(fp) <= fpr*float64(n) { r = float64(tp) / float64(p); thr = x.Score }
	}
	return r, thr, auc / float64(p*n)
}

func TestExperiment(t *testing.T) {
	if os.Getenv("EXP") == "" { t.Skip() }
	var texts []Text
	for _, f := range strings.Fields(os.Getenv("EXP")) {
		h, _ := os.Open(f)
		ReadTexts(h, func(x Text) { texts = append(texts, x) })
	}
	var n int
	fmt.Sscan(os.Getenv("GEN"), &n)
	if n > 0 { g := Generate(n, 1); fmt.Println("generated", len(g)); texts = append(texts, g...); for i := 0; i < len(g); i += len(g)/25 { fmt.Printf("  %d %s %.150q\n", g[i].Label, g[i].Kind, g[i].Text) } }
	start := time.Now()
	held := map[string]bool{}
	for _, x := range texts { if strings.HasPrefix(x.Source, "gen") || x.Source == "readmes" { held[x.Source] = true } }
	var loc [2]float64
	fmt.Sscan(os.Getenv("LOC"), &loc[0], &loc[1])
	w, scored := Run(texts, Options{Fit: model.FitOptions{Epochs: 8, Rate: .5, L2: 1e-6, Seed: 1}, Held: held, Local: loc, Progress: func(string) {}})
	fmt.Println("time", time.Since(start), w.Second())
	show := func(name string, keep func(Scored) bool) {
		var s []Scored
		for _, x := range scored { if keep(x) { s = append(s, x) } }
		r1, _, auc := recallAt(s, .01); r2, t2, _ := recallAt(s, .02); r6, t6, _ := recallAt(s, .06)
		fmt.Printf("%-8s n=%d auc %.3f R@1 %.3f R@2 %.3f (%.2f) R@6 %.3f (%.2f)\n", name, len(s), auc, r1, r2, t2, r6, t6)
	}
	notCat := func(x Scored) bool { return x.Kind != "catalog_template" && x.Kind != "buried" }
	show("all", notCat)
	for _, l := range []string{"en", "zh", "ja"} { show(l, func(x Scored) bool { return x.Lang == l && notCat(x) }) }
	var s []Scored
	for _, x := range scored { if notCat(x) { s = append(s, x) } }
	_, t2, _ := recallAt(s, .02); _, t6, _ := recallAt(s, .06)
	type k struct{ n, b, st int }
	m := map[string]*k{}
	for _, x := range scored {
		key := fmt.Sprintf("%d %-28.28s %-22s %s", x.Label, x.Source, x.Kind, x.Lang)
		if m[key] == nil { m[key] = &k{} }
		m[key].n++
		if x.Kind == "buried" { key = "buried"; if m[key] == nil { m[key] = &k{} }; m[key].n++ }
		if x.Score >= t2 { m[key].b++ }
		if x.Score >= t6 { m[key].st++ }
	}
	var keys []string
	for key := range m { keys = append(keys, key) }
	sort.Strings(keys)
	for _, key := range keys { fmt.Printf("%s n=%d balanced %.3f strict %.3f\n", key, m[key].n, float64(m[key].b)/float64(m[key].n), float64(m[key].st)/float64(m[key].n)) }
	if f := os.Getenv("DUMP"); f != "" {
		h, _ := os.Create(f)
		for _, x := range scored { tx := x.Text.Text; if len(tx) > 300 { tx = tx[:300] }; fmt.Fprintf(h, "%d\t%.2f\t%s\t%s\t%s\t%q\n", x.Label, x.Score, x.Lang, x.Kind, x.Source, tx) }
	}
}

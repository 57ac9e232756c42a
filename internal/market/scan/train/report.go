package train

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"stoa/internal/market/scan/model"
)

// Held says how a model does on sources that it was not trained on.
type Held struct {
	Thresholds map[string]model.Threshold `json:"thresholds"`
	Second     map[string]float64         `json:"second_model"`
	Groups     []Group                    `json:"groups"`
}

// Group counts the texts of one kind.
type Group struct {
	Name     string `json:"name"`
	Attacks  int    `json:"attacks"`
	Ordinary int    `json:"ordinary"`
	// Attacks found and ordinary texts flagged, in either mode.
	BalancedFound   int `json:"balanced_found"`
	BalancedFlagged int `json:"balanced_flagged"`
	StrictFound     int `json:"strict_found"`
	StrictFlagged   int `json:"strict_flagged"`
}

// Report counts the held-out scores by language and kind.
func Report(w *model.Weights, scored []Scored) Held {
	groups := map[string]*Group{}
	for _, s := range scored {
		names := []string{"= all", "= " + s.Lang, fmt.Sprintf("%d %s %s", s.Label, s.Kind, s.Lang)}
		switch {
		case s.Buried:
			names = []string{"= buried"}
		case s.Kind == "catalog_template":
			names = []string{"= catalog " + s.Lang}
		case s.Label == 0 && isPublished(s.Kind):
			names = append(names, "= published")
		}
		t := w.For(s.Lang)
		for _, name := range names {
			g := groups[name]
			if g == nil {
				g = &Group{Name: name}
				groups[name] = g
			}
			balanced, strict := 0, 0
			if s.Score >= t.Balanced {
				balanced = 1
			}
			if s.Score >= t.Strict {
				strict = 1
			}
			if s.Label == 1 {
				g.Attacks++
				g.BalancedFound += balanced
				g.StrictFound += strict
			} else {
				g.Ordinary++
				g.BalancedFlagged += balanced
				g.StrictFlagged += strict
			}
		}
	}
	out := Held{Thresholds: w.Thresholds, Second: w.Second()}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		out.Groups = append(out.Groups, *groups[name])
	}
	return out
}

// Show prints the report for people.
func (h Held) Show(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "held out\tattacks\tbalanced recall\tstrict recall\tordinary\tbalanced flagged\tstrict flagged")
	share := func(n, of int) string {
		if of == 0 {
			return "-"
		}
		return fmt.Sprintf("%.3f", float64(n)/float64(of))
	}
	for _, g := range h.Groups {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%d\t%s\t%s\n", g.Name, g.Attacks, share(g.BalancedFound, g.Attacks), share(g.StrictFound, g.Attacks),
			g.Ordinary, share(g.BalancedFlagged, g.Ordinary), share(g.StrictFlagged, g.Ordinary))
	}
	t.Flush()
	fmt.Fprintln(w, "thresholds", h.Thresholds)
	fmt.Fprintln(w, "second model", h.Second)
}

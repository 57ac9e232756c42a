package train

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"stoa/internal/market/scan/model"
)

// Held says how a model does on publishers that it was not trained on.
type Held struct {
	Thresholds map[string]model.Thresholds `json:"thresholds"`
	Second     map[string]float64          `json:"second_model"`
	Groups     []Group                     `json:"groups"`
}

// Group says how the texts of one kind, language, length, fold or publisher are judged.
type Group struct {
	Name     string `json:"name"`
	Attacks  int    `json:"attacks"`
	Ordinary int    `json:"ordinary"`
	// Shares of the attacks that are found and of the ordinary texts that are flagged.
	Balanced Share `json:"balanced"`
	Strict   Share `json:"strict"`
}

// Share is what one mode does, with the intervals of drawing publishers with replacement.
type Share struct {
	Found   Bounded `json:"found"`
	Flagged Bounded `json:"flagged"`
}

// Bounded is a share with its interval.
type Bounded struct {
	Of   float64 `json:"of"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

type clusters map[string]Cluster

func (c clusters) add(publisher string, hit bool) {
	x := c[publisher]
	x.Texts++
	if hit {
		x.Hits++
	}
	c[publisher] = x
}

func (c clusters) bounded() (b Bounded) {
	var list []Cluster
	sum := Cluster{}
	for _, name := range slices.Sorted(maps.Keys(c)) {
		list = append(list, c[name])
		sum.Hits, sum.Texts = sum.Hits+c[name].Hits, sum.Texts+c[name].Texts
	}
	if sum.Texts > 0 {
		b.Of = float64(sum.Hits) / float64(sum.Texts)
		b.Low, b.High = Drawn(list, 1)
	}
	return b
}

// counted holds the clusters of a group: of attacks and of ordinary texts, in balanced and in strict mode.
type counted struct{ attacks, ordinary [2]clusters }

// Report counts the held-out scores by language, kind, length, fold and publisher.
func Report(w *model.Weights, scored []Scored) Held {
	groups := map[string]*counted{}
	for _, s := range scored {
		hits := [2]bool{s.Balanced >= 0, s.Strict >= 0}
		for _, name := range groupsOf(s) {
			g := groups[name]
			if g == nil {
				g = &counted{[2]clusters{{}, {}}, [2]clusters{{}, {}}}
				groups[name] = g
			}
			for mode, hit := range hits {
				if s.Label == 1 {
					g.attacks[mode].add(Publisher(s.Source), hit)
				} else {
					g.ordinary[mode].add(Publisher(s.Source), hit)
				}
			}
		}
	}
	out := Held{Thresholds: w.Thresholds, Second: w.Second()}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		g := groups[name]
		out.Groups = append(out.Groups, Group{
			Name: name, Attacks: g.attacks[0].texts(), Ordinary: g.ordinary[0].texts(),
			Balanced: Share{g.attacks[0].bounded(), g.ordinary[0].bounded()}, Strict: Share{g.attacks[1].bounded(), g.ordinary[1].bounded()},
		})
	}
	return out
}

func (c clusters) texts() (n int) {
	for _, x := range c {
		n += x.Texts
	}
	return n
}

var classNames = [model.ClassCount]string{"short prose", "prose", "long prose", "headings or code", "front matter"}

func groupsOf(s Scored) []string {
	if s.Buried {
		return []string{"= buried"}
	}
	names := []string{
		"= all", "= " + s.Lang, fmt.Sprintf("fold %02d", s.Fold), "by " + Publisher(s.Source), "long " + Length(s.Text.Text), "form " + classNames[s.Class],
		fmt.Sprintf("%d %s %s", s.Label, s.Kind, s.Lang), fmt.Sprintf("%d %s", s.Label, s.Kind),
	}
	if s.Label == 0 && isPublished(s.Kind) {
		names = append(names, "= published")
	}
	if s.Label == 1 && emphasis(s.Kind) == 1 {
		names = append(names, "= clear attacks")
	}
	return names
}

// Length names the class of length of a text.
func Length(text string) string {
	switch n := len(text); {
	case n < 200:
		return "under 200 bytes"
	case n < 2000:
		return "200 to 2,000 bytes"
	}
	return "over 2,000 bytes"
}

// Show prints the report for people.
func (h Held) Show(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "left out\tattacks\tbalanced recall\tstrict recall\tordinary\tbalanced flagged\tstrict flagged")
	share := func(b Bounded, n int) string {
		if n == 0 {
			return "-"
		}
		return fmt.Sprintf("%.3f [%.3f-%.3f]", b.Of, b.Low, b.High)
	}
	for _, g := range h.Groups {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%d\t%s\t%s\n", g.Name, g.Attacks, share(g.Balanced.Found, g.Attacks), share(g.Strict.Found, g.Attacks),
			g.Ordinary, share(g.Balanced.Flagged, g.Ordinary), share(g.Strict.Flagged, g.Ordinary))
	}
	t.Flush()
	fmt.Fprintln(w, "thresholds", h.Thresholds)
	fmt.Fprintln(w, "second model", h.Second)
}

package notes

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestPhraseSet compares the set with a search for every wording, in texts made of the wordings' own words.
func TestPhraseSet(t *testing.T) {
	list := []string{"see", "see also", "based on", "is an extension of", "an extension", "on", "s'appuie sur", "z. b."}
	set := phrases(list...)
	words := strings.Fields(strings.Join(list, " ") + " x alsos es")
	rng := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 20_000 {
		var some []string
		for range rng.IntN(6) {
			some = append(some, words[rng.IntN(len(words))])
		}
		text := tail(plainWords(strings.Join(some, " ")), 3+rng.IntN(40))
		want := slices.ContainsFunc(list, func(w string) bool { return strings.Contains(text, " "+w+" ") })
		if set.in(text) != want {
			t.Fatalf("%q: %v, a search says %v", text, !want, want)
		}
		if want {
			found++
		}
	}
	if found < 2000 || found > 19_000 {
		t.Fatalf("%d of the texts hold a wording: the test tells nothing", found)
	}
}

// TestCueNeedsItsSubject holds what a sentence must be about before a link in it is taken for something that the note needs.
// The first line of each is the title.
func TestCueNeedsItsSubject(t *testing.T) {
	far := strings.Repeat("These are plain words that link to nothing at all.\n", 20)
	for _, c := range []struct {
		title, text, link string
		want              Cue
	}{
		{"Money supply", "The money supply is the [[stock]] of all money.", "stock", CueDefines},
		{"Money supply", "Changes of the money supply are a sign of [[inflation]].", "inflation", CueNone},
		{"Emission", "It **enables** [[reward]] since miners are paid, and helps a [[validator]].", "validator", CueNone},
		{"Heron tree", "A **heron** tree is a [[binary tree]] with two colours.", "binary tree", CueDefines},
		{"Heron tree", "**Definition 3.** A *heron tree* is a [[binary tree]].", "binary tree", CueDefines},
		{"Determinante", "Il **determinante** di una matrice è una [[funzione]].", "funzione", CueDefines},
		{"Simplices", "Recall that a [[complex]] is a sort of [[model category|model]].", "complex", CueNeeds},
		{"Simplices", "Recall that a [[complex]] is a sort of [[model category|model]].", "model category", CueNone},
		{"Web app", "A web app builds on the [[browser]] model and the [[shell]] pattern.", "shell", CueNeeds},
		{"Web app", "A web app depends on the [[browser]], but one should also say how to use [[games]].", "games", CueNone},
		{"Separator", "Separator is based on a [[net]] inspired by [[wave]].", "wave", CueUses},
		{"Fold program", "A fold program is a [[system]] developed by [[Deep Lab]].", "Deep Lab", CueAside},
		{"Rank test", "The rank test is analogous to the [[t-test]].", "t-test", CueAside},
		{"Capacity", far + "Wireless practice relies on [[LDPC codes]].", "LDPC codes", CueNone},
		{"Capacity", far + "It relies on [[noise]].", "noise", CueNeeds},
		{"Capacity", far + "The capacity depends on the [[noise]].", "noise", CueNeeds},
		{"Capacity", far + "You should be familiar with [[logarithms]].", "logarithms", CueNeeds},
		{"卷积网络", "卷积网络基于[[线性代数]]。", "线性代数", CueNeeds},
		{"学习笔记", far + "这里的矩阵运算在实践中大量地依赖[[线性代数]]。", "线性代数", CueNone},
	} {
		d := Parse(Source{Path: "x.md", Content: "# " + c.title + "\n\n" + c.text + "\n"})
		i := slices.IndexFunc(d.Links, func(l Link) bool { return l.Target == c.link })
		if i < 0 || d.Links[i].Cue != c.want {
			t.Errorf("%s: %q: %v", c.title, c.text[max(0, len(c.text)-90):], d.Links)
		}
	}
}

// TestProseIsNoRelationLine: a line that opens like a relation and goes on as prose states nothing.
func TestProseIsNoRelationLine(t *testing.T) {
	for text, want := range map[string]Kind{
		"基于 [[强化学习]]": Prerequisite,
		"基于 [[强化学习]] 的常规方法要先训练一个奖励模型，然后再做很多在线采样，所以整个流程复杂，而且常常不稳定。": None,
		"Depends on [[Groups]] and [[Rings]]": Prerequisite,
	} {
		d := Parse(Source{Path: "x.md", Content: "# X\n\n" + text + "\n"})
		if len(d.Links) == 0 || d.Links[0].Kind != want {
			t.Errorf("%q: %v", text, d.Links)
		}
	}
}

package train

import (
	"hash/fnv"
	"maps"
	"slices"
	"strings"
)

// Publisher returns who published a source: sources of one publisher are never on both sides of a fold.
func Publisher(source string) string {
	source, _, _ = strings.Cut(source, " (")
	source, _, _ = strings.Cut(source, "/")
	source, _, _ = strings.Cut(source, ",")
	source = strings.ToLower(strings.TrimSpace(source))
	if strings.HasPrefix(source, "authored") || strings.HasPrefix(source, "composed") {
		return "authored"
	}
	return strings.TrimSuffix(source, " test cases")
}

// genre is what a publisher mostly publishes.
func genre(kind string, label int) string {
	switch {
	case label == 1 && (strings.Contains(kind, "skill") || strings.Contains(kind, "tool") || strings.HasPrefix(kind, "indirect")):
		return "attack tools"
	case label == 1 && strings.HasPrefix(kind, "jailbreak"):
		return "attack jailbreak"
	case label == 1:
		return "attack command"
	case kind == "benign_skill":
		return "skill"
	case kind == "benign_template", kind == "benign_config":
		return "template"
	case kind == "text_about_injection", kind == "atr_near_miss":
		return "about"
	case kind == "benign_prompt":
		return "prompt"
	}
	return "document"
}

// slices of each genre; one slice of some genres makes a fold, so a fold leaves out part of a genre whole.
var genreSlices = map[string][]int{
	"template": {0, 1, 2, 3}, "skill": {4, 5, 6}, "document": {7, 8, 9}, "prompt": {10, 11, 12}, "about": {4, 7, 10, 13},
	"attack tools": {0, 3, 5, 9, 12}, "attack jailbreak": {1, 4, 8, 11, 13}, "attack command": {2, 6, 7, 10, 13},
}

// FoldCount is the number of folds that Folds deals publishers to.
const FoldCount = 14

// folds deals the publishers of the texts to folds by what they mostly publish. All texts of a publisher are in one fold.
func folds(texts []Text) map[string]int {
	count := map[string]map[string]int{}
	size := map[string]int{}
	for _, t := range texts {
		p := Publisher(t.Source)
		if count[p] == nil {
			count[p] = map[string]int{}
		}
		n := 1
		if t.Label == 1 {
			n = 3 // attacks are scarcer: a publisher that has them is dealt by them
		}
		count[p][genre(t.Kind, t.Label)] += n
		size[p] += n
	}
	byGenre := map[string][]string{}
	for _, p := range slices.Sorted(maps.Keys(count)) {
		best := ""
		for _, g := range slices.Sorted(maps.Keys(count[p])) {
			if best == "" || count[p][g] > count[p][best] {
				best = g
			}
		}
		byGenre[best] = append(byGenre[best], p)
	}
	folds := map[string]int{}
	for _, g := range slices.Sorted(maps.Keys(byGenre)) {
		list := byGenre[g]
		slices.SortFunc(list, func(a, b string) int {
			if size[a] != size[b] {
				return size[b] - size[a]
			}
			return int(int64(hash(a)>>1) - int64(hash(b)>>1))
		})
		filled := make([]int, len(genreSlices[g]))
		for _, p := range list {
			least := 0
			for i := range filled {
				if filled[i] < filled[least] {
					least = i
				}
			}
			filled[least] += size[p]
			folds[p] = genreSlices[g][least]
		}
	}
	return folds
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

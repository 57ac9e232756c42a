package retrieval

import (
	"math"
	"slices"
	"strings"
	"time"
)

// Backend says which ways a query goes.
type Backend string

// The backends of the contract.
const (
	Hybrid  Backend = "local_hybrid"
	Keyword Backend = "keyword_only"
	Vector  Backend = "local_vector"
)

// Query asks for atoms.
type Query struct {
	Text string
	// Owners whose atoms and relations may be seen; nothing of anybody else takes part in any way.
	Owners  []string
	TopK    int // 1..100; 0 is 10
	Backend Backend
	// AsOf is the time for which atoms must have been known. The zero time asks for no validity.
	AsOf time.Time
	// Vector of the text by the remote embedder of the index.
	Vector []float32
}

// Scores are what each way says of a hit, 0..1.
type Scores struct {
	Keyword  float64 `json:"keyword"`
	Graph    float64 `json:"graph"`
	Temporal float64 `json:"temporal"`
	Semantic float64 `json:"semantic"`
}

// Hit is an atom that answers a query.
type Hit struct {
	AtomID     string
	Owner      string
	DocumentID string
	Score      float64 // 0..1: the scores weighed by Weights
	Scores     Scores
	Evidence   []string
	// Path leads from the hit by words or likeness that was expanded to this atom: atom ids, the last its own. A hit that
	// stands for itself has only itself. Edges are the relations walked.
	Path  []string
	Edges []string
	// Valid says whether the atom was known at AsOf; Reasons why not.
	Valid   bool
	Reasons []string
}

// Trace says how a query was answered.
type Trace struct {
	Modes      []string // ways that found something
	Weights    Scores
	Considered int // atoms the caller may see
	Scanned    int // vectors compared
	Exact      bool
	// Shares of the hits with evidence, with a relation path of at least one edge, and valid; 1 without hits.
	EvidenceCoverage, PathCoverage, ValidityPass float64
}

// weights of the ways in a hybrid answer. Words lead: they are what the learner typed.
var hybrid = Scores{Keyword: 0.5, Graph: 0.15, Temporal: 0.05, Semantic: 0.3}

const (
	k1, b       = 1.2, 0.75 // of BM25 (Robertson, Zaragoza 2009)
	candidates  = 64        // that each way gives
	seeds       = 8         // that are expanded
	hops        = 2
	decay       = 0.6 // of a seed's score per hop, besides the edge's confidence
	maxArcs     = 64  // edges of an atom that are followed
	leastCosine = 0.08
)

type found struct {
	owner  string
	at     int32
	scores Scores
	path   []string
	edges  []string
}

// Query answers. The same index and query give the same answer.
func (x *Index) Query(q Query) ([]Hit, Trace) {
	k := q.TopK
	if k <= 0 {
		k = 10
	}
	k = min(k, 100)
	weights := hybrid
	switch q.Backend {
	case Keyword:
		weights = Scores{Keyword: 1}
	case Vector:
		weights = Scores{Semantic: 1}
	}
	words := x.tokenize(clip(q.Text, maxEmbedded))
	x.mu.RLock()
	defer x.mu.RUnlock()
	owners := slices.Clone(q.Owners)
	slices.Sort(owners)
	owners = slices.Compact(owners)
	trace := Trace{Weights: weights, Exact: true}
	for _, o := range owners {
		if s := x.shards[o]; s != nil {
			trace.Considered += len(s.at)
		}
	}
	hits := map[string]*found{}
	if weights.Keyword > 0 {
		if x.byWords(owners, words, hits) {
			trace.Modes = append(trace.Modes, "keyword")
		}
	}
	if weights.Semantic > 0 {
		v := q.Vector
		if x.embedder == LocalEmbedder {
			v = embed(nil, words)
		}
		if x.byLikeness(owners, quantize(v, x.dims), hits, &trace) {
			trace.Modes = append(trace.Modes, "semantic")
		}
	}
	if weights.Graph > 0 && x.expand(owners, weights, hits) {
		trace.Modes = append(trace.Modes, "graph")
	}
	return x.rank(hits, weights, k, q.AsOf, &trace), trace
}

// byWords scores by BM25 with the word counts of what the caller may see.
func (x *Index) byWords(owners, words []string, hits map[string]*found) bool {
	words = slices.Clone(words)
	slices.Sort(words)
	words = slices.Compact(words)
	n, total := 0, int64(0)
	for _, o := range owners {
		if s := x.shards[o]; s != nil {
			n += len(s.at)
			total += s.total
		}
	}
	if n == 0 {
		return false
	}
	mean := math.Max(1, float64(total)/float64(n))
	scores := make([][]float64, len(owners)) // by owner and place
	for _, w := range words {
		df := 0
		for _, o := range owners {
			if s := x.shards[o]; s != nil {
				df += len(s.postings(w))
			}
		}
		if df == 0 {
			continue
		}
		idf := math.Log(1 + (float64(n-df)+0.5)/(float64(df)+0.5))
		for i, o := range owners {
			s := x.shards[o]
			if s == nil || len(s.postings(w)) == 0 {
				continue
			}
			if scores[i] == nil {
				scores[i] = make([]float64, len(s.items))
			}
			for _, p := range s.postings(w) {
				tf := float64(p.count)
				scores[i][p.at] += idf * tf * (k1 + 1) / (tf + k1*(1-b+b*float64(s.length[p.at])/mean))
			}
		}
	}
	var list []ranked
	least := 0.0
	for i, o := range owners {
		for at, score := range scores[i] {
			if score <= 0 || score < least {
				continue
			}
			list = append(list, ranked{x.shards[o].items[at].ID, o, int32(at), score})
			if len(list) >= 8*candidates {
				list = top(list, candidates)
				least = list[len(list)-1].score
			}
		}
	}
	list = top(list, candidates)
	if len(list) == 0 {
		return false
	}
	best := list[0].score
	for _, r := range list {
		hits[r.id] = &found{owner: r.owner, at: r.at, scores: Scores{Keyword: r.score / best}, path: []string{r.id}}
	}
	return true
}

// byLikeness scores by the cosine of vectors.
func (x *Index) byLikeness(owners []string, v []int8, hits map[string]*found, trace *Trace) bool {
	length := norm(v)
	if length == 0 {
		return false
	}
	var list []ranked
	least := leastCosine
	look := func(owner string, s *shard, at int32) {
		if !s.live(at) {
			return
		}
		trace.Scanned++
		c := cosine(v, s.vector(at), length, s.norms[at])
		if c < least {
			return
		}
		list = append(list, ranked{s.items[at].ID, owner, at, c})
		if len(list) >= 8*candidates {
			list = top(list, candidates)
			least = list[len(list)-1].score
		}
	}
	for _, o := range owners {
		s := x.shards[o]
		switch {
		case s == nil:
		case s.cells == nil:
			for at := range int32(len(s.items)) {
				look(o, s, at)
			}
		default:
			trace.Exact = false
			for _, at := range s.cells.near(v, length) {
				look(o, s, at)
			}
		}
	}
	for _, r := range top(list, candidates) {
		h := hits[r.id]
		if h == nil {
			h = &found{owner: r.owner, at: r.at, path: []string{r.id}}
			hits[r.id] = h
		}
		h.scores.Semantic = math.Min(1, r.score)
	}
	return len(list) > 0
}

// expand walks from the best hits along relations to what is near them.
func (x *Index) expand(owners []string, weights Scores, hits map[string]*found) bool {
	var start []ranked
	for id, h := range hits {
		start = append(start, ranked{id, h.owner, h.at, weights.Keyword*h.scores.Keyword + weights.Semantic*h.scores.Semantic})
	}
	start = top(start, seeds)
	if len(start) == 0 {
		return false
	}
	best := start[0].score
	reached := false
	for _, seed := range start {
		type step struct {
			id    string
			score float64
			path  []string
			edges []string
		}
		ring := []step{{seed.id, seed.score / best, []string{seed.id}, nil}}
		seen := map[string]bool{seed.id: true}
		for range hops {
			var next []step
			for _, s := range ring {
				arcs := x.arcs[s.id]
				for _, id := range arcs[:min(len(arcs), 4*maxArcs)] {
					r := x.edges[id]
					other := r.Target
					if other == s.id {
						other = r.Source
					}
					owner, ok := x.where[other]
					if !ok || seen[other] || !contains(owners, owner) || !contains(owners, r.Owner) || len(next) >= 4*maxArcs {
						continue
					}
					seen[other] = true
					score := s.score * decay * r.Confidence
					path := append(slices.Clone(s.path), other)
					edges := append(slices.Clone(s.edges), id)
					next = append(next, step{other, score, path, edges})
					h := hits[other]
					if h == nil {
						h = &found{owner: owner, at: x.shards[owner].at[other]}
						hits[other] = h
					}
					if score > h.scores.Graph {
						h.scores.Graph, h.path, h.edges = score, path, edges
						reached = true
					}
				}
			}
			ring = next
		}
	}
	return reached
}

func (x *Index) rank(hits map[string]*found, weights Scores, k int, asOf time.Time, trace *Trace) []Hit {
	list := make([]ranked, 0, len(hits))
	for id, h := range hits {
		h.scores.Temporal = 1
		if !asOf.IsZero() && x.shards[h.owner].items[h.at].Created > asOf.UnixMicro() {
			h.scores.Temporal = 0
		}
		s := h.scores
		list = append(list, ranked{id, h.owner, h.at, weights.Keyword*s.Keyword + weights.Graph*s.Graph + weights.Temporal*s.Temporal + weights.Semantic*s.Semantic})
	}
	out := make([]Hit, 0, k)
	evidence, paths, valid := 0, 0, 0
	for _, r := range top(list, k) {
		h, it := hits[r.id], x.shards[r.owner].items[r.at]
		hit := Hit{AtomID: r.id, Owner: r.owner, DocumentID: it.Document, Score: math.Min(1, r.score), Scores: h.scores, Evidence: slices.Clone(it.Evidence), Path: h.path, Edges: h.edges, Valid: h.scores.Temporal > 0}
		if !hit.Valid {
			hit.Reasons = []string{"not_yet_known"}
		}
		out = append(out, hit)
		evidence += count(len(hit.Evidence) > 0)
		paths += count(len(hit.Edges) > 0)
		valid += count(hit.Valid)
	}
	share := func(n int) float64 {
		if len(out) == 0 {
			return 1
		}
		return float64(n) / float64(len(out))
	}
	trace.EvidenceCoverage, trace.PathCoverage, trace.ValidityPass = share(evidence), share(paths), share(valid)
	return out
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func contains(sorted []string, s string) bool {
	_, ok := slices.BinarySearch(sorted, s)
	return ok
}

type ranked struct {
	id    string
	owner string
	at    int32
	score float64
}

// top gives the k best, the best first, ties by id.
func top(list []ranked, k int) []ranked {
	slices.SortFunc(list, func(a, b ranked) int {
		if a.score != b.score {
			if a.score > b.score {
				return -1
			}
			return 1
		}
		return strings.Compare(a.id, b.id)
	})
	return list[:min(len(list), k)]
}

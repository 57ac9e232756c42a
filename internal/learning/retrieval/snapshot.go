package retrieval

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// snapshot is an index as it is kept: what cannot be made again without the texts.
type snapshot struct {
	Format    int
	Embedder  string
	Dims      int
	Shards    []kept
	Relations []Relation
}

type kept struct {
	Owner   string
	Words   []string
	Items   []item
	Terms   [][]int32 // word, count, word, count
	Vectors []int8
}

const format = 1

// Save writes the index. It is for the same program to read: compare Signature with the store's after Load.
func (x *Index) Save(w io.Writer) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := snapshot{Format: format, Embedder: x.embedder, Dims: x.dims}
	for _, owner := range slices.Sorted(maps.Keys(x.shards)) {
		shard := x.shards[owner]
		k := kept{Owner: owner, Words: slices.Sorted(maps.Keys(shard.postings))}
		terms := make([][]int32, len(shard.items))
		for i, word := range k.Words {
			for _, p := range shard.postings[word] {
				terms[p.at] = append(terms[p.at], int32(i), p.count)
			}
		}
		for _, id := range slices.Sorted(maps.Keys(shard.at)) {
			at := shard.at[id]
			k.Items = append(k.Items, shard.items[at])
			k.Terms = append(k.Terms, terms[at])
			k.Vectors = append(k.Vectors, shard.vector(at)...)
		}
		s.Shards = append(s.Shards, k)
	}
	for _, id := range slices.Sorted(maps.Keys(x.edges)) {
		s.Relations = append(s.Relations, x.edges[id])
	}
	return gob.NewEncoder(w).Encode(s)
}

// Load reads what Save wrote. An index of another format or embedder is refused: build it anew.
func Load(r io.Reader, tokenize Tokenizer, embedder string, dims int) (*Index, error) {
	var s snapshot
	if err := gob.NewDecoder(r).Decode(&s); err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	x := New(tokenize, embedder, dims)
	if s.Format != format || s.Embedder != x.embedder || s.Dims != x.dims {
		return nil, errors.New("read index: it is of another format or embedder")
	}
	for _, k := range s.Shards {
		if len(k.Terms) != len(k.Items) || len(k.Vectors) != len(k.Items)*s.Dims {
			return nil, errors.New("read index: its parts do not fit together")
		}
		shard := newShard(x.dims)
		x.shards[k.Owner] = shard
		for i, it := range k.Items {
			terms := make(map[string]int, len(k.Terms[i])/2)
			for t := 0; t+1 < len(k.Terms[i]); t += 2 {
				if w := k.Terms[i][t]; w >= 0 && int(w) < len(k.Words) {
					terms[k.Words[w]] = int(k.Terms[i][t+1])
				}
			}
			if _, twice := x.where[it.ID]; twice || it.ID == "" {
				return nil, errors.New("read index: its atoms are not distinct")
			}
			shard.put(it, terms, k.Vectors[i*s.Dims:(i+1)*s.Dims])
			x.where[it.ID] = k.Owner
			x.sum.add(it.Digest)
		}
	}
	x.Relate(s.Relations...)
	return x, nil
}

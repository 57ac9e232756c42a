package browse

import (
	"sync"
	"time"

	"stoa/internal/market/catalog"
	"stoa/internal/platform/search"
)

// spellingEvery is how long a vocabulary is used after the catalog has changed.
const spellingEvery = time.Minute

// spelling is the vocabulary of a catalog, made when a search needs it.
type spelling struct {
	mu         sync.Mutex
	vocabulary *search.Vocabulary
	generation uint64
	at         time.Time
}

// vocabulary is the words of a catalog, at most a minute older than its last change.
func (c *catalogCache) vocabulary(kind catalog.Kind) *search.Vocabulary {
	w, index := &c.words[0], c.Index(kind)
	if kind == catalog.KindProfilePack {
		w = &c.words[1]
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now, generation := c.clock(), index.ContentGeneration()
	if w.vocabulary == nil || generation != w.generation && now.Sub(w.at) >= spellingEvery {
		w.vocabulary, w.generation, w.at = search.NewVocabulary(index.Texts), generation, now
	}
	return w.vocabulary
}

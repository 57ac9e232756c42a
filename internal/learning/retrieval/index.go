package retrieval

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
	"sync"
	"time"
)

// Tokenizer gives the words of a text as they are compared, in order, with repetitions.
type Tokenizer func(text string) []string

// Entry is an atom as it is indexed.
type Entry struct {
	AtomID     string
	Owner      string
	DocumentID string
	Title      string
	Content    string
	Evidence   []string // span ids
	Version    int
	SourceHash string
	CreatedAt  time.Time
	UpdatedAt  time.Time
	// Vector is given by a remote embedder; nil takes the local one. All vectors of an index have one length.
	Vector []float32
}

// Relation is an edge along which a query may go.
type Relation struct {
	ID         string
	Owner      string
	Source     string
	Target     string
	Kind       string
	Confidence float64
}

// Index finds atoms. It may be used by several goroutines at once.
type Index struct {
	mu       sync.RWMutex
	tokenize Tokenizer
	embedder string
	dims     int
	shards   map[string]*shard
	where    map[string]string // atom → owner
	edges    map[string]Relation
	arcs     map[string][]string // atom → ids of its edges, sorted
	sum      digest
}

// LocalEmbedder is the name under which the embedding of this package goes into signatures.
const LocalEmbedder = "hashed-words-256/1"

// New makes an empty index. Embedder names where vectors come from and dims how long they are; "" and 0 take the local
// embedding.
func New(tokenize Tokenizer, embedder string, dims int) *Index {
	if embedder == "" || dims <= 0 {
		embedder, dims = LocalEmbedder, localDims
	}
	return &Index{tokenize: tokenize, embedder: embedder, dims: dims, shards: map[string]*shard{}, where: map[string]string{}, edges: map[string]Relation{}, arcs: map[string][]string{}}
}

// putBy is how many atoms are made ready at a time.
const putBy = 64

// Put takes atoms in, each in the place of the one with its id.
func (x *Index) Put(entries ...Entry) {
	for part := range slices.Chunk(entries, putBy) {
		x.putSome(part)
	}
}

func (x *Index) putSome(entries []Entry) {
	type prepared struct {
		terms  map[string]int
		vector []int8
	}
	ready := make([]prepared, len(entries))
	for i, e := range entries { // outside the lock: reading goes on
		ready[i].terms = x.count(e)
		v := e.Vector
		if x.embedder == LocalEmbedder {
			v = embed(x.tokenize(clip(e.Title, maxEmbedded)), x.tokenize(clip(e.Content, maxEmbedded)))
		}
		ready[i].vector = quantize(v, x.dims)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for i, e := range entries {
		x.remove(e.AtomID)
		s := x.shards[e.Owner]
		if s == nil {
			s = newShard(x.dims)
			x.shards[e.Owner] = s
		}
		s.put(item{
			ID: e.AtomID, Document: e.DocumentID, Evidence: slices.Clone(e.Evidence), Digest: x.digestOf(e),
			Created: e.CreatedAt.UnixMicro(), Updated: e.UpdatedAt.UnixMicro(),
		}, ready[i].terms, ready[i].vector)
		x.where[e.AtomID] = e.Owner
		x.sum.add(x.digestOf(e))
	}
}

// count weighs the words of an atom: those of the title count titleWeight times.
func (x *Index) count(e Entry) map[string]int {
	terms := map[string]int{}
	for _, w := range x.tokenize(e.Title) {
		terms[w] += titleWeight
	}
	for _, w := range x.tokenize(e.Content) {
		terms[w]++
	}
	return terms
}

const titleWeight = 3

// Remove takes atoms out; those that are not there are passed over.
func (x *Index) Remove(atoms ...string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range atoms {
		x.remove(id)
	}
}

func (x *Index) remove(id string) {
	owner, ok := x.where[id]
	if !ok {
		return
	}
	s := x.shards[owner]
	x.sum.subtract(s.remove(id).Digest)
	delete(x.where, id)
	if len(s.at) == 0 {
		delete(x.shards, owner)
	}
}

// Relate takes relations in, each in the place of the one with its id.
func (x *Index) Relate(relations ...Relation) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, r := range relations {
		x.unrelate(r.ID)
		x.edges[r.ID] = r
		for _, atom := range [2]string{r.Source, r.Target} {
			list := x.arcs[atom]
			if i, found := slices.BinarySearch(list, r.ID); !found {
				x.arcs[atom] = slices.Insert(list, i, r.ID)
			}
		}
	}
}

// Unrelate takes relations out.
func (x *Index) Unrelate(ids ...string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		x.unrelate(id)
	}
}

func (x *Index) unrelate(id string) {
	r, ok := x.edges[id]
	if !ok {
		return
	}
	delete(x.edges, id)
	for _, atom := range [2]string{r.Source, r.Target} {
		list := x.arcs[atom]
		if i, found := slices.BinarySearch(list, id); found {
			x.arcs[atom] = slices.Delete(list, i, i+1)
		}
		if len(x.arcs[atom]) == 0 {
			delete(x.arcs, atom)
		}
	}
}

// Size is the number of atoms.
func (x *Index) Size() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.where)
}

// Owners gives whose atoms are indexed, sorted.
func (x *Index) Owners() []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return slices.Sorted(maps.Keys(x.shards))
}

// Signature is a digest of what the index covers: embedder, and of every atom id, owner, version and source. It does not
// depend on the order in which atoms came. Compare it with SignatureOf what the store holds.
func (x *Index) Signature() string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.sum.text()
}

// SignatureOf gives the signature that an index of these atoms has.
func (x *Index) SignatureOf(entries func(yield func(Entry) bool)) string {
	var sum digest
	for e := range entries {
		sum.add(x.digestOf(e))
	}
	return sum.text()
}

// digest is a sum of SHA-256 values, as four words that carry nothing to each other: adding and taking away need no order.
type digest [4]uint64

func (x *Index) digestOf(e Entry) digest {
	h := sha256.New()
	for _, part := range []string{x.embedder, e.AtomID, e.Owner, e.SourceHash} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write([]byte(part))
	}
	var version [8]byte
	binary.BigEndian.PutUint64(version[:], uint64(e.Version))
	h.Write(version[:])
	sum := h.Sum(nil)
	var d digest
	for i := range d {
		d[i] = binary.BigEndian.Uint64(sum[8*i:])
	}
	return d
}

func (d *digest) add(o digest) {
	for i := range d {
		d[i] += o[i]
	}
}

func (d *digest) subtract(o digest) {
	for i := range d {
		d[i] -= o[i]
	}
}

func (d *digest) text() string {
	var b [32]byte
	for i := range d {
		binary.BigEndian.PutUint64(b[8*i:], d[i])
	}
	return hex.EncodeToString(b[:])
}

package notebook

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/retrieval"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/llm"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

const (
	embedBatch   = 64               // passages of one request
	embedTime    = 10 * time.Second // for one request
	embedAll     = 20 * time.Second // for all requests of one question; what is left comes with the next
	embedFails   = 3                // in a row, after which the embedder is left in peace
	embedPause   = 30 * time.Second // for so long
	longestText  = 6000             // bytes of a passage that are embedded
	keptAtATime  = 500
	mismatchCode = "dimension_mismatch"
)

// embedding asks the embedder, keeps what it gave, and leaves it in peace while it fails (circuit breaker, Nygard 2007).
type embedding struct {
	core.Embedder
	store *store.Store
	clock clock.Clock
	// take counts a call against the quota of whose notes or question it is and reports whether one was left.
	take func(ctx context.Context, userID string) bool
	// mask takes the secrets out of a text.
	mask func(string) string

	mu                                sync.Mutex
	requests, successes, failures     int64
	short, probesPassed, probesFailed int
	inARow                            int
	until                             time.Time // it is left in peace
	code, text                        string    // of the last failure; "" when the last request went well
	retries                           int       // requests made after one that failed
	requestID                         string    // that the embedder gave the last request
	retryAfter                        time.Duration
	kept                              int // vectors that came out of the store
}

var errEmbedderUsedUp = errors.New("today's calls of the embedder are used up")

var errResting = errors.New("the embedder failed several times and is asked again shortly")

// ask embeds texts, or says why not.
func (e *embedding) ask(ctx context.Context, texts []string) ([][]float32, error) {
	probe, err := e.begin()
	if err != nil {
		return nil, err
	}
	timed, cancel := context.WithTimeout(ctx, embedTime)
	defer cancel()
	sent := make([]string, len(texts))
	for i, text := range texts {
		sent[i] = e.mask(text)
	}
	reply, err := e.Model.Embed(timed, sent)
	if ctx.Err() != nil {
		return nil, ctx.Err() // whoever asked has gone: that is no fault of the embedder
	}
	if err == nil && len(reply.Vectors[0]) != e.Dims {
		err = &llm.Fault{
			Code: mismatchCode, RequestID: reply.RequestID,
			Text: fmt.Sprintf("the embedder gives vectors of %d figures, and %d are configured", len(reply.Vectors[0]), e.Dims),
		}
	}
	e.end(reply.RequestID, err, probe)
	return reply.Vectors, err
}

func (e *embedding) begin() (probe bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.inARow >= embedFails {
		if e.clock().Before(e.until) {
			e.short++
			return false, errResting
		}
		probe, e.until = true, e.clock().Add(embedPause) // one at a time looks whether it is back
	}
	e.requests++
	if e.inARow > 0 {
		e.retries++
	}
	return probe, nil
}

func (e *embedding) end(requestID string, err error, probe bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requestID, e.retryAfter = requestID, 0
	if err == nil {
		e.successes, e.inARow, e.code, e.text = e.successes+1, 0, "", ""
		if probe {
			e.probesPassed++
		}
		return
	}
	e.failures++
	e.inARow++
	e.code, e.text = "bad_reply", "the embedder's answer cannot be used"
	if f := (*llm.Fault)(nil); errors.As(err, &f) {
		e.code, e.text, e.requestID, e.retryAfter = f.Code, f.Text, f.RequestID, f.RetryAfter
	}
	if e.inARow >= embedFails {
		e.until = e.clock().Add(max(embedPause, e.retryAfter))
	}
	if probe {
		e.probesFailed++
	}
}

// fromStore reports whether vectors came out of the store since the server was started.
func (e *embedding) fromStore() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.kept > 0
}

// diagnose tells how the embedder is doing.
func (e *embedding) diagnose(v *VectorAcceleration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	v.AdapterID, v.Embedding, v.Dimension = "external:"+e.Model.Name(), e.Model.Name(), e.Dims
	v.Requests, v.Successes, v.Failures, v.Consecutive, v.ShortCircuits = e.requests, e.successes, e.failures, e.inARow, e.short
	v.ProbeSuccesses, v.ProbeFailures, v.LastErrorCode, v.AdapterError = e.probesPassed, e.probesFailed, e.code, e.text
	v.Retries, v.LastRequestID, v.LastRetryAfter = e.retries, e.requestID, int(e.retryAfter.Milliseconds())
	if e.inARow >= embedFails {
		v.Circuit = "open"
		if !e.clock().Before(e.until) {
			v.Circuit = "half_open"
		}
	}
	if e.code != "" {
		v.Health, v.HealthMessage, v.Sync, v.SyncMessage = "unavailable", e.text, "unavailable", e.text
	}
	if e.code == mismatchCode {
		v.RepresentationIs = "mismatch"
	}
}

func passageOf(a *graph.Atom) string { return core.Truncate(a.Title+"\n\n"+a.Content, longestText) }

func passageHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// vectors gives those of atoms, out of the store or from the embedder, by atom id. What it could not get in time is left
// out, and the error says why.
func (e *embedding) vectors(ctx context.Context, owner string, atoms []*graph.Atom) (map[string][]float32, error) {
	out := make(map[string][]float32, len(atoms))
	var missing []*graph.Atom
	for list := range slices.Chunk(atoms, keptAtATime) {
		byHash := map[string][]*graph.Atom{}
		hashes := make([]string, 0, len(list))
		for _, a := range list {
			h := passageHash(passageOf(a))
			if byHash[h] == nil {
				hashes = append(hashes, h)
			}
			byHash[h] = append(byHash[h], a)
		}
		kept, err := e.store.Embeddings(ctx, owner, e.Model.Name(), hashes)
		if err != nil {
			return out, err
		}
		for _, k := range kept {
			if v := floats(k.Vector); len(v) == e.Dims {
				for _, a := range byHash[k.Hash] {
					out[a.ID] = v
				}
				delete(byHash, k.Hash)
			}
		}
		e.mu.Lock()
		e.kept += len(kept)
		e.mu.Unlock()
		for _, h := range hashes {
			missing = append(missing, byHash[h]...)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, embedAll)
	defer cancel()
	for list := range slices.Chunk(missing, embedBatch) {
		texts := make([]string, len(list))
		for i, a := range list {
			texts[i] = passageOf(a)
		}
		if !e.take(ctx, owner) {
			return out, errEmbedderUsedUp
		}
		vectors, err := e.ask(ctx, texts)
		if err != nil {
			return out, err
		}
		rows := make([]schooldb.Embedding, len(list))
		for i, a := range list {
			out[a.ID] = vectors[i]
			rows[i] = schooldb.Embedding{Hash: passageHash(texts[i]), Vector: bytesOf(vectors[i])}
		}
		if err := e.store.Write(ctx, func(tx *store.Tx) error { return tx.AddEmbeddings(owner, e.Model.Name(), rows) }); err != nil {
			return out, err
		}
	}
	return out, nil
}

// forget removes the vectors of passages that an owner's notes no longer have.
func (e *embedding) forget(ctx context.Context, r *NotesSnapshot) error {
	kept, err := e.store.EmbeddedHashes(ctx, r.owner)
	if err != nil {
		return err
	}
	for _, a := range r.Atoms {
		delete(kept, passageHash(passageOf(a)))
	}
	for gone := range slices.Chunk(slices.Sorted(maps.Keys(kept)), keptAtATime) {
		if err := e.store.Write(ctx, func(tx *store.Tx) error { return tx.DropEmbeddings(r.owner, gone) }); err != nil {
			return err
		}
	}
	return nil
}

func bytesOf(v []float32) []byte {
	out := make([]byte, 4*len(v))
	for i, f := range v {
		binary.LittleEndian.PutUint32(out[4*i:], math.Float32bits(f))
	}
	return out
}

func floats(b []byte) []float32 {
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

// embedderName names where vectors come from, for the index.
func embedderName(c *core.Config) string {
	if c.Embedder.Model == nil {
		return retrieval.LocalEmbedder
	}
	return c.Embedder.Model.Name()
}

// question gives the vector of a member's question.
func (e *embedding) question(ctx context.Context, userID, text string) ([]float32, error) {
	if !e.take(ctx, userID) {
		return nil, errEmbedderUsedUp
	}
	v, err := e.ask(ctx, []string{core.Truncate(text, longestText)})
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

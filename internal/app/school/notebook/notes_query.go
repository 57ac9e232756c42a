package notebook

import (
	"cmp"
	"context"
	"errors"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/learning/retrieval"
	"stoa/internal/platform/clock"
)

var errIndexFull = errors.New("the index over notes is full; an operator raises --limits.indexed-atoms")

// QueryInput asks for passages.
type QueryInput struct {
	UserID  string `json:"user_id"`
	Query   string `json:"query"`
	TopK    int    `json:"topK"`
	AsOf    string `json:"asOf"`
	Backend string `json:"queryBackend"`
}

// QueryScores are what each way of searching says of a hit, 0 to 1.
type QueryScores struct {
	Keyword  float64 `json:"keyword"`
	Graph    float64 `json:"graph"`
	Semantic float64 `json:"semantic"`
}

// TemporalValidity says whether an atom was known at the time asked for.
type TemporalValidity struct {
	Valid     bool     `json:"isValid"`
	CheckedAt string   `json:"checkedAt"`
	Reasons   []string `json:"reasons"`
}

// QueryItem is a passage that answers.
type QueryItem struct {
	Atom     KnowledgeAtom    `json:"atom"`
	Score    float64          `json:"score"`
	Scores   QueryScores      `json:"scores"`
	Spans    []EvidenceSpan   `json:"evidenceSpans"`
	Path     []string         `json:"relationPath"`
	Validity TemporalValidity `json:"temporalValidity"`
}

// ModeWeights are how much each way counts.
type ModeWeights struct {
	Keyword  float64 `json:"keyword"`
	Graph    float64 `json:"graph"`
	Temporal float64 `json:"temporal"`
	Semantic float64 `json:"semantic"`
}

// QueryTrace says how a question was answered.
type QueryTrace struct {
	Modes    []string    `json:"retrievalModes"`
	AsOf     string      `json:"asOf"`
	Atoms    int         `json:"totalActiveAtoms"`
	Weights  ModeWeights `json:"modeWeights"`
	Latency  float64     `json:"latencyMs"`
	Evidence float64     `json:"evidenceCoverageRatio"`
	Paths    float64     `json:"relationPathCoverageRatio"`
	Valid    float64     `json:"temporalValidityPassRatio"`
	Backend  string      `json:"backendId"`
	Fallback bool        `json:"fallbackUsed"`
	Why      string      `json:"fallbackReason"`
}

// QueryResult are the passages, the best first.
type QueryResult struct {
	Items []QueryItem `json:"items"`
	Trace QueryTrace  `json:"trace"`
}

const usualHits = 8

// QueryKnowledge finds passages among a learner's notes and those of everybody. When the index cannot be brought in step
// with the notes, words alone are searched in what it holds, and the answer says so.
func (a *Service) QueryKnowledge(ctx context.Context, c core.Caller, in QueryInput) (QueryResult, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return QueryResult{}, err
	}
	g, err := a.ground(ctx, userID)
	if err != nil {
		return QueryResult{}, err
	}
	out, trace, took, err := a.search(ctx, g, userID, in)
	if err == nil {
		a.NoteIndex.asked(out.Trace, trace)
		a.asked(userID, out.Trace, len(out.Items), took)
	}
	return out, err
}

// search answers a question without counting it.
func (a *Service) search(ctx context.Context, g Ground, userID string, in QueryInput) (QueryResult, retrieval.Trace, time.Duration, error) {
	began, now := time.Now(), a.Clock()
	backend := retrieval.Backend(cmp.Or(in.Backend, string(retrieval.Hybrid)))
	out := QueryResult{Items: []QueryItem{}, Trace: QueryTrace{Backend: string(backend)}}
	question := retrieval.Query{Text: in.Query, Owners: []string{core.SharedOwner, userID}, TopK: cmp.Or(in.TopK, usualHits)}
	err := a.NoteIndex.sync(ctx, g.Shared, g.Own)
	if err == nil && a.NoteIndex.remoteEmbedder != nil && backend != retrieval.Keyword {
		question.Vector, err = a.NoteIndex.remoteEmbedder.question(ctx, userID, in.Query)
	}
	if err != nil {
		if ctx.Err() != nil {
			return out, retrieval.Trace{}, 0, err
		}
		out.Trace.Fallback, out.Trace.Why = true, err.Error()
		backend, out.Trace.Backend = retrieval.Keyword, string(retrieval.Keyword)
	}
	asOf := TimeOr(in.AsOf, time.Time{})
	question.Backend, question.AsOf = backend, asOf
	hits, trace := a.NoteIndex.index.Query(question)
	for _, h := range hits {
		atom := g.found(h.AtomID)
		if atom == nil {
			continue // the index is behind
		}
		item := QueryItem{
			Atom: atomView(atom), Score: core.Rounded(h.Score, 6), Scores: QueryScores{core.Rounded(h.Scores.Keyword, 6), core.Rounded(h.Scores.Graph, 6), core.Rounded(h.Scores.Semantic, 6)},
			Spans: []EvidenceSpan{}, Path: core.NonNil(h.Path), Validity: TemporalValidity{h.Valid, clock.Text(now), core.NonNil(h.Reasons)},
		}
		for _, id := range atom.EvidenceSpans {
			if s := g.Span(id); s != nil {
				item.Spans = append(item.Spans, SpanView(s))
			}
		}
		out.Items = append(out.Items, item)
	}
	if asOf.IsZero() {
		asOf = now
	}
	took := time.Since(began)
	t, w := &out.Trace, trace.Weights
	t.Modes, t.AsOf, t.Atoms, t.Weights = core.NonNil(trace.Modes), clock.Text(asOf), trace.Considered, ModeWeights{w.Keyword, w.Graph, w.Temporal, w.Semantic}
	t.Latency, t.Evidence, t.Paths, t.Valid = float64(took.Microseconds())/1000, core.Rounded(trace.EvidenceCoverage, 6), core.Rounded(trace.PathCoverage, 6), core.Rounded(trace.ValidityPass, 6)
	return out, trace, took, nil
}

// asked counts a question for the diagnostics of this process.
func (x *noteIndex) asked(t QueryTrace, trace retrieval.Trace) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.queries++
	if t.Fallback {
		x.fallbacks++
	}
	if trace.Scanned > 0 {
		x.candidates, x.exact = trace.Scanned, trace.Exact
	}
}

// VectorAcceleration says how the nearest neighbours are found and whether the index is in step.
type VectorAcceleration struct {
	Enabled          bool   `json:"enabled"`
	Mode             string `json:"mode"`
	FailureMode      string `json:"failureMode"`
	Selection        string `json:"lastSelectionMode"`
	Candidates       int    `json:"lastCandidateCount"`
	AdapterID        string `json:"adapterId"`
	AdapterError     string `json:"adapterError"`
	Health           string `json:"healthStatus"`
	HealthMessage    string `json:"healthMessage"`
	Sync             string `json:"indexSyncStatus"`
	SyncMessage      string `json:"indexSyncMessage"`
	LastSyncAt       string `json:"lastSyncAt"`
	SyncRequests     int64  `json:"syncRequestCount"`
	SyncSuccesses    int64  `json:"syncSuccessCount"`
	SyncFailures     int64  `json:"syncFailureCount"`
	Signature        string `json:"syncedIndexSignature"`
	Atoms            int    `json:"syncedAtomCount"`
	Circuit          string `json:"circuitState"`
	Consecutive      int    `json:"consecutiveFailures"`
	Requests         int64  `json:"requestCount"`
	Retries          int    `json:"retryCount"`
	ShortCircuits    int    `json:"shortCircuitCount"`
	Successes        int64  `json:"successCount"`
	Failures         int64  `json:"failureCount"`
	ProbeSuccesses   int    `json:"halfOpenProbeSuccessCount"`
	ProbeFailures    int    `json:"halfOpenProbeFailureCount"`
	LastRequestID    string `json:"lastRequestId"`
	LastErrorCode    string `json:"lastErrorCode"`
	LastRetryAfter   int    `json:"lastRetryAfterMs"`
	Representation   string `json:"representationVersion"`
	Embedding        string `json:"embeddingModelId"`
	Dimension        int    `json:"embeddingDimension"`
	RepresentationIs string `json:"representationStatus"`
}

// VectorIndexState is the state of the vector index.
type VectorIndexState struct {
	Enabled      bool               `json:"enabled"`
	Status       string             `json:"status"`
	Location     string             `json:"location"`
	Signature    string             `json:"signature"`
	BuiltAt      string             `json:"builtAt"`
	Atoms        int                `json:"atomCount"`
	Loaded       bool               `json:"loadedFromDisk"`
	Persisted    bool               `json:"persisted"`
	Acceleration VectorAcceleration `json:"acceleration"`
}

// QueryBackendRuntime is the backend that answers.
type QueryBackendRuntime struct {
	ID        string           `json:"backendId"`
	Ready     bool             `json:"ready"`
	LastError string           `json:"lastError"`
	Index     VectorIndexState `json:"vectorIndex"`
}

// QueryBackendDiagnostics say how the search over notes is doing.
type QueryBackendDiagnostics struct {
	ID         string              `json:"backendId"`
	Configured string              `json:"configuredBackend"`
	Fallbacks  int64               `json:"fallbackCount"`
	Queries    int64               `json:"queryCount"`
	FallbackID string              `json:"fallbackBackendId"`
	LastError  string              `json:"lastError"`
	Runtime    QueryBackendRuntime `json:"runtime"`
	Comparison ComparisonTelemetry `json:"comparisonTelemetry"`
	Rollout    string              `json:"rolloutMode"`
	full       bool                // the index has no room for the notes
}

// QueryBackendReply is the answer of the diagnostics route.
type QueryBackendReply struct {
	Configured  string                  `json:"configuredBackend"`
	Prefilter   bool                    `json:"queryVectorAnnPrefilterEnabled"`
	Diagnostics QueryBackendDiagnostics `json:"diagnostics"`
}

// GetQueryBackendDiagnostics answers how the search over notes is doing on this node. The index is looked at as it
// stands, not brought in step first: when it is behind, that is what is told.
func (a *Service) GetQueryBackendDiagnostics(ctx context.Context, c core.Caller, in core.OwnInput) (QueryBackendReply, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return QueryBackendReply{}, err
	}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return QueryBackendReply{}, err
	}
	d := a.NoteIndex.Diagnose(g)
	return QueryBackendReply{d.Configured, true, d}, nil
}

func (x *noteIndex) Diagnose(g *Curriculum) QueryBackendDiagnostics {
	x.mu.Lock()
	defer x.mu.Unlock()
	behind := 0
	for _, r := range []*NotesSnapshot{g.Shared, g.Own} {
		if len(r.Atoms) > 0 && !x.synced[r.owner].current(r) {
			behind++
		}
	}
	v := VectorAcceleration{
		Enabled: true, Mode: "ann_prefilter", FailureMode: "fail_open", Selection: "unknown", Candidates: x.candidates, AdapterID: "embedded", Health: "ready", Sync: "ready",
		LastSyncAt: clock.Text(x.lastAt), SyncRequests: x.requests, SyncSuccesses: x.successes, SyncFailures: x.failures, Signature: x.index.Signature(),
		Atoms: x.index.Size(), Circuit: "closed", Requests: x.queries, Successes: x.queries - x.fallbacks, Failures: x.fallbacks, Representation: "1",
		Embedding: retrieval.LocalEmbedder, Dimension: 256, RepresentationIs: "aligned",
	}
	if x.candidates > 0 {
		v.Selection = "token_signature_prefilter"
		if x.exact {
			v.Mode, v.Selection = "full_scan", "full_scan"
		}
	}
	status := "ready"
	switch {
	case x.lastError != "":
		status, v.Sync, v.Health = "stale", "unavailable", "degraded"
		v.SyncMessage, v.AdapterError, v.LastErrorCode, v.Consecutive = x.lastError, x.lastError, "index_sync_failed", 1
	case behind > 0 && x.requests == 0:
		status, v.Sync, v.SyncMessage = "unknown", "unknown", "The index was not needed since the server started; the next question or ingest builds it."
	case behind > 0:
		status, v.Sync, v.SyncMessage = "stale", "stale", "The notes have changed; the next question or ingest brings the index in step."
	}
	lastError, location, loaded := x.lastError, "memory", false
	if x.remoteEmbedder != nil { // its vectors cost something, so that they are kept
		x.remoteEmbedder.diagnose(&v)
		location, loaded = "database", x.remoteEmbedder.fromStore()
		lastError = cmp.Or(lastError, v.AdapterError)
	}
	return QueryBackendDiagnostics{
		full: x.full,
		ID:   string(retrieval.Hybrid), Configured: string(retrieval.Hybrid), Fallbacks: x.fallbacks, Queries: x.queries, FallbackID: string(retrieval.Keyword), LastError: lastError,
		Runtime: QueryBackendRuntime{ID: string(retrieval.Hybrid), Ready: lastError == "", LastError: lastError, Index: VectorIndexState{
			Enabled: true, Status: status, Location: location, Signature: v.Signature, BuiltAt: clock.Text(x.lastAt), Atoms: v.Atoms, Loaded: loaded, Persisted: x.remoteEmbedder != nil, Acceleration: v,
		}}, Comparison: x.compared.view(), Rollout: "embedded",
	}
}

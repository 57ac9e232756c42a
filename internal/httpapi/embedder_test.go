package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/governance/runbook"
	"stoa/internal/platform/llm"
)

// embedServer gives vectors in which the first figure stands for mathematics and the second for cooking.
type embedServer struct {
	down   atomic.Bool
	dims   atomic.Int64
	passed atomic.Int64 // texts embedded
}

func startEmbedder(t *testing.T) (*embedServer, core.Embedder) {
	t.Helper()
	e := &embedServer{}
	e.dims.Store(3)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || e.down.Load() {
			w.Header().Set("X-Request-Id", "asked-too-soon")
			w.Header().Set("Retry-After", "40")
			http.Error(w, "no", http.StatusServiceUnavailable)
			return
		}
		var data []m
		for i, text := range body.Input {
			v := make([]float32, e.dims.Load())
			v[2] = .1
			for _, word := range []string{"limit", "epsilon", "approach"} {
				if strings.Contains(text, word) {
					v[0]++
				}
			}
			for _, word := range []string{"bread", "dough", "Sauerteig"} {
				if strings.Contains(text, word) {
					v[1]++
				}
			}
			data = append(data, m{"index": i, "embedding": v})
		}
		e.passed.Add(int64(len(body.Input)))
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(m{"data": data})
	}))
	t.Cleanup(s.Close)
	model, err := llm.New(s.URL+"/v1", "three-figures", "")
	if err != nil {
		t.Fatal(err)
	}
	return e, core.Embedder{Model: model, Dims: 3}
}

func TestEmbedderFindsWhatWordsDoNot(t *testing.T) {
	for _, engine := range apitest.Engines(t) {
		t.Run(engine.Name, func(t *testing.T) { findsWhatWordsDoNot(t, engine) })
	}
}

// findsWhatWordsDoNot has an embedder of its own, which counts what it is asked.
func findsWhatWordsDoNot(t *testing.T, engine apitest.Engine) {
	e, embedder := startEmbedder(t)
	s := apitest.Start(t, engine, apitest.Options{Embedder: embedder})
	ada := s.As(t, "bob")
	ada.Post("/api/knowledge/ingest", m{"documents": []m{{"documentId": "baking", "sourcePath": "baking.md", "content": "# Loaves\n\nThe dough rests before it is baked.\n"}}}).OK(t)
	query := func() *apitest.Reply {
		return ada.Post("/api/knowledge/query", m{"query": "Sauerteig", "queryBackend": "local_vector", "topK": 1}).OK(t)
	}
	want(t, query(), m{"data.items.0.atom.title": "Loaves", "data.trace.fallbackUsed": false})
	before := e.passed.Load()
	query()
	s.Restart(t) // vectors are kept: only the questions are embedded
	query()
	index := "data.diagnostics.runtime.vectorIndex."
	want(t, ada.Get("/api/knowledge/query-backend-diagnostics").OK(t), m{index + "location": "database", index + "persisted": true, index + "loadedFromDisk": true})
	want(t, ada.Get("/api/knowledge/state").OK(t), m{"data.queryBackendDiagnostics.runtime.vectorIndex.loadedFromDisk": true})
	if n := e.passed.Load() - before; n != 2 {
		t.Errorf("%d texts were embedded for two questions", n)
	}
	if n := s.Count(t, "embedding WHERE owner = 'bob'"); n != 1 {
		t.Errorf("%d vectors are kept of one note", n)
	}
	// The vectors of what is gone go too.
	ada.Post("/api/knowledge/ingest", m{"documents": []m{{"documentId": "baking", "sourcePath": "baking.md", "content": "# Loaves\n\nBread is baked.\n"}}}).OK(t)
	query()
	if n := s.Count(t, "embedding WHERE owner = 'bob'"); n != 1 {
		t.Errorf("%d vectors are kept after the note has changed", n)
	}
}

// The embedder stops: questions are answered by words, the check says so, and all comes back by itself.
func TestStoppedEmbedderTurnsItsCheck(t *testing.T) {
	e, embedder := startEmbedder(t)
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{Embedder: embedder})
	ada := s.As(t, "ada")
	ask := func() *apitest.Reply { return ada.Post("/api/knowledge/query", m{"query": "limit"}).OK(t) }
	want(t, ask(), m{"data.trace.fallbackUsed": false})
	wantCheck(t, ada, runbook.IndexSync, "pass")

	e.down.Store(true)
	for range 5 {
		want(t, ask(), m{"data.trace.fallbackUsed": true, "data.trace.backendId": "keyword_only", "data.items.0.atom.title": "Limits"})
	}
	diagnostics := "data.diagnostics.runtime.vectorIndex.acceleration."
	want(t, ada.Get("/api/knowledge/query-backend-diagnostics").OK(t), m{
		diagnostics + "circuitState": "open", diagnostics + "consecutiveFailures": 3, diagnostics + "shortCircuitCount": 2, diagnostics + "lastErrorCode": "refused",
		diagnostics + "adapterId": "external:three-figures", diagnostics + "indexSyncStatus": "unavailable",
		diagnostics + "lastRequestId": "asked-too-soon", diagnostics + "lastRetryAfterMs": 40_000, diagnostics + "retryCount": 2,
	})
	want(t, ada.Get("/api/knowledge/state").OK(t), m{"data.queryBackendDiagnostics.runtime.vectorIndex.acceleration.circuitState": "open"})
	r := verify(t, ada, runbook.IndexSync)
	want(t, r, m{"data.selectedCheckStatus": "fail", "data.selectedCheckEscalation": "critical"})

	e.down.Store(false)
	ask() // still left in peace
	wantCheck(t, ada, runbook.IndexSync, "fail")
	s.Clock.Advance(31 * time.Second)
	want(t, ask(), m{"data.trace.fallbackUsed": true}) // it has asked for forty
	s.Clock.Advance(10 * time.Second)
	want(t, ask(), m{"data.trace.fallbackUsed": false})
	wantCheck(t, ada, runbook.IndexSync, "pass")

	// Another model than the one configured.
	e.dims.Store(5)
	ask()
	wantCheck(t, ada, "query_vector_acceleration_representation_consistency", "fail")
	want(t, ada.Get("/api/knowledge/state").OK(t), m{"data.queryBackendDiagnostics.runtime.vectorIndex.acceleration.representationStatus": "mismatch"})
	e.dims.Store(3)
	ask()
	wantCheck(t, ada, "query_vector_acceleration_representation_consistency", "pass")
}

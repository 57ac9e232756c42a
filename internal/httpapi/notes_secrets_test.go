package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/platform/llm"
)

// What is secret in notes and answers is masked before a language model or an embedder sees it.
func TestModelsSeeNoSecrets(t *testing.T) {
	var mu sync.Mutex
	var seen strings.Builder
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Input    []string
			Messages []struct{ Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, "what?", 400)
			return
		}
		mu.Lock()
		for _, text := range body.Input {
			seen.WriteString(text + "\n")
		}
		for _, message := range body.Messages {
			seen.WriteString(message.Content + "\n")
		}
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if len(body.Messages) > 0 {
			_, text := soundly(body.Messages[1].Content)
			json.NewEncoder(w).Encode(m{"choices": []m{{"message": m{"role": "assistant", "content": text}}}})
			return
		}
		data := []m{}
		for i := range body.Input {
			data = append(data, m{"index": i, "embedding": []float32{1, 0, .1}})
		}
		json.NewEncoder(w).Encode(m{"data": data})
	}))
	t.Cleanup(server.Close)
	model, err := llm.New(server.URL+"/v1", "small", "")
	if err != nil {
		t.Fatal(err)
	}
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{
		Embedder: core.Embedder{Model: model, Dims: 3}, TutorModels: []core.TutorModel{{ID: "local:small", Provider: "local", Mode: "local", Model: model}},
	})
	token := "gh" + "p_" + strings.Repeat("aB3xZ9", 6)
	bob := s.As(t, "bob")
	bob.Post("/api/knowledge/ingest", m{"documents": []m{{
		"documentId": "router", "sourcePath": "router.md", "content": "# Router\n\nThe router wants a login before it is set up. The token is " + token + " and\n\npassword: hunter2\n\nIt restarts at night.\n",
	}}}).OK(t)
	r := bob.Post("/api/knowledge/query", m{"query": "router login password: hunter2", "queryBackend": "local_vector", "topK": 3}).OK(t)
	id, _ := r.At("data.items.0.atom.id").(string)
	bob.Post(tutorPath, m{"atomId": id, "answer": "It wants the token " + token}).OK(t)
	mu.Lock()
	defer mu.Unlock()
	if text := seen.String(); !strings.Contains(text, "outer") || !strings.Contains(text, "REDACTED") || strings.Contains(text, token) || strings.Contains(text, "hunter2") {
		t.Errorf("a model saw: %s", text)
	}
}

package httpapi_test

import (
	"strings"
	"testing"

	"stoa/internal/apitest"
)

const samplePath = "/api/knowledge/sample"

// Somebody without notes tries the sample vault, in their language, and takes it out again; their own notes stay.
func TestTheSampleVaultComesAndGoes(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		ada.Post("/api/knowledge/ingest", m{"documents": []m{{"documentId": "mine", "sourcePath": "Mine.md", "content": "A note of my own about the tides and the moon, which pulls the water of the sea.\n"}}}).OK(t)
		before := mustText(t, ada.Get("/api/knowledge/documents").OK(t).At("data.documents"))
		want(t, ada.Post(samplePath, m{"locale": "ja-JP"}).OK(t), m{"data.notes": 7})
		want(t, ada.Post(samplePath, m{"locale": "ja-JP"}).OK(t), m{"data.notes": 0})
		graph := mustText(t, ada.Get("/api/knowledge/graph").OK(t).At("data.nodes"))
		if !strings.Contains(graph, "忘却曲線") || !strings.Contains(graph, "Mine") {
			t.Errorf("the graph: %s", graph)
		}
		want(t, ada.Get(notePath+"?documentId=sample-ja-忘却曲線").OK(t), m{"data.sourcePath": "サンプルのノート/忘却曲線.md"})
		picture := mediaPath + "?name=vault:サンプルのノート/curve.png"
		ada.Get(picture).OK(t)

		want(t, ada.Post(samplePath+"/remove", m{}).OK(t), m{"data.notes": 7})
		want(t, ada.Post(samplePath+"/remove", m{}).OK(t), m{"data.notes": 0})
		ada.Get(picture).Want(t, 404, "not_found")
		if after := mustText(t, ada.Get("/api/knowledge/documents").OK(t).At("data.documents")); after != before {
			t.Errorf("the member's own notes were\n%s\nand are\n%s", before, after)
		}
	})
}

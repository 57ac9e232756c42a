package graph

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/learning/notes"
)

func TestConcepts(t *testing.T) {
	for name, files := range map[string][]ConceptFile{
		"two files": {{"c.csv", []byte("concept,title,hours\nring,Ring,2\ngroup,Group,1\n")}, {"e.csv", []byte("concept,prerequisite,reason\nring,group,\"a ring, added\"\n")}},
		"source":    {{"e.csv", []byte("source,target,confidence\nGroup,Ring,0.8\n")}},
		"pairs":     {{"x.preqs", []byte("Ring,Group\n")}},
		"tabs":      {{"x.tsv", []byte("from\tto\nGroup\tRing\n")}},
		"json":      {{"g.json", []byte(`{"nodes":[{"id":1,"label":"Group"},{"id":2,"label":"Ring"}],"links":[{"source":1,"target":2,"confidence":0.8}]}`)}},
		"json list": {{"g.json", []byte(`[{"concept":"Ring","prerequisites":["Group"]},{"concept":"Group"}]`)}},
	} {
		docs, err := Concepts("g", files)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		l := Open("o", nil, nil)
		c := l.Ingest(Batch{At: now, Documents: docs})
		want(t, l, notes.Prerequisite, "Group > Ring fact")
		if len(c.Spans) == 0 || len(c.Edges) != 1 || (name == "source" || name == "json") != (c.Edges[0].Confidence == 0.8) {
			t.Errorf("%s: %+v", name, c.Edges)
		}
		if again := l.Ingest(Batch{At: now, Documents: docs}); again.Summary.Changed != 0 {
			t.Errorf("%s: ingested again: %+v", name, again.Summary)
		}
	}
	for _, bad := range []string{"source,target,confidence\na,b,high\n", "x,y,z\n1,2,3\n", "{\"nodes\":7}", "source,target,confidence\na,b,NaN\n"} {
		if _, err := Concepts("g", []ConceptFile{{"f", []byte(bad)}}); err == nil || strings.Contains(err.Error(), "high") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestGivenConcepts(t *testing.T) {
	read := func(name string) ConceptFile {
		content, err := os.ReadFile(filepath.Join(shared, "prereq", name))
		if err != nil {
			t.Skip("the given concept graphs are not at hand: ", err)
		}
		return ConceptFile{name, content}
	}
	docs, err := Concepts("metacademy", []ConceptFile{read("metacademy_concepts.csv"), read("metacademy_edges.csv")})
	if err != nil {
		t.Fatal(err)
	}
	l := Open("o", nil, nil)
	c := l.Ingest(Batch{At: now, Documents: docs})
	if len(docs) != 393 || len(relations(l, notes.Prerequisite)) != 967 || len(c.Cycles) != 0 {
		t.Errorf("metacademy: %d concepts, %d edges, %d cycles", len(docs), len(relations(l, notes.Prerequisite)), len(c.Cycles))
	}
	positive := 0
	for _, domain := range []string{"data_mining", "geometry", "physics", "precalculus"} {
		docs, err := Concepts(domain, []ConceptFile{read("al-cpl/data/" + domain + ".preqs")})
		if err != nil {
			t.Fatal(err)
		}
		l := Open("o", nil, nil)
		l.Ingest(Batch{At: now, Documents: docs})
		positive += len(relations(l, notes.Prerequisite))
	}
	if positive != 2002 {
		t.Errorf("AL-CPL: %d prerequisites", positive)
	}
}

func FuzzConcepts(f *testing.F) {
	f.Add("source,target,confidence\na,b,0.5\n")
	f.Add(`{"nodes":[{"id":{"id":1}}],"edges":[{"source":1,"target":"1","weight":1}]}`)
	f.Add("a,b\n\"c\nd\",e")
	f.Fuzz(func(t *testing.T, text string) {
		docs, err := Concepts("g", []ConceptFile{{"f.csv", []byte(text)}})
		if err != nil {
			return
		}
		for _, d := range docs {
			for _, l := range d.Given().Links {
				if l.Span.Start < 0 || l.Span.End < l.Span.Start || l.Span.End > len(text) {
					t.Fatalf("span %+v of %d bytes", l.Span, len(text))
				}
			}
		}
		Open("o", nil, nil).Ingest(Batch{At: now, Documents: docs})
	})
}

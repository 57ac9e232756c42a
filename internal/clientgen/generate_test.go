package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa/api"
)

// What is in the tree is what the contract says today.
func TestGeneratedFilesAreNew(t *testing.T) {
	files, err := generate(api.YAML)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the contract says (%v): go run ./internal/clientgen", name, err)
		}
	}
}

// A type is beside the operations that need it, and no file is left from before.
func TestFilesOfTags(t *testing.T) {
	files, err := generate(api.YAML)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(files[contractDir+"school.go"], []byte("\ntype LearningPath struct")); n != 1 {
		t.Errorf("LearningPath is %d times among what only the school answers", n)
	}
	there, err := filepath.Glob(filepath.Join("..", "..", contractDir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		code, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if name := contractDir + filepath.Base(path); bytes.HasPrefix(code, []byte(header)) && files[name] == nil {
			t.Errorf("%s is generated no more: delete it", name)
		}
	}
}

// Every operation is in the client: by a generated method, or by hand where files go in or out.
func TestEveryOperationIsInTheClient(t *testing.T) {
	files, err := generate(api.YAML)
	if err != nil {
		t.Fatal(err)
	}
	var made, byHand []byte
	for _, code := range files {
		made = append(made, code...)
	}
	sources, err := filepath.Glob(filepath.Join("..", "..", "client", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range sources {
		code, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		byHand = append(byHand, code...)
	}
	g := generator{}
	if err := g.read(api.YAML); err != nil {
		t.Fatal(err)
	}
	for path, item := range g.doc.at("paths") {
		for _, op := range asNode(item) {
			id := asNode(op).text("operationId")
			generated := strings.Contains(string(made), ") "+exported(id)+"(")
			if written := strings.Contains(string(byHand), `"`+path); !generated && !written {
				t.Errorf("%s (%s) is in neither", id, path)
			}
		}
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"listTemplates": "ListTemplates", "user_id": "UserID", "queryP95Ms": "QueryP95Ms", "atomId": "AtomID", "getUICapabilities": "GetUICapabilities", "import_id": "ImportID", "2xx": "N2xx",
	} {
		if got := exported(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

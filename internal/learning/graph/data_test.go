package graph

import (
	"archive/tar"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const shared = "/work/shared/data"

// vault reads the notes of an archive of the given data, or skips the test where it is not at hand.
func vault(t testing.TB, name string) []Document {
	t.Helper()
	f, err := os.Open(filepath.Join(shared, "vault", name+".tar.gz"))
	if err != nil {
		t.Skip("the given vaults are not at hand: ", err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var docs []Document
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return docs
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(h.Name, ".md") {
			continue
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, Document{Path: h.Name, Content: string(content)})
	}
}

// table reads a CSV of the given data.
func table(t testing.TB, name string) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join(shared, "prereq", name))
	if err != nil {
		t.Skip("the given concept graphs are not at hand: ", err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

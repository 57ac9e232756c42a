package words

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The most lines of what a newcomer reads at once. What is generated does not count.
const (
	longestFunction = 80
	longestFile     = 600
	largestPackage  = 6000
)

// No package, file or function grows past what somebody who does not know it finds their way in.
func TestSizes(t *testing.T) {
	packages := map[string]int{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil || bytes.Contains(source[:min(len(source), 500)], []byte("Code generated ")) {
			return err
		}
		lines := bytes.Count(source, []byte("\n"))
		packages[filepath.Dir(path)] += lines
		if lines > longestFile {
			t.Errorf("%s has %d lines", path, lines)
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; n > longestFunction {
				t.Errorf("%s: %s has %d lines", path, f.Name.Name, n)
			}
		}
		return nil
	})
	if err != nil || len(packages) < 100 {
		t.Fatal(len(packages), err)
	}
	for path, lines := range packages {
		if lines > largestPackage {
			t.Errorf("package %s has %d lines", path, lines)
		}
	}
}

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// fault is a change of one place of a source file.
type fault struct {
	file     string // absolute
	line     int
	what     string
	text     string // the line as it was, trimmed
	from, to int    // the bytes that are replaced
	with     string
}

// key names a fault wherever its line stands in its file.
func (f fault) key() string {
	return filepath.Base(filepath.Dir(f.file)) + "/" + filepath.Base(f.file) + ": " + f.what + ": " + f.text
}

// planted is the file with the fault.
func (f fault) planted() ([]byte, error) {
	source, err := os.ReadFile(f.file)
	if err != nil {
		return nil, err
	}
	return []byte(string(source[:f.from]) + f.with + string(source[f.to:])), nil
}

// swapped are operators that are easily mistaken for each other.
var swapped = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LAND: token.LOR, token.LOR: token.LAND, token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
}

// faultsOf lists the faults that can be planted in the files of a folder, tests and generated files left out.
func faultsOf(dir string) ([]fault, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var all []fault
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		found, err := faultsIn(file, source)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func faultsIn(file string, source []byte) ([]fault, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, parser.ParseComments)
	if err != nil || ast.IsGenerated(tree) {
		return nil, err
	}
	lines := strings.Split(string(source), "\n")
	var all []fault
	add := func(from, to token.Pos, what, with string) {
		at := set.Position(from)
		all = append(all, fault{file, at.Line, what, strings.TrimSpace(lines[at.Line-1]), at.Offset, set.Position(to).Offset, with})
	}
	text := func(n ast.Node) string {
		return string(source[set.Position(n.Pos()).Offset:set.Position(n.End()).Offset])
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.ArrayType:
			return false
		case *ast.BinaryExpr:
			if other, ok := swapped[n.Op]; ok {
				add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), fmt.Sprintf("%s for %s", other, n.Op), other.String())
			}
		case *ast.IfStmt:
			add(n.Cond.Pos(), n.Cond.End(), "condition turned round", "!("+text(n.Cond)+")")
		case *ast.BasicLit:
			if with, ok := otherNumber(n); ok {
				add(n.Pos(), n.End(), with+" for "+n.Value, with)
			}
		case *ast.Ident:
			if n.Obj == nil && (n.Name == "true" || n.Name == "false") {
				other := strconv.FormatBool(n.Name == "false")
				add(n.Pos(), n.End(), other+" for "+n.Name, other)
			}
		case *ast.ExprStmt, *ast.IncDecStmt:
			add(n.Pos(), n.End(), "statement left out", "{}")
		}
		return true
	})
	return all, nil
}

func otherNumber(n *ast.BasicLit) (string, bool) {
	switch n.Kind {
	case token.INT:
		if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
			return strconv.FormatInt(v+1, 10), true
		}
	case token.FLOAT:
		if v, err := strconv.ParseFloat(n.Value, 64); err == nil {
			return strconv.FormatFloat(v*1.25+.1, 'g', -1, 64), true
		}
	}
	return "", false
}

package graph

import (
	"os"
	"strings"
	"testing"
)

// labelled reads judgements by hand; part names the set, "" all.
func labelled(t testing.TB, file, part string) (list []NeedLabel) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		f := strings.Split(line, "\t")
		if len(f) == 4 && (part == "" || f[3] == part) {
			list = append(list, NeedLabel{f[0], f[1], f[2] == "1"})
		}
	}
	return list
}

// TestLinksAreNoPrerequisites holds what is inferred of a documentation vault against judgements by hand: of its links
// one in nine is a prerequisite, and the floor is what the issue asks.
func TestLinksAreNoPrerequisites(t *testing.T) {
	l := Open("o", nil, nil)
	l.Ingest(Batch{At: now, Documents: vault(t, "dendron-site")})
	f := l.JudgeNeeds(labelled(t, "testdata/dendron.tsv", ""))
	t.Logf("%+v", f)
	if f.Stated < 6 || f.Precision() < 0.8 || f.Reversed > 0 || f.AgainstNumbers > 0 || f.Inferred > 100 {
		t.Errorf("precision %.2f of %d, %d reversed, %d inferred in all", f.Precision(), f.Stated, f.Reversed, f.Inferred)
	}
}

// TestCues: what the words around a link say decides whether it is a prerequisite.
func TestCues(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"mere link":       {"There are notes such as [[B]] and others.", nil},
		"no words":        {"Some text about it. [[B]]", nil},
		"requires":        {"This requires [[B]] first.", []string{"B > Ax inferred"}},
		"builds on":       {"The theory builds on the older [[B]].", []string{"B > Ax inferred"}},
		"needed for":      {"It is a prerequisite for [[B]].", []string{"Ax > B inferred"}},
		"defined by":      {"An ax is a [[B]] with an inverse.", []string{"B > Ax inferred"}},
		"marked term":     {"A **thing** is a [[B]] with an inverse.", []string{"B > Ax inferred"}},
		"see also":        {"An ax is nice, see also [[B]].", nil},
		"heading":         {"Text.\n\n## See also\n\n- requires [[B]]\n", nil},
		"embed":           {"An ax is a ![[B]]", nil},
		"german":          {"Ein Ax ist ein [[B]] mit Inversen.", []string{"B > Ax inferred"}},
		"italian":         {"Questo capitolo si basa su [[B]] e altro.", []string{"B > Ax inferred"}},
		"french":          {"Ce chapitre repose sur [[B]].", []string{"B > Ax inferred"}},
		"japanese":        {"この章は[[B]]を前提とする。", []string{"B > Ax inferred"}},
		"chinese":         {"本章建立在[[B]]之上。", []string{"B > Ax inferred"}},
		"command":         {"An ax is opened using the [[B]] command.", nil},
		"against numbers": {"---\norder: 1\n---\nThis requires [[B]] first.", nil},
	} {
		l := Open("o", nil, nil)
		l.Ingest(Batch{At: now, Documents: docs("Ax.md", c.text, "B.md", "---\norder: 2\n---\nText of the other note.")})
		var got []string
		for _, e := range relations(l, "prerequisite") {
			if strings.HasSuffix(e, "inferred") {
				got = append(got, e)
			}
		}
		if strings.Join(got, ";") != strings.Join(c.want, ";") {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestApart: notes that are no subject, and index notes, take no part in prerequisites.
func TestApart(t *testing.T) {
	index := strings.Builder{}
	for _, w := range strings.Fields("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen") {
		index.WriteString("Using [[" + w + "]].\n")
	}
	for path, text := range map[string]string{
		"2024-03-01.md": "Today requires [[B]].", "changelog/9.md": "Requires the [[B]] first, as it builds on [[B]].", "people/Ada.md": "She is a [[B]]; it requires [[B]].",
		"v1.2.3.md": "It builds on [[B]].", "Everything.md": index.String() + "It is a [[B]].",
	} {
		l := Open("o", nil, nil)
		l.Ingest(Batch{At: now, Documents: docs(path, text, "B.md", "Text of the other note.", "one.md", "x")})
		for _, e := range relations(l, "prerequisite") {
			if strings.HasSuffix(e, "inferred") {
				t.Errorf("%s: %s", path, e)
			}
		}
	}
}

package ankifile

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"stoa/internal/learning/anki"
	"stoa/internal/platform/errs"
)

// database makes a package around a database that SQL wrote.
func database(t *testing.T, statements ...string) []byte {
	t.Helper()
	if err := collation(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "db")
	db, err := open(file, "_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(s, err)
		}
	}
	db.Close()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return zipped(t, "collection.anki21", string(content))
}

func zipped(t *testing.T, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		f, err := w.Create(members[i])
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(members[i+1]))
	}
	w.Close()
	return b.Bytes()
}

const col = `INSERT INTO col VALUES (1,0,0,0,11,0,0,0,'{}','{}','{}','{}','{}')`

// TestHostileDatabases: views, triggers, generated columns, virtual tables and huge values are refused or do nothing, within
// bounded memory.
func TestHostileDatabases(t *testing.T) {
	for name, c := range map[string]struct {
		statements []string
		fine       bool
		says       string
	}{
		"a view for the notes":   {statements: []string{legacyTables, col, `DROP TABLE notes`, `CREATE VIEW notes AS SELECT 1 AS id, zeroblob(1000000000) AS flds`}, says: "its notes in a plain table"},
		"a view without end":     {statements: []string{legacyTables, col, `DROP TABLE revlog`, `CREATE VIEW revlog AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i AS id FROM n`}},
		"a virtual table":        {statements: []string{legacyTables, col, `DROP TABLE notes`, `CREATE VIRTUAL TABLE notes USING fts5(id, guid, mid, mod, usn, tags, flds, sfld, csum, flags, data)`}},
		"a generated column":     {statements: []string{legacyTables, col, `DROP TABLE notes`, `CREATE TABLE notes (id integer PRIMARY KEY, guid, mid, mod, usn, tags, flds GENERATED ALWAYS AS (hex(zeroblob(20000000))), sfld, csum, flags, data)`, `INSERT INTO notes (id, guid, mid, mod, usn, tags, sfld, csum, flags, data) VALUES (1,'g',1,1,1,'','',1,0,'')`}},
		"a huge value":           {statements: []string{legacyTables, col, `INSERT INTO notes VALUES (1,'g',1,1,1,'',zeroblob(20000000),'',1,0,'')`}, says: "larger than 16 MiB"},
		"words for numbers":      {statements: []string{legacyTables, col, `INSERT INTO cards VALUES (1,'x','y','z',0,0,0,0,0,0,0,0,0,0,0,0,0,'')`}},
		"models that are a list": {statements: []string{legacyTables, `INSERT INTO col VALUES (1,0,0,0,11,0,0,0,'{}','[1]','{}','{}','{}')`}},
		"many empty fields":      {statements: []string{legacyTables, col, `INSERT INTO notes VALUES (1,'g',1,1,1,'',replace(hex(zeroblob(1500000)),'0',char(31)),'',1,0,'')`}},
		"many short tags":        {statements: []string{legacyTables, col, `INSERT INTO notes VALUES (1,'g',1,1,1,replace(hex(zeroblob(1500000)),'00','a '),'','',1,0,'')`}},
		"more cards than kinds":  {statements: []string{legacyTables, col, `INSERT INTO cards WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<2001) SELECT i,1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,'' FROM n`}},
		"large settings":         {statements: []string{legacyTables, `INSERT INTO col VALUES (1,0,0,0,11,0,0,0,'"'||hex(zeroblob(6000000))||'"','{}','{}','{}','{}')`, `INSERT INTO notes VALUES (1,'g',1,1,1,'','','',1,0,'')`}},
		"a trigger":              {statements: []string{legacyTables, col, `CREATE TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM notes; END`}, fine: true},
		"no rows":                {statements: []string{legacyTables, col}, fine: true},
	} {
		t.Run(name, func(t *testing.T) {
			file := database(t, c.statements...)
			dir := t.TempDir()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Read(context.Background(), bytes.NewReader(file), int64(len(file)), dir, Limits{Unpacked: 24 << 20, Rows: 100_000, Kinds: 2000, Text: 8 << 20, File: 1 << 20, Media: 1 << 20}, nil)
			runtime.ReadMemStats(&after)
			var refused *errs.Error
			if c.fine != (err == nil) || err != nil && !errors.As(err, &refused) {
				t.Errorf("%v", err)
			}
			if c.says != "" && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v does not say %q", err, c.says)
			}
			if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 200 {
				t.Errorf("took %d MiB", took)
			}
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestHostileMedia: names that are paths are left out, files that are too large too, a broken list is refused.
func TestHostileMedia(t *testing.T) {
	whole := write(t, &anki.Collection{Schema: 11, Models: []anki.Model{{ID: 1, Raw: []byte(`{"name":"x"}`)}}}, Legacy)
	z, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	in, err := z.Open("collection.anki2")
	if err != nil {
		t.Fatal(err)
	}
	db, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]int{}
	keep := func(name string, content io.Reader) (string, int64, error) {
		n, err := io.Copy(io.Discard, content)
		if err == nil {
			names[name] = int(n)
		}
		return name, n, err
	}
	limits := Limits{Unpacked: 4 << 20, Rows: 100, File: 1 << 20, Media: 2 << 20}
	file := zipped(t, "collection.anki2", string(db), "media", `{"0":"../../etc/passwd","1":"a/b.png","2":"good.png","3":"bomb.png","4":"/abs.png","5":"missing.png","6":"c:\\x.png"}`,
		"0", "x", "1", "x", "2", "fine", "3", strings.Repeat("\x00", 8<<20), "4", "x", "6", "x", "../../evil", "x")
	c, err := Read(context.Background(), bytes.NewReader(file), int64(len(file)), t.TempDir(), limits, keep)
	if err != nil || len(names) != 1 || names["good.png"] != 4 || len(c.Media) != 1 {
		t.Errorf("%v %v %v", err, names, c.Media)
	}
	for name, list := range map[string]string{"no JSON": "{", "a list": "[1]"} {
		file := zipped(t, "collection.anki2", string(db), "media", list)
		var refused *errs.Error
		if _, err := Read(context.Background(), bytes.NewReader(file), int64(len(file)), t.TempDir(), limits, keep); !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTextsOfAnyBytes: what Anki never writes, no UTF-8 and NUL, is read as text that every store takes.
func TestTextsOfAnyBytes(t *testing.T) {
	file := database(t, legacyTables, col, `INSERT INTO notes VALUES (1,'g',1,1,1,'',cast(x'61fffe801f620063' AS text),'',1,0,'')`)
	c, err := Read(context.Background(), bytes.NewReader(file), int64(len(file)), t.TempDir(), Default, nil)
	if err != nil || len(c.Notes) != 1 {
		t.Fatal(err, len(c.Notes))
	}
	if got := strings.Join(c.Notes[0].Fields, "|"); got != "a\uFFFD|b\uFFFDc" {
		t.Errorf("%q", got)
	}
}

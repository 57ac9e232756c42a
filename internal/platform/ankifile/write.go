package ankifile

import (
	"archive/zip"
	"context"
	"crypto/sha1" //nolint:gosec // Anki's check sum of a first field; it protects nothing
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"stoa/internal/learning/anki"
)

// Format is a way to write a collection.
type Format int

// The formats. Every Anki since 2.1 reads Legacy; Modern needs 2.1.50.
const (
	Legacy Format = iota // collection.anki21, and the same as collection.anki2 for other programs
	Modern               // collection.anki21b
)

// Write writes a collection as .apkg. It works in a folder of its own below dir and leaves nothing there.
func Write(ctx context.Context, w io.Writer, c anki.Collection, f Format, dir string) error {
	if err := collation(); err != nil {
		return fmt.Errorf("register collation: %w", err)
	}
	work, err := os.MkdirTemp(dir, "anki-")
	if err != nil {
		return fmt.Errorf("write Anki package: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	file := filepath.Join(work, "collection")
	if err := fill(ctx, file, c, f); err != nil {
		return fmt.Errorf("write Anki package: %w", err)
	}
	z := zip.NewWriter(w)
	if f == Modern {
		err = modernMembers(ctx, z, file, work)
	} else {
		for _, name := range []string{"collection.anki21", "collection.anki2"} {
			if err == nil {
				err = member(z, name, file, false)
			}
		}
		if err == nil {
			err = bytesMember(z, "meta", message{}.num(1, 2))
		}
		if err == nil {
			err = bytesMember(z, "media", []byte("{}"))
		}
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return fmt.Errorf("write Anki package: %w", err)
	}
	return nil
}

// modernMembers writes the newer archive: beside the collection a small old one, with a card that asks to update Anki, as
// older versions expect to find one.
func modernMembers(ctx context.Context, z *zip.Writer, file, work string) error {
	if err := member(z, "collection.anki21b", file, true); err != nil {
		return err
	}
	at := time.Unix(1_600_000_000, 0).UTC()
	notice := anki.Build([]anki.Item{{AtomID: "update", Deck: "Default", Front: "Please update to Anki 2.1.50 or newer, then import this file again.", Created: at}}, at)
	small := filepath.Join(work, "notice")
	if err := fill(ctx, small, notice, Legacy); err != nil {
		return err
	}
	if err := member(z, "collection.anki2", small, false); err != nil {
		return err
	}
	if err := bytesMember(z, "meta", message{}.num(1, 3)); err != nil {
		return err
	}
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		return err
	}
	defer func() { _ = encoder.Close() }()
	return bytesMember(z, "media", encoder.EncodeAll(nil, nil))
}

func member(z *zip.Writer, name, file string, compressed bool) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	method := zip.Deflate
	if compressed {
		method = zip.Store
	}
	out, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
	if err != nil {
		return err
	}
	if !compressed {
		_, err = io.Copy(out, in)
		return err
	}
	encoder, err := zstd.NewWriter(out)
	if err != nil {
		return err
	}
	if _, err := io.Copy(encoder, in); err != nil {
		return err
	}
	return encoder.Close()
}

func bytesMember(z *zip.Writer, name string, content []byte) error {
	out, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	if err != nil {
		return err
	}
	_, err = out.Write(content)
	return err
}

// fill makes the database.
func fill(ctx context.Context, file string, c anki.Collection, f Format) error {
	db, err := open(file, "_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	tables := legacyTables
	if f == Modern {
		tables = modernTables
	}
	if _, err := db.ExecContext(ctx, tables); err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if f == Modern {
		err = modernRows(ctx, tx, c)
	} else {
		err = legacyRow(ctx, tx, c)
	}
	if err != nil {
		return err
	}
	if err := sharedRows(ctx, tx, c); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	return db.Close()
}

func sharedRows(ctx context.Context, tx *sql.Tx, c anki.Collection) error {
	err := insert(ctx, tx, `INSERT INTO notes VALUES (?,?,?,?,?,?,?,?,?,?,?)`, len(c.Notes), func(i int) []any {
		n := &c.Notes[i]
		first := ""
		if len(n.Fields) > 0 {
			first = anki.Plain(n.Fields[0])
		}
		tags := ""
		if len(n.Tags) > 0 {
			tags = " " + strings.Join(n.Tags, " ") + " "
		}
		sum := sha1.Sum([]byte(first)) //nolint:gosec // see the import
		return []any{n.ID, n.GUID, n.Model, n.Modified, n.USN, tags, strings.Join(n.Fields, "\x1f"), first, int64(binary.BigEndian.Uint32(sum[:4])), n.Flags, n.Data}
	})
	if err != nil {
		return err
	}
	err = insert(ctx, tx, `INSERT INTO cards VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`, len(c.Cards), func(i int) []any {
		k := &c.Cards[i]
		return []any{k.ID, k.Note, k.Deck, k.Ord, k.Modified, k.USN, k.Type, k.Queue, k.Due, k.Interval, k.Factor, k.Reps, k.Lapses, k.Left, k.OriginalDue, k.OriginalDeck, k.Flags, k.Data}
	})
	if err != nil {
		return err
	}
	return insert(ctx, tx, `INSERT INTO revlog VALUES (?,?,?,?,?,?,?,?,?)`, len(c.Reviews), func(i int) []any {
		r := &c.Reviews[i]
		return []any{r.ID, r.Card, r.USN, r.Ease, r.Interval, r.LastInterval, r.Factor, r.Millis, r.Type}
	})
}

func insert(ctx context.Context, tx *sql.Tx, query string, n int, row func(int) []any) error {
	statement, err := tx.PrepareContext(ctx, query)
	if err != nil {
		return err
	}
	defer statement.Close()
	for i := range n {
		if _, err := statement.ExecContext(ctx, row(i)...); err != nil {
			return err
		}
	}
	return nil
}

// legacyRow writes the one row of col, which holds note types and decks as JSON.
func legacyRow(ctx context.Context, tx *sql.Tx, c anki.Collection) error {
	models := map[string]any{}
	for i := range c.Models {
		m := &c.Models[i]
		if len(m.Raw) > 0 {
			models[strconv.FormatInt(m.ID, 10)] = m.Raw
			continue
		}
		models[strconv.FormatInt(m.ID, 10)] = legacyModelOf(m, c.Created.Unix())
	}
	decks := map[string]any{"1": legacyDeck(1, "Default")}
	for _, d := range c.Decks {
		decks[strconv.FormatInt(d.ID, 10)] = legacyDeck(d.ID, d.Name)
	}
	config := map[string]any{"curDeck": 1, "activeDecks": []int{1}, "newSpread": 0, "collapseTime": 1200, "timeLim": 0, "estTimes": true, "dueCounts": true, "nextPos": len(c.Notes) + 1, "sortType": "noteFld", "sortBackwards": false, "addToCur": true, "schedVer": 2}
	options := map[string]any{"1": map[string]any{
		"id": 1, "name": "Default", "mod": 0, "usn": 0, "maxTaken": 60, "autoplay": true, "timer": 0, "replayq": true, "dyn": false,
		"new":   map[string]any{"bury": false, "delays": []int{1, 10}, "initialFactor": 2500, "ints": []int{1, 4, 0}, "order": 1, "perDay": 20},
		"rev":   map[string]any{"bury": false, "ease4": 1.3, "ivlFct": 1, "maxIvl": 36500, "perDay": 200, "hardFactor": 1.2},
		"lapse": map[string]any{"delays": []int{10}, "leechAction": 1, "leechFails": 8, "minInt": 1, "mult": 0},
	}}
	var texts [4]string
	for i, v := range []any{config, models, decks, options} {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		texts[i] = string(text)
	}
	modified := c.Created.UnixMilli()
	_, err := tx.ExecContext(ctx, `INSERT INTO col VALUES (1,?,?,?,11,0,0,0,?,?,?,?,'{}')`, c.Created.Unix(), modified, modified, texts[0], texts[1], texts[2], texts[3])
	return err
}

func legacyDeck(id int64, name string) map[string]any {
	today := []int{0, 0}
	return map[string]any{"id": id, "name": name, "mod": 0, "usn": 0, "collapsed": false, "browserCollapsed": false, "desc": "", "dyn": 0, "conf": 1, "extendNew": 0, "extendRev": 0, "newToday": today, "revToday": today, "lrnToday": today, "timeToday": today}
}

func legacyModelOf(m *anki.Model, modified int64) map[string]any {
	fields, templates, required := []any{}, []any{}, []any{}
	for i, name := range m.Fields {
		fields = append(fields, map[string]any{"name": name, "ord": i, "sticky": false, "rtl": false, "font": "Arial", "size": 20, "media": []int{}})
	}
	for i, t := range m.Templates {
		templates = append(templates, map[string]any{"name": t.Name, "ord": i, "qfmt": t.Front, "afmt": t.Back, "bqfmt": "", "bafmt": "", "did": nil})
		required = append(required, []any{i, "any", []int{0}})
	}
	kind := 0
	if m.Cloze {
		kind = 1
	}
	return map[string]any{
		"id": m.ID, "name": m.Name, "type": kind, "mod": modified, "usn": -1, "sortf": 0, "did": 1, "tmpls": templates, "flds": fields, "css": m.CSS, "req": required, "tags": []int{}, "vers": []int{},
		"latexPre": "\\documentclass[12pt]{article}\n\\begin{document}\n", "latexPost": "\\end{document}",
	}
}

// modernRows writes note types and decks as the messages of schema 18.
func modernRows(ctx context.Context, tx *sql.Tx, c anki.Collection) error {
	created, modified := c.Created.Unix(), c.Created.UnixMilli()
	if _, err := tx.ExecContext(ctx, `INSERT INTO col VALUES (1,?,?,?,18,0,0,0,'','','','','')`, created, modified, modified); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO deck_config VALUES (1,'Default',0,0,?)`, []byte{}); err != nil {
		return err
	}
	names := map[string]bool{}
	distinct := func(name string, id int64) string { // names are unique in this schema
		if folded := strings.ToLower(name); names[folded] || name == "" {
			name = strings.TrimSpace(fmt.Sprintf("%s %d", name, id))
		}
		names[strings.ToLower(name)] = true
		return name
	}
	for i := range c.Models {
		m := &c.Models[i]
		config := message{}
		if m.Cloze {
			config = config.num(1, 1)
		}
		config = config.text(3, m.CSS).text(5, "\\documentclass[12pt]{article}\n\\begin{document}\n").text(6, "\\end{document}")
		if _, err := tx.ExecContext(ctx, `INSERT INTO notetypes VALUES (?,?,?,-1,?)`, m.ID, distinct(m.Name, m.ID), created, []byte(config)); err != nil {
			return err
		}
		for ord, name := range m.Fields {
			if _, err := tx.ExecContext(ctx, `INSERT INTO fields VALUES (?,?,?,?)`, m.ID, ord, name, []byte(message{}.text(3, "Arial").num(4, 20))); err != nil {
				return err
			}
		}
		for ord, t := range m.Templates {
			if _, err := tx.ExecContext(ctx, `INSERT INTO templates VALUES (?,?,?,?,-1,?)`, m.ID, ord, t.Name, created, []byte(message{}.text(1, t.Front).text(2, t.Back))); err != nil {
				return err
			}
		}
	}
	names = map[string]bool{}
	decks := c.Decks
	if len(decks) == 0 || decks[0].ID != 1 {
		decks = append([]anki.Deck{{ID: 1, Name: "Default"}}, decks...)
	}
	for _, d := range decks {
		kind := message{}.inner(1, message{}.num(1, 1)) // a normal deck with the options of number 1
		if _, err := tx.ExecContext(ctx, `INSERT INTO decks VALUES (?,?,?,-1,?,?)`, d.ID, distinct(strings.ReplaceAll(d.Name, "::", "\x1f"), d.ID), created, []byte{}, []byte(kind)); err != nil {
			return err
		}
	}
	tags := map[string]bool{}
	for i := range c.Notes {
		for _, tag := range c.Notes[i].Tags {
			if folded := strings.ToLower(tag); !tags[folded] {
				tags[folded] = true
				if _, err := tx.ExecContext(ctx, `INSERT INTO tags VALUES (?,-1,0,NULL)`, tag); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

package ankifile

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	sqlite "modernc.org/sqlite"

	"stoa/internal/learning/anki"
	"stoa/internal/platform/errs"
)

// collation registers the comparison that Anki's newer schema names for its titles, once for the process.
var collation = sync.OnceValue(func() error {
	return sqlite.RegisterCollationUtf8("unicase", func(a, b string) int {
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	})
})

// Read gives the collection of an .apkg or .colpkg of size bytes. It works in a folder of its own below dir and leaves
// nothing there. What is wrong with the file is an *errs.Error without any of its bytes.
func Read(ctx context.Context, r io.ReaderAt, size int64, dir string, limits Limits) (c anki.Collection, err error) {
	if err := collation(); err != nil {
		return c, fmt.Errorf("register collation: %w", err)
	}
	work, err := os.MkdirTemp(dir, "anki-")
	if err != nil {
		return c, fmt.Errorf("read Anki package: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	file := filepath.Join(work, "collection")
	if _, err := unpack(r, size, file, limits); err != nil {
		return c, err
	}
	db, err := open(file, "mode=ro&immutable=1&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=query_only(1)")
	if err != nil {
		return c, err
	}
	defer func() { _ = db.Close() }()
	if err := read(ctx, db, &c, limits); err != nil {
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		if refused := (*errs.Error)(nil); errors.As(err, &refused) {
			return c, err
		}
		return c, errs.Wrap(errs.InvalidRequest, "the collection in this Anki package cannot be read", err)
	}
	return c, nil
}

func open(file, options string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: file}).EscapedPath()+"?"+options)
	if err != nil {
		return nil, fmt.Errorf("open collection: %w", err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// read takes what we keep out of either schema.
func read(ctx context.Context, db *sql.DB, c *anki.Collection, limits Limits) error {
	tables := map[string]bool{}
	err := each(ctx, db, 10_000, `SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')`, func(scan func(...any) error) error {
		var name, kind string
		if err := scan(&name, &kind); err != nil {
			return err
		}
		tables[name] = kind == "table"
		return nil
	})
	if err != nil {
		return err
	}
	for _, need := range []string{"col", "notes", "cards", "revlog"} {
		if !tables[need] {
			return errs.New(errs.InvalidRequest, "the collection in this Anki package is of no version we know")
		}
	}
	var created int64
	var models, decks string
	if err := db.QueryRowContext(ctx, `SELECT crt, models, decks FROM col LIMIT 1`).Scan(&created, &models, &decks); err != nil {
		return err
	}
	c.Created = time.Unix(created, 0).UTC()
	if tables["notetypes"] && tables["fields"] && tables["templates"] && tables["decks"] {
		err = modern(ctx, db, c)
	} else {
		err = legacy(models, decks, c)
	}
	if err != nil {
		return err
	}
	err = each(ctx, db, limits.Rows, `SELECT id, guid, mid, mod, usn, tags, flds, flags, data FROM notes ORDER BY id`, func(scan func(...any) error) error {
		var n anki.Note
		var tags, fields string
		if err := scan(&n.ID, text{&n.GUID}, &n.Model, &n.Modified, &n.USN, text{&tags}, text{&fields}, &n.Flags, text{&n.Data}); err != nil {
			return err
		}
		n.Tags, n.Fields = strings.Fields(tags), strings.Split(fields, "\x1f")
		c.Notes = append(c.Notes, n)
		return nil
	})
	if err != nil {
		return err
	}
	err = each(ctx, db, limits.Rows, `SELECT id, nid, did, ord, mod, usn, type, queue, due, ivl, factor, reps, lapses, left, odue, odid, flags, data FROM cards ORDER BY id`, func(scan func(...any) error) error {
		var k anki.Card
		if err := scan(&k.ID, &k.Note, &k.Deck, &k.Ord, &k.Modified, &k.USN, &k.Type, &k.Queue, &k.Due, &k.Interval, &k.Factor, &k.Reps, &k.Lapses, &k.Left, &k.OriginalDue, &k.OriginalDeck, &k.Flags, text{&k.Data}); err != nil {
			return err
		}
		c.Cards = append(c.Cards, k)
		return nil
	})
	if err != nil {
		return err
	}
	return each(ctx, db, limits.Rows, `SELECT id, cid, usn, ease, ivl, lastIvl, factor, time, type FROM revlog ORDER BY id`, func(scan func(...any) error) error {
		var r anki.Review
		if err := scan(&r.ID, &r.Card, &r.USN, &r.Ease, &r.Interval, &r.LastInterval, &r.Factor, &r.Millis, &r.Type); err != nil {
			return err
		}
		c.Reviews = append(c.Reviews, r)
		return nil
	})
}

// each calls f for every row of a query, of which there may be limit.
func each(ctx context.Context, db *sql.DB, limit int64, query string, f func(scan func(...any) error) error) error {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for n := int64(0); rows.Next(); n++ {
		if n >= limit {
			return errs.New(errs.PackageTooLarge, "the collection in this Anki package has too many rows")
		}
		if err := f(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// text takes a column that may be of any type, or no value, as text.
type text struct{ to *string }

// Scan implements sql.Scanner.
func (t text) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*t.to = ""
	case string:
		*t.to = v
	case []byte:
		*t.to = string(v)
	default:
		*t.to = fmt.Sprint(v)
	}
	return nil
}

type legacyModel struct {
	Name string `json:"name"`
	Type int    `json:"type"`
	CSS  string `json:"css"`
	Flds []struct {
		Name string `json:"name"`
		Ord  int    `json:"ord"`
	} `json:"flds"`
	Tmpls []struct {
		Name string `json:"name"`
		Qfmt string `json:"qfmt"`
		Afmt string `json:"afmt"`
		Ord  int    `json:"ord"`
	} `json:"tmpls"`
}

// legacy reads note types and decks out of the JSON of schema 11.
func legacy(models, decks string, c *anki.Collection) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte(models), &raw); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	for key, one := range raw {
		id, err := strconv.ParseInt(key, 10, 64)
		if err != nil {
			continue
		}
		var m legacyModel
		if err := json.Unmarshal(one, &m); err != nil {
			return fmt.Errorf("models: %w", err)
		}
		slices.SortStableFunc(m.Flds, func(a, b struct {
			Name string `json:"name"`
			Ord  int    `json:"ord"`
		},
		) int {
			return a.Ord - b.Ord
		})
		model := anki.Model{ID: id, Name: m.Name, CSS: m.CSS, Cloze: m.Type == 1, Raw: one}
		for _, f := range m.Flds {
			model.Fields = append(model.Fields, f.Name)
		}
		for _, t := range m.Tmpls {
			model.Templates = append(model.Templates, anki.Template{Name: t.Name, Front: t.Qfmt, Back: t.Afmt})
		}
		c.Models = append(c.Models, model)
	}
	slices.SortFunc(c.Models, func(a, b anki.Model) int { return int(a.ID - b.ID) })
	var list map[string]struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal([]byte(decks), &list); err != nil {
		return fmt.Errorf("decks: %w", err)
	}
	for key, d := range list {
		if id, err := strconv.ParseInt(key, 10, 64); err == nil {
			c.Decks = append(c.Decks, anki.Deck{ID: id, Name: d.Name})
		}
	}
	slices.SortFunc(c.Decks, func(a, b anki.Deck) int { return int(a.ID - b.ID) })
	return nil
}

// modern reads note types and decks out of the tables of schema 18.
func modern(ctx context.Context, db *sql.DB, c *anki.Collection) error {
	const many = 100_000
	at := map[int64]int{}
	err := each(ctx, db, many, `SELECT id, name, config FROM notetypes ORDER BY id`, func(scan func(...any) error) error {
		var m anki.Model
		var config []byte
		if err := scan(&m.ID, text{&m.Name}, &config); err != nil {
			return err
		}
		for number, value := range fields(config) {
			switch number {
			case 1:
				m.Cloze = value.number == 1
			case 3:
				m.CSS = string(value.bytes)
			}
		}
		at[m.ID] = len(c.Models)
		c.Models = append(c.Models, m)
		return nil
	})
	if err != nil {
		return err
	}
	err = each(ctx, db, many, `SELECT ntid, name FROM fields ORDER BY ntid, ord`, func(scan func(...any) error) error {
		var id int64
		var name string
		if err := scan(&id, text{&name}); err != nil {
			return err
		}
		if i, ok := at[id]; ok {
			c.Models[i].Fields = append(c.Models[i].Fields, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = each(ctx, db, many, `SELECT ntid, name, config FROM templates ORDER BY ntid, ord`, func(scan func(...any) error) error {
		var id int64
		var t anki.Template
		var config []byte
		if err := scan(&id, text{&t.Name}, &config); err != nil {
			return err
		}
		for number, value := range fields(config) {
			switch number {
			case 1:
				t.Front = string(value.bytes)
			case 2:
				t.Back = string(value.bytes)
			}
		}
		if i, ok := at[id]; ok {
			c.Models[i].Templates = append(c.Models[i].Templates, t)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return each(ctx, db, many, `SELECT id, name FROM decks ORDER BY id`, func(scan func(...any) error) error {
		var d anki.Deck
		if err := scan(&d.ID, text{&d.Name}); err != nil {
			return err
		}
		d.Name = strings.ReplaceAll(d.Name, "\x1f", "::")
		c.Decks = append(c.Decks, d)
		return nil
	})
}

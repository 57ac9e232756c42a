package ankifile

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	sqlite "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"stoa/internal/learning/anki"
	"stoa/internal/platform/errs"
)

// collation registers the comparison that Anki's newer schema names for its titles, once for the process.
var collation = sync.OnceValue(func() error {
	return sqlite.RegisterCollationUtf8("unicase", func(a, b string) int {
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	})
})

// Keep is given every picture and sound of a package, with its name. It returns where the bytes are kept; "" leaves them
// out.
type Keep func(name string, content io.Reader) (digest string, size int64, err error)

// Read gives the collection of an .apkg or .colpkg of size bytes. It works in a folder of its own below dir and leaves
// nothing there. What is wrong with the file is an *errs.Error without any of its bytes. Without keep, media are left out.
func Read(ctx context.Context, r io.ReaderAt, size int64, dir string, limits Limits, keep Keep) (c anki.Collection, err error) {
	if err := collation(); err != nil {
		return c, fmt.Errorf("register collation: %w", err)
	}
	work, err := os.MkdirTemp(dir, "anki-")
	if err != nil {
		return c, fmt.Errorf("read Anki package: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	file := filepath.Join(work, "collection")
	z, err := unpack(r, size, file, limits)
	if err != nil {
		return c, err
	}
	db, err := open(file, "mode=ro&immutable=1&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=query_only(1)&_pragma=temp_store(2)")
	if err != nil {
		return c, err
	}
	defer func() { _ = db.Close() }()
	conn, err := bound(ctx, db)
	if err == nil {
		defer func() { _ = conn.Close() }()
		in := reader{ctx: ctx, db: conn, limits: limits, bytes: cmp.Or(limits.Text, limits.Unpacked), c: &c}
		err = in.all()
	}
	if err == nil && keep != nil {
		c.Media, err = z.media(ctx, limits, keep)
	}
	if err != nil {
		if ctx.Err() != nil {
			return c, ctx.Err()
		}
		if refused := (*errs.Error)(nil); errors.As(err, &refused) {
			return c, err
		}
		if broken := (*sqlite.Error)(nil); errors.As(err, &broken) && broken.Code()&0xff == lib.SQLITE_TOOBIG {
			return c, errs.Newf(errs.PackageTooLarge, "a field in this Anki package is larger than %d MiB", longestCell>>20)
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

// longestCell bounds a value of the database, in bytes.
const longestCell = 16 << 20

// bound gives the one connection to a stranger's database, with SQLite's own limits on what it may make us hold.
func bound(ctx context.Context, db *sql.DB) (*sql.Conn, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	for id, most := range map[int]int{lib.SQLITE_LIMIT_LENGTH: longestCell, lib.SQLITE_LIMIT_SQL_LENGTH: 1 << 20, lib.SQLITE_LIMIT_COLUMN: 100, lib.SQLITE_LIMIT_ATTACHED: 0, lib.SQLITE_LIMIT_TRIGGER_DEPTH: 0} {
		if _, err := sqlite.Limit(conn, id, most); err != nil {
			_ = conn.Close()
			return nil, err
		}
	}
	return conn, nil
}

// reader takes what we keep out of either schema.
type reader struct {
	ctx    context.Context
	db     *sql.Conn
	limits Limits
	bytes  int64 // that may still be read: rows of a broken file may share their pages
	c      *anki.Collection
}

func (in *reader) all() error {
	tables := map[string]bool{}
	err := in.each(10_000, `SELECT name, type, COALESCE(sql, '') FROM sqlite_master WHERE type IN ('table', 'view')`, func(scan func(...any) error) error {
		var name, kind, made string
		if err := scan(text{&name}, text{&kind}, text{&made}); err != nil {
			return err
		}
		made = strings.ToUpper(made)
		tables[name] = kind == "table" && !strings.Contains(made, "VIRTUAL") && !strings.Contains(made, "GENERATED") && !strings.Contains(made, " AS (") && !strings.Contains(made, " AS(")
		return nil
	})
	if err != nil {
		return err
	}
	for _, need := range []string{"col", "notes", "cards", "revlog"} {
		if plain, there := tables[need]; there && !plain {
			return errs.Newf(errs.InvalidRequest, "the collection in this Anki package does not keep its %s in a plain table, as Anki does", need)
		} else if !there {
			return errs.New(errs.InvalidRequest, "the collection in this Anki package is of no version we know")
		}
	}
	if tables["notetypes"] && tables["fields"] && tables["templates"] && tables["decks"] && tables["deck_config"] && tables["config"] && tables["tags"] {
		err = in.modern()
	} else {
		err = in.legacy()
	}
	if err == nil && tables["graves"] {
		err = in.each(in.limits.kinds(), `SELECT oid, type, usn FROM graves ORDER BY oid, type`, func(scan func(...any) error) error {
			var g anki.Grave
			err := scan(&g.ID, &g.Type, &g.USN)
			in.c.Graves = append(in.c.Graves, g)
			return err
		})
	}
	if err != nil {
		return err
	}
	return in.rows()
}

// rows reads the tables that both schemas have.
func (in *reader) rows() error {
	c := in.c
	err := in.each(in.limits.kinds(), `SELECT id, guid, mid, mod, usn, tags, flds, sfld, csum, flags, data FROM notes ORDER BY id`, func(scan func(...any) error) error {
		var n anki.Note
		var tags, fields string
		if err := scan(&n.ID, text{&n.GUID}, &n.Model, &n.Modified, &n.USN, text{&tags}, text{&fields}, text{&n.Sort}, &n.Checksum, &n.Flags, text{&n.Data}); err != nil {
			return err
		}
		in.bytes -= int64(len(tags) + len(fields) + len(n.Sort) + len(n.Data) + len(n.GUID))
		if in.bytes -= wordBytes * int64(len(tags)/2+strings.Count(fields, "\x1f")); in.bytes < 0 {
			return errLarge
		}
		n.Tags, n.Fields = strings.Fields(tags), strings.Split(fields, "\x1f")
		c.Notes = append(c.Notes, n)
		return nil
	})
	if err != nil {
		return err
	}
	err = in.each(in.limits.kinds(), `SELECT id, nid, did, ord, mod, usn, type, queue, due, ivl, factor, reps, lapses, left, odue, odid, flags, data FROM cards ORDER BY id`, func(scan func(...any) error) error {
		var k anki.Card
		if err := scan(&k.ID, &k.Note, &k.Deck, &k.Ord, &k.Modified, &k.USN, &k.Type, &k.Queue, &k.Due, &k.Interval, &k.Factor, &k.Reps, &k.Lapses, &k.Left, &k.OriginalDue, &k.OriginalDeck, &k.Flags, text{&k.Data}); err != nil {
			return err
		}
		in.bytes -= int64(len(k.Data))
		c.Cards = append(c.Cards, k)
		return nil
	})
	if err != nil {
		return err
	}
	var reviews int64
	if err := in.db.QueryRowContext(in.ctx, `SELECT COUNT(*) FROM revlog`).Scan(&reviews); err != nil {
		return err
	}
	c.Reviews = make([]anki.Review, 0, max(0, min(reviews, in.limits.Rows))) // grown row by row they would be in memory twice
	return in.each(in.limits.Rows, `SELECT id, cid, usn, ease, ivl, lastIvl, factor, time, type FROM revlog ORDER BY id`, func(scan func(...any) error) error {
		var r anki.Review
		if err := scan(&r.ID, &r.Card, &r.USN, &r.Ease, &r.Interval, &r.LastInterval, &r.Factor, &r.Millis, &r.Type); err != nil {
			return err
		}
		c.Reviews = append(c.Reviews, r)
		return nil
	})
}

// wordBytes is what a tag or a field takes beside its text.
const wordBytes = 16

var errLarge = errs.New(errs.PackageTooLarge, "the collection in this Anki package has too many rows or too much text")

// each calls f for every row of a query, of which there may be limit.
func (in *reader) each(limit int64, query string, f func(scan func(...any) error) error) error {
	rows, err := in.db.QueryContext(in.ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for n := int64(0); rows.Next(); n++ {
		if n >= limit || in.bytes < 0 {
			return errLarge
		}
		if err := f(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// text takes a column that may be of any type, or no value, as text that every store takes: Anki writes neither NUL nor what is no UTF-8.
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
	*t.to = strings.ReplaceAll(strings.ToValidUTF8(*t.to, "\uFFFD"), "\x00", "\uFFFD")
	return nil
}

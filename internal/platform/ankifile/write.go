package ankifile

import (
	"archive/zip"
	"context"
	"crypto/sha1" //nolint:gosec // Anki's check sum of a first field; it protects nothing
	"database/sql"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
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

// FormatOf is the format of a collection's own schema.
func FormatOf(c *anki.Collection) Format {
	if c.Schema == 11 {
		return Legacy
	}
	return Modern
}

// OpenMedia opens the bytes of a file by its digest.
type OpenMedia func(digest string) (io.ReadCloser, error)

// Write writes a collection as .apkg, or .colpkg, which has the same parts. It works in a folder of its own below dir and
// leaves nothing there. In its own schema the collection is written as it was read.
func Write(ctx context.Context, w io.Writer, c *anki.Collection, f Format, dir string, media OpenMedia) error {
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
	}
	if err == nil {
		err = mediaMembers(ctx, z, c.Media, f, media)
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
	if err := fill(ctx, small, &notice, Legacy); err != nil {
		return err
	}
	if err := member(z, "collection.anki2", small, false); err != nil {
		return err
	}
	return bytesMember(z, "meta", message{}.num(1, 3))
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
func fill(ctx context.Context, file string, c *anki.Collection, f Format) error {
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

func sharedRows(ctx context.Context, tx *sql.Tx, c *anki.Collection) error {
	err := insert(ctx, tx, `INSERT INTO notes VALUES (?,?,?,?,?,?,?,?,?,?,?)`, len(c.Notes), func(i int) []any {
		n := &c.Notes[i]
		first, check := n.Sort, n.Checksum
		if check == 0 && first == "" && len(n.Fields) > 0 {
			first = anki.Plain(n.Fields[0])
			sum := sha1.Sum([]byte(first)) //nolint:gosec // see the import
			check = int64(binary.BigEndian.Uint32(sum[:4]))
		}
		tags := ""
		if len(n.Tags) > 0 {
			tags = " " + strings.Join(n.Tags, " ") + " "
		}
		return []any{n.ID, n.GUID, n.Model, n.Modified, n.USN, tags, strings.Join(n.Fields, "\x1f"), first, check, n.Flags, n.Data}
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
	err = insert(ctx, tx, `INSERT INTO graves (oid, type, usn) VALUES (?,?,?)`, len(c.Graves), func(i int) []any {
		return []any{c.Graves[i].ID, c.Graves[i].Type, c.Graves[i].USN}
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

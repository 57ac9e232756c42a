package ankifile

import (
	"archive/zip"
	"cmp"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"

	"stoa/internal/platform/errs"
)

// Limits bound what a file may unpack to.
type Limits struct {
	Unpacked int64 // bytes of the database
	Rows     int64 // of any table
	Kinds    int64 // rows of tables other than the review log; Rows when it is 0
	Text     int64 // bytes of all values together; Unpacked when it is 0
	File     int64 // bytes of a picture or a sound; larger ones are left out
	Media    int64 // bytes of all of them
}

// Default holds a learner's whole life: about ten million reviews.
var Default = Limits{Unpacked: 1 << 30, Rows: 12_000_000, File: 64 << 20, Media: 4 << 30}

func (l *Limits) kinds() int64 { return cmp.Or(l.Kinds, l.Rows) }

// databases are the names of the database in an archive, the newest first: older ones beside it only ask to update Anki.
var databases = []string{"collection.anki21b", "collection.anki21", "collection.anki2"}

// maxEntries bounds the files of an archive: a collection with media has one per picture.
const maxEntries = 500_000

// opened is an archive.
type opened struct {
	files  map[string]*zip.File
	modern bool // media are listed and compressed as in the newer format
}

// unpack writes the database of an archive into a file.
func unpack(r io.ReaderAt, size int64, into string, limits Limits) (*opened, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, errs.Wrap(errs.InvalidRequest, "this is no Anki package: it is no zip archive", err)
	}
	if len(z.File) > maxEntries {
		return nil, errs.New(errs.InvalidRequest, "this Anki package has too many files")
	}
	found := map[string]*zip.File{}
	for _, f := range z.File {
		if found[f.Name] != nil {
			for _, m := range databases {
				if f.Name == m {
					return nil, errs.New(errs.InvalidRequest, "this Anki package has two databases of one name")
				}
			}
		}
		found[f.Name] = f
	}
	for _, m := range databases {
		if f := found[m]; f != nil {
			return &opened{found, m == databases[0]}, extract(f, m == databases[0], into, limits)
		}
	}
	return nil, errs.New(errs.InvalidRequest, "this is no Anki package: it holds no collection")
}

func extract(f *zip.File, compressed bool, into string, limits Limits) error {
	in, err := f.Open()
	if err != nil {
		return errs.Wrap(errs.InvalidRequest, "the collection in this Anki package cannot be unpacked", err)
	}
	defer in.Close()
	source := io.Reader(in)
	if compressed {
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return errs.Wrap(errs.InvalidRequest, "the collection in this Anki package cannot be unpacked", err)
		}
		defer d.Close()
		source = d
	}
	out, err := os.OpenFile(into, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("unpack collection: %w", err)
	}
	n, err := io.Copy(out, io.LimitReader(source, limits.Unpacked+1))
	if closed := out.Close(); err == nil && closed != nil {
		return fmt.Errorf("unpack collection: %w", closed)
	}
	if err != nil {
		return errs.Wrap(errs.InvalidRequest, "the collection in this Anki package cannot be unpacked", err)
	}
	if n > limits.Unpacked {
		return errs.Newf(errs.PackageTooLarge, "the collection in this Anki package unpacks to more than %d bytes", limits.Unpacked)
	}
	return nil
}

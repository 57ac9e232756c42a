package ankifile

import (
	"archive/zip"
	"context"
	"crypto/sha1" //nolint:gosec // Anki's check sum of a file; it protects nothing
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/klauspost/compress/zstd"

	"stoa/internal/learning/anki"
	"stoa/internal/platform/errs"
)

// longestList bounds the list of media, in bytes.
const longestList = 64 << 20

var errMedia = errs.New(errs.InvalidRequest, "the pictures and sounds in this Anki package cannot be unpacked")

// media gives every file that the archive lists to keep, in the order of their names.
func (z *opened) media(ctx context.Context, limits Limits, keep Keep) ([]anki.Media, error) {
	names, err := z.listed()
	if err != nil {
		return nil, err
	}
	members := make([]string, 0, len(names))
	for member := range names {
		members = append(members, member)
	}
	slices.SortFunc(members, func(a, b string) int { return compareNames(names[a], names[b]) })
	var list []anki.Media
	left := limits.Media
	for _, member := range members {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		name, f := names[member], z.files[member]
		if f == nil || !anki.MediaName(name) || len(list) > 0 && list[len(list)-1].Name == name {
			continue
		}
		one, err := z.one(f, name, min(limits.File, left), keep)
		if err != nil {
			return nil, err
		}
		if one.Digest != "" {
			left -= one.Size
			list = append(list, one)
		}
	}
	return list, nil
}

func compareNames(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// one keeps a file, unless it is larger than most bytes.
func (z *opened) one(f *zip.File, name string, most int64, keep Keep) (anki.Media, error) {
	in, err := f.Open()
	if err != nil {
		return anki.Media{}, errMedia
	}
	defer in.Close()
	source := io.Reader(in)
	if z.modern {
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return anki.Media{}, errMedia
		}
		defer d.Close()
		source = d
	}
	bounded := &boundedReader{r: source, left: most}
	digest, size, err := keep(name, bounded)
	switch {
	case bounded.over:
		return anki.Media{}, nil
	case bounded.broken:
		return anki.Media{}, errMedia
	case err != nil:
		return anki.Media{}, fmt.Errorf("keep media: %w", err)
	}
	return anki.Media{Name: name, Digest: digest, Size: size}, nil
}

// boundedReader fails when there is more than may be, and notes whose fault a failure is.
type boundedReader struct {
	r            io.Reader
	left         int64
	over, broken bool
}

var errOver = errors.New("too large")

// Read implements io.Reader.
func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		b.over = true
		return 0, errOver
	}
	if err != nil && !errors.Is(err, io.EOF) {
		b.broken = true
	}
	return n, err
}

// listed gives the name of each member that is a file of the media folder.
func (z *opened) listed() (map[string]string, error) {
	f := z.files["media"]
	if f == nil {
		return nil, nil
	}
	in, err := f.Open()
	if err != nil {
		return nil, errMedia
	}
	defer in.Close()
	source := io.Reader(in)
	if z.modern {
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, errMedia
		}
		defer d.Close()
		source = d
	}
	text, err := io.ReadAll(io.LimitReader(source, longestList+1))
	if err != nil || len(text) > longestList {
		return nil, errMedia
	}
	names := map[string]string{}
	if !z.modern {
		if err := json.Unmarshal(text, &names); err != nil {
			return nil, errMedia
		}
		return names, nil
	}
	index := 0
	for number, entry := range fields(text) {
		if number != 1 {
			continue
		}
		member := strconv.Itoa(index)
		for number, value := range fields(entry.bytes) {
			if number == 1 {
				names[member] = string(value.bytes)
			}
		}
		index++
	}
	return names, nil
}

// mediaMembers writes the files and their list.
func mediaMembers(ctx context.Context, z *zip.Writer, list []anki.Media, f Format, open OpenMedia) error {
	names, entries := map[string]string{}, message{}
	for i, m := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		member := strconv.Itoa(i)
		sum, err := mediaMember(z, member, m, f, open)
		if err != nil {
			return err
		}
		names[member] = m.Name
		entries = entries.inner(1, message{}.text(1, m.Name).num(2, uint64(max(0, m.Size))).inner(3, sum))
	}
	if f == Legacy {
		text, err := compact(names)
		if err != nil {
			return err
		}
		return bytesMember(z, "media", []byte(text))
	}
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		return err
	}
	defer func() { _ = encoder.Close() }()
	return bytesMember(z, "media", encoder.EncodeAll(entries, nil))
}

// mediaMember writes one file and gives its check sum.
func mediaMember(z *zip.Writer, member string, m anki.Media, f Format, open OpenMedia) ([]byte, error) {
	in, err := open(m.Digest)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	out, err := z.CreateHeader(&zip.FileHeader{Name: member, Method: zip.Store})
	if err != nil {
		return nil, err
	}
	sum := sha1.New() //nolint:gosec // see the import
	from := io.TeeReader(in, sum)
	if f == Legacy {
		_, err = io.Copy(out, from)
		return sum.Sum(nil), err
	}
	encoder, err := zstd.NewWriter(out)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(encoder, from); err != nil {
		return nil, err
	}
	return sum.Sum(nil), encoder.Close()
}

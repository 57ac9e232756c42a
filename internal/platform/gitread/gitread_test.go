package gitread

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"pgregory.net/rapid"

	"stoa/internal/platform/fetch"
)

var small = Limits{Packed: 1 << 20, Unpacked: 4 << 20, Inflated: 8 << 20, Objects: 1000, File: 1 << 20, Files: 100, Folders: 32 << 20}

// packing writes packs.
type packing struct {
	body bytes.Buffer
	n    uint32
}

func (p *packing) head(kind plumbing.ObjectType, size int) {
	b := byte(kind)<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		p.body.WriteByte(b | 0x80)
		b = byte(size & 0x7f)
	}
	p.body.WriteByte(b)
	p.n++
}

func (p *packing) deflate(data []byte) {
	z := zlib.NewWriter(&p.body)
	if _, err := z.Write(data); err != nil || z.Close() != nil {
		panic("zlib")
	}
}

func (p *packing) add(kind plumbing.ObjectType, data []byte) plumbing.Hash {
	p.head(kind, len(data))
	p.deflate(data)
	return plumbing.ComputeHash(kind, data)
}

func (p *packing) differs(base plumbing.Hash, delta []byte) {
	p.head(plumbing.REFDeltaObject, len(delta))
	p.body.Write(base[:])
	p.deflate(delta)
}

func (p *packing) pack() []byte {
	out := append([]byte("PACK\x00\x00\x00\x02"), binary.BigEndian.AppendUint32(nil, p.n)...)
	return append(out, p.body.Bytes()...)
}

func row(mode, name string, hash plumbing.Hash) []byte {
	return append([]byte(mode+" "+name+"\x00"), hash[:]...)
}

func (p *packing) commit(tree plumbing.Hash) string {
	return p.add(plumbing.CommitObject, fmt.Appendf(nil, "tree %s\nauthor x <x> 0 +0000\ncommitter x <x> 0 +0000\n\nx\n", tree)).String()
}

// remote is a server that answers a fetch with a pack.
type remote struct {
	refs, pack []byte
	asked      []string
}

func (r *remote) Get(_ context.Context, address, _ string, _ int64) (fetch.Answer, error) {
	return fetch.Answer{Body: r.refs, URL: address}, nil
}

func (r *remote) Post(_ context.Context, address, _ string, body []byte, _ int64) (fetch.Answer, error) {
	r.asked = append(r.asked, address+" "+string(body))
	return fetch.Answer{Body: append([]byte("0008NAK\n"), r.pack...)}, nil
}

func read(t *testing.T, pack []byte, commit string, l Limits) (*Tree, error) {
	t.Helper()
	line := commit + " HEAD\x00ofs-delta agent=x\n"
	r := &remote{refs: fmt.Appendf(nil, "001e# service=git-upload-pack\n0000%04x%s0000", len(line)+4, line), pack: pack}
	opened, err := Open(t.Context(), r, "https://example.com/x.git/")
	if err != nil {
		t.Fatal(err)
	}
	at, err := opened.Commit("")
	if err != nil || at != commit {
		t.Fatal(at, err)
	}
	tree, err := opened.Fetch(t.Context(), r, commit, l)
	if len(r.asked) != 1 || !strings.HasPrefix(r.asked[0], "https://example.com/x.git/git-upload-pack ") || strings.Contains(r.asked[0], "deepen") {
		t.Errorf("asked %q", r.asked)
	}
	return tree, err
}

// What a commit holds comes out, differences before and after their bases too; links, other repositories and names that lead
// out of it do not.
func TestReads(t *testing.T) {
	var p packing
	long := []byte(strings.Repeat("A line of text.\n", 100))
	blob := p.add(plumbing.BlobObject, long)
	second := append(bytes.Clone(long[:80]), "And more.\n"...)
	delta := append([]byte{0xc0, 0x0c, 90, 0x90, 80, 10}, "And more.\n"...) // 1,600 bytes before, 90 after: copy 80, take 10
	later := plumbing.ComputeHash(plumbing.BlobObject, []byte("Third."))
	p.differs(later, []byte{6, 6, 0x90, 6})
	p.differs(blob, delta)
	p.add(plumbing.BlobObject, []byte("Third."))
	inner := p.add(plumbing.TreeObject, append(row("100644", "deep.md", plumbing.ComputeHash(plumbing.BlobObject, second)), row("120000", "link", blob)...))
	top := bytes.Join([][]byte{
		row("100755", "a.sh", blob), row("100644", "..", blob), row("40000", ".git", inner), row("40000", "dir", inner), row("160000", "sub", blob), row("100644", "third", later), row("100644", "x/y", blob),
	}, nil)
	commit := p.commit(p.add(plumbing.TreeObject, top))
	tree, err := read(t, p.pack(), commit, small)
	if err != nil {
		t.Fatal(err)
	}
	files, err := tree.Files("/")
	if err != nil || len(files) != 3 || files["a.sh"] != string(long) || files["dir/deep.md"] != string(second) || files["third"] != "Third." {
		t.Errorf("%v %v", files, err)
	}
	if inside, err := tree.Files("./dir/"); err != nil || len(inside) != 1 || inside["deep.md"] == "" {
		t.Errorf("%v %v", inside, err)
	}
	if hash, err := tree.Hash("dir"); err != nil || hash != inner.String() {
		t.Errorf("%s %v", hash, err)
	}
	for _, name := range []string{"none", "dir/link", "sub", "third/x", "../../etc/passwd", ".git/deep.md"} {
		if _, err := tree.File(name); !errors.Is(err, ErrNoFile) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Packs that are made to cost much, or to deceive, are refused.
func TestHostilePacks(t *testing.T) {
	zeros := make([]byte, 900<<10)
	for name, c := range map[string]struct {
		make func(p *packing) string
		is   error
	}{
		"many large blobs": {func(p *packing) string {
			for i := range 20 {
				zeros[0] = byte(i)
				p.add(plumbing.BlobObject, zeros)
			}
			return strings.Repeat("a", 40)
		}, ErrTooMuch},
		"a blob that is never held, over and over": {func(p *packing) string {
			for range 5 {
				p.add(plumbing.BlobObject, make([]byte, 2<<20))
			}
			return strings.Repeat("a", 40)
		}, ErrTooMuch},
		"a size that is not true": {func(p *packing) string {
			p.head(plumbing.BlobObject, 3)
			p.deflate(zeros)
			return strings.Repeat("a", 40)
		}, ErrPack},
		"a difference that grows": {func(p *packing) string {
			at := p.add(plumbing.BlobObject, zeros)
			for i := range 30 {
				p.differs(at, append([]byte{0x80, 0xa0, 0x38, 0x80, 0xa0, 0x38 /* 921,600 each */}, byte(1), byte(i)))
			}
			return strings.Repeat("a", 40)
		}, ErrPack},
		"a base that never comes": {func(p *packing) string {
			p.differs(plumbing.ZeroHash, []byte{1, 1, 1, 1})
			return strings.Repeat("a", 40)
		}, ErrPack},
		"other files than the commit's": {func(p *packing) string { p.commit(p.add(plumbing.TreeObject, nil)); return strings.Repeat("a", 40) }, ErrNoCommit},
		"too many objects":              {func(p *packing) string { p.n = 1 << 30; return strings.Repeat("a", 40) }, ErrTooMuch},
	} {
		var p packing
		commit := c.make(&p)
		if _, err := read(t, p.pack(), commit, small); !errors.Is(err, c.is) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A folder that holds itself ten times, eight deep, is a hundred million places in nine objects.
	var p packing
	at := p.add(plumbing.BlobObject, []byte("x"))
	mode := "100644"
	for range 9 {
		var all []byte
		for i := range 10 {
			all = append(all, row(mode, fmt.Sprint(i), at)...)
		}
		at, mode = p.add(plumbing.TreeObject, all), "40000"
	}
	commit := p.commit(at)
	tree, err := read(t, p.pack(), commit, small)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Files(""); !errors.Is(err, ErrTooMuch) {
		t.Errorf("a folder of folders: %v", err)
	}
}

// A folder of nothing but links counts with its size wherever it stands, and each time that it is asked for.
func TestFoldersThatAreLookedThroughAgainAndAgain(t *testing.T) {
	var p packing
	var links, places []byte
	for i := range 20_000 {
		links = append(links, row("120000", fmt.Sprintf("%06d", i), plumbing.ZeroHash)...)
	}
	at := p.add(plumbing.TreeObject, links)
	for i := range 300 {
		places = append(places, row("40000", fmt.Sprint(i), at)...)
	}
	commit := p.commit(p.add(plumbing.TreeObject, places))
	tree, err := read(t, p.pack(), commit, small)
	if err != nil {
		t.Fatal(err)
	}
	if files, err := tree.Files("1"); err != nil || len(files) != 0 {
		t.Errorf("one of them: %v %v", files, err)
	}
	if _, err := tree.Files(""); !errors.Is(err, ErrTooMuch) {
		t.Errorf("all of them: %v", err)
	}
	if tree, err = read(t, p.pack(), commit, small); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if _, err = tree.File("1/none"); !errors.Is(err, ErrNoFile) {
			break
		}
	}
	if !errors.Is(err, ErrTooMuch) {
		t.Errorf("one of them a hundred times: %v", err)
	}
}

// What a server can do is kept only as far as it is made use of, however much it says.
func TestServersThatCanDoEverything(t *testing.T) {
	var refs strings.Builder
	refs.WriteString("001e# service=git-upload-pack\n0000")
	for i := range 40 {
		line := fmt.Sprintf("%040d refs/heads/%d\x00side-band-64k", i, i)
		for j := 0; len(line) < 60_000; j++ {
			line += fmt.Sprintf(" %d-%d", i, j)
		}
		fmt.Fprintf(&refs, "%04x%s", len(line)+4, line)
	}
	r, err := Open(t.Context(), &remote{refs: []byte(refs.String() + "0000")}, "https://example.com/x")
	if err != nil || len(r.can) != 1 || len(r.refs) != 40 {
		t.Errorf("%d %d: %v", len(r.can), len(r.refs), err)
	}
}

// A pack that comes in lines of a band is read within them; lines that are none are refused.
func TestBands(t *testing.T) {
	line := func(band byte, text string) string { return fmt.Sprintf("%04x%c%s", len(text)+5, band, text) }
	got, err := unband([]byte(line(2, "counting\n") + line(1, "PA") + line(1, "") + line(2, strings.Repeat("x", 60_000)) + line(1, "CK") + "0000" + line(1, "after the end")))
	if err != nil || string(got) != "PACK" {
		t.Errorf("%q %v", got, err)
	}
	for _, bad := range []string{"0004", "0001", "zzzz", "00", "0006\x01", line(1, "PA") + line(3, "no such commit"), line(1, "PA") + "ffff\x01short"} {
		if got, err := unband([]byte(bad)); !errors.Is(err, ErrPack) {
			t.Errorf("%q: %q %v", bad, got, err)
		}
	}
}

// A chain of differences that stands in the pack the wrong way round is read as any other: each waits for its own base alone.
func TestChainsTheWrongWayRound(t *testing.T) {
	const links = 5000 // looked at again and again, these are 12 million looks
	texts := make([][]byte, links)
	for i := range texts {
		texts[i] = fmt.Appendf(nil, "%08d", i)
	}
	var p packing
	for i := links - 1; i > 0; i-- {
		p.differs(plumbing.ComputeHash(plumbing.BlobObject, texts[i-1]), append([]byte{8, 8, 8}, texts[i]...))
	}
	p.add(plumbing.BlobObject, texts[0])
	large := small
	large.Objects, large.Packed = links, 4<<20
	all, err := readPack(p.pack(), large)
	if err != nil || len(all) != links {
		t.Fatal(len(all), err)
	}
}

// No bytes make the reader panic or hold more than its limits.
func TestAnyBytes(t *testing.T) {
	var p packing
	blob := p.add(plumbing.BlobObject, []byte("Some text."))
	p.differs(blob, []byte{10, 4, 0x90, 4})
	p.commit(p.add(plumbing.TreeObject, row("100644", "a", blob)))
	good := p.pack()
	rapid.Check(t, func(t *rapid.T) {
		text := bytes.Clone(good)
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			text[rapid.IntRange(0, len(text)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		}
		all, err := readPack(text[:rapid.IntRange(0, len(text)).Draw(t, "length")], small)
		if err != nil {
			return
		}
		held := int64(0)
		for hash, o := range all {
			if plumbing.ComputeHash(o.kind, o.data) != hash {
				t.Fatal("an object under another's name")
			}
			held += int64(len(o.data))
			if o.kind == plumbing.TreeObject {
				_, _ = (&Tree{objects: all, root: hash, limits: small}).Files("") // must come back
			}
		}
		if held > small.Unpacked {
			t.Fatalf("%d bytes are held", held)
		}
	})
}

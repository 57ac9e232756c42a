package archive_test

import (
	stdzip "archive/zip"
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	kflate "github.com/klauspost/compress/flate"

	"stoa/internal/market/archive"
	"stoa/internal/market/archive/hostile"
)

// prose is a zip of 20 MiB of text in 160 files.
var prose = sync.OnceValue(func() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var words []string
	for range 20_000 {
		word := make([]byte, 2+r.IntN(9))
		for i := range word {
			word[i] = byte('a' + r.IntN(26))
		}
		words = append(words, string(word))
	}
	var out bytes.Buffer
	w := stdzip.NewWriter(&out)
	for i := range 160 {
		f, _ := w.Create(fmt.Sprintf("prompts/%03d.txt", i))
		var b strings.Builder
		for b.Len() < 128<<10 {
			b.WriteString(words[int(float64(len(words))*r.Float64()*r.Float64()*r.Float64())])
			b.WriteByte(" \n,. "[r.IntN(5)])
		}
		_, _ = io.WriteString(f, b.String()[:128<<10])
	}
	_ = w.Close()
	return out.Bytes()
})

const proseBytes = 20 << 20

func BenchmarkRead20MiB(b *testing.B) {
	text := prose()
	count := func(b *testing.B, n int64) {
		if n != proseBytes {
			b.Fatal(n)
		}
	}
	b.Run("each", func(b *testing.B) {
		b.SetBytes(proseBytes)
		b.ReportAllocs()
		for b.Loop() {
			var sum int64
			a, err := archive.Open(bytes.NewReader(text), int64(len(text)), archive.Default)
			if err != nil {
				b.Fatal(err)
			}
			if err := a.Each(context.Background(), func(_ string, r io.Reader) error {
				n, err := io.Copy(io.Discard, r)
				sum += n
				return err
			}); err != nil {
				b.Fatal(err)
			}
			count(b, sum)
		}
	})
	b.Run("archive-zip", func(b *testing.B) {
		b.SetBytes(proseBytes)
		b.ReportAllocs()
		for b.Loop() {
			z, _ := stdzip.NewReader(bytes.NewReader(text), int64(len(text)))
			count(b, readAll(z))
		}
	})
	b.Run("archive-zip-klauspost", func(b *testing.B) {
		b.SetBytes(proseBytes)
		b.ReportAllocs()
		for b.Loop() {
			z, _ := stdzip.NewReader(bytes.NewReader(text), int64(len(text)))
			z.RegisterDecompressor(stdzip.Deflate, func(r io.Reader) io.ReadCloser { return kflate.NewReader(r) })
			count(b, readAll(z))
		}
	})
	// The floor: inflate and CRC of the packed bytes in memory, with one decompressor for all.
	b.Run("bare", func(b *testing.B) {
		z, _ := stdzip.NewReader(bytes.NewReader(text), int64(len(text)))
		in := bytes.NewReader(nil)
		inflate := kflate.NewReader(in)
		buffer := make([]byte, 32<<10)
		b.SetBytes(proseBytes)
		b.ReportAllocs()
		for b.Loop() {
			var sum int64
			for _, f := range z.File {
				at, _ := f.DataOffset()
				in.Reset(text[at : at+int64(f.CompressedSize64)])
				_ = inflate.(kflate.Resetter).Reset(in, nil)
				crc := uint32(0)
				for {
					n, err := inflate.Read(buffer)
					crc = crc32.Update(crc, crc32.IEEETable, buffer[:n])
					sum += int64(n)
					if err != nil {
						break
					}
				}
				if crc != f.CRC32 {
					b.Fatal(f.Name)
				}
			}
			count(b, sum)
		}
	})
}

func readAll(z *stdzip.Reader) (sum int64) {
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return -1
		}
		n, err := io.Copy(io.Discard, r)
		if err != nil {
			return -1
		}
		sum += n
		r.Close()
	}
	return sum
}

// The dearest hostile files, and the largest good directory.
func BenchmarkOpen(b *testing.B) {
	files := map[string][]byte{"good: 2,000 entries": hostile.Good()["2,000 entries"], "good: 20 MiB of text": prose()}
	for _, c := range hostile.All() {
		if len(c.Bytes) > 1<<20 || strings.Contains(c.Name, "bomb") || strings.Contains(c.Name, "entries") {
			files[c.Name] = c.Bytes
		}
	}
	for name, text := range files {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = archive.Open(bytes.NewReader(text), int64(len(text)), archive.Default)
			}
		})
	}
}

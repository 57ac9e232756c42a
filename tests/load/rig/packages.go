package rig

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"stoa/tests/load/stores"
)

// Package is a template package of prose whose zip has about size bytes.
func Package(id string, size int) ([]byte, error) {
	r := rand.New(rand.NewPCG(1, 2))
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	add := func(name string, text []byte) error {
		f, err := w.Create(name)
		if err != nil {
			return err
		}
		_, err = f.Write(text)
		return err
	}
	if err := add("bundle.json", fmt.Appendf(nil, `{"template_id":%q,"version":"1.0.0","prompt":"You keep a library."}`, id)); err != nil {
		return nil, err
	}
	chapter := min(2<<20, size)
	for n := 0; out.Len() < size-chapter/2; n++ {
		var text bytes.Buffer
		for text.Len() < chapter {
			// Numbers keep it from compressing better than prose does.
			fmt.Fprintf(&text, "%s %s %s %d%c", stores.Words.Draw(r), stores.Words.Telling(r), stores.Words.Draw(r), r.IntN(1e6), " \n"[r.IntN(8)/7])
		}
		if err := add(fmt.Sprintf("chapters/%03d.md", n), text.Bytes()); err != nil {
			return nil, err
		}
	}
	if err := addMark(w); err != nil {
		return nil, err
	}
	err := w.Close()
	return out.Bytes(), err
}

// The last file of a package is not compressed and can be changed without packing again.
const (
	markName   = "mark.md"
	markLength = 24
)

func markText(n int64) []byte { return fmt.Appendf(nil, "%0*d", markLength, n) }

func addMark(w *zip.Writer) error {
	text := markText(0)
	f, err := w.CreateRaw(&zip.FileHeader{Name: markName, CRC32: crc32.ChecksumIEEE(text), CompressedSize64: markLength, UncompressedSize64: markLength})
	if err == nil {
		_, err = f.Write(text)
	}
	return err
}

// Mark changes the last file of a package, so that it is not the same as another with the same chapters, and tells which
// ranges of bytes that changed.
func Mark(zipped []byte, n int64) (ranges [3][2]int) {
	const headLength, headSum, entryLength, entrySum = 30, 14, 46, 16 // of a file's head and of its entry in the directory
	text := markText(n)
	sum := binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(text))
	entry := bytes.LastIndex(zipped, []byte(markName)) - entryLength
	head := bytes.LastIndex(zipped[:entry], []byte(markName)) - headLength
	for i, part := range []struct {
		at   int
		text []byte
	}{{head + headSum, sum}, {head + headLength + len(markName), text}, {entry + entrySum, sum}} {
		copy(zipped[part.at:], part.text)
		ranges[i] = [2]int{part.at, part.at + len(part.text)}
	}
	return ranges
}

// WaitScanned waits until a submission's package is scanned.
func WaitScanned(address, token string, answer []byte) error {
	type submission struct {
		Data struct {
			ID     string   `json:"submission_id"`
			Labels []string `json:"review_labels"`
		} `json:"data"`
	}
	var made submission
	if err := json.Unmarshal(answer, &made); err != nil {
		return err
	}
	request := Get("/api/member/submissions/detail?submission_id="+made.Data.ID, "Authorization: Bearer "+token)
	for made.Data.Labels = []string{"scan_pending"}; slices.Contains(made.Data.Labels, "scan_pending"); time.Sleep(20 * time.Millisecond) {
		status, _, text, err := Whole(address, request)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("detail answered %d: %.300s", status, text)
		}
		if err != nil {
			return err
		}
		made.Data.Labels = nil
		if err := json.Unmarshal(text, &made); err != nil {
			return err
		}
	}
	return nil
}

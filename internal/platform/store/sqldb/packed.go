package sqldb

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// Pack compresses a text.
func Pack(text []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// Unpack gives what Pack compressed.
func Unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("store: a kept answer is damaged: %w", err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("store: a kept answer is damaged: %w", err)
	}
	return text, nil
}

// UnpackRow puts the answer of an exported row into its column as text.
func UnpackRow(row map[string]any) error {
	packed, _ := row["packed"].([]byte)
	delete(row, "packed")
	if len(packed) == 0 {
		return nil
	}
	text, err := Unpack(packed)
	row["answer"] = text
	return err
}

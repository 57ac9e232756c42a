package store

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

func pack(text []byte) ([]byte, error) {
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

func unpack(packed []byte) ([]byte, error) {
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

// unpackRow puts the answer of an exported row into its column as text.
func unpackRow(row map[string]any) error {
	packed, _ := row["packed"].([]byte)
	delete(row, "packed")
	if len(packed) == 0 {
		return nil
	}
	text, err := unpack(packed)
	row["answer"] = text
	return err
}

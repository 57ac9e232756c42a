package client

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
)

// File is what is uploaded. It is opened again for every attempt.
type File struct {
	Name string
	Size int64
	Open func() (io.ReadCloser, error)
	// Progress, if not nil, is told how many bytes were sent; a new attempt begins at 0.
	Progress func(sent int64)
}

// FileAt is a file on disk. That it cannot be read shows when it is sent.
func FileAt(path string) *File {
	f := &File{Name: filepath.Base(path), Open: func() (io.ReadCloser, error) { return os.Open(path) }}
	if info, err := os.Stat(path); err == nil {
		f.Size = info.Size()
	}
	return f
}

// upload sends fields as a JSON object with the file as base64 in the member named into.
func (c *Client) upload(ctx context.Context, path, key string, fields any, member string, file *File, into any) error {
	head, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	head = bytes.TrimSuffix(head, []byte("}"))
	if len(head) > 1 {
		head = append(head, ',')
	}
	head = append(head, fmt.Sprintf("%q:\"", member)...)
	tail := []byte(`"}`)
	size := int64(len(head)+len(tail)) + encodedLen(file.Size)
	q := &call{method: http.MethodPost, path: path, key: key, patience: c.transfer(size), body: func() (io.ReadCloser, int64, error) {
		in, err := file.Open()
		if err != nil {
			return nil, 0, err
		}
		out, w := io.Pipe()
		go func() {
			defer in.Close()
			w.CloseWithError(file.encode(w, in, head, tail))
		}()
		return out, size, nil
	}}
	return c.data(ctx, q, into)
}

// encodedLen is how many bytes n bytes are in base64.
func encodedLen(n int64) int64 { return (n + 2) / 3 * 4 }

var errResized = errors.New("the file changed its size while it was sent")

// encode writes the body. An error of the file is a localError; one of the pipe means that nobody reads any more.
func (f *File) encode(w io.Writer, in io.Reader, head, tail []byte) error {
	if _, err := w.Write(head); err != nil {
		return err
	}
	e := base64.NewEncoder(base64.StdEncoding, w)
	buf := make([]byte, 48<<10)
	var sent int64
	for {
		n, err := in.Read(buf)
		sent += int64(n)
		if sent > f.Size {
			return &localError{errResized}
		}
		if _, err := e.Write(buf[:n]); err != nil {
			return err
		}
		if f.Progress != nil && n > 0 {
			f.Progress(sent)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return &localError{err}
		}
	}
	if sent != f.Size {
		return &localError{errResized}
	}
	if err := e.Close(); err != nil {
		return err
	}
	_, err := w.Write(tail)
	return err
}

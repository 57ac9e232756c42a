package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Download says where a download goes and what it must be.
type Download struct {
	Path string // of the file that is made; one that is there is replaced when all has arrived
	// SHA256, if not "", is the digest that the catalog tells: 64 hex digits, else nothing is downloaded. The server's
	// own (ETag) is checked as well where it is one.
	SHA256 string
	// Limit is how many bytes are taken at most; 0 means 64 MiB.
	Limit int64
	// Progress, if not nil, is told how many bytes have arrived of how many (-1 when that is not known).
	Progress func(got, total int64)
	// Key, if not "", makes a transfer job repeatable.
	Key string
}

// Downloaded is a file that arrived whole.
type Downloaded struct {
	Path           string `json:"path"`
	Filename       string `json:"filename"` // as the server calls it
	SHA256         string `json:"sha256"`
	SizeBytes      int64  `json:"size_bytes"`
	TransferJobID  string `json:"transfer_job_id,omitempty"`
	TransferStatus string `json:"transfer_status,omitempty"`
}

// ErrDigest is a download whose bytes are not those that were promised.
var ErrDigest = errors.New("the bytes that arrived do not fit the digest in the catalog; nothing was kept")

// ErrNoDigest is a digest in the catalog that is none.
var ErrNoDigest = errors.New("the catalog does not tell a SHA-256 of 64 hex digits for this package, so that nobody could see whether it is the right one; nothing was downloaded")

// IsDigest reports whether s is a SHA-256 in hex.
func IsDigest(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == sha256.Size
}

const defaultLimit = 64 << 20

// download takes a file in. It stands at d.Path only when all of it arrived and its digest fits.
func (c *Client) download(ctx context.Context, path string, query url.Values, d Download) (Downloaded, error) {
	if d.Limit == 0 {
		d.Limit = defaultLimit
	}
	if d.SHA256 != "" && !IsDigest(d.SHA256) {
		return Downloaded{}, ErrNoDigest
	}
	temp, err := os.CreateTemp(filepath.Dir(d.Path), ".stoa-download-*")
	if err != nil {
		return Downloaded{}, err
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	var out Downloaded
	q := &call{method: http.MethodGet, path: path, query: query, key: d.Key, header: http.Header{"Accept-Encoding": {"identity"}}, patience: c.transfer(d.Limit)}
	err = c.do(ctx, q, func(res *http.Response) error {
		out, err = d.take(res, temp)
		return err
	})
	if err != nil {
		return Downloaded{}, err
	}
	if err := errors.Join(temp.Sync(), temp.Close()); err != nil {
		return Downloaded{}, err
	}
	out.Path = d.Path
	return out, os.Rename(temp.Name(), d.Path)
}

// take writes the body of one answer into a file.
func (d *Download) take(res *http.Response, temp *os.File) (Downloaded, error) {
	if _, err := temp.Seek(0, io.SeekStart); err != nil {
		return Downloaded{}, err
	}
	if err := temp.Truncate(0); err != nil {
		return Downloaded{}, err
	}
	if res.ContentLength > d.Limit {
		return Downloaded{}, fmt.Errorf("the file is larger than %d MiB", d.Limit>>20)
	}
	sum := sha256.New()
	to := &counted{w: io.MultiWriter(temp, sum), total: res.ContentLength, told: d.Progress}
	_, err := io.Copy(to, io.LimitReader(res.Body, d.Limit+1))
	switch {
	case to.err != nil:
		return Downloaded{}, to.err
	case err != nil:
		return Downloaded{}, &broken{err}
	case to.got > d.Limit:
		return Downloaded{}, fmt.Errorf("the file is larger than %d MiB", d.Limit>>20)
	case res.ContentLength >= 0 && to.got != res.ContentLength:
		return Downloaded{}, &broken{io.ErrUnexpectedEOF}
	}
	out := Downloaded{
		Filename: filename(res.Header.Get("Content-Disposition")), SHA256: hex.EncodeToString(sum.Sum(nil)), SizeBytes: to.got,
		TransferJobID: res.Header.Get("X-Stoa-Transfer-Job-Id"), TransferStatus: res.Header.Get("X-Stoa-Transfer-Status"),
	}
	for _, want := range []string{d.SHA256, strings.Trim(strings.TrimPrefix(res.Header.Get("ETag"), "W/"), `"`)} {
		if IsDigest(want) && !strings.EqualFold(want, out.SHA256) {
			return Downloaded{}, ErrDigest
		}
	}
	return out, nil
}

// counted tells how much went through it.
type counted struct {
	w     io.Writer
	got   int64
	total int64
	told  func(got, total int64)
	err   error // of the disk, to be told apart from those of the network
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.got += int64(n)
	c.err = err
	if c.told != nil {
		c.told(c.got, c.total)
	}
	return n, err
}

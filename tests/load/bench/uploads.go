package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"stoa/tests/load/rig"
	"stoa/tests/load/stores"
)

const (
	packageBytes = 19 << 20 // of the zip that is uploaded; with its records it stays below the limit of 20 MiB
	uploaders    = 8
)

// uploader is a running server and a member who submits a large package to it.
type uploader struct {
	*rig.Process
	token  string
	zipped []byte
	text   string // zipped in base64
	turn   atomic.Int64
}

func (b *bench) uploader(data string) (*uploader, error) {
	p, err := b.serve(data)
	if err != nil {
		return nil, err
	}
	u := &uploader{Process: p}
	if u.token, err = rig.Login(p.Address, stores.Member(0)); err == nil {
		u.zipped, err = rig.Package(packageID, packageBytes)
	}
	if err != nil {
		p.Stop()
		return nil, err
	}
	u.text = base64.StdEncoding.EncodeToString(u.zipped)
	return u, nil
}

// submit sends the package once more and answers how long that took and what the server said.
func (u *uploader) submit() (time.Duration, []byte, error) {
	body, err := json.Marshal(map[string]any{
		"template_id": packageID, "version": "1.0.0", "package_name": "large.zip", "package_base64": u.text,
		"upload_options": map[string]string{"idempotency_key": fmt.Sprint("bench-", u.turn.Add(1))},
	})
	if err != nil {
		return 0, nil, err
	}
	request := rig.Write("POST", "/api/templates/submit", string(body), "Authorization: Bearer "+u.token)
	start := time.Now()
	status, _, answer, err := rig.Whole(u.Address, request)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("submit answered %d: %.300s", status, answer)
	}
	return time.Since(start), answer, err
}

func (u *uploader) scanned(answer []byte) error { return rig.WaitScanned(u.Address, u.token, answer) }

// uploads measures submitting a large package: against the bare work, in memory, beside readers.
func (b *bench) uploads(data string) error {
	u, err := b.uploader(data)
	if err != nil {
		return err
	}
	defer u.Stop()
	if err := b.submitAgainstBare(u.submit, u.scanned, u.text); err != nil {
		return err
	}
	if err := b.uploadMemory(u.Process, u.submit); err != nil {
		return err
	}
	return b.readsBesideUploads(u.Process, u.submit)
}

const packageID = "bench/large"

// submitAgainstBare lets a submit and the work that nobody can spare take turns.
// Each scan that follows an answer is waited for, so that it does not run beside the next.
func (b *bench) submitAgainstBare(submit func() (time.Duration, []byte, error), scanned func([]byte) error, encoded string) error {
	var ratios, took, bare, scans []float64
	for i := range b.slices + 1 {
		t, answer, err := submit()
		if err != nil {
			return err
		}
		began := time.Now()
		if err := scanned(answer); err != nil {
			return err
		}
		scans = append(scans, time.Since(began).Seconds())
		w, err := b.bareWork(encoded)
		if err != nil {
			return err
		}
		if i == 0 {
			continue // the first of each warms up
		}
		ratios, took, bare = append(ratios, t.Seconds()/w.Seconds()), append(took, rig.MS(t)), append(bare, rig.MS(w))
	}
	b.report.value("submit of 20 MiB end to end, times the bare work (base64, SHA-256, inflate, write and fsync)", rig.Median(ratios), "×", 2.0)
	b.report.value("submit of 20 MiB, median", rig.Median(took), "ms", 0)
	b.report.value("the bare work, median", rig.Median(bare), "ms", 0)
	b.report.value("scan of that package, after the answer, median", rig.Median(scans), "s", 5)
	b.Progress("submit of 20 MiB %.0f ms, bare %.0f ms, %.2f ×", rig.Median(took), rig.Median(bare), rig.Median(ratios))
	return nil
}

// bareWork decodes, sums, writes with fsync and inflates, one after the other.
func (b *bench) bareWork(encoded string) (time.Duration, error) {
	start := time.Now()
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return 0, err
	}
	sha256.Sum256(raw)
	file, err := os.Create(filepath.Join(b.Dir, "bare.zip"))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	if _, err := file.Write(raw); err != nil {
		return 0, err
	}
	if err := file.Sync(); err != nil {
		return 0, err
	}
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		return 0, err
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return 0, err
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

// uploadMemory is how much the server grows by for each of eight uploads at once.
func (b *bench) uploadMemory(p *rig.Process, submit func() (time.Duration, []byte, error)) error {
	time.Sleep(2 * time.Second) // let what earlier uploads used be given back
	grown, err := p.Peak(func() error { return atOnce(uploaders, submit) })
	b.report.value("memory per upload, eight of 20 MiB at once (all of the process, not the heap alone)", grown/uploaders, "MiB", 8)
	b.Progress("memory per upload %.1f MiB", grown/uploaders)
	return err
}

func atOnce(n int, f func() (time.Duration, []byte, error)) error {
	errs := make([]error, n)
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { _, _, errs[i] = f() })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// readsBesideUploads is how much slower a catalog list gets while eight uploads come in.
func (b *bench) readsBesideUploads(p *rig.Process, submit func() (time.Duration, []byte, error)) error {
	list := rig.Get("/api/templates?limit=50&sort_by=installs")
	read := func() (rig.Result, error) {
		return rig.Load(p.Address, 4, 2*time.Second, http.StatusOK, func(int) []byte { return list })
	}
	alone, err := read()
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	var wait sync.WaitGroup
	errs := make([]error, uploaders)
	for i := range uploaders {
		wait.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, _, errs[i] = submit(); errs[i] != nil {
					return
				}
			}
		})
	}
	time.Sleep(300 * time.Millisecond)
	beside, err := read()
	close(stop)
	wait.Wait()
	for _, e := range errs {
		if err == nil {
			err = e
		}
	}
	if err != nil {
		return err
	}
	b.report.value("catalog reads beside eight uploads: how many times fewer per second", alone.PerSecond()/beside.PerSecond(), "×", 3)
	b.report.value("catalog reads beside eight uploads: p50 times that alone", float64(beside.Quantile(0.5))/float64(alone.Quantile(0.5)), "×", 0)
	b.Progress("reads beside uploads: %.0f/s against %.0f/s", beside.PerSecond(), alone.PerSecond())
	return nil
}

// downloads measures a package's way back against http.ServeFile of the same bytes.
func (b *bench) downloads(data string) error {
	u, err := b.uploader(data)
	if err != nil {
		return err
	}
	defer u.Stop()
	_, answer, err := u.submit()
	if err == nil {
		err = u.scanned(answer)
	}
	if err != nil {
		return err
	}
	var made struct {
		Data struct {
			ID string `json:"submission_id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &made); err != nil {
		return err
	}
	file := filepath.Join(b.Dir, "served.zip")
	if err := os.WriteFile(file, u.zipped, 0o600); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) }))
	target := rig.Get("/api/member/submissions/package/download?submission_id="+made.Data.ID, "Authorization: Bearer "+u.token)
	plain := rig.Get("/served.zip")
	ceiling := func(lasting time.Duration) (rig.Result, time.Duration, error) {
		r, err := rig.Load(listener.Addr().String(), 1, lasting, http.StatusOK, func(int) []byte { return plain })
		return r, 0, err
	}
	return b.duel(duel{"download of a submission's package, 20 MiB, against http.ServeFile", 0.7, b.http(u.Process, 1, http.StatusOK, func(int) []byte { return target }), ceiling})
}

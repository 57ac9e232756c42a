package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stoa/tests/load/stores"
)

const (
	packageBytes = 19 << 20 // of the zip that is uploaded; with its records it stays below the limit of 20 MiB
	uploaders    = 8
)

// uploader is a running server and a member who submits a large package to it.
type uploader struct {
	*process
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
	u := &uploader{process: p}
	if u.token, err = login(p.address, stores.Member(0)); err == nil {
		u.zipped, err = textPackage()
	}
	if err != nil {
		p.stop()
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
	request := write("POST", "/api/templates/submit", string(body), "Authorization: Bearer "+u.token)
	start := time.Now()
	status, _, answer, err := fetchWhole(u.address, request)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("submit answered %d: %.300s", status, answer)
	}
	return time.Since(start), answer, err
}

func (u *uploader) scanned(answer []byte) error { return waitScanned(u.address, u.token, answer) }

// uploads measures submitting a large package: against the bare work, in memory, beside readers.
func (b *bench) uploads(data string) error {
	u, err := b.uploader(data)
	if err != nil {
		return err
	}
	defer u.stop()
	if err := b.submitAgainstBare(u.submit, u.scanned, u.text); err != nil {
		return err
	}
	if err := b.uploadMemory(u.process, u.submit); err != nil {
		return err
	}
	return b.readsBesideUploads(u.process, u.submit)
}

const packageID = "bench/large"

// textPackage is a template package of prose, just below the limit.
func textPackage() ([]byte, error) {
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
	if err := add("bundle.json", fmt.Appendf(nil, `{"template_id":%q,"version":"1.0.0","prompt":"You keep a library."}`, packageID)); err != nil {
		return nil, err
	}
	for n := 0; out.Len() < packageBytes-1<<20; n++ {
		var text bytes.Buffer
		for text.Len() < 2<<20 {
			// Numbers keep it from compressing better than prose does.
			fmt.Fprintf(&text, "%s %s %s %d%c", stores.Words.Draw(r), stores.Words.Telling(r), stores.Words.Draw(r), r.IntN(1e6), " \n"[r.IntN(8)/7])
		}
		if err := add(fmt.Sprintf("chapters/%03d.md", n), text.Bytes()); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

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
		ratios, took, bare = append(ratios, t.Seconds()/w.Seconds()), append(took, ms(t)), append(bare, ms(w))
	}
	b.report.value("submit of 20 MiB end to end, times the bare work (base64, SHA-256, inflate, write and fsync)", median(ratios), "×", 2.0)
	b.report.value("submit of 20 MiB, median", median(took), "ms", 0)
	b.report.value("the bare work, median", median(bare), "ms", 0)
	b.report.value("scan of that package, after the answer, median", median(scans), "s", 5)
	b.progress("submit of 20 MiB %.0f ms, bare %.0f ms, %.2f ×", median(took), median(bare), median(ratios))
	return nil
}

// waitScanned waits until a submission's package is scanned.
func waitScanned(address, token string, answer []byte) error {
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
	request := get("/api/member/submissions/detail?submission_id="+made.Data.ID, "Authorization: Bearer "+token)
	for made.Data.Labels = []string{"scan_pending"}; slices.Contains(made.Data.Labels, "scan_pending"); time.Sleep(20 * time.Millisecond) {
		status, _, text, err := fetchWhole(address, request)
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

// bareWork decodes, sums, writes with fsync and inflates, one after the other.
func (b *bench) bareWork(encoded string) (time.Duration, error) {
	start := time.Now()
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return 0, err
	}
	sha256.Sum256(raw)
	file, err := os.Create(filepath.Join(b.dir, "bare.zip"))
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
func (b *bench) uploadMemory(p *process, submit func() (time.Duration, []byte, error)) error {
	time.Sleep(2 * time.Second) // let what earlier uploads used be given back
	idle := p.memory("RssAnon")
	most := idle
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
				most = max(most, p.memory("RssAnon"))
			}
		}
	})
	err := atOnce(uploaders, submit)
	close(done)
	watch.Wait()
	b.report.value("memory per upload, eight of 20 MiB at once (all of the process, not the heap alone)", (most-idle)/uploaders, "MiB", 8)
	b.progress("memory per upload %.1f MiB", (most-idle)/uploaders)
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
func (b *bench) readsBesideUploads(p *process, submit func() (time.Duration, []byte, error)) error {
	list := get("/api/templates?limit=50&sort_by=installs")
	read := func() (result, error) {
		return load(p.address, 4, 2*time.Second, http.StatusOK, func(int) []byte { return list })
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
	b.report.value("catalog reads beside eight uploads: how many times fewer per second", alone.perSecond()/beside.perSecond(), "×", 3)
	b.report.value("catalog reads beside eight uploads: p50 times that alone", float64(beside.quantile(0.5))/float64(alone.quantile(0.5)), "×", 0)
	b.progress("reads beside uploads: %.0f/s against %.0f/s", beside.perSecond(), alone.perSecond())
	return nil
}

// downloads measures a package's way back against http.ServeFile of the same bytes.
func (b *bench) downloads(data string) error {
	u, err := b.uploader(data)
	if err != nil {
		return err
	}
	defer u.stop()
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
	file := filepath.Join(b.dir, "served.zip")
	if err := os.WriteFile(file, u.zipped, 0o600); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) }))
	target := get("/api/member/submissions/package/download?submission_id="+made.Data.ID, "Authorization: Bearer "+u.token)
	plain := get("/served.zip")
	ceiling := func(lasting time.Duration) (result, time.Duration, error) {
		r, err := load(listener.Addr().String(), 1, lasting, http.StatusOK, func(int) []byte { return plain })
		return r, 0, err
	}
	return b.duel(duel{"download of a submission's package, 20 MiB, against http.ServeFile", 0.7, b.http(u.process, 1, http.StatusOK, func(int) []byte { return target }), ceiling})
}

package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stoa/tests/load/rig"
	"stoa/tests/load/stores"
)

// Uploads of a package just below the limit of 20 MiB.
const (
	largePackage  = 19 << 20
	uploadsAtOnce = 8 // for their memory
	uploadClients = 2
	uploadsEach   = 2 // of each client in one turn
	uploadTurns   = 3 // at most: every package is scanned afterwards, which takes seconds
)

// uploadRequest is an upload, ready to be sent, whose package changes from one to the next: no two have the same content.
type uploadRequest struct {
	bytes   []byte
	zipped  []byte
	content int  // where the package is in bytes
	coded   bool // it is in base64
	key     int  // where the key is, in digits; 0 for none
}

var marks atomic.Int64

// next changes the package and the key.
func (u *uploadRequest) next() []byte {
	n := marks.Add(1)
	for _, changed := range rig.Mark(u.zipped, n) {
		from, to := changed[0], changed[1]
		if !u.coded {
			copy(u.bytes[u.content+from:], u.zipped[from:to])
			continue
		}
		from, to = from/3*3, min((to+2)/3*3, len(u.zipped)) // whole groups of digits
		base64.StdEncoding.Encode(u.bytes[u.content+from/3*4:], u.zipped[from:to])
	}
	if u.key > 0 {
		copy(u.bytes[u.key:], fmt.Sprintf(keyFormat, n))
	}
	return u.bytes
}

const keyFormat = "large-package-%012d"

func (p *pair) uploadRequests(zipped []byte, member int) (stoa, peer *uploadRequest) {
	key := fmt.Sprintf(keyFormat, 0)
	body := `{"template_id":"load-mixed/large","version":"1.0.0","package_name":"large.zip","upload_options":{"idempotency_key":"` + key + `"},"package_base64":"`
	text := base64.StdEncoding.EncodeToString(zipped)
	request := rig.Write("POST", "/api/templates/submit", body+text+`"}`, "Authorization: Bearer "+p.tokens[member])
	at := len(request) - len(`"}`) - len(text)
	stoa = &uploadRequest{bytes: request, zipped: slices.Clone(zipped), content: at, coded: true, key: at - len(body) + strings.Index(body, key)}
	raw, at := multipart(zipped)
	return stoa, &uploadRequest{bytes: raw, zipped: slices.Clone(zipped), content: at}
}

// uploads compares what uploads of a large package cost in memory, how fast they are, and how fast the package comes back.
func (p *pair) uploads() error {
	zipped, err := rig.Package("load-mixed/large", largePackage)
	if err != nil {
		return err
	}
	var requests [2][uploadsAtOnce]*uploadRequest
	for i := range uploadsAtOnce {
		requests[0][i], requests[1][i] = p.uploadRequests(zipped, i%stores.Members)
	}
	servers := [2]*rig.Process{p.stoa, p.peer.Process}
	var grown [2]float64
	for i, server := range servers {
		if grown[i], err = server.Peak(func() error { return atOnce(server.Address, requests[i][:]) }); err != nil {
			return err
		}
		if err := p.settle(server); err != nil {
			return err
		}
	}
	p.add(ratio{
		"memory of the process per upload of 20 MiB, eight at once (ratio: PocketBase's to Stoa's)", fmt.Sprintf("%.1f MiB", grown[0]/uploadsAtOnce),
		fmt.Sprintf("%.1f MiB", grown[1]/uploadsAtOnce), grown[1] / max(grown[0], 0.1), 10,
	})
	var rates [2][]float64
	var ratios []float64
	for range min(p.slices, uploadTurns) {
		var got [2]float64
		for i, server := range servers {
			var sent [uploadClients]int
			r, err := rig.Load(server.Address, uploadClients, time.Hour, 200, func(conn int) []byte {
				if sent[conn]++; sent[conn] > uploadsEach {
					return nil
				}
				return requests[i][conn].next()
			})
			if err == nil && r.Wrong > 0 {
				err = fmt.Errorf("%d of %d uploads were refused", r.Wrong, r.Done)
			}
			if err != nil {
				return err
			}
			got[i] = r.PerSecond()
			rates[i] = append(rates[i], got[i])
			if err := p.settle(server); err != nil { // scans must not run beside the other's turn
				return err
			}
		}
		ratios = append(ratios, got[0]/got[1])
	}
	text := func(i int) string { return fmt.Sprintf("%.2f/s", rig.Median(rates[i])) }
	p.add(ratio{"upload of 20 MiB, two at a time (here: base64 in JSON, inflated, synced; there: multipart, not synced)", text(0), text(1), rig.Median(ratios), 1.5})
	return p.downloads(requests[0][0], requests[1][0])
}

// downloads compares the way back of one package.
func (p *pair) downloads(stoa, peer *uploadRequest) error {
	status, _, answer, err := rig.Whole(p.stoa.Address, stoa.next())
	if err != nil || status != 200 {
		return fmt.Errorf("an upload answered %d: %.300s: %w", status, answer, err)
	}
	if err := rig.WaitScanned(p.stoa.Address, p.tokens[0], answer); err != nil {
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
	status, _, answer, err = rig.Whole(p.peer.Address, peer.next())
	if err != nil || status != 200 {
		return fmt.Errorf("an upload to PocketBase answered %d: %.300s: %w", status, answer, err)
	}
	var record struct{ ID, Package string }
	if err := json.Unmarshal(answer, &record); err != nil {
		return err
	}
	here := rig.Get("/api/member/submissions/package/download?submission_id="+made.Data.ID, "Authorization: Bearer "+p.tokens[0])
	there := rig.Get("/api/files/packages/" + record.ID + "/" + record.Package)
	return p.compare(contest{item: "download of 20 MiB, one at a time", goal: 1, clients: 1, twin: twin{func(int) []byte { return here }, func(int) []byte { return there }}})
}

// atOnce sends each request once, all at the same time.
func atOnce(address string, requests []*uploadRequest) error {
	errs := make([]error, len(requests))
	var wait sync.WaitGroup
	for i, u := range requests {
		wait.Go(func() {
			status, _, answer, err := rig.Whole(address, u.next())
			if err == nil && status != 200 {
				err = fmt.Errorf("an upload answered %d: %.300s", status, answer)
			}
			errs[i] = err
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

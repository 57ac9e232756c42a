package rig

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
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
	err := w.Close()
	return out.Bytes(), err
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

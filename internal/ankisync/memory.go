package ankisync

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// memory is what is remembered between rounds, of one server, member and profile.
type memory struct {
	path string
	// Cards and Notes say when each changed last in Anki, in seconds; 0 for one that must be looked at again.
	Cards map[int64]int64 `json:"cards"`
	Notes map[int64]int64 `json:"notes"`
	// Media are the files that were sent.
	Media map[string]bool `json:"media"`
	// Waiting are cards that are suspended because they wait for others. Trying are those for which that was begun. Left are those that
	// the learner freed all the same.
	Waiting map[int64]bool `json:"waiting"`
	Trying  map[int64]bool `json:"trying"`
	Left    map[int64]bool `json:"left"`
	// Due are cards whose day is to be set in Anki.
	Due map[int64]dueDay `json:"due"`
}

// dueDay is a day that follows from a review, which was the card's latest.
type dueDay struct {
	Review int64     `json:"review"`
	Days   int64     `json:"days"`
	From   time.Time `json:"from"`
}

// recall reads what is remembered in a folder.
func recall(dir, server, member, profile string) (*memory, error) {
	sum := sha256.Sum256([]byte(server + "\n" + member + "\n" + profile))
	m := &memory{path: filepath.Join(dir, "anki-"+hex.EncodeToString(sum[:8])+".json")}
	text, err := os.ReadFile(m.path)
	if err == nil && json.Unmarshal(text, m) != nil {
		err = fmt.Errorf("%s is damaged. It says which cards wait for others; look at the suspended cards in Anki, then delete it", m.path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, at := range []*map[int64]int64{&m.Cards, &m.Notes} {
		if *at == nil {
			*at = map[int64]int64{}
		}
	}
	for _, at := range []*map[int64]bool{&m.Waiting, &m.Trying, &m.Left} {
		if *at == nil {
			*at = map[int64]bool{}
		}
	}
	if m.Media == nil {
		m.Media = map[string]bool{}
	}
	if m.Due == nil {
		m.Due = map[int64]dueDay{}
	}
	return m, err
}

// forget has everything be looked at again.
func (m *memory) forget() {
	clear(m.Cards)
	clear(m.Notes)
	clear(m.Media)
}

// keep writes it down, whole or not at all.
func (m *memory) keep() error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(m.path), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(m.path), "anki-*") // 0600
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), m.path)
	}
	if err != nil {
		os.Remove(temp.Name())
	}
	return err
}

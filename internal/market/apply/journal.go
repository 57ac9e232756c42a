package apply

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrBusy is a bot that another process on this machine works on.
var ErrBusy = errors.New("another stoa works on this bot at the moment; try again when it is done")

// FileJournal keeps the state of one bot in a file that only its owner can read. It holds texts of the member's bot and
// never the bot's key. While it is open no other process can open it.
type FileJournal struct {
	path   string
	target string
	lock   *os.File
}

// OpenFile opens the journal of a bot below dir.
func OpenFile(dir, target string) (*FileJournal, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(target))
	j := &FileJournal{path: filepath.Join(dir, hex.EncodeToString(sum[:8])+".json"), target: target}
	var err error
	if j.lock, err = os.OpenFile(j.path+".lock", os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return nil, err
	}
	if err := lockFile(j.lock); err != nil {
		return nil, errors.Join(ErrBusy, j.lock.Close())
	}
	return j, nil
}

// Close lets others open it.
func (j *FileJournal) Close() error { return j.lock.Close() }

// Load reads the state; an empty one when there is none.
func (j *FileJournal) Load() (State, error) {
	s := State{Target: j.target}
	text, err := os.ReadFile(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(text, &s); err != nil || s.Target != j.target {
		return s, fmt.Errorf("the journal %s is damaged; nothing was done", j.path)
	}
	return s, nil
}

// Save writes the state beside the old one, brings it to disk and puts it in its place.
func (j *FileJournal) Save(s State) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(j.path), ".journal-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	if _, err := temp.Write(text); err != nil {
		return err
	}
	if err := errors.Join(temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), j.path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(j.path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return syncDir(dir)
}

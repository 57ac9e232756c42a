package feed

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
)

const gitCapabilities = "shallow no-progress side-band-64k ofs-delta symref=HEAD:" + branch + " object-format=sha1 agent=stoa"

// Advertise writes what `info/refs?service=git-upload-pack` answers, in version 0 of the protocol, which every client takes.
func (r *Repository) Advertise(w io.Writer) error {
	e := pktline.NewEncoder(w)
	lines := []string{"# service=git-upload-pack\n", ""}
	lines = append(lines, r.refs[0].hash.String()+" HEAD\x00"+gitCapabilities+"\n")
	for _, ref := range r.refs {
		lines = append(lines, ref.hash.String()+" "+ref.name+"\n")
	}
	for _, line := range append(lines, "") {
		if line == "" {
			if err := e.Flush(); err != nil {
				return err
			}
			continue
		}
		if err := e.EncodeString(line); err != nil {
			return err
		}
	}
	return nil
}

// ErrGitRequest is a request that no client of git makes.
var ErrGitRequest = errors.New("feed: this is no request to git-upload-pack")

// Bounds of a request to upload-pack.
const (
	maxWants    = 64
	maxGitLines = 20_000
)

// wanted is a request to upload-pack.
type wanted struct {
	wants    []plumbing.Hash
	shallows []plumbing.Hash // commits that the client has without their parents
	depth    int             // 0 for all
	more     bool            // there is something after the first flush
	done     bool
	banded   bool // side-band-64k
}

func readWanted(body io.Reader) (w wanted, err error) {
	scan := pktline.NewScanner(body)
	flushed := false
	for n := 0; scan.Scan(); n++ {
		line := strings.TrimSuffix(string(scan.Bytes()), "\n")
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case n > maxGitLines:
			return w, ErrGitRequest
		case line == "":
			flushed = true
			continue
		case word == "done":
			w.done = true
		case flushed && word == "have":
		case !flushed && word == "want" && len(rest) >= 40 && len(w.wants) < maxWants:
			w.wants = append(w.wants, plumbing.NewHash(rest[:40]))
			w.banded = w.banded || strings.Contains(rest, "side-band-64k")
		case !flushed && word == "shallow":
			w.shallows = append(w.shallows, plumbing.NewHash(rest))
		case !flushed && word == "deepen":
			if w.depth, err = strconv.Atoi(rest); err != nil || w.depth < 1 {
				return w, ErrGitRequest
			}
		default:
			return w, ErrGitRequest
		}
		w.more = w.more || flushed
	}
	if scan.Err() != nil || len(w.wants) == 0 {
		return w, ErrGitRequest
	}
	return w, nil
}

// UploadPack answers one POST of a fetch. What the client has already is not looked at: the whole pack is always right.
func (r *Repository) UploadPack(w io.Writer, body io.Reader) error {
	in, err := readWanted(body)
	if err != nil {
		return err
	}
	e := pktline.NewEncoder(w)
	for _, want := range in.wants {
		if r.commits[want] == nil {
			return e.EncodeString("ERR upload-pack: not our ref " + want.String() + "\n")
		}
	}
	send, edge := r.reach(in.wants, in.depth)
	if in.depth > 0 {
		if err := tellShallow(e, in, send, edge); err != nil {
			return err
		}
		if !in.more && !in.done {
			return nil
		}
	}
	if err := e.EncodeString("NAK\n"); err != nil || !in.done {
		return err
	}
	out := w
	if in.banded {
		out = sideband.NewMuxer(sideband.Sideband64k, w)
	}
	if _, err := packfile.NewEncoder(out, r.objects, false).Encode(r.objectsOf(send), 0); err != nil {
		return fmt.Errorf("feed: writing a pack: %w", err)
	}
	if in.banded {
		return e.Flush()
	}
	return nil
}

// reach lists the commits to be sent, and those of them whose parents stay out because of the depth.
func (r *Repository) reach(wants []plumbing.Hash, depth int) (send []*commit, edge map[plumbing.Hash]bool) {
	at := map[plumbing.Hash]int{}
	edge = map[plumbing.Hash]bool{}
	for _, want := range wants {
		for c, d := r.commits[want], 1; c != nil && (depth == 0 || d <= depth); c, d = c.parent, d+1 {
			if known, seen := at[c.hash]; !seen {
				send = append(send, c)
			} else if known <= d {
				break // as deep from here as from before
			}
			at[c.hash] = d
		}
	}
	for _, c := range send {
		if _, sent := at[c.hash]; c.parent != nil && sent {
			_, parent := at[c.parent.hash]
			edge[c.hash] = !parent
		}
	}
	return send, edge
}

func tellShallow(e *pktline.Encoder, in wanted, send []*commit, edge map[plumbing.Hash]bool) error {
	for _, c := range send {
		if edge[c.hash] {
			if err := e.EncodeString("shallow " + c.hash.String() + "\n"); err != nil {
				return err
			}
		}
	}
	for _, had := range in.shallows {
		for _, c := range send {
			if c.hash == had && !edge[had] && c.parent != nil {
				if err := e.EncodeString("unshallow " + had.String() + "\n"); err != nil {
					return err
				}
			}
		}
	}
	return e.Flush()
}

// objectsOf lists the commits with all that their trees hold.
func (r *Repository) objectsOf(commits []*commit) []plumbing.Hash {
	var out []plumbing.Hash
	seen := map[plumbing.Hash]bool{}
	var walk func(hash plumbing.Hash)
	walk = func(hash plumbing.Hash) {
		if seen[hash] {
			return
		}
		seen[hash] = true
		out = append(out, hash)
		tree, ok := r.objects.Trees[hash]
		if !ok {
			return
		}
		for _, child := range childrenOf(tree) {
			walk(child)
		}
	}
	for _, c := range commits {
		out = append(out, c.hash)
		walk(c.tree)
	}
	return out
}

// childrenOf reads the hashes in a tree that this package wrote.
func childrenOf(tree plumbing.EncodedObject) []plumbing.Hash {
	reader, err := tree.Reader()
	if err != nil {
		panic(err) // in memory
	}
	defer reader.Close()
	body, err := io.ReadAll(reader)
	if err != nil {
		panic(err) // in memory
	}
	var out []plumbing.Hash
	for len(body) > 0 {
		i := strings.IndexByte(string(body), 0)
		out = append(out, plumbing.Hash(body[i+1:i+21]))
		body = body[i+21:]
	}
	return out
}

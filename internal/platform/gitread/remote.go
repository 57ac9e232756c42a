package gitread

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"

	"stoa/internal/platform/fetch"
)

// Fetcher gets documents; *fetch.Client is one.
type Fetcher interface {
	Get(ctx context.Context, address, etag string, limit int64) (fetch.Answer, error)
	Post(ctx context.Context, address, kind string, body []byte, limit int64) (fetch.Answer, error)
}

// wanted are the capabilities of a server that are made use of.
var wanted = []string{"side-band-64k", "ofs-delta", "no-progress", "shallow"}

// Bounds of what a server tells before anything is fetched.
const (
	maxRefs      = 8 << 20 // bytes of the list of refs
	maxRefsLines = 100_000
)

// ErrNoRepository says that an address answers, but not as a repository does.
var ErrNoRepository = errors.New("there is no git repository that can be read over smart HTTP")

// ErrNoCommit says that a repository does not have what was asked for.
var ErrNoCommit = errors.New("the repository does not have this commit, branch or tag")

// Remote is a repository as its server announced it.
type Remote struct {
	// Head is the commit of the branch that is checked out by default.
	Head    string
	address string
	refs    map[string]string
	can     map[string]bool
}

// Open asks a repository which refs it has.
func Open(ctx context.Context, f Fetcher, address string) (*Remote, error) {
	const question = "/info/refs?service=git-upload-pack"
	address = strings.TrimRight(address, "/")
	answer, err := f.Get(ctx, address+question, "", maxRefs)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(answer.Body, []byte("001e# service=git-upload-pack")) {
		return nil, ErrNoRepository
	}
	r := &Remote{address: address, refs: map[string]string{}, can: map[string]bool{}}
	if moved, ok := strings.CutSuffix(answer.URL, question); ok {
		r.address = moved // the repository has another name now; what is sent must go there
	}
	scan := pktline.NewScanner(bytes.NewReader(answer.Body))
	for n := 0; scan.Scan(); n++ {
		line := strings.TrimSuffix(string(scan.Bytes()), "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		line, capabilities, first := strings.Cut(line, "\x00")
		for c := range strings.FieldsSeq(capabilities) {
			if slices.Contains(wanted, c) {
				r.can[c] = true
			}
		}
		hash, name, ok := strings.Cut(line, " ")
		if !ok || !isHash(hash) || n > maxRefsLines {
			return nil, ErrNoRepository
		}
		if first && name == "capabilities^{}" {
			return nil, fmt.Errorf("%w: it is empty", ErrNoCommit)
		}
		r.refs[name] = hash
	}
	if scan.Err() != nil || len(r.refs) == 0 {
		return nil, ErrNoRepository
	}
	if r.Head = r.refs["HEAD"]; r.Head == "" {
		if r.Head = r.refs["refs/heads/main"]; r.Head == "" {
			r.Head = r.refs["refs/heads/master"]
		}
	}
	return r, nil
}

// isHash tells whether a text is the id of an object by SHA-1. Repositories by SHA-256 are not read.
func isHash(s string) bool {
	return len(s) == 40 && strings.Trim(s, "0123456789abcdef") == ""
}

// Commit gives the commit that a branch, a tag or an id names; "" is the default branch.
func (r *Remote) Commit(ref string) (string, error) {
	if ref == "" && r.Head != "" {
		return r.Head, nil
	}
	for _, name := range []string{ref, "refs/heads/" + ref, "refs/tags/" + ref} {
		if hash := r.refs[name+"^{}"]; hash != "" {
			return hash, nil // of a tag with a message: the commit that it is on
		}
		if hash := r.refs[name]; hash != "" {
			return hash, nil
		}
	}
	if isHash(ref) {
		return ref, nil
	}
	return "", fmt.Errorf("%w: %.100q", ErrNoCommit, ref)
}

// Fetch gets a commit with its files, without its history.
func (r *Remote) Fetch(ctx context.Context, f Fetcher, commit string, l Limits) (*Tree, error) {
	var body bytes.Buffer
	e := pktline.NewEncoder(&body)
	want := "want " + commit
	for _, c := range wanted {
		if r.can[c] {
			want += " " + c
		}
	}
	lines := []string{want + "\n"}
	if r.can["shallow"] {
		lines = append(lines, "deepen 1\n")
	}
	if err := errors.Join(e.EncodeString(lines...), e.Flush(), e.EncodeString("done\n")); err != nil {
		return nil, err
	}
	answer, err := f.Post(ctx, r.address+"/git-upload-pack", "application/x-git-upload-pack-request", body.Bytes(), l.Packed)
	if err != nil {
		return nil, err
	}
	rest := bytes.NewReader(answer.Body)
	scan := pktline.NewScanner(rest)
	ready := false
	for !ready && scan.Scan() {
		line := strings.TrimSuffix(string(scan.Bytes()), "\n")
		switch {
		case line == "NAK" || strings.HasPrefix(line, "ACK "):
			ready = true
		case strings.HasPrefix(line, "ERR "):
			return nil, fmt.Errorf("%w: its server says %.200q", ErrNoCommit, line[4:])
		}
	}
	if !ready { // git's own server ends without a word
		return nil, fmt.Errorf("%w: its server does not give %s", ErrNoCommit, commit)
	}
	pack := answer.Body[len(answer.Body)-rest.Len():]
	if r.can["side-band-64k"] {
		if pack, err = unband(pack); err != nil {
			return nil, err
		}
	}
	objects, err := readPack(pack, l)
	if err != nil {
		return nil, err
	}
	return treeOf(objects, commit, l)
}

// unband takes the pack out of the lines that it comes in (side-band-64k), within the memory of what was sent.
func unband(sent []byte) ([]byte, error) {
	pack := sent[:0]
	for len(sent) > 0 {
		var size [2]byte
		if n, err := hex.Decode(size[:], sent[:min(4, len(sent))]); err != nil || n != 2 {
			return nil, fmt.Errorf("%w: what it sends cannot be read", ErrPack)
		}
		n := int(binary.BigEndian.Uint16(size[:]))
		if n == 0 {
			break
		}
		if n < 5 || n > len(sent) {
			return nil, fmt.Errorf("%w: what it sends cannot be read", ErrPack)
		}
		switch line := sent[5:n]; sent[4] {
		case 1:
			pack = append(pack, line...)
		case 3:
			return nil, fmt.Errorf("%w: its server says %.200q", ErrPack, line)
		}
		sent = sent[n:]
	}
	return pack, nil
}

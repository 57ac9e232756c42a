package cost

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"stoa/internal/learning/media"
	"stoa/internal/market/mirror"
	"stoa/internal/platform/clientdoc"
	"stoa/internal/platform/fetch"
	"stoa/internal/platform/gitread"
	"stoa/internal/platform/passkey"
)

// networkReaders read what other servers answer and what programs and authenticators send.
func networkReaders() []reader {
	all := []reader{
		{"git refs", 1 << 20, func(text []byte) {
			_, _ = gitread.Open(context.Background(), answers{get: text}, "https://a.example/x.git")
		}},
		{"git refs in lines", 1 << 20, func(text []byte) {
			_, _ = gitread.Open(context.Background(), answers{get: advertised(text)}, "https://a.example/x.git")
		}},
		{"git answer", 1 << 20, func(text []byte) { fetched(text, someCommit) }},
		{"git pack", 1 << 20, func(text []byte) { fetched(append([]byte("0008NAK\n"), text...), someCommit) }},
		{"git objects", 1 << 20, func(text []byte) { fetched(packOf(text, false)) }},
		{"git differences", 1 << 20, func(text []byte) { fetched(packOf(text, true)) }},
		{"client document", 1 << 20, func(text []byte) { _, _ = clientdoc.Register(text) }},
		{"client id", 1 << 20, func(text []byte) { clientdoc.Registered(registered() + base64.RawURLEncoding.EncodeToString(text)) }},
		{"passkey answer", 1 << 20, func(text []byte) { answered(text) }},
		{"passkey attestation", 1 << 20, func(text []byte) {
			answered(fmt.Appendf(nil, `{"id":"YQ","rawId":"YQ","type":"public-key","response":{"clientDataJSON":%q,"attestationObject":%q,"authenticatorData":%q,"signature":"YQ"}}`,
				coded([]byte(`{"type":"webauthn.create","challenge":"YQ","origin":"https://a.example"}`)), coded(text), coded(text)))
		}},
		{"passkey client data", 1 << 20, func(text []byte) {
			answered(fmt.Appendf(nil, `{"id":"YQ","rawId":"YQ","type":"public-key","response":{"clientDataJSON":%q,"attestationObject":"oA","authenticatorData":"oA","signature":"YQ"}}`, coded(text)))
		}},
		{"note media", 1 << 20, func(text []byte) {
			for len(text) > 0 {
				n := min(len(text), media.HeadBytes)
				media.Kind(text[:n])
				text = text[n:]
			}
		}},
	}
	for _, kind := range []mirror.Kind{mirror.Stoa, mirror.Skills, mirror.ClawHub, mirror.AstrBot, mirror.Registry, mirror.Marketplace, mirror.GitMarketplace} {
		all = append(all, reader{"mirror " + string(kind), 1 << 20, func(text []byte) { mirrored(kind, text) }})
	}
	return append(all, reader{"mirror of any kind", 1 << 20, func(text []byte) {
		_, _ = mirror.Detect(context.Background(), answers{get: text, post: text}, "https://a.example/list.json", time.Unix(1e9, 0))
	}})
}

func init() { readers = append(readers, networkReaders()...) }

func coded(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// answers are what a server says to every question.
type answers struct{ get, post []byte }

func (a answers) Get(_ context.Context, address, _ string, _ int64) (fetch.Answer, error) {
	return fetch.Answer{Body: a.get, URL: address}, nil
}

func (a answers) Post(_ context.Context, address, _ string, _ []byte, _ int64) (fetch.Answer, error) {
	return fetch.Answer{Body: a.post, URL: address}, nil
}

const someCommit = "95d09f2b10159347eece71399a7e2e907ea3df4f"

// advertised writes a text as the refs of a repository, a line each.
func advertised(text []byte) []byte {
	out := []byte("001e# service=git-upload-pack\n0000")
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		line = line[:min(len(line), 60_000)]
		out = append(fmt.Appendf(out, "%04x", len(line)+5), append(line, '\n')...)
	}
	return append(out, "0000"...)
}

// fetched reads an answer of a repository's server to whoever asks for a commit.
func fetched(answer []byte, commit string) {
	server := answers{get: advertised([]byte(commit + " HEAD\x00ofs-delta agent=x")), post: answer}
	opened, err := gitread.Open(context.Background(), server, "https://a.example/x.git")
	if err != nil {
		return
	}
	tree, err := opened.Fetch(context.Background(), server, commit, gitread.Limits{Packed: 32 << 20, Unpacked: 64 << 20, Inflated: 256 << 20, Objects: 100_000, File: 1 << 20, Files: 500, Folders: 64 << 20})
	if err == nil {
		_, _ = tree.Files("")
	}
}

// packOf is a pack of a commit whose folder and file both say a text, with the commit's name; with differences the folder is told by
// what differs from the file, which is the text as well.
func packOf(text []byte, differences bool) (pack []byte, commit string) {
	var body bytes.Buffer
	add := func(kind plumbing.ObjectType, data, base []byte) {
		size := len(data)
		b := byte(kind)<<4 | byte(size&15)
		for size >>= 4; size > 0; size >>= 7 {
			body.WriteByte(b | 0x80)
			b = byte(size & 0x7f)
		}
		body.WriteByte(b)
		body.Write(base)
		z := zlib.NewWriter(&body)
		_, _ = z.Write(data)
		_ = z.Close()
	}
	tree := plumbing.ComputeHash(plumbing.TreeObject, text)
	of := fmt.Appendf(nil, "tree %s\nauthor x <x> 0 +0000\ncommitter x <x> 0 +0000\n\nx\n", tree)
	add(plumbing.CommitObject, of, nil)
	add(plumbing.BlobObject, text, nil)
	if file := plumbing.ComputeHash(plumbing.BlobObject, text); differences {
		add(plumbing.REFDeltaObject, text, file[:])
	} else {
		add(plumbing.TreeObject, text, nil)
	}
	out := append([]byte("0008NAK\nPACK\x00\x00\x00\x02"), 0, 0, 0, 3)
	return append(out, body.Bytes()...), plumbing.ComputeHash(plumbing.CommitObject, of).String()
}

// registered is how ids of clients begin that registered.
func registered() string {
	c, err := clientdoc.Register([]byte(`{"client_name":"a","redirect_uris":["http://127.0.0.1:1/a"]}`))
	if err != nil {
		panic(err)
	}
	head, _, _ := strings.Cut(c.ID, coded([]byte(`{"`))[:2])
	return head
}

// answered gives what an authenticator says to the two who read it.
func answered(response []byte) {
	if _, kept, err := passkey.Offer("https://a.example", passkey.NewHandle(), "ada", nil); err == nil {
		_, _ = passkey.Accept(kept, "ada", response)
	}
	if _, kept, err := passkey.Ask("https://a.example"); err == nil {
		_, _ = passkey.Check(kept, response, func(string) (passkey.Key, error) { return passkey.Key{}, passkey.ErrRefused })
	}
}

// mirrored reads a list of another catalog, and the first of its entries, of which every file is the same text.
func mirrored(kind mirror.Kind, text []byte) {
	server := answers{get: text, post: text}
	session := mirror.NewSession(server, "https://a.example", time.Unix(1e9, 0))
	source := mirror.Source{Kind: kind, URL: "https://a.example"}
	page, err := mirror.List(context.Background(), session, source, "", "")
	if err != nil {
		return
	}
	for _, r := range page.Refs[:min(len(page.Refs), 3)] {
		_, _ = mirror.Read(context.Background(), session, source, r)
	}
}

// networkFrames are shapes that are sound for those formats.
func networkFrames(name string) []shape {
	entry := func(v any) string { text, _ := json.Marshal(v); return string(text) }
	out := []shape{
		{Head: `{"skills":[`, Unit: `{"name":"a№","slug":"a№","displayName":"A","description":"b","url":"a№/SKILL.md","files":["SKILL.md"],"latestVersion":{"version":"1.0.0"}},`, Tail: `{}]}`},
		{Head: `{"name":"m","owner":{"name":"a"},"plugins":[`, Unit: `{"name":"p№","source":"./p№","description":"b","skills":["./s"]},`, Tail: `{"name":"z","source":"./z"}]}`},
		{Head: `{"servers":[`, Unit: `{"server":{"name":"a.example/s№","version":"1.0.0","description":"b","packages":[{"registryType":"npm","identifier":"x","version":"1","transport":{"type":"stdio"}}]},"_meta":{"io.modelcontextprotocol.registry/official":{"status":"active","isLatest":true}}},`, Tail: `{}],"metadata":{}}`},
		{Head: `{"items":[`, Unit: `{"id":"a/b№","slug":"a--b№","kind":"template","version":"1.0.0","sha256":"00","change":1},`, Tail: `{}]}`},
		{Head: `{"$meta":{}`, Unit: `,"p№":{"name":"p№","author":"a","desc":"b","repo":"https://a.example/p№","version":"1"}`, Tail: `}`},
		{Unit: someCommit + " refs/heads/b№\n"},
		{Unit: "100644 a№\x00aaaaaaaaaaaaaaaaaaaa"},
		{Unit: "40000 a№\x00aaaaaaaaaaaaaaaaaaaa"},
		{Head: "tree " + someCommit + "\n", Unit: "parent " + someCommit + "\n", Tail: "\nx"},
		{Head: "\x80\x80\x40\x80\x80\x40", Unit: "\xb0\xff\xff"},
		{Head: "\x80\x08\x80\x10", Unit: "\x91\x00\x7f"},
		{Unit: "\x81", Tail: "\x00"},
		{Unit: "\xa1\x61a", Tail: "\x00"},
		{Unit: "\x9f", Close: "\xff"},
		{Unit: "\xbf\x61a", Tail: "\x00"},
		{Head: "\x9a\x00\x01\x00\x00", Unit: "\x60"},
		{Head: "\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x5a\x00\x0f\xff\xff", Unit: "a"},
		{Head: `{"client_name":"a","redirect_uris":[`, Unit: `"http://127.0.0.1:1/a№",`, Tail: `"http://localhost/"]}`},
		{Head: `{"client_name":"`, Unit: `\u00e9`, Tail: entry("a")},
	}
	for i := range out {
		out[i].Reader = name
	}
	return out
}

package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver named "sqlite", for the rows

	"stoa/tests/load/rig"
	"stoa/tests/load/stores"
)

// pocketBase is a running PocketBase with the same templates, open to everybody: it is spared all checks of callers.
type pocketBase struct {
	*rig.Process
	token string
}

// Names of its first account, which lives as long as one run.
const (
	peerAdmin    = "load@example.org"
	peerPassword = "a password for measuring"
)

// buildPeer builds PocketBase as tests/load/peer pins it.
func (p *programme) buildPeer() error {
	if p.peer == "" {
		p.peer = filepath.Join(p.cache, "pocketbase")
		p.Progress("building PocketBase, the first time for some minutes")
		if err := p.Command("tests/load/peer", "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", p.peer, "."); err != nil {
			return err
		}
	}
	text, err := os.ReadFile("tests/load/peer/go.mod")
	if err != nil {
		return err
	}
	const module = "require github.com/pocketbase/pocketbase "
	_, rest, _ := strings.Cut(string(text), module)
	version, _, _ := strings.Cut(rest, "\n")
	p.report.Peer = "PocketBase " + version
	return nil
}

// startPeer makes a store of it with the templates and starts it.
func (p *programme) startPeer() (*pocketBase, error) {
	if err := p.buildPeer(); err != nil {
		return nil, err
	}
	data := filepath.Join(p.Dir, "pocketbase")
	if err := p.Command("", p.peer, "superuser", "upsert", peerAdmin, peerPassword, "--dir", data); err != nil {
		return nil, err
	}
	b, err := p.servePeer(data)
	if err != nil {
		return nil, err
	}
	err = b.collections()
	b.Stop()
	if err != nil {
		return nil, err
	}
	p.Progress("filling PocketBase with %d templates", p.templates)
	if err := fillPeer(p.Ctx, filepath.Join(data, "data.db"), p.templates); err != nil {
		return nil, err
	}
	return p.servePeer(data)
}

func (p *programme) servePeer(data string) (*pocketBase, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	p.servers++
	process, err := rig.Start(p.Ctx, filepath.Join(p.Dir, fmt.Sprintf("pocketbase-%d.log", p.servers)), p.peer, "serve", "--http", address, "--dir", data)
	if err != nil {
		return nil, err
	}
	b := &pocketBase{Process: process}
	b.Address = address
	_, err = process.Healthy(time.Minute)
	if err != nil {
		b.Stop()
	}
	return b, err
}

// call makes one request as its administrator.
func (b *pocketBase) call(method, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	var headers []string
	if b.token != "" {
		headers = append(headers, "Authorization: "+b.token)
	}
	status, _, answer, err := rig.Whole(b.Address, rig.Write(method, path, string(body), headers...))
	if err == nil && status >= 300 {
		err = fmt.Errorf("PocketBase answered %s %d: %.500s", path, status, answer)
	}
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(answer, out)
}

// collections makes the tables, with indexes for the orders, the filters and the totals of the lists.
func (b *pocketBase) collections() error {
	var auth struct{ Token string }
	if err := b.call("POST", "/api/collections/_superusers/auth-with-password", map[string]string{"identity": peerAdmin, "password": peerPassword}, &auth); err != nil {
		return err
	}
	b.token = auth.Token
	type m = map[string]any
	var fields []m
	for _, name := range []string{"template_id", "version", "category", "maintainer", "channel", "risk", "tags", "title", "description", "prompt"} {
		fields = append(fields, m{"name": name, "type": "text"})
	}
	fields = append(fields, m{"name": "installs", "type": "number"})
	for _, c := range []m{
		{"name": "templates", "fields": fields, "indexes": []string{
			"CREATE UNIQUE INDEX by_template ON templates (template_id)", "CREATE INDEX by_installs ON templates (installs)",
			"CREATE INDEX by_category_installs ON templates (category, installs)", "CREATE INDEX by_category_template ON templates (category, template_id)",
			"CREATE INDEX by_all ON templates (category, channel, risk, id)", // to count without reading rows
		}},
		{"name": "installs", "fields": []m{{"name": "member", "type": "text"}, {"name": "template", "type": "text"}, {"name": "version", "type": "text"}}, "indexes": []string{
			"CREATE UNIQUE INDEX by_member ON installs (member, template)",
		}},
		{"name": "packages", "fields": []m{{"name": "package", "type": "file", "maxSelect": 1, "maxSize": 32 << 20}}},
	} {
		c["type"] = "base"
		for _, rule := range []string{"listRule", "viewRule", "createRule"} {
			c[rule] = ""
		}
		if err := b.call("POST", "/api/collections", c, nil); err != nil {
			return err
		}
	}
	return nil
}

// peerID is the id of the n-th template there.
func peerID(n int) string { return fmt.Sprintf("t%014d", n) }

// fillPeer writes the rows straight into its database while it is stopped.
func fillPeer(ctx context.Context, file string, n int) error {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	insert, err := tx.PrepareContext(ctx, `INSERT INTO templates (id, template_id, version, category, maintainer, channel, risk, tags, title, description, prompt, installs)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer insert.Close()
	for i := 1; i <= n; i++ {
		r := stores.RowOf(i)
		if _, err := insert.ExecContext(ctx, peerID(i), r.ID, r.Version, r.Category, r.Maintainer, r.Channel, r.Risk, strings.Join(r.Tags, " "), r.Title, r.Description, r.Prompt, r.Installs); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `ANALYZE`)
	return err
}

// multipart writes an upload there, and tells where in it the content begins.
func multipart(content []byte) (request []byte, contentAt int) {
	const boundary = "stoa-load-boundary"
	var body bytes.Buffer
	fmt.Fprintf(&body, "--%s\r\nContent-Disposition: form-data; name=\"package\"; filename=\"package.zip\"\r\nContent-Type: application/zip\r\n\r\n", boundary)
	inBody := body.Len()
	body.Write(content)
	fmt.Fprintf(&body, "\r\n--%s--\r\n", boundary)
	var b bytes.Buffer
	fmt.Fprintf(&b, "POST /api/collections/packages/records HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=%s\r\nContent-Length: %d\r\n\r\n", boundary, body.Len())
	contentAt = b.Len() + inBody
	b.Write(body.Bytes())
	return b.Bytes(), contentAt
}

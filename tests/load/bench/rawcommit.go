package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	_ "modernc.org/sqlite"

	"stoa/tests/load/rig"
)

// raw is the ceiling of an install: one goroutine that writes what up to 64 others want in one SQLite
// transaction, synchronous, with prepared statements, and nothing else around it.
type raw struct {
	db       *sql.DB
	conn     *sql.Conn
	inserts  [3]*sql.Stmt // installation, audit_event, engagement
	jobs     chan rawJob
	done     chan error
	sequence atomic.Int64
	items    int
}

type rawJob struct {
	member, item int
	reply        chan error
}

// schemaFile holds the product's own tables, so that the ceiling's rows go into the same indexes.
const schemaFile = "internal/platform/store/migrations/00001_floor.sql"

func openRaw(ctx context.Context, dir string, items int) (*raw, error) {
	schema, err := os.ReadFile(schemaFile)
	if err != nil {
		return nil, fmt.Errorf("run bench in the repository's root: %w", err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "raw.db")+
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=cache_size(-16384)&_pragma=mmap_size(268435456)")
	if err != nil {
		return nil, err
	}
	r := &raw{db: db, jobs: make(chan rawJob, writers), done: make(chan error, 1), items: items}
	if r.conn, err = db.Conn(ctx); err != nil {
		return nil, err
	}
	for _, text := range []string{
		strings.ReplaceAll(string(schema), ` COLLATE "C"`, ""),
		fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO engagement SELECT i, 0, 0, 0, 0, 0, 0, 0 FROM n`, items),
	} {
		if _, err := r.conn.ExecContext(ctx, text); err != nil {
			return nil, err
		}
	}
	for i, text := range []string{
		`INSERT INTO installation VALUES (?1, ?2, 'template', ?3, '1.0.0', ?4, 700, 'generated', 'webui-session', 'subagent_driven', 0, ?5, ?6, ?6)`,
		`INSERT INTO audit_event VALUES (?1, ?2, ?3, ?3, 1, 'template.installed', 'template', ?4, ?5, 1, 'installed', ?6, ?7)`,
		`UPDATE engagement SET installs = installs + 1, last_activity_at = ?2, changed_at = ?2 WHERE seq = ?1`,
	} {
		if r.inserts[i], err = r.conn.PrepareContext(ctx, text); err != nil {
			return nil, err
		}
	}
	go func() { r.done <- r.run(ctx) }()
	return r, nil
}

func (r *raw) close() {
	close(r.jobs)
	<-r.done
	r.conn.Close()
	r.db.Close()
}

func (r *raw) run(ctx context.Context) error {
	for first := range r.jobs {
		group, err := r.transaction(ctx, first)
		for _, j := range group {
			j.reply <- err
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *raw) transaction(ctx context.Context, first rawJob) ([]rawJob, error) {
	group := []rawJob{first}
	if _, err := r.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return group, err
	}
	for i := 0; i < len(group); i++ {
		if err := r.rows(ctx, group[i]); err != nil {
			return group, err
		}
		if len(group) == writers {
			continue
		}
		select {
		case j, ok := <-r.jobs:
			if ok {
				group = append(group, j)
			}
		default:
		}
	}
	_, err := r.conn.ExecContext(ctx, "COMMIT")
	return group, err
}

// Texts as long as the product's.
const (
	rawDigest  = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	rawOptions = `{"preflight":false,"force_reinstall":false,"source_preference":"auto","selected_sections":[]}`
	rawDetail  = `{"sha256":"` + rawDigest + `","source":"generated","version":"1.0.0"}`
	rawRequest = "0123456789abcdef01234567"
)

func (r *raw) rows(ctx context.Context, j rawJob) error {
	user, item, now := fmt.Sprintf("load-%02d", j.member), fmt.Sprintf("load/template-%07d", j.item), time.Now().UnixMicro()
	if _, err := r.inserts[0].ExecContext(ctx, user, item, j.item, rawDigest, rawOptions, now); err != nil {
		return err
	}
	id := uuid.Must(uuid.NewV7()).String()
	if _, err := r.inserts[1].ExecContext(ctx, id, now, user, item, "artifact-"+id, rawDetail, rawRequest); err != nil {
		return err
	}
	_, err := r.inserts[2].ExecContext(ctx, j.item%r.items+1, now)
	return err
}

// load lets 64 goroutines write for a while.
func (r *raw) load(lasting time.Duration) (rig.Result, error) {
	var wait sync.WaitGroup
	var parts [writers]rig.Result
	var errs [writers]error
	start := time.Now()
	for member := range writers {
		wait.Go(func() {
			reply := make(chan error, 1)
			at := start
			for at.Sub(start) < lasting && errs[member] == nil {
				r.jobs <- rawJob{member, int(r.sequence.Add(1) * 7919 % 10_000_019), reply}
				errs[member] = <-reply
				now := time.Now()
				parts[member].Times = append(parts[member].Times, now.Sub(at))
				at = now
			}
		})
	}
	wait.Wait()
	all := rig.Result{Took: time.Since(start)}
	for i := range parts {
		if errs[i] != nil {
			return all, errs[i]
		}
		all.Times = append(all.Times, parts[i].Times...)
	}
	all.Done = len(all.Times)
	slices.Sort(all.Times)
	return all, nil
}

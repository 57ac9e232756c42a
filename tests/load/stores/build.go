package stores

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"stoa/internal/market/pack"
	"stoa/internal/platform/account"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/search"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/fulltext"
)

const (
	// format changes when the stores' content does, so that old ones are not used.
	format = "2"
	batch  = 500
	// Members is how many members every store has, Password is the password of all of them.
	Members  = 64
	Password = "a password for measuring"
)

// Member names the n-th member, counted from 0.
func Member(n int) string { return fmt.Sprintf("load-%02d", n) }

// Path is where the store with n templates is kept below cache.
func Path(cache string, n int) string {
	return filepath.Join(cache, fmt.Sprintf("store-%s-%d", format, n))
}

// Made tells whether the store is there.
func Made(cache string, n int) bool {
	_, err := os.Stat(filepath.Join(Path(cache, n), "complete"))
	return err == nil
}

// Make makes the store with n templates unless it is there; progress is called as it grows.
func Make(ctx context.Context, cache string, n int, progress func(done int)) (dir string, err error) {
	dir = Path(cache, n)
	if Made(cache, n) {
		return dir, nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return dir, err
	}
	if err := Fill(ctx, filepath.Join(dir, "stoa.db"), filepath.Join(dir, "blobs"), n, progress); err != nil {
		return dir, err
	}
	return dir, os.WriteFile(filepath.Join(dir, "complete"), nil, 0o600)
}

// Fill writes n templates and the members into an empty store: database is a SQLite file or the address of a PostgreSQL
// database, packages the folder of the packages.
func Fill(ctx context.Context, database, packages string, n int, progress func(done int)) error {
	blobs, err := blob.OpenFolder(packages)
	if err != nil {
		return err
	}
	b := builder{}
	if err := b.packageOf(ctx, blobs); err != nil {
		return err
	}
	if b.store, err = store.Open(ctx, database, clock.System); err != nil {
		return err
	}
	return errors.Join(b.fill(ctx, n, progress), b.store.Close())
}

func (b *builder) fill(ctx context.Context, n int, progress func(done int)) error {
	if err := b.members(ctx); err != nil {
		return err
	}
	for from := 1; from <= n; from += batch {
		if err := b.items(ctx, from, min(from+batch, n+1)); err != nil {
			return err
		}
		progress(from)
	}
	return b.popular(ctx, n)
}

// builder writes one store.
type builder struct {
	store  *store.Store
	digest string
	size   int64
}

// packageOf puts the package that all templates share on disk.
func (b *builder) packageOf(ctx context.Context, blobs *blob.Folder) error {
	m := template(1)
	zip, err := pack.Build(&m.document)
	if err != nil {
		return err
	}
	b.digest, b.size, err = blobs.Put(ctx, bytes.NewReader(zip))
	return err
}

func (b *builder) members(ctx context.Context) error {
	hash, err := account.NewHasher(1).Hash(ctx, "", Password)
	if err != nil {
		return err
	}
	return b.store.Write(ctx, func(tx *store.Tx) error {
		for n := range Members {
			if err := tx.AddAccount(Member(n), hash); err != nil {
				return err
			}
		}
		return nil
	})
}

// popular marks the most installed templates in the search index, as the server does every hour.
func (b *builder) popular(ctx context.Context, n int) error {
	var seqs []int64
	for i := 1; i <= n; i++ {
		if rank(i) <= fulltext.MaxPopular/2 {
			seqs = append(seqs, int64(i))
		}
	}
	return b.store.Write(ctx, func(tx *store.Tx) error {
		return fulltext.RefreshPopular(ctx, tx.Querier(), b.store.Search(), seqs, func(_ context.Context, seq int64) (search.Document, bool, error) {
			m := template(int(seq))
			return searched(&m.document), true, nil
		})
	})
}

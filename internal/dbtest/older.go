package dbtest

import (
	"context"
	"testing"

	"stoa/internal/platform/store"
)

// Older makes an empty store as it was at an earlier schema, and opens it without bringing it up to date. Whoever
// asked closes it.
func Older(t testing.TB, where string, schema int64, clock *Clock) *store.Store {
	t.Helper()
	ctx := context.Background()
	empty, err := store.OpenEmpty(ctx, where, schema, clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := empty.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := store.OpenAsIs(ctx, where, clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

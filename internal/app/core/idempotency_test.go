package core

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"stoa/internal/dbtest"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// The digest of a request is that of its JSON, as earlier versions have kept it.
func TestRequestDigest(t *testing.T) {
	type record struct {
		Name string `json:"name"`
		Sub  []int  `json:"sub"`
	}
	for _, parts := range [][]any{
		nil, {"a"}, {[]record(nil)}, {[]record{}}, {[]record{{"a", nil}}}, {[]record{{"a", []int{1}}, {"<b>", nil}}, 3, []record{{}}, map[string]int{"x": 1}}, {[]string{"a", "b"}, []byte("x")},
	} {
		if parts == nil {
			parts = []any{}
		}
		text, err := json.Marshal(parts)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		if got := RequestDigest(parts...); got != hex.EncodeToString(sum[:]) {
			t.Errorf("%s has another digest than its JSON", text)
		}
	}
}

// An answer that is too large to keep is refused, and takes its transaction and its key with it.
func TestLargeAnswersAreNotKept(t *testing.T) {
	places := []string{filepath.Join(t.TempDir(), "stoa.db")}
	if dsn := dbtest.Postgres(t); dsn != "" {
		places = append(places, dbtest.Fresh(t, dsn, dbtest.Empty))
	}
	for _, where := range places {
		s, err := store.Open(t.Context(), where, dbtest.NewClock().Now)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		a := &Core{}
		key := a.IdempotencyKey("bob", "k", "route", "digest")
		err = s.Write(t.Context(), func(tx *store.Tx) error {
			if err := key.Reserve(tx, ""); err != nil {
				return err
			}
			return key.Store(tx, strings.Repeat("x", 3<<20))
		})
		if e, ok := errs.As(err); !ok || e.Code != errs.RequestBodyTooLarge {
			t.Errorf("it is kept: %v", err)
		}
		if _, err := s.Answered(t.Context(), "bob", "k"); !errors.Is(err, sqldb.ErrNotFound) {
			t.Errorf("the key is taken: %v", err)
		}
	}
}

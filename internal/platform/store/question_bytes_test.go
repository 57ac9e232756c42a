package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stoa/internal/dbtest"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// What is counted of an owner's questions is what adding them up gives, whatever is kept, changed, given up or erased.
func TestQuestionBytesEqualARecount(t *testing.T) {
	onEngines(t, func(t *testing.T, s *store.Store, _ *dbtest.Clock) {
		given := errors.New("given up")
		rapid.Check(t, func(t *rapid.T) {
			owner := rapid.SampledFrom([]string{"ada", "bob"}).Draw(t, "owner")
			fails := rapid.Bool().Draw(t, "fails")
			err := s.Write(context.Background(), func(tx *store.Tx) error {
				if rapid.Bool().Draw(t, "locked") {
					if _, err := tx.LockQuestions(owner); err != nil {
						return err
					}
				}
				for range rapid.IntRange(1, 6).Draw(t, "changes") {
					q := schooldb.Question{Owner: owner, ID: rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "id"), State: "active", Origin: "own", Version: 1}
					q.Body = []byte(strings.Repeat("é", rapid.IntRange(0, 300).Draw(t, "length")))
					var err error
					switch rapid.IntRange(0, 9).Draw(t, "what") {
					case 0:
						_, err = tx.EraseLearner(owner)
					case 1:
						_, err = tx.QuestionBytes(owner)
					case 2, 3, 4:
						err = tx.AddQuestion(q)
					default:
						err = tx.PutQuestion(q)
					}
					if err != nil {
						return err
					}
				}
				if fails {
					return given
				}
				return nil
			})
			if err != nil && !errors.Is(err, given) {
				t.Fatal(err)
			}
			for _, owner := range []string{"ada", "bob"} {
				if err := s.Write(context.Background(), func(tx *store.Tx) error {
					counted, err := tx.QuestionBytes(owner)
					if kept := keptQuestionBytes(tx, owner); counted != kept {
						t.Errorf("%s: %d bytes are counted, %d are kept", owner, counted, kept)
					}
					return err
				}); err != nil {
					t.Fatal(err)
				}
			}
		})
	})
}

func keptQuestionBytes(tx *store.Tx, owner string) (n int64) {
	err := tx.EachQuestionSince(tx.Context(), owner, -1, func(q schooldb.Question) error {
		n += int64(len(q.Body))
		return nil
	})
	if err != nil {
		return -1
	}
	return n
}

// A store of before has its questions counted when it is opened.
func TestQuestionsOfBeforeAreCounted(t *testing.T) {
	for _, where := range targets(t) {
		clock := dbtest.NewClock()
		s := dbtest.Older(t, where, 156, clock)
		change(t, s, `INSERT INTO question_scope (owner, version, emptied) VALUES ('ada', 1, 0), ('bob', 1, 0)`)
		for _, id := range []string{"a", "b"} {
			change(t, s, `INSERT INTO question (owner, id, changed, atom_id, state, origin, version, flag, report, body, created_at, updated_at)
				VALUES ('ada', $1, 1, 'x', 'active', 'own', 1, 0, '', 'été', 1, 1)`, id)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		write(t, openAt(t, where, clock), func(tx *store.Tx) error {
			for owner, want := range map[string]int64{"ada": 10, "bob": 0, "cyn": 0} {
				if n, err := tx.QuestionBytes(owner); err != nil || n != want {
					t.Errorf("%s: %d bytes, want %d: %v", owner, n, want, err)
				}
			}
			return nil
		})
	}
}

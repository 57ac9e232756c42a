package schooldb

import (
	"context"
	"errors"

	"stoa/internal/platform/store/sqldb"
)

// ShareAnswer adds a member's first answer to an atom or a question to what members share.
func (tx *Tx) ShareAnswer(userID, subjectID string, right bool) error {
	if err := tx.Changes("shared_answer", userID, subjectID); err != nil {
		return err
	}
	one := 0
	if right {
		one = 1
	}
	return tx.Exec(`INSERT INTO shared_answer (user_id, subject_id, was_right) VALUES ($1, $2, $3) ON CONFLICT (user_id, subject_id) DO NOTHING`, userID, subjectID, one)
}

// WithdrawAnswers takes back everything that a member shared. It waits for whoever records an answer of the member.
func (tx *Tx) WithdrawAnswers(userID string) error {
	if err := tx.Exec(`UPDATE learner SET version = version WHERE user_id = $1`, userID); err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM shared_answer WHERE user_id = $1`, userID)
}

// SharedAnswers counts the members who shared an answer to an atom or a question, without one of them, and the right answers among theirs. Members
// who are in another database now are counted there.
func (q Queries) SharedAnswers(ctx context.Context, subjectID, without string) (people, right int64, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT COUNT(*), COALESCE(SUM(was_right), 0) FROM shared_answer a WHERE subject_id = $1 AND user_id <> $2
		AND NOT EXISTS (SELECT 1 FROM learner_fence f WHERE f.user_id = a.user_id AND f.state <> 'here')`, []any{subjectID, without}, &people, &right)
	return people, right, err
}

// SharingKey gives the secret of a name, and keeps made for it when there is none yet.
func (tx *Tx) SharingKey(name string, made []byte) (secret []byte, err error) {
	const read = `SELECT secret FROM sharing_key WHERE name = $1`
	if err = sqldb.ScanOne(tx.Ctx, tx.Q, read, []any{name}, &secret); !errors.Is(err, sqldb.ErrNotFound) {
		return secret, err
	}
	if err := tx.Exec(`INSERT INTO sharing_key (name, secret) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, name, made); err != nil {
		return nil, err
	}
	err = sqldb.ScanOne(tx.Ctx, tx.Q, read, []any{name}, &secret)
	return secret, err
}

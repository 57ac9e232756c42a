package schooldb

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// Question is a question that a learner keeps. Times in µs.
type Question struct {
	Owner, ID, AtomID, State, Origin string
	Changed, Version, Flag           int64
	Report                           string
	Body                             []byte
	CreatedAt, UpdatedAt             int64
}

// QuestionTally is how a learner answered a question.
type QuestionTally struct {
	Answers, Correct, Partial, LastAt int64
}

// QuestionsVersion is the version of an owner's questions, 0 when there never were any, and the one at which everything
// before was erased.
func (q Queries) QuestionsVersion(ctx context.Context, owner string) (version, emptied int64, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT version, emptied FROM question_scope WHERE owner = $1`, []any{owner}, &version, &emptied)
	if errors.Is(err, sqldb.ErrNotFound) {
		return 0, 0, nil
	}
	return version, emptied, err
}

// EachQuestionSince gives the questions that changed after a version, in the order of their ids.
func (q Queries) EachQuestionSince(ctx context.Context, owner string, version int64, f func(Question) error) error {
	return sqldb.ScanAll(ctx, q.Q, `SELECT id, atom_id, state, origin, changed, version, flag, report, body, created_at, updated_at FROM question
		WHERE owner = $1 AND changed > $2 ORDER BY id`, []any{owner, version}, func(rows *sql.Rows) error {
		one := Question{Owner: owner}
		if err := rows.Scan(&one.ID, &one.AtomID, &one.State, &one.Origin, &one.Changed, &one.Version, &one.Flag, &one.Report, &one.Body, &one.CreatedAt, &one.UpdatedAt); err != nil {
			return err
		}
		return f(one)
	})
}

// QuestionTallies gives how a learner answered each question of theirs.
func (q Queries) QuestionTallies(ctx context.Context, userID string) (map[string]QuestionTally, error) {
	all := map[string]QuestionTally{}
	err := sqldb.ScanAll(ctx, q.Q, `SELECT question_id, answers, correct, partial, last_at FROM question_tally WHERE user_id = $1`, []any{userID}, func(rows *sql.Rows) error {
		var id string
		var t QuestionTally
		err := rows.Scan(&id, &t.Answers, &t.Correct, &t.Partial, &t.LastAt)
		all[id] = t
		return err
	})
	return all, err
}

// LockQuestions makes everybody else who changes an owner's questions wait, and gives the version of this change.
func (tx *Tx) LockQuestions(owner string) (version int64, err error) {
	err = sqldb.ScanOne(tx.Ctx, tx.Q, `INSERT INTO question_scope (owner, version, emptied) VALUES ($1, 1, 0) ON CONFLICT (owner) DO UPDATE SET version = question_scope.version + 1 RETURNING version`,
		[]any{owner}, &version)
	return version, err
}

// PutQuestion keeps a question under the version that LockQuestions made.
func (tx *Tx) PutQuestion(q Question) error {
	if added, err := tx.addQuestion(q); err != nil || added {
		return err
	}
	var was int64
	err := sqldb.ScanOne(tx.Ctx, tx.Q, `SELECT OCTET_LENGTH(body) FROM question WHERE owner = $1 AND id = $2`, []any{q.Owner, q.ID}, &was)
	if err != nil {
		return err
	}
	tx.growQuestions(q.Owner, int64(len(q.Body))-was)
	return tx.Exec(`UPDATE question SET changed = $3, atom_id = $4, state = $5, origin = $6, version = $7, flag = $8, report = $9, body = $10, updated_at = $11
		WHERE owner = $1 AND id = $2`, q.columns(tx)...)
}

// AddQuestion keeps a question unless one of its id is kept, under the version that LockQuestions made.
func (tx *Tx) AddQuestion(q Question) error {
	_, err := tx.addQuestion(q)
	return err
}

func (tx *Tx) addQuestion(q Question) (added bool, err error) {
	n, err := tx.Changed(`INSERT INTO question (owner, id, changed, atom_id, state, origin, version, flag, report, body, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11) ON CONFLICT (owner, id) DO NOTHING`, q.columns(tx)...)
	if n > 0 {
		tx.growQuestions(q.Owner, int64(len(q.Body)))
	}
	return n > 0, err
}

func (q *Question) columns(tx *Tx) []any {
	return []any{q.Owner, q.ID, q.Changed, q.AtomID, q.State, q.Origin, q.Version, q.Flag, q.Report, string(q.Body), clock.Micros(tx.Now)}
}

// growQuestions counts what an owner's questions grow by. It is written once for a transaction: an import has thousands of questions,
// and PostgreSQL looks through all that one transaction made of a row to find the newest.
func (tx *Tx) growQuestions(owner string, by int64) {
	if tx.Grown == nil {
		tx.Grown = map[string]int64{}
	}
	tx.Grown[owner] += by
}

// WriteGrown writes down by how much owners' questions grew.
func (tx *Tx) WriteGrown() error {
	for _, owner := range slices.Sorted(maps.Keys(tx.Grown)) {
		if err := tx.Exec(`INSERT INTO question_scope (owner, version, emptied, body_bytes) VALUES ($1, 0, 0, $2)
			ON CONFLICT (owner) DO UPDATE SET body_bytes = question_scope.body_bytes + $2`, owner, tx.Grown[owner]); err != nil {
			return err
		}
	}
	tx.Grown = nil
	return nil
}

// Question gives one question of an owner.
func (q Queries) Question(ctx context.Context, owner, id string) (Question, error) {
	one := Question{Owner: owner, ID: id}
	err := sqldb.ScanOne(ctx, q.Q, `SELECT atom_id, state, origin, changed, version, flag, report, body, created_at, updated_at FROM question WHERE owner = $1 AND id = $2`,
		[]any{owner, id}, &one.AtomID, &one.State, &one.Origin, &one.Changed, &one.Version, &one.Flag, &one.Report, &one.Body, &one.CreatedAt, &one.UpdatedAt)
	return one, err
}

// QuestionVersion is a question as it was before an edit. ReplacedAt in µs.
type QuestionVersion struct {
	Version, ReplacedAt int64
	Body                []byte
}

// QuestionVersions gives how a question was, the newest first, at most limit versions.
func (q Queries) QuestionVersions(ctx context.Context, owner, id string, limit int) ([]QuestionVersion, error) {
	var all []QuestionVersion
	err := sqldb.ScanAll(ctx, q.Q, `SELECT version, replaced_at, body FROM question_version WHERE owner = $1 AND id = $2 ORDER BY version DESC LIMIT $3`,
		[]any{owner, id, limit}, func(rows *sql.Rows) error {
			var v QuestionVersion
			err := rows.Scan(&v.Version, &v.ReplacedAt, &v.Body)
			all = append(all, v)
			return err
		})
	return all, err
}

// KeptQuestionVersions is how many earlier versions of a question are kept.
const KeptQuestionVersions = 50

// AddQuestionVersion keeps a question as it was, and of its versions the newest.
func (tx *Tx) AddQuestionVersion(owner, id string, version int64, body []byte) error {
	err := tx.Exec(`INSERT INTO question_version (owner, id, version, body, replaced_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (owner, id, version) DO NOTHING`,
		owner, id, version, string(body), clock.Micros(tx.Now))
	if err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM question_version WHERE owner = $1 AND id = $2 AND version <=
		(SELECT version FROM question_version WHERE owner = $1 AND id = $2 ORDER BY version DESC LIMIT 1 OFFSET $3)`, owner, id, KeptQuestionVersions)
}

// QuestionBytes says how large an owner's questions are together, with those of this transaction.
func (tx *Tx) QuestionBytes(owner string) (n int64, err error) {
	if err := tx.WriteGrown(); err != nil {
		return 0, err
	}
	err = sqldb.ScanOne(tx.Ctx, tx.Q, questionBytes, []any{owner}, &n)
	if errors.Is(err, sqldb.ErrNotFound) {
		return 0, nil
	}
	return n, err
}

// questionBytes does not depend on how many questions are kept: every edit asks.
const questionBytes = `SELECT body_bytes FROM question_scope WHERE owner = $1`

// CountAnswer counts an answer to a question; partly is neither right nor wrong. at in µs.
func (tx *Tx) CountAnswer(userID, questionID string, right, partly bool, at int64) error {
	if err := tx.Changes("question_tally", userID, questionID); err != nil {
		return err
	}
	one := map[bool]int64{true: 1}
	return tx.Exec(`INSERT INTO question_tally (user_id, question_id, answers, correct, partial, last_at) VALUES ($1, $2, 1, $3, $4, $5)
		ON CONFLICT (user_id, question_id) DO UPDATE SET answers = question_tally.answers + 1, correct = question_tally.correct + $3,
		partial = question_tally.partial + $4, last_at = $5`, userID, questionID, one[right], one[partly], at)
}

// CountExpected counts an answer to a question by the part of probability in which a right one was expected; right is in half answers.
func (tx *Tx) CountExpected(userID, questionID string, expected int, right int64) error {
	if err := tx.Changes("question_answers", userID, questionID, int64(expected)); err != nil {
		return err
	}
	return tx.Exec(`INSERT INTO question_answers (user_id, question_id, expected, right_half, wrong_half) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (user_id, question_id, expected) DO UPDATE SET right_half = question_answers.right_half + $4, wrong_half = question_answers.wrong_half + $5`,
		userID, questionID, expected, right, 2-right)
}

// QuestionAnswers gives how a learner's questions were answered by what was expected, in half answers; questionID "" means all of them.
func (q Queries) QuestionAnswers(ctx context.Context, userID, questionID string, f func(id string, expected int, right, wrong int64)) error {
	return sqldb.ScanAll(ctx, q.Q, `SELECT question_id, expected, right_half, wrong_half FROM question_answers WHERE user_id = $1 AND (question_id = $2 OR $2 = '')`,
		[]any{userID, questionID}, func(rows *sql.Rows) error {
			var id string
			var expected int
			var right, wrong int64
			err := rows.Scan(&id, &expected, &right, &wrong)
			f(id, expected, right, wrong)
			return err
		})
}

// QuestionsKept gives the questions that a learner keeps although they were proposed for retirement, with the number of answers until which.
func (q Queries) QuestionsKept(ctx context.Context, userID string) (map[string]int64, error) {
	all := map[string]int64{}
	err := sqldb.ScanAll(ctx, q.Q, `SELECT question_id, until_answers FROM question_kept WHERE user_id = $1`, []any{userID}, func(rows *sql.Rows) error {
		var id string
		var until int64
		err := rows.Scan(&id, &until)
		all[id] = until
		return err
	})
	return all, err
}

// KeepQuestion keeps a question that was proposed for retirement, until it has so many answers.
func (tx *Tx) KeepQuestion(userID, questionID string, until int64) error {
	return tx.Exec(`INSERT INTO question_kept (user_id, question_id, until_answers, kept_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (user_id, question_id) DO UPDATE SET until_answers = $3, kept_at = $4`, userID, questionID, until, clock.Micros(tx.Now))
}

// KeepQuestionNoMore lets a question be proposed for retirement again.
func (tx *Tx) KeepQuestionNoMore(userID, questionID string) error {
	return tx.Exec(`DELETE FROM question_kept WHERE user_id = $1 AND question_id = $2`, userID, questionID)
}

// ForgetQuestionAnswers forgets how a question was answered and that it is kept, for what judges it; the tally stays.
func (tx *Tx) ForgetQuestionAnswers(userID, questionID string) error {
	if err := tx.Exec(`DELETE FROM question_answers WHERE user_id = $1 AND question_id = $2`, userID, questionID); err != nil {
		return err
	}
	return tx.KeepQuestionNoMore(userID, questionID)
}

package store

import (
	"context"
	"database/sql"
	"errors"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// Learner is what is known of a person as a learner. The bytes are the learning packages'. UpdatedAt in µs.
type Learner struct {
	UserID       string
	Version      int64
	Observations int64
	Person, Core []byte
	Traits       []byte
	UpdatedAt    int64
	Rewound      int64 // the version at which something was taken back; whoever knows an earlier one reads everything again
}

// LearnerAtom is what is known of a person and an atom.
type LearnerAtom struct {
	AtomID        string
	Version       int64 // the learner's when it changed last
	State, Shared []byte
	Tally         []byte
	UpdatedAt     int64
}

// Observation is a line of a learner's log. Times in µs.
type Observation struct {
	Seq        int64
	AtomID     string
	Outcome    string
	Grade      int64 // which of Anki's four buttons was pressed, 0 for none
	Tags       []byte
	Confidence *float64
	ResponseUS int64
	SessionID  string
	Readiness  float64 // 0..1: how far what the atom needs was known
	ObservedAt int64
	RecordedAt int64
	// GivenStability and GivenDifficulty are of a memory as another program left it, 0 for an answer that was given here.
	GivenStability, GivenDifficulty float64
	// QuestionID is the question that was answered, '' for none that is kept.
	QuestionID string
	// ByQuestion says that the models took it as an answer to that question, with a difficulty of its own.
	ByQuestion bool
	// PriorEase is what others' first answers said of the atom when it was answered for the first time, on the logit scale; a PriorVariance of 0
	// is nothing.
	PriorEase, PriorVariance float64
	// QuestionPriorEase and QuestionPriorVariance are the same of the question.
	QuestionPriorEase, QuestionPriorVariance float64
}

// Learner gives a learner, or one of whom nothing is known.
func (q Queries) Learner(ctx context.Context, userID string) (Learner, error) {
	l := Learner{UserID: userID}
	err := sqldb.ScanOne(ctx, q.base.Q, `SELECT version, observations, person, core, traits, updated_at, rewound FROM learner WHERE user_id = $1`, []any{userID},
		&l.Version, &l.Observations, &l.Person, &l.Core, &l.Traits, &l.UpdatedAt, &l.Rewound)
	if errors.Is(err, sqldb.ErrNotFound) {
		return l, nil
	}
	return l, err
}

// LearnerAtoms gives what changed of a learner's atoms after a version of the learner, 0 for all.
func (q Queries) LearnerAtoms(ctx context.Context, userID string, since int64) ([]LearnerAtom, error) {
	var all []LearnerAtom
	err := sqldb.ScanAll(ctx, q.base.Q, `SELECT atom_id, version, state, shared, tally, updated_at FROM learner_atom WHERE user_id = $1 AND version > $2`,
		[]any{userID, since}, func(rows *sql.Rows) error {
			var a LearnerAtom
			err := rows.Scan(&a.AtomID, &a.Version, &a.State, &a.Shared, &a.Tally, &a.UpdatedAt)
			all = append(all, a)
			return err
		})
	return all, err
}

// LockLearner makes everybody else who changes this learner wait, and gives the learner with the version of this change.
func (tx *Tx) LockLearner(userID string) (Learner, error) {
	l := Learner{UserID: userID}
	err := sqldb.ScanOne(tx.base.Ctx, tx.base.Q, `INSERT INTO learner (user_id, version, observations, person, core, traits, updated_at) VALUES ($1, 1, 0, $2, $2, '', $3)
		ON CONFLICT (user_id) DO UPDATE SET version = learner.version + 1, updated_at = $3 RETURNING version, observations, person, core, traits, updated_at, rewound`,
		[]any{userID, []byte{}, clock.Micros(tx.Now)}, &l.Version, &l.Observations, &l.Person, &l.Core, &l.Traits, &l.UpdatedAt, &l.Rewound)
	return l, err
}

// PutLearner keeps a learner that LockLearner gave.
func (tx *Tx) PutLearner(l Learner) error {
	if err := tx.base.Changes("learner", l.UserID); err != nil {
		return err
	}
	return tx.base.One(`UPDATE learner SET observations = $2, person = $3, core = $4, traits = $5 WHERE user_id = $1`,
		l.UserID, l.Observations, l.Person, l.Core, string(l.Traits))
}

// PutLearnerAtom keeps what is known of a learner and an atom.
func (tx *Tx) PutLearnerAtom(userID string, a LearnerAtom) error {
	if err := tx.base.Changes("learner_atom", userID, a.AtomID); err != nil {
		return err
	}
	return tx.base.Exec(`INSERT INTO learner_atom (user_id, atom_id, version, state, shared, tally, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (user_id, atom_id) DO UPDATE SET version = $3, state = $4, shared = $5, tally = $6, updated_at = $7`,
		userID, a.AtomID, a.Version, a.State, a.Shared, string(a.Tally), a.UpdatedAt)
}

// AddObservation adds a line to a learner's log.
func (tx *Tx) AddObservation(userID string, o Observation) error {
	if err := tx.base.Changes("observation", userID, o.Seq); err != nil {
		return err
	}
	return tx.base.Exec(`INSERT INTO observation (user_id, seq, atom_id, outcome, grade, tags, confidence, response_us, session_id, readiness, observed_at, recorded_at, given_stability, given_difficulty,
		question_id, prior_ease, prior_variance, by_question, question_prior_ease, question_prior_variance)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`,
		userID, o.Seq, o.AtomID, o.Outcome, o.Grade, string(o.Tags), o.Confidence, o.ResponseUS, o.SessionID, o.Readiness, o.ObservedAt, o.RecordedAt, o.GivenStability, o.GivenDifficulty,
		o.QuestionID, o.PriorEase, o.PriorVariance, o.ByQuestion, o.QuestionPriorEase, o.QuestionPriorVariance)
}

// Observations gives a learner's log in its order, after a line, at most limit lines.
func (q Queries) Observations(ctx context.Context, userID string, after int64, limit int) ([]Observation, error) {
	var all []Observation
	err := sqldb.ScanAll(ctx, q.base.Q, `SELECT seq, atom_id, outcome, grade, tags, confidence, response_us, session_id, readiness, observed_at, recorded_at, given_stability, given_difficulty,
		question_id, prior_ease, prior_variance, by_question, question_prior_ease, question_prior_variance FROM observation WHERE user_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
		[]any{userID, after, limit}, func(rows *sql.Rows) error {
			var o Observation
			err := rows.Scan(&o.Seq, &o.AtomID, &o.Outcome, &o.Grade, &o.Tags, &o.Confidence, &o.ResponseUS, &o.SessionID, &o.Readiness, &o.ObservedAt, &o.RecordedAt, &o.GivenStability, &o.GivenDifficulty,
				&o.QuestionID, &o.PriorEase, &o.PriorVariance, &o.ByQuestion, &o.QuestionPriorEase, &o.QuestionPriorVariance)
			all = append(all, o)
			return err
		})
	return all, err
}

// AnswersIn counts a learner's answers in a span of time, by atom; times are µs, the end is not in it.
func (q Queries) AnswersIn(ctx context.Context, userID string, from, to int64) (map[string]int, error) {
	all := map[string]int{}
	err := sqldb.ScanAll(ctx, q.base.Q, `SELECT atom_id, COUNT(*) FROM observation WHERE user_id = $1 AND observed_at >= $2 AND observed_at < $3 GROUP BY atom_id`, []any{userID, from, to}, func(rows *sql.Rows) error {
		var id string
		var n int
		err := rows.Scan(&id, &n)
		all[id] = n
		return err
	})
	return all, err
}

// EraseLearner removes the rows of every table that Registry marks, and returns how many there were. Sums over all learners
// stay.
func (tx *Tx) EraseLearner(userID string) (rows int64, err error) {
	for _, table := range Registry {
		if !table.Erase {
			continue
		}
		n, err := tx.base.Changed(`DELETE FROM `+table.Name+` WHERE `+table.Owner+` = $1`, userID)
		if err != nil {
			return 0, err
		}
		rows += n
	}
	delete(tx.base.Grown, userID)
	if _, err = tx.base.Changed(`UPDATE question_scope SET version = version + 1, emptied = version + 1, body_bytes = 0 WHERE owner = $1`, userID); err != nil {
		return rows, err
	}
	_, err = tx.base.Changed(`UPDATE note_scope SET version = version + 1, emptied = version + 1 WHERE owner = $1`, userID)
	return rows, err
}

// LearnerRows calls each with every row of a learner in the tables that Registry marks for export, each row as its columns.
func (q Queries) LearnerRows(ctx context.Context, userID string, each func(table string, row map[string]any) error) error {
	for _, table := range Registry {
		if !table.Export {
			continue
		}
		if err := q.RowsOf(ctx, table, userID, func(row map[string]any) error { return each(table.Name, row) }); err != nil {
			return err
		}
	}
	return nil
}

// RowsOf calls each with every row of a table that is a member's, without the columns that nobody is given.
func (q Queries) RowsOf(ctx context.Context, table TableInfo, userID string, each func(row map[string]any) error) error {
	rows, err := q.base.Q.QueryContext(ctx, `SELECT * FROM `+table.Name+` WHERE `+table.Owner+` = $1`, userID)
	if err != nil {
		return err
	}
	return eachRow(rows, func(row map[string]any) error {
		for _, name := range table.Hidden {
			delete(row, name)
		}
		if table.Name == "idempotency" {
			if err := sqldb.UnpackRow(row); err != nil {
				return err
			}
		}
		return each(row)
	})
}

func eachRow(rows *sql.Rows, each func(map[string]any) error) error {
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	for rows.Next() {
		values, places := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			return err
		}
		row := map[string]any{}
		for i, name := range names {
			row[name] = values[i]
		}
		if err := each(row); err != nil {
			return err
		}
	}
	return rows.Err()
}

package marketdb

import (
	"context"
	"errors"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// StrategyEvidence gives what the choice of strategies rests on for a learner, or for all of them ("" is everybody); nil
// when there is nothing yet.
func (q Queries) StrategyEvidence(ctx context.Context, userID string) (evidence []byte, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT evidence FROM strategy_evidence WHERE user_id = $1`, []any{userID}, &evidence)
	if errors.Is(err, sqldb.ErrNotFound) {
		err = nil
	}
	return evidence, err
}

// LockStrategyEvidence gives the evidence and makes everybody else who changes it wait.
func (tx *Tx) LockStrategyEvidence(userID string) (evidence []byte, err error) {
	if err := tx.Changes("strategy_evidence", userID); err != nil {
		return nil, err
	}
	err = sqldb.ScanOne(tx.Ctx, tx.Q, `INSERT INTO strategy_evidence (user_id, evidence, updated_at) VALUES ($1, '', $2)
		ON CONFLICT (user_id) DO UPDATE SET updated_at = $2 RETURNING evidence`, []any{userID, clock.Micros(tx.Now)}, &evidence)
	return evidence, err
}

// PutStrategyEvidence keeps the evidence that LockStrategyEvidence gave.
func (tx *Tx) PutStrategyEvidence(userID string, evidence []byte) error {
	return tx.One(`UPDATE strategy_evidence SET evidence = $2 WHERE user_id = $1`, userID, string(evidence))
}

// AddExposure keeps which strategy a session had and with what probability it was drawn.
func (tx *Tx) AddExposure(userID, sessionID, strategy string, executedAt int64, exposure []byte) error {
	if err := tx.Changes("strategy_exposure", userID, executedAt, sessionID); err != nil {
		return err
	}
	return tx.Exec(`INSERT INTO strategy_exposure (user_id, session_id, executed_at, strategy, exposure) VALUES ($1, $2, $3, $4, $5)`,
		userID, sessionID, executedAt, strategy, string(exposure))
}

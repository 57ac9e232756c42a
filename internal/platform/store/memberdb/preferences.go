package memberdb

import (
	"context"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// Preference is how a member wants tasks run. UpdatedAt in µs, 0 when never set.
type Preference struct {
	UserID        string
	ExecutionMode string
	Observe       bool
	Recipient     string // an age recipient, or ""
	UpdatedAt     int64
}

// Preference gives a member's preference, or ErrNotFound when none was set.
func (q Queries) Preference(ctx context.Context, userID string) (Preference, error) {
	p := Preference{UserID: userID}
	err := sqldb.ScanOne(ctx, q.Q, `SELECT execution_mode, observe, recipient, updated_at FROM preference WHERE user_id = $1`, []any{userID},
		&p.ExecutionMode, &p.Observe, &p.Recipient, &p.UpdatedAt)
	return p, err
}

// SetPreferenceMode sets the mode and keeps the rest; fallback is the row made when there is none.
func (tx *Tx) SetPreferenceMode(fallback Preference) (Preference, error) {
	return tx.upsertPreference(fallback, `execution_mode = $2`)
}

// SetPreferenceObserve sets the observe flag and keeps the rest.
func (tx *Tx) SetPreferenceObserve(fallback Preference) (Preference, error) {
	return tx.upsertPreference(fallback, `observe = $3`)
}

// SetPreferenceRecipient sets the encryption recipient and keeps the rest.
func (tx *Tx) SetPreferenceRecipient(fallback Preference) (Preference, error) {
	return tx.upsertPreference(fallback, `recipient = $5`)
}

func (tx *Tx) upsertPreference(p Preference, set string) (Preference, error) {
	err := sqldb.ScanOne(tx.Ctx, tx.Q, `INSERT INTO preference (user_id, execution_mode, observe, updated_at, recipient) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (user_id) DO UPDATE SET `+set+`, updated_at = $4
		RETURNING execution_mode, observe, recipient, updated_at`,
		[]any{p.UserID, p.ExecutionMode, p.Observe, clock.Micros(tx.Now), p.Recipient}, &p.ExecutionMode, &p.Observe, &p.Recipient, &p.UpdatedAt)
	return p, err
}

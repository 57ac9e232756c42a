package memberdb

import (
	"context"
	"database/sql"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// Roles lists what a member may do on the console, in alphabetical order.
func (q Queries) Roles(ctx context.Context, userID string) ([]string, error) {
	roles := []string{}
	err := sqldb.ScanAll(ctx, q.Q, `SELECT role FROM account_role WHERE user_id = $1 ORDER BY role`, []any{userID}, func(rows *sql.Rows) error {
		var role string
		err := rows.Scan(&role)
		roles = append(roles, role)
		return err
	})
	return roles, err
}

// RoleHolders lists the roles of everybody who has one.
func (q Queries) RoleHolders(ctx context.Context) (map[string][]string, error) {
	all := map[string][]string{}
	err := sqldb.ScanAll(ctx, q.Q, `SELECT user_id, role FROM account_role ORDER BY user_id, role`, nil, func(rows *sql.Rows) error {
		var userID, role string
		err := rows.Scan(&userID, &role)
		all[userID] = append(all[userID], role)
		return err
	})
	return all, err
}

// GrantRole gives a member a role; one that they have stays as it is.
func (tx *Tx) GrantRole(userID, role string) error {
	return tx.Exec(`INSERT INTO account_role (user_id, role, granted_at) VALUES ($1, $2, $3) ON CONFLICT (user_id, role) DO NOTHING`, userID, role, clock.Micros(tx.Now))
}

// RevokeRole takes a role back and tells whether there was one.
func (tx *Tx) RevokeRole(userID, role string) (bool, error) {
	n, err := tx.Changed(`DELETE FROM account_role WHERE user_id = $1 AND role = $2`, userID, role)
	return n > 0, err
}

// ConsoleSession is somebody signed in at the console. Times in µs.
type ConsoleSession struct {
	TokenHash, UserID string
	CreatedAt, SeenAt int64
	ExpiresAt, EndsAt int64
	ConfirmedUntil    int64
	Address, Agent    string
}

// ConsoleSession gives a session whose account is not disabled, or ErrNotFound. Whether it has expired is for the caller to see.
func (q Queries) ConsoleSession(ctx context.Context, tokenHash string) (ConsoleSession, error) {
	s := ConsoleSession{TokenHash: tokenHash}
	err := sqldb.ScanOne(ctx, q.Q, `SELECT s.user_id, s.created_at, s.seen_at, s.expires_at, s.ends_at, s.confirmed_until
		FROM console_session s JOIN account a ON a.user_id = s.user_id WHERE s.token_hash = $1 AND NOT a.disabled`, []any{tokenHash},
		&s.UserID, &s.CreatedAt, &s.SeenAt, &s.ExpiresAt, &s.EndsAt, &s.ConfirmedUntil)
	return s, err
}

// AddConsoleSession keeps a new session.
func (tx *Tx) AddConsoleSession(s ConsoleSession) error {
	return tx.Exec(`INSERT INTO console_session (token_hash, user_id, created_at, seen_at, expires_at, ends_at, confirmed_until, address, agent) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		s.TokenHash, s.UserID, s.CreatedAt, s.SeenAt, s.ExpiresAt, s.EndsAt, s.ConfirmedUntil, s.Address, s.Agent)
}

// TouchConsoleSession moves a session's idle end.
func (tx *Tx) TouchConsoleSession(tokenHash string, seenAt, expiresAt int64) error {
	return tx.Exec(`UPDATE console_session SET seen_at = $2, expires_at = $3 WHERE token_hash = $1`, tokenHash, seenAt, expiresAt)
}

// ConfirmConsoleSession notes until when the password counts as just given.
func (tx *Tx) ConfirmConsoleSession(tokenHash string, until int64) error {
	return tx.Exec(`UPDATE console_session SET confirmed_until = $2 WHERE token_hash = $1`, tokenHash, until)
}

// EndConsoleSession removes a session.
func (tx *Tx) EndConsoleSession(tokenHash string) error {
	return tx.Exec(`DELETE FROM console_session WHERE token_hash = $1`, tokenHash)
}

// EndConsoleSessionsOf removes every session of a member at the console.
func (tx *Tx) EndConsoleSessionsOf(userID string) error {
	return tx.Exec(`DELETE FROM console_session WHERE user_id = $1`, userID)
}

// DropConsoleSessions removes up to limit sessions that ended before a time in µs.
func (tx *Tx) DropConsoleSessions(before int64, limit int) (int64, error) {
	return tx.Changed(`DELETE FROM console_session WHERE token_hash IN (SELECT token_hash FROM console_session WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)`, before, limit)
}

// Claim is who looks at a submission, since when in µs.
type Claim struct {
	Reviewer  string
	ClaimedAt int64
}

// Claims lists what is being looked at, by submission.
func (q Queries) Claims(ctx context.Context) (map[string]Claim, error) {
	all := map[string]Claim{}
	err := sqldb.ScanAll(ctx, q.Q, `SELECT submission_id, reviewer, claimed_at FROM review_claim`, nil, func(rows *sql.Rows) error {
		var id string
		var c Claim
		err := rows.Scan(&id, &c.Reviewer, &c.ClaimedAt)
		all[id] = c
		return err
	})
	return all, err
}

// ClaimSubmission takes a submission for a reviewer unless another has had it since a time in µs, and answers whose it is.
func (tx *Tx) ClaimSubmission(id, reviewer string, since int64) (holder string, err error) {
	if err := tx.Exec(`INSERT INTO review_claim (submission_id, reviewer, claimed_at) VALUES ($1, $2, $3)
		ON CONFLICT (submission_id) DO UPDATE SET reviewer = excluded.reviewer, claimed_at = excluded.claimed_at
		WHERE review_claim.reviewer = excluded.reviewer OR review_claim.claimed_at < $4`, id, reviewer, clock.Micros(tx.Now), since); err != nil {
		return "", err
	}
	err = sqldb.ScanOne(tx.Ctx, tx.Q, `SELECT reviewer FROM review_claim WHERE submission_id = $1`, []any{id}, &holder)
	return holder, err
}

// ReleaseSubmission gives a claim back; with no reviewer, whoever has it.
func (tx *Tx) ReleaseSubmission(id, reviewer string) error {
	return tx.Exec(`DELETE FROM review_claim WHERE submission_id = $1 AND ($2 = '' OR reviewer = $2)`, id, reviewer)
}

// SubmissionCounts counts a member's submissions by status.
func (q Queries) SubmissionCounts(ctx context.Context, userID string) (map[string]int64, error) {
	counts := map[string]int64{}
	err := sqldb.ScanAll(ctx, q.Q, `SELECT status, COUNT(*) FROM submission WHERE user_id = $1 GROUP BY status`, []any{userID}, func(rows *sql.Rows) error {
		var status string
		var n int64
		err := rows.Scan(&status, &n)
		counts[status] = n
		return err
	})
	return counts, err
}

// Acts are the actions of people in charge; the index audit_acts has the same list.
const Acts = `'submission.approved', 'submission.rejected', 'submission.opened', 'submission.claimed', 'submission.released', 'item.featured', 'item.unfeatured',
  'item.takedown_asked', 'item.takedown_dropped', 'item.withdrawn', 'item.restored', 'rating.hidden', 'rating.kept',
  'member.added', 'member.password_set', 'member.disabled', 'member.enabled', 'member.sign_in_link', 'member.role_granted', 'member.role_revoked',
  'member.vouched', 'member.unvouched', 'member.quota_set', 'console.signed_in', 'console.signed_out', 'console.confirmed'`

package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

// once is what makes a repeated request have one effect: its key, the route and the digest of what is asked.
type once struct {
	userID, key, route, digest string
	ttl                        time.Duration // how long the answer is kept
}

// requestIDKeep is how long the answer to a request is kept whose X-Request-Id stands in for a key.
const requestIDKeep = 24 * time.Hour

func (a *App) once(userID, key, route, digest string) once {
	return once{userID: userID, key: key, route: route, digest: digest, ttl: a.IdempotencyKeep}
}

// digestOf is the SHA-256 of what a request asks for, normalized.
func digestOf(parts ...any) string {
	text, err := json.Marshal(parts)
	if err != nil {
		panic(err) // our own types always encode
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// errReplay ends a transaction whose key was answered already.
var errReplay = errors.New("app: answered already")

// claim takes the key, or gives errReplay when it is taken. Without a key everything is new.
func (o once) claim(tx *store.Tx, target string) error {
	if o.key == "" {
		return nil
	}
	err := tx.Claim(store.Answered{UserID: o.userID, Key: o.key, Route: o.route, Digest: o.digest, TargetID: target, ExpiresAt: clock.Micros(tx.Now.Add(o.ttl))})
	if errors.Is(err, store.ErrConflict) {
		return errReplay
	}
	return err
}

// keep stores the answer for the next time.
func (o once) keep(tx *store.Tx, answer any) error {
	if o.key == "" {
		return nil
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return tx.Answer(o.userID, o.key, text)
}

// replay fills answer with what the key was answered with; found is false when it was not yet, and the
// error is idempotency_key_conflict when it was for something else.
func (a *App) replay(ctx context.Context, o once, answer any) (found bool, err error) {
	if o.key == "" {
		return false, nil
	}
	known, err := a.store.Answered(ctx, o.userID, o.key)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if known.Route != o.route || known.Digest != o.digest {
		return false, errs.New(errs.IdempotencyConflict, "This idempotency key was used for something else. Take a new key for a new request.").
			With("existing_submission_id", known.TargetID)
	}
	// The row may be on this server alone, where the wait of its commit for a standby was cut short.
	if err := a.store.Confirm(ctx); err != nil {
		return false, err
	}
	return true, json.Unmarshal(known.Answer, answer)
}

// answered is what is wrong with a replay that must be there: the request that took the key has failed
// with the transaction that both were part of.
func answered(found bool, err error) error {
	if err == nil && !found {
		return errs.New(errs.ServiceUnavailable, "The server could not do this just now. Send the request again with the same key.")
	}
	return err
}

package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"reflect"
	"time"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// IdempotencyKey is what makes a repeated request have one effect: its key, the route and the digest of what is asked.
type IdempotencyKey struct {
	userID, Key, route, digest string
	TTL                        time.Duration // how long the answer is kept
}

// RequestIDKeep is how long the answer to a request is kept whose X-Request-Id stands in for a key.
const RequestIDKeep = 24 * time.Hour

// IdempotencyKey is the key of a request to a route; digest is that of what it asks for (RequestDigest).
func (a *Core) IdempotencyKey(userID, key, route, digest string) IdempotencyKey {
	return IdempotencyKey{userID: userID, Key: key, route: route, digest: digest, TTL: a.IdempotencyKeep}
}

// RequestDigest is the SHA-256 of what a request asks for, normalized: of parts as a JSON list. Lists of records are encoded
// record by record, so that a large request is never in memory a second time.
func RequestDigest(parts ...any) string {
	sum := sha256.New()
	write := func(mark string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // our own types always encode
		}
		sum.Write([]byte(mark))
		sum.Write(text)
	}
	mark := "["
	for _, part := range parts {
		list := reflect.ValueOf(part)
		if list.Kind() != reflect.Slice || list.Len() == 0 || list.Type().Elem().Kind() != reflect.Struct {
			write(mark, part)
			mark = ","
			continue
		}
		inner := mark + "["
		for i := range list.Len() {
			write(inner, list.Index(i).Addr().Interface())
			inner = ","
		}
		sum.Write([]byte("]"))
		mark = ","
	}
	if mark == "[" {
		sum.Write([]byte("["))
	}
	sum.Write([]byte("]"))
	return hex.EncodeToString(sum.Sum(nil))
}

// ErrReplay ends a transaction whose key was answered already.
var ErrReplay = errors.New("app: answered already")

// Reserve takes the key, or gives errReplay when it is taken. Without a key everything is new.
func (o IdempotencyKey) Reserve(tx *store.Tx, target string) error {
	if o.Key == "" {
		return nil
	}
	err := tx.Claim(memberdb.Answered{UserID: o.userID, Key: o.Key, Route: o.route, Digest: o.digest, TargetID: target, ExpiresAt: clock.Micros(tx.Now.Add(o.TTL))})
	if errors.Is(err, sqldb.ErrConflict) {
		return ErrReplay
	}
	return err
}

// maxKeptAnswer bounds the bytes of a kept answer. Those of the operations are far below it by what they list; a request whose
// answer is larger is refused and has no effect, so that no key is taken by an answer that could not be given again.
const maxKeptAnswer = 2 << 20

// Store stores the answer for the next time.
func (o IdempotencyKey) Store(tx *store.Tx, answer any) error {
	if o.Key == "" {
		return nil
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	if len(text) > maxKeptAnswer {
		return errs.Newf(errs.RequestBodyTooLarge, "The answer to this request would be too large to keep (%d bytes of at most %d). Nothing was done; send it in parts.", len(text), maxKeptAnswer)
	}
	return tx.Answer(o.userID, o.Key, text)
}

// Replay fills answer with what the key was answered with; found is false when it was not yet, and the
// error is idempotency_key_conflict when it was for something else.
func (a *Core) Replay(ctx context.Context, o IdempotencyKey, answer any) (found bool, err error) {
	if o.Key == "" {
		return false, nil
	}
	known, err := a.Store.Answered(ctx, o.userID, o.Key)
	if errors.Is(err, sqldb.ErrNotFound) {
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
	if err := a.Store.Confirm(ctx); err != nil {
		return false, err
	}
	return true, json.Unmarshal(known.Answer, answer)
}

// RequireReplay is what is wrong with a replay that must be there: the request that took the key has failed
// with the transaction that both were part of.
func RequireReplay(found bool, err error) error {
	if err == nil && !found {
		return errs.New(errs.ServiceUnavailable, "The server could not do this just now. Send the request again with the same key.")
	}
	return err
}

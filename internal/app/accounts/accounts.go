// Package accounts holds the operations on members and their sessions: signing up and in, passwords, identities of an
// issuer, the anonymous member. It embeds core and knows no other subject.
package accounts

import (
	"golang.org/x/time/rate"

	"stoa/internal/app/core"
	"stoa/internal/platform/account"
)

// Accounts are the operations on members and their sessions.
type Accounts struct {
	*core.Core
	hasher *account.Hasher
	// signups hashes the passwords of new accounts, beside hasher: however many sign up, nobody waits to sign in.
	signups  *account.Hasher
	sessions *sessionCache
	tokens   *tokenCache
	usedUp   usedUp
	begun    *rate.Limiter // sign-ins that strangers have begun
	refusals *rate.Limiter // exchanges that were refused and counted
}

// New makes the operations on accounts.
func New(c *core.Core) *Accounts {
	return &Accounts{Core: c, hasher: account.NewHasher(2), signups: account.NewHasher(1), sessions: newSessionCache(), tokens: newTokenCache(), usedUp: newUsedUp(), begun: newBegun(), refusals: newRefusals()}
}

// Forget drops what is kept of sessions, tokens and attempts in memory.
func (a *Accounts) Forget() {
	a.sessions.kept.InvalidateAll()
	a.tokens.kept.InvalidateAll()
	a.usedUp.kept.InvalidateAll()
}

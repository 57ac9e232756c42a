// Package accounts holds the operations on members and their sessions: signing up and in, passwords, identities of an
// issuer, the anonymous member. It embeds core and knows no other subject.
package accounts

import (
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
}

// New makes the operations on accounts.
func New(c *core.Core) *Accounts {
	return &Accounts{Core: c, hasher: account.NewHasher(2), signups: account.NewHasher(1), sessions: newSessionCache(), tokens: newTokenCache()}
}

// Forget drops what is kept of sessions and tokens in memory.
func (a *Accounts) Forget() {
	a.sessions.kept.InvalidateAll()
	a.tokens.kept.InvalidateAll()
}

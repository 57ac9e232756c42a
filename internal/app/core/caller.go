package core

import (
	"errors"

	"stoa/internal/platform/account"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store/sqldb"
)

// Role says what kind of caller this is.
type Role int

// The roles, from the least to the most allowed.
const (
	// Public is nobody in particular.
	Public Role = iota
	// Anonymous is pinned to the anonymous member and may only use the allowlist.
	Anonymous
	// Member is signed in.
	Member
)

// Caller is who makes a request, as far as the server could find out.
type Caller struct {
	Role   Role
	UserID string
	// Open is set when authentication is switched off: the caller may name any member.
	Open bool
	// Session is the hash of the session's token, "" without one.
	Session   string
	ExpiresAt int64 // of the session, in µs; 0 without one
	// DeletesAt is when the caller's account is deleted, as they wish, in µs; 0 for never.
	DeletesAt int64
	// Token is the hash of the API token that a program calls with, "" without one.
	Token string
	// Scope is what the API token is for; "" is a person's session, which may do everything that the role may.
	Scope Scope
	// Item is the one item that the token may submit; "" for any.
	Item      string
	RequestID string
	// RequestIDSent is set when the client chose RequestID; otherwise the server made it, and no request can repeat it.
	RequestIDSent bool
	// Locale is one of the languages of the pages, such as zh-CN.
	Locale string
	// Remote is the client's address without its port; of an IPv6 address the network of 64 bits.
	Remote string
	// Device is the token that a browser was given at an earlier sign-in, "" without one.
	Device string
	// Origin is where the pages are that the request came to, such as https://stoa.example.
	Origin string
	// Agent says what program calls, in a few words.
	Agent string
}

var (
	// ErrUnauthorized is for a caller who must sign in first.
	ErrUnauthorized = errs.New(errs.Unauthorized, "Sign in first.")
	// ErrNotYours is for a caller who names another member.
	ErrNotYours = errs.New(errs.PermissionDenied, "This belongs to another member; leave user_id out to act as yourself.").
			With("error", string(errs.PermissionDenied))
)

// Viewer is whose private items the caller sees beside those of everybody; "" for nobody's.
// The anonymous member is everybody and owns nothing.
func (c Caller) Viewer() string {
	if c.Role != Member {
		return ""
	}
	return c.UserID
}

// Allowlisted answers whose data a call on an allowlist route may touch: the caller's own.
func (c Caller) Allowlisted(userID string) (string, error) {
	if c.Role == Public {
		return "", ErrUnauthorized
	}
	if c.Open {
		if userID != "" {
			return userID, nil
		}
		return c.UserID, nil
	}
	if userID != "" && userID != c.UserID {
		return "", ErrNotYours
	}
	return c.UserID, nil
}

// Member is allowlisted for the routes where an anonymous member has no place.
func (c Caller) Member(userID string) (string, error) {
	if c.Role != Member {
		return "", ErrUnauthorized
	}
	return c.Allowlisted(userID)
}

// As is the caller acting for userID, which allowlisted or member has allowed.
func (c Caller) As(userID string) Caller {
	c.UserID = userID
	return c
}

// Roles are the roles that one can sign in as: none where nobody signs in.
func (a *Core) Roles() []string {
	if !a.AuthRequired {
		return []string{}
	}
	return []string{"member"}
}

// Operator is the caller of the command line: it works on the store directly and no route reaches it.
var Operator = Caller{Role: Member, UserID: "operator"}

// NoMember turns ErrNotFound into a message that names the member.
func NoMember(err error, userID string) error {
	if errors.Is(err, sqldb.ErrNotFound) {
		return errs.Newf(errs.AccountNotFound, "There is no member %s. `stoa member list` shows who there is, `stoa member add` adds one.", userID)
	}
	return err
}

// SharedOwner owns the notes that an operator shares.
const SharedOwner = ""

// SourcesKept is how many addresses and browsers of a member are remembered.
const SourcesKept = 20

// Sources are what a caller may be known by: the address, and the browser that was given a token at an earlier sign-in.
func (c Caller) Sources() []string {
	var all []string
	if c.Remote != "" {
		all = append(all, account.TokenHash("address\x1f"+c.Remote))
	}
	if c.Device != "" {
		all = append(all, account.TokenHash("device\x1f"+c.Device))
	}
	return all
}

// Scope is what an API token may be used for.
type Scope string

// The scopes. ScopeSession is no token's: what needs it is for a person who has signed in.
const (
	ScopeRead    Scope = "read"
	ScopePublish Scope = "publish" // submit, and nothing else: for a pipeline
	ScopeWrite   Scope = "write"   // and read and publish
	ScopeSession Scope = "session"
)

// MaySubmit refuses an item that the caller's token is not for.
func (c Caller) MaySubmit(itemID string) error {
	if c.Item == "" || c.Item == itemID {
		return nil
	}
	return errs.Newf(errs.PermissionDenied, "This token is for %s alone.", c.Item).With("error", string(errs.PermissionDenied))
}

// May tells whether a caller's token is good for what needs a scope. A session is good for everything.
func (c Caller) May(need Scope) bool {
	switch c.Scope {
	case "":
		return true
	case ScopeWrite:
		return need == ScopeRead || need == ScopeWrite || need == ScopePublish
	case ScopeRead, ScopePublish:
		return need == c.Scope
	}
	return false
}

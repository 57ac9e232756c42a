package app

import (
	"stoa/internal/platform/errs"
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
	// Token is the hash of the API token that a program calls with, "" without one.
	Token string
	// Scope is what the API token is for; "" is a person's session, which may do everything that the role may.
	Scope     Scope
	RequestID string
	// RequestIDSent is set when the client chose RequestID; otherwise the server made it, and no request can repeat it.
	RequestIDSent bool
	// Locale is one of the languages of the pages, such as zh-CN.
	Locale string
	// Remote is the client's address without its port; of an IPv6 address the network of 64 bits.
	Remote string
	// Device is the token that a browser was given at an earlier sign-in, "" without one.
	Device string
	// Agent says what program calls, in a few words.
	Agent string
}

var (
	errUnauthorized = errs.New(errs.Unauthorized, "Sign in first.")
	errNotYours     = errs.New(errs.PermissionDenied, "This belongs to another member; leave user_id out to act as yourself.").
			With("error", string(errs.PermissionDenied))
)

// viewer is whose private items the caller sees beside those of everybody; "" for nobody's.
// The anonymous member is everybody and owns nothing.
func (c Caller) viewer() string {
	if c.Role != Member {
		return ""
	}
	return c.UserID
}

// allowlisted answers whose data a call on an allowlist route may touch: the caller's own.
func (c Caller) allowlisted(userID string) (string, error) {
	if c.Role == Public {
		return "", errUnauthorized
	}
	if c.Open {
		if userID != "" {
			return userID, nil
		}
		return c.UserID, nil
	}
	if userID != "" && userID != c.UserID {
		return "", errNotYours
	}
	return c.UserID, nil
}

// member is allowlisted for the routes where an anonymous member has no place.
func (c Caller) member(userID string) (string, error) {
	if c.Role != Member {
		return "", errUnauthorized
	}
	return c.allowlisted(userID)
}

// as is the caller acting for userID, which allowlisted or member has allowed.
func (c Caller) as(userID string) Caller {
	c.UserID = userID
	return c
}

package routes

import (
	"stoa/internal/app/core"
	"stoa/internal/platform/errs"
)

// Permits decides whether a caller may use a route at all, by their role and the scope of their token.
func (r *Route) Permits(caller core.Caller) error {
	if r.Role != RolePublic && !caller.May(r.Scope) {
		return OutOfScope(r.Scope)
	}
	if r.Role == RolePublic || caller.Role == core.Member || r.Role == RoleAllowlist && caller.Role == core.Anonymous {
		return nil
	}
	return errs.New(errs.Unauthorized, "Sign in first.")
}

// OutOfScope refuses a token that is not for what a route does.
func OutOfScope(need core.Scope) error {
	message := "This token is not for that. Make one with the scope " + string(need) + "."
	if need == core.ScopeSession {
		message = "A token cannot change an account. Sign in."
	}
	return errs.New(errs.PermissionDenied, message).With("error", string(errs.PermissionDenied)).With("required_scope", string(need))
}

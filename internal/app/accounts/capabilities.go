package accounts

import (
	"context"
	"slices"

	"stoa/internal/app/core"
	"stoa/internal/platform/clock"
)

// SignInPath is the page that sends a browser to the issuer.
const SignInPath = "/signin/oidc"

// AuthInfo says how this server lets people in.
type AuthInfo struct {
	AuthRequired          bool     `json:"auth_required"`
	AvailableRoles        []string `json:"available_roles"`
	InvalidRoles          []string `json:"invalid_roles"`
	TokenTTLSeconds       int      `json:"token_ttl_seconds"`
	SessionMaxSeconds     int      `json:"session_max_seconds"`
	AllowQueryToken       bool     `json:"allow_query_token"`
	AllowAnonymousMember  bool     `json:"allow_anonymous_member"`
	AnonymousMemberUserID string   `json:"anonymous_member_user_id"`
	AnonymousAllowlist    []string `json:"anonymous_member_allowlist"`
	LocalImport           bool     `json:"supports_local_astrbot_import"`
	AnonymousLocalImport  bool     `json:"allow_anonymous_local_astrbot_import"`
	Signup                string   `json:"signup"`
	DefaultUserID         string   `json:"default_user_id"`
	SignInWith            string   `json:"sign_in_with"`
	SignInPath            string   `json:"sign_in_path"`
}

// GetAuthInfo answers how to sign in. The allowlist is the routes that the contract opens to an
// anonymous member.
func (a *Accounts) GetAuthInfo(_ context.Context, allowlist []string) AuthInfo {
	signup := "closed"
	if a.SignupOpen && a.AuthRequired {
		signup = "open"
	}
	name, path := "", ""
	if a.SignInWith != "" && a.AuthRequired {
		name, path = a.SignInWith, SignInPath
	}
	return AuthInfo{
		SignInWith: name, SignInPath: path,
		AuthRequired: a.AuthRequired, AvailableRoles: a.Roles(), InvalidRoles: []string{},
		TokenTTLSeconds: int(SessionIdle.Seconds()), SessionMaxSeconds: int(SessionMax.Seconds()),
		AllowAnonymousMember: a.AllowAnonymousMember, AnonymousMemberUserID: a.AnonymousMemberUserID, AnonymousAllowlist: allowlist,
		Signup: signup, DefaultUserID: a.DefaultUserID,
	}
}

// Capabilities say what a caller may do.
type Capabilities struct {
	AuthRequired         bool     `json:"auth_required"`
	Authenticated        bool     `json:"authenticated"`
	AnonymousMember      bool     `json:"anonymous_member"`
	Role                 string   `json:"role"`
	UserID               string   `json:"user_id"`
	AvailableRoles       []string `json:"available_roles"`
	Operations           []string `json:"operations"`
	PageMode             string   `json:"page_mode"`
	LocalImport          bool     `json:"supports_local_astrbot_import"`
	AnonymousLocalImport bool     `json:"allow_anonymous_local_astrbot_import"`
	ConsoleScopes        []string `json:"console_scopes"`
	SessionExpiresAt     string   `json:"session_expires_at"`
	// AccountDeletesAt is when the caller's account is deleted, as they wish; "" for never.
	AccountDeletesAt string `json:"account_deletes_at"`
}

// GetCapabilities answers what the caller may do; operations are the names of what their role opens.
func (a *Accounts) GetCapabilities(_ context.Context, c core.Caller, pageMode string, operations []string) Capabilities {
	out := Capabilities{
		AuthRequired: a.AuthRequired, Authenticated: c.Role == core.Member, AnonymousMember: c.Role == core.Anonymous, Role: "public", UserID: c.UserID,
		AvailableRoles: []string{"member"}, Operations: operations, PageMode: pageMode, ConsoleScopes: []string{},
		SessionExpiresAt: clock.Text(clock.FromMicros(c.ExpiresAt)), AccountDeletesAt: clock.Text(clock.FromMicros(c.DeletesAt)),
	}
	if !a.SignupOpen || !a.AuthRequired {
		out.Operations = slices.DeleteFunc(slices.Clone(operations), func(name string) bool { return name == "auth.signup" })
	}
	if c.Role != core.Public {
		out.Role, out.ConsoleScopes = "member", []string{"member"}
	}
	return out
}

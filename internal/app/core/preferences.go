package core

import (
	"context"
	"errors"

	"stoa/internal/market/redact"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// The execution modes.
const (
	modeSubagent = "subagent_driven"
	modeInline   = "inline_execution"
)

// Preferences say how a member wants tasks run.
type Preferences struct {
	UserID        string `json:"user_id"`
	Mode          string `json:"mode"`
	ExecutionMode string `json:"execution_mode"`
	Enabled       bool   `json:"enabled"`
	Observe       bool   `json:"observe_task_details"`
	Recipient     string `json:"encryption_recipient"`
	UpdatedAt     string `json:"updated_at"`
}

// OwnInput is the input of a route that takes nothing but whose data is meant.
type OwnInput struct {
	UserID string `json:"user_id"`
}

// GetPreferences answers a member's preferences.
func (a *Core) GetPreferences(ctx context.Context, c Caller, in OwnInput) (Preferences, error) {
	userID, err := c.Allowlisted(in.UserID)
	if err != nil {
		return Preferences{}, err
	}
	p, err := a.Preference(ctx, userID)
	return preferencesView(p), err
}

// PreferenceModeInput chooses a mode.
type PreferenceModeInput struct {
	UserID string `json:"user_id"`
	Mode   string `json:"mode"`
}

// SetPreferenceMode chooses how tasks are run.
func (a *Core) SetPreferenceMode(ctx context.Context, c Caller, in PreferenceModeInput) (Preferences, error) {
	if in.Mode != modeSubagent && in.Mode != modeInline {
		if _, err := c.Allowlisted(in.UserID); err != nil {
			return Preferences{}, err
		}
		return Preferences{}, errs.New(errs.InvalidMode, "The mode is subagent_driven or inline_execution.")
	}
	return a.setPreference(ctx, c, in.UserID, "preferences.mode_set", in.Mode, func(p memberdb.Preference) bool { return p.ExecutionMode == in.Mode }, func(tx *store.Tx, p memberdb.Preference) (memberdb.Preference, error) {
		p.ExecutionMode = in.Mode
		return tx.SetPreferenceMode(p)
	})
}

// PreferenceObserveInput switches task details.
type PreferenceObserveInput struct {
	UserID  string `json:"user_id"`
	Enabled bool   `json:"enabled"`
}

// SetPreferenceObserve chooses whether answers carry task details.
func (a *Core) SetPreferenceObserve(ctx context.Context, c Caller, in PreferenceObserveInput) (Preferences, error) {
	status := "off"
	if in.Enabled {
		status = "on"
	}
	return a.setPreference(ctx, c, in.UserID, "preferences.observe_set", status, func(p memberdb.Preference) bool { return p.Observe == in.Enabled }, func(tx *store.Tx, p memberdb.Preference) (memberdb.Preference, error) {
		p.Observe = in.Enabled
		return tx.SetPreferenceObserve(p)
	})
}

// PreferenceRecipientInput names an age recipient; "" is none.
type PreferenceRecipientInput struct {
	UserID    string `json:"user_id"`
	Recipient string `json:"recipient"`
}

// SetPreferenceRecipient chooses to whom sealed secrets are encrypted.
func (a *Core) SetPreferenceRecipient(ctx context.Context, c Caller, in PreferenceRecipientInput) (Preferences, error) {
	if _, err := c.Member(in.UserID); err != nil {
		return Preferences{}, err
	}
	status := "none"
	if in.Recipient != "" {
		status = "set"
		if err := redact.CheckRecipient(in.Recipient); err != nil {
			return Preferences{}, errs.Invalid("recipient", "is not an age recipient; `stoa keygen` makes one that begins with age1")
		}
	}
	return a.setPreference(ctx, c, in.UserID, "preferences.recipient_set", status, func(p memberdb.Preference) bool { return p.Recipient == in.Recipient }, func(tx *store.Tx, p memberdb.Preference) (memberdb.Preference, error) {
		p.Recipient = in.Recipient
		return tx.SetPreferenceRecipient(p)
	})
}

// setPreference sets a preference that is not so already.
func (a *Core) setPreference(ctx context.Context, c Caller, user, action, status string, same func(memberdb.Preference) bool, set func(*store.Tx, memberdb.Preference) (memberdb.Preference, error)) (Preferences, error) {
	userID, err := c.Allowlisted(user)
	if err != nil {
		return Preferences{}, err
	}
	p, err := a.Preference(ctx, userID)
	if err != nil || p.UpdatedAt > 0 && same(p) {
		return preferencesView(p), err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if p, err = set(tx, memberdb.Preference{UserID: userID, ExecutionMode: modeSubagent}); err != nil {
			return err
		}
		return tx.AddEvent(NewAuditEvent(tx, c, AuditEntry{Owner: userID, Action: action, Status: status}))
	})
	return preferencesView(p), err
}

// Preference gives what a member has set, or the defaults.
func (a *Core) Preference(ctx context.Context, userID string) (memberdb.Preference, error) {
	p, err := a.Store.Preference(ctx, userID)
	if errors.Is(err, sqldb.ErrNotFound) {
		return memberdb.Preference{UserID: userID, ExecutionMode: modeSubagent}, nil
	}
	return p, err
}

func preferencesView(p memberdb.Preference) Preferences {
	return Preferences{p.UserID, p.ExecutionMode, p.ExecutionMode, p.Observe, p.Observe, p.Recipient, clock.Text(clock.FromMicros(p.UpdatedAt))}
}

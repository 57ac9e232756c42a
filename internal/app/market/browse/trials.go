package browse

import (
	"context"
	"errors"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/trial"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// DefaultSessionID stands for a bot session that the caller did not name.
const DefaultSessionID = "webui-session"

// TrialInput names a template and the bot session that tries it.
type TrialInput struct {
	UserID     string `json:"user_id"`
	SessionID  string `json:"session_id"`
	TemplateID string `json:"template_id"`
}

// TaskDetails are added to an answer when the member observes tasks.
type TaskDetails struct {
	Event         string `json:"event"`
	TemplateID    string `json:"template_id"`
	SessionID     string `json:"session_id"`
	ExecutionMode string `json:"execution_mode"`
	Status        string `json:"status"`
}

// Trial is the state of a trial.
type Trial struct {
	Status           string       `json:"status"`
	TTLSeconds       int64        `json:"ttl_seconds"`
	RemainingSeconds int64        `json:"remaining_seconds"`
	UserID           string       `json:"user_id"`
	SessionID        string       `json:"session_id"`
	TemplateID       string       `json:"template_id"`
	TrialID          string       `json:"trial_id,omitempty"`
	StartedAt        string       `json:"started_at,omitempty"`
	ExpiresAt        string       `json:"expires_at,omitempty"`
	Outcome          string       `json:"outcome,omitempty"`
	ExecutionMode    string       `json:"execution_mode,omitempty"`
	Observe          *bool        `json:"observe_task_details,omitempty"`
	TaskDetails      *TaskDetails `json:"task_details,omitempty"`
}

// RequestTrial starts a trial, or answers the one that is active.
func (a *Service) RequestTrial(ctx context.Context, c core.Caller, in TrialInput) (Trial, error) {
	userID, e, kind, err := a.trialTarget(ctx, c, &in)
	if err != nil {
		return Trial{}, err
	}
	preference, err := a.Preference(ctx, userID)
	if err != nil {
		return Trial{}, err
	}
	var t marketdb.Trial
	var started bool
	var now time.Time
	err = a.Store.Write(ctx, func(tx *store.Tx) (err error) {
		now = tx.Now
		t, started, err = tx.StartTrial(marketdb.Trial{
			UserID: userID, ItemID: in.TemplateID, TrialID: core.NewID(), SessionID: in.SessionID,
			StartedAt: clock.Micros(now), ExpiresAt: clock.Micros(now.Add(trial.TTL)),
		})
		if err != nil || !started {
			return err
		}
		if err := tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
			Owner: userID, Task: true, Action: "trial.requested", Kind: kind, ItemID: in.TemplateID, Target: t.TrialID, Status: "trial_started",
		})); err != nil {
			return err
		}
		return a.BumpEngagement(tx, kind, e.Seq, e.VisibleTo(""), marketdb.TrialRequests)
	})
	if err != nil {
		return Trial{}, err
	}
	out := trialView(t, now)
	out.Outcome = "trial_already_active"
	if started {
		out.Outcome = "trial_started"
	}
	out.ExecutionMode, out.Observe = preference.ExecutionMode, &preference.Observe
	if preference.Observe {
		out.TaskDetails = &TaskDetails{"trial.request", in.TemplateID, in.SessionID, preference.ExecutionMode, out.Outcome}
	}
	return out, nil
}

// GetTrialStatus answers the state of the latest trial of a member and a template.
func (a *Service) GetTrialStatus(ctx context.Context, c core.Caller, in TrialInput) (Trial, error) {
	userID, _, _, err := a.trialTarget(ctx, c, &in)
	if err != nil {
		return Trial{}, err
	}
	t, err := a.Store.Trial(ctx, userID, in.TemplateID)
	if errors.Is(err, sqldb.ErrNotFound) {
		t, err = marketdb.Trial{UserID: userID, ItemID: in.TemplateID, SessionID: in.SessionID}, nil
	}
	return trialView(t, a.Clock()), err
}

// trialTarget checks what both trial routes need and fills in the session.
func (a *Service) trialTarget(ctx context.Context, c core.Caller, in *TrialInput) (string, catalog.Entry, catalog.Kind, error) {
	userID, err := c.Allowlisted(in.UserID)
	if err != nil {
		return "", catalog.Entry{}, "", err
	}
	if in.TemplateID == "" {
		return "", catalog.Entry{}, "", ErrTemplateID
	}
	if in.SessionID == "" {
		in.SessionID = DefaultSessionID
	}
	e, kind, err := a.findAny(ctx, c.As(userID), in.TemplateID)
	if errors.Is(err, sqldb.ErrNotFound) {
		err = errs.New(errs.TemplateNotFound, "There is no template with this id.").With("template_id", in.TemplateID)
	}
	return userID, e, kind, err
}

func trialView(t marketdb.Trial, now time.Time) Trial {
	state, remaining := trial.State(clock.FromMicros(t.ExpiresAt), now)
	return Trial{
		Status: state, TTLSeconds: int64(trial.TTL.Seconds()), RemainingSeconds: trial.RemainingSeconds(remaining),
		UserID: t.UserID, SessionID: t.SessionID, TemplateID: t.ItemID, TrialID: t.TrialID,
		StartedAt: clock.Text(clock.FromMicros(t.StartedAt)), ExpiresAt: clock.Text(clock.FromMicros(t.ExpiresAt)),
	}
}

// BumpEngagement counts one use of an item, in the store and, once that is on disk, in memory.
func (a *Service) BumpEngagement(tx *store.Tx, kind catalog.Kind, seq int64, public bool, counter marketdb.Counter) error {
	e, err := tx.Engage(kind, seq, public, counter)
	if err == nil {
		tx.OnCommit(func() { a.Cache.Index(kind).SetEngagement(seq, e) })
	}
	return err
}

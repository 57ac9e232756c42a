package submit

import (
	"context"
	"strings"
	"sync"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/market/catalog"
	"stoa/internal/market/submission"
	"stoa/internal/market/trial"
	"stoa/internal/platform/dial"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/llm"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/memberdb"
)

// TrialPersonasInput names an item, or one of the caller's own submissions. Version "" is the latest.
type TrialPersonasInput struct {
	UserID       string `json:"user_id"`
	ItemID       string `json:"item_id"`
	Version      string `json:"version"`
	SubmissionID string `json:"submission_id"`
}

// TrialPersonas are whom a member can talk to before they install an item, and with what.
type TrialPersonas struct {
	ItemID   string          `json:"item_id"`
	Version  string          `json:"version"`
	Kind     string          `json:"kind"`
	Title    string          `json:"title"`
	Personas []trial.Persona `json:"personas"`
	Models   TrialModels     `json:"models"`
	// MayRecord: the caller is its author and may keep a conversation as its example.
	MayRecord bool `json:"may_record"`
}

// TrialModels are the models that a trial may use.
type TrialModels struct {
	Operator bool   `json:"operator"` // whether the operator offers one
	Name     string `json:"name"`
	Host     string `json:"host"`
	// Price is what one answer costs, in the operator's currency; 0 when nobody counts.
	Price float64        `json:"price"`
	Used  int64          `json:"used"`  // answers of the operator's model today
	Limit *int64         `json:"limit"` // null is no bound
	Relay core.RelayMode `json:"relay"`
}

// GetTrialPersonas answers the words of an item that a conversation can be held with.
func (a *Service) GetTrialPersonas(ctx context.Context, c core.Caller, in TrialPersonasInput) (TrialPersonas, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return TrialPersonas{}, err
	}
	out, err := a.spokenBy(ctx, c.As(userID), in)
	if err != nil {
		return out, err
	}
	used, err := a.Store.Used(ctx, userID, memberdb.Day(a.Clock()))
	if err != nil {
		return out, err
	}
	out.Models = TrialModels{Relay: a.Trial.Relay, Used: used[string(core.QuotaTrialMessages)], Price: a.ModelCallPrice}
	if a.Trial.Model != nil {
		out.Models.Operator, out.Models.Name, out.Models.Host = true, a.Trial.Model.Name(), a.Trial.Host
	}
	limit, bounded, err := a.QuotaOf(ctx, a.Store.Queries, userID, core.QuotaTrialMessages)
	if bounded {
		out.Models.Limit = &limit
	}
	return out, err
}

// TrialChatInput is a conversation that a model is to go on with. Nothing of it is stored or logged.
type TrialChatInput struct {
	UserID      string        `json:"user_id"`
	Messages    []llm.Message `json:"messages"`
	Temperature *float64      `json:"temperature"`
	// Server is the member's own; nil asks the operator's.
	Server *TrialServer `json:"server"`
}

// TrialServer is a model server of a member. The key is handed on and kept nowhere.
type TrialServer struct {
	URL   string `json:"url"`
	Key   string `json:"key"`
	Model string `json:"model"`
}

// TrialChat is a conversation that may begin: it is counted and has a place, which Close gives back.
type TrialChat struct {
	question llm.Question
	model    *llm.Model
	bounds   llm.Bounds
	leave    func()
}

// Bounds of a conversation, in bytes, and of how many are held at a time.
const (
	mostTrialText  = 256 << 10
	trialsOfMember = 4
	trialsOfAll    = 64
)

// BeginTrialChat checks and counts one question.
func (a *Service) BeginTrialChat(ctx context.Context, c core.Caller, in TrialChatInput) (*TrialChat, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return nil, err
	}
	size := 0
	for _, m := range in.Messages {
		size += len(m.Content)
	}
	if len(in.Messages) == 0 || in.Messages[len(in.Messages)-1].Role != "user" {
		return nil, errs.Invalid("messages", "must end with a message of the user")
	}
	if size > mostTrialText {
		return nil, errs.Invalid("messages", "must have at most 256 KiB of text together")
	}
	model, kind, err := a.trialModel(in.Server)
	if err != nil {
		return nil, err
	}
	if !a.talks.enter(userID) {
		return nil, &errs.Error{Code: errs.RateLimited, Message: "Other answers are still on their way. Stop one or wait for it.", RetryAfter: 5 * time.Second}
	}
	// Counted before it is asked: however many questions come at once, no more are asked than are allowed.
	if err := a.Store.Write(ctx, func(tx *store.Tx) error { return a.UseQuota(tx, userID, kind, 1) }); err != nil {
		a.talks.leave(userID)
		return nil, err
	}
	return &TrialChat{llm.Question{Messages: in.Messages, Temperature: in.Temperature}, model, a.Trial.Bounds, func() { a.talks.leave(userID) }}, nil
}

func (a *Service) trialModel(s *TrialServer) (*llm.Model, core.QuotaKind, error) {
	if s == nil {
		if a.Trial.Model == nil {
			return nil, "", errs.New(errs.InvalidRequest, "This server offers no model for trials. Use a model server of your own.")
		}
		return a.Trial.Model, core.QuotaTrialMessages, nil
	}
	if a.Trial.Relay != core.RelayPublic && a.Trial.Relay != core.RelayPrivate {
		return nil, "", errs.New(errs.InvalidRequest, "This server hands no questions on to other model servers.")
	}
	allow := dial.Allow(dial.PublicOnly)
	if a.Trial.Relay == core.RelayPrivate {
		allow = dial.PublicOrLocal
	}
	m, err := llm.NewGuarded(strings.TrimSpace(s.URL), strings.TrimSpace(s.Model), s.Key, allow)
	if err != nil {
		return nil, "", errs.Invalid("server", "must have an address like https://api.example.org/v1 and the name of a model")
	}
	return m, core.QuotaTrialRelays, nil
}

// Stream asks the model and gives what it says as it comes. Errors are *llm.Fault, what emit returned, or the context's.
func (t *TrialChat) Stream(ctx context.Context, emit func(llm.Piece) error) error {
	return t.model.Stream(ctx, t.question, t.bounds, emit)
}

// Close gives the place back.
func (t *TrialChat) Close() { t.leave() }

// talks bounds how many conversations wait for an answer at a time.
type talks struct {
	mu      sync.Mutex
	members map[string]int
	all     int
}

func (t *talks) enter(userID string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all >= trialsOfAll || t.members[userID] >= trialsOfMember {
		return false
	}
	if t.members == nil {
		t.members = map[string]int{}
	}
	t.all++
	t.members[userID]++
	return true
}

func (t *talks) leave(userID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all--
	if t.members[userID]--; t.members[userID] == 0 {
		delete(t.members, userID)
	}
}

// spokenBy finds who speaks in an item, or in a submission of the caller.
func (a *Service) spokenBy(ctx context.Context, c core.Caller, in TrialPersonasInput) (out TrialPersonas, err error) {
	var v *browse.CachedVersion
	switch {
	case in.SubmissionID != "":
		_, s, err := a.threadOf(ctx, c, ThreadInput{SubmissionID: in.SubmissionID})
		if err != nil {
			return out, err
		}
		v = submittedVersion(s)
		out = TrialPersonas{ItemID: s.ItemID, Version: s.Version, Kind: string(s.Kind), MayRecord: s.Status == submission.Pending}
	case in.ItemID != "":
		var e catalog.Entry
		var kind catalog.Kind
		if v, e, kind, err = a.VersionFor(ctx, c, in.ItemID, in.Version); err != nil {
			return out, err
		}
		out = TrialPersonas{ItemID: e.ID, Version: v.Document.Version, Kind: string(kind), MayRecord: e.Owner == c.UserID && e.Version == v.Document.Version}
	default:
		return out, errs.Invalid("item_id", "is missing")
	}
	out.Title, out.Personas, err = a.personasOf(ctx, c, v)
	return out, err
}

// submittedVersion is a submission as if it were published.
func submittedVersion(s marketdb.Submission) *browse.CachedVersion {
	v := &browse.CachedVersion{Document: s.Content.Document, Artifacts: []marketdb.Artifact{{}}}
	if s.Facts.Artifact != nil {
		v.Artifacts[0].Artifact = *s.Facts.Artifact
	}
	return v
}

func (a *Service) personasOf(ctx context.Context, c core.Caller, v *browse.CachedVersion) (title string, personas []trial.Persona, err error) {
	done, err := a.Inspect(ctx, c.UserID)
	if err != nil {
		return "", nil, err
	}
	defer done()
	item, err := a.Exportable(ctx, v, c.Locale)
	if err != nil {
		return "", nil, err
	}
	personas = trial.Personas(&item)
	trial.Recorded(personas, v.Document.Examples)
	return item.Title, personas, nil
}

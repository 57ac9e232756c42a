package cards

import (
	"context"
	"encoding/json"
	"errors"
	"maps"

	"stoa/internal/app/core"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/propose"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
	"stoa/internal/platform/store/sqldb"
)

// The states of a run in which questions are proposed.
const (
	runRunning = "running"
	runStopped = "stopped" // by its learner
	runFailed  = "failed"  // it can be resumed when the cause in Error is fixed
	runDone    = "done"
)

// What a running run waits for.
const (
	waitsForTomorrow = "tomorrow" // the calls of today are used up
	waitsForModel    = "model"    // it did not answer and is asked again
)

// ProposalRun is how far a run is.
type ProposalRun struct {
	RunID string `json:"runId"`
	Kind  string `json:"kind"`
	State string `json:"state"`
	// WaitsFor is why a running run makes no call before NextAt.
	WaitsFor  string `json:"waitsFor"`
	NextAt    string `json:"nextAt"`
	Error     string `json:"errorMessage"` // of the last call that failed, while it counts
	ErrorCode string `json:"errorCode"`
	StartedAt string `json:"startedAt"`
	EndedAt   string `json:"endedAt"`
	Parts     int    `json:"parts"`
	PartsDone int    `json:"partsDone"`
	Calls     int    `json:"calls"`
	CallsMost int    `json:"callsAtMost"`
	Offered   int    `json:"offered"`
	// Dropped counts what is not offered, by reason.
	Dropped map[propose.Reason]int `json:"dropped"`
	// Verdicts counts the inferred prerequisites that a model judged, by what it said.
	Verdicts map[graph.VerdictKind]int `json:"verdicts"`
}

// keptRun is a run as it is stored beside its state.
type keptRun struct {
	ProposalRun
	Adapters []string // that its learner agreed to
	Failures int      // calls in a row that no model answered
	Unread   int      // answers in a row that could not be read
	next     int64    // µs: no call before
}

func readRun(row *schooldb.QuestionRun) (*keptRun, error) {
	r := &keptRun{}
	if err := json.Unmarshal(row.Body, r); err != nil {
		return nil, err
	}
	r.RunID, r.State, r.next = row.RunID, row.State, row.NextAt
	return r, nil
}

func (r *keptRun) put(tx *store.Tx, userID string) error {
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return tx.PutQuestionRun(schooldb.QuestionRun{UserID: userID, RunID: r.RunID, State: r.State, NextAt: r.next, Body: body})
}

// goOn lets a run make calls at once, with nothing held against the models.
func (r *keptRun) goOn() {
	r.State, r.WaitsFor, r.next, r.Error, r.ErrorCode, r.EndedAt, r.Failures, r.Unread = runRunning, "", 0, "", "", "", 0, 0
}

// end ends a run.
func (r *keptRun) end(tx *store.Tx, state string) {
	r.State, r.WaitsFor, r.next, r.EndedAt = state, "", 0, clock.Text(tx.Now)
}

// RunProposalsInput starts, stops or resumes the learner's run, or puts aside what models said of prerequisites.
type RunProposalsInput struct {
	UserID string `json:"user_id"`
	Action string `json:"action"` // start, stop, resume or discard
	// EstimateID is that of the estimate that the learner agrees to; the scope must be its.
	EstimateID string `json:"estimateId"`
	ProposalScope
}

// RunProposals starts, stops or resumes the run in which a language model proposes questions. Without a start by the learner
// nothing is sent to any model.
func (a *Service) RunProposals(ctx context.Context, c core.Caller, in RunProposalsInput) (ProposalRun, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return ProposalRun{}, err
	}
	switch in.Action {
	case "start":
		return a.startProposals(ctx, c.As(userID), in)
	case "discard":
		return a.discardVerdicts(ctx, c.As(userID))
	}
	var run *keptRun
	err = a.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if run, err = lockRun(tx, userID, "There is no run. Ask for an estimate and start one."); err != nil {
			return err
		}
		switch {
		case in.Action == "stop" && run.State == runRunning:
			run.end(tx, runStopped)
		case in.Action == "resume" && (run.State == runStopped || run.State == runFailed):
			run.goOn()
		default:
			return nil // it is so already
		}
		if err := run.put(tx, userID); err != nil {
			return err
		}
		action := map[string]string{"stop": "knowledge.proposals_stopped", "resume": "knowledge.proposals_resumed"}[in.Action]
		return tx.AddEvent(core.NewAuditEvent(tx, c.As(userID), core.AuditEntry{Owner: userID, Action: action, Target: run.RunID, Status: run.State}))
	})
	if err != nil {
		return ProposalRun{}, err
	}
	return run.shown(), nil
}

// lockRun holds a learner's run until the transaction ends; none says so when there is no run.
func lockRun(tx *store.Tx, userID, none string) (*keptRun, error) {
	row, err := tx.LockQuestionRun(userID)
	if errors.Is(err, sqldb.ErrNotFound) {
		return nil, errs.New(errs.NotFound, none)
	}
	if err != nil {
		return nil, err
	}
	return readRun(&row)
}

func (a *Service) startProposals(ctx context.Context, c core.Caller, in RunProposalsInput) (ProposalRun, error) {
	userID := c.UserID
	e, err := a.estimate(ctx, userID, in.ProposalScope)
	if err != nil {
		return ProposalRun{}, err
	}
	switch {
	case len(e.Models) == 0:
		return ProposalRun{}, errs.New(errs.InvalidRequest, "No language model may be asked: this server has none, or your settings rule them out.")
	case in.EstimateID != e.EstimateID:
		return ProposalRun{}, errs.Invalid("estimateId", "is not the estimate of these notes as they are now: ask for a new one and look at it")
	case e.Parts == 0:
		return ProposalRun{}, errs.New(errs.InvalidRequest, "There is nothing to read: all of these notes were read before, or they say nothing that is learned.")
	}
	run := &keptRun{ProposalRun: ProposalRun{RunID: core.NewID(), Kind: e.Kind, StartedAt: clock.Text(a.Clock()), Parts: e.Parts, CallsMost: e.CallsMost, Dropped: map[propose.Reason]int{}, Verdicts: map[graph.VerdictKind]int{}}}
	run.goOn()
	for _, m := range e.Models {
		run.Adapters = append(run.Adapters, m.AdapterID)
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		row, err := tx.LockQuestionRun(userID)
		if err == nil && row.State == runRunning {
			return errs.New(errs.InvalidRequest, "A run is going on. Stop it first.")
		}
		if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
			return err
		}
		for i, w := range e.work {
			p := schooldb.QuestionPart{UserID: userID, UnitID: w.unitID, Part: int64(w.part), RunID: run.RunID, Place: int64(i), Fingerprint: w.fingerprint, Pending: w.pairs}
			if err := tx.PutQuestionPart(p); err != nil {
				return err
			}
		}
		if err := run.put(tx, userID); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: userID, Action: "knowledge.proposals_started", Target: run.RunID, Status: runRunning, Detail: map[string]any{
			"estimateId": e.EstimateID, "kind": e.Kind, "notes": e.Notes, "parts": e.Parts, "callsAtMost": e.CallsMost, "costAtMost": e.Cost, "models": run.Adapters,
		}}))
	})
	if err != nil {
		return ProposalRun{}, err
	}
	return run.shown(), nil
}

func (r *keptRun) shown() ProposalRun {
	out := r.ProposalRun
	out.Dropped, out.Verdicts = maps.Clone(r.Dropped), maps.Clone(r.Verdicts)
	if out.Verdicts == nil { // of an earlier version
		out.Kind, out.Verdicts = proposeQuestions, map[graph.VerdictKind]int{}
	}
	if r.next > 0 {
		out.NextAt = clock.Text(clock.FromMicros(r.next))
	}
	return out
}

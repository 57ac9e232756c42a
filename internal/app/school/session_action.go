package school

import (
	"context"
	"encoding/json"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/platform/errs"
)

// SessionActionInput is one action that a learner worked through.
type SessionActionInput struct {
	UserID       string          `json:"user_id"`
	Action       json.RawMessage `json:"action"`
	Outcome      string          `json:"outcome"`
	Answer       string          `json:"answer"`
	ErrorTag     string          `json:"errorTag"`
	ResponseTime float64         `json:"responseTimeMs"`
	Persist      bool            `json:"persistMemory"`
	Layer        string          `json:"memoryLayer"`
	ExecutedAt   string          `json:"executedAt"`
	HeaderKey    string          `json:"-"` // Idempotency-Key
}

// ExecuteSessionAction works through one action: a session of its own, of the kind custom.
func (a *School) ExecuteSessionAction(ctx context.Context, c core.Caller, in SessionActionInput) (ActionResult, error) {
	var action struct {
		LearningAction
		Prompt string `json:"prompt"`
		Answer string `json:"answer"`
	}
	if err := json.Unmarshal(in.Action, &action); err != nil {
		return ActionResult{}, errs.Invalid("action", "must be an action as session/plan answers it")
	}
	if in.Answer == "" {
		in.Answer = action.Answer
	}
	if in.ErrorTag != "" {
		action.ErrorTag = in.ErrorTag
	}
	if action.Kind == "" {
		action.Kind = "quiz"
	}
	const id = "action"
	action.ID = id
	plan, err := json.Marshal(map[string]any{"actions": []LearningAction{action.LearningAction}})
	if err != nil {
		return ActionResult{}, err
	}
	one := ExecuteInput{
		PlanWishes: PlanWishes{UserID: in.UserID}, Plan: plan, Kind: "custom", Persist: in.Persist, Layer: in.Layer, ExecutedAt: in.ExecutedAt, HeaderKey: in.HeaderKey,
		TimesByAction: map[string]float64{id: in.ResponseTime},
	}
	if in.Answer != "" {
		one.AnswersByAction = map[string]string{id: in.Answer}
	}
	if in.Outcome != "" {
		one.OutcomesByAction = map[string]string{id: in.Outcome}
	}
	out, err := a.ExecuteStudySession(ctx, c, one)
	if err != nil {
		return ActionResult{}, err
	}
	if len(out.Items) == 0 || out.Items[0].Result == nil {
		return ActionResult{}, learner.ErrNoAtom("action.atomId", action.AtomID)
	}
	return *out.Items[0].Result, nil
}

package cards

import (
	"context"
	"encoding/json"
	"slices"

	"stoa/internal/app/core"
	"stoa/internal/learning/questions"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store/schooldb"
)

// QuestionVersionsInput names a question.
type QuestionVersionsInput struct {
	UserID     string `json:"user_id"`
	QuestionID string `json:"questionId"`
}

// QuestionVersion is how a question was before an edit.
type QuestionVersion struct {
	Version     int64    `json:"version"`
	Prompt      string   `json:"prompt"`
	Accepted    []string `json:"accepted"`
	Expected    string   `json:"expected"`
	Explanation string   `json:"explanation"`
	ReplacedAt  string   `json:"replacedAt"`
}

// QuestionVersions are the earlier versions of a question, the newest first.
type QuestionVersions struct {
	QuestionID string            `json:"questionId"`
	Items      []QuestionVersion `json:"items"`
}

// ListQuestionVersions answers how a question of the caller's was before its edits: nothing of one that was never edited.
func (a *Service) ListQuestionVersions(ctx context.Context, c core.Caller, in QuestionVersionsInput) (QuestionVersions, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return QuestionVersions{}, err
	}
	rows, err := a.Store.QuestionVersions(ctx, userID, in.QuestionID, schooldb.KeptQuestionVersions)
	if err != nil {
		return QuestionVersions{}, err
	}
	out := QuestionVersions{QuestionID: in.QuestionID, Items: []QuestionVersion{}}
	for _, row := range rows {
		var q questions.Question
		if err := json.Unmarshal(row.Body, &q); err != nil {
			return out, err
		}
		accepted := core.NonNil(q.Answer.Texts)
		if len(q.Answer.Items) > 0 {
			accepted = q.Answer.Items
		}
		out.Items = append(out.Items, QuestionVersion{
			Version: row.Version, Prompt: q.Prompt, Accepted: accepted, Expected: q.Expected(), Explanation: q.Explanation, ReplacedAt: clock.Text(clock.FromMicros(row.ReplacedAt)),
		})
	}
	return out, nil
}

// restore puts the text of an earlier version into a question. Whether it is asked stays as it is.
func (a *Service) restore(ctx context.Context, userID string, version int64, q *questions.Question) error {
	rows, err := a.Store.QuestionVersions(ctx, userID, q.ID, schooldb.KeptQuestionVersions)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(rows, func(v schooldb.QuestionVersion) bool { return v.Version == version })
	if at < 0 {
		return errs.Invalid("restoreVersion", "names no earlier version of this question")
	}
	var was questions.Question
	if err := json.Unmarshal(rows[at].Body, &was); err != nil {
		return err
	}
	was.ID, was.UnitID, was.State, was.Origin, was.Evidence = q.ID, q.UnitID, q.State, q.Origin, q.Evidence
	*q = was
	return nil
}

package notebook

import (
	"context"
	"slices"
	"strings"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/governance/telemetry"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// How many figures of questions are kept and looked at.
const (
	QuestionsKept = 200            // of a learner
	QuestionsSeen = 50             // the newest, that the matrix looks at
	QuestionsSpan = 24 * time.Hour // and no older than this
)

// asked keeps how a question was answered, for the learner's own figures.
func (a *Service) asked(userID string, t QueryTrace, hits int, took time.Duration) {
	now := a.Clock()
	a.Questions.Add(schooldb.QuerySample{
		UserID: userID, ID: core.IDOf(now), At: clock.Micros(now), Fallback: t.Fallback, Reason: core.Truncate(t.Why, core.LongestDetail), Hits: int64(hits),
		Evidence: core.Millionths(t.Evidence), Paths: core.Millionths(t.Paths), Valid: core.Millionths(t.Valid), TookUS: took.Microseconds(),
	})
}

// questionsOf reads how a learner's newest questions were answered: those that are stored, and those of this process that
// are not stored yet.
func (a *Service) questionsOf(ctx context.Context, q store.Queries, userID string) ([]telemetry.Sample, error) {
	waiting := a.Questions.Pending()
	rows, err := q.QuerySamples(ctx, userID, QuestionsKept)
	if err != nil {
		return nil, err
	}
	for _, w := range waiting {
		if w.UserID == userID && !slices.ContainsFunc(rows, func(r schooldb.QuerySample) bool { return r.ID == w.ID }) {
			rows = append(rows, w)
		}
	}
	slices.SortFunc(rows, func(a, b schooldb.QuerySample) int { return strings.Compare(b.ID, a.ID) })
	out := make([]telemetry.Sample, len(rows))
	for i, r := range rows {
		out[i] = telemetry.Sample{
			At: clock.FromMicros(r.At), Fallback: r.Fallback, Reason: r.Reason, Hits: int(r.Hits), Evidence: float64(r.Evidence) / 1e6, Paths: float64(r.Paths) / 1e6,
			Valid: float64(r.Valid) / 1e6, Took: time.Duration(r.TookUS) * time.Microsecond,
		}
	}
	return out, nil
}

// QueryFigures are the figures of a learner's questions since a time, at most the newest most ones.
func (a *Service) QueryFigures(ctx context.Context, q store.Queries, userID string, since time.Time, most int) (telemetry.Queries, error) {
	samples, err := a.questionsOf(ctx, q, userID)
	f := telemetry.Of(samples, since, most)
	for _, x := range []*float64{&f.Fallback, &f.Evidence, &f.Paths, &f.Valid, &f.Average, &f.P95} {
		*x = core.Rounded(*x, 4)
	}
	return f, err
}

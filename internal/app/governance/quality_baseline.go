package governance

import (
	"bytes"
	"context"
	"encoding/json"

	"stoa/internal/app/core"
	"stoa/internal/app/school"
	"stoa/internal/governance/quality"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

// QualityBaseline is what later quality is compared with.
type QualityBaseline struct {
	UserID   string            `json:"userId"`
	Found    bool              `json:"found"`
	StoredAt *string           `json:"storedAt"`
	Snapshot *quality.Snapshot `json:"snapshot"`
}

// BaselineInput is a baseline, or what to evaluate against it.
type BaselineInput struct {
	school.QualityInput
	Snapshot   json.RawMessage `json:"snapshot"`
	StoredAt   string          `json:"storedAt"`
	Current    json.RawMessage `json:"current"`
	Baseline   json.RawMessage `json:"baseline"`
	Thresholds json.RawMessage `json:"thresholds"`
}

// GetQualityBaseline answers a learner's baseline, if there is one.
func (a *Governance) GetQualityBaseline(ctx context.Context, c core.Caller, in core.OwnInput) (QualityBaseline, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return QualityBaseline{}, err
	}
	return baselineOf(ctx, a.Store.Queries, userID)
}

func baselineOf(ctx context.Context, q store.Queries, userID string) (QualityBaseline, error) {
	out := QualityBaseline{UserID: userID}
	text, at, err := q.QualityBaseline(ctx, userID)
	if err != nil || text == nil {
		return out, err
	}
	storedAt := clock.Text(clock.FromMicros(at))
	out.Found, out.StoredAt, out.Snapshot = true, &storedAt, &quality.Snapshot{}
	return out, json.Unmarshal(text, out.Snapshot)
}

// snapshotOf reads a snapshot that somebody sent.
func snapshotOf(text json.RawMessage) (quality.Snapshot, error) {
	var s quality.Snapshot
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) || json.Unmarshal(text, &s) != nil {
		return s, errs.New(errs.BaselineSnapshotRequired, "The snapshot must be an object as quality/snapshot answers it; leave it out to take one now.")
	}
	return s.Normal(), nil
}

// SetQualityBaseline keeps a baseline: the snapshot that is sent, else one taken now. The chart of the trend starts over:
// what holds from now on is what is usual.
func (a *Governance) SetQualityBaseline(ctx context.Context, c core.Caller, in BaselineInput) (QualityBaseline, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return QualityBaseline{}, err
	}
	var s quality.Snapshot
	if len(in.Snapshot) > 0 {
		s, err = snapshotOf(in.Snapshot)
	} else {
		var now school.QualitySnapshot
		now, _, err = a.school.MeasureQuality(ctx, userID, in.QualityInput)
		s = now.Snapshot
	}
	if err != nil {
		return QualityBaseline{}, err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return QualityBaseline{}, err
	}
	return a.putBaseline(ctx, c, userID, text, in.StoredAt)
}

// ClearQualityBaseline takes the baseline away; without one nothing happens.
func (a *Governance) ClearQualityBaseline(ctx context.Context, c core.Caller, in core.OwnInput) (QualityBaseline, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return QualityBaseline{}, err
	}
	return a.putBaseline(ctx, c, userID, nil, "")
}

func (a *Governance) putBaseline(ctx context.Context, c core.Caller, userID string, snapshot []byte, storedAt string) (out QualityBaseline, err error) {
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.SetQualityBaseline(userID, snapshot, clock.Micros(a.school.Past(storedAt))); err != nil {
			return err
		}
		if err := restartChart(ctx, tx, userID); err != nil {
			return err
		}
		action := "learning.quality_baseline_set"
		if snapshot == nil {
			action = "learning.quality_baseline_cleared"
		}
		if out, err = baselineOf(ctx, tx.Queries, userID); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c.As(userID), core.AuditEntry{Owner: userID, Action: action, Status: "done"}))
	})
	return out, err
}

// restartChart lets the chart forget what was usual, but not which answers it has processed.
func restartChart(ctx context.Context, tx *store.Tx, userID string) error {
	state, err := tx.QualityState(ctx, userID)
	if err != nil || len(state.Chart) == 0 {
		return err
	}
	var c school.Charted
	if err := json.Unmarshal(state.Chart, &c); err != nil {
		return err
	}
	c.Chart = quality.Chart{}
	if state.Chart, err = json.Marshal(c); err != nil {
		return err
	}
	return tx.PutQualityState(userID, state)
}

// QualityVerdict is quality held against a baseline.
type QualityVerdict struct {
	EvaluatedAt string               `json:"evaluatedAt"`
	Thresholds  quality.Thresholds   `json:"thresholds"`
	Baseline    quality.Snapshot     `json:"baseline"`
	Current     quality.Snapshot     `json:"current"`
	Deltas      quality.Deltas       `json:"deltas"`
	Gates       []school.QualityGate `json:"gates"`
	Passed      bool                 `json:"overallPassed"`
}

// QualityEvaluation is quality held against the stored baseline.
type QualityEvaluation struct {
	UserID     string                 `json:"userId"`
	Baseline   QualityBaseline        `json:"baseline"`
	Current    school.QualitySnapshot `json:"currentSnapshot"`
	Evaluation QualityVerdict         `json:"evaluation"`
}

// EvaluateQualityBaseline holds quality, as it is sent or as it is now, against the stored baseline. Nothing is kept.
func (a *Governance) EvaluateQualityBaseline(ctx context.Context, c core.Caller, in BaselineInput) (QualityEvaluation, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return QualityEvaluation{}, err
	}
	out := QualityEvaluation{UserID: userID}
	if out.Baseline, err = baselineOf(ctx, a.Store.Queries, userID); err != nil {
		return out, err
	}
	if len(in.Baseline) > 0 {
		s, err := snapshotOf(in.Baseline)
		if err != nil {
			return out, err
		}
		out.Baseline.Snapshot = &s
	}
	if out.Baseline.Snapshot == nil {
		return out, errs.New(errs.BaselineNotFound, "There is no baseline yet: POST quality/baseline sets one.")
	}
	now := a.Clock()
	out.Current.SampledAt = clock.Text(a.school.Past(in.SampledAt))
	if len(in.Current) > 0 {
		out.Current.Snapshot, err = snapshotOf(in.Current)
	} else {
		out.Current, _, err = a.school.MeasureQuality(ctx, userID, in.QualityInput)
	}
	if err != nil {
		return out, err
	}
	thresholds := quality.DefaultThresholds()
	if len(in.Thresholds) > 0 {
		if err := json.Unmarshal(in.Thresholds, &thresholds); err != nil {
			return out, errs.Invalid("thresholds", "must be numbers by their names")
		}
	}
	e := quality.Evaluate(*out.Baseline.Snapshot, out.Current.Snapshot, thresholds)
	out.Evaluation = QualityVerdict{clock.Text(now), thresholds, *out.Baseline.Snapshot, out.Current.Snapshot, e.Deltas, []school.QualityGate{}, e.Passed}
	for _, g := range e.Gates {
		out.Evaluation.Gates = append(out.Evaluation.Gates, gateView(g))
	}
	return out, nil
}

// EvaluateQuality is EvaluateQualityBaseline that may be sent the baseline too, and answers the verdict alone.
func (a *Governance) EvaluateQuality(ctx context.Context, c core.Caller, in BaselineInput) (QualityVerdict, error) {
	e, err := a.EvaluateQualityBaseline(ctx, c, in)
	return e.Evaluation, err
}

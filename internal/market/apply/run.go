package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Journal keeps the state of one bot. Save returns when the state is on disk.
type Journal interface {
	Load() (State, error)
	Save(s State) error
}

// Runner carries plans out on one bot.
type Runner struct {
	Target  Target
	Journal Journal
	Now     func() time.Time
}

// ConsentError is a plan that widens what the bot reaches, without a yes to it.
type ConsentError struct{ Gains []string }

func (e *ConsentError) Error() string {
	return fmt.Sprintf("the bot would reach more than now (%d things), and nobody agreed to that", len(e.Gains))
}

// StepError is the step at which a plan stopped. What was done before it stays done and is in the journal.
type StepError struct {
	Step Step
	Done int // steps that were carried out
	All  int
	Err  error
}

func (e *StepError) Error() string {
	return fmt.Sprintf("stopped at the %s %s, after %d of %d steps: %v", e.Step.Kind, e.Step.ID, e.Done, e.All, e.Err)
}

func (e *StepError) Unwrap() error { return e.Err }

// ChangedError is an object that is neither what it was nor what it was to become.
type ChangedError struct{ Keys []Key }

func (e *ChangedError) Error() string {
	if len(e.Keys) == 1 {
		return fmt.Sprintf("the %s %s was changed by hand", e.Keys[0].Kind, e.Keys[0].ID)
	}
	return fmt.Sprintf("%d objects were changed by hand, the first is the %s %s", len(e.Keys), e.Keys[0].Kind, e.Keys[0].ID)
}

// errNotKept is a bot that says it wrote a value and then answers another.
var errNotKept = errors.New("the bot took the value but does not answer it when read back")

// ErrNothing is an undo without anything to take back.
var ErrNothing = errors.New("there is nothing to take back")

// Apply carries a plan out. agreed is the member's yes to plan.Gains.
func (r *Runner) Apply(ctx context.Context, plan Plan, agreed bool) error {
	if len(plan.Gains) > 0 && !agreed {
		return &ConsentError{plan.Gains}
	}
	if !plan.Changes() {
		return nil
	}
	s, err := r.Journal.Load()
	if err != nil {
		return err
	}
	if s.Unfinished() != nil {
		return &UnfinishedError{}
	}
	op := Operation{At: r.Now().UTC(), Steps: []Step{}}
	op.Before.Items, op.Before.Objects = s.Items, s.Objects
	for i := range plan.Items {
		plan.Items[i].At = op.At
	}
	op.Items, op.Objects = plan.outcome(&s)
	for _, step := range plan.Steps {
		if step.Action != Keep {
			op.Steps = append(op.Steps, step)
		}
	}
	s.Target = r.Target.Name()
	s.Log = append(s.Log, op)
	if n := len(s.Log) - maxLog; n > 0 {
		s.Log = s.Log[n:]
	}
	return r.forward(ctx, s)
}

// Continue carries on with a plan that was interrupted.
func (r *Runner) Continue(ctx context.Context) error {
	s, err := r.Journal.Load()
	if err != nil {
		return err
	}
	switch op := s.Unfinished(); {
	case op == nil:
		return ErrNothing
	case op.Undoing:
		return r.Undo(ctx, false)
	}
	return r.forward(ctx, s)
}

// forward does the steps of the last operation that are not done.
func (r *Runner) forward(ctx context.Context, s State) error {
	s = s.clone()
	op := &s.Log[len(s.Log)-1]
	for i := range op.Steps {
		step := &op.Steps[i]
		if step.Status == done {
			continue
		}
		step.Status = begun
		if err := r.Journal.Save(s); err != nil { // before the bot is touched
			return err
		}
		if err := r.bring(ctx, step.Key, step.Before, step.After); err != nil {
			return &StepError{Step: *step, Done: i, All: len(op.Steps), Err: err}
		}
		step.Status = done
	}
	op.Finished = true
	s.Items, s.Objects = op.Items, op.Objects
	return r.Journal.Save(s)
}

// bring takes an object from one value to another and confirms it by reading it back. It may be there already.
func (r *Runner) bring(ctx context.Context, key Key, from, to Value) error {
	now, err := r.Target.Read(ctx, []Key{key})
	if err != nil {
		return err
	}
	switch {
	case same(now[key], to):
		return nil
	case !same(now[key], from):
		return &ChangedError{[]Key{key}}
	}
	if err := r.Target.Write(ctx, key, from, to); err != nil {
		return err
	}
	if now, err = r.Target.Read(ctx, []Key{key}); err != nil {
		return err
	}
	if !same(now[key], to) {
		return errNotKept
	}
	return nil
}

// Undo takes the last plan back, also one that was interrupted. What was changed by hand since stops it before anything
// is touched, unless force says that it is to be lost.
func (r *Runner) Undo(ctx context.Context, force bool) error {
	s, err := r.Journal.Load()
	if err != nil {
		return err
	}
	if len(s.Log) == 0 {
		return ErrNothing
	}
	s = s.clone()
	op := &s.Log[len(s.Log)-1]
	var steps []Step // that may have reached the bot
	var keys []Key
	for _, step := range op.Steps {
		if step.Status != "" {
			steps, keys = append(steps, step), append(keys, step.Key)
		}
	}
	now, err := r.Target.Read(ctx, keys)
	if err != nil {
		return err
	}
	var edited []Key
	for _, step := range steps {
		if v := now[step.Key]; !same(v, step.Before) && !same(v, step.After) {
			edited = append(edited, step.Key)
		}
	}
	if len(edited) > 0 && !force {
		return &ChangedError{edited}
	}
	op.Undoing = true
	if err := r.Journal.Save(s); err != nil {
		return err
	}
	for i, step := range slices.Backward(steps) {
		v, ok := now[step.Key]
		if same(v, step.Before) {
			continue
		}
		if !ok {
			v = nil
		}
		if err := r.bring(ctx, step.Key, v, step.Before); err != nil {
			return &StepError{Step: step, Done: len(steps) - 1 - i, All: len(steps), Err: err}
		}
	}
	s.Items, s.Objects = op.Before.Items, op.Before.Objects
	s.Log = s.Log[:len(s.Log)-1]
	return r.Journal.Save(s)
}

// Drifted is an object that is not as it was applied.
type Drifted struct {
	Key
	Item string `json:"item"`
	Gone bool   `json:"gone"` // it was removed
	Now  Value  `json:"-"`
}

// Drift reads the bot and names what was changed by hand since it was applied.
func Drift(ctx context.Context, t Target, s State) ([]Drifted, error) {
	keys := make([]Key, len(s.Objects))
	for i, m := range s.Objects {
		keys[i] = m.Key
	}
	now, err := t.Read(ctx, keys)
	if err != nil {
		return nil, err
	}
	out := []Drifted{}
	for _, m := range s.Objects {
		if v := now[m.Key]; digest(v) != m.Digest {
			out = append(out, Drifted{Key: m.Key, Item: m.Item, Gone: v == nil, Now: v})
		}
	}
	return out, nil
}

package cards

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
	"stoa/internal/app/school/tutors"
	"stoa/internal/learning/propose"
	"stoa/internal/learning/questions"
	"stoa/internal/learning/units"
	"stoa/internal/market/redact/detect"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/llm"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
	"stoa/internal/platform/store/sqldb"
)

// How runs are worked on. A step is one call and one transaction, so that whatever ends in between costs one call at most.
const (
	proposeEvery     = 2 * time.Second
	proposeAtOnce    = 4 // learners for whom a call is made at a time
	proposeRenew     = 10 * time.Second
	proposePatience  = 4 // times as long as a learner waits for a tutor: a model writes more, and nobody waits
	mostFailures     = 5 // in a row, until a run fails
	mostUnread       = 3
	firstProposeWait = 15 * time.Second // after a failure; then four times as long each time
)

// Propose works on the runs of all learners until ctx ends.
func (a *Service) Propose(ctx context.Context) {
	for core.Sleep(ctx, proposeEvery) {
		if err := a.ProposeDue(ctx); err != nil && ctx.Err() == nil {
			a.Log.Error("proposals", "error", err)
		}
	}
}

// ProposeDue works on the runs that are due until none is. It does nothing while another node does.
func (a *Service) ProposeDue(ctx context.Context) error {
	a.proposing.Lock()
	defer a.proposing.Unlock()
	due, err := a.Store.DueQuestionRuns(ctx, clock.Micros(a.Clock()), 1)
	if err != nil || len(due) == 0 {
		return err
	}
	_, err = a.RunExclusive(ctx, core.JobPropose, func(d *core.Job) error {
		for {
			due, err := a.Store.DueQuestionRuns(ctx, clock.Micros(a.Clock()), proposeAtOnce)
			if err != nil || len(due) == 0 {
				return err
			}
			if err := a.proposeRound(ctx, d, due); err != nil {
				return err
			}
		}
	})
	return err
}

// proposeRound makes one step of each run. The lease is kept while models think.
func (a *Service) proposeRound(ctx context.Context, d *core.Job, due []schooldb.QuestionRun) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type done struct {
		ctx   context.Context
		apply func(tx *store.Tx) error
		err   error
	}
	results := make(chan done, len(due))
	for _, row := range due {
		go func() {
			ctx, err := a.ForLearner(ctx, row.UserID)
			var apply func(tx *store.Tx) error
			if err == nil {
				apply, err = a.proposeStep(ctx, row)
			}
			if errors.Is(err, store.ErrElsewhere) {
				results <- done{ctx, nil, err}
				return
			}
			if err != nil && ctx.Err() == nil { // nobody else waits for what is wrong with this one
				a.Log.Error("proposals", "user_id", row.UserID, "error", err)
				apply, err = a.keepStep(row, failedStep), nil
			}
			results <- done{ctx, apply, err}
		}()
	}
	renew := time.NewTicker(proposeRenew)
	defer renew.Stop()
	var failed error
	for waiting := len(due); waiting > 0; {
		select {
		case r := <-results:
			waiting--
			if r.err == nil && ctx.Err() == nil {
				r.err = d.Write(r.ctx, r.apply)
			}
			if errors.Is(r.err, store.ErrElsewhere) {
				continue // the run has gone with its learner
			}
			if r.err != nil {
				failed = cmp.Or(failed, r.err)
				cancel()
			}
		case <-renew.C:
			if err := d.Renew(ctx); err != nil {
				failed = cmp.Or(failed, err)
				cancel()
			}
		}
	}
	return cmp.Or(failed, ctx.Err())
}

// step is what is known when a step of a run is made, and what comes of it.
type step struct {
	run    *keptRun
	part   schooldb.QuestionPart
	unit   *units.Unit
	text   propose.Part
	asked  []questions.Question // of the unit, in whatever state
	calls  int
	offer  *questions.Question
	said   []schooldb.Correction          // by the model, of prerequisites
	change func(tx *store.Tx, r *keptRun) // what comes of it for the run
}

// proposeStep makes the next call of a run and gives what is to be kept of it.
func (a *Service) proposeStep(ctx context.Context, row schooldb.QuestionRun) (func(tx *store.Tx) error, error) {
	run, err := readRun(&row)
	if err != nil {
		return nil, err
	}
	s := &step{run: run, change: func(*store.Tx, *keptRun) {}}
	s.part, err = a.Store.NextQuestionPart(ctx, row.UserID, row.RunID)
	if errors.Is(err, sqldb.ErrNotFound) {
		return a.keepStep(row, func(tx *store.Tx, r *keptRun) error {
			r.end(tx, runDone)
			return tx.AddEvent(core.NewAuditEvent(tx, core.Caller{UserID: row.UserID}, core.AuditEntry{
				Owner: row.UserID, Action: "knowledge.proposals_done", Target: r.RunID, Status: runDone, Detail: map[string]any{"calls": r.Calls, "offered": r.Offered},
			}))
		}), nil
	}
	if err != nil {
		return nil, err
	}
	g, err := a.Curriculum(ctx, row.UserID)
	if err != nil {
		return nil, err
	}
	if run.Kind == checkPrerequisites {
		if err := a.checkPart(ctx, row.UserID, g, s); err != nil {
			return nil, err
		}
		return a.keepPart(row, s), nil
	}
	if !s.find(g) {
		return a.keepStep(row, func(tx *store.Tx, r *keptRun) error {
			r.PartsDone++
			r.Dropped[propose.Changed]++
			return tx.DropQuestionPart(s.part) // what it says now is for another run
		}), nil
	}
	s.asked = everyQuestion(g, s.part.UnitID)
	if len(s.part.Pending) == 0 {
		err = a.proposePart(ctx, row.UserID, s)
	} else {
		err = a.checkNext(ctx, row.UserID, s)
	}
	if err != nil {
		return nil, err
	}
	return a.keepPart(row, s), nil
}

// keepPart gives what keeps that a part was read, or a step of it.
func (a *Service) keepPart(row schooldb.QuestionRun, s *step) func(tx *store.Tx) error {
	return a.keepStep(row, func(tx *store.Tx, r *keptRun) error {
		r.Calls += s.calls
		s.change(tx, r)
		if s.part.Done {
			r.PartsDone++
		}
		if s.offer != nil {
			if err := keepProposal(tx, row.UserID, s.offer); err != nil {
				return err
			}
			r.Offered++
		}
		if err := keepVerdicts(tx, row.UserID, s.said); err != nil {
			return err
		}
		return tx.PutQuestionPart(s.part)
	})
}

// find finds the part of the note that is to be read, as it was when the run was agreed to.
func (s *step) find(g *notebook.Curriculum) bool {
	s.unit = g.Own.Made[s.part.UnitID]
	if s.unit == nil {
		return false
	}
	parts := propose.Parts(s.unit)
	if int(s.part.Part) >= len(parts) || parts[s.part.Part].Fingerprint() != s.part.Fingerprint {
		return false
	}
	s.text = parts[s.part.Part]
	return true
}

// keepStep gives what keeps a step, unless the run was replaced or its learner erased meanwhile. One that was stopped
// meanwhile stays so: what came of the call is kept.
func (a *Service) keepStep(row schooldb.QuestionRun, fn func(tx *store.Tx, r *keptRun) error) func(tx *store.Tx) error {
	return func(tx *store.Tx) error {
		now, err := tx.LockQuestionRun(row.UserID)
		if errors.Is(err, sqldb.ErrNotFound) || err == nil && now.RunID != row.RunID {
			return nil
		}
		if err != nil {
			return err
		}
		r, err := readRun(&now)
		if err != nil {
			return err
		}
		stopped, ended := r.State != runRunning, r.EndedAt
		if err := fn(tx, r); err != nil {
			return err
		}
		if stopped {
			r.State, r.EndedAt, r.WaitsFor, r.next = now.State, ended, "", 0
		}
		return r.put(tx, row.UserID)
	}
}

// keepProposal keeps a question until its learner decides. One of this id that is there, and may be rejected, stays.
func keepProposal(tx *store.Tx, userID string, q *questions.Question) error {
	version, err := tx.LockQuestions(userID)
	if err != nil {
		return err
	}
	body, err := json.Marshal(q)
	if err != nil {
		return err
	}
	return tx.AddQuestion(schooldb.Question{Owner: userID, ID: q.ID, AtomID: q.UnitID, State: string(q.State), Origin: string(q.Origin), Changed: version, Version: 1, Body: body})
}

// proposePart asks a model for questions about a part.
func (a *Service) proposePart(ctx context.Context, userID string, s *step) error {
	masked := s.text
	masked.Title, masked.Text = a.Secrets.Mask(masked.Title), a.Secrets.Mask(masked.Text) // a model may be a stranger's
	var known []string
	for i := range s.asked {
		known = append(known, a.Secrets.Mask(s.asked[i].Prompt))
	}
	system, user := propose.Ask(&masked, known)
	said, model, ok, err := a.callFor(ctx, userID, s, false, propose.ReplyTokens, system, a.Secrets.Mask(user))
	if err != nil || !ok {
		return err
	}
	list, dropped, ok := propose.Read(said, s.unit, detect.Masked)
	if !ok {
		s.part.Done, s.part.Fingerprint = true, "" // another run reads it again
		s.unread(propose.Unreadable, model)
		return nil
	}
	var kept []propose.Proposal
	for i := range list {
		if p := &list[i]; p.Known(s.asked) || slices.ContainsFunc(kept, func(k propose.Proposal) bool { return p.Known([]questions.Question{k.Question("")}) }) {
			dropped[propose.Duplicate]++
			continue
		}
		kept = append(kept, list[i])
	}
	if err := s.setPending(kept); err != nil {
		return err
	}
	s.readable(dropped)
	return nil
}

// checkNext lets a model answer the next proposal from its evidence alone.
func (a *Service) checkNext(ctx context.Context, userID string, s *step) error {
	var pending []propose.Proposal
	if err := json.Unmarshal(s.part.Pending, &pending); err != nil {
		return err
	}
	p := pending[0]
	masked := p
	masked.Quote, masked.Prompt = a.Secrets.Mask(p.Quote), a.Secrets.Mask(p.Prompt)
	system, user := propose.Check(&masked)
	said, model, ok, err := a.callFor(ctx, userID, s, true, propose.CheckTokens, system, a.Secrets.Mask(user))
	if err != nil || !ok {
		return err
	}
	if err := s.setPending(pending[1:]); err != nil {
		return err
	}
	checked, ok := propose.ReadCheck(said)
	if !ok {
		s.unread(propose.Unchecked, model)
		return nil
	}
	why := propose.Agrees(&p, checked)
	if why == "" && p.Known(s.asked) { // the learner wrote it meanwhile
		why = propose.Duplicate
	}
	if why != "" {
		s.readable(map[propose.Reason]int{why: 1})
		return nil
	}
	q := p.Question(s.part.UnitID)
	s.offer = &q
	s.readable(nil)
	return nil
}

func (s *step) setPending(list []propose.Proposal) (err error) {
	s.part.Pending, s.part.Done = nil, len(list) == 0
	if len(list) > 0 {
		s.part.Pending, err = json.Marshal(list)
	}
	return err
}

// readable is what comes of an answer that could be read.
func (s *step) readable(dropped map[propose.Reason]int) {
	s.change = func(_ *store.Tx, r *keptRun) {
		r.Failures, r.Unread, r.WaitsFor, r.next, r.Error, r.ErrorCode = 0, 0, "", 0, "", ""
		for why, n := range dropped {
			r.Dropped[why] += n
		}
	}
}

// unread is what comes of one that could not.
func (s *step) unread(why propose.Reason, model core.TutorModel) {
	s.change = func(tx *store.Tx, r *keptRun) {
		r.Failures, r.WaitsFor, r.next = 0, "", 0
		r.Dropped[why]++
		r.Error, r.ErrorCode = model.Provider+" answers, but not with the JSON that was asked for", "bad_reply"
		if r.Unread++; r.Unread >= mostUnread {
			r.end(tx, runFailed)
		}
	}
}

func failedStep(tx *store.Tx, r *keptRun) error {
	s := &step{}
	s.fail("this server could not go on with it; its log says why", "internal_error", false)
	s.change(tx, r)
	return nil
}

// callFor lets the models that the learner agreed to answer, one after the other until one does. Without an answer the step
// says what the run waits for.
func (a *Service) callFor(ctx context.Context, userID string, s *step, checks bool, tokens int, system, user string) (said string, model core.TutorModel, ok bool, err error) {
	route, err := a.RouteTutor(ctx, userID, tutors.TutorWish{})
	if err != nil {
		return "", model, false, err
	}
	order := slices.DeleteFunc(route.Order, func(m core.TutorModel) bool { return !slices.Contains(s.run.Adapters, m.ID) })
	if len(order) == 0 {
		s.fail("no model is left that you agreed to: your settings or the server's have changed since", "no_model", true)
		return "", model, false, nil
	}
	if checks { // where there are two, one checks the other
		order = append(order[1:], order[0])
	}
	var last *llm.Fault
	for _, m := range order {
		if s.run.Calls+s.calls >= s.run.CallsMost {
			s.fail("the calls of the estimate are used up: start another run for what is left", "calls_used_up", true)
			return "", m, false, nil
		}
		if !a.TakeModelCall(ctx, userID, core.QuotaModelCalls) {
			s.change = func(tx *store.Tx, r *keptRun) {
				r.WaitsFor, r.next = waitsForTomorrow, clock.Micros(tx.Now.Add(core.UntilTomorrow(tx.Now)))
			}
			return "", m, false, nil
		}
		s.calls++
		said, err := a.callWithin(ctx, m, proposePatience*route.Timeout, tokens, system, user)
		if err == nil {
			return said, m, true, nil
		}
		if ctx.Err() != nil {
			return "", m, false, ctx.Err() // this server ends or another node goes on
		}
		if !errors.As(err, &last) {
			return "", m, false, err
		}
		a.Log.Warn("proposals", "adapter", m.ID, "error", err)
	}
	s.fail(last.Text, last.Code, !last.Later && last.Code != "bad_reply")
	return "", model, false, nil
}

func (a *Service) callWithin(ctx context.Context, m core.TutorModel, timeout time.Duration, tokens int, system, user string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return m.Model.ChatAtMost(ctx, tokens, system, user)
}

// fail is what comes of a call that no model answered: another attempt later, or the end of the run.
func (s *step) fail(text, code string, forGood bool) {
	s.change = func(tx *store.Tx, r *keptRun) {
		r.Error, r.ErrorCode = text, code
		if r.Failures++; forGood || r.Failures >= mostFailures {
			r.end(tx, runFailed)
			return
		}
		wait := firstProposeWait
		for range r.Failures - 1 {
			wait *= 4
		}
		r.WaitsFor, r.next = waitsForModel, clock.Micros(tx.Now.Add(wait))
	}
}

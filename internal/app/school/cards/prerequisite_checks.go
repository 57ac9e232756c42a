package cards

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/propose"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// pairUnit stands for the unit in the parts of a run that checks prerequisites: each is a batch of pairs.
const pairUnit = checkPrerequisites

// checkedPair is two notes of which a model is asked which is needed first. Source is the smaller id, so that the order in which
// they are shown tells nothing of the prerequisite that was inferred.
type checkedPair struct {
	Source string `json:"source"`
	Target string `json:"target"`
	Texts  string `json:"texts"` // graph.TextsOf both
}

func pairOf(g *notebook.Curriculum, e *graph.Edge) (p checkedPair, ok bool) {
	source, target := g.Own.Atoms[min(e.Source, e.Target)], g.Own.Atoms[max(e.Source, e.Target)]
	if source == nil || target == nil {
		return p, false
	}
	return checkedPair{source.ID, target.ID, graph.TextsOf(source.Metadata.SourceHash, target.Metadata.SourceHash)}, true
}

// pairScope lists the inferred prerequisites that are to be checked, in batches.
func (a *Service) pairScope(ctx context.Context, g *notebook.Curriculum, out *ProposalEstimate, userID string, scope ProposalScope) error {
	kept, err := a.Store.CountCorrections(ctx, userID, true)
	if err != nil {
		return err
	}
	notes := map[string]bool{}
	var pairs []checkedPair
	for _, e := range graph.Judgeable(g.Own.Edges) {
		p, ok := pairOf(g, e)
		if !ok || !inScope(g, e, scope) {
			continue
		}
		if e.Checked != "" && !scope.Again {
			out.AlreadyRead++
			continue
		}
		if e.Checked == "" {
			kept++
		}
		if kept > learner.MostCorrections {
			out.Left++
			continue
		}
		pairs = append(pairs, p)
		for _, id := range []string{p.Source, p.Target} {
			notes[g.Own.Atoms[id].DocumentID] = true
		}
	}
	for batch := range slices.Chunk(pairs, propose.MostPairs) {
		text, err := json.Marshal(batch)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		out.work = append(out.work, partOfUnit{pairUnit, out.Parts, hex.EncodeToString(sum[:12]), text})
		out.Tokens += propose.PairTokens(shownPairs(g, batch))
		out.Parts++
	}
	out.Notes, out.Pairs = len(notes), len(pairs)
	out.CallsLeast, out.CallsMost = out.Parts, 2*out.Parts // each may fail once
	return nil
}

func inScope(g *notebook.Curriculum, e *graph.Edge, scope ProposalScope) bool {
	before, after := g.Own.Atoms[e.Source], g.Own.Atoms[e.Target]
	return (scope.DocumentID == "" || scope.DocumentID == before.DocumentID || scope.DocumentID == after.DocumentID) && strings.HasPrefix(after.SourcePath, scope.Folder)
}

// shownPairs gives what a model is shown of pairs.
func shownPairs(g *notebook.Curriculum, batch []checkedPair) []propose.Pair {
	list := make([]propose.Pair, len(batch))
	for i, p := range batch {
		list[i] = propose.Pair{A: excerpt(g, p.Source), B: excerpt(g, p.Target)}
	}
	return list
}

// excerpt is the beginning of a note.
func excerpt(g *notebook.Curriculum, atomID string) propose.Part {
	atom := g.Own.Atoms[atomID]
	var b strings.Builder
	for _, a := range g.Own.Written[atom.DocumentID] {
		if b.Len() > 4*propose.LongestExcerpt {
			break
		}
		b.WriteString(a.Content + "\n\n")
	}
	return propose.Excerpt(atom.Title, b.String())
}

// checkPart asks a model about the pairs of a part that stand as they did when the run was agreed to.
func (a *Service) checkPart(ctx context.Context, userID string, g *notebook.Curriculum, s *step) error {
	var batch []checkedPair
	if err := json.Unmarshal(s.part.Pending, &batch); err != nil {
		return err
	}
	now := map[checkedPair]*graph.Edge{}
	for _, e := range graph.Judgeable(g.Own.Edges) {
		if p, ok := pairOf(g, e); ok {
			now[p] = e
		}
	}
	agreed := len(batch)
	batch = slices.DeleteFunc(batch, func(p checkedPair) bool { return now[p] == nil })
	changed := map[propose.Reason]int{}
	if gone := agreed - len(batch); gone > 0 {
		changed[propose.Changed] = gone
	}
	if len(batch) == 0 {
		s.part.Done, s.part.Pending = true, nil
		s.readable(changed)
		return nil
	}
	shown := shownPairs(g, batch)
	for i := range shown {
		for _, p := range []*propose.Part{&shown[i].A, &shown[i].B} {
			p.Title, p.Text = a.Secrets.Mask(p.Title), a.Secrets.Mask(p.Text)
		}
	}
	system, user := propose.AskPairs(shown)
	said, model, ok, err := a.callFor(ctx, userID, s, false, propose.PairReplyTokens, system, a.Secrets.Mask(user))
	if err != nil || !ok {
		return err
	}
	s.part.Done, s.part.Pending = true, nil
	answers, ok := propose.ReadPairs(said, len(batch))
	if !ok { // another run asks again
		s.unread(propose.Unreadable, model)
		return nil
	}
	verdicts := map[graph.VerdictKind]int{}
	for i, p := range batch {
		verdict := pairVerdicts[answers[i]]
		s.said = append(s.said, schooldb.Correction{Source: p.Source, Target: p.Target, Verdict: string(verdict), Texts: p.Texts})
		verdicts[verdict.Seen(now[p].Source == p.Source)]++
	}
	s.readable(changed)
	kept := s.change
	s.change = func(tx *store.Tx, r *keptRun) {
		kept(tx, r)
		for verdict, n := range verdicts {
			r.Verdicts[verdict] += n
		}
	}
	return nil
}

var pairVerdicts = map[propose.PairAnswer]graph.VerdictKind{
	propose.Before: graph.Confirmed, propose.After: graph.Reversed, propose.Related: graph.Unrelated, propose.Unsure: graph.Unsure,
}

// keepVerdicts keeps what a model said. Every node takes it over with the notes' new version.
func keepVerdicts(tx *store.Tx, userID string, said []schooldb.Correction) error {
	if len(said) == 0 {
		return nil
	}
	version, err := tx.LockNotes(userID)
	if err != nil {
		return err
	}
	for _, c := range said {
		c.Owner, c.Changed, c.CorrectedAt = userID, version+1, clock.Micros(tx.Now)
		if err := tx.PutModelVerdict(c); err != nil {
			return err
		}
	}
	return nil
}

// discardVerdicts puts aside what models said of the learner's prerequisites. A run that checks them ends with it, and what a call
// that is under way says is not kept.
func (a *Service) discardVerdicts(ctx context.Context, c core.Caller) (ProposalRun, error) {
	var run *keptRun
	err := a.Store.Write(ctx, func(tx *store.Tx) (err error) {
		if run, err = lockRun(tx, c.UserID, "No model has checked anything of yours."); err != nil {
			return err
		}
		if run.Kind == checkPrerequisites {
			if run.State != runDone {
				run.end(tx, runDone)
			}
			run.RunID = core.NewID() // another than that of the call
			if err := run.put(tx, c.UserID); err != nil {
				return err
			}
		}
		version, err := tx.LockNotes(c.UserID)
		if err != nil {
			return err
		}
		n, err := tx.DropModelVerdicts(c.UserID, version+1)
		if err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
			Owner: c.UserID, Action: "knowledge.checks_discarded", Target: run.RunID, Status: "discarded", Detail: map[string]any{"pairs": n},
		}))
	})
	if err != nil {
		return ProposalRun{}, err
	}
	return run.shown(), nil
}

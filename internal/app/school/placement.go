package school

import (
	"context"
	"path/filepath"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/mastery"
	"stoa/internal/learning/path"
	"stoa/internal/learning/placement"
	"stoa/internal/platform/errs"
)

// PlacementInput asks for the next question of a placement, with what was answered so far. Nothing is stored of it: in the
// end the answers are sent as a session.
type PlacementInput struct {
	UserID   string            `json:"user_id"`
	Outcomes map[string]string `json:"outcomesByAtomId"`
}

// Placement is the next question of a placement.
type Placement struct {
	// Session holds the one action that asks, or none when enough is known.
	Session StudySession `json:"session"`
	Asked   int          `json:"asked"`
	Most    int          `json:"most"`
	// Implied counts what follows from the answers so far without having been asked.
	Implied int     `json:"implied"`
	Minutes float64 `json:"estimatedMinutes"` // of the questions that may still come
}

// PlanPlacement answers what to ask next to find out what a learner knows already.
func (a *School) PlanPlacement(ctx context.Context, c core.Caller, in PlacementInput) (Placement, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return Placement{}, err
	}
	p, _, err := a.wanted(ctx, userID, PlanWishes{}, string(path.Balanced), placement.Most)
	if err != nil {
		return Placement{}, err
	}
	view, err := learner.View(p.ground, p.known, p.now)
	if err != nil {
		return Placement{}, err
	}
	defer learner.Done(p.ground, view)
	out := Placement{Asked: len(in.Outcomes), Most: placement.Most}
	for id, text := range in.Outcomes {
		i, ok := p.ground.Number[id]
		if !ok {
			return Placement{}, learner.ErrNoAtom("outcomesByAtomId", id)
		}
		outcome, _, err := learner.OutcomeOf(text, "outcomesByAtomId")
		if err != nil {
			return Placement{}, err
		}
		suppose(&view.Concepts[i], outcome)
	}
	if out.Asked > placement.Most {
		return Placement{}, errs.Invalid("outcomesByAtomId", "holds more answers than a placement has questions")
	}
	for _, s := range placement.Implied(view) {
		if s.P >= learner.MasteredAt {
			out.Implied++
		}
	}
	p.plan = path.Plan{Strategy: path.Balanced}
	if out.Asked < placement.Most {
		if i, more := placeIn(p.ground).Next(view); more {
			letters := view.Concepts[i].Letters
			each := p.known.PathTraits.Minutes(path.Quiz, letters)
			out.Minutes = core.Rounded(each*float64(placement.Most-out.Asked), 2)
			p.plan.MasteryCount, p.plan.TotalMinutes, p.plan.EvidenceShare = 1, each, 1
			if len(view.Concepts[i].Evidence) == 0 {
				p.plan.EvidenceShare = 0
			}
			p.plan.Actions = []path.Action{{
				ID: "placement:quiz:" + p.ground.Units[i].ID, Concept: i, AtomID: p.ground.Units[i].ID, Kind: path.Quiz, Source: path.SourceMastery, Minutes: each,
				Evidence: view.Concepts[i].Evidence, Relation: []int{i}, Reason: path.Reason{Rule: path.Unplaced, Strategy: path.Balanced, Because: -1},
			}}
		}
	}
	out.Session, err = p.session(placement.Most)
	for i := range out.Session.Actions {
		x := &out.Session.Actions[i]
		x.Rationale = "Whether you know " + x.Title + " tells the most about what you know already."
	}
	return out, err
}

// suppose puts an answer that is not processed yet into what a placement is made from.
func suppose(c *path.Concept, outcome mastery.Outcome) {
	c.Attempts, c.LastOutcome = max(c.Attempts, 1), path.Outcome(outcome)
	switch outcome {
	case mastery.Correct:
		c.Mastery = 0.9
	case mastery.Partial:
		c.Mastery = 0.5
	default:
		c.Mastery = 0.1
	}
}

// place is what a placement chooses by: the folder of each unit, and its level.
func placeIn(g *notebook.Curriculum) placement.Place {
	p := placement.Place{Area: make([]int, len(g.Units)), Level: g.Level}
	areas := map[string]int{}
	for i, u := range g.Units {
		folder := filepath.ToSlash(filepath.Dir(u.SourcePath))
		n, ok := areas[folder]
		if !ok {
			n = len(areas)
			areas[folder] = n
		}
		p.Area[i] = n
	}
	return p
}

package cards

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
	"stoa/internal/app/school/tutors"
	"stoa/internal/learning/propose"
	"stoa/internal/platform/store/memberdb"
)

// mostRunParts bounds the parts of notes that one run reads.
const mostRunParts = 2000

// What a run has models do.
const (
	proposeQuestions   = "questions"
	checkPrerequisites = "prerequisites" // the inferred ones
)

// ProposalScope is what is to be done, and with which of the learner's own notes.
type ProposalScope struct {
	Kind       string `json:"kind"`       // questions when it is empty
	DocumentID string `json:"documentId"` // this note alone
	Folder     string `json:"folder"`     // the notes whose path begins so
	// Again reads also what an earlier run has read and is still the same.
	Again bool `json:"again"`
}

// ProposalEstimateInput asks what it would take.
type ProposalEstimateInput struct {
	UserID string `json:"user_id"`
	ProposalScope
}

// ProposalModel is a language model that notes would go to.
type ProposalModel struct {
	AdapterID string `json:"adapterId"`
	Provider  string `json:"providerName"`
	Mode      string `json:"providerMode"`
}

// ProposalEstimate is what a run would take. Whoever starts one names its id.
type ProposalEstimate struct {
	EstimateID  string `json:"estimateId"`
	Kind        string `json:"kind"`
	Notes       int    `json:"notes"`
	Pairs       int    `json:"pairs"` // of notes, whose prerequisite is checked
	Parts       int    `json:"parts"`
	AlreadyRead int    `json:"alreadyRead"` // parts that an earlier run has read
	Left        int    `json:"left"`        // parts that do not fit into one run
	CallsLeast  int    `json:"callsAtLeast"`
	CallsMost   int    `json:"callsAtMost"`
	Tokens      int    `json:"tokensAtMost"` // about
	// Price is what a call costs and Cost what all cost at most, in the operator's currency; 0 when nobody counts.
	Price float64 `json:"pricePerCall"`
	Cost  float64 `json:"costAtMost"`
	// CallsToday is how many calls the learner has left today, nil without a bound; Days how many days it takes at most for that.
	CallsToday *int64          `json:"callsLeftToday"`
	Days       int             `json:"days"`
	Models     []ProposalModel `json:"models"`

	work []partOfUnit
}

// partOfUnit is a part of a unit that is to be read.
type partOfUnit struct {
	unitID      string
	part        int
	fingerprint string
	pairs       []byte // that are checked, as JSON
}

// EstimateProposals answers what it would take to have questions proposed. It asks no model and keeps nothing.
func (a *Service) EstimateProposals(ctx context.Context, c core.Caller, in ProposalEstimateInput) (ProposalEstimate, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return ProposalEstimate{}, err
	}
	return a.estimate(ctx, userID, in.ProposalScope)
}

func (a *Service) estimate(ctx context.Context, userID string, scope ProposalScope) (ProposalEstimate, error) {
	out := ProposalEstimate{Kind: cmp.Or(scope.Kind, proposeQuestions), Models: []ProposalModel{}, Price: a.ModelCallPrice}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return out, err
	}
	route, err := a.RouteTutor(ctx, userID, tutors.TutorWish{})
	if err != nil {
		return out, err
	}
	for _, m := range route.Order {
		out.Models = append(out.Models, ProposalModel{m.ID, m.Provider, m.Mode})
	}
	slices.SortFunc(out.Models, func(a, b ProposalModel) int { return cmp.Compare(a.AdapterID, b.AdapterID) }) // whom is asked first is decided each time
	if out.Kind == checkPrerequisites {
		err = a.pairScope(ctx, g, &out, userID, scope)
	} else {
		err = a.readScope(ctx, g, &out, userID, scope)
	}
	if err != nil {
		return out, err
	}
	out.Cost = core.Rounded(float64(out.CallsMost)*out.Price, 4)
	if err := a.estimateDays(ctx, userID, &out); err != nil {
		return out, err
	}
	out.EstimateID = out.id(userID)
	return out, nil
}

// readScope lists what is to be read.
func (a *Service) readScope(ctx context.Context, g *notebook.Curriculum, out *ProposalEstimate, userID string, scope ProposalScope) error {
	rows, err := a.Store.QuestionParts(ctx, userID)
	if err != nil {
		return err
	}
	type key struct {
		unit string
		part int64
	}
	read := map[key]string{}
	for _, r := range rows {
		if r.Done {
			read[key{r.UnitID, r.Part}] = r.Fingerprint
		}
	}
	notes := map[string]bool{}
	for _, unit := range g.Own.Units {
		u := g.Own.Made[unit.ID]
		if u == nil || u.Given || scope.DocumentID != "" && unit.DocumentID != scope.DocumentID || !strings.HasPrefix(unit.SourcePath, scope.Folder) {
			continue
		}
		parts := propose.Parts(u)
		for i := range parts {
			p := &parts[i]
			mark := p.Fingerprint()
			if !scope.Again && read[key{unit.ID, int64(i)}] == mark {
				out.AlreadyRead++
				continue
			}
			if out.Parts == mostRunParts {
				out.Left++
				continue
			}
			out.work = append(out.work, partOfUnit{unitID: unit.ID, part: i, fingerprint: mark})
			out.Parts++
			out.Tokens += propose.CallTokens(p)
			notes[unit.DocumentID] = true
		}
	}
	out.Notes = len(notes)
	out.CallsLeast, out.CallsMost = out.Parts, out.Parts*(1+propose.MostQuestions)
	return nil
}

// estimateDays says what the learner's calls of a day make of it.
func (a *Service) estimateDays(ctx context.Context, userID string, out *ProposalEstimate) error {
	limit, bounded, err := a.QuotaOf(ctx, a.Store.Queries, userID, core.QuotaModelCalls)
	if err != nil {
		return err
	}
	if out.CallsMost > 0 {
		out.Days = 1
	}
	if !bounded {
		return nil
	}
	used, err := a.Store.Used(ctx, userID, memberdb.Day(a.Clock()))
	if err != nil {
		return err
	}
	left := max(0, limit-used[string(core.QuotaModelCalls)])
	out.CallsToday = &left
	if beyond := int64(out.CallsMost) - left; beyond > 0 && limit > 0 {
		out.Days += int(math.Ceil(float64(beyond) / float64(limit)))
	}
	return nil
}

// id names what an estimate says: another text, model or price has another.
func (e *ProposalEstimate) id(userID string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%d\x00%g\x00", userID, e.CallsMost, e.Price)
	for _, m := range e.Models {
		fmt.Fprintf(h, "%s\x00%s\x00", m.AdapterID, m.Provider)
	}
	for _, w := range e.work {
		fmt.Fprintf(h, "%s\x00%d\x00%s\x00", w.unitID, w.part, w.fingerprint)
	}
	return "est_" + hex.EncodeToString(h.Sum(nil)[:12])
}

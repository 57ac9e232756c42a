package school

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/path"
	"stoa/internal/learning/workload"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/schooldb"
)

// RetentionCost is what a wanted recall costs.
type RetentionCost struct {
	Retention float64 `json:"retention"`
	Reviews   float64 `json:"reviewsPerDay"`
	Minutes   float64 `json:"minutesPerDay"`
}

// RetentionCosts are what each wanted recall costs, and how long sessions took against how long they were planned.
type RetentionCosts struct {
	UserID  string          `json:"userId"`
	Wanted  float64         `json:"desiredRetention"`
	Studied int             `json:"studied"`
	Example bool            `json:"example"` // too little was studied: the figures are of exampleCards things just learned
	Days    int             `json:"days"`
	Options []RetentionCost `json:"options"`
	// Planned and Taken are the minutes of the newest sessions' actions whose time was measured.
	Planned  float64 `json:"plannedMinutes"`
	Taken    float64 `json:"takenMinutes"`
	Sessions int     `json:"sessions"`
	// Decks are the imported decks whose options ask for something, and whether they are followed.
	Decks    []DeckStudy `json:"decks"`
	Followed bool        `json:"deckOptionsFollowed"`
}

// DeckStudy is what the options of an imported deck ask of study and what was done of it today, with the decks below it. What
// they do not ask for is null.
type DeckStudy struct {
	Deck         string   `json:"deck"`
	Cards        int      `json:"cards"`
	Due          int      `json:"due"`
	Retention    *float64 `json:"desiredRetention"`
	New          *int     `json:"newPerDay"`
	NewToday     int      `json:"newToday"`
	Reviews      *int     `json:"reviewsPerDay"`
	ReviewsToday int      `json:"reviewsToday"`
}

// offered are the recalls that are offered.
var offered = []float64{0.80, 0.82, 0.84, 0.86, 0.88, 0.90, 0.92}

const (
	costDays      = 30
	leastStudied  = 20
	exampleCards  = 100
	comparedPaces = 20 // sessions
)

// GetRetentionCosts answers what each wanted recall would cost a learner.
func (a *School) GetRetentionCosts(ctx context.Context, c core.Caller, in core.OwnInput) (RetentionCosts, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return RetentionCosts{}, err
	}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return RetentionCosts{}, err
	}
	known, err := a.States.Of(ctx, userID)
	if err != nil {
		return RetentionCosts{}, err
	}
	out := RetentionCosts{UserID: userID, Wanted: known.Retention, Days: costDays, Options: []RetentionCost{}}
	if out.Decks, out.Followed, err = a.deckStudies(ctx, userID, g, known); err != nil {
		return RetentionCosts{}, err
	}
	now, letters := clock.Micros(a.Clock()), 0
	var cards []workload.Card
	for id, t := range known.Each {
		if i, ok := g.Number[id]; ok && t.Stability > 0 {
			cards = append(cards, workload.Card{Stability: t.Stability, Difficulty: t.Difficulty, Elapsed: max(0, float64(now-t.Last)/86400e6)})
			letters += g.Unmet[i].Letters
		}
	}
	if out.Studied = len(cards); out.Studied < leastStudied {
		out.Example, cards, letters = true, nil, 0
		for i := range exampleCards { // from those answered with effort to those answered with ease
			cards = append(cards, workload.Card{Stability: workload.FirstStability * math.Exp(2*float64(i)/exampleCards-0.7), Difficulty: 5})
		}
		for i := range g.Unmet {
			letters += g.Unmet[i].Letters * exampleCards / len(g.Unmet)
		}
	}
	each := known.PathTraits.Minutes(path.Review, letters/len(cards))
	for _, retention := range offered {
		n := workload.ReviewsPerDay(cards, retention, costDays)
		out.Options = append(out.Options, RetentionCost{retention, core.Rounded(n, 2), core.Rounded(n*each, 2)})
	}
	list, err := a.Store.Studies(ctx, schooldb.StudyFilter{UserID: userID}, 0, "", 0, comparedPaces)
	if err != nil {
		return out, err
	}
	for i := range list {
		var r ExecutionRecord
		if err := json.Unmarshal(list[i].Record, &r); err != nil {
			return out, err
		}
		if r.Taken > 0 {
			out.Planned, out.Taken, out.Sessions = out.Planned+r.Timed, out.Taken+r.Taken, out.Sessions+1
		}
	}
	out.Planned, out.Taken = core.Rounded(out.Planned, 2), core.Rounded(out.Taken, 2)
	return out, err
}

// deckStudies lists the decks whose options ask for something, by name.
func (a *School) deckStudies(ctx context.Context, userID string, g *notebook.Curriculum, known *learner.Snapshot) (list []DeckStudy, followed bool, err error) {
	list = []DeckStudy{}
	config, _, err := learner.OrchestrationOf(ctx, a.Store.Queries, userID)
	if err != nil {
		return list, false, err
	}
	followed = config.Study.FollowDecks
	d, err := a.States.Rules(ctx, userID, known.Decks)
	if err != nil || d == nil {
		return list, followed, err
	}
	now := a.Clock()
	day, err := d.Today(ctx, a.Store.Queries, known, now)
	if err != nil {
		return list, followed, err
	}
	for i := range d.Decks {
		r := &d.Decks[i]
		s := DeckStudy{Deck: r.Deck, New: r.New, NewToday: day.Begun[i], Reviews: r.Reviews, ReviewsToday: day.Reviewed[i]}
		if r.Retention > 0 {
			s.Retention = &r.Retention
		}
		list = append(list, s)
	}
	view, err := learner.View(g, known, now)
	if err != nil {
		return list, followed, err
	}
	defer learner.Done(g, view)
	for atom, i := range d.Of {
		at, ok := g.Number[atom]
		for ; ok && i >= 0; i = d.Parent[i] {
			list[i].Cards++
			if path.IsDue(&view.Concepts[at], now) {
				list[i].Due++
			}
		}
	}
	slices.SortFunc(list, func(x, y DeckStudy) int { return strings.Compare(x.Deck, y.Deck) })
	return list, followed, nil
}

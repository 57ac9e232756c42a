package tutors

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
)

// The sides on which a language model may stand.
const (
	sideLocal = "local"
	sideCloud = "cloud"
)

// How a tutor was chosen.
const (
	routedByID     = "explicit_adapter_id"
	routedByMode   = "explicit_provider_mode"
	routedByHealth = "adaptive_health_routing"
	routedDefault  = "fallback_default"
)

// routingHealthy is by how much the score of one side must be above the other for it to be preferred.
const routingHealthy = .08

// routingSpan is how far back the health of a language model is looked at: what was fixed is soon forgotten.
const routingSpan = 24 * time.Hour

// TutorRoute is which language models are asked, in order, and why.
type TutorRoute struct {
	Order          []core.TutorModel
	Timeout        time.Duration
	strategy       string
	reason         string
	DynamicMode    string
	DynamicReason  string
	leastToCompare int
}

// TutorWish is whom a learner asks, if they say; each field may be empty.
type TutorWish struct {
	AdapterID string `json:"adapterId"`
	Provider  string `json:"providerName"`
	Mode      string `json:"providerMode"`
}

// RouteTutor chooses the language models that are asked. A side that is pinned by the learner's configuration, or asked
// for, is the only one that is asked: whoever keeps to the local side has notes that go nowhere else.
func (a *Service) RouteTutor(ctx context.Context, userID string, wish TutorWish) (TutorRoute, error) {
	r := TutorRoute{strategy: routedDefault, DynamicMode: "auto"}
	if len(a.TutorModels) == 0 {
		return r, nil
	}
	config, _, err := learner.OrchestrationOf(ctx, a.Store.Queries, userID)
	if err != nil || !config.Tutor.Enabled {
		return r, err
	}
	r.Timeout, r.leastToCompare = time.Duration(config.Tutor.AdapterTimeouts)*time.Millisecond, config.Tutor.MinSamples
	traces, err := a.tutorTraces(ctx, userID, "", QualityTraces)
	if err != nil {
		return r, err
	}
	traces = routedSince(traces, a.Clock())
	r.DynamicMode, r.DynamicReason = healthierSide(traces, r.leastToCompare)
	r.Order = slices.Clone(a.TutorModels)
	keep := func(fits func(m core.TutorModel) bool) {
		r.Order = slices.DeleteFunc(r.Order, func(m core.TutorModel) bool { return !fits(m) })
	}
	pinned := config.Tutor.PreferredMode
	if pinned != "auto" {
		keep(func(m core.TutorModel) bool { return m.Mode == pinned })
	}
	switch {
	case wish.AdapterID != "" || wish.Provider != "":
		keep(func(m core.TutorModel) bool {
			return (wish.AdapterID == "" || m.ID == wish.AdapterID) && (wish.Provider == "" || m.Provider == wish.Provider)
		})
		r.strategy, r.reason = routedByID, "asked for "+core.Truncate(cmp.Or(wish.AdapterID, wish.Provider), 64)
	case wish.Mode == sideLocal || wish.Mode == sideCloud:
		keep(func(m core.TutorModel) bool { return m.Mode == wish.Mode })
		r.strategy, r.reason = routedByMode, "asked for "+wish.Mode
	default:
		r.byHealth(traces, pinned)
	}
	return r, nil
}

// byHealth puts those first of which least is known, so that there is something to compare; then the healthiest.
func (r *TutorRoute) byHealth(traces []TutorTrace, pinned string) {
	health := map[string]ProviderWindow{}
	for _, m := range r.Order {
		health[m.ID] = windowOf(slices.DeleteFunc(slices.Clone(traces), func(t TutorTrace) bool { return t.AdapterID != m.ID }))
	}
	slices.SortStableFunc(r.Order, func(a, b core.TutorModel) int {
		x, y := health[a.ID], health[b.ID]
		if o := cmp.Compare(min(x.Samples, r.leastToCompare), min(y.Samples, r.leastToCompare)); o != 0 {
			return o
		}
		return cmp.Compare(y.Score, x.Score)
	})
	r.reason = "too few answers yet"
	if len(r.Order) > 0 {
		if h := health[r.Order[0].ID]; h.Samples >= r.leastToCompare {
			r.strategy, r.reason = routedByHealth, fmt.Sprintf("health %.2f of %s", h.Score, r.Order[0].Provider)
		}
	}
	if pinned != "auto" {
		r.reason += ", pinned to " + pinned
	}
}

// Notes is how a trace tells its routing.
func (r *TutorRoute) Notes() string { return core.Truncate(r.strategy+": "+r.reason, 220) }

// routingOf reads what notes wrote.
func routingOf(t *TutorTrace) (strategy, reason string) {
	for _, s := range []string{routedByID, routedByMode, routedByHealth, routedDefault} {
		if len(t.Notes) > len(s)+2 && t.Notes[:len(s)+2] == s+": " {
			return s, t.Notes[len(s)+2:]
		}
	}
	return "unknown", ""
}

// healthierSide is the side whose language models are clearly healthier, or auto, with the figures.
func healthierSide(routed []TutorTrace, least int) (mode, reason string) {
	bySide := map[string][]TutorTrace{}
	for _, t := range routed {
		bySide[t.ProviderMode] = append(bySide[t.ProviderMode], t)
	}
	local, cloud := windowOf(bySide[sideLocal]), windowOf(bySide[sideCloud])
	if local.Samples < least || cloud.Samples < least {
		return "auto", fmt.Sprintf("too few answers to compare: %d local and %d cloud of %d each", local.Samples, cloud.Samples, least)
	}
	reason = fmt.Sprintf("health %.2f local and %.2f cloud", local.Score, cloud.Score)
	switch {
	case local.Score >= cloud.Score+routingHealthy:
		return sideLocal, reason
	case cloud.Score >= local.Score+routingHealthy:
		return sideCloud, reason
	}
	return "auto", reason
}

package tutors

import (
	"cmp"
	"context"
	"slices"

	"stoa/internal/app/core"
	"stoa/internal/learning/path"
	"stoa/internal/platform/clock"
)

// ProviderWindow is how a provider did over some traces.
type ProviderWindow struct {
	Samples    int     `json:"samples"`
	Confidence float64 `json:"averageConfidence"`
	Fallback   float64 `json:"fallbackRatioPct"`
	Failed     float64 `json:"failedRatioPct"`
	Score      float64 `json:"score"`
}

// ProviderDeltas is how the recent window differs from the one before.
type ProviderDeltas struct {
	Score      float64 `json:"score"`
	Fallback   float64 `json:"fallbackRatioPct"`
	Failed     float64 `json:"failedRatioPct"`
	Confidence float64 `json:"averageConfidence"`
}

// ProviderTrend says whether a provider gets better.
type ProviderTrend struct {
	Name       string         `json:"providerName"`
	Status     string         `json:"status"`
	Score      float64        `json:"score"`
	Confidence float64        `json:"confidence"`
	Recent     ProviderWindow `json:"recent"`
	Previous   ProviderWindow `json:"previous"`
	Deltas     ProviderDeltas `json:"deltas"`
	Reason     string         `json:"reason"`
}

// ProviderTrendsSummary counts providers by how they are doing.
type ProviderTrendsSummary struct {
	Providers    int    `json:"providerCount"`
	Regressing   int    `json:"regressingCount"`
	Stable       int    `json:"stableCount"`
	Improving    int    `json:"improvingCount"`
	Insufficient int    `json:"insufficientDataCount"`
	Top          string `json:"topRegressingProvider"`
	Focus        string `json:"recommendedFocusProviderName"`
}

// ProviderTrends say how each provider is doing.
type ProviderTrends struct {
	GeneratedAt string                `json:"generatedAt"`
	UserID      string                `json:"userId"`
	Window      int                   `json:"windowSize"`
	MinSamples  int                   `json:"minSamples"`
	Providers   []ProviderTrend       `json:"providers"`
	Summary     ProviderTrendsSummary `json:"summary"`
}

const (
	usualProviderWindow  = 20
	usualProviderSamples = 3
)

// GetTutorProviderTrends answers how each provider is doing.
func (a *Service) GetTutorProviderTrends(ctx context.Context, c core.Caller, in TutorTracesInput) (ProviderTrends, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return ProviderTrends{}, err
	}
	traces, err := a.tutorTraces(ctx, userID, "", TraceWindow)
	if err != nil {
		return ProviderTrends{}, err
	}
	return a.providerTrends(userID, traces, in), nil
}

func (a *Service) providerTrends(userID string, traces []TutorTrace, in TutorTracesInput) ProviderTrends {
	out := ProviderTrends{
		GeneratedAt: clock.Text(a.Clock()), UserID: userID, Window: cmp.Or(in.Window, usualProviderWindow), MinSamples: cmp.Or(in.MinSamples, usualProviderSamples),
		Providers: []ProviderTrend{},
	}
	f := TraceFilters{Source: traceSources[in.Source], Provider: in.Provider}
	byName := map[string][]TutorTrace{}
	var names []string
	for _, t := range traces {
		if !f.match(t) {
			continue
		}
		name := providerOf(t)
		if byName[name] == nil {
			names = append(names, name)
		}
		byName[name] = append(byName[name], t)
	}
	slices.Sort(names)
	s := &out.Summary
	for _, name := range names {
		p := trendOf(name, byName[name], out.Window, out.MinSamples)
		if in.Status != "" && in.Status != p.Status {
			continue
		}
		switch p.Status {
		case "regressing":
			s.Regressing++
			if s.Top == "" {
				s.Top, s.Focus = name, name
			}
		case "improving":
			s.Improving++
		case "stable":
			s.Stable++
		default:
			s.Insufficient++
		}
		out.Providers = append(out.Providers, p)
	}
	s.Providers = len(out.Providers)
	if in.Limit > 0 {
		out.Providers = out.Providers[:min(in.Limit, len(out.Providers))]
	}
	return out
}

// trendOf says whether a provider gets better, from its newest traces and those before (field facts 5.2).
func trendOf(name string, traces []TutorTrace, window, least int) ProviderTrend {
	recent := traces[:min(window, len(traces))]
	previous := traces[len(recent):min(2*window, len(traces))]
	p := ProviderTrend{Name: name, Recent: windowOf(recent), Previous: windowOf(previous), Status: string(path.Stable)}
	p.Score = p.Recent.Score
	r, q := p.Recent, p.Previous
	p.Confidence = core.Rounded(min(1, float64(min(len(recent), len(previous)))/float64(2*least)), 4)
	switch {
	case len(recent) < least:
		p.Status, p.Reason = string(path.Unknown), "fewer_than_min_samples"
		p.Confidence = core.Rounded(min(1, float64(len(recent))/float64(2*least)), 4)
	case len(previous) < least:
		p.Confidence, p.Reason = core.Rounded(min(.75, max(.35, float64(len(recent))/float64(2*least))), 4), "one_window"
		if r.Failed >= 35 || r.Fallback >= 45 || r.Confidence < .55 {
			p.Status = string(path.Regressing)
		} else if r.Confidence >= .8 && r.Failed <= 5 && r.Fallback <= 15 {
			p.Status = string(path.Improving)
		}
	default:
		d := ProviderDeltas{core.Rounded(r.Score-q.Score, 4), core.Rounded(r.Fallback-q.Fallback, 4), core.Rounded(r.Failed-q.Failed, 4), core.Rounded(r.Confidence-q.Confidence, 4)}
		p.Deltas, p.Reason = d, "two_windows"
		switch {
		case d.Score <= -.08 || d.Fallback >= 10 || d.Failed >= 10 || d.Confidence <= -.08:
			p.Status = string(path.Regressing)
		case d.Score >= .08 || d.Fallback <= -10 && d.Failed <= 0 && d.Confidence >= .03:
			p.Status = string(path.Improving)
		}
	}
	return p
}

func windowOf(traces []TutorTrace) ProviderWindow {
	w := ProviderWindow{Samples: len(traces)}
	if len(traces) == 0 {
		return w
	}
	n, fallbacks, failed := float64(len(traces)), 0, 0
	for _, t := range traces {
		w.Confidence += t.Confidence / n
		if t.Fallback {
			fallbacks++
		}
		if t.Failed {
			failed++
		}
	}
	w.Confidence, w.Fallback, w.Failed = core.Rounded(w.Confidence, 4), core.Percent(int64(fallbacks), int64(len(traces))), core.Percent(int64(failed), int64(len(traces)))
	w.Score = core.Rounded(.65*w.Confidence+.20*(1-w.Fallback/100)+.15*(1-w.Failed/100), 4)
	return w
}

// ProviderTrendRecord is a past verdict on a provider: how it stood after so many of its traces.
type ProviderTrendRecord struct {
	ID         string  `json:"id"`
	At         string  `json:"evaluatedAt"`
	Name       string  `json:"providerName"`
	Status     string  `json:"status"`
	Score      float64 `json:"score"`
	Confidence float64 `json:"confidence"`
	Samples    int     `json:"samples"`
}

// ProviderTrendHistory are past verdicts, newest first.
type ProviderTrendHistory struct {
	GeneratedAt string                `json:"generatedAt"`
	UserID      string                `json:"userId"`
	Records     []ProviderTrendRecord `json:"records"`
	Summary     struct {
		Records      int `json:"records"`
		Regressing   int `json:"regressing"`
		Stable       int `json:"stable"`
		Improving    int `json:"improving"`
		Insufficient int `json:"insufficient"`
	} `json:"summary"`
	NextCursor string `json:"next_cursor"`
}

// GetTutorProviderTrendHistory answers how the verdict on each provider went. It is worked out of the traces: at each
// trace, the newest first, from those up to it.
func (a *Service) GetTutorProviderTrendHistory(ctx context.Context, c core.Caller, in TutorTracesInput) (ProviderTrendHistory, error) {
	userID, traces, err := a.tracesAsked(ctx, c, in)
	if err != nil {
		return ProviderTrendHistory{}, err
	}
	limit := cmp.Or(in.Limit, UsualHistory)
	out := ProviderTrendHistory{GeneratedAt: clock.Text(a.Clock()), UserID: userID, Records: []ProviderTrendRecord{}}
	f := TraceFilters{Source: traceSources[in.Source], Provider: in.Provider}
	for i, t := range traces {
		if !f.match(t) {
			continue
		}
		if len(out.Records) == limit {
			out.NextCursor = out.Records[limit-1].ID
			break
		}
		name := providerOf(t)
		var upTo []TutorTrace
		for _, older := range traces[i:] {
			if providerOf(older) == name && len(upTo) < 2*usualProviderWindow {
				upTo = append(upTo, older)
			}
		}
		p := trendOf(name, upTo, usualProviderWindow, usualProviderSamples)
		if in.Status != "" && in.Status != p.Status {
			continue
		}
		out.Records = append(out.Records, ProviderTrendRecord{t.TraceID, t.CreatedAt, name, p.Status, p.Score, p.Confidence, len(upTo)})
		for count, is := range map[*int]bool{
			&out.Summary.Regressing: p.Status == "regressing", &out.Summary.Stable: p.Status == "stable", &out.Summary.Improving: p.Status == "improving",
			&out.Summary.Insufficient: p.Status == "insufficient_data",
		} {
			if is {
				*count++
			}
		}
	}
	out.Summary.Records = len(out.Records)
	return out, nil
}

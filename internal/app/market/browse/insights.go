package browse

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/pack"
)

// InsightMetrics count the public pack catalog.
type InsightMetrics struct {
	Total          int `json:"total"`
	Featured       int `json:"featured"`
	HighRisk       int `json:"high_risk"`
	LowRisk        int `json:"low_risk"`
	ExtensionPack  int `json:"extension_pack"`
	BotProfilePack int `json:"bot_profile_pack"`
}

// Insights are the counts and picks of the pack catalog; packs are rendered with their trend_score.
type Insights struct {
	Metrics  InsightMetrics    `json:"metrics"`
	Featured json.RawMessage   `json:"featured"`
	Trending []json.RawMessage `json:"trending"`
	Total    int               `json:"total"`
}

const (
	trendingShown = 6
	// trendingLookedAt bounds the packs that are scored: the most installed and the newest.
	trendingLookedAt = 100
)

// GetProfilePackCatalogInsights answers what the pack catalog holds and what is worth a look.
func (a *Service) GetProfilePackCatalogInsights(ctx context.Context, c core.Caller, _ struct {
	Locale string `json:"locale"`
},
) (Insights, error) {
	if err := a.Cache.wait(ctx); err != nil {
		return Insights{}, err
	}
	counts, err := a.Cache.packs.Query(catalog.Query{Limit: 1, Facets: true})
	if err != nil {
		return Insights{}, err
	}
	of := func(facet, value string) int {
		for _, f := range counts.Facets {
			for _, v := range f.Values {
				if f.Name == facet && v.Value == value {
					return v.Count
				}
			}
		}
		return 0
	}
	out := Insights{
		Metrics: InsightMetrics{
			Total: counts.Total, Featured: of("featured", "true"), HighRisk: of("risk_level", "high"), LowRisk: of("risk_level", "low"),
			ExtensionPack: of("pack_type", "extension_pack"), BotProfilePack: of("pack_type", "bot_profile_pack"),
		},
		Featured: json.RawMessage("null"), Trending: []json.RawMessage{}, Total: counts.Total,
	}
	scored, err := a.trending(ctx)
	if err != nil || len(scored) == 0 {
		return out, err
	}
	best := scored[0]
	for _, s := range scored {
		if s.entry.Featured {
			best = s
			break
		}
	}
	if out.Featured, err = a.renderScored(ctx, c, best); err != nil {
		return out, err
	}
	for _, s := range scored[:min(trendingShown, len(scored))] {
		text, err := a.renderScored(ctx, c, s)
		if err != nil {
			return out, err
		}
		out.Trending = append(out.Trending, text)
	}
	return out, nil
}

type scoredPack struct {
	entry catalog.Entry
	score float64
}

// trending scores the packs that are most installed, newest or featured. Every pack counted here is
// public: no viewer is given.
func (a *Service) trending(ctx context.Context) ([]scoredPack, error) {
	yes := true
	seen := map[int64]bool{}
	var scored []scoredPack
	for _, q := range []catalog.Query{
		{Filter: catalog.Filter{Featured: &yes}, Sort: catalog.SortInstalls, Limit: trendingLookedAt},
		{Sort: catalog.SortInstalls, Limit: trendingLookedAt},
		{Sort: catalog.SortNewest, Limit: trendingLookedAt},
	} {
		page, err := a.Cache.packs.Query(q)
		if err != nil {
			return nil, err
		}
		for _, hit := range page.Hits {
			e, ok := a.Cache.packs.BySeq(hit.Seq)
			if !ok || seen[hit.Seq] {
				continue
			}
			seen[hit.Seq] = true
			v, err := a.Cache.Version(ctx, e.Seq, e.Version)
			if err != nil {
				return nil, err
			}
			scored = append(scored, scoredPack{e, trendScore(e, v.Document.Pack)})
		}
	}
	slices.SortFunc(scored, func(x, y scoredPack) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(y.entry.PublishedAt, x.entry.PublishedAt), cmp.Compare(y.entry.ID, x.entry.ID))
	})
	return scored, nil
}

// trendScore weighs a pack as the field facts do (1.10): what an operator featured, what was found in it, and how it fits.
// Whatever is published has a date, hence the 4. Uses are no part of it.
func trendScore(e catalog.Entry, p *catalog.Pack) float64 {
	score := 4.0
	if e.Featured {
		score += 30
	}
	score += map[string]float64{"low": 20, "medium": 12, "high": 4}[e.RiskLevel]
	score += map[string]float64{pack.Compatible: 14, pack.Degraded: 8}[p.Compatibility]
	score += 3*float64(len(e.ReviewLabels)) - 4*float64(len(e.WarningFlags)) - 2*float64(len(p.CompatibilityWhy))
	return max(score, 0)
}

func (a *Service) renderScored(ctx context.Context, c core.Caller, s scoredPack) (json.RawMessage, error) {
	texts, err := a.Cache.listings(ctx, a.reader(c), []int64{s.entry.Seq}, c.Locale)
	if err != nil || texts[0] == nil {
		return json.RawMessage("null"), err
	}
	out := catalog.AppendLive(nil, texts[0], catalog.Hit{Engagement: s.entry.Engagement, Ranking: s.entry.Ranking})
	out = append(bytes.TrimSuffix(out, []byte("}")), `,"trend_score":`...)
	return append(strconv.AppendFloat(out, s.score, 'f', -1, 64), '}'), nil
}

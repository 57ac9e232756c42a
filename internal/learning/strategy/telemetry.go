package strategy

import (
	"math"
	"time"

	"stoa/internal/learning/path"
)

// Totals are the sums behind sessionStrategyTelemetry: one Moments per strategy and source, and one per day and strategy
// for the windows of the trends. A record changes a fixed number of them, whatever came before.
type Totals struct {
	Records int                         `json:"records"` // with or without a strategy
	Cells   [arms][len(Sources)]Moments `json:"cells"`
	Days    []Day                       `json:"days"` // the newest 2·WindowDays days that had sessions, oldest first
}

// Day is one day's sessions, by strategy.
type Day struct {
	Number int64         `json:"day"` // days since 1970-01-01 UTC
	By     [arms]Moments `json:"by"`
}

// WindowDays is the length of the recent and of the previous window of a trend.
const WindowDays = 14

// Add takes one session in.
func (t *Totals) Add(r Record) {
	t.Records++
	a := index(r.Strategy)
	if a < 0 {
		return
	}
	t.Cells[a][sourceAt(r.Source)].Add(r.Delta)
	if !r.counts() {
		return
	}
	t.day(dayOf(r.At)).By[a].Add(r.Delta)
}

func sourceAt(s Source) int {
	for i, n := range Sources {
		if n == s {
			return i
		}
	}
	return len(Sources) - 1
}

func dayOf(t time.Time) int64 { return int64(math.Floor(float64(t.Unix()) / 86400)) }

// day finds or makes a day; those older than two windows before the newest are let go.
func (t *Totals) day(n int64) *Day {
	at := len(t.Days)
	for at > 0 && t.Days[at-1].Number >= n {
		at--
	}
	if at == len(t.Days) || t.Days[at].Number != n {
		t.Days = append(t.Days, Day{})
		copy(t.Days[at+1:], t.Days[at:])
		t.Days[at] = Day{Number: n}
	}
	for len(t.Days) > 1 && at > 0 && t.Days[0].Number <= t.Days[len(t.Days)-1].Number-2*WindowDays {
		t.Days = t.Days[1:]
		at--
	}
	return &t.Days[at]
}

// Merge takes in what another one has, such as that of another learner.
func (t *Totals) Merge(o Totals) {
	t.Records += o.Records
	for a := range o.Cells {
		for s := range o.Cells[a] {
			t.Cells[a][s].Merge(o.Cells[a][s])
		}
	}
	for _, d := range o.Days {
		at := t.day(d.Number)
		for a := range d.By {
			at.By[a].Merge(d.By[a])
		}
	}
}

// Breakdown is one strategy of the telemetry, with the contract's names.
type Breakdown struct {
	Strategy               path.Strategy  `json:"strategy"`
	Executions             int            `json:"executions"`
	AverageMasteryDeltaPct float64        `json:"averageMasteryDeltaPct"`
	PositiveRatioPct       float64        `json:"positiveRatioPct"`
	NegativeRatioPct       float64        `json:"negativeRatioPct"`
	SelectionSourceCounts  map[Source]int `json:"selectionSourceCounts"`
}

// Telemetry is sessionStrategyTelemetry of the contract.
type Telemetry struct {
	TotalRecords                          int                `json:"totalRecords"`
	StrategyRecords                       int                `json:"strategyRecords"`
	TrendAutoSelectionSharePct            float64            `json:"trendAutoSelectionSharePct"`
	TrendAutoAverageMasteryDeltaPct       float64            `json:"trendAutoAverageMasteryDeltaPct"`
	TrendAutoNegativeRatioPct             float64            `json:"trendAutoNegativeRatioPct"`
	ModeFallbackSelectionSharePct         float64            `json:"modeFallbackSelectionSharePct"`
	SelectionSourceCounts                 map[Source]int     `json:"selectionSourceCounts"`
	SelectionSourceAverageMasteryDeltaPct map[Source]float64 `json:"selectionSourceAverageMasteryDeltaPct"`
	SelectionSourcePositiveRatioPct       map[Source]float64 `json:"selectionSourcePositiveRatioPct"`
	StrategyBreakdown                     []Breakdown        `json:"strategyBreakdown"`
}

// Telemetry reads the sums off.
func (t *Totals) Telemetry() Telemetry {
	out := Telemetry{
		TotalRecords: t.Records, SelectionSourceCounts: map[Source]int{},
		SelectionSourceAverageMasteryDeltaPct: map[Source]float64{}, SelectionSourcePositiveRatioPct: map[Source]float64{},
		StrategyBreakdown: []Breakdown{},
	}
	var by [len(Sources)]Moments
	for a, s := range path.Strategies {
		var own Moments
		counts := map[Source]int{}
		for i, source := range Sources {
			own.Merge(t.Cells[a][i])
			by[i].Merge(t.Cells[a][i])
			counts[source] = t.Cells[a][i].N
		}
		out.StrategyRecords += own.N
		if own.N > 0 {
			out.StrategyBreakdown = append(out.StrategyBreakdown, Breakdown{s, own.N, own.Mean(), 100 * own.PositiveRatio(), 100 * own.NegativeRatio(), counts})
		}
	}
	for i, source := range Sources {
		out.SelectionSourceCounts[source] = by[i].N
		out.SelectionSourceAverageMasteryDeltaPct[source] = by[i].Mean()
		out.SelectionSourcePositiveRatioPct[source] = 100 * by[i].PositiveRatio()
	}
	auto, fallback := by[1], by[2]
	out.TrendAutoSelectionSharePct = 100 * ratio(auto.N, out.StrategyRecords)
	out.TrendAutoAverageMasteryDeltaPct, out.TrendAutoNegativeRatioPct = auto.Mean(), 100*auto.NegativeRatio()
	out.ModeFallbackSelectionSharePct = 100 * ratio(fallback.N, out.StrategyRecords)
	return out
}

// Trend is that of a strategy at a time: the fourteen days up to now against the fourteen before.
func (t *Totals) Trend(s path.Strategy, now time.Time, spread float64) TrendOf {
	var recent, previous Moments
	recentAll, previousAll, today := 0, 0, dayOf(now)
	for _, d := range t.Days {
		for a := range d.By {
			switch age := today - d.Number; {
			case age < 0 || age >= 2*WindowDays:
			case age < WindowDays:
				recentAll += d.By[a].N
				if a == index(s) {
					recent.Merge(d.By[a])
				}
			default:
				previousAll += d.By[a].N
				if a == index(s) {
					previous.Merge(d.By[a])
				}
			}
		}
	}
	return Compare(recent, previous, recentAll, previousAll, spread)
}

package fsrs

import "math"

// Grade is how well something was recalled, 1 to 4 as in Anki.
type Grade uint8

// The four grades. Again is a lapse; the others are recalls.
const (
	Again Grade = 1
	Hard  Grade = 2
	Good  Grade = 3
	Easy  Grade = 4
)

// Bounds that keep every value finite. Stability is in days.
const (
	MinStability  = 0.001
	MaxStability  = 36500.0
	MinDifficulty = 1.0
	MaxDifficulty = 10.0
)

// Parameters are the 21 weights w0 to w20.
type Parameters [21]float64

// Default are the published FSRS-6 defaults, fitted by their authors to the reviews of about ten thousand people.
var Default = Parameters{
	0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796,
	1.4835, 0.0614, 0.2629, 1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
}

// State is a memory after its latest review. The zero value is one that has never been reviewed.
type State struct {
	Stability  float64 // days until recall falls to 0.9
	Difficulty float64 // 1 easy to 10 hard
}

// New says whether nothing has been reviewed yet.
func (s State) New() bool { return s.Stability == 0 }

// Valid says whether the values are such as reviews can lead to.
func (s State) Valid() bool {
	return s.New() || s.Stability >= MinStability && s.Stability <= MaxStability && s.Difficulty >= MinDifficulty && s.Difficulty <= MaxDifficulty
}

// Model holds the weights and what follows from them.
type Model struct {
	w      Parameters
	factor float64 // F = 0.9^(-1/w20) - 1, so that R(S) = 0.9
	easyD  float64 // D0 of Easy, which difficulty reverts to
}

// NewModel takes weights; those of Default are right until a person has many hundreds of reviews.
func NewModel(w Parameters) *Model {
	m := &Model{w: w, factor: math.Pow(0.9, -1/w[20]) - 1}
	m.easyD = m.firstDifficulty(Easy)
	return m
}

// Retrievability is the probability of recall after so many days: R = (1 + F·t/S)^(-w20). A new memory gives 0, time
// that runs backwards gives 1.
func (m *Model) Retrievability(s State, days float64) float64 {
	if s.New() {
		return 0
	}
	if !(days > 0) {
		return 1
	}
	return math.Pow(1+m.factor*days/s.Stability, -m.w[20])
}

// Interval is the number of days until recall has fallen to retention (0 to 1, both excluded), at most MaxStability.
func (m *Model) Interval(s State, retention float64) float64 {
	retention = clamp(retention, 0.0001, 0.9999)
	days := s.Stability / m.factor * (math.Pow(retention, -1/m.w[20]) - 1)
	return clamp(days, 0, MaxStability)
}

// Next is the memory after a review of grade g, days after the one before. A review within the same day (less than one
// day) moves stability by the same-day formula. A grade outside 1 to 4 is taken for the nearest.
func (m *Model) Next(s State, g Grade, days float64) State {
	g = min(max(g, Again), Easy)
	if s.New() {
		return State{
			Stability:  clamp(m.w[g-1], MinStability, MaxStability),
			Difficulty: clamp(m.firstDifficulty(g), MinDifficulty, MaxDifficulty),
		}
	}
	var next float64
	switch {
	case !(days >= 1):
		next = m.sameDay(s.Stability, g)
	case g == Again:
		next = m.afterLapse(s, m.Retrievability(s, days))
	default:
		next = m.afterRecall(s, g, m.Retrievability(s, days))
	}
	return State{
		Stability:  clamp(next, MinStability, MaxStability),
		Difficulty: m.nextDifficulty(s.Difficulty, g),
	}
}

// D0(g) = w4 - e^(w5(g-1)) + 1
func (m *Model) firstDifficulty(g Grade) float64 {
	return m.w[4] - math.Exp(m.w[5]*(float64(g)-1)) + 1
}

// D' = w7·D0(Easy) + (1-w7)·(D - w6(g-3)(10-D)/9)
func (m *Model) nextDifficulty(d float64, g Grade) float64 {
	moved := d - m.w[6]*(float64(g)-3)*(10-d)/9
	return clamp(m.w[7]*m.easyD+(1-m.w[7])*moved, MinDifficulty, MaxDifficulty)
}

// S' = S(1 + e^w8 (11-D) S^-w9 (e^(w10(1-R)) - 1) · [w15 if Hard] · [w16 if Easy])
func (m *Model) afterRecall(s State, g Grade, r float64) float64 {
	gain := math.Exp(m.w[8]) * (11 - s.Difficulty) * math.Pow(s.Stability, -m.w[9]) * math.Expm1(m.w[10]*(1-r))
	switch g {
	case Hard:
		gain *= m.w[15]
	case Easy:
		gain *= m.w[16]
	}
	return s.Stability * (1 + gain)
}

// S' = min(w11 D^-w12 ((S+1)^w13 - 1) e^(w14(1-R)), S/e^(w17·w18))
func (m *Model) afterLapse(s State, r float64) float64 {
	next := m.w[11] * math.Pow(s.Difficulty, -m.w[12]) * (math.Pow(s.Stability+1, m.w[13]) - 1) * math.Exp(m.w[14]*(1-r))
	return min(next, s.Stability/math.Exp(m.w[17]*m.w[18]))
}

// S' = S·e^(w17(g-3+w18)) S^-w19, where a recall (Hard and above) never lowers stability. The floor for Hard is that of
// fsrs-rs's training model; py-fsrs, and one scalar path of fsrs-rs, hold it for Good and Easy only.
func (m *Model) sameDay(s float64, g Grade) float64 {
	rise := math.Exp(m.w[17]*(float64(g)-3+m.w[18])) * math.Pow(s, -m.w[19])
	if g >= Hard {
		rise = max(rise, 1)
	}
	return s * rise
}

func clamp(x, low, high float64) float64 { return min(max(x, low), high) }

package fsrs_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"stoa/internal/learning/mastery/fsrs"
)

// The numbers are those of fsrs-rs (src/model_v6.rs, commit 48b7d2f6, module tests), which computes in 32 bits; those of
// TestMemoryState are also in py-fsrs (test_memo_state) and ts-fsrs.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 2e-6*math.Max(1, math.Abs(want)) {
		t.Errorf("%s: %v, the reference has %v", what, got, want)
	}
}

func TestRetrievability(t *testing.T) {
	m := fsrs.NewModel(fsrs.Default)
	for _, c := range []struct{ days, stability, want float64 }{
		{0, 1, 1}, {1, 2, 0.9403443}, {2, 3, 0.9253786}, {3, 4, 0.9185229}, {4, 4, 0.9}, {5, 2, 0.8261359},
	} {
		near(t, "R", m.Retrievability(fsrs.State{Stability: c.stability, Difficulty: 5}, c.days), c.want)
	}
	if m.Retrievability(fsrs.State{}, 3) != 0 {
		t.Error("what was never learned is recalled")
	}
}

// next_interval of fsrs-rs at stability 1, retention 0.1 to 0.9, rounded to days.
func TestInterval(t *testing.T) {
	m := fsrs.NewModel(fsrs.Default)
	for i, want := range []float64{3116766, 34793, 2508, 387, 90, 27, 9, 3, 1} {
		got := m.Interval(fsrs.State{Stability: 1, Difficulty: 5}, float64(i+1)/10)
		if want > fsrs.MaxStability {
			want = fsrs.MaxStability // fsrs-rs of that date had no ceiling
		}
		near(t, "interval", math.Max(1, math.Round(got)), want)
	}
	near(t, "interval at 0.9", m.Interval(fsrs.State{Stability: 121.01552, Difficulty: 5}, 0.9), 121.01552)
}

func TestTwoReviews(t *testing.T) {
	m := fsrs.NewModel(fsrs.Default)
	for _, c := range []struct {
		g       fsrs.Grade
		days    float64
		wantS   float64
		wantD   float64
		firstS  float64
		firstD  float64
		message string
	}{
		{fsrs.Again, 1, 0.10088589, 8.806304, 0.212, 6.4133, "again again"},
		{fsrs.Hard, 1, 3.2494123, 6.7404594, 1.2931, 5.1121707, "hard hard"},
		{fsrs.Good, 1, 7.3153, 2.1112142, 2.3065, 2.118104, "good good"},
		{fsrs.Easy, 1, 18.014914, 1, 8.2956, 1, "easy easy"},
		{fsrs.Again, 2, 0.112798266, 8.806304, 0.212, 6.4133, "again, two days, again"},
		{fsrs.Hard, 2, 4.4694576, 6.7404594, 1.2931, 5.1121707, "hard, two days, hard"},
	} {
		s := m.Next(fsrs.State{}, c.g, 0)
		near(t, c.message+" S0", s.Stability, c.firstS)
		near(t, c.message+" D0", s.Difficulty, c.firstD)
		s = m.Next(s, c.g, c.days)
		near(t, c.message+" S1", s.Stability, c.wantS)
		near(t, c.message+" D1", s.Difficulty, c.wantD)
	}
}

// Stability 5 within the day. Hard stays at 5 by the floor; py-fsrs, which floors from Good on, gives 2.7470 there.
func TestSameDay(t *testing.T) {
	m := fsrs.NewModel(fsrs.Default)
	for i, want := range []float64{1.596818, 5, 5, 8.12961} {
		near(t, "same day", m.Next(fsrs.State{Stability: 5, Difficulty: 5}, fsrs.Grade(i+1), 0).Stability, want)
	}
	for i, want := range []float64{8.341763, 6.6659956, 4.990228, 3.3144615} {
		near(t, "difficulty", m.Next(fsrs.State{Stability: 5, Difficulty: 5}, fsrs.Grade(i+1), 0).Difficulty, want)
	}
}

func TestMemoryState(t *testing.T) {
	frozen := fsrs.Default
	frozen[17], frozen[18], frozen[19] = 0, 0, 0
	for _, c := range []struct {
		w    fsrs.Parameters
		s, d float64
	}{{fsrs.Default, 53.62691, 6.3574867}, {frozen, 53.335106, 6.3574867}} {
		m, s := fsrs.NewModel(c.w), fsrs.State{}
		for i, days := range []float64{0, 0, 1, 3, 8, 21} {
			g := fsrs.Good
			if i == 0 {
				g = fsrs.Again
			}
			s = m.Next(s, g, days)
		}
		near(t, "S", s.Stability, c.s)
		near(t, "D", s.Difficulty, c.d)
	}
}

func TestLaws(t *testing.T) {
	m := fsrs.NewModel(fsrs.Default)
	rapid.Check(t, func(t *rapid.T) {
		s := fsrs.State{}
		days := rapid.Float64Range(-10, 5000)
		for range rapid.IntRange(1, 40).Draw(t, "reviews") {
			before, g, d := s, fsrs.Grade(rapid.IntRange(0, 6).Draw(t, "grade")), days.Draw(t, "days")
			s = m.Next(s, g, d)
			if !(s.Stability >= fsrs.MinStability && s.Stability <= fsrs.MaxStability) ||
				!(s.Difficulty >= fsrs.MinDifficulty && s.Difficulty <= fsrs.MaxDifficulty) {
				t.Fatalf("%+v after grade %d and %v days", s, g, d)
			}
			if !before.New() && g >= fsrs.Hard && s.Stability < before.Stability {
				t.Fatalf("a recall lowered stability from %v to %v", before.Stability, s.Stability)
			}
			if !before.New() && g <= fsrs.Again && s.Stability > math.Max(before.Stability, fsrs.MinStability) {
				t.Fatalf("a lapse raised stability from %v to %v", before.Stability, s.Stability)
			}
		}
		a, b := days.Draw(t, "sooner"), days.Draw(t, "later")
		if a > b {
			a, b = b, a
		}
		ra, rb := m.Retrievability(s, a), m.Retrievability(s, b)
		if !(rb > 0 && ra <= 1 && rb <= ra) {
			t.Fatalf("R(%v) = %v, R(%v) = %v", a, ra, b, rb)
		}
		want := rapid.Float64Range(0.7, 0.97).Draw(t, "retention")
		if days := m.Interval(s, want); days < fsrs.MaxStability && math.Abs(m.Retrievability(s, days)-want) > 1e-6 {
			t.Fatalf("after its interval R is %v, not %v", m.Retrievability(s, days), want)
		}
	})
}

func TestNotANumberIsHarmless(t *testing.T) {
	m := fsrs.NewModel(fsrs.Default)
	s := m.Next(fsrs.State{Stability: 5, Difficulty: 5}, fsrs.Good, math.NaN())
	if math.IsNaN(s.Stability) || math.IsNaN(m.Retrievability(s, math.NaN())) {
		t.Error("a time that is no number spoils the memory")
	}
}

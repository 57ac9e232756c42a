package trial

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestStateOverTime(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	end := start.Add(TTL)
	for _, c := range []struct {
		now   time.Time
		state string
		left  int64
	}{
		{start, Active, 7200},
		{start.Add(time.Second), Active, 7199},
		{end.Add(-time.Microsecond), Active, 1},
		{end, Expired, 0},
		{end.Add(time.Hour), Expired, 0},
	} {
		state, left := State(end, c.now)
		if state != c.state || RemainingSeconds(left) != c.left {
			t.Errorf("at %v: %s, %d s", c.now, state, RemainingSeconds(left))
		}
	}
	if state, left := State(time.Time{}, start); state != NotStarted || left != 0 {
		t.Errorf("never started: %s, %v", state, left)
	}
}

func TestStateNeverGoesBack(t *testing.T) {
	order := map[string]int{Active: 1, Expired: 2}
	rapid.Check(t, func(t *rapid.T) {
		end := time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "end"), 0)
		a := time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "a"), 0)
		b := a.Add(time.Duration(rapid.Int64Range(0, 1<<40).Draw(t, "later")))
		earlier, left := State(end, a)
		later, leftLater := State(end, b)
		if order[later] < order[earlier] || leftLater > left {
			t.Fatalf("%s %v then %s %v", earlier, left, later, leftLater)
		}
	})
}

package retrieval

import "testing"

func TestPrefer(t *testing.T) {
	full := Tried{Evidence: 1, Paths: 1, Valid: 1}
	for name, c := range map[string]struct {
		left, right Tried
		want        Preference
	}{
		"the same":              {full, full, Tie},
		"no evidence":           {Tried{Paths: 1, Valid: 1}, full, Right},
		"fewer paths":           {full, Tried{Evidence: 1, Paths: .5, Valid: 1}, Left},
		"within the margin":     {full, Tried{Evidence: 1, Paths: .86, Valid: 1}, Tie},
		"fell back":             {Tried{Evidence: 1, Paths: 1, Valid: 1, Failed: true}, full, Right},
		"a second slower":       {full, Tried{Evidence: 1, Paths: 1, Valid: 1, LatencyMs: 1000}, Left},
		"some ms slower":        {full, Tried{Evidence: 1, Paths: 1, Valid: 1, LatencyMs: 40}, Tie},
		"neither found a thing": {Tried{}, Tried{}, Tie},
	} {
		if got, why := Prefer(c.left, c.right); got != c.want || why == "" {
			t.Errorf("%s: %s (%s), want %s", name, got, why, c.want)
		}
	}
}

package path

import "time"

// IsDue says whether something learned has fallen to the wanted recall.
func IsDue(c *Concept, now time.Time) bool {
	return c.Mastery >= learned && !c.DueAt.IsZero() && !c.DueAt.After(now)
}

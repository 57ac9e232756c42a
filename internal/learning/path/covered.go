package path

import (
	"slices"

	"stoa/internal/learning/mastery"
)

// Covered is which of a concept's questions were ever answered right.
type Covered struct {
	Right []string `json:"right,omitempty"` // ids of questions, each once
	Named int      `json:"named,omitempty"` // right answers that named their question
}

// mostCovered bounds Covered.Right; a concept of more questions counts as one of so many.
const mostCovered = 64

func (c *Covered) take(obs *mastery.Observation) {
	if obs.Outcome != mastery.Correct || obs.QuestionID == "" {
		return
	}
	c.Named++
	if len(c.Right) < mostCovered && !slices.Contains(c.Right, obs.QuestionID) {
		c.Right = append(c.Right, obs.QuestionID)
	}
}

// Nobody knows how an answer to one question of a concept carries over to its others. unasked questions are taken for half known, as
// if carried more answers had said so: a choice, not measured.
const (
	unasked = 0.5
	carried = 4
)

// OfAll is the probability that any of a concept's questions is answered right, given known, the probability for those that were asked.
// correct counts the right answers; those that named no question count as one question each, since what they were about is not known.
// It never grows with less evidence and is never above known, so that an answer moves it only where it moves known.
func (c *Covered) OfAll(correct, all int, known float64) float64 {
	if all < 2 || known <= unasked {
		return known
	}
	all = min(all, mostCovered)
	k := float64(min(len(c.Right)+max(correct-c.Named, 0), all))
	others := unasked + (known-unasked)*k/(k+carried)
	share := k / float64(all)
	return share*known + (1-share)*others
}

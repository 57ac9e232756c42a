package path

import (
	"time"

	"stoa/internal/learning/mastery"
)

// Practice is what is counted and believed of one person and one concept, beside the states of the models.
type Practice struct {
	Belief
	Recent   []string `json:"recent,omitempty"`   // error tags, the newest first
	Strategy string   `json:"strategy,omitempty"` // of the session that touched it last
	// Errors are what went wrong, the newest first, with when.
	Errors []Error `json:"errors,omitempty"`
	Shown  float64 `json:"shown,omitempty"` // the mastery by the models after the last answer
	Covered
}

// mostRecentTags bounds Practice.Recent and Practice.Errors.
const mostRecentTags = 24

// Take adds an answer to the practice and to what is known of the person. readiness in 0..1 is how far the
// prerequisites are known.
func (p *Practice) Take(t *Traits, obs mastery.Observation, readiness float64) {
	if obs.Given != nil {
		p.given(*obs.Given, obs.At)
		return
	}
	p.take(&obs)
	p.answer(t, t.Model(), obs.At, readiness, 1, Outcome(obs.Outcome))
	if obs.Outcome == mastery.Correct {
		return
	}
	p.Recent = append(mastery.TagsOf(obs), p.Recent...)
	p.Recent = p.Recent[:min(len(p.Recent), mostRecentTags)]
	at := int64(0)
	if !obs.At.IsZero() {
		at = obs.At.UnixMicro()
	}
	for _, tag := range obs.Tags {
		p.Errors = append([]Error{{Tag: tag, At: at}}, p.Errors...)
	}
	p.Errors = p.Errors[:min(len(p.Errors), mostRecentTags)]
}

// Describe fills in what a plan is made from. Recall and the day of the next review come of the person's model of memory,
// as everywhere else.
func (p *Practice) Describe(c *Concept, person *mastery.Person, memory mastery.Memory, due, now time.Time) {
	p.Fill(c)
	c.Shown, c.Retrievability, c.DueAt = p.Shown, person.Recalled(memory, now), due
	c.ErrorTag, c.Misconception = misconceived(p.Errors, p.LastOutcome, now)
}

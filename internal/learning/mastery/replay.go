package mastery

import "iter"

// Replay rebuilds every state from the log, which gives person and observation in the order in which they were processed.
// Lines that Observe would refuse are left out. The states have the bytes that the observations gave when they came.
func Replay(log iter.Seq2[string, Observation]) (*Population, map[string]*Learner) {
	p, learners := NewPopulation(), map[string]*Learner{}
	e := NewEngine(0)
	for person, o := range log {
		if o.check() != nil {
			continue
		}
		e.Learn(p, found(learners, person, NewLearner), o)
	}
	return p, learners
}

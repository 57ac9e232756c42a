package mastery

import (
	"stoa/internal/learning/mastery/knowledge"
	"stoa/internal/learning/mastery/recall"
)

// Learner is one person's state. app keeps Person in one row and each Atom in a row of its own; an atom that is not in
// Atoms has never been observed. Only the atoms of an observation need to be there when it is processed.
type Learner struct {
	Person *Person
	Atoms  map[string]*Atom
}

// Person is what is known of a person beyond single atoms.
type Person struct {
	Knowledge *knowledge.Person
	Recall    *recall.Person
	tempo     tempo
}

// Atom is what is known of one person and one atom.
type Atom struct {
	Knowledge    *knowledge.Trace
	Card         recall.Card
	Tags         Tags
	Observations uint64
	At           int64 // latest observation, microseconds since 1970 UTC; 0 unknown

	// shift moves what is estimated, in log odds, so that an answer never moves it the wrong way; ceiling bounds recall
	// after a wrong answer until the next right one, 0 is none.
	shift, ceiling float64
}

// NewLearner is a person of whom nothing is known.
func NewLearner() *Learner { return &Learner{Person: NewPerson(), Atoms: map[string]*Atom{}} }

// NewPerson is a person of whom nothing is known.
func NewPerson() *Person {
	return &Person{Knowledge: knowledge.NewPerson(), Recall: recall.NewPerson()}
}

// newAtom is an atom that the person has never met.
func newAtom() *Atom { return &Atom{Knowledge: knowledge.NewTrace()} }

// Population is what is learned of all people together: how hard atoms and questions are and what the head weighs. It
// changes with every observation, in the order of the log. app keeps Core in one row and the others in rows of their own.
type Population struct {
	Core  *knowledge.Core
	Atoms map[string]*knowledge.Atom
}

// NewPopulation has seen nobody.
func NewPopulation() *Population {
	return &Population{Core: knowledge.NewCore(), Atoms: map[string]*knowledge.Atom{}}
}

// Package path decides what a person does next: it finds the candidates (outer fringe, due items, lapses, weak
// prerequisites behind failures, misconceptions, divergence edges), scores them all with one scorer and lets one of three
// strategies order them into a plan by number of actions or by minutes.
//
// It owns what a plan is, why an action stands in it, how a plan is judged (plan evaluation, path effectiveness) and what
// the evidence says of one person as a learner (Traits). It is called by internal/app, which builds a View from the
// graph and the mastery state, and by internal/learning/simulate, which measures the strategies on simulated students.
//
// Everything here is a pure function of its arguments; the time is one of them. Concepts are numbered, so that a plan over
// a hundred thousand atoms is one pass over concepts and edges and a sort.
package path

// Package mastery says what a person knows and remembers, how sure that is, and when to come back to it.
//
// It owns the states that follow from the log of observations: of each person, of each person and atom, and of the whole
// population. app keeps their bytes in the store and calls Engine.Observe for every observation and Engine.Estimate
// for every plan; path, session and tutor read the estimates.
//
// States are plain values. The same observations in the same order give the same bytes on one kind of machine, so a
// state can always be rebuilt from the log. The package has no clock: the time is given. See docs/learning-models.md.
package mastery

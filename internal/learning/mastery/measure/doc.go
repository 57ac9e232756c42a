// Package measure says how good the models of mastery are: it reads logs of answers and of reviews, lets each model and
// the older ones it is compared with predict every line before that line is shown to it, and scores the predictions.
//
// stoa eval mastery and stoa eval recall call it. Nothing here is part of serving a learner.
package measure

// Package tutor is the tutor that works with nothing else installed: it asks, recaps and judges answers by rules, out of
// the learner's own notes, and says of each reply which evidence it rests on.
//
// It owns what a reply says and how an answer is judged. internal/app calls it and keeps the traces.
package tutor

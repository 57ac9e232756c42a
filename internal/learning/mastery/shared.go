package mastery

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"stoa/internal/learning/mastery/knowledge"
	"stoa/internal/learning/mastery/online"
)

const (
	// LeastSharing is how many people must have shared their first answer to an atom before anything is told of it.
	LeastSharing = 10
	// sharedNoise is the scale of the Laplace noise on the number of right answers: one person changes that by at most one, so
	// what is told of an atom is differentially private with ε = 1/sharedNoise for each atom, given that it is told.
	sharedNoise = 1.0
	// usualRate is the share of right answers that an atom of usual ease is taken to have, worth usualAnswers of them.
	usualRate, usualAnswers = 0.65, 2.0
	leastRate               = 0.05
)

// SharedEase is what the first answers of people who share them say of how easy an atom is, as a belief to begin with; nothing
// (a variance of 0) while there are fewer than LeastSharing. The noise hangs on the counts and a secret alone: who asks again
// gets the same noise, so that asking often does not average it out.
func SharedEase(secret []byte, atomID string, people, right int64) online.Belief {
	if people < LeastSharing {
		return online.Belief{}
	}
	n := float64(people) + usualAnswers
	rate := (float64(right) + sharedNoise*laplace(secret, atomID, people, right) + usualRate*usualAnswers) / n
	rate = min(max(rate, leastRate), 1-leastRate)
	slope := 1 / (rate * (1 - rate)) // of the logit
	noise := sharedNoise * slope / n
	doubt := slope/n + 2*noise*noise
	prior := knowledge.NewAtom().Ease.Var
	told := prior / (prior + doubt)
	return online.Belief{Mean: told * (online.Logit(rate) - online.Logit(usualRate)), Var: prior * (1 - told)}
}

// laplace is a draw from Laplace's distribution of scale 1.
func laplace(secret []byte, atomID string, people, right int64) float64 {
	h := hmac.New(sha256.New, secret)
	fmt.Fprintf(h, "%d/%d/%s", people, right, atomID)
	u := (float64(binary.BigEndian.Uint64(h.Sum(nil))>>11)+0.5)/(1<<53) - 0.5
	return -math.Copysign(math.Log1p(-2*math.Abs(u)), u)
}

// Expect lets the belief about an atom that nobody answered yet begin with a belief about its ease.
func (p *Population) Expect(atomID string, ease online.Belief) {
	if ease.Var > 0 && p.Atoms[atomID] == nil {
		a := knowledge.NewAtom()
		a.Ease = ease
		p.Atoms[atomID] = a
	}
}

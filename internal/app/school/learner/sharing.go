package learner

import (
	"context"
	"crypto/rand"

	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/mastery"
	"stoa/internal/learning/mastery/online"
	"stoa/internal/platform/store"
)

// sharing is what a learner who shares how hard things are gives and is given within one transaction.
type sharing struct {
	secret []byte
	priors map[string]online.Belief // of atoms that are met now for the first time, until they are answered
}

// DifficultyKey names the secret behind the noise in how hard others found something.
const DifficultyKey = "difficulty"

// newSharing gives nil for a learner who does not share. The learner is locked, so that nobody withdraws meanwhile.
func newSharing(ctx context.Context, tx *store.Tx, userID string) (*sharing, error) {
	config, _, err := OrchestrationOf(ctx, tx.Queries, userID)
	if err != nil || !config.Study.ShareDifficulty {
		return nil, err
	}
	made := make([]byte, 32)
	rand.Read(made) // it never fails
	secret, err := tx.SharingKey(DifficultyKey, made)
	return &sharing{secret: secret, priors: map[string]online.Belief{}}, err
}

// meet brings an atom's states in; those of something new begin with what others shared of it.
func (o *ObservationRecorder) meet(atomID string) error {
	if err := o.open(atomID); err != nil || o.sharing == nil || o.known.Atom(atomID) != nil || o.Touched[atomID] != nil || !common(o.ground.Ground, atomID) {
		return err
	}
	if _, met := o.sharing.priors[atomID]; met {
		return nil
	}
	people, right, err := o.sharedAnswers(atomID)
	if err != nil {
		return err
	}
	prior := mastery.SharedEase(o.sharing.secret, atomID, people, right)
	o.sharing.priors[atomID] = prior
	o.population.Expect(atomID, prior)
	return nil
}

// share adds a first answer to what is shared, and tells what others had shared before it.
func (o *ObservationRecorder) share(obs *mastery.Observation) (prior online.Belief, err error) {
	if o.sharing == nil {
		return prior, nil
	}
	prior, first := o.sharing.priors[obs.AtomID]
	if !first {
		return prior, nil
	}
	delete(o.sharing.priors, obs.AtomID)
	return prior, o.give(obs, obs.AtomID)
}

// shareQuestion does the same for a question that follows from notes of everybody, as it stands there.
func (o *ObservationRecorder) shareQuestion(obs *mastery.Observation) error {
	if o.sharing == nil || obs.ItemID == "" || !common(o.ground.Ground, obs.AtomID) || o.ground.Bank.ByID[obs.ItemID] != nil {
		return nil
	}
	if a := o.population.Atoms[obs.AtomID]; a != nil && a.Items[obs.ItemID] != nil {
		return nil
	}
	people, right, err := o.sharedAnswers(obs.ItemID)
	if err != nil {
		return err
	}
	obs.ItemEase = mastery.SharedEase(o.sharing.secret, obs.ItemID, people, right)
	return o.give(obs, obs.ItemID)
}

// sharedAnswers counts what others shared of an atom or a question, in every database that has learners.
func (o *ObservationRecorder) sharedAnswers(subjectID string) (people, right int64, err error) {
	people, right, err = o.tx.SharedAnswers(o.tx.Context(), subjectID, o.Row.UserID)
	if err != nil {
		return 0, 0, err
	}
	o.app.AskPeers(o.tx.Context(), func(ctx context.Context, q store.Queries) error {
		n, k, err := q.SharedAnswers(ctx, subjectID, o.Row.UserID)
		people, right = people+n, right+k
		return err
	})
	return people, right, nil
}

// give adds an answer to what is shared of an atom or a question.
func (o *ObservationRecorder) give(obs *mastery.Observation, subjectID string) error {
	if obs.Given != nil || obs.Outcome == mastery.Skipped {
		return nil
	}
	return o.tx.ShareAnswer(o.Row.UserID, subjectID, obs.Outcome == mastery.Correct)
}

// common says that an atom is of the notes of everybody and not of the learner's own.
func common(g notebook.Ground, id string) bool {
	return (g.Shared.Shown[id] != nil || g.Shared.Atoms[id] != nil) && g.Own.Shown[id] == nil && g.Own.Atoms[id] == nil
}

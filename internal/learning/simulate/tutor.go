package simulate

import (
	"math"
	"time"

	"stoa/internal/learning/mastery"
	"stoa/internal/learning/mastery/fsrs"
	"stoa/internal/learning/path"
)

// start is the day on which all simulated programmes begin.
var start = time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)

func on(day float64) time.Time { return start.Add(time.Duration(day * 24 * float64(time.Hour))) }

// tutor is what an observer of answers believes: the only thing that policies see. It is the product's: what is believed
// of the person is followed by path.Practice and mastery.Engine, and plans are made of what path.Practice.Describe says,
// as in internal/app/school. Answers reach it at the end of a session.
type tutor struct {
	view     path.View
	practice []path.Practice
	model    *path.Model // of the traits after the last answer
	deltas   []float64   // mean change of mastery per session, newest first
	// The models of memory and knowledge, for the strategies alone: the fixed policies do not ask them.
	engine  *mastery.Engine
	people  *mastery.Population
	learner *mastery.Learner

	order  []int        // topological, of the tutor's graph
	author []int        // as the author numbered them
	cards  []fsrs.State // as a scheduler keeps them that asks after everything that was ever asked
	last   []float64    // day of the last answer
}

// inferredHold is how sure the product is of the prerequisites that it infers.
const inferredHold = 0.9

// letters is the length of a note: the median of the units of the vaults that were looked at.
const letters = 600

func newTutor(g *Graph, pre [][]int, author []int, numbered bool, edges [][2]int, full bool) *tutor {
	n := len(pre)
	t := &tutor{
		view: path.View{Concepts: make([]path.Concept, n)}, practice: make([]path.Practice, n), model: new(path.Traits).Model(),
		order: topological(pre), author: author, cards: make([]fsrs.State, n), last: make([]float64, n),
	}
	if full {
		t.engine, t.people, t.learner = mastery.NewEngine(0), mastery.NewPopulation(), mastery.NewLearner()
	}
	for i := range n {
		c := &t.view.Concepts[i]
		c.ID, c.Letters, c.Evidence, c.Placed = g.Names[i], letters, []string{g.Names[i]}, len(pre[i]) > 0
		t.practice[i].Fill(c)
		for _, p := range pre[i] {
			c.Prerequisites = append(c.Prerequisites, path.Link{To: p, Weight: inferredHold})
		}
	}
	if numbered {
		t.view.Order = [][]int{author}
		for i := range t.view.Concepts {
			t.view.Concepts[i].Placed = true
		}
	}
	for _, e := range edges {
		t.view.Divergence = append(t.view.Divergence, path.Edge{From: e[0], To: e[1], Kind: "analogy", Confidence: 0.7})
	}
	return t
}

// at moves the view to a day.
func (t *tutor) at(day float64) *path.View {
	now := on(day)
	t.view.Now = now
	t.view.RecentSuccess, t.view.RecentAnswers = t.view.Traits.RecentSuccess()
	if t.engine == nil {
		return &t.view
	}
	for i := range t.practice {
		c := &t.view.Concepts[i]
		if a := t.learner.Atoms[c.ID]; a != nil {
			m := a.Memory()
			due := t.learner.Person.DueAt(m, mastery.DefaultRetention)
			t.practice[i].Describe(c, t.learner.Person, m, due, now)
		}
	}
	return &t.view
}

// answer is one answer of a session.
type answer struct {
	concept int
	right   bool
	tag     string  // what went wrong, when somebody named it
	seconds float64 // that it took
	kind    path.Kind
}

// answered takes the answers of a session in.
func (t *tutor) answered(day float64, answers []answer) {
	now, sum := on(day), 0.0
	for _, a := range answers {
		c, p := &t.view.Concepts[a.concept], &t.practice[a.concept]
		obs := mastery.Observation{AtomID: c.ID, Outcome: mastery.Incorrect, At: now, ResponseTime: time.Duration(a.seconds * float64(time.Second))}
		grade := fsrs.Again
		if a.right {
			obs.Outcome, grade = mastery.Correct, fsrs.Good
		} else if a.tag != "" {
			obs.Tags = []string{a.tag}
		}
		before := c.Mastery
		readiness := path.Readiness(c.Prerequisites, func(i int) float64 { return t.practice[i].Held(t.model, now) })
		if t.engine != nil {
			u, err := t.engine.Observe(t.people, t.learner, obs)
			if err != nil {
				panic(err) // every observation here is a valid one
			}
			p.Shown = math.Round(1e6*u.After.MasteryProbability) / 1e6
			sum += u.After.MasteryProbability - u.Before.MasteryProbability
		}
		p.Take(&t.view.Traits, obs, readiness)
		t.view.Traits.Pace.Took(a.kind, letters, a.seconds/60)
		t.model = t.view.Traits.Model()
		p.Fill(c)
		if t.engine == nil {
			sum += c.Mastery - before
		}
		t.cards[a.concept] = scheduler.Next(t.cards[a.concept], grade, day-t.last[a.concept])
		t.last[a.concept] = day
	}
	t.deltas = append([]float64{sum / float64(max(1, len(answers)))}, t.deltas...)
	t.deltas = t.deltas[:min(len(t.deltas), 4)]
}

// scheduler is FSRS-6 with its published defaults.
var scheduler = fsrs.NewModel(fsrs.Default)

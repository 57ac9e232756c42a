package measure

import (
	"time"

	"stoa/internal/learning/mastery"
)

// ModelFigures are those of one model over a log of answers.
type ModelFigures struct {
	Model string `json:"model"`
	Figures
}

// MasteryReport compares models of knowledge over one log.
type MasteryReport struct {
	TrainAnswers int    `json:"train_answers"`
	TrainPeople  int    `json:"train_people"`
	TestPeople   int    `json:"test_people"`
	Items        int    `json:"items"`
	Skills       int    `json:"skills"`
	BadLines     int    `json:"bad_lines"`
	Timed        bool   `json:"timed"`
	Protocol     string `json:"protocol"`
	Pace
	Models       []ModelFigures `json:"models"`
	ModelFigures                // ours, the last of Models
}

const masteryProtocol = "one row per interaction; people of the test part are in no way in the train part; each test answer is predicted, " +
	"then learned from; the model passes once over the train part"

// Mastery lets each model learn from train and predict test, answer by answer. If train is empty a fifth of the people is
// held out of test.
func Mastery(train, test []Answer, bad int) MasteryReport {
	if len(train) == 0 {
		train, test = holdOut(test)
	} else {
		train, test = people(train), people(test)
		for i := range test { // a name may stand for another person in another file
			test[i].User = "test " + test[i].User
		}
	}
	users, items, skillSets := number(train, test)
	r := MasteryReport{
		TrainAnswers: len(train), TrainPeople: count(train), TestPeople: count(test),
		Items: items, Skills: skillSets, BadLines: bad, Timed: test[0].Timed, Protocol: masteryProtocol,
	}
	ours := &product{population: mastery.NewPopulation(), engine: mastery.NewEngine(0), learners: make([]*mastery.Learner, users)}
	for _, m := range []struct {
		name string
		tracer
	}{
		{"AVG", &mean{}},
		{"item mean", &mean{byItem: true, items: make([][2]float64, items)}},
		{"earlier update rule", &earlier{map[pair]float64{}}},
		{"BKT (grid per skill)", &bkt{make([]bktParameters, skillSets), map[pair]float64{}}},
		{"PFA", &pfa{make([][3]float64, skillSets), make([][3]float64, skillSets), map[pair][2]float64{}}},
		{"Elo (person, item)", &plainElo{make([]rating, users), make([]rating, items)}},
		{"stoa", ours},
	} {
		m.train(train)
		scored := make([]Scored, len(test))
		for i := range test {
			scored[i] = Scored{m.next(&test[i]), test[i].Right}
		}
		r.Models = append(r.Models, ModelFigures{m.name, Score(scored)})
	}
	r.ModelFigures = r.Models[len(r.Models)-1]
	r.Pace = ours.pace.report()
	return r
}

func count(answers []Answer) int {
	seen := map[int]bool{}
	for i := range answers {
		seen[answers[i].user] = true
	}
	return len(seen)
}

// product is what a server does with each observation.
type product struct {
	population *mastery.Population
	engine     *mastery.Engine
	learners   []*mastery.Learner
	pace       pace
}

func (p *product) train(a []Answer) { through(p, a) }

func (p *product) next(a *Answer) float64 {
	l := p.learners[a.user]
	if l == nil {
		l = mastery.NewLearner()
		p.learners[a.user] = l
	}
	o := mastery.Observation{AtomID: a.Skills[0], AlsoAtomIDs: a.Skills[1:], ItemID: a.Item, Outcome: mastery.Incorrect}
	if a.Right {
		o.Outcome = mastery.Correct
	}
	if a.Timed {
		o.At = time.UnixMicro(int64(a.At * 1e6))
	}
	p.pace.start()
	defer p.pace.stop()
	return p.engine.Learn(p.population, l, o)
}

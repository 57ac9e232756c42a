package measure

import (
	"time"

	"stoa/internal/learning/mastery"
	"stoa/internal/learning/mastery/online"
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
	n := number(train, test)
	r := MasteryReport{
		TrainAnswers: len(train), TrainPeople: count(train), TestPeople: count(test),
		Items: n.items, Skills: n.skills, BadLines: bad, Timed: test[0].Timed, Protocol: masteryProtocol,
	}
	models, ours := contenders(n)
	for _, m := range models {
		m.train(train)
		r.Models = append(r.Models, ModelFigures{m.name, score(predict(m, test))})
	}
	r.ModelFigures = r.Models[len(r.Models)-1]
	r.Pace = ours.pace.report()
	return r
}

// Alone gives every person models of their own that have seen nothing and nobody else, as on a server with one learner. If
// others are given, a last model begins with what these share: how many of them answered a skill and an item right at first.
func Alone(others, answers []Answer, bad int) MasteryReport {
	answers = people(answers)
	shared := share(others)
	n := number(nil, answers)
	r := MasteryReport{TestPeople: n.users, Items: n.items, Skills: n.skills, BadLines: bad, Timed: answers[0].Timed, Protocol: aloneProtocol}
	var scored [][]Scored
	var pace pace
	for len(answers) > 0 {
		end := 1
		for end < len(answers) && answers[end].user == answers[0].user {
			end++
		}
		person := answers[:end]
		answers = answers[end:]
		models, ours := contenders(number(nil, person))
		if shared != nil {
			told := newProduct(names{users: 1})
			told.told = shared
			models = append(models, contender{"stoa, with what others share", told})
		}
		for i, m := range models {
			if len(scored) <= i {
				scored = append(scored, nil)
				r.Models = append(r.Models, ModelFigures{Model: m.name})
			}
			m.train(nil)
			scored[i] = append(scored[i], predict(m, person)...)
		}
		pace.steps = append(pace.steps, ours.pace.steps...)
	}
	for i := range r.Models {
		r.Models[i].Figures = score(scored[i])
	}
	r.ModelFigures = r.Models[len(r.Models)-1]
	r.Pace = pace.report()
	return r
}

const aloneProtocol = "one row per interaction; each person has models of their own that start from nothing; each answer is predicted, then learned from"

type contender struct {
	name string
	tracer
}

// contenders makes the models that are compared, ours last.
func contenders(n names) ([]contender, *product) {
	ours := newProduct(n)
	blind := newProduct(n)
	blind.blind = true
	return []contender{
		{"AVG", &mean{}},
		{"item mean", &mean{byItem: true, items: make([][2]float64, n.items)}},
		{"earlier update rule", &earlier{map[pair]float64{}}},
		{"BKT (grid per skill)", &bkt{make([]bktParameters, n.skills), map[pair]float64{}}},
		{"PFA", &pfa{make([][3]float64, n.skills), make([][3]float64, n.skills), map[pair][2]float64{}}},
		{"Elo (person, item)", &plainElo{make([]rating, n.users), make([]rating, n.items)}},
		{"stoa without questions", blind},
		{"stoa", ours},
	}, ours
}

func predict(t tracer, answers []Answer) []Scored {
	scored := make([]Scored, len(answers))
	for i := range answers {
		scored[i] = Scored{t.next(&answers[i]), answers[i].Right}
	}
	return scored
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
	told       *shares // nil for those who do not share
	pace       pace
	blind      bool // to which question was answered
}

func newProduct(n names) *product {
	return &product{population: mastery.NewPopulation(), engine: mastery.NewEngine(0), learners: make([]*mastery.Learner, n.users)}
}

// shares count the people who answered something, and those who were right, at their first answer to it.
type shares struct{ skills, items map[string][2]int64 }

// share counts first answers; nil of nobody.
func share(answers []Answer) *shares {
	if len(answers) == 0 {
		return nil
	}
	s := &shares{map[string][2]int64{}, map[string][2]int64{}}
	seen := map[[2]string]bool{}
	first := func(counts map[string][2]int64, kind, user, id string, right bool) {
		if key := [2]string{user, kind + id}; !seen[key] {
			seen[key] = true
			c := counts[id]
			if c[0]++; right {
				c[1]++
			}
			counts[id] = c
		}
	}
	for _, a := range people(answers) {
		for _, skill := range a.Skills {
			first(s.skills, "s", a.User, skill, a.Right)
		}
		first(s.items, "i", a.User, a.Item, a.Right)
	}
	return s
}

var measureSecret = []byte("a fixed secret, so that a run can be repeated")

// expect lets what is met for the first time begin with what others share; it gives what they share of the item.
func (s *shares) expect(p *mastery.Population, a *Answer) online.Belief {
	for _, skill := range a.Skills {
		c := s.skills[skill]
		p.Expect(skill, mastery.SharedEase(measureSecret, skill, c[0], c[1]))
	}
	c := s.items[a.Item]
	return mastery.SharedEase(measureSecret, a.Item, c[0], c[1])
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
	if p.blind {
		o.ItemID = ""
	}
	if a.Timed {
		o.At = time.UnixMicro(int64(a.At * 1e6))
	}
	if p.told != nil {
		o.ItemEase = p.told.expect(p.population, a)
	}
	p.pace.start()
	defer p.pace.stop()
	return p.engine.Learn(p.population, l, o)
}

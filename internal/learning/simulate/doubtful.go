package simulate

import (
	"math"
	"math/rand/v2"
	"slices"

	"stoa/internal/learning/mastery"
	"stoa/internal/learning/retirement"
)

// Planted is how a question is answered in truth.
type Planted string

// Good questions follow what is known of their concept; the others are planted, each bad in its own way.
const (
	Good        Planted = "good"
	AlwaysRight Planted = Planted(retirement.TooEasy)
	AlwaysWrong Planted = Planted(retirement.TooHard)
	Opposite    Planted = Planted(retirement.Contrary)
)

// Course is a way to study and a world in which questions are answered.
type Course struct {
	Name      string
	Questions int     // of a concept
	Spread    float64 // deviation of the difficulty of good questions, on the logit scale
	Guess     float64
	Slip      float64
	Memory    memoryKind
	// Apart is the share of questions of a session that are remembered or forgotten by themselves; the others are with their concept.
	Apart float64
	// Turns asks one question of a concept at each review, in turn; otherwise each review asks all.
	Turns bool
}

// Courses are those in which planted questions must be found.
var Courses = []Course{
	{Name: "usual", Questions: 5, Spread: 0.7, Guess: 0.12, Slip: 0.05, Memory: powerCurve},
	{Name: "guessing", Questions: 5, Spread: 0.7, Guess: 0.3, Slip: 0.1, Memory: exponential},
	{Name: "uneven", Questions: 5, Spread: 1.2, Guess: 0.12, Slip: 0.05, Memory: activation},
	{Name: "three_questions", Questions: 3, Spread: 0.7, Guess: 0.12, Slip: 0.05, Memory: multiscale},
	{Name: "half_apart", Questions: 5, Spread: 0.7, Guess: 0.12, Slip: 0.05, Memory: powerCurve, Apart: 0.5},
	{Name: "all_apart", Questions: 5, Spread: 0.7, Guess: 0.12, Slip: 0.05, Memory: powerCurve, Apart: 1},
	{Name: "in_turn", Questions: 5, Spread: 0.7, Guess: 0.12, Slip: 0.05, Memory: powerCurve, Turns: true},
	{Name: "only_question", Questions: 1, Spread: 0.7, Guess: 0.12, Slip: 0.05, Memory: powerCurve},
}

// Detection is how many questions of a kind were proposed for retirement until their last answer.
type Detection struct {
	Kind      Planted    `json:"kind"`
	Questions int        `json:"questions"`
	Proposed  int        `json:"proposed"` // at any look
	Reason    int        `json:"proposed_for_that_reason"`
	Share     float64    `json:"share"`
	Interval  [2]float64 `json:"interval95"` // Wilson's
	Early     float64    `json:"share_after_10"`
	Answered  int        `json:"with_all_answers"` // questions that came to be answered as often as they may be
	Median    float64    `json:"median_answers"`   // at which it was proposed, of those that were
}

// CourseReport is what came of a course.
type CourseReport struct {
	Course string      `json:"course"`
	Kinds  []Detection `json:"kinds"`
	// Bound is the share of too easy questions that could be found at best, with one good question in twenty lost, by somebody who sees at each
	// answer what the student recalled, and knows how they guess and slip and how much difficulties differ.
	Bound float64 `json:"too_easy_at_best"`
}

// asked is a question of a simulated concept and what came of it.
type asked struct {
	kind   Planted
	ease   float64
	log    []given
	found  int // at which answer it was proposed first, 0 never
	reason retirement.Reason
}

// given is one answer.
type given struct {
	expected, right float64
	recalled        bool
}

// Doubtful lives courses of students and says which planted questions are proposed for retirement within answers answers of each,
// looking after every answer as the product does. badly is the share of concepts with one planted question. Of one student each question
// gathers all its answers, as in the product; sharing is how many students answer the same questions and put their answers together, an equal part each.
func Doubtful(courses []Course, students, sharing, answers int, badly float64, seed uint64) []CourseReport {
	var all []CourseReport
	for n, c := range courses {
		var list []*asked
		for s := 0; s < students; s += sharing {
			first := seed + uint64(n)<<32 + uint64(s)
			together := c.questions(badly, mix(first^1<<60))
			for k := range sharing {
				for i, q := range c.student(c.questions(badly, mix(first^1<<60)), answers/sharing, mix(first+uint64(k))) {
					together[i].log = append(together[i].log, q.log...)
				}
			}
			list = append(list, together...)
		}
		r := CourseReport{Course: c.Name, Bound: c.bound(list)}
		for _, q := range list {
			q.look()
		}
		for _, kind := range []Planted{Good, AlwaysRight, AlwaysWrong, Opposite} {
			r.Kinds = append(r.Kinds, detection(kind, list, answers))
		}
		all = append(all, r)
	}
	return all
}

func detection(kind Planted, list []*asked, answers int) Detection {
	d := Detection{Kind: kind}
	var at []int
	early := 0
	for _, q := range list {
		if q.kind != kind {
			continue
		}
		d.Questions++
		if len(q.log) == answers {
			d.Answered++
		}
		if q.found == 0 {
			continue
		}
		d.Proposed++
		at = append(at, q.found)
		if q.found <= 10 {
			early++
		}
		if Planted(q.reason) == kind {
			d.Reason++
		}
	}
	if d.Questions == 0 {
		return d
	}
	slices.Sort(at)
	if len(at) > 0 {
		d.Median = float64(at[len(at)/2])
	}
	d.Share, d.Early, d.Interval = float64(d.Proposed)/float64(d.Questions), float64(early)/float64(d.Questions), wilson(d.Proposed, d.Questions)
	return d
}

// wilson is the 95 % interval of a share (Wilson 1927).
func wilson(k, n int) [2]float64 {
	const z = 1.96
	m, p := float64(n), float64(k)/float64(n)
	middle, half := p+z*z/(2*m), z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return [2]float64{max(0, (middle-half)/(1+z*z/m)), min(1, (middle+half)/(1+z*z/m))}
}

const (
	conceptsStudied = 24
	longestCourse   = 60 * 365 // days
)

// questions makes those of all concepts, one after the other.
func (c Course) questions(badly float64, seed uint64) (list []*asked) {
	r := rand.New(rand.NewPCG(seed, 18))
	for range conceptsStudied {
		var some []*asked
		for k := range c.Questions {
			q := &asked{kind: Good, ease: c.Spread * r.NormFloat64()}
			if k == 0 && r.Float64() < badly {
				q.kind = []Planted{AlwaysRight, AlwaysWrong, Opposite}[r.IntN(3)]
			}
			some = append(some, q)
		}
		r.Shuffle(len(some), func(a, b int) { some[a], some[b] = some[b], some[a] })
		list = append(list, some...)
	}
	return list
}

// student lives one student, who reviews each concept when the product says it is due.
func (c Course) student(list []*asked, answers int, seed uint64) []*asked {
	r := rand.New(rand.NewPCG(seed, 18))
	person := person{last: math.Exp(0.4 * r.NormFloat64()), decay: 0.177 * math.Exp(0.25*r.NormFloat64())}
	tutor := newObserver()
	due := make([]float64, conceptsStudied)
	turns := make([]int, conceptsStudied)
	memories := make([]memory, conceptsStudied)
	questions := make([][]*asked, conceptsStudied)
	for i := range conceptsStudied {
		due[i] = float64(i) // something new every day
		questions[i] = list[i*c.Questions : (i+1)*c.Questions]
	}
	for {
		next := 0
		for i := range due {
			if due[i] < due[next] {
				next = i
			}
		}
		day := due[next]
		if day > longestCourse {
			return list
		}
		if memories[next] == nil { // it is read first
			memories[next] = c.Memory.fresh(person, 0.5+r.Float64(), day-0.01)
		}
		known := memories[next].recall(day)
		recalled := r.Float64() < known
		var answered []*asked
		var right []float64
		var recalls []bool
		prior := tutor.expected(next, day)
		for k, q := range questions[next] {
			if c.Turns && k != turns[next]%c.Questions {
				continue
			}
			here := recalled
			if r.Float64() < c.Apart {
				here = r.Float64() < known
			}
			y := 0.0
			if r.Float64() < c.chance(q, here) {
				y = 1
			}
			tutor.answered(next, k, day, y == 1)
			answered, right, recalls = append(answered, q), append(right, y), append(recalls, here)
		}
		for k, expected := range retirement.Expected(prior, right) {
			if q := answered[k]; len(q.log) < answers {
				q.log = append(q.log, given{expected, right[k], recalls[k]})
			}
		}
		turns[next]++
		memories[next].practise(day, recalled, 1)
		due[next] = max(tutor.due(next), day+1)
		if !slices.ContainsFunc(questions[next], func(q *asked) bool { return len(q.log) < answers }) {
			due[next] = math.Inf(1)
		}
	}
}

// easyChance is that of a right answer to what is too easy.
const easyChance = 0.99

// chance is that of a right answer in truth.
func (c *Course) chance(q *asked, recalled bool) float64 {
	switch q.kind {
	case AlwaysRight:
		return easyChance
	case AlwaysWrong:
		return 0.03
	case Opposite:
		recalled = !recalled
	}
	return c.usual(q.ease, recalled)
}

// usual is the chance of a right answer to a good question.
func (c *Course) usual(ease float64, recalled bool) float64 {
	chance := c.Guess
	if recalled {
		chance = 1 - c.Slip
	}
	return 1 / (1 + (1/chance-1)*math.Exp(-ease))
}

// look judges after each answer, as the product does.
func (q *asked) look() {
	var answers retirement.Answers
	for n, g := range q.log {
		answers.Add(g.expected, g.right)
		if v := answers.Judge(); v.Reason != "" {
			q.found, q.reason = n+1, v.Reason
			return
		}
	}
}

// mostLost is the share of good questions that may be lost.
const mostLost = 0.05

// bound is CourseReport.Bound: no test that loses as few finds more (Neyman and Pearson 1933), whatever it makes of the answers alone.
func (c *Course) bound(list []*asked) float64 {
	var usual, easy []float64
	for _, q := range list {
		switch q.kind {
		case Good:
			usual = append(usual, c.easyOdds(q.log))
		case AlwaysRight:
			easy = append(easy, c.easyOdds(q.log))
		}
	}
	if len(usual) == 0 || len(easy) == 0 {
		return 0
	}
	slices.Sort(usual)
	enough, found := usual[int(float64(len(usual))*(1-mostLost))], 0
	for _, odds := range easy {
		if odds > enough {
			found++
		}
	}
	return float64(found) / float64(len(easy))
}

// easyOdds is the logarithm of how many times likelier answers are for a question that is too easy than for a good one of any difficulty.
func (c *Course) easyOdds(log []given) float64 {
	easy, usual, weights := 0.0, 0.0, 0.0
	for _, g := range log {
		easy += math.Log(g.right*easyChance + (1-g.right)*(1-easyChance))
	}
	for z := -3.0; z <= 3; z += 0.25 {
		weight, sum := math.Exp(-z*z/2), 0.0
		for _, g := range log {
			p := c.usual(c.Spread*z, g.recalled)
			sum += math.Log(g.right*p + (1-g.right)*(1-p))
		}
		usual, weights = usual+weight*math.Exp(sum), weights+weight
	}
	return easy - math.Log(usual/weights)
}

// observer follows one learner with the product's models.
type observer struct {
	engine  *mastery.Engine
	people  *mastery.Population
	learner *mastery.Learner
}

func newObserver() *observer {
	return &observer{mastery.NewEngine(0), mastery.NewPopulation(), mastery.NewLearner()}
}

func (o *observer) name(concept int) string { return "c" + string(rune('A'+concept)) }

// expected is the probability of a right answer.
func (o *observer) expected(concept int, day float64) float64 {
	return o.engine.Estimate(o.people, o.learner, o.name(concept), on(day), 0).MasteryProbability
}

// answered takes an answer in.
func (o *observer) answered(concept, question int, day float64, right bool) {
	obs := mastery.Observation{AtomID: o.name(concept), ItemID: string(rune('a' + question)), Outcome: mastery.Incorrect, At: on(day)}
	if right {
		obs.Outcome = mastery.Correct
	}
	o.engine.Learn(o.people, o.learner, obs)
}

func (o *observer) due(concept int) float64 {
	at := o.engine.Estimate(o.people, o.learner, o.name(concept), start, 0).NextReviewAt
	return at.Sub(start).Hours() / 24
}

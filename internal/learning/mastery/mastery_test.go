package mastery_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa/internal/learning/mastery"
)

type line struct {
	person string
	o      mastery.Observation
}

var outcomes = []mastery.Outcome{mastery.Correct, mastery.Partial, mastery.Incorrect, mastery.Skipped}

// lines draws a log: few names, so that they meet again; times that also run backwards, are missing or absurd.
func lines(most int) *rapid.Generator[[]line] {
	name := func(prefix string, n int) *rapid.Generator[string] {
		return rapid.Map(rapid.IntRange(0, n-1), func(i int) string { return fmt.Sprint(prefix, i) })
	}
	at := rapid.OneOf(
		rapid.Map(rapid.Int64Range(0, 400*86400), func(s int64) time.Time { return time.Unix(1.7e9+s, s%997*1000) }),
		rapid.SampledFrom([]time.Time{{}, time.Unix(0, 0), time.Unix(-1e12, 0), time.Unix(1e12, 0), time.Unix(1.7e9, 0)}),
	)
	one := rapid.Custom(func(t *rapid.T) line {
		o := mastery.Observation{
			AtomID: name("a", 4).Draw(t, "atom"), Outcome: rapid.SampledFrom(outcomes).Draw(t, "outcome"), At: at.Draw(t, "at"),
			AlsoAtomIDs:  rapid.SliceOfN(name("a", 4), 0, 2).Draw(t, "also"),
			ResponseTime: rapid.SampledFrom([]time.Duration{0, 1, time.Second, 9 * time.Second, time.Minute, math.MaxInt64, -5}).Draw(t, "took"),
			Tags:         rapid.SliceOfN(rapid.OneOf(name("tag", 40), rapid.String()), 0, 3).Draw(t, "tags"),
		}
		if rapid.Bool().Draw(t, "item") {
			o.ItemID = name("i", 12).Draw(t, "itemID")
		}
		if rapid.Bool().Draw(t, "confident") {
			c := rapid.OneOf(rapid.Float64Range(-1, 2), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1)})).Draw(t, "confidence")
			o.Confidence = &c
		}
		return line{name("p", 3).Draw(t, "person"), o}
	})
	return rapid.SliceOfN(one, 1, most)
}

func sequence(log []line) func(func(string, mastery.Observation) bool) {
	return func(yield func(string, mastery.Observation) bool) {
		for _, l := range log {
			if !yield(l.person, l.o) {
				return
			}
		}
	}
}

// stored is what app does: rows of bytes, read before and written after each observation.
type stored struct {
	core                []byte
	people, atoms, mine map[string][]byte
}

func (s *stored) observe(t *rapid.T, e *mastery.Engine, l line) mastery.Update {
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	p, who := mastery.NewPopulation(), mastery.NewLearner()
	var err error
	if s.core != nil {
		p.Core, err = mastery.DecodeCore(s.core)
		must(err)
		if b := s.people[l.person]; b != nil {
			who.Person, err = mastery.DecodePerson(b)
			must(err)
		}
	}
	for _, id := range append([]string{l.o.AtomID}, l.o.AlsoAtomIDs...) {
		if b := s.atoms[id]; b != nil {
			p.Atoms[id], err = mastery.DecodeSharedAtom(b)
			must(err)
		}
		if b := s.mine[l.person+"/"+id]; b != nil {
			who.Atoms[id], err = mastery.DecodeAtom(b)
			must(err)
		}
	}
	u, err := e.Observe(p, who, l.o)
	must(err)
	s.core, s.people[l.person] = mastery.EncodeCore(p.Core), who.Person.Encode()
	for id, a := range p.Atoms {
		s.atoms[id] = mastery.EncodeSharedAtom(a)
	}
	for id, a := range who.Atoms {
		s.mine[l.person+"/"+id] = a.Encode()
	}
	return u
}

// What is kept row by row while the answers come is, to the last byte, what a rebuild from the log gives.
func TestReplayIsIncremental(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := lines(60).Draw(t, "log")
		s := stored{people: map[string][]byte{}, atoms: map[string][]byte{}, mine: map[string][]byte{}}
		e := mastery.NewEngine(0)
		for _, l := range log {
			sane(t, s.observe(t, e, l))
		}
		p, learners := mastery.Replay(sequence(log))
		if !bytes.Equal(s.core, mastery.EncodeCore(p.Core)) {
			t.Fatal("the core differs")
		}
		for id, a := range p.Atoms {
			if !bytes.Equal(s.atoms[id], mastery.EncodeSharedAtom(a)) {
				t.Fatal("a shared atom differs")
			}
		}
		for person, l := range learners {
			if !bytes.Equal(s.people[person], l.Person.Encode()) {
				t.Fatal("a person differs")
			}
			for id, a := range l.Atoms {
				if b := a.Encode(); !bytes.Equal(s.mine[person+"/"+id], b) {
					t.Fatal("a person's atom differs")
				} else if len(b) > 4096 {
					t.Fatalf("an atom takes %d bytes", len(b))
				}
			}
			again, err := mastery.DecodeLearner(l.Encode())
			if err != nil || !bytes.Equal(again.Encode(), l.Encode()) {
				t.Fatal("a learner does not come back from its bytes", err)
			}
		}
		again, err := mastery.DecodePopulation(p.Encode())
		if err != nil || !bytes.Equal(again.Encode(), p.Encode()) {
			t.Fatal("the population does not come back from its bytes", err)
		}
	})
}

func sane(t *rapid.T, u mastery.Update) {
	if !(u.Expected > 0 && u.Expected < 1) {
		t.Fatalf("expected %v", u.Expected)
	}
	for _, s := range []mastery.Estimate{u.Before, u.After} {
		if !(s.Interval90[0] >= 0 && s.Interval90[0] <= s.MasteryProbability && s.MasteryProbability <= s.Interval90[1] && s.Interval90[1] <= 1) ||
			!(s.Retrievability >= 0 && s.Retrievability <= 1) || !(s.Stability >= 0 && s.Stability <= 36500) ||
			!(s.Difficulty == 0 || s.Difficulty >= 1 && s.Difficulty <= 10) {
			t.Fatalf("%+v", s)
		}
	}
}

// However long and one-sided a history is, every number stays one.
func TestLongHistoriesStayFinite(t *testing.T) {
	for _, right := range []float64{0, 0.5, 1} {
		r := rand.New(rand.NewPCG(1, uint64(right*2)))
		p, l, e := mastery.NewPopulation(), mastery.NewLearner(), mastery.NewEngine(0.9)
		at := time.Unix(1.7e9, 0)
		for i := range 30000 {
			at = at.Add(time.Duration(r.ExpFloat64() * float64(6*time.Hour)))
			o := mastery.Observation{AtomID: fmt.Sprint(i % 3), ItemID: fmt.Sprint(i % 50), At: at, Outcome: mastery.Incorrect}
			if r.Float64() < right {
				o.Outcome = mastery.Correct
			}
			if x := e.Learn(p, l, o); !(x > 0 && x < 1) {
				t.Fatalf("answer %d: %v", i, x)
			}
		}
		if _, err := mastery.DecodePopulation(p.Encode()); err != nil {
			t.Error(err)
		}
		if _, err := mastery.DecodeLearner(l.Encode()); err != nil { // refuses what is not finite
			t.Error(err)
		}
		if s := e.Estimate(p, l, "0", at, 0); math.Abs(s.MasteryProbability-right) > 0.1 {
			t.Errorf("of %v right answers it makes %v", right, s.MasteryProbability)
		}
		if n := len(l.Encode()); n > 8192 {
			t.Errorf("three atoms after 30000 answers take %d bytes", n)
		}
	}
}

func TestEstimate(t *testing.T) {
	p, l, e := mastery.NewPopulation(), mastery.NewLearner(), mastery.NewEngine(0.9)
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	s := e.Estimate(p, l, "new", at, 0)
	if math.Abs(s.MasteryProbability-0.5) > 1e-9 || s.Interval90[0] > 0.1 || s.Interval90[1] < 0.9 || !s.NextReviewAt.IsZero() || s.Retrievability != 0 {
		t.Errorf("of what nobody has seen: %+v", s)
	}
	if len(p.Atoms)+len(l.Atoms) != 0 {
		t.Error("an estimate left traces")
	}
	width := s.Interval90[1] - s.Interval90[0]
	for i := range 5 {
		u, err := e.Observe(p, l, mastery.Observation{AtomID: "x", Outcome: mastery.Correct, At: at})
		if err != nil {
			t.Fatal(err)
		}
		if u.After.MasteryProbability <= u.Before.MasteryProbability {
			t.Errorf("answer %d was right and mastery fell: %+v", i, u)
		}
		if !u.After.NextReviewAt.After(at) {
			t.Errorf("review at %v after an answer at %v", u.After.NextReviewAt, at)
		}
		at = u.After.NextReviewAt
	}
	s = e.Estimate(p, l, "x", at, 0)
	if s.Interval90[1]-s.Interval90[0] >= width {
		t.Error("five answers did not narrow the interval")
	}
	if math.Abs(s.Retrievability-0.9) > 0.002 {
		t.Errorf("when it is due, recall is %v", s.Retrievability)
	}
	before := s.MasteryProbability
	for _, days := range []int{1, 10, 100, 1000} {
		s = e.Estimate(p, l, "x", at, time.Duration(days)*24*time.Hour)
		if s.MasteryProbability > before {
			t.Errorf("mastery rises by itself over %d days", days)
		}
		before = s.MasteryProbability
	}
	if u, _ := e.Observe(p, l, mastery.Observation{AtomID: "x", Outcome: mastery.Incorrect, At: at}); u.After.MasteryProbability >= u.Before.MasteryProbability ||
		u.After.Stability >= u.Before.Stability || u.After.Difficulty <= u.Before.Difficulty {
		t.Errorf("a lapse: %+v", u)
	}
	eager := mastery.NewEngine(0.95).Estimate(p, l, "x", at, 0)
	if lazy := mastery.NewEngine(0.8).Estimate(p, l, "x", at, 0); !lazy.NextReviewAt.After(eager.NextReviewAt) {
		t.Error("who wants to retain more must come back sooner")
	}
}

func TestOutcomes(t *testing.T) {
	after := func(o mastery.Outcome, confidence float64) mastery.Update {
		p, l, e := mastery.NewPopulation(), mastery.NewLearner(), mastery.NewEngine(0)
		u, err := e.Observe(p, l, mastery.Observation{AtomID: "x", Outcome: o, Confidence: &confidence, At: time.Unix(1.7e9, 0)})
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	sure, guess := after(mastery.Correct, 0.7), after(mastery.Correct, 0)
	if !(sure.After.MasteryProbability > guess.After.MasteryProbability && guess.After.MasteryProbability > 0.5) {
		t.Error("a guess proves as much as knowing")
	}
	if !(sure.After.Stability > guess.After.Stability) {
		t.Error("a guess is as well remembered as what is known")
	}
	wrong, skipped := after(mastery.Incorrect, 0.7), after(mastery.Skipped, 0.7)
	if !(wrong.After.MasteryProbability < skipped.After.MasteryProbability && skipped.After.MasteryProbability < 0.5) {
		t.Error("wrong must weigh more than skipped")
	}
	if skipped.After.Stability != 0 || !skipped.After.NextReviewAt.IsZero() {
		t.Error("skipping is no review")
	}
	e := mastery.NewEngine(0)
	for _, o := range []mastery.Observation{{Outcome: mastery.Correct}, {AtomID: "x", Outcome: "perhaps"}, {AtomID: "x"}} {
		p, l := mastery.NewPopulation(), mastery.NewLearner()
		if _, err := e.Observe(p, l, o); err == nil || len(l.Atoms)+len(p.Atoms) != 0 {
			t.Errorf("%+v was processed", o)
		}
	}
}

// A quick sure answer is Easy and a slow one Hard, once the person's usual time is known.
// A question that nobody can answer says less of who misses it than one that everybody can.
func TestQuestionsHaveTheirDifficulty(t *testing.T) {
	p, e := mastery.NewPopulation(), mastery.NewEngine(0.9)
	at := time.Unix(1.7e9, 0)
	for i := range 300 {
		l := mastery.NewLearner()
		for _, item := range []struct {
			id      string
			outcome mastery.Outcome
		}{{"hard", mastery.Incorrect}, {"easy", mastery.Correct}} {
			e.Learn(p, l, mastery.Observation{AtomID: "x", ItemID: item.id, Outcome: item.outcome, At: at.Add(time.Duration(i) * time.Minute)})
		}
	}
	after := func(item string, outcome mastery.Outcome) float64 {
		before, err := mastery.DecodePopulation(p.Encode())
		if err != nil {
			t.Fatal(err)
		}
		u, err := e.Observe(before, mastery.NewLearner(), mastery.Observation{AtomID: "x", ItemID: item, Outcome: outcome, At: at.Add(24 * time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		return u.After.MasteryProbability - u.Before.MasteryProbability
	}
	if hard, easy := after("hard", mastery.Incorrect), after("easy", mastery.Incorrect); hard <= easy {
		t.Errorf("a wrong answer: hard %v, easy %v", hard, easy)
	}
	if hard, easy := after("hard", mastery.Correct), after("easy", mastery.Correct); hard <= easy {
		t.Errorf("a right answer: hard %v, easy %v", hard, easy)
	}
}

func TestTempo(t *testing.T) {
	stability := func(took time.Duration) float64 {
		p, l, e := mastery.NewPopulation(), mastery.NewLearner(), mastery.NewEngine(0)
		sure := 0.95
		at := time.Unix(1.7e9, 0)
		for i := range 10 {
			e.Learn(p, l, mastery.Observation{AtomID: fmt.Sprint("warm", i), Outcome: mastery.Correct, At: at, ResponseTime: 10 * time.Second})
		}
		u, _ := e.Observe(p, l, mastery.Observation{AtomID: "x", Outcome: mastery.Correct, At: at, ResponseTime: took, Confidence: &sure})
		return u.After.Stability
	}
	if easy, good, hard := stability(3*time.Second), stability(10*time.Second), stability(time.Minute); !(easy > good && good > hard) {
		t.Errorf("easy %v, good %v, hard %v", easy, good, hard)
	}
}

// In a world made as the model supposes, nine of ten intervals hold the true probability, or more: the model also allows
// for people who change, and these do not.
func TestIntervalsCover(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	p, e := mastery.NewPopulation(), mastery.NewEngine(0)
	const atoms = 12
	ease := make([]float64, atoms)
	for i := range ease {
		ease[i] = r.NormFloat64()
	}
	covered, asked := 0, 0
	for person := range 300 {
		l, ability := mastery.NewLearner(), r.NormFloat64()
		special := make([]float64, atoms)
		for i := range special {
			special[i] = math.Sqrt(0.5) * r.NormFloat64()
		}
		for range 60 {
			k := r.IntN(atoms)
			id, truth := fmt.Sprint(k), 1/(1+math.Exp(-(ability+special[k]+ease[k])))
			if person >= 50 {
				s := e.Estimate(p, l, id, time.Time{}, 0)
				asked++
				if s.Interval90[0] <= truth && truth <= s.Interval90[1] {
					covered++
				}
			}
			o := mastery.Observation{AtomID: id, Outcome: mastery.Incorrect}
			if r.Float64() < truth {
				o.Outcome = mastery.Correct
			}
			e.Learn(p, l, o)
		}
	}
	share := float64(covered) / float64(asked)
	t.Logf("%.3f of %d intervals cover", share, asked)
	if share < 0.87 || share > 0.97 {
		t.Errorf("%.3f of the intervals cover", share)
	}
}

func FuzzDecode(f *testing.F) {
	p, l, e := mastery.NewPopulation(), mastery.NewLearner(), mastery.NewEngine(0)
	for i := range 20 {
		e.Learn(p, l, mastery.Observation{AtomID: "x", ItemID: fmt.Sprint(i), Outcome: outcomes[i%4], At: time.Unix(1.7e9+int64(i)*86400, 0)})
	}
	f.Add(l.Encode())
	f.Add(p.Encode())
	f.Add(l.Person.Encode())
	f.Add(l.Atoms["x"].Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		o := mastery.Observation{AtomID: "x", ItemID: "1", Outcome: mastery.Correct, At: time.Unix(1.8e9, 0)}
		if l, err := mastery.DecodeLearner(b); err == nil {
			if again, err := mastery.DecodeLearner(l.Encode()); err != nil || !bytes.Equal(again.Encode(), l.Encode()) {
				t.Fatal("not the same again", err)
			}
			e.Learn(mastery.NewPopulation(), l, o)
		}
		if p, err := mastery.DecodePopulation(b); err == nil {
			if again, err := mastery.DecodePopulation(p.Encode()); err != nil || !bytes.Equal(again.Encode(), p.Encode()) {
				t.Fatal("not the same again", err)
			}
			e.Learn(p, mastery.NewLearner(), o)
		}
		mastery.DecodePerson(b)
		mastery.DecodeAtom(b)
		mastery.DecodeCore(b)
		mastery.DecodeSharedAtom(b)
	})
}

// TestAnswersMoveTheRightWay is the law of what is shown, over random histories: a right answer never lowers mastery or
// recall, a wrong one never raises them.
func TestAnswersMoveTheRightWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, p, l := mastery.NewEngine(0), mastery.NewPopulation(), mastery.NewLearner()
		at := time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)
		for range rapid.IntRange(1, 80).Draw(t, "answers") {
			at = at.Add(time.Duration(rapid.Int64Range(0, 30*24*60).Draw(t, "minutes")) * time.Minute)
			o := mastery.Observation{
				AtomID: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "atom"), At: at,
				Outcome: rapid.SampledFrom([]mastery.Outcome{mastery.Correct, mastery.Correct, mastery.Incorrect, mastery.Incorrect, mastery.Partial, mastery.Skipped}).Draw(t, "outcome"),
			}
			if rapid.Bool().Draw(t, "with another") {
				o.AlsoAtomIDs = []string{"d"}
			}
			u, err := e.Observe(p, l, o)
			if err != nil {
				t.Fatal(err)
			}
			dm, dr := u.After.MasteryProbability-u.Before.MasteryProbability, u.After.Retrievability-u.Before.Retrievability
			switch o.Outcome {
			case mastery.Correct:
				if dm < -1e-9 || dr < -1e-9 {
					t.Fatalf("a right answer: mastery %+v, recall %+v", dm, dr)
				}
			case mastery.Incorrect, mastery.Skipped:
				if dm > 1e-9 || u.Before.Retrievability > 0 && dr > 1e-9 {
					t.Fatalf("a wrong answer: mastery %+v, recall %+v", dm, dr)
				}
			}
			again, err := mastery.DecodeAtom(l.Atoms[o.AtomID].Encode())
			if err != nil || !bytes.Equal(again.Encode(), l.Atoms[o.AtomID].Encode()) {
				t.Fatalf("another state after encoding: %v", err)
			}
		}
	})
}

package mastery_test

import (
	"bytes"
	_ "embed"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"stoa/internal/learning/mastery"
)

// rowOfAtom is what a released version wrote for an atom that was answered four times; the last two zeros are what version 2 added.
const rowOfAtom = "02012bf2cdec89fac03f01cfbf8d05e64adc3f01000000000000084001000000000000f03f016ec7f917f4bcb53f01f6deb6c97c6da63f01000000000000f03f" +
	"01000000000000f03f8090c8f2e895a60601100000100000f03f01000000000000fe3f01f0ccbf84a0c00b4001893ece3d97eb0e4001100000000000f03f01000000000000" +
	"f63f0186fc5578b4810440011429f3fe5d1a07400001949ac2fa266b08400138420f3032851d408090c8f2e895a6060301000110696e636f72726563745f616e7377657201" +
	"80908d95e590a606048090c8f2e895a6060000"

func TestRowsOfReleasedVersionsAreRead(t *testing.T) {
	row, err := hex.DecodeString(rowOfAtom)
	if err != nil {
		t.Fatal(err)
	}
	a, err := mastery.DecodeAtom(row)
	if err != nil {
		t.Fatal(err)
	}
	if again := a.Encode(); !bytes.Equal(again, row) {
		t.Errorf("%x became %x", row, again)
	}
	older := append([]byte{1}, row[1:len(row)-2]...)
	if b, err := mastery.DecodeAtom(older); err != nil || !bytes.Equal(b.Encode(), row) {
		t.Errorf("version 1 became %x, %v", b.Encode(), err)
	}
	// A ceiling is a probability: 2.0 is none.
	wrong := append(row[:len(row)-1:len(row)-1], 1, 0, 0, 0, 0, 0, 0, 0, 0x40)
	if _, err := mastery.DecodeAtom(wrong); err == nil {
		t.Error("a ceiling of 2 was read")
	}
}

// personV1 is what version 1 wrote for the person who is studied below: right, wrong, right, right.
//
//go:embed testdata/person.v1.hex
var personV1 string

// A person of version 1 is expected to recall as then, learns on, and is written as version 2.
func TestAPersonOfVersion1(t *testing.T) {
	row, err := hex.DecodeString(strings.TrimSpace(personV1))
	if err != nil {
		t.Fatal(err)
	}
	e := mastery.NewEngine(0)
	p, l, at := studied(t, e, mastery.Correct, mastery.Incorrect, mastery.Correct, mastery.Correct)
	if l.Person, err = mastery.DecodePerson(row); err != nil {
		t.Fatal(err)
	}
	if r := e.Estimate(p, l, "a", at, 72*time.Hour).Retrievability; math.Abs(r-0.9230376549105098) > 1e-12 {
		t.Errorf("recall in three days is %v", r)
	}
	if _, err := e.Observe(p, l, mastery.Observation{AtomID: "a", Outcome: mastery.Correct, At: at.Add(72 * time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if again, err := mastery.DecodePerson(l.Person.Encode()); err != nil || !bytes.Equal(again.Encode(), l.Person.Encode()) || l.Person.Encode()[0] != 2 {
		t.Errorf("%x, %v", l.Person.Encode(), err)
	}
	if _, err := mastery.DecodePerson(row[:len(row)-9]); err == nil {
		t.Error("half a row was read")
	}
}

// studied is a person who answered one atom, a day apart.
func studied(t *testing.T, e *mastery.Engine, outcomes ...mastery.Outcome) (*mastery.Population, *mastery.Learner, time.Time) {
	p, l, at := mastery.NewPopulation(), mastery.NewLearner(), time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, outcome := range outcomes {
		at = at.Add(24 * time.Hour)
		if _, err := e.Observe(p, l, mastery.Observation{AtomID: "a", Outcome: outcome, At: at}); err != nil {
			t.Fatal(err)
		}
	}
	return p, l, at
}

func TestAForecastIsWhatIsSaidThen(t *testing.T) {
	e := mastery.NewEngine(0)
	p, l, at := studied(t, e, mastery.Correct, mastery.Correct, mastery.Incorrect, mastery.Correct)
	for _, days := range []int{0, 1, 5, 30} {
		later := time.Duration(days) * 24 * time.Hour
		foreseen, then := e.Estimate(p, l, "a", at, later), e.Estimate(p, l, "a", at.Add(later), 0)
		if d := math.Abs(foreseen.MasteryProbability - then.MasteryProbability); d > 0.03 {
			t.Errorf("in %d days: foreseen %.3f, then %.3f", days, foreseen.MasteryProbability, then.MasteryProbability)
		}
		if foreseen.Retrievability != then.Retrievability {
			t.Errorf("in %d days: recall foreseen %v, then %v", days, foreseen.Retrievability, then.Retrievability)
		}
	}
}

// As long as nothing had to be held, a person is told what the model expects.
func TestWhatIsShownIsWhatIsExpected(t *testing.T) {
	e := mastery.NewEngine(0)
	p, l, at := studied(t, e, mastery.Partial, mastery.Partial)
	for range 5 {
		at = at.Add(100 * time.Hour)
		u, err := e.Observe(p, l, mastery.Observation{AtomID: "a", Outcome: mastery.Partial, At: at})
		if err != nil {
			t.Fatal(err)
		}
		if d := math.Abs(u.Before.MasteryProbability - u.Expected); d > 1e-12 {
			t.Errorf("shown %v, expected %v", u.Before.MasteryProbability, u.Expected)
		}
	}
}

func TestNoRetentionMeansTheDefault(t *testing.T) {
	due := func(retention float64) time.Time {
		e := mastery.NewEngine(retention)
		p, l, at := studied(t, e, mastery.Correct, mastery.Correct)
		return e.Estimate(p, l, "a", at, 0).NextReviewAt
	}
	if due(0) != due(mastery.DefaultRetention) || due(math.NaN()) != due(0) || due(-1) != due(0) {
		t.Error("no retention, NaN or a negative one is not the default")
	}
	if !due(0.7).After(due(0)) || due(0.1) != due(0.7) {
		t.Error("a lower retention is due later, down to .7")
	}
}

// Of equals, seen at the same moment, the first by name goes.
func TestOfEqualTagsTheFirstByNameGoes(t *testing.T) {
	e := mastery.NewEngine(0)
	p, l, at := studied(t, e, mastery.Correct)
	for i := range mostTags + 1 {
		if _, err := e.Observe(p, l, mastery.Observation{AtomID: "a", Outcome: mastery.Incorrect, At: at, Tags: []string{fmt.Sprintf("m%02d", i)}}); err != nil {
			t.Fatal(err)
		}
	}
	if tags := l.Atoms["a"].Tags; len(tags) != mostTags || tags[0].Name != "m01" || tags[mostTags-1].Name != "m24" {
		t.Errorf("%+v", tags)
	}
}

// mostTags are kept of an atom.
const mostTags = 24

// The rarest tag goes when there are too many, also when it is the first by name.
func TestTheRarestTagGoes(t *testing.T) {
	for _, rare := range []string{"a", "zz"} {
		var tags []string
		for i := range mostTags {
			tags = append(tags, fmt.Sprintf("m%02d", i))
		}
		e := mastery.NewEngine(0)
		p, l, at := studied(t, e, mastery.Correct)
		answer := func(tags []string) {
			at = at.Add(time.Minute)
			if _, err := e.Observe(p, l, mastery.Observation{AtomID: "a", Outcome: mastery.Incorrect, At: at, Tags: tags}); err != nil {
				t.Fatal(err)
			}
		}
		answer([]string{rare})
		for range 3 {
			for _, tag := range tags[1:] {
				answer([]string{tag})
			}
		}
		answer([]string{"new"})
		for _, tag := range l.Atoms["a"].Tags {
			if tag.Name == rare {
				t.Errorf("%s stayed, asked for once", rare)
			}
		}
		if n := len(l.Atoms["a"].Tags); n != mostTags {
			t.Errorf("%d tags", n)
		}
	}
}

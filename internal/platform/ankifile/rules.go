package ankifile

import (
	"encoding/json"
	"math"

	"stoa/internal/learning/anki"
)

// Rules gives what the options of a collection's decks ask of study, as the schema that each came in writes them.
func Rules(c *anki.Collection) anki.Rules {
	return anki.RulesOf(c, func(d *anki.Deck) (anki.Limits, int64, bool) {
		if len(d.Raw) > 0 {
			return legacyDeckLimits(d)
		}
		return modernDeckLimits(d)
	}, func(o *anki.Options) anki.Limits {
		if len(o.Raw) > 0 {
			return legacyLimits(o)
		}
		return modernLimits(o)
	})
}

// mostADay bounds a number per day: larger ones are no bound.
const mostADay = 100_000

func perDay(n float64) *int {
	if n < 0 || n > mostADay || math.IsNaN(n) {
		return nil
	}
	whole := int(n)
	return &whole
}

func share(x float64) float64 {
	if x > 1 { // a deck of its own has it in percent
		x /= 100
	}
	if !(x > 0 && x < 1) {
		return 0
	}
	return math.Round(1e4*x) / 1e4
}

// legacyDeckLimits reads the JSON of a deck; what is of another kind than expected is not said.
func legacyDeckLimits(d *anki.Deck) (own anki.Limits, options int64, filtered bool) {
	var raw struct {
		Conf      int64    `json:"conf"`
		Dyn       int64    `json:"dyn"`
		New       *float64 `json:"newLimit"`
		Reviews   *float64 `json:"reviewLimit"`
		Retention *float64 `json:"desiredRetention"`
	}
	if json.Unmarshal(d.Raw, &raw) != nil {
		return own, 1, false
	}
	if raw.New != nil {
		own.New = perDay(*raw.New)
	}
	if raw.Reviews != nil {
		own.Reviews = perDay(*raw.Reviews)
	}
	if raw.Retention != nil {
		own.Retention = share(*raw.Retention)
	}
	return own, raw.Conf, raw.Dyn != 0
}

func legacyLimits(o *anki.Options) (l anki.Limits) {
	type kind struct {
		PerDay *float64 `json:"perDay"`
	}
	var raw struct {
		New       kind     `json:"new"`
		Rev       kind     `json:"rev"`
		Retention *float64 `json:"desiredRetention"`
	}
	if json.Unmarshal(o.Raw, &raw) != nil {
		return l
	}
	if raw.New.PerDay != nil {
		l.New = perDay(*raw.New.PerDay)
	}
	if raw.Rev.PerDay != nil {
		l.Reviews = perDay(*raw.Rev.PerDay)
	}
	if raw.Retention != nil {
		l.Retention = share(*raw.Retention)
	}
	return l
}

// The fields of Anki's messages: of a normal deck inside its kind, and of options.
const (
	normalDeck, filteredDeck                                = 1, 2
	deckOptions, deckReviews, deckNew, deckRetention        = 1, 6, 7, 10
	optionsNewPerDay, optionsReviewsPerDay, optionsRetained = 9, 10, 37
)

func modernDeckLimits(d *anki.Deck) (own anki.Limits, options int64, filtered bool) {
	options = 1
	for number, kind := range fields(d.Kind) {
		if number == filteredDeck {
			return own, options, true
		}
		if number != normalDeck {
			continue
		}
		for n, v := range fields(kind.bytes) {
			switch n {
			case deckOptions:
				options = int64(v.number)
			case deckReviews:
				own.Reviews = perDay(float64(v.number))
			case deckNew:
				own.New = perDay(float64(v.number))
			case deckRetention:
				own.Retention = share(float64(math.Float32frombits(uint32(v.number))))
			}
		}
	}
	return own, options, false
}

// modernLimits reads a message in which a 0 is not written: no new cards a day look like none said, so one of both that is
// there says that the other is 0.
func modernLimits(o *anki.Options) (l anki.Limits) {
	for n, v := range fields(o.Config) {
		switch n {
		case optionsNewPerDay:
			l.New = perDay(float64(v.number))
		case optionsReviewsPerDay:
			l.Reviews = perDay(float64(v.number))
		case optionsRetained:
			l.Retention = share(float64(math.Float32frombits(uint32(v.number))))
		}
	}
	switch none := new(int); {
	case l.New == nil && l.Reviews != nil:
		l.New = none
	case l.New != nil && l.Reviews == nil:
		l.Reviews = none
	}
	return l
}

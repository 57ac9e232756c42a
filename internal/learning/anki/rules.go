package anki

import (
	"cmp"
	"strings"
)

// Limits are what the options of a deck ask of study. What is nil or 0 is not said.
type Limits struct {
	Retention float64 // the recall at which a review is due
	New       *int    // cards begun a day, at most
	Reviews   *int    // cards reviewed a day, at most
}

// Rule is what the options of a deck with cards ask for, as one reads them when the deck is studied.
type Rule struct {
	Deck      string  `json:"deck"` // its parts are joined by "::"
	Retention float64 `json:"retention,omitempty"`
	New       *int    `json:"new,omitempty"`
	Reviews   *int    `json:"reviews,omitempty"`
}

// Rules are what the decks of a collection ask for.
type Rules struct {
	// DayStart is when a day begins in the collection, in seconds after midnight UTC.
	DayStart int64  `json:"dayStart"`
	Decks    []Rule `json:"decks"`
}

const (
	mostRuled   = 2000 // decks
	longestDeck = 500  // bytes of a name
	daySeconds  = 24 * 60 * 60
	// What a deck may ask for.
	leastRetention, largestRetention = 0.7, 0.97
)

// RulesOf gives what the decks of a collection that have cards, and the decks above them, ask for: what is set for the deck
// itself, else by its options. deck reads what is set for a deck and which
// options it has, options what those set.
func RulesOf(c *Collection, deck func(*Deck) (own Limits, options int64, filtered bool), options func(*Options) Limits) Rules {
	used := map[int64]bool{}
	for i := range c.Cards {
		used[cmp.Or(c.Cards[i].OriginalDeck, c.Cards[i].Deck)] = true
	}
	wanted := map[string]bool{}
	for i := range c.Decks {
		if used[c.Decks[i].ID] {
			for name := c.Decks[i].Name; name != ""; name = Above(name) {
				wanted[name] = true
			}
		}
	}
	presets := map[int64]Limits{}
	for i := range c.Options {
		presets[c.Options[i].ID] = options(&c.Options[i])
	}
	r := Rules{DayStart: ((c.Col.Created % daySeconds) + daySeconds) % daySeconds}
	for i := range c.Decks {
		d := &c.Decks[i]
		if !wanted[d.Name] || len(d.Name) > longestDeck || len(r.Decks) == mostRuled {
			continue
		}
		own, id, filtered := deck(d)
		if filtered {
			continue
		}
		preset := presets[id]
		rule := Rule{Deck: d.Name, Retention: cmp.Or(own.Retention, preset.Retention), New: cmp.Or(own.New, preset.New), Reviews: cmp.Or(own.Reviews, preset.Reviews)}
		if rule.Retention > 0 {
			rule.Retention = min(max(rule.Retention, leastRetention), largestRetention)
		}
		if rule.Retention > 0 || rule.New != nil || rule.Reviews != nil {
			r.Decks = append(r.Decks, rule)
		}
	}
	return r
}

// Above is the deck that a deck stands in, "" for one at the top.
func Above(deck string) string {
	at := strings.LastIndex(deck, "::")
	if at < 0 {
		return ""
	}
	return deck[:at]
}

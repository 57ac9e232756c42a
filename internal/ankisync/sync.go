package ankisync

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"stoa/client"
	"stoa/client/contract"
)

// Options say what a round does.
type Options struct {
	Decks  []string // with the decks inside them; none for all
	Plan   bool     // tells what would happen and changes nothing in Anki
	NoGate bool     // suspends nothing, and frees what was suspended because it waits
	Dir    string   // where is remembered what earlier rounds did
	Now    func() time.Time
	Tell   func(text string) // what is being done; may be nil
}

// Report is what a round did, or would do.
type Report struct {
	Profile string `json:"profile"`
	// From Anki.
	Notes    int `json:"notes"`   // that are new or have changed
	Cards    int `json:"cards"`   // likewise
	Media    int `json:"media"`   // files
	Answered int `json:"answers"` // reviews that were new here; of a plan -1
	// To Anki.
	Sent      int `json:"sent"`      // reviews
	Due       int `json:"due"`       // cards whose day was set
	Waiting   int `json:"waiting"`   // cards that were suspended because they wait for others
	Ready     int `json:"ready"`     // cards of those that were freed
	Suspended int `json:"suspended"` // cards that were suspended here by the learner
	Freed     int `json:"freed"`     // cards that were freed here by the learner
	// Missing are reviews of cards that this Anki does not have.
	Missing int `json:"missing"`
}

// Quiet reports whether a round found nothing to do.
func (r *Report) Quiet() bool {
	return r.Notes+r.Cards+r.Media+r.Sent+r.Due+r.Waiting+r.Ready+r.Suspended+r.Freed == 0 && r.Answered <= 0
}

// round is one round.
type round struct {
	Options
	anki    *Anki
	client  *client.Client
	server  contract.API
	memory  *memory
	profile string
	Report
}

// Run takes what changed in Anki to the server, and to Anki what was done there.
func Run(ctx context.Context, a *Anki, c *client.Client, o Options) (Report, error) {
	r := &round{Options: o, anki: a, client: c, server: contract.New(c)}
	var err error
	if r.profile, err = a.open(ctx); err != nil {
		return r.Report, err
	}
	r.Profile = r.profile
	if err := r.haveDecks(ctx); err != nil {
		return r.Report, err
	}
	before, err := r.server.SyncAnki(ctx, contract.AnkiSyncRequest{})
	if err != nil {
		return r.Report, err
	}
	if r.memory, err = recall(o.Dir, c.URL(), before.UserID, r.profile); err != nil {
		return r.Report, err
	}
	if int(before.Cards) < len(r.memory.Cards)/2 || before.Cards == 0 { // erased there
		r.memory.forget()
	}
	if err := r.fetch(ctx); err != nil {
		return r.Report, err
	}
	if o.Plan {
		return r.Report, r.plan(ctx, before)
	}
	if err := r.send(ctx); err != nil {
		return r.Report, err
	}
	return r.Report, r.gate(ctx)
}

// same gives an error when another profile was opened in Anki.
func (r *round) same(ctx context.Context) error {
	now, err := r.anki.profile(ctx)
	if err == nil && now != r.profile {
		err = fmt.Errorf("another profile was opened in Anki meanwhile (%s, not %s). Nothing more was done; open the one that is meant and try again", now, r.profile)
	}
	return err
}

func (r *round) tell(format string, args ...any) {
	if r.Tell != nil {
		r.Tell(fmt.Sprintf(format, args...))
	}
}

// haveDecks gives an error for a deck that was named and is not there: a search for it would find nothing, and say nothing.
func (r *round) haveDecks(ctx context.Context) error {
	if len(r.Decks) == 0 {
		return nil
	}
	var all map[string]int64
	if err := r.anki.call(ctx, "deckNamesAndIds", nil, &all); err != nil {
		return err
	}
	there := slices.Sorted(maps.Keys(all))
	for _, name := range r.Decks {
		if !slices.ContainsFunc(there, func(one string) bool { return strings.EqualFold(one, name) }) {
			shown := there[:min(len(there), mostNamed)]
			return fmt.Errorf("profile %s has no deck %s. It has: %s", r.profile, name, strings.Join(shown, ", "))
		}
	}
	return nil
}

// mostNamed is how many decks a message names.
const mostNamed = 20

// query is what the search of Anki takes for the decks that are meant.
func (r *round) query() string {
	if len(r.Decks) == 0 {
		return "deck:*"
	}
	parts := make([]string, len(r.Decks))
	for i, name := range r.Decks {
		parts[i] = `"deck:` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `*`, `\*`, `_`, `\_`).Replace(name) + `"`
	}
	return strings.Join(parts, " OR ")
}

// send brings reviews into Anki's log. Ids are given by the server, once; a review that is there already is not sent again.
func (r *round) send(ctx context.Context) error {
	var tell contract.AnkiSyncRequest
	after, told := int64(0), 0
	for {
		tell.After = &after
		list, err := r.server.SyncAnki(ctx, tell)
		if err != nil {
			return err
		}
		tell = contract.AnkiSyncRequest{}
		if told += len(list.Reviews); told > mostReviews || len(list.Reviews) == 0 && list.More || !r.sound(list.Reviews, after) {
			return errors.New("the server tells of reviews that cannot be; they were not sent to Anki")
		}
		if len(list.Reviews) > 0 {
			after = list.Reviews[len(list.Reviews)-1].ID
			if err := r.insert(ctx, list.Reviews, &tell); err != nil {
				return err
			}
		}
		if len(tell.Taken) > 0 { // they come again with other ids
			after = 0
		}
		if len(tell.Sent)+len(tell.Taken) == 0 && !list.More {
			break
		}
	}
	return r.setDue(ctx)
}

// Bounds of what a server may say of reviews, since it all goes into the learner's collection.
const (
	mostReviews  = 500_000 // in one round
	longestDays  = 36_500  // until a card is due, as Anki has it
	longestMilli = int64(24 * time.Hour / time.Millisecond)
)

// sound tells whether reviews are ones that a learner can have given, each later than the one before it, and brings what stands
// beside them within Anki's bounds.
func (r *round) sound(list []contract.AnkiSyncReview, after int64) bool {
	latest := r.Now().Add(24 * time.Hour).UnixMilli() // clocks differ
	for i := range list {
		one := &list[i]
		if one.ID <= after || one.ID > latest || one.Ease < 1 || one.Ease > 4 {
			return false
		}
		after = one.ID
		one.Millis = min(max(one.Millis, 0), longestMilli)
		one.Interval, one.DueInDays = min(max(one.Interval, 0), longestDays), min(max(one.DueInDays, 0), longestDays)
	}
	return true
}

// insert sends some reviews and notes what became of each.
func (r *round) insert(ctx context.Context, list []contract.AnkiSyncReview, tell *contract.AnkiSyncRequest) error {
	var cards []int64
	for i := range list {
		cards = append(cards, list[i].Card)
	}
	slices.Sort(cards)
	cards = slices.Compact(cards)
	there, err := r.anki.suspended(ctx, cards)
	if err != nil {
		return err
	}
	logs, err := r.anki.reviews(ctx, cards)
	if err != nil {
		return err
	}
	var rows [][]int64
	var fresh []contract.AnkiSyncReview
	last := map[int64]contract.AnkiSyncReview{} // by card
	for _, one := range list {
		log := logs[one.Card]
		switch _, ok := there[one.Card]; {
		case !ok:
			r.Missing++
		case slices.ContainsFunc(log, func(have reviewInfo) bool {
			return have.ID == one.ID && have.Ease == one.Ease && have.Millis == one.Millis
		}):
			tell.Sent = append(tell.Sent, one.ID)
			r.remember(one, log)
		default:
			row := []int64{one.ID, one.Card, -1, one.Ease, one.Interval, 0, 2500, one.Millis, 0}
			if n := len(log); n > 0 {
				row[5], row[8] = log[n-1].Interval, 1
			}
			rows, fresh = append(rows, row), append(fresh, one)
			last[one.Card] = one
		}
	}
	for _, one := range last {
		r.remember(one, logs[one.Card])
	}
	if len(rows) == 0 {
		return r.memory.keep()
	}
	if err := errors.Join(r.memory.keep(), r.same(ctx)); err != nil {
		return err
	}
	r.tell("writing into Anki's log: reviews %d", len(rows))
	err = r.anki.call(ctx, "insertReviews", map[string]any{"reviews": rows}, nil)
	if err == nil {
		for _, one := range fresh {
			tell.Sent = append(tell.Sent, one.ID)
			r.Sent++
		}
		return nil
	}
	if !collides(err) {
		return err
	}
	for i, row := range rows { // one of them is in the way; Anki took none
		err := r.anki.call(ctx, "insertReviews", map[string]any{"reviews": [][]int64{row}}, nil)
		switch {
		case collides(err):
			tell.Taken = append(tell.Taken, fresh[i].ID)
			delete(r.memory.Due, fresh[i].Card)
		case err != nil:
			return err
		default:
			tell.Sent = append(tell.Sent, fresh[i].ID)
			r.Sent++
		}
	}
	return nil
}

func collides(err error) bool {
	said := (*refused)(nil)
	return errors.As(err, &said) && strings.Contains(said.said, "UNIQUE")
}

// remember has a card's day set when no answer in Anki is later than a review from here.
func (r *round) remember(one contract.AnkiSyncReview, log []reviewInfo) {
	for _, have := range log {
		if have.ID > one.ID && have.Ease > 0 {
			return
		}
	}
	if was, ok := r.memory.Due[one.Card]; !ok || was.Review < one.ID {
		r.memory.Due[one.Card] = dueDay{Review: one.ID, Days: one.DueInDays, From: r.Now()}
	}
}

// setDue sets the days of cards whose latest answer was given here. Suspended cards keep theirs: setting it would free them.
func (r *round) setDue(ctx context.Context) error {
	if len(r.memory.Due) == 0 {
		return nil
	}
	cards := slices.Sorted(maps.Keys(r.memory.Due))
	there, err := r.anki.suspended(ctx, cards)
	if err != nil {
		return err
	}
	logs, err := r.anki.reviews(ctx, cards)
	if err != nil {
		return err
	}
	days := map[int64][]int64{}
	for _, card := range cards {
		due := r.memory.Due[card]
		off, ok := there[card]
		latest := int64(0)
		for _, have := range logs[card] {
			if have.Ease > 0 {
				latest = max(latest, have.ID)
			}
		}
		if ok && !off && latest == due.Review {
			n := max(0, due.Days-int64(r.Now().Sub(due.From)/(24*time.Hour)))
			days[n] = append(days[n], card)
		} else {
			delete(r.memory.Due, card)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(days)) {
		for part := range slices.Chunk(days[n], atOnce) {
			if err := r.same(ctx); err != nil {
				return err
			}
			if err := r.anki.call(ctx, "setDueDate", map[string]any{"cards": part, "days": fmt.Sprintf("%d!", n)}, nil); err != nil {
				return err
			}
			r.Due += len(part)
			for _, card := range part {
				delete(r.memory.Due, card)
			}
			if err := r.memory.keep(); err != nil {
				return err
			}
		}
	}
	return r.memory.keep()
}

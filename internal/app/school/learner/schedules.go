package learner

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // machines without a database of time zones

	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/mastery"
	"stoa/internal/learning/mastery/fsrs"
	"stoa/internal/learning/notes"
	"stoa/internal/learning/obsidian"
	"stoa/internal/learning/questions"
	"stoa/internal/learning/units"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
)

// scheduledCard is a question of a unit that Obsidian's plug-in may schedule, in the text of its section.
type scheduledCard struct {
	obsidian.Card
	id, text, atomID string
	siblings         int // questions of its card
}

// ZoneNamed is the time zone of a name in the IANA database, UTC without one.
func ZoneNamed(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, errs.New(errs.InvalidRequest, "that is no time zone: name one as in Europe/Berlin")
	}
	return zone, nil
}

// scheduledCards gives the questions of a unit that Obsidian's plug-in may schedule.
func scheduledCards(u *units.Unit) []scheduledCard {
	texts := map[string]string{}
	for i := range u.Sections {
		texts[u.Sections[i].AtomID] = u.Sections[i].Content
	}
	var cards []scheduledCard
	of := map[[2]any]int{} // questions by section and the end of their card
	list := questions.Derive(u)
	for i := range list {
		q := &list[i]
		text, ok := texts[q.Evidence.AtomID]
		if q.Nth == 0 || !ok || q.Evidence.End > len(text) {
			continue
		}
		written, _, _ := strings.Cut(text[q.Evidence.Start:q.Evidence.End], "<!--SR:")
		written = strings.TrimRight(written, " \t\r\n") // a line has its newline, and a list item its comment
		c := scheduledCard{id: q.ID, text: text, atomID: q.Evidence.AtomID}
		c.Card = obsidian.Card{Start: q.Evidence.Start, End: q.Evidence.Start + len(written), Nth: q.Nth, Line: q.Kind != questions.Gap && !strings.Contains(written, "\n")}
		cards = append(cards, c)
		key := [2]any{c.atomID, c.Ends(text)}
		of[key] = max(of[key], q.Nth)
	}
	for i := range cards {
		cards[i].siblings = of[[2]any{cards[i].atomID, cards[i].Ends(cards[i].text)}]
	}
	return cards
}

// unitsOf gives the units of a learner's own notes by document.
func unitsOf(g *notebook.Curriculum) map[string][]*units.Unit {
	all := map[string][]*units.Unit{}
	for _, a := range g.Own.Units {
		all[a.DocumentID] = append(all[a.DocumentID], g.Own.Made[a.ID])
	}
	return all
}

// documentsOf gives the ids of a learner's own notes by path.
func documentsOf(g *notebook.Curriculum) map[string]string {
	all := make(map[string]string, len(g.Own.Written))
	for id, atoms := range g.Own.Written {
		all[atoms[0].SourcePath] = id
	}
	return all
}

// ingestBatch stores changed notes, and imports the schedules that are in them.
func (a *Service) ingestBatch(ctx context.Context, c core.Caller, owner string, batch graph.Batch, key core.IdempotencyKey, zone *time.Location) (notebook.IngestResult, error) {
	out, err := a.StoreNotes(ctx, c, owner, batch, key)
	if err == nil && owner != core.SharedOwner {
		_, err = a.takeSchedules(ctx, c, owner, batch.Documents, zone)
	}
	return out, err
}

// takeSchedules imports the schedules in notes into what is known of the learner's memory, where they tell of a review on a later
// day than the learner's latest answer here. The same notes again change nothing. A unit is due when the first of its questions is.
func (a *Service) takeSchedules(ctx context.Context, c core.Caller, userID string, documents []graph.Document, zone *time.Location) (int, error) {
	marked := documents[:0:0]
	for i := range documents {
		if text := documents[i].Content; strings.Contains(text, "<!--SR:") || strings.HasPrefix(text, "---") && strings.Contains(text, "\nsr-due:") {
			marked = append(marked, documents[i])
		}
	}
	if len(marked) == 0 {
		return 0, nil
	}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return 0, err
	}
	known, err := a.States.Of(ctx, userID)
	if err != nil {
		return 0, err
	}
	byDocument, byPath, now := unitsOf(g), documentsOf(g), a.Clock()
	var list []mastery.Observation
	for i := range marked {
		d := &marked[i]
		whole, hasWhole := obsidian.Whole(d.Content)
		for _, u := range byDocument[byPath[notebook.CleanPath(d.Path)]] {
			var found []obsidian.Schedule
			for _, card := range scheduledCards(u) {
				if s, ok := obsidian.Of(card.text, card.Card, zone); ok {
					found = append(found, s)
				}
			}
			if len(found) == 0 && hasWhole {
				found = append(found, whole)
			}
			if len(found) == 0 {
				continue
			}
			obs := givenMemory(u.ID, found, known.Retention, now, zone)
			if was := known.Atom(u.ID); obs.At.After(now) || was != nil && !obsidian.DayIn(obs.At, zone).After(obsidian.DayIn(clock.FromMicros(was.Last), zone)) {
				continue
			}
			list = append(list, obs)
		}
	}
	taken := len(list)
	const atOnce = 2000 // a transaction must stay short
	for len(list) > 0 {
		n := min(len(list), atOnce)
		if err := a.ObserveAll(ctx, c, userID, g, list[:n]); err != nil {
			return 0, err
		}
		list = list[n:]
	}
	return taken, nil
}

// givenMemory is what the schedules of a unit's questions say of its memory: reviewed at noon of the latest day where the learner is, due on the earliest.
func givenMemory(atomID string, list []obsidian.Schedule, retention float64, now time.Time, zone *time.Location) mastery.Observation {
	due, last, hard := list[0].Due, list[0].Last(), 0.0
	for i := range list {
		if list[i].Due.Before(due) {
			due = list[i].Due
		}
		if l := list[i].Last(); l.After(last) {
			last = l
		}
		hard += list[i].Hard() / float64(len(list))
	}
	days := max(due.Sub(last).Hours()/24, 0.5)
	at := time.Date(last.Year(), last.Month(), last.Day(), 12, 0, 0, 0, zone).UTC()
	if obsidian.DayIn(now, zone).Equal(last) && at.After(now) {
		at = now
	}
	return mastery.Observation{AtomID: atomID, Outcome: mastery.Correct, At: at, Given: &fsrs.State{Stability: mastery.StabilityFor(days, retention), Difficulty: hard}}
}

// WriteSchedules gives the notes whose schedules in Obsidian's plug-in are behind what was answered here, with these schedules changed and
// every other byte as it is. A question that was answered here on a later day than its schedule tells of is due when its unit is; one without
// a schedule gets one in notes that the plug-in schedules. Only an operator's command may call it.
func (a *Service) WriteSchedules(ctx context.Context, userID string, documents []graph.Document, zone *time.Location) ([]graph.Document, error) {
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return nil, err
	}
	known, err := a.States.Of(ctx, userID)
	if err != nil {
		return nil, err
	}
	memory, err := known.recollect()
	if err != nil {
		return nil, err
	}
	tallies, err := a.Store.QuestionTallies(ctx, userID)
	if err != nil {
		return nil, err
	}
	w := scheduleWriter{zone: zone, known: known, due: memory.due, answered: map[string]time.Time{}}
	for id, t := range tallies {
		w.answered[id] = clock.FromMicros(t.LastAt)
	}
	byDocument, byPath := unitsOf(g), documentsOf(g)
	var out []graph.Document
	for i := range documents {
		d := documents[i]
		if text := w.note(d.Content, byPath[notebook.CleanPath(d.Path)], d.Path, userID, byDocument); text != d.Content {
			d.Content = text
			out = append(out, d)
		}
	}
	return out, nil
}

// scheduleWriter brings schedules in notes up to date.
type scheduleWriter struct {
	zone     *time.Location // whose days they are
	known    *Snapshot
	due      map[string]time.Time // by unit
	answered map[string]time.Time // by question
}

// note gives a note's text with its schedules as they are here.
func (w *scheduleWriter) note(text, documentID, path, userID string, units map[string][]*units.Unit) string {
	whole, hasWhole := obsidian.Whole(text)
	if documentID == "" || !hasWhole && !obsidian.Uses(text) {
		return text
	}
	places := placesIn(text, path, userID, documentID)
	changes := map[string][]obsidian.Change{} // by section
	written := map[string]string{}
	alone := hasWhole // every unit without cards was answered since
	var first, latest time.Time
	for _, u := range units[documentID] {
		cards := scheduledCards(u)
		for i := range cards {
			c := &cards[i]
			at, ok := places[c.atomID]
			if !ok || text[at[0]:at[1]] != c.text {
				continue
			}
			was, scheduled := obsidian.Of(c.text, c.Card, w.zone)
			if s, ok := w.current(u.ID, w.answered[c.id], &was, scheduled); ok {
				written[c.atomID] = c.text
				changes[c.atomID] = append(changes[c.atomID], obsidian.Change{Card: c.Card, Schedule: s, Siblings: c.siblings})
			}
		}
		if known := w.known.Atom(u.ID); len(cards) == 0 {
			if known == nil || w.due[u.ID].IsZero() || !obsidian.DayIn(clock.FromMicros(known.Last), w.zone).After(whole.Last()) {
				alone = false
				continue
			}
			if due := w.due[u.ID]; first.IsZero() || due.Before(first) {
				first = due
			}
			if last := clock.FromMicros(known.Last); last.After(latest) {
				latest = last
			}
		}
	}
	var edits []obsidian.Edit
	style := obsidian.StyleOf(text)
	for atomID, list := range changes {
		for _, e := range obsidian.Edits(written[atomID], list, style, w.zone) {
			e.Start, e.End = e.Start+places[atomID][0], e.End+places[atomID][0]
			edits = append(edits, e)
		}
	}
	if alone && !first.IsZero() {
		s := whole
		s.Due, s.Interval = w.dueDay(first, latest)
		edits = append(edits, obsidian.WholeEdits(text, s)...)
	}
	slices.SortFunc(edits, func(a, b obsidian.Edit) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	return obsidian.Apply(text, edits)
}

// current is the schedule of a question that was answered here; false when the one it has is as new.
func (w *scheduleWriter) current(unitID string, answered time.Time, was *obsidian.Schedule, scheduled bool) (obsidian.Schedule, bool) {
	due := w.due[unitID]
	if answered.IsZero() || due.IsZero() || scheduled && !obsidian.DayIn(answered, w.zone).After(was.Last()) {
		return obsidian.Schedule{}, false
	}
	s := obsidian.Schedule{Ease: obsidian.NewEase}
	if scheduled {
		s = *was
	}
	if known := w.known.Atom(unitID); known != nil {
		s.Stability, s.Difficulty = known.Stability, known.Difficulty
	}
	s.Due, s.Interval = w.dueDay(due, answered)
	return s, true
}

// dueDay is the day of a review, at least one after the last, and how many days lie between.
func (w *scheduleWriter) dueDay(due, last time.Time) (time.Time, float64) {
	from := obsidian.DayIn(last, w.zone)
	n := max(1, int(obsidian.DayIn(due, w.zone).Sub(from).Hours()/24))
	return from.AddDate(0, 0, n), float64(n)
}

// placesIn says from where to where in a note the text of each of its sections stands.
func placesIn(text, path, userID, documentID string) map[string][2]int {
	doc := notes.Parse(notes.Source{Path: path, Content: text})
	places := map[string][2]int{}
	for i := range doc.Atoms {
		atom := &doc.Atoms[i]
		if at := atom.Span.End - len(atom.Content); atom.Representation == notes.Text && at >= 0 && text[at:atom.Span.End] == atom.Content {
			places[graph.AtomID(userID, documentID+"::"+atom.Key)] = [2]int{at, atom.Span.End}
		}
	}
	return places
}

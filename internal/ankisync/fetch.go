package ankisync

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"stoa/client"
	"stoa/internal/learning/anki"
	"stoa/internal/platform/ankifile"
)

const (
	mostCards   = 5000     // in one package
	mostMedia   = 64 << 20 // bytes, in one package
	largestFile = 32 << 20
	mostText    = 1 << 30 // of cards as they are drawn
	// settled is for how many seconds a change may go on within the second in which it was seen.
	settled = 2
)

// fetch takes what changed in Anki since the last round to the server.
func (r *round) fetch(ctx context.Context) error {
	at := r.Now().Unix()
	cards, cardMods, err := r.changed(ctx, "findCards", "cardsModTime", "cards", "cardId", r.memory.Cards)
	if err != nil {
		return err
	}
	notes, noteMods, err := r.changed(ctx, "findNotes", "notesModTime", "notes", "noteId", r.memory.Notes)
	if err != nil {
		return err
	}
	for len(cards)+len(notes) > 0 {
		n := min(len(cards), mostCards)
		part := cards[:n]
		cards = cards[n:]
		infos, err := r.anki.cards(ctx, part)
		if err != nil {
			return err
		}
		// The notes of these cards that changed; after the last cards whichever are left.
		own := map[int64]bool{}
		for i := range infos {
			own[infos[i].Note] = true
		}
		var going, rest []int64
		for _, id := range notes {
			if own[id] || len(cards) == 0 {
				going = append(going, id)
			} else {
				rest = append(rest, id)
			}
		}
		notes = rest
		if err := r.bring(ctx, infos, going); err != nil {
			return err
		}
		r.Cards, r.Notes = r.Cards+len(infos), r.Notes+len(going)
		if r.Plan {
			continue
		}
		note(r.memory.Cards, cardMods, part, at)
		note(r.memory.Notes, noteMods, going, at)
		if err := r.memory.keep(); err != nil {
			return err
		}
	}
	return nil
}

// note remembers when things changed. What changed just now may change again within the same second, and is looked at once more.
func note(seen, mods map[int64]int64, ids []int64, at int64) {
	for _, id := range ids {
		if seen[id] = 0; mods[id] < at-settled {
			seen[id] = mods[id]
		}
	}
}

// changed gives the ids of what is new or has changed since the last round, and when everything changed. What is gone is forgotten.
func (r *round) changed(ctx context.Context, find, times, list, id string, seen map[int64]int64) (ids []int64, mods map[int64]int64, err error) {
	var all []int64
	if err := r.anki.call(ctx, find, map[string]any{"query": r.query()}, &all); err != nil {
		return nil, nil, err
	}
	if mods, err = r.anki.mods(ctx, times, list, id, all); err != nil {
		return nil, nil, err
	}
	if len(r.Decks) == 0 {
		maps.DeleteFunc(seen, func(id, _ int64) bool { _, there := mods[id]; return !there })
	}
	for id, mod := range mods {
		if was, ok := seen[id]; !ok || was != mod {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, mods, nil
}

// bring makes a package of cards and notes and sends it.
func (r *round) bring(ctx context.Context, cards []cardInfo, changed []int64) error {
	notes, err := r.anki.notes(ctx, changed)
	if err != nil {
		return err
	}
	var ids []int64
	decks, types := map[string]bool{}, map[string]bool{}
	for i := range cards {
		ids = append(ids, cards[i].ID)
		decks[cards[i].Deck] = true
	}
	for i := range notes {
		types[notes[i].Model] = true
	}
	logs, err := r.anki.reviews(ctx, ids)
	if err != nil {
		return err
	}
	c := anki.Collection{Col: anki.Header{Created: r.Now().Unix(), Modified: r.Now().UnixMilli(), SchemaModified: r.Now().UnixMilli()}}
	models := map[string]anki.Model{}
	if len(types) > 0 {
		if models, err = r.anki.models(ctx, slices.Sorted(maps.Keys(types))); err != nil {
			return err
		}
	}
	var deckIDs map[string]int64
	if c.Decks, deckIDs, err = r.anki.decks(ctx, decks); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(models)) {
		c.Models = append(c.Models, models[name])
	}
	for i := range notes {
		c.Notes = append(c.Notes, notes[i].row(models[notes[i].Model].ID))
	}
	for i := range cards {
		k := &cards[i]
		c.Cards = append(c.Cards, anki.Card{
			ID: k.ID, Note: k.Note, Deck: deckIDs[k.Deck], Ord: k.Ord, Modified: k.Modified, USN: -1, Type: k.Type, Queue: r.queue(k), Due: k.Due, Interval: k.Interval,
			Factor: k.Factor, Reps: k.Reps, Lapses: k.Lapses, Left: k.Left, Flags: k.Flags,
		})
		for _, l := range logs[k.ID] {
			c.Reviews = append(c.Reviews, anki.Review{ID: l.ID, Card: k.ID, USN: l.USN, Ease: l.Ease, Interval: l.Interval, LastInterval: l.LastInterval, Factor: l.Factor, Millis: l.Millis, Type: l.Type})
		}
	}
	if err := r.same(ctx); err != nil || r.Plan {
		return err
	}
	return r.upload(ctx, &c)
}

// queue is where a card stands to the learner: one that was suspended because it waits is not suspended by them.
func (r *round) queue(k *cardInfo) int64 {
	if k.Queue != anki.Suspended || !r.memory.Waiting[k.ID] && !r.memory.Trying[k.ID] {
		return k.Queue
	}
	if k.Type == 3 { // relearning
		return 1
	}
	return k.Type
}

// upload sends rows with the media that they name, in as many packages as the media need.
func (r *round) upload(ctx context.Context, c *anki.Collection) error {
	content := map[string][]byte{}
	size := 0
	flush := func() error {
		err := r.post(ctx, c, content)
		for name := range content {
			r.memory.Media[name] = true
		}
		size, content = 0, map[string][]byte{}
		c.Media = nil
		return err
	}
	cards, err := anki.Cards(ctx, c, mostText)
	if err != nil {
		return err
	}
	for _, card := range cards {
		for _, name := range card.Question.Media {
			if r.memory.Media[name] || content[name] != nil || !anki.MediaName(name) {
				continue
			}
			data, err := r.anki.medium(ctx, name)
			if err != nil {
				return err
			}
			if len(data) == 0 || len(data) > largestFile {
				continue
			}
			if size+len(data) > mostMedia {
				if err := flush(); err != nil {
					return err
				}
			}
			content[name] = data
			c.Media = append(c.Media, anki.Media{Name: name, Digest: name, Size: int64(len(data))})
			size += len(data)
			r.Media++
		}
	}
	return flush()
}

func (r *round) post(ctx context.Context, c *anki.Collection, content map[string][]byte) error {
	dir, err := os.MkdirTemp("", "stoa-anki-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "rows.apkg")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = ankifile.Write(ctx, file, c, ankifile.Legacy, dir, func(digest string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content[digest])), nil
	})
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	r.tell("sending to the server: cards %d, notes %d", len(c.Cards), len(c.Notes))
	answer, err := r.client.ImportAnki(ctx, client.FileAt(path), "rows")
	if err != nil {
		return err
	}
	var out struct {
		Answers int `json:"answers"`
	}
	if err := json.Unmarshal(answer, &out); err != nil {
		return fmt.Errorf("the server's answer cannot be read: %w", err)
	}
	r.Answered += out.Answers
	return nil
}

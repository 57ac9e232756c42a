package ankisync

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"stoa/internal/learning/anki"
)

// atOnce bounds how many cards or notes are asked of in one call: Anki draws each card that it tells of.
const atOnce = 250

// mods gives when cards or notes changed last; those that are gone are left out.
func (a *Anki) mods(ctx context.Context, action, list, id string, ids []int64) (map[int64]int64, error) {
	out := make(map[int64]int64, len(ids))
	for part := range slices.Chunk(ids, 4*atOnce) {
		var rows []map[string]int64
		if err := a.call(ctx, action, map[string]any{list: part}, &rows); err != nil {
			return nil, err
		}
		for _, r := range rows {
			if r[id] != 0 {
				out[r[id]] = r["mod"]
			}
		}
	}
	return out, nil
}

type cardInfo struct {
	ID       int64  `json:"cardId"`
	Note     int64  `json:"note"`
	Deck     string `json:"deckName"`
	Ord      int64  `json:"ord"`
	Type     int64  `json:"type"`
	Queue    int64  `json:"queue"`
	Due      int64  `json:"due"`
	Interval int64  `json:"interval"`
	Factor   int64  `json:"factor"`
	Reps     int64  `json:"reps"`
	Lapses   int64  `json:"lapses"`
	Left     int64  `json:"left"`
	Modified int64  `json:"mod"`
	Flags    int64  `json:"flags"`
}

func (a *Anki) cards(ctx context.Context, ids []int64) (out []cardInfo, err error) {
	for part := range slices.Chunk(ids, atOnce) {
		var rows []cardInfo
		if err := a.call(ctx, "cardsInfo", map[string]any{"cards": part}, &rows); err != nil {
			return nil, err
		}
		out = append(out, slices.DeleteFunc(rows, func(c cardInfo) bool { return c.ID == 0 })...)
	}
	return out, nil
}

type noteInfo struct {
	ID       int64    `json:"noteId"`
	Model    string   `json:"modelName"`
	Tags     []string `json:"tags"`
	Modified int64    `json:"mod"`
	Fields   map[string]struct {
		Value string `json:"value"`
		Order int    `json:"order"`
	} `json:"fields"`
}

func (a *Anki) notes(ctx context.Context, ids []int64) (out []noteInfo, err error) {
	for part := range slices.Chunk(ids, atOnce) {
		var rows []noteInfo
		if err := a.call(ctx, "notesInfo", map[string]any{"notes": part}, &rows); err != nil {
			return nil, err
		}
		out = append(out, slices.DeleteFunc(rows, func(n noteInfo) bool { return n.ID == 0 })...)
	}
	return out, nil
}

func (n *noteInfo) row(model int64) anki.Note {
	fields := make([]string, len(n.Fields))
	for _, f := range n.Fields {
		if f.Order >= 0 && f.Order < len(fields) {
			fields[f.Order] = f.Value
		}
	}
	out := anki.Note{ID: n.ID, Model: model, Modified: n.Modified, USN: -1, Tags: n.Tags, Fields: fields}
	anki.NameByID(&out)
	return out
}

type reviewInfo struct {
	ID           int64 `json:"id"`
	USN          int64 `json:"usn"`
	Ease         int64 `json:"ease"`
	Interval     int64 `json:"ivl"`
	LastInterval int64 `json:"lastIvl"`
	Factor       int64 `json:"factor"`
	Millis       int64 `json:"time"`
	Type         int64 `json:"type"`
}

// reviews gives the review logs of cards, each by time. A card that is gone has none.
func (a *Anki) reviews(ctx context.Context, ids []int64) (map[int64][]reviewInfo, error) {
	out := make(map[int64][]reviewInfo, len(ids))
	for part := range slices.Chunk(ids, atOnce) {
		var rows map[int64][]reviewInfo
		if err := a.call(ctx, "getReviewsOfCards", map[string]any{"cards": part}, &rows); err != nil {
			return nil, err
		}
		for id, list := range rows {
			slices.SortFunc(list, func(a, b reviewInfo) int { return cmp.Compare(a.ID, b.ID) })
			out[id] = list
		}
	}
	return out, nil
}

// models gives note types by name.
func (a *Anki) models(ctx context.Context, names []string) (map[string]anki.Model, error) {
	var raw []json.RawMessage
	if err := a.call(ctx, "findModelsByName", map[string]any{"modelNames": names}, &raw); err != nil {
		return nil, err
	}
	out := map[string]anki.Model{}
	for _, one := range raw {
		var m struct {
			ID   int64  `json:"id"`
			Name string `json:"name"`
			Type int64  `json:"type"`
			Mod  int64  `json:"mod"`
			CSS  string `json:"css"`
			Flds []struct {
				Name string `json:"name"`
				Ord  int    `json:"ord"`
			} `json:"flds"`
			Tmpls []struct {
				Name string `json:"name"`
				Qfmt string `json:"qfmt"`
				Afmt string `json:"afmt"`
				Ord  int    `json:"ord"`
			} `json:"tmpls"`
		}
		if err := json.Unmarshal(one, &m); err != nil || m.ID == 0 {
			return nil, errors.New("Anki told of a note type in a way that is not known") //nolint:staticcheck // a name
		}
		model := anki.Model{ID: m.ID, Name: m.Name, CSS: m.CSS, Cloze: m.Type == 1, Modified: m.Mod, USN: -1, Raw: one}
		model.Fields, model.Templates = make([]string, len(m.Flds)), make([]anki.Template, len(m.Tmpls))
		for i, f := range m.Flds {
			model.Fields[i] = f.Name
		}
		for i, t := range m.Tmpls {
			model.Templates[i] = anki.Template{Name: t.Name, Front: t.Qfmt, Back: t.Afmt}
		}
		out[m.Name] = model
	}
	return out, nil
}

// decks gives the decks of names and those above them, and the id of each.
func (a *Anki) decks(ctx context.Context, names map[string]bool) ([]anki.Deck, map[string]int64, error) {
	var all map[string]int64
	if err := a.call(ctx, "deckNamesAndIds", nil, &all); err != nil {
		return nil, nil, err
	}
	wanted := map[string]bool{}
	for name := range names {
		for name != "" {
			wanted[name] = true
			name, _, _ = cutLast(name, "::")
		}
	}
	var out []anki.Deck
	for name, id := range all {
		if wanted[name] {
			out = append(out, anki.Deck{ID: id, Name: name, USN: -1})
		}
	}
	slices.SortFunc(out, func(a, b anki.Deck) int { return cmp.Compare(a.ID, b.ID) })
	return out, all, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

// medium gives the bytes of a picture or a sound; nil when there is none.
func (a *Anki) medium(ctx context.Context, name string) ([]byte, error) {
	var result any
	if err := a.call(ctx, "retrieveMediaFile", map[string]any{"filename": name}, &result); err != nil {
		return nil, err
	}
	text, ok := result.(string)
	if !ok {
		return nil, nil
	}
	return base64.StdEncoding.DecodeString(text)
}

// suspended says of each card whether it is suspended; those that are gone are left out.
func (a *Anki) suspended(ctx context.Context, ids []int64) (map[int64]bool, error) {
	out := make(map[int64]bool, len(ids))
	for part := range slices.Chunk(ids, 4*atOnce) {
		var rows []*bool
		if err := a.call(ctx, "areSuspended", map[string]any{"cards": part}, &rows); err != nil {
			return nil, err
		}
		for i, r := range rows {
			if r != nil && i < len(part) {
				out[part[i]] = *r
			}
		}
	}
	return out, nil
}

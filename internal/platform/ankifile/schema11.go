package ankifile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stoa/internal/learning/anki"
)

type legacyModel struct {
	Name string `json:"name"`
	Type int    `json:"type"`
	CSS  string `json:"css"`
	Mod  int64  `json:"mod"`
	USN  int64  `json:"usn"`
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

// legacy reads note types, decks and options out of the JSON of schema 11.
func (in *reader) legacy() error {
	c := in.c
	c.Schema = 11
	var models, decks, options string
	h := &c.Col
	if err := in.db.QueryRowContext(in.ctx, `SELECT crt, mod, scm, dty, usn, ls, conf, models, decks, dconf, tags FROM col LIMIT 1`).
		Scan(&h.Created, &h.Modified, &h.SchemaModified, &h.Dirty, &h.USN, &h.LastSync, text{&h.Conf}, text{&models}, text{&decks}, text{&options}, text{&h.Tags}); err != nil {
		return err
	}
	in.bytes -= int64(len(h.Conf) + len(models) + len(decks) + len(options) + len(h.Tags))
	err := members(models, "models", func(id int64, one json.RawMessage) error {
		var m legacyModel
		if err := json.Unmarshal(one, &m); err != nil {
			return err
		}
		slices.SortStableFunc(m.Flds, func(a, b struct {
			Name string `json:"name"`
			Ord  int    `json:"ord"`
		},
		) int {
			return a.Ord - b.Ord
		})
		model := anki.Model{ID: id, Name: m.Name, CSS: m.CSS, Cloze: m.Type == 1, Modified: m.Mod, USN: m.USN, Raw: one}
		for _, f := range m.Flds {
			model.Fields = append(model.Fields, f.Name)
		}
		for _, t := range m.Tmpls {
			model.Templates = append(model.Templates, anki.Template{Name: t.Name, Front: t.Qfmt, Back: t.Afmt})
		}
		c.Models = append(c.Models, model)
		return nil
	})
	if err != nil {
		return err
	}
	type named struct {
		Name string `json:"name"`
		Mod  int64  `json:"mod"`
		USN  int64  `json:"usn"`
	}
	if err := members(decks, "decks", func(id int64, one json.RawMessage) error {
		var d named
		err := json.Unmarshal(one, &d)
		c.Decks = append(c.Decks, anki.Deck{ID: id, Name: d.Name, Modified: d.Mod, USN: d.USN, Raw: one})
		return err
	}); err != nil {
		return err
	}
	return members(options, "dconf", func(id int64, one json.RawMessage) error {
		var o named
		err := json.Unmarshal(one, &o)
		c.Options = append(c.Options, anki.Options{ID: id, Name: o.Name, Modified: o.Mod, USN: o.USN, Raw: one})
		return err
	})
}

// members calls f for every member of a JSON object whose names are ids, in the order of the ids.
func members(text, what string, f func(id int64, one json.RawMessage) error) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	byID := map[int64]json.RawMessage{}
	var ids []int64
	for key, one := range raw {
		if id, err := strconv.ParseInt(key, 10, 64); err == nil {
			byID[id] = one
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		var compact bytes.Buffer
		if err := json.Compact(&compact, byID[id]); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if err := f(id, compact.Bytes()); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return nil
}

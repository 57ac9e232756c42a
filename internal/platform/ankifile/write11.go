package ankifile

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"strconv"

	"stoa/internal/learning/anki"
)

// legacyRow writes the one row of col, which holds note types, decks and options as JSON. What came in this schema goes
// back as it came.
func legacyRow(ctx context.Context, tx *sql.Tx, c *anki.Collection) error {
	own := c.Schema == 11
	models, decks, options := map[string]any{}, map[string]any{}, map[string]any{}
	for i := range c.Models {
		m := &c.Models[i]
		if len(m.Raw) > 0 {
			models[strconv.FormatInt(m.ID, 10)] = m.Raw
			continue
		}
		models[strconv.FormatInt(m.ID, 10)] = legacyModelOf(m, cmp.Or(m.Modified, c.Col.Created))
	}
	if !own {
		decks["1"] = legacyDeck(1, "Default")
	}
	for _, d := range c.Decks {
		decks[strconv.FormatInt(d.ID, 10)] = legacyDeck(d.ID, d.Name)
		if len(d.Raw) > 0 {
			decks[strconv.FormatInt(d.ID, 10)] = d.Raw
		}
	}
	for _, o := range c.Options {
		if len(o.Raw) > 0 {
			options[strconv.FormatInt(o.ID, 10)] = o.Raw
		}
	}
	if len(options) == 0 && !own {
		options["1"] = usualOptions
	}
	config, tags := c.Col.Conf, c.Col.Tags
	if !own {
		text, err := compact(map[string]any{"curDeck": 1, "activeDecks": []int{1}, "newSpread": 0, "collapseTime": 1200, "timeLim": 0, "estTimes": true, "dueCounts": true, "nextPos": len(c.Notes) + 1, "sortType": "noteFld", "sortBackwards": false, "addToCur": true, "schedVer": 2})
		if err != nil {
			return err
		}
		config, tags = text, "{}"
	}
	var texts [3]string
	for i, v := range []any{models, decks, options} {
		text, err := compact(v)
		if err != nil {
			return err
		}
		texts[i] = text
	}
	h := &c.Col
	_, err := tx.ExecContext(ctx, `INSERT INTO col VALUES (1,?,?,?,11,?,?,?,?,?,?,?,?)`, h.Created, h.Modified, h.SchemaModified, h.Dirty, h.USN, h.LastSync, config, texts[0], texts[1], texts[2], tags)
	return err
}

// usualOptions are those of decks that come with none.
var usualOptions = map[string]any{
	"id": 1, "name": "Default", "mod": 0, "usn": 0, "maxTaken": 60, "autoplay": true, "timer": 0, "replayq": true, "dyn": false,
	"new":   map[string]any{"bury": false, "delays": []int{1, 10}, "initialFactor": 2500, "ints": []int{1, 4, 0}, "order": 1, "perDay": 20},
	"rev":   map[string]any{"bury": false, "ease4": 1.3, "ivlFct": 1, "maxIvl": 36500, "perDay": 200, "hardFactor": 1.2},
	"lapse": map[string]any{"delays": []int{10}, "leechAction": 1, "leechFails": 8, "minInt": 1, "mult": 0},
}

// compact writes JSON without changing what was JSON before.
func compact(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return string(bytes.TrimSpace(b.Bytes())), err
}

func legacyDeck(id int64, name string) map[string]any {
	today := []int{0, 0}
	return map[string]any{"id": id, "name": name, "mod": 0, "usn": 0, "collapsed": false, "browserCollapsed": false, "desc": "", "dyn": 0, "conf": 1, "extendNew": 0, "extendRev": 0, "newToday": today, "revToday": today, "lrnToday": today, "timeToday": today}
}

func legacyModelOf(m *anki.Model, modified int64) map[string]any {
	fields, templates, required := []any{}, []any{}, []any{}
	for i, name := range m.Fields {
		fields = append(fields, map[string]any{"name": name, "ord": i, "sticky": false, "rtl": false, "font": "Arial", "size": 20, "media": []int{}})
	}
	for i, t := range m.Templates {
		templates = append(templates, map[string]any{"name": t.Name, "ord": i, "qfmt": t.Front, "afmt": t.Back, "bqfmt": "", "bafmt": "", "did": nil})
		required = append(required, []any{i, "any", []int{0}})
	}
	kind := 0
	if m.Cloze {
		kind = 1
	}
	return map[string]any{
		"id": m.ID, "name": m.Name, "type": kind, "mod": modified, "usn": -1, "sortf": 0, "did": 1, "tmpls": templates, "flds": fields, "css": m.CSS, "req": required, "tags": []int{}, "vers": []int{},
		"latexPre": "\\documentclass[12pt]{article}\n\\begin{document}\n", "latexPost": "\\end{document}",
	}
}

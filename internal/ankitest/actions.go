package ankitest

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// actions are those that the fake knows, with the errors of the add-on.
var actions map[string]func(a *Anki, in *input) (any, error)

func init() {
	actions = map[string]func(a *Anki, in *input) (any, error){
		"apiReflect": func(a *Anki, _ *input) (any, error) {
			names := slices.DeleteFunc(slices.Sorted(maps.Keys(actions)), func(name string) bool { return a.Missing[name] })
			return map[string]any{"scopes": []string{"actions"}, "actions": names}, nil
		},
		"getActiveProfile": func(a *Anki, _ *input) (any, error) { return a.Profile, nil },
		"deckNamesAndIds":  (*Anki).deckNames,
		"findCards": func(a *Anki, in *input) (any, error) {
			ids := []int64{}
			for id, k := range a.Cards {
				if a.meant(in.Query, k.Deck) {
					ids = append(ids, id)
				}
			}
			slices.Sort(ids)
			return ids, nil
		},
		"findNotes": func(a *Anki, in *input) (any, error) {
			seen := map[int64]bool{}
			for _, k := range a.Cards {
				if a.meant(in.Query, k.Deck) {
					seen[k.Note] = true
				}
			}
			return append([]int64{}, slices.Sorted(maps.Keys(seen))...), nil
		},
		"cardsModTime": func(a *Anki, in *input) (any, error) {
			return each(in.Cards, func(id int64) any {
				if k := a.Cards[id]; k != nil {
					return map[string]any{"cardId": id, "mod": k.Modified}
				}
				return map[string]any{}
			}), nil
		},
		"notesModTime": func(a *Anki, in *input) (any, error) {
			return each(in.Notes, func(id int64) any {
				if n := a.Notes[id]; n != nil {
					return map[string]any{"noteId": id, "mod": n.Modified}
				}
				return map[string]any{}
			}), nil
		},
		"cardsInfo":         func(a *Anki, in *input) (any, error) { return each(in.Cards, a.cardInfo), nil },
		"notesInfo":         func(a *Anki, in *input) (any, error) { return each(in.Notes, a.noteInfo), nil },
		"getReviewsOfCards": (*Anki).reviewsOf,
		"insertReviews":     (*Anki).insert,
		"findModelsByName":  (*Anki).modelsOf,
		"retrieveMediaFile": func(a *Anki, in *input) (any, error) {
			if data, ok := a.Media[in.Filename]; ok {
				return base64.StdEncoding.EncodeToString(data), nil
			}
			return false, nil
		},
		"areSuspended": func(a *Anki, in *input) (any, error) {
			return each(in.Cards, func(id int64) any {
				if k := a.Cards[id]; k != nil {
					return k.Queue == -1
				}
				return nil
			}), nil
		},
		"suspend":    func(a *Anki, in *input) (any, error) { return a.suspendAll(in.Cards, true) },
		"unsuspend":  func(a *Anki, in *input) (any, error) { return a.suspendAll(in.Cards, false) },
		"setDueDate": (*Anki).setDue,
	}
}

func each(ids []int64, f func(int64) any) []any {
	out := make([]any, len(ids))
	for i, id := range ids {
		out[i] = f(id)
	}
	return out
}

func (a *Anki) cardInfo(id int64) any {
	k := a.Cards[id]
	if k == nil {
		return map[string]any{}
	}
	return map[string]any{
		"cardId": id, "note": k.Note, "deckName": k.Deck, "ord": k.Ord, "type": k.Type, "queue": k.Queue, "due": k.Due, "interval": k.Interval, "factor": k.Factor,
		"reps": k.Reps, "lapses": k.Lapses, "left": k.Left, "mod": k.Modified, "flags": k.Flags, "question": "", "answer": "", "modelName": a.Notes[k.Note].Model,
	}
}

func (a *Anki) noteInfo(id int64) any {
	n := a.Notes[id]
	if n == nil {
		return map[string]any{}
	}
	fields := map[string]any{}
	for i, name := range a.model(n.Model).Fields {
		fields[name] = map[string]any{"value": n.Fields[i], "order": i}
	}
	return map[string]any{"noteId": id, "profile": a.Profile, "tags": append([]string{}, n.Tags...), "fields": fields, "modelName": n.Model, "mod": n.Modified}
}

func deckID(name string) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return 1_500_000_000_000 + int64(h.Sum32())
}

func (a *Anki) deckNames(*input) (any, error) {
	out := map[string]int64{"Default": 1}
	for _, k := range a.Cards {
		parts := strings.Split(k.Deck, "::")
		for i := range parts {
			name := strings.Join(parts[:i+1], "::")
			out[name] = deckID(name)
		}
	}
	return out, nil
}

func (a *Anki) reviewsOf(in *input) (any, error) {
	out := map[string][]map[string]int64{}
	for _, id := range in.Cards {
		out[strconv.FormatInt(id, 10)] = []map[string]int64{}
	}
	for _, r := range a.Reviews {
		key := strconv.FormatInt(r.Card, 10)
		if _, ok := out[key]; ok {
			out[key] = append(out[key], map[string]int64{"id": r.ID, "usn": r.USN, "ease": r.Ease, "ivl": r.Interval, "lastIvl": r.LastInterval, "factor": r.Factor, "time": r.Millis, "type": r.Type})
		}
	}
	return out, nil
}

// insert adds rows as one SQL statement does: all or none. It looks at neither cards nor schedules.
func (a *Anki) insert(in *input) (any, error) {
	seen := map[int64]bool{}
	for _, row := range in.Reviews {
		if len(row) != 9 {
			return nil, fmt.Errorf("DBError { info: \"9 values wanted\" }")
		}
		if a.Reviews[row[0]] != nil || seen[row[0]] {
			return nil, fmt.Errorf("DBError { info: \"SqliteFailure(Error { code: ConstraintViolation, extended_code: 1555 }, Some(\\\"UNIQUE constraint failed: revlog.id\\\"))\", kind: Other }")
		}
		seen[row[0]] = true
	}
	for _, row := range in.Reviews {
		a.Reviews[row[0]] = &Review{row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8]}
	}
	return nil, nil
}

func (a *Anki) modelsOf(in *input) (any, error) {
	out := []any{}
	for _, name := range in.ModelNames {
		i := slices.IndexFunc(a.Models, func(m Model) bool { return m.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("model was not found: %s", name)
		}
		m := &a.Models[i]
		fields, templates := []any{}, []any{}
		for ord, name := range m.Fields {
			fields = append(fields, map[string]any{"name": name, "ord": ord})
		}
		for ord, t := range m.Templates {
			templates = append(templates, map[string]any{"name": fmt.Sprintf("Card %d", ord+1), "ord": ord, "qfmt": t[0], "afmt": t[1]})
		}
		out = append(out, map[string]any{"id": m.ID, "name": m.Name, "type": 0, "mod": a.created.Unix(), "usn": -1, "css": "", "flds": fields, "tmpls": templates})
	}
	return out, nil
}

// suspendAll fails as a whole when a card is gone, as the add-on does.
func (a *Anki) suspendAll(ids []int64, yes bool) (any, error) {
	for _, id := range ids {
		if a.Cards[id] == nil {
			return nil, fmt.Errorf("Card was not found: %d", id) //nolint:staticcheck // as the add-on says it
		}
	}
	changed := false
	for _, id := range ids {
		changed = changed || yes != (a.Cards[id].Queue == -1)
		a.Suspend(id, yes)
	}
	return changed, nil
}

// setDue sets days and, with "!", intervals. It frees suspended cards and writes a manual row into the log.
func (a *Anki) setDue(in *input) (any, error) {
	days, err := strconv.ParseInt(strings.TrimSuffix(in.Days, "!"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("invalid days: %s", in.Days)
	}
	for _, id := range in.Cards {
		k := a.Cards[id]
		if k == nil {
			return nil, fmt.Errorf("Card was not found: %d", id) //nolint:staticcheck // as the add-on says it
		}
		last := k.Interval
		if strings.HasSuffix(in.Days, "!") || k.Interval == 0 {
			k.Interval = max(1, days)
		}
		k.Type, k.Queue, k.Due, k.Modified = 2, 2, a.today()+days, a.now().Unix()
		r := &Review{ID: a.free(a.now().UnixMilli()), Card: id, USN: -1, Interval: k.Interval, LastInterval: last, Factor: 2500, Type: 4}
		a.Reviews[r.ID] = r
	}
	return true, nil
}

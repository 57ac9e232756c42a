// Package ankitest is an Anki with AnkiConnect for tests: the part of its API that package ankisync speaks, with Anki's rules for
// reviews, days and suspended cards, and faults on demand. Only tests use it.
package ankitest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Note is a note.
type Note struct {
	ID       int64
	Model    string
	Tags     []string
	Fields   []string
	Modified int64
}

// Card is a card.
type Card struct {
	ID, Note, Ord, Type, Queue, Due, Interval, Factor, Reps, Lapses, Left, Modified, Flags int64
	Deck                                                                                   string
}

// Review is a row of the review log.
type Review struct {
	ID, Card, USN, Ease, Interval, LastInterval, Factor, Millis, Type int64
}

// Model is a note type; every template makes a card.
type Model struct {
	ID        int64
	Name      string
	Fields    []string
	Templates [][2]string // front and back
}

// Fault is what becomes of a call.
type Fault int

// The faults.
const (
	None       Fault = iota
	DropBefore       // the connection ends before anything happens
	DropAfter        // it happens, and the answer is lost
)

// Anki is the fake. Its members may be changed while no call runs.
type Anki struct {
	URL     string
	Profile string
	Key     string
	Denied  bool            // whoever asks for permission is refused
	Missing map[string]bool // actions that the add-on does not know
	// Fault says what becomes of a call; nil is None.
	Fault func(action string) Fault
	// Before is called ahead of every action; nil for nothing.
	Before func(action string)

	Models  []Model
	Notes   map[int64]*Note
	Cards   map[int64]*Card
	Reviews map[int64]*Review
	Media   map[string][]byte
	Calls   map[string]int

	mu      sync.Mutex
	now     func() time.Time
	created time.Time
	next    int64
}

// Start starts an Anki with an empty collection that is closed when the test ends.
func Start(t testing.TB, now func() time.Time) *Anki {
	a := &Anki{
		Profile: "User 1", Notes: map[int64]*Note{}, Cards: map[int64]*Card{}, Reviews: map[int64]*Review{}, Media: map[string][]byte{}, Calls: map[string]int{},
		Missing: map[string]bool{}, now: now, created: now(), next: 1_600_000_000_000,
		Models: []Model{{ID: 1_500_000_000_001, Name: "Basic", Fields: []string{"Front", "Back", "Prerequisites"}, Templates: [][2]string{{"{{Front}}", "{{FrontSide}}<hr id=answer>{{Back}}"}}}},
	}
	server := httptest.NewServer(http.HandlerFunc(a.serve))
	a.URL = server.URL
	t.Cleanup(server.Close)
	return a
}

// Add makes a note with its cards and gives the id of the first.
func (a *Anki) Add(deck, model string, fields []string, tags ...string) (note, card int64) {
	m := a.model(model)
	a.next += 1000
	n := &Note{ID: a.next, Model: model, Tags: tags, Fields: fields, Modified: a.now().Unix()}
	a.Notes[n.ID] = n
	for i := range m.Templates {
		k := &Card{ID: n.ID + int64(i) + 1, Note: n.ID, Ord: int64(i), Deck: deck, Due: int64(len(a.Cards) + 1), Modified: a.now().Unix()}
		a.Cards[k.ID] = k
		card = cmp.Or(card, k.ID)
	}
	return n.ID, card
}

// Edit changes a field.
func (a *Anki) Edit(note int64, field int, text string) {
	n := a.Notes[note]
	n.Fields[field], n.Modified = text, a.now().Unix()
}

// Remove deletes a note with its cards and their reviews, as Anki does but for the reviews, which it keeps.
func (a *Anki) Remove(note int64) {
	delete(a.Notes, note)
	maps.DeleteFunc(a.Cards, func(_ int64, k *Card) bool { return k.Note == note })
}

// Answer answers a card as on Anki's own page, and gives the row's id; 0 when the card is suspended.
func (a *Anki) Answer(card, ease, millis int64) int64 {
	k := a.Cards[card]
	if k == nil || k.Queue == -1 {
		return 0
	}
	r := &Review{ID: a.free(a.now().UnixMilli()), Card: card, USN: -1, Ease: ease, LastInterval: k.Interval, Factor: 2500, Millis: millis}
	if k.Type == 2 {
		r.Type = 1
	}
	k.Interval = max(1, k.Interval*ease)
	if ease == 1 {
		k.Interval = 1
		k.Lapses++
	}
	k.Type, k.Queue, k.Due, k.Factor = 2, 2, a.today()+k.Interval, 2500
	k.Reps++
	k.Modified = a.now().Unix()
	r.Interval = k.Interval
	a.Reviews[r.ID] = r
	return r.ID
}

// Suspend suspends or frees a card as the learner does.
func (a *Anki) Suspend(card int64, yes bool) {
	k := a.Cards[card]
	if yes == (k.Queue == -1) {
		return
	}
	k.Queue = -1
	if !yes {
		k.Queue = k.Type
	}
	k.Modified = a.now().Unix()
}

func (a *Anki) today() int64 { return int64(a.now().Sub(a.created) / (24 * time.Hour)) }

func (a *Anki) free(id int64) int64 {
	for a.Reviews[id] != nil {
		id++
	}
	return id
}

func (a *Anki) model(name string) *Model {
	return &a.Models[slices.IndexFunc(a.Models, func(m Model) bool { return m.Name == name })]
}

func (a *Anki) serve(w http.ResponseWriter, r *http.Request) {
	var call struct {
		Action  string          `json:"action"`
		Version int             `json:"version"`
		Params  json.RawMessage `json:"params"`
		Key     string          `json:"key"`
	}
	if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
		http.Error(w, "bad JSON", http.StatusBadRequest)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.Calls[call.Action]++
	if a.Before != nil {
		a.Before(call.Action)
	}
	fault := None
	if a.Fault != nil {
		fault = a.Fault(call.Action)
	}
	if fault == DropBefore {
		panic(http.ErrAbortHandler)
	}
	result, err := a.answer(call.Action, call.Key, call.Params)
	if fault == DropAfter {
		panic(http.ErrAbortHandler)
	}
	reply := map[string]any{"result": result, "error": nil}
	if err != nil {
		reply = map[string]any{"result": nil, "error": err.Error()}
	}
	_ = json.NewEncoder(w).Encode(reply)
}

func (a *Anki) answer(action, key string, params json.RawMessage) (any, error) {
	if action == "requestPermission" {
		if a.Denied {
			return map[string]any{"permission": "denied"}, nil
		}
		return map[string]any{"permission": "granted", "requireApikey": a.Key != "", "version": 6}, nil
	}
	if key != a.Key {
		return nil, fmt.Errorf("valid api key must be provided")
	}
	do, ok := actions[action]
	if !ok || a.Missing[action] {
		return nil, fmt.Errorf("unsupported action")
	}
	if a.Profile == "" && action != "apiReflect" && action != "getActiveProfile" {
		return nil, fmt.Errorf("collection is not available")
	}
	var in input
	if len(params) > 0 {
		if err := json.Unmarshal(params, &in); err != nil {
			return nil, err
		}
	}
	return do(a, &in)
}

// input has the parameters of all actions.
type input struct {
	Query      string    `json:"query"`
	Cards      []int64   `json:"cards"`
	Notes      []int64   `json:"notes"`
	ModelNames []string  `json:"modelNames"`
	Filename   string    `json:"filename"`
	Reviews    [][]int64 `json:"reviews"`
	Days       string    `json:"days"`
}

func (a *Anki) meant(query string, deck string) bool {
	if query == "deck:*" {
		return true
	}
	for part := range strings.SplitSeq(query, " OR ") {
		name := strings.TrimSuffix(strings.TrimPrefix(part, `"deck:`), `"`)
		if deck == name || strings.HasPrefix(deck, name+"::") {
			return true
		}
	}
	return false
}

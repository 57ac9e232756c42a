package apply

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/market/disclosure"
)

// The page makes plans by an engine of its own (web/src/bot/engine.ts). What this one does with random sequences is kept
// in a file that the test of the other replays; this test fails when the file is no longer what this engine does.
// STOA_WRITE_SEQUENCES=1 writes it.
const sequencesFile = "../../../web/src/bot/sequences.json"

// move is one thing that happens to a bot, and what came of it.
type move struct {
	Do      string     `json:"do"` // apply, undo, continue, hand or drift
	Items   []moveItem `json:"items,omitempty"`
	Remove  []string   `json:"remove,omitempty"`
	Replace bool       `json:"replace,omitempty"`
	Agreed  bool       `json:"agreed,omitempty"`
	Force   bool       `json:"force,omitempty"`
	Fail    int        `json:"fail,omitempty"` // the write that fails, from 1
	Lost    bool       `json:"lost,omitempty"` // after it reached the bot
	Key     string     `json:"key,omitempty"`
	Value   string     `json:"value,omitempty"`
	Outcome string     `json:"outcome"`
}

type moveItem struct {
	ID      string      `json:"id"`
	Version string      `json:"version"`
	Hosts   []string    `json:"hosts"`
	Objects [][2]string `json:"objects"`
}

// scriptedBot fails at one write.
type scriptedBot struct {
	memoryBot
	fail int
	lost bool
}

func (b *scriptedBot) Write(ctx context.Context, key Key, before, after Value) error {
	b.fail--
	if b.fail == 0 && !b.lost {
		return errAway
	}
	if err := b.memoryBot.Write(ctx, key, before, after); err != nil {
		return err
	}
	if b.fail == 0 {
		return errAway
	}
	return nil
}

func pageKey(r *rand.Rand) Key {
	return Key{order[r.IntN(len(order))], []string{"a", "b"}[r.IntN(2)]}
}

func keyOf(name string) Key {
	kind, id, _ := strings.Cut(name, " ")
	return Key{Kind(kind), id}
}

func (m *move) play(bot *scriptedBot, journal *memoryJournal) {
	ctx := context.Background()
	run := &Runner{Target: bot, Journal: journal, Now: func() time.Time { return time.Unix(1_800_000_000, 0) }}
	s, _ := journal.Load()
	bot.fail, bot.lost = m.Fail, m.Lost
	var err error
	said := ""
	switch m.Do {
	case "hand":
		var v Value
		if m.Value != "" {
			v = Value(m.Value)
		}
		bot.set(keyOf(m.Key), v)
	case "drift":
		found, _ := Drift(ctx, bot, s)
		for _, d := range found {
			said += fmt.Sprintf("%s %s %v;", d.Kind, d.ID, d.Gone)
		}
	case "undo":
		err = run.Undo(ctx, m.Force)
	case "continue":
		err = run.Continue(ctx)
	case "apply":
		var packages []Package
		for _, item := range m.Items {
			p := Package{Installed: Installed{ID: item.ID, Version: item.Version, Reach: disclosure.Reach{Hosts: item.Hosts}}}
			for _, o := range item.Objects {
				p.Objects = append(p.Objects, Object{keyOf(o[0]), Value(o[1])})
			}
			packages = append(packages, p)
		}
		var plan Plan
		if plan, err = NewPlan(ctx, bot, s, packages, Options{Replace: m.Replace, Remove: m.Remove}); err == nil {
			for _, step := range plan.Steps {
				said += fmt.Sprintf("%s %s %s %s;", step.Action, step.Kind, step.ID, step.Why)
			}
			said += strings.Join(plan.Gains, ",")
			err = run.Apply(ctx, plan, m.Agreed)
		}
	}
	bot.fail = 0
	after, _ := journal.Load()
	m.Outcome = strings.Join([]string{said, problemOf(err), textOfBot(bot.objects), textOfState(after)}, " | ")
}

func problemOf(err error) string {
	var step *StepError
	for _, known := range []struct {
		name string
		as   any
	}{{"consent", new(*ConsentError)}, {"unfinished", new(*UnfinishedError)}, {"taken", new(*TakenError)}} {
		if err != nil && errors.As(err, known.as) {
			return known.name
		}
	}
	var changed *ChangedError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &step):
		return fmt.Sprintf("step %s %s %d/%d %s", step.Step.Kind, step.Step.ID, step.Done, step.All, problemOf(step.Err))
	case errors.As(err, &changed):
		return fmt.Sprint("changed ", len(changed.Keys))
	case errors.Is(err, ErrNothing):
		return "nothing"
	case errors.Is(err, errNotKept):
		return "not_kept"
	}
	return "away"
}

func textOfBot(objects map[Key]Value) string {
	var out []string
	for _, key := range slices.SortedFunc(maps.Keys(objects), compareKeys) {
		out = append(out, fmt.Sprintf("%s %s=%s", key.Kind, key.ID, objects[key]))
	}
	return strings.Join(out, ";")
}

func textOfState(s State) string {
	values := map[string]string{"": "-"}
	for i := range 4 {
		v := fmt.Sprintf(`{"v":%d}`, i)
		values[digest(Value(v))] = v
	}
	var out []string
	for _, i := range s.Items {
		out = append(out, i.ID+"@"+i.Version)
	}
	for _, m := range s.Objects {
		original := "-"
		if m.Original != nil {
			original = string(m.Original)
		}
		out = append(out, fmt.Sprintf("%s %s of %s %s<%s", m.Kind, m.ID, m.Item, values[m.Digest], original))
	}
	return fmt.Sprintf("%s (%d, %v)", strings.Join(out, ";"), len(s.Log), s.Unfinished() != nil)
}

func randomMove(r *rand.Rand, s State) move {
	value := func() string { return fmt.Sprintf(`{"v":%d}`, r.IntN(4)) }
	m := move{}
	if r.IntN(4) == 0 {
		m.Fail, m.Lost = 1+r.IntN(3), r.IntN(2) == 0
	}
	switch r.IntN(8) {
	case 0:
		key := pageKey(r)
		m = move{Do: "hand", Key: string(key.Kind) + " " + key.ID}
		if r.IntN(3) > 0 {
			m.Value = value()
		}
	case 1:
		m = move{Do: "drift"}
	case 2, 3:
		m.Do, m.Force = "undo", r.IntN(2) == 0
	case 4:
		m.Do = "continue"
	default:
		m.Do, m.Replace, m.Agreed = "apply", r.IntN(3) == 0, r.IntN(4) > 0
		if len(s.Items) > 0 && r.IntN(4) == 0 {
			m.Remove = []string{s.Items[r.IntN(len(s.Items))].ID}
			break
		}
		item := moveItem{ID: []string{"one", "two"}[r.IntN(2)], Version: fmt.Sprint(r.IntN(5)), Hosts: []string{fmt.Sprint("h", r.IntN(3))}, Objects: [][2]string{}}
		used := map[Key]bool{}
		for range r.IntN(4) {
			if key := pageKey(r); !used[key] {
				used[key] = true
				item.Objects = append(item.Objects, [2]string{string(key.Kind) + " " + key.ID, value()})
			}
		}
		m.Items = []moveItem{item}
	}
	return m
}

func TestSequencesForThePage(t *testing.T) {
	var all [][]move
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 11))
		bot, journal := &scriptedBot{memoryBot: memoryBot{objects: map[Key]Value{}}}, &memoryJournal{}
		var moves []move
		for range 14 {
			s, _ := journal.Load()
			m := randomMove(r, s)
			m.play(bot, journal)
			moves = append(moves, m)
		}
		all = append(all, moves)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	out.WriteString("[\n")
	for i, moves := range all {
		if i > 0 {
			out.WriteString(",\n")
		}
		if err := e.Encode(moves); err != nil {
			t.Fatal(err)
		}
	}
	out.WriteString("]\n")
	if os.Getenv("STOA_WRITE_SEQUENCES") != "" {
		if err := os.WriteFile(sequencesFile, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(sequencesFile)
	if err != nil || !bytes.Equal(kept, out.Bytes()) {
		t.Fatalf("%s is not what this engine does (%v): regenerate it, then make web/src/bot/engine.ts do the same", sequencesFile, err)
	}
}

package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"stoa/internal/market/disclosure"
)

// memoryBot is a bot whose calls fail as the test wants.
type memoryBot struct {
	objects map[Key]Value
	r       *rand.Rand
	faulty  bool
}

var errAway = errors.New("the bot is away")

func (b *memoryBot) Name() string { return "memory" }

func (b *memoryBot) fault(share float64) bool { return b.faulty && b.r.Float64() < share }

func (b *memoryBot) Read(_ context.Context, keys []Key) (map[Key]Value, error) {
	if b.fault(0.05) {
		return nil, errAway
	}
	out := map[Key]Value{}
	for _, key := range keys {
		if v, ok := b.objects[key]; ok {
			out[key] = v
		}
	}
	return out, nil
}

func (b *memoryBot) Write(_ context.Context, key Key, before, after Value) error {
	if now := b.objects[key]; !same(now, before) {
		return fmt.Errorf("written over %s, which was not read", now)
	}
	if b.fault(0.05) {
		return errAway // before anything happened
	}
	if b.fault(0.03) {
		return nil // said to be done, and not
	}
	b.set(key, after)
	if b.fault(0.05) {
		return errAway // the answer was lost
	}
	return nil
}

func (b *memoryBot) set(key Key, v Value) {
	if v == nil {
		delete(b.objects, key)
	} else {
		b.objects[key] = v
	}
}

// memoryJournal keeps what would be on disk: as bytes, so that nothing is shared.
type memoryJournal struct{ text []byte }

func (j *memoryJournal) Load() (s State, err error) {
	if j.text != nil {
		err = json.Unmarshal(j.text, &s)
	}
	return s, err
}

func (j *memoryJournal) Save(s State) (err error) {
	j.text, err = json.Marshal(s)
	return err
}

// world is one random sequence and what the test knows of it.
type world struct {
	t       *testing.T
	seed    uint64
	r       *rand.Rand
	bot     *memoryBot
	journal *memoryJournal
	run     *Runner
	past    []snapshot // beside the journal's log
}

// snapshot is what stood before an operation.
type snapshot struct {
	objects        map[Key]Value
	items, managed string
	hand           bool // something was changed by hand since
}

var universe = func() (keys []Key) {
	for _, kind := range order {
		keys = append(keys, Key{kind, "a"}, Key{kind, "b"})
	}
	return keys
}()

func newWorld(t *testing.T, seed uint64) *world {
	r := rand.New(rand.NewPCG(seed, 7))
	w := &world{t: t, seed: seed, r: r, bot: &memoryBot{objects: map[Key]Value{}, r: r}, journal: &memoryJournal{}}
	w.run = &Runner{Target: w.bot, Journal: w.journal, Now: func() time.Time { return time.Unix(1_800_000_000, 0) }}
	for range r.IntN(4) {
		w.bot.objects[w.key()] = w.value()
	}
	return w
}

func (w *world) key() Key     { return universe[w.r.IntN(len(universe))] }
func (w *world) value() Value { return fmt.Appendf(nil, `{"v":%d}`, w.r.IntN(4)) }

func (w *world) fatal(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("seed %d: %s", w.seed, fmt.Sprintf(format, args...))
}

func (w *world) state() State {
	s, err := w.journal.Load()
	if err != nil {
		w.fatal("%v", err)
	}
	return s
}

func text(v any) string {
	out, _ := json.Marshal(v)
	return string(out)
}

func equal(a, b map[Key]Value) bool {
	return maps.EqualFunc(a, b, func(x, y Value) bool { return same(x, y) })
}

// byHand changes the bot as its owner does in the dashboard.
func (w *world) byHand() {
	key := w.key()
	before := w.bot.objects[key]
	if w.r.IntN(3) == 0 {
		w.bot.set(key, nil)
	} else {
		w.bot.set(key, w.value())
	}
	for i := range w.past {
		w.past[i].hand = w.past[i].hand || !same(before, w.bot.objects[key])
	}
}

// apply makes a plan of a random version of an item, or takes one out, and carries it out with faults.
func (w *world) apply() {
	s := w.state()
	o := Options{Replace: w.r.IntN(3) == 0}
	var packages []Package
	if len(s.Items) > 0 && w.r.IntN(4) == 0 {
		o.Remove = []string{s.Items[w.r.IntN(len(s.Items))].ID}
	} else {
		p := Package{Installed: Installed{ID: []string{"one", "two"}[w.r.IntN(2)], Version: fmt.Sprint(w.r.IntN(5)), Reach: disclosure.Reach{Hosts: []string{"h" + fmt.Sprint(w.r.IntN(3))}}}}
		for _, i := range w.r.Perm(len(universe))[:w.r.IntN(6)] {
			p.Objects = append(p.Objects, Object{universe[i], w.value()})
		}
		packages = append(packages, p)
	}
	plan, err := NewPlan(context.Background(), w.bot, s, packages, o)
	var taken *TakenError
	var unfinished *UnfinishedError
	switch {
	case errors.As(err, &unfinished):
		if s.Unfinished() == nil {
			w.fatal("no plan is unfinished")
		}
		w.goOn()
		return
	case errors.As(err, &taken):
		return
	case err != nil:
		w.fatal("%v", err)
	}
	before := maps.Clone(w.bot.objects)
	agreed := w.r.IntN(4) > 0
	w.bot.faulty = w.r.IntN(2) == 0
	err = w.run.Apply(context.Background(), plan, agreed)
	w.bot.faulty = false
	var consent *ConsentError
	if errors.As(err, &consent) != (len(plan.Gains) > 0 && !agreed) {
		w.fatal("%v with the gains %v, agreed %v", err, plan.Gains, agreed)
	}
	if consent != nil {
		if !equal(before, w.bot.objects) || text(w.state()) != text(s) {
			w.fatal("something happened without consent")
		}
		return
	}
	if !plan.Changes() {
		if err != nil || !equal(before, w.bot.objects) || text(w.state()) != text(s) {
			w.fatal("a plan that changes nothing: %v", err)
		}
		return
	}
	w.past = append(w.past, snapshot{objects: before, items: text(s.Items), managed: text(s.Objects)})
	w.past = w.past[max(0, len(w.past)-maxLog):]
	w.foreignUntouched(plan, s, before, o)
	if err == nil {
		w.applied(plan)
	}
}

// foreignUntouched: only steps of the plan change the bot, and without being asked no object that is not Stoa's.
func (w *world) foreignUntouched(plan Plan, s State, before map[Key]Value, o Options) {
	for _, key := range universe {
		if same(before[key], w.bot.objects[key]) {
			continue
		}
		i := slices.IndexFunc(plan.Steps, func(step Step) bool { return step.Key == key })
		if i < 0 || plan.Steps[i].Action == Keep {
			w.fatal("%v was changed and is not in the plan", key)
		}
		m := s.managed(key)
		theirs := m == nil && before[key] != nil && key.Kind != KindConfig || m != nil && digest(before[key]) != m.Digest
		if theirs && (!o.Replace || !key.Kind.replaceable()) {
			w.fatal("%v is not Stoa's and was changed", key)
		}
	}
}

// applied: the bot is as the plan said.
func (w *world) applied(plan Plan) {
	for _, step := range plan.Steps {
		if step.Action != Keep && !same(w.bot.objects[step.Key], step.After) {
			w.fatal("%v is %s, not %s", step.Key, w.bot.objects[step.Key], step.After)
		}
	}
}

// goOn continues an interrupted plan or takes it back.
func (w *world) goOn() {
	if w.r.IntN(2) == 0 {
		w.undo()
		return
	}
	w.bot.faulty = w.r.IntN(4) == 0
	s := w.state()
	undoing := s.Unfinished().Undoing
	err := w.run.Continue(context.Background())
	w.bot.faulty = false
	if undoing && err == nil {
		w.past = w.past[:len(w.past)-1]
	}
}

// undo takes the last plan back; the bot is then byte for byte what it was, but for what was changed by hand elsewhere.
func (w *world) undo() {
	s := w.state()
	if len(s.Log) == 0 {
		if err := w.run.Undo(context.Background(), true); !errors.Is(err, ErrNothing) {
			w.fatal("undo of nothing: %v", err)
		}
		return
	}
	op, was := s.Log[len(s.Log)-1], w.past[len(w.past)-1]
	before := maps.Clone(w.bot.objects)
	want := maps.Clone(before)
	edited := 0
	for _, step := range op.Steps {
		if step.Status == "" {
			continue
		}
		if !same(before[step.Key], step.Before) && !same(before[step.Key], step.After) {
			edited++
		}
		delete(want, step.Key)
		if v, ok := was.objects[step.Key]; ok {
			want[step.Key] = v
		}
	}
	err := w.run.Undo(context.Background(), false)
	var changed *ChangedError
	if errors.As(err, &changed) != (edited > 0) || edited > 0 && len(changed.Keys) != edited {
		w.fatal("%d objects were changed by hand, and undo says %v", edited, err)
	}
	if changed != nil {
		if !equal(before, w.bot.objects) {
			w.fatal("an undo that was refused changed the bot")
		}
		w.bot.faulty = w.r.IntN(3) == 0
		err = w.run.Undo(context.Background(), true)
		for w.bot.faulty = false; err != nil; {
			err = w.run.Undo(context.Background(), true)
		}
	}
	if err != nil {
		w.fatal("undo: %v", err)
	}
	if !equal(want, w.bot.objects) || !was.hand && !equal(was.objects, w.bot.objects) {
		w.fatal("after undo %s, want %s", text(shown(w.bot.objects)), text(shown(want)))
	}
	if s = w.state(); text(s.Items) != was.items || text(s.Objects) != was.managed {
		w.fatal("after undo the journal says %s, want %s", text(s.Objects), was.managed)
	}
	w.past = w.past[:len(w.past)-1]
}

func shown(objects map[Key]Value) map[string]string {
	out := map[string]string{}
	for key, v := range objects {
		out[string(key.Kind)+" "+key.ID] = string(v)
	}
	return out
}

// drift sees every hand change of an object that Stoa brought, and nothing else.
func (w *world) drift() {
	s := w.state()
	got, err := Drift(context.Background(), w.bot, s)
	if err != nil {
		w.fatal("%v", err)
	}
	for _, m := range s.Objects {
		seen := slices.ContainsFunc(got, func(d Drifted) bool { return d.Key == m.Key })
		if seen != (digest(w.bot.objects[m.Key]) != m.Digest) {
			w.fatal("drift of %v: %v", m.Key, seen)
		}
	}
}

// 10,000 random sequences of plan, apply, hand changes, update, removal, faults, continue and undo.
func TestRandomSequences(t *testing.T) {
	for seed := range uint64(10_000) {
		w := newWorld(t, seed)
		for range 3 + w.r.IntN(8) {
			switch w.r.IntN(6) {
			case 0, 1, 2:
				w.apply()
			case 3:
				w.byHand()
			case 4:
				w.drift()
			case 5:
				if s := w.state(); s.Unfinished() != nil {
					w.goOn()
				} else {
					w.undo()
				}
			}
		}
		for len(w.state().Log) > 0 {
			w.undo()
		}
		if s := w.state(); len(s.Items) > 0 || len(s.Objects) > 0 {
			w.fatal("after undoing all: %s", text(s))
		}
	}
}

// 10,000 random pairs of versions: what widens is never applied without a yes.
func TestWideningNeedsAYes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	some := func(n int) (out []string) {
		for i := range n {
			if r.IntN(2) == 0 {
				out = append(out, fmt.Sprint("x", i))
			}
		}
		return out
	}
	reach := func() disclosure.Reach {
		return disclosure.Reach{Capabilities: some(3), Hosts: some(3), Plugins: some(2), Environment: some(2), Cut: r.IntN(9) == 0}
	}
	within := func(a, b []string) bool {
		return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
	}
	asked := 0
	for i := range 10_000 {
		bot, journal := &memoryBot{objects: map[Key]Value{}, r: r}, &memoryJournal{}
		run := &Runner{Target: bot, Journal: journal, Now: time.Now}
		old, next := reach(), reach()
		at := func(version string, reach disclosure.Reach) error {
			p := Package{Installed: Installed{ID: "a", Version: version, Reach: reach}, Objects: []Object{{Key{KindPersona, "p"}, Value(`"` + version + `"`)}}}
			s, _ := journal.Load()
			plan, err := NewPlan(context.Background(), bot, s, []Package{p}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			return run.Apply(context.Background(), plan, version == "1")
		}
		if err := at("1", old); err != nil {
			t.Fatal(err)
		}
		narrow := within(next.Capabilities, old.Capabilities) && within(next.Hosts, old.Hosts) && within(next.Plugins, old.Plugins) && within(next.Environment, old.Environment) && (!next.Cut || old.Cut)
		err := at("2", next)
		var consent *ConsentError
		if errors.As(err, &consent) == narrow {
			t.Fatalf("pair %d: %v after %v: %v", i, next, old, err)
		}
		if want := map[bool]string{true: `"2"`, false: `"1"`}[narrow]; string(bot.objects[Key{KindPersona, "p"}]) != want {
			t.Fatalf("pair %d: the bot has %s", i, bot.objects)
		}
		if !narrow {
			asked++
		}
	}
	if asked < 1000 || asked > 9900 {
		t.Errorf("%d of the pairs widen: the test says little", asked)
	}
}

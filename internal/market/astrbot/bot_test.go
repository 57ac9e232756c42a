package astrbot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa/internal/astrbottest"
	"stoa/internal/market/apply"
	"stoa/internal/market/disclosure"
)

// memory is a journal without a disk; TestFiftyPersonas has one with.
type memory struct{ text []byte }

func (m *memory) Load() (s apply.State, err error) {
	if m.text != nil {
		err = json.Unmarshal(m.text, &s)
	}
	return s, err
}

func (m *memory) Save(s apply.State) (err error) {
	m.text, err = json.Marshal(s)
	return err
}

// world is a bot with a runner.
type world struct {
	fake *astrbottest.Bot
	bot  *Bot
	run  *apply.Runner
}

func newWorld(t testing.TB, scopes ...string) *world {
	t.Helper()
	w := &world{fake: astrbottest.New(scopes...)}
	var err error
	if w.bot, err = New("http://bot.example", astrbottest.Key, w.fake.Client()); err != nil {
		t.Fatal(err)
	}
	w.run = &apply.Runner{Target: w.bot, Journal: &memory{}, Now: func() time.Time { return time.Unix(1_800_000_000, 0) }}
	return w
}

func (w *world) state(t testing.TB) apply.State {
	t.Helper()
	s, err := w.run.Journal.Load()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// version is a version of an item with everything that a bot takes.
func version(t testing.TB, version string, hosts ...string) apply.Package {
	t.Helper()
	objects, left, err := apply.Sections(map[string]any{
		"personas": map[string]any{
			"entries": map[string]any{
				"园丁/a b": map[string]any{"system_prompt": " You know plants, version " + version + ". <b> & \u2028 ", "begin_dialogs": []any{"Hi", "Hello"}, "tools": []any{}, "skills": []any{"plant-care"}, "mood": "calm"},
				"odd":    map[string]any{"system_prompt": "x", "begin_dialogs": []any{"one"}},
			},
			"runtime": map[string]any{"default_personality": "园丁/a b"},
		},
		"skills":       map[string]any{"plant-care": map[string]any{"text": "---\nname: plant-care\n---\n" + version}, "no/name": map[string]any{"text": "x"}},
		"mcp_servers":  map[string]any{"weather": map[string]any{"command": "weather", "timeout": json.Number("30")}, "secret": map[string]any{"command": "x", "env": map[string]any{"K": "***REDACTED***"}}},
		"providers":    map[string]any{"openai/gpt": map[string]any{"model": "gpt-" + version, "key": []any{"***REDACTED***"}}},
		"astrbot_core": map[string]any{"provider_settings": map[string]any{"max_agent_step": json.Number("50"), "websearch_tavily_key": []any{"***REDACTED***"}}, "dashboard": map[string]any{"username": "evil"}, "timezone": "UTC"},
	}, apply.Wants{Providers: true, Config: true})
	if err != nil {
		t.Fatal(err)
	}
	return apply.Package{Installed: apply.Installed{ID: "ada/garden", Version: version, Reach: disclosure.Reach{Hosts: hosts}}, Objects: objects, Left: left}
}

func (w *world) apply(t testing.TB, o apply.Options, packages ...apply.Package) (apply.Plan, error) {
	t.Helper()
	plan, err := apply.NewPlan(context.Background(), w.bot, w.state(t), packages, o)
	if err != nil {
		return plan, err
	}
	return plan, w.run.Apply(context.Background(), plan, true)
}

// A pack comes into a bot, is updated, and every step back is exact.
func TestInstallUpdateUndo(t *testing.T) {
	w := newWorld(t)
	w.fake.EditPersona("mine", func(p *astrbottest.Persona) { p.Prompt = "My own." })
	empty := w.fake.Snapshot()
	plan, err := w.apply(t, apply.Options{}, version(t, "1"))
	if err != nil {
		t.Fatal(err)
	}
	if plan.Count(apply.Make) != 5 || plan.Count(apply.Change) != 3 || len(plan.Left) < 6 {
		t.Errorf("%d made, %d changed, left %v", plan.Count(apply.Make), plan.Count(apply.Change), plan.Left)
	}
	first := w.fake.Snapshot()
	for _, want := range []string{`"persona_id":"园丁/a b"`, "version 1", `"max_agent_step":50`, `"timezone":"UTC"`, `"username":"astrbot"`, `["tvly-x"]`, `"timeout":30`, `"enable":false`} {
		if !strings.Contains(first, want) {
			t.Errorf("%s is not in the bot:\n%s", want, first)
		}
	}
	if plan, err = w.apply(t, apply.Options{}, version(t, "1")); err != nil || plan.Changes() {
		t.Errorf("the same again changes %v, %v", plan, err)
	}
	if _, err := w.apply(t, apply.Options{}, version(t, "2")); err != nil {
		t.Fatal(err)
	}
	if s := w.state(t); s.Items[0].Version != "2" {
		t.Errorf("%+v", s.Items)
	}
	for _, want := range []string{first, empty} {
		if err := w.run.Undo(context.Background(), false); err != nil {
			t.Fatal(err)
		}
		if got := w.fake.Snapshot(); got != want {
			t.Fatalf("after undo\n%s\nwant\n%s", got, want)
		}
	}
}

// What the member does by hand is seen, and kept by an update.
func TestHandChanges(t *testing.T) {
	for name, change := range map[string]func(b *astrbottest.Bot){
		"prompt": func(b *astrbottest.Bot) {
			b.EditPersona("园丁/a b", func(p *astrbottest.Persona) { p.Prompt = "mine" })
		},
		"folder": func(b *astrbottest.Bot) {
			b.EditPersona("园丁/a b", func(p *astrbottest.Persona) { f := "f1"; p.Folder = &f })
		},
		"place": func(b *astrbottest.Bot) {
			b.EditPersona("园丁/a b", func(p *astrbottest.Persona) { p.SortOrder = 7 })
		},
		"deleted": func(b *astrbottest.Bot) { b.DeletePersona("园丁/a b") },
		"skill": func(b *astrbottest.Bot) {
			b.EditSkill("plant-care", func(s *astrbottest.Skill) { s.Files["SKILL.md"] = "mine" })
		},
		"file": func(b *astrbottest.Bot) {
			b.EditSkill("plant-care", func(s *astrbottest.Skill) { s.Files["notes.md"] = "mine" })
		},
		"off": func(b *astrbottest.Bot) { b.EditSkill("plant-care", func(s *astrbottest.Skill) { s.Active = false }) },
	} {
		w := newWorld(t)
		if _, err := w.apply(t, apply.Options{}, version(t, "1")); err != nil {
			t.Fatal(err)
		}
		applied := w.fake.Snapshot()
		change(w.fake)
		edited := w.fake.Snapshot()
		drift, err := apply.Drift(context.Background(), w.bot, w.state(t))
		if err != nil || len(drift) != 1 || edited == applied {
			t.Errorf("%s: %v %v", name, drift, err)
			continue
		}
		if name == "deleted" { // it is what undo would make of it
			if err := w.run.Undo(context.Background(), false); err != nil || w.fake.Snapshot() != astrbottest.New().Snapshot() {
				t.Errorf("deleted: undo: %v", err)
			}
			continue
		}
		var changed *apply.ChangedError
		if err := w.run.Undo(context.Background(), false); !errors.As(err, &changed) || w.fake.Snapshot() != edited {
			t.Errorf("%s: undo over it: %v", name, err)
		}
		plan, err := w.apply(t, apply.Options{}, version(t, "2"))
		kept := 0
		for _, s := range plan.Steps {
			if s.Why == apply.WhyEdited && s.Action == apply.Keep {
				kept++
			}
		}
		if err != nil || kept != 1 {
			t.Errorf("%s: the update keeps %d, %v", name, kept, err)
		}
		if err := w.run.Undo(context.Background(), false); err != nil || w.fake.Snapshot() != edited {
			t.Errorf("%s: the way back from the update: %v", name, err)
		}
		if name == "file" {
			continue // a file beside SKILL.md is never written or removed
		}
		if _, err := w.apply(t, apply.Options{Replace: true}, version(t, "2")); err != nil {
			t.Errorf("%s: replace: %v", name, err)
		}
		if err := w.run.Undo(context.Background(), false); err != nil || w.fake.Snapshot() != edited {
			t.Errorf("%s: the way back from the replacement: %v\n%s\nwant\n%s", name, err, w.fake.Snapshot(), edited)
		}
	}
}

// A persona of the member's own with the same name stays, unless they ask for it.
func TestNameConflict(t *testing.T) {
	w := newWorld(t)
	w.fake.EditPersona("园丁/a b", func(p *astrbottest.Persona) { p.Prompt, p.Tools, p.SortOrder = "mine", []string{"x"}, 3 })
	own := w.fake.Snapshot()
	if _, err := w.apply(t, apply.Options{}, version(t, "1")); err != nil || !strings.Contains(w.fake.Snapshot(), `"system_prompt":"mine"`) {
		t.Fatal(err, w.fake.Snapshot())
	}
	if _, err := w.apply(t, apply.Options{Replace: true}, version(t, "1")); err != nil || strings.Contains(w.fake.Snapshot(), `"system_prompt":"mine"`) {
		t.Fatal(err, w.fake.Snapshot())
	}
	if _, err := w.apply(t, apply.Options{Remove: []string{"ada/garden"}}); err != nil || w.fake.Snapshot() != own {
		t.Fatalf("%v\n%s\nwant\n%s", err, w.fake.Snapshot(), own)
	}
}

// Faults have words of their own, and nothing is half done that cannot be continued or taken back.
func TestFaults(t *testing.T) {
	always := func(f astrbottest.Fault) func(*http.Request) astrbottest.Fault {
		return func(*http.Request) astrbottest.Fault { return f }
	}
	for name, c := range map[string]struct {
		fault func(*http.Request) astrbottest.Fault
		older bool
		want  Problem
	}{
		"away":   {always(astrbottest.DropBefore), false, Away},
		"HTML":   {always(astrbottest.HTML), false, Nonsense},
		"newer":  {always(astrbottest.OddShape), false, Nonsense},
		"broken": {always(astrbottest.ServerError), false, Away},
		"older":  {nil, true, Older},
	} {
		w := newWorld(t)
		w.fake.SetFault(c.fault)
		w.fake.SetOlder(c.older)
		_, err := w.apply(t, apply.Options{}, version(t, "1"))
		var e *Error
		if !errors.As(err, &e) || e.Problem != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	w := newWorld(t, "persona")
	var e *Error
	if _, err := w.apply(t, apply.Options{}, version(t, "1")); !errors.As(err, &e) || e.Problem != NoScope || !strings.Contains(e.Message, "the scope skill") {
		t.Errorf("scope: %v", err)
	}
	other, err := New("http://bot.example", "abk_wrong", w.fake.Client())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Read(context.Background(), []apply.Key{{Kind: apply.KindPersona, ID: "x"}}); !errors.As(err, &e) || e.Problem != BadKey || strings.Contains(err.Error(), "abk_") {
		t.Errorf("key: %v", err)
	}
	w = newWorld(t)
	w.fake.SetFault(always(astrbottest.Hang))
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := w.bot.Read(ctx, []apply.Key{{Kind: apply.KindPersona, ID: "x"}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("hang: %v", err)
	}
	w = newWorld(t)
	p := version(t, "1")
	p.Objects = append(p.Objects, apply.Object{Key: apply.Key{Kind: apply.KindServer, ID: "bad"}, Value: apply.Value(`{"active":true,"command":"broken"}`)})
	before := w.fake.Snapshot()
	var at *apply.StepError
	if _, err := w.apply(t, apply.Options{}, p); !errors.As(err, &at) || !errors.As(err, &e) || e.Problem != Refused || at.Step.ID != "bad" {
		t.Errorf("refused: %v", err)
	}
	if err := w.run.Undo(context.Background(), false); err != nil || w.fake.Snapshot() != before {
		t.Errorf("undo of half a plan: %v", err)
	}
}

// Every call of a plan fails once, before or after it took effect; the plan is then continued, or taken back.
func TestEveryCallFailsOnce(t *testing.T) {
	clean := newWorld(t)
	if _, err := clean.apply(t, apply.Options{}, version(t, "1")); err != nil {
		t.Fatal(err)
	}
	want, calls := clean.fake.Snapshot(), clean.fake.Calls()
	for at := range calls {
		for _, fault := range []astrbottest.Fault{astrbottest.DropBefore, astrbottest.DropAfter, astrbottest.HTML, astrbottest.OddShape, astrbottest.ServerError} {
			w := newWorld(t)
			before, n := w.fake.Snapshot(), 0
			w.fake.SetFault(func(*http.Request) astrbottest.Fault {
				if n++; n == at+1 {
					return fault
				}
				return astrbottest.None
			})
			_, err := w.apply(t, apply.Options{}, version(t, "1"))
			w.fake.SetFault(nil)
			if s := w.state(t); err == nil && fault == astrbottest.OddShape && len(s.Log) == 1 {
				// an answer to a write whose data is not looked at; it never arrived, which reading back sees
				t.Errorf("call %d: a write that was lost went unseen", at)
			}
			if s := w.state(t); len(s.Log) == 0 {
				if w.fake.Snapshot() != before {
					t.Errorf("call %d: the bot was changed before the journal", at)
				}
				continue
			}
			if at%2 == 0 {
				if err := w.run.Continue(context.Background()); err != nil || w.fake.Snapshot() != want {
					t.Errorf("call %d fault %d: continued: %v\n%s", at, fault, err, w.fake.Snapshot())
				}
			}
			if err := w.run.Undo(context.Background(), false); err != nil || w.fake.Snapshot() != before {
				t.Errorf("call %d fault %d: undone: %v", at, fault, err)
			}
		}
	}
}

// Two bots get the same changes by hand, and one of them packs with faults in between. When all plans are taken back, the
// two are byte for byte the same.
func TestTwin(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		w, twin := newWorld(t), astrbottest.New()
		for range 2 + r.IntN(5) {
			switch r.IntN(4) {
			case 0:
				text, id := fmt.Sprint(r.IntN(9)), fmt.Sprint("own", r.IntN(3))
				for _, b := range []*astrbottest.Bot{w.fake, twin} {
					b.EditPersona(id, func(p *astrbottest.Persona) { p.Prompt = text })
				}
			case 1:
				if s := w.state(t); len(s.Log) > 0 {
					if err := w.run.Undo(context.Background(), false); err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
				}
			default:
				w.fake.SetFault(func(*http.Request) astrbottest.Fault {
					return []astrbottest.Fault{astrbottest.DropBefore, astrbottest.DropAfter, astrbottest.ServerError, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}[r.IntN(14)]
				})
				_, err := w.apply(t, apply.Options{Replace: r.IntN(2) == 0}, version(t, fmt.Sprint(r.IntN(3))))
				w.fake.SetFault(nil)
				if s := w.state(t); err != nil && s.Unfinished() != nil && r.IntN(2) == 0 {
					if err := w.run.Continue(context.Background()); err != nil {
						t.Fatalf("seed %d: continue: %v", seed, err)
					}
				}
			}
		}
		for {
			err := w.run.Undo(context.Background(), false)
			if errors.Is(err, apply.ErrNothing) {
				break
			}
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if got, want := w.fake.Snapshot(), twin.Snapshot(); got != want {
			t.Fatalf("seed %d:\n%s\nwant\n%s", seed, got, want)
		}
	}
}

// Fifty personas take three calls each and one more, over a real connection, and the journal does not hold the key.
func TestFiftyPersonas(t *testing.T) {
	fake := astrbottest.New()
	address, stop := fake.Serve()
	defer stop()
	bot, err := New(address, astrbottest.Key, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	j, err := apply.OpenFile(dir, bot.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err := apply.OpenFile(dir, bot.Name()); !errors.Is(err, apply.ErrBusy) {
		t.Errorf("two at once: %v", err)
	}
	entries := map[string]any{}
	for i := range 50 {
		entries[fmt.Sprint("persona ", i)] = map[string]any{"system_prompt": strings.Repeat("You are careful. ", 120)}
	}
	objects, _, err := apply.Sections(map[string]any{"personas": map[string]any{"entries": entries}}, apply.Wants{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := apply.NewPlan(context.Background(), bot, apply.State{}, []apply.Package{{Installed: apply.Installed{ID: "a/b", Version: "1"}, Objects: objects}}, apply.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := &apply.Runner{Target: bot, Journal: j, Now: time.Now}
	if err := run.Apply(context.Background(), plan, true); err != nil {
		t.Fatal(err)
	}
	if calls := fake.Calls(); calls > 3*50+1 {
		t.Errorf("50 personas took %d calls", calls)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil || strings.Contains(string(text), astrbottest.Key) {
			t.Errorf("%s holds the key, or cannot be read: %v", f, err)
		}
		if info, _ := os.Stat(f); info.Mode().Perm() != 0o600 {
			t.Errorf("%s is %s", f, info.Mode())
		}
	}
}

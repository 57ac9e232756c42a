package botfolder

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa/internal/market/apply"
)

// A configuration as AstrBot writes it: with a byte order mark, two blanks a level, and numbers that a careless reader would respell.
const config = "\xef\xbb\xbf" + `{
  "config_version": 2,
  "provider_settings": {
    "default_personality": "default",
    "max_agent_step": 30,
    "ratio": 1.0,
    "persona_pool": [
      "*"
    ],
    "empty": {}
  },
  "provider": [
    {
      "id": "mine",
      "key": [
        "sk-mine"
      ],
      "enable": true
    }
  ],
  "admins_id": [
    12345678901234567890
  ],
  "名前": "値<&>"
}`

const servers = `{
    "mcpServers": {
        "theirs": {
            "command": "npx",
            "env": {
                "TOKEN": "secret"
            }
        }
    }
}
`

const personas = `[
  {
    "persona_id": "mine",
    "system_prompt": "Mine alone.",
    "mood": 7
  }
]
`

func dataFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	for name, text := range map[string]string{"cmd_config.json": config, "mcp_server.json": servers, "skills/own/SKILL.md": "Own.\n", "skills/own/more.py": "pass\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// tree is every file below a folder with its bytes and rights.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		text, readErr := os.ReadFile(path)
		fmt.Fprintf(&out, "%s %s %q\n", path, info.Mode(), text)
		if err == nil {
			err = readErr
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

type journal struct{ text []byte }

func (j *journal) Load() (s apply.State, err error) {
	if j.text != nil {
		err = json.Unmarshal(j.text, &s)
	}
	return s, err
}

func (j *journal) Save(s apply.State) (err error) {
	j.text, err = json.Marshal(s)
	return err
}

func open(t *testing.T, place string) *Folder {
	t.Helper()
	f, err := Open(place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// Random plans on a folder and on a file of personas: after undoing all, every byte is what it was, and what a plan does not name
// is what it was at any time.
func TestEveryByteComesBack(t *testing.T) {
	for seed := range uint64(48) {
		r := rand.New(rand.NewPCG(seed, 5))
		dir := dataFolder(t)
		file := filepath.Join(dir, "..", "personas.json")
		if seed%3 > 0 {
			text := personas
			if seed%3 == 2 {
				text = "{\n  \"personas\": " + strings.ReplaceAll(strings.TrimSpace(personas), "\n", "\n  ") + "\n}"
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		place := dir
		if seed%3 > 0 {
			place = file
		}
		target := open(t, place)
		j := &journal{}
		run := &apply.Runner{Target: target, Journal: j, Now: func() time.Time { return time.Unix(1, 0) }}
		was := tree(t, filepath.Dir(dir))
		for version := range 4 {
			p := apply.Package{Installed: apply.Installed{ID: "a/b", Version: fmt.Sprint(version)}}
			p.Objects = append(p.Objects, randomObjects(r, place == file)...)
			s, _ := j.Load()
			plan, err := apply.NewPlan(context.Background(), target, s, []apply.Package{p}, apply.Options{Replace: r.IntN(2) == 0})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if err := run.Apply(context.Background(), plan, true); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			now := tree(t, filepath.Dir(dir))
			for _, foreign := range []string{`12345678901234567890`, `\"ratio\": 1.0`, `sk-mine`, `値<&>`, `\"TOKEN\": \"secret\"`, `pass\n`} {
				if !strings.Contains(now, foreign) {
					t.Fatalf("seed %d: %s is gone: %s", seed, foreign, now)
				}
			}
		}
		for {
			s, _ := j.Load()
			if len(s.Log) == 0 {
				break
			}
			if err := run.Undo(context.Background(), false); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if now := tree(t, filepath.Dir(dir)); now != was {
			t.Fatalf("seed %d: after undo\n%s\nwas\n%s", seed, now, was)
		}
	}
}

func randomObjects(r *rand.Rand, people bool) (out []apply.Object) {
	add := func(kind apply.Kind, id, value string) {
		if r.IntN(2) == 0 {
			v, err := apply.Canonical(json.RawMessage(value))
			if err != nil {
				panic(err)
			}
			out = append(out, apply.Object{Key: apply.Key{Kind: kind, ID: id}, Value: v})
		}
	}
	n := r.IntN(100)
	if people {
		for _, id := range []string{"ann", "ben", "莉"} {
			add(apply.KindPersona, id, fmt.Sprintf(`{"system_prompt":"I am %s %d.","begin_dialogs":["hi","hello"],"tools":null,"skills":[],"custom_error_message":null}`, id, n))
		}
		return out
	}
	add(apply.KindSkill, "tidy", fmt.Sprintf(`{"text":"Tidy %d.\n"}`, n))
	add(apply.KindSkill, "own", fmt.Sprintf(`{"text":"Other %d."}`, n))
	add(apply.KindServer, "search", fmt.Sprintf(`{"active":true,"url":"https://h%d.example.org"}`, n))
	add(apply.KindServer, "theirs", `{"url":"https://evil.example.org"}`)
	add(apply.KindProvider, "model", fmt.Sprintf(`{"id":"model","n":%d}`, n))
	add(apply.KindProvider, "mine", `{"id":"mine","key":[]}`)
	add(apply.KindConfig, "provider_settings.max_agent_step", fmt.Sprint(n))
	add(apply.KindConfig, "timezone", `"Asia/Tokyo"`)
	return out
}

func TestPlaces(t *testing.T) {
	dir := dataFolder(t)
	if f := open(t, filepath.Dir(dir)); f.Name() != dir {
		t.Errorf("the folder above it: %s", f.Name())
	}
	for name, text := range map[string]string{"list.json": `[{"name":"ann","prompt":"I am Ann."}]`, "empty.json": "", "whole.json": `{"personas":[],"version":1}`} {
		place := filepath.Join(dir, "..", name)
		if err := os.WriteFile(place, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f := open(t, place)
		key := apply.Key{Kind: apply.KindPersona, ID: "ben"}
		if err := f.Write(t.Context(), key, nil, apply.Value(`{"system_prompt":"I am Ben.","begin_dialogs":[],"tools":null,"skills":null,"custom_error_message":null}`)); err != nil {
			t.Fatal(err)
		}
		got, err := f.Read(t.Context(), []apply.Key{key})
		if err != nil || !strings.Contains(string(got[key]), "I am Ben.") {
			t.Errorf("%s: %s %v", name, got[key], err)
		}
		now, _ := os.ReadFile(place)
		if name == "list.json" && !strings.Contains(string(now), `"prompt": "I am Ben."`) || name == "whole.json" && !strings.Contains(string(now), `"version": 1`) {
			t.Errorf("%s", now)
		}
	}
	for _, bad := range []string{t.TempDir(), filepath.Join(dir, "cmd_config.json"), filepath.Join(dir, "nowhere", "a.json")} {
		if f, err := Open(bad); err == nil {
			f.Close()
			t.Errorf("%s was opened", bad)
		}
	}
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "skills", "link"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "skills", "link", "SKILL.md")); err != nil {
		t.Fatal(err)
	}
	f, key := open(t, dir), apply.Key{Kind: apply.KindSkill, ID: "link"}
	if got, err := f.Read(t.Context(), []apply.Key{key}); err == nil {
		t.Errorf("a link out of the folder was followed: %s", got[key])
	}
}

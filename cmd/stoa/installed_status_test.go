package main

import (
	"bytes"
	"html"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/astrbottest"
	"stoa/internal/market/catalog"
)

// owner is a member with a bot and a folder of their own, who types commands.
type owner struct {
	*apitest.Client
	t      *testing.T
	server string
	folder string
	feed   string
}

// types runs a command and gives what it wrote.
func (o *owner) types(code int, args ...string) (out, problems string) {
	o.t.Helper()
	var w, e bytes.Buffer
	if got := run(args, nil, &w, &e); got != code {
		o.t.Fatalf("%v: exit code %d, want %d: %s%s", args, got, code, &w, &e)
	}
	return w.String(), e.String()
}

func newOwner(t *testing.T, s *apitest.Server, name string) *owner {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	address, stop := astrbottest.New().Serve()
	t.Cleanup(stop)
	c := s.As(t, name)
	o := &owner{Client: c, t: t, server: s.URL, folder: filepath.Join(t.TempDir(), "bot")}
	t.Setenv("STOA_SERVER", s.URL)
	t.Setenv("STOA_TOKEN", c.Token)
	t.Setenv("STOA_BOT", address)
	t.Setenv("STOA_BOT_KEY", astrbottest.Key)
	o.feed = c.Post("/api/account/notifications/feed", map[string]any{"on": true}).OK(t).Str("data.url")
	return o
}

// hears checks that whoever has id is told in every way: on the page, in the feed, by verify, by the next command that comes to the
// server, and by outdated.
func (o *owner) hears(s *apitest.Server, id, notice string, words ...string) {
	o.t.Helper()
	row := o.Get("/api/member/installations").OK(o.t)
	if ids := row.All("data.installations", "template_id"); len(ids) != 1 || ids[0] != id || row.Str("data.installations.0.notice") != notice || row.Str("data.installations.0.notice_at") == "" {
		o.t.Errorf("the page: %s", row.Body)
	}
	feed := html.UnescapeString(string(s.Nobody(o.t).Raw("GET", strings.TrimPrefix(o.feed, o.server), nil).Body))
	// A command that is about something else says it, once.
	_, next := o.types(0, "apply", "official/careful-translator", "--yes")
	_, again := o.types(0, "undo")
	verify, _ := o.types(3, "verify", "--installed", o.folder)
	for _, word := range words {
		for channel, text := range map[string]string{"the feed": feed, "the next command": next, "verify": verify} {
			if !strings.Contains(text, word) {
				o.t.Errorf("%s does not say %q: %s", channel, word, text)
			}
		}
	}
	if strings.Contains(again, "which you have installed") {
		o.t.Errorf("said twice: %s", again)
	}
}

// When an item is withdrawn by its author, taken down by two of those in charge, or judged again by a new scanner, whoever has it
// is told everywhere, with the reason and the way back.
func TestVerdictsReachWhatIsInstalled(t *testing.T) {
	const id = "ada/rights"
	for name, happens := range map[string]struct {
		notice string
		do     func(t *testing.T, s *apitest.Server)
		words  []string
		back   string
	}{
		"withdrawn by its author": {"withdrawn", func(t *testing.T, s *apitest.Server) {
			author := &owner{Client: s.As(t, "ada"), t: t}
			if said, _ := author.types(0, "withdraw", id, "--note", "It repeats what it was told.", "--token", author.Token); !strings.Contains(said, "stoa withdraw --restore "+id) {
				t.Error(said)
			}
		}, []string{"It repeats what it was told."}, "stoa apply --remove " + id},
		"taken down": {"withdrawn", func(t *testing.T, s *apitest.Server) {
			for i, who := range []string{"eve", "mallory"} {
				ctx := core.WithActor(t.Context(), core.Caller{Role: core.Member, UserID: who})
				err := s.App.AskTakedown(ctx, catalog.KindTemplate, id, "It asks for passwords.")
				if i == 1 {
					err = s.App.AgreeTakedown(ctx, catalog.KindTemplate, id)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}, []string{"It asks for passwords."}, "stoa apply --remove " + id},
		"judged again": {"judged_again", func(t *testing.T, s *apitest.Server) {
			if _, err := s.App.RescanStored(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n, err := s.App.DecideVerdicts(t.Context(), id, true); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}, []string{"its risk was low and is high"}, "stoa apply --remove " + id},
	} {
		t.Run(name, func(t *testing.T) {
			s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
			zip := apitest.Zip(t, map[string]string{"bundle.json": `{"template_id":"` + id + `","version":"1.0.0","prompt":"You write letters.","provider_settings":{}}`})
			sent := s.As(t, "ada").Post("/api/templates/submit", map[string]any{"template_id": id, "package_name": "p.zip", "package_base64": apitest.Base64(zip)}).OK(t)
			s.Approve(t, sent.Str("data.submission_id"))
			s.AgeScans(t)
			bob := newOwner(t, s, "bob")
			bob.types(0, "install", id, bob.folder, "--yes")
			bob.types(0, "apply", id, "--yes")
			if _, quiet := bob.types(0, "apply", id, "--yes"); strings.Contains(quiet, "which you have installed") {
				t.Errorf("told of nothing: %s", quiet)
			}
			if said, _ := bob.types(0, "verify", "--installed", bob.folder); !strings.Contains(said, "current") {
				t.Error(said)
			}
			s.Clock.Advance(time.Hour)
			happens.do(t, s)
			said, _ := bob.types(3, "outdated")
			for _, word := range append(happens.words, happens.back) {
				if !strings.Contains(said, word) {
					t.Errorf("outdated does not say %q: %s", word, said)
				}
			}
			bob.hears(s, id, happens.notice, happens.words...)
		})
	}
}

// When one version is withdrawn, whoever has it is told everywhere, with the reason and the version to take instead, and is back in
// order with that one. Who has another version is told nothing.
func TestAWithdrawnVersionReachesWhatIsInstalled(t *testing.T) {
	const id = "ada/rights"
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	for _, version := range []string{"1.0.0", "1.1.0"} {
		s.Approve(t, ada.Post("/api/templates/submit", map[string]any{"template_id": id, "version": version, "prompt": "You write letters as of " + version + "."}).OK(t).Str("data.submission_id"))
		s.Clock.Advance(time.Minute)
	}
	bob := newOwner(t, s, "bob")
	bob.types(0, "install", id, bob.folder, "--yes")
	bob.types(0, "apply", id, "--yes")
	author := &owner{Client: ada, t: t}
	said, _ := author.types(0, "withdraw", id, "--version", "1.1.0", "--note", "It forgets the stamp.", "--token", ada.Token)
	for _, word := range []string{"stoa withdraw --restore " + id + " --version 1.1.0", "The latest version is 1.0.0."} {
		if !strings.Contains(said, word) {
			t.Errorf("withdraw does not say %q: %s", word, said)
		}
	}
	said, _ = bob.types(3, "outdated")
	for _, word := range []string{"THIS VERSION WAS TAKEN DOWN", "It forgets the stamp.", "stoa update " + id} {
		if !strings.Contains(said, word) {
			t.Errorf("outdated does not say %q: %s", word, said)
		}
	}
	bob.hears(s, id, "withdrawn", "It forgets the stamp.", "1.0.0")
	bob.types(0, "update", id, "--yes")
	bob.types(0, "install", id, bob.folder, "--yes")
	if said, _ := bob.types(0, "outdated"); !strings.Contains(said, id+" 1.0.0  current") {
		t.Errorf("after the update: %s", said)
	}
	if said, _ := bob.types(0, "verify", "--installed", bob.folder); !strings.Contains(said, id+" 1.0.0  current") {
		t.Errorf("after the update: %s", said)
	}
	if _, quiet := bob.types(0, "apply", "official/careful-translator", "--yes"); strings.Contains(quiet, "which you have installed") {
		t.Errorf("told of what is in order: %s", quiet)
	}
	if said, _ := author.types(0, "withdraw", id, "--restore", "--version", "1.1.0", "--token", ada.Token); !strings.Contains(said, "The latest version is 1.1.0.") {
		t.Error(said)
	}
	if said, _ := bob.types(0, "outdated"); !strings.Contains(said, "version 1.1.0 is out") {
		t.Errorf("put back: %s", said)
	}
}

// Of an update of all, a new version whose persona another item has is left out and named; the others come, also one that takes over what
// another gives up.
func TestUpdateAllLeavesOutWhatClashes(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	publish := func(id, version, title string) {
		t.Helper()
		s.Approve(t, ada.Post("/api/templates/submit", map[string]any{"template_id": id, "version": version, "title": title, "prompt": "You are " + title + " of " + version + "."}).OK(t).Str("data.submission_id"))
		s.Clock.Advance(time.Minute)
	}
	bob := newOwner(t, s, "bob")
	for id, title := range map[string]string{"ada/a": "Ann", "ada/b": "Bea", "ada/c": "Cia", "ada/d": "Dan"} {
		publish(id, "1.0.0", title)
		bob.types(0, "apply", id, "--yes")
	}
	publish("ada/a", "1.1.0", "Bea") // what b gives up
	publish("ada/b", "1.1.0", "Egon")
	publish("ada/c", "1.1.0", "Egon")
	publish("ada/d", "1.1.0", "Dan")
	said, problems := bob.types(1, "update", "--all", "--yes")
	if !strings.Contains(problems, "ada/c is left out") || !strings.Contains(problems, "belongs to ada/b") {
		t.Errorf("%s%s", said, problems)
	}
	said, _ = bob.types(0, "outdated")
	for _, line := range []string{"ada/a 1.1.0  current", "ada/b 1.1.0  current", "ada/c 1.0.0  version 1.1.0 is out", "ada/d 1.1.0  current"} {
		if !strings.Contains(said, line) {
			t.Errorf("no %q in %s", line, said)
		}
	}
}

// A reviewer at a shell saves a picture to look at it; texts are shown and not saved.
func TestReviewersSaveAPicture(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	var shot bytes.Buffer
	if err := png.Encode(&shot, image.NewGray(image.Rect(0, 0, 4, 3))); err != nil {
		t.Fatal(err)
	}
	zip := apitest.Zip(t, map[string]string{"bundle.json": `{"template_id":"ada/seen","version":"1.0.0","prompt":"You write letters."}`, "screenshots/one.png": shot.String()})
	id := s.As(t, "ada").Post("/api/templates/submit", map[string]any{"template_id": "ada/seen", "package_name": "p.zip", "package_base64": apitest.Base64(zip)}).OK(t).Str("data.submission_id")
	file := filepath.Join(t.TempDir(), "one.png")
	o := &owner{t: t}
	o.types(1, "review", "show", id, "--data", s.Data, "--file", "bundle.json", "-o", file)
	o.types(0, "review", "show", id, "--data", s.Data, "--file", "screenshots/one.png", "-o", file)
	if saved, err := os.ReadFile(file); err != nil || !bytes.Equal(saved, shot.Bytes()) {
		t.Errorf("%d bytes, %v", len(saved), err)
	}
	o.types(1, "review", "show", id, "--data", s.Data, "--file", "screenshots/one.png", "-o", file) // it is there already
	s.Approve(t, id)
}

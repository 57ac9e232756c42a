package foreign

import (
	"compress/gzip"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/market/review"
)

// What servers do wrong with their lists ends the sync with a reason and takes nothing away.
func TestListsThatAreWrong(t *testing.T) {
	c, s := claws(t, 3), start(t, apitest.Engines(t)[0])
	add(t, s, c.URL, "clawhub")
	synced(t, s)
	zeros := func(w http.ResponseWriter, _ *http.Request) { // a gigabyte in a megabyte
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		block := []byte(strings.Repeat(" ", 1<<20))
		for range 1024 {
			if _, err := z.Write(block); err != nil {
				return
			}
		}
		_ = z.Close()
	}
	turns := 0
	for name, list := range map[string]http.HandlerFunc{
		"a bomb": zeros,
		"a page": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("<html><title>Just a moment…</title></html>"))
		},
		"not JSON":      func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"items":[`)) },
		"another thing": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"error":"gone"}`)) },
		"nothing":       func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"an error":      func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusBadGateway) },
		"inward": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		},
		"round in a ring": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.String(), http.StatusFound) },
		"two pages for ever": func(w http.ResponseWriter, r *http.Request) {
			next := map[string]string{"": "a", "a": "b", "b": "a"}[r.URL.Query().Get("cursor")]
			turns++
			_, _ = w.Write(text(m{"items": []m{}, "nextCursor": next}))
		},
	} {
		c.handle("/api/v1/skills", list)
		if _, err := s.App.SyncMirror(t.Context(), "up"); err == nil {
			t.Errorf("%s: the sync ends well", name)
		} else if len(err.Error()) > 700 {
			t.Errorf("%s: %d bytes of reason", name, len(err.Error()))
		}
		if all, err := s.App.Mirrors(t.Context()); err != nil || all[0].Published != 3 || all[0].Problem == "" {
			t.Errorf("%s: %+v %v", name, all, err)
		}
	}
	if turns != 3 {
		t.Errorf("%d pages of a list in a ring were read", turns)
	}
	other, pages := start(t, apitest.Engines(t)[0]), 0
	c.handle("/api/v1/skills", c.list)
	if _, err := other.App.AddMirror(t.Context(), review.MirrorInput{Name: "up", URL: c.URL, Private: true, MaxItems: 10}); err != nil {
		t.Fatal(err)
	}
	c.handle("/api/v1/skills", func(w http.ResponseWriter, _ *http.Request) {
		pages++
		_, _ = w.Write(text(m{"items": []m{}, "nextCursor": number(pages)}))
	})
	if _, err := other.App.SyncMirror(t.Context(), "up"); err == nil || pages > 200 {
		t.Errorf("%d pages of a list without an end were read: %v", pages, err)
	}
	c.handle("/api/v1/skills", c.list)
	if v := synced(t, s); v.Published != 3 || v.Problem != "" {
		t.Errorf("afterwards: %+v", v)
	}
}

// A host that the source sends its readers to and that is not there holds nothing up, however many entries are on it, and is
// asked a few times only; what was read before stays.
func TestAHostThatIsNotThere(t *testing.T) {
	u, s := serve(t), start(t, apitest.Engines(t)[0])
	other := serve(t)
	other.says("/a.zip", "application/zip", zipped(map[string]string{"metadata.yaml": "name: a", "skills/a/SKILL.md": skill("a", "A.")}))
	list := m{"$meta": m{"schema_version": 1}}
	entry := func(id, download, version string) {
		list["ada/"+id] = m{"author": "ada", "name": id, "version": version, "repo": "https://github.com/ada/" + id, "desc": id, "download_url": download}
	}
	for i := range 60 {
		entry("away-"+number(i), "http://127.0.0.1:1/x.zip", "1.0.0")
	}
	entry("a", other.URL+"/a.zip", "1.0.0")
	u.json("/plugins.json", list)
	add(t, s, u.URL+"/plugins.json", "astrbot")
	if v := synced(t, s); v.Published != 1 || v.Refused != 60 {
		t.Fatalf("%+v", v)
	}
	entry("a", other.URL+"/a.zip", "1.1.0")
	u.json("/plugins.json", list)
	other.Close()
	if v := synced(t, s); v.Published != 1 || shown(t, s, "up/ada-a") == nil {
		t.Errorf("%+v", v)
	}
	// When it is there again its items come, though the list has not changed.
	back := serve(t)
	back.says("/a.zip", "application/zip", zipped(map[string]string{"skills/a/SKILL.md": skill("a", "A."), "metadata.yaml": "name: a"}))
	for i := range 60 {
		entry("away-"+number(i), back.URL+"/a.zip", "1.0.0")
	}
	u.json("/plugins.json", list)
	if v := synced(t, s); v.Published != 61 {
		t.Errorf("%+v", v)
	}
}

// A source's own words cannot make it be read from addresses that are not public.
func TestOnlyPublicAddresses(t *testing.T) {
	g, s := hostGit(t), start(t, apitest.Engines(t)[0])
	g.commit("theirs", map[string]string{".claude-plugin/marketplace.json": marketplace()})
	for _, address := range []string{g.address("theirs"), g.URL} {
		if _, err := s.App.AddMirror(t.Context(), review.MirrorInput{Name: "up", URL: address}); err == nil || g.times("/theirs/.git/info/refs") != 0 {
			t.Errorf("%s was reached: %v", address, err)
		}
	}
}

package mirror

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/platform/fetch"
)

// lying is a source that answers whatever its test makes of a request.
type lying func(ctx context.Context, address string) ([]byte, error)

func (l lying) Get(ctx context.Context, address, _ string, _ int64) (fetch.Answer, error) {
	body, err := l(ctx, address)
	return fetch.Answer{Body: body, URL: address}, err
}

func (l lying) Post(ctx context.Context, address, _ string, _ []byte, limit int64) (fetch.Answer, error) {
	return l.Get(ctx, address, "", limit)
}

// Documents of millions of values that say nothing take no more memory than others.
func TestListsOfNothing(t *testing.T) {
	fill := func(head, one, tail string) []byte {
		n := (6 << 20) / len(one)
		return []byte(head + strings.Repeat(one, n) + strings.TrimSuffix(one, ",") + tail)
	}
	names := func(head, tail string) []byte {
		var b bytes.Buffer
		b.WriteString(head)
		for i := 0; b.Len() < 6<<20; i++ {
			fmt.Fprintf(&b, `"%d":{},`, i)
		}
		b.WriteString(`"":{}` + tail)
		return b.Bytes()
	}
	for name, c := range map[string]struct {
		kind Kind
		body []byte
	}{
		"plugins":             {AstrBot, fill("[", "{},", "]")},
		"plugins by name":     {AstrBot, names("{", "}")},
		"a marketplace":       {Marketplace, fill(`{"name":"x","plugins":[`, "0,", "]}")},
		"an index of skills":  {Skills, fill(`{"skills":[`, "0,", "]}")},
		"a page of a Stoa":    {Stoa, fill(`{"items":[`, "0,", "]}")},
		"a page of servers":   {Registry, fill(`{"servers":[`, "{},", "]}")},
		"a page of a ClawHub": {ClawHub, fill(`{"items":[`, "0,", "]}")},
		"behind a text":       {Stoa, fill(`{"x":"\\\"[","items":[`, "0,", "]}")},
	} {
		from := lying(func(_ context.Context, address string) ([]byte, error) {
			if strings.HasSuffix(address, "clawhub.json") {
				return []byte(`{"apiBase":"https://x.example/api"}`), nil
			}
			if strings.HasSuffix(address, "-md5.json") {
				return nil, &fetch.StatusError{Status: 404}
			}
			return c.body, nil
		})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := List(t.Context(), NewSession(from, "https://x.example", time.Now()), Source{c.kind, "https://x.example"}, "", "")
		if c.kind == AstrBot || c.kind == Marketplace {
			_, _ = Detect(t.Context(), from, "https://x.example", time.Now())
		}
		runtime.ReadMemStats(&after)
		var refused *Refused
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
			t.Errorf("%s: %d MiB for %d MiB", name, took>>20, len(c.body)>>20)
		}
	}
}

// A marketplace whose entries lie at hosts that answer one letter at a time ends, though each of them answers in time.
func TestAMarketplaceThatTakesItsTime(t *testing.T) {
	var list strings.Builder
	list.WriteString(`{"name":"x","plugins":[`)
	for i := range 5000 {
		fmt.Fprintf(&list, `{"name":"p%d","source":{"source":"url","url":"https://h%d.example/r.git"}},`, i, i)
	}
	text := strings.TrimSuffix(list.String(), ",") + "]}"
	synctest.Test(t, func(t *testing.T) {
		asked, began := 0, time.Now()
		from := lying(func(ctx context.Context, address string) ([]byte, error) {
			if address == "https://x.example/m.json" {
				return []byte(text), nil
			}
			asked++
			select {
			case <-time.After(59 * time.Second):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			return []byte("001e# service=git-upload-pack\n00000045" + strings.Repeat("a", 40) + " HEAD\x00agent=slow-and-old\n0000"), nil
		})
		_, err := List(t.Context(), NewSession(from, "https://x.example", began), Source{Marketplace, "https://x.example/m.json"}, "", "")
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > time.Hour || asked > 100 {
			t.Errorf("%d hosts were asked for %s: %v", asked, took, err)
		}
	})
}

// A source cannot give an item here a name that Windows opens a device for.
func TestAnEntryNamedLikeADevice(t *testing.T) {
	for id, want := range map[string]string{"con": "item-con", "template NUL": "item-nul", "LPT1": "item-lpt1", "console": "console", "io.con": "io-con"} {
		if got := Slug(id, func(string) bool { return false }); got != want {
			t.Errorf("%s becomes %s, want %s", id, got, want)
		}
	}
}

// What another Stoa says of an item is believed only where the list, the item's document and its package agree.
func TestAStoaThatLies(t *testing.T) {
	honest := templateZip(t)
	sum := digest(honest)
	other := strings.Repeat("0", 64)
	entry := func(kind, slug, sum string) string {
		return fmt.Sprintf(`{"id":"ada/garden","slug":%q,"kind":%q,"version":"1.0.0","sha256":%q}`, slug, kind, sum)
	}
	said := func(kind, sum string) string {
		return fmt.Sprintf(`{"document":{"kind":%q,"id":"ada/garden","version":"1.0.0"},"sha256":%q}`, kind, sum)
	}
	for name, c := range map[string]struct {
		entry, item string
		zip         []byte
		taken       bool
	}{
		"the truth":                        {entry("template", "ada--garden", sum), said("template", sum), honest, true},
		"another digest in the list":       {entry("template", "ada--garden", other), said("template", sum), honest, false},
		"another digest of the item":       {entry("template", "ada--garden", sum), said("template", other), honest, false},
		"another package":                  {entry("template", "ada--garden", sum), said("template", sum), append(bytes.Clone(honest), 0), false},
		"another package in all places":    {entry("template", "ada--garden", digest([]byte("no zip"))), said("template", digest([]byte("no zip"))), []byte("no zip"), false},
		"no digest":                        {entry("template", "ada--garden", ""), said("template", ""), honest, false},
		"a digest in upper case":           {entry("template", "ada--garden", strings.ToUpper(sum)), said("template", strings.ToUpper(sum)), honest, false},
		"another kind in the list":         {entry("profile_pack", "ada--garden", sum), said("template", sum), honest, false},
		"another kind of the item":         {entry("template", "ada--garden", sum), said("profile_pack", sum), honest, false},
		"a kind that there is not":         {entry("plugin", "ada--garden", sum), said("plugin", sum), honest, false},
		"an item that is no document":      {entry("template", "ada--garden", sum), `[]`, honest, false},
		"a slug that leads elsewhere":      {entry("template", "../../api/member", sum), said("template", sum), honest, true},
		"a slug with a query and a host":   {entry("template", "//evil.example/?x#", sum), said("template", sum), honest, true},
		"a version that leads elsewhere":   {entry("template", "ada--garden", sum), strings.Replace(said("template", sum), "1.0.0", "../../../x?y", 1), honest, true},
		"a package of a pack, no sections": {entry("profile_pack", "ada--garden", sum), `{"document":{"kind":"profile_pack","pack":{}},"sha256":"` + sum + `"}`, honest, false},
	} {
		const base = "https://up.example"
		from := lying(func(_ context.Context, address string) ([]byte, error) {
			if !strings.HasPrefix(address, base+stoaFeed) || strings.Contains(address, "/../") || strings.ContainsAny(address, "?#") {
				t.Errorf("%s: asked for %s", name, address)
			}
			switch {
			case strings.HasSuffix(address, "/index.json"):
				return []byte(`{"items":[` + c.entry + `]}`), nil
			case strings.HasSuffix(address, ".json"):
				return []byte(c.item), nil
			}
			return c.zip, nil
		})
		session := NewSession(from, base, time.Unix(0, 0))
		page, err := List(t.Context(), session, Source{Stoa, base}, "", "")
		if err != nil || len(page.Refs) != 1 {
			t.Fatalf("%s: %d entries, %v", name, len(page.Refs), err)
		}
		_, err = Read(t.Context(), session, Source{Stoa, base}, page.Refs[0])
		var refused *Refused
		if c.taken != (err == nil) || !c.taken && !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func templateZip(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	f, err := w.Create("bundle.json")
	if err == nil {
		_, err = f.Write([]byte(`{"template_id":"ada/garden","version":"1.0.0","title":"Garden","prompt":"You garden."}`))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

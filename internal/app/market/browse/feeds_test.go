package browse

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa/internal/market/card"
	"stoa/internal/market/catalog"
	"stoa/internal/market/feed"
)

// lists are all that the feeds write of many rows.
func lists(rows []*feed.Row) string {
	var out strings.Builder
	for _, body := range [][]byte{
		feed.Marketplace("all", "All", rows, func(r *feed.Row) any { return "./" + r.Slug }), feed.SkillIndex(feed.NameSkills(rows)), feed.EarlySkillIndex(feed.NameSkills(rows)),
		feed.ClawList(feed.Claws(rows), ""), feed.ClawSearch(feed.Claws(rows)), feed.AstrBotMarket(rows, "http://here", "here"),
		feed.RegistryList(feed.RegistryServers(rows, "local.stoa"), ""), feed.LobeIndex(rows, "http://here"), feed.CardIndex(rows, "http://here"),
	} {
		out.Write(body)
	}
	return out.String()
}

func testRow(i int64, id, owner string, private bool) *feed.Row {
	mark := fmt.Sprintf("item%dx", i)
	return &feed.Row{
		Seq: i, ID: id, Slug: card.Slug(id), Owner: owner, Private: private, Version: "1.0.0", Title: mark, Summary: mark, Template: true, Published: time.Unix(i, 0),
		Skills: []feed.SkillRow{{Name: mark, Description: mark, Digest: mark}}, Servers: []card.Server{{Name: mark, Transport: "http", URL: "https://" + mark}},
	}
}

// 10,000 random states of visibility and ownership (with -rapid.checks=10000; fewer in the usual run).
func TestFeedsShowNothingPrivate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := []string{"", "ada", "bob", "cyn"}
		all := map[feedKey]*feed.Row{}
		for i := range rapid.IntRange(0, 12).Draw(t, "items") {
			kind := rapid.SampledFrom([]catalog.Kind{catalog.KindTemplate, catalog.KindProfilePack}).Draw(t, "kind")
			id := rapid.SampledFrom([]string{"ada/one", "ada/two", "bob/one", "plain", "cyn/a-b", "cyn/three"}).Draw(t, "id")
			r := testRow(int64(i), id, rapid.SampledFrom(members).Draw(t, "owner"), rapid.Bool().Draw(t, "private"))
			r.Gone = !r.Private && rapid.Bool().Draw(t, "withdrawn")
			all[feedKey{kind, id}] = r
		}
		s := &feedState{}
		s.public, s.own, s.gone = sortedRows(all)
		for _, viewer := range append(members, "nobody") {
			view := s.view(viewer)
			text := lists(view.Rows)
			for _, r := range all {
				if (r.Gone || r.Private && (viewer == "" || r.Owner != viewer)) && strings.Contains(text, r.Title) {
					t.Fatalf("%q sees the private or withdrawn %s of %q", viewer, r.ID, r.Owner)
				}
				if r.Private && slices.Contains(view.Gone, r) {
					t.Fatalf("the private %s is among the withdrawn", r.ID)
				}
				if found, ok := view.Row(r.Slug); ok && found.Private && found.Owner != viewer {
					t.Fatalf("%q finds the private %s of %q", viewer, r.ID, r.Owner)
				}
				if _, ok := view.Row(r.Slug); !ok && !r.Private && !r.Gone {
					t.Fatalf("%q does not find the public %s", viewer, r.ID)
				}
			}
		}
	})
}

func BenchmarkFeedLists(b *testing.B) {
	rows := make([]*feed.Row, 30_000)
	for i := range rows {
		rows[i] = testRow(int64(i), fmt.Sprintf("owner-%d/item-%d", i%500, i), "", false)
	}
	for name, write := range map[string]func() []byte{
		"marketplace": func() []byte {
			return feed.Marketplace("all", "All", rows, func(r *feed.Row) any { return feed.GitSource{Source: "url", URL: r.ID, SHA: r.Commit} })
		},
		"skills":  func() []byte { return feed.SkillIndex(feed.NameSkills(rows)) },
		"astrbot": func() []byte { return feed.AstrBotMarket(rows, "http://here", "here") },
		"lobe":    func() []byte { return feed.LobeIndex(rows, "http://here") },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.SetBytes(int64(len(write())))
			}
		})
	}
}

package httpapi_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/app/market/review"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
)

// puppets are accounts of one person.
const puppets = 1000

// say is what somebody says of an item.
type say struct {
	user, id string
	stars    int
}

// A thousand accounts of one person, who has all the time in the world, move no item by more than one place: neither up nor
// down, nor by installing it.
func TestSockPuppets(t *testing.T) {
	heavy(t)
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		random := rand.New(rand.NewPCG(20, 26))
		const items, honest = 40, 60
		item := func(i int) string { return fmt.Sprintf("market/item-%02d", i) }
		var lines []string
		for i := range items {
			lines = append(lines, apitest.Line(m{"id": item(i), "version": "1.0.0", "locales": m{"en-US": m{"title": item(i), "description": "An item.", "prompt": "You help."}}}))
		}
		s.Import(t, review.ImportOptions{Owner: "bob"}, lines...)

		// at writes something so many hours ago; write does many such things at once.
		var todo []func(*store.Tx) error
		at := func(age time.Duration, do func(*store.Tx) error) {
			todo = append(todo, func(tx *store.Tx) error {
				now := tx.Now
				defer func() { tx.Now = now }()
				tx.Now = now.Add(-age)
				return do(tx)
			})
		}
		write := func() {
			t.Helper()
			if err := s.Store.Write(t.Context(), func(tx *store.Tx) error {
				for _, do := range todo {
					if err := do(tx); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			todo = nil
		}
		join := func(user string, age time.Duration, vouched bool) {
			at(age, func(tx *store.Tx) error {
				if err := tx.AddAccount(user, ""); err != nil || !vouched {
					return err
				}
				return tx.SetVouched(user, true)
			})
		}
		seqs := map[string]int64{}
		for i := range items {
			known, err := s.Store.Item(t.Context(), "template", item(i))
			if err != nil {
				t.Fatal(err)
			}
			seqs[item(i)] = known.Seq
		}
		keep := func(user, id string, age time.Duration) {
			at(age, func(tx *store.Tx) error {
				then := clock.Micros(tx.Now)
				_, _, err := tx.AddInstallation(marketdb.Installation{UserID: user, ItemID: id, Kind: "template", Seq: seqs[id], Version: "1.0.0", Options: "{}", InstalledAt: then, UpdatedAt: then})
				return err
			})
		}
		rate := func(user, id string, stars int) error {
			_, err := s.App.SaveRating(t.Context(), core.Caller{Role: core.Member, UserID: user}, browse.RateInput{ItemID: id, Stars: stars})
			return err
		}
		order := func() []string {
			t.Helper()
			if err := s.App.CountRankings(t.Context()); err != nil {
				t.Fatal(err)
			}
			return slices.DeleteFunc(s.Nobody(t).Get("/api/templates", "sort_by", "ranking", "limit", "200").OK(t).All("data.templates", "template_id"), func(id string) bool { return id[:7] != "market/" })
		}
		moved := func(before, after []string) (most int) {
			for i, id := range before {
				most = max(most, max(slices.Index(after, id)-i, i-slices.Index(after, id)))
			}
			return most
		}

		// The market as it is: sixty members, some of whom keep and rate each item, which is liked more or less.
		const year = 365 * 24 * time.Hour
		for u := range honest {
			join(fmt.Sprintf("member-%02d", u), year, true)
		}
		var honestly []say
		for i := range items {
			liked := 1 + 4*random.Float64()
			for u := range honest {
				if user := fmt.Sprintf("member-%02d", u); random.IntN(items) < i {
					keep(user, item(i), 30*24*time.Hour)
					if random.IntN(3) > 0 {
						honestly = append(honestly, say{user, item(i), min(5, max(1, int(liked+random.NormFloat64()+.5)))})
					}
				}
			}
		}
		write()
		for _, one := range honestly {
			if err := rate(one.user, one.id, one.stars); err != nil {
				t.Fatal(err)
			}
		}
		before := order()
		top, bottom, middle := before[0], before[items-1], before[items/2]

		// In haste: made today, installed today. Then slow: they waited two weeks, and kept it one. Then patient: made one by one
		// over two years, each with things of its own that it kept and rated like everybody.
		plots := []struct {
			name    string
			account func(i int) time.Duration
			kept    time.Duration
			cover   bool
		}{
			{"hasty", func(int) time.Duration { return time.Hour }, time.Minute, false},
			{"slow", func(int) time.Duration { return 15 * 24 * time.Hour }, 8 * 24 * time.Hour, false},
			{"patient", func(i int) time.Duration { return 30*24*time.Hour + time.Duration(i)*(2*year/puppets) }, 28 * 24 * time.Hour, true},
		}
		for _, plot := range plots {
			refused := 0
			var said []say
			for i := range puppets {
				user := fmt.Sprintf("%s-%04d", plot.name, i)
				join(user, plot.account(i), false)
				said = append(said, say{user, bottom, 5}, say{user, middle, 5}, say{user, top, 1})
				if plot.cover {
					said = append(said, say{user, before[1+random.IntN(items/2-1)], 4 + random.IntN(2)})
				}
			}
			for _, one := range said {
				keep(one.user, one.id, plot.kept)
			}
			write()
			for _, one := range said {
				switch err := rate(one.user, one.id, one.stars); {
				case errs.CodeOf(err) == errs.RatingNotAllowed:
					refused++
				case err != nil:
					t.Fatal(err)
				}
			}
			if (refused == 3*puppets) != (plot.name == "hasty") || refused != 0 && plot.name != "hasty" {
				t.Errorf("%s: %d refused", plot.name, refused)
			}
			after := order()
			if most := moved(before, after); most > 1 {
				t.Errorf("%s: an item moved by %d places", plot.name, most)
			}
		}
		// What they say is shown, after what counts, and told apart.
		sunk := s.Nobody(t).Get("/api/market/ratings", "item_id", top).OK(t)
		if sunk.Int("data.others") != 2*puppets || sunk.At("data.ratings.0.counts") != true {
			t.Errorf("%.300s", sunk.Body)
		}
		// What remains: whoever is vouched for counts, so each puppet that an operator takes for a person does.
		for _, n := range []int{1, 3} {
			for i := range n {
				if err := s.App.SetMemberVouched(t.Context(), fmt.Sprintf("slow-%04d", i), true); err != nil {
					t.Fatal(err)
				}
			}
			after := order()
			t.Logf("%d puppets that were vouched for move the last item by %d places, the first by %d", n, items-1-slices.Index(after, bottom), slices.Index(after, top))
			if n == 3 && slices.Equal(before, after) {
				t.Error("the order does not follow those who count, so this test could not fail")
			}
		}
	})
}

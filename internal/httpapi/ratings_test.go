package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/review"
	"stoa/internal/platform/store"
)

const ratings = "/api/market/ratings"

// vouched lets members count.
func vouched(t testing.TB, s *apitest.Server, users ...string) {
	t.Helper()
	for _, user := range users {
		if err := s.App.SetMemberVouched(t.Context(), user, true); err != nil {
			t.Fatal(err)
		}
	}
}

// Who may rate, what becomes of it, and what everybody sees.
func TestRatings(t *testing.T) {
	apitest.Each(t, apitest.Options{SignupOpen: true}, func(t *testing.T, s *apitest.Server) {
		publishedLines(t, s) // ada/garden, ada/…, bob/…
		vouched(t, s, "ada", "bob")
		rate := func(user, item string, stars int, text string) *apitest.Reply {
			return s.As(t, user).Post(ratings+"/save", m{"item_id": item, "stars": stars, "text": text})
		}
		state := func(user string) *apitest.Reply {
			return s.As(t, user).Get(ratings, "item_id", "ada/garden").OK(t)
		}
		s.Nobody(t).Post("/api/signup", m{"user_id": "newcomer", "password": apitest.Password}).OK(t)
		want(t, s.Nobody(t).Get(ratings, "item_id", "ada/garden").OK(t), m{"data.own.state": "sign_in", "data.count": 0, "data.average": 0, "data.ranking.score": 0})
		want(t, state("ada"), m{"data.own.state": "owner", "data.own.owner": true})
		want(t, state("bob"), m{"data.own.state": "not_installed"})
		want(t, state("newcomer"), m{"data.own.state": "account_young", "data.own.from": s.Clock.Now().Add(14 * 24 * time.Hour).UTC().Format("2006-01-02T15:04:05.000Z")})
		for user, why := range map[string]string{"ada": "owner", "bob": "not_installed", "newcomer": "account_young"} {
			want(t, rate(user, "ada/garden", 5, "").Want(t, 403, "rating_not_allowed"), m{"data.state": why})
		}
		s.Nobody(t).Get(ratings).Want(t, 422, "invalid_request")
		s.Nobody(t).Get(ratings, "item_id", "no/where").Want(t, 404, "not_found")
		s.Nobody(t).Get(ratings, "item_id", "ada/garden", "cursor", "x").Want(t, 400, "invalid_cursor")
		for _, user := range []string{"bob", "newcomer", "cyn"} {
			s.As(t, user).Post("/api/templates/install", m{"template_id": "ada/garden"}).OK(t)
		}
		want(t, state("bob"), m{"data.own.state": "installed_lately"})
		s.Clock.Advance(7*24*time.Hour - time.Second)
		want(t, rate("bob", "ada/garden", 5, "").Want(t, 403, "rating_not_allowed"), m{"data.state": "installed_lately"})
		s.Clock.Advance(7*24*time.Hour + time.Second)
		want(t, state("bob"), m{"data.own.state": "may_rate", "data.own.rating": nil})
		for _, bad := range []m{{"stars": 0}, {"stars": 6}, {"stars": 4.5}, {"stars": 5, "text": strings.Repeat("x", 2001)}, {}} {
			bad["item_id"] = "ada/garden"
			s.As(t, "bob").Post(ratings+"/save", bad).Want(t, 422, "invalid_request")
		}

		first := rate("bob", "ada/garden", 2, "  It forgets to water.  ").OK(t)
		want(t, first, m{"data.counts": true, "data.text": "It forgets to water.", "data.user_id": "bob", "data.stars": 2, "data.version": "1.0.0"})
		rate("newcomer", "ada/garden", 1, "Bad.").OK(t)
		want(t, rate("cyn", "ada/garden", 5, "").OK(t), m{"data.counts": false, "data.stars": 5})
		want(t, s.As(t, "ada").Get("/api/notifications").OK(t), m{"data.count": 3, "data.events.0.kind": "rating_received"})
		// The owner answers, and who rated is told.
		id := first.Str("data.rating_id")
		answer := func(user, text string) *apitest.Reply {
			return s.As(t, user).Post(ratings+"/answer", m{"item_id": "ada/garden", "rating_id": id, "text": text})
		}
		answer("bob", "Thanks.").Want(t, 403, "permission_denied")
		s.As(t, "ada").Post(ratings+"/answer", m{"item_id": "ada/garden", "rating_id": "none", "text": "x"}).Want(t, 404, "not_found")
		want(t, answer("ada", "Version 2 does.").OK(t), m{"data.answer": "Version 2 does.", "data.rating_id": id})
		want(t, s.As(t, "bob").Get("/api/notifications").OK(t), m{"data.events.0.kind": "rating_answered", "data.events.0.target": "ada/garden"})

		all := state("bob")
		want(t, all, m{
			"data.count": 1, "data.others": 2, "data.average": 2, "data.ratings.0.user_id": "bob", "data.ratings.0.counts": true, "data.ratings.0.answer": "Version 2 does.",
			"data.ratings.1.user_id": "cyn", "data.ratings.2.user_id": "newcomer", "data.own.rating.stars": 2, "data.own.rating.text": "It forgets to water.",
		})
		page := s.Nobody(t).Get(ratings, "item_id", "ada/garden", "limit", "2").OK(t)
		if rest := s.Nobody(t).Get(ratings, "item_id", "ada/garden", "limit", "2", "cursor", page.Str("data.next_cursor")).OK(t); rest.Len("data.ratings") != 1 || rest.Str("data.ratings.0.user_id") != "newcomer" || rest.Str("data.next_cursor") != "" {
			t.Errorf("%s", rest.Body)
		}
		// Another word takes the first one's place; it can be taken back and brought back, also without the installation.
		s.As(t, "bob").Post("/api/member/installations/uninstall", m{"template_id": "ada/garden"}).OK(t)
		want(t, rate("bob", "ada/garden", 4, "Better now.").OK(t), m{"data.rating_id": id, "data.stars": 4, "data.answer": "Version 2 does."})
		want(t, s.As(t, "bob").Post(ratings+"/remove", m{"item_id": "ada/garden"}).OK(t), m{"data.removed": true, "data.item_id": "ada/garden"})
		want(t, s.As(t, "bob").Post(ratings+"/remove", m{"item_id": "ada/garden"}).OK(t), m{"data.removed": false})
		want(t, state("bob"), m{"data.count": 0, "data.others": 2, "data.own.state": "not_installed", "data.own.rating": nil})
		answer("ada", "x").Want(t, 404, "not_found")
		want(t, rate("bob", "ada/garden", 4, "Better now.").OK(t), m{"data.rating_id": id})
		want(t, state("bob"), m{"data.count": 1, "data.own.rating.stars": 4})
		want(t, answer("ada", "").OK(t), m{"data.answer": "", "data.answered_at": ""})

		// Lists and details have the average; the ranking orders them, and what is featured comes first.
		catalog := "/api/profile-pack/catalog"
		want(t, s.Nobody(t).Get(catalog+"/detail", "pack_id", "ada/garden").OK(t), m{"data.rating.count": 1, "data.rating.average": 4})
		best := s.Nobody(t).Get(catalog, "sort_by", "ranking").OK(t)
		want(t, best, m{"data.packs.1.featured": true, "data.packs.1.rating.count": 0, "data.packs.2.pack_id": "ada/garden", "data.packs.2.rating.average": 4})
		other := best.Str("data.packs.3.pack_id")
		if err := s.App.Feature(t.Context(), "profile_pack", other, "", true); err != nil {
			t.Fatal(err)
		}
		want(t, s.Nobody(t).Get(catalog, "sort_by", "ranking").OK(t), m{"data.packs.3.pack_id": "ada/garden"})
		want(t, s.Nobody(t).Get(ratings, "item_id", other).OK(t), m{"data.ranking.featured": true})
		insights := s.Nobody(t).Get(catalog + "/insights").OK(t)
		want(t, insights, m{"data.featured.rating.count": 0})
		if err := s.App.CountRankings(t.Context()); err != nil { // ada's is not counted: it is their own; newcomer and cyn do not count
			t.Fatal(err)
		}
		want(t, state("bob"), m{"data.ranking.keepers": 0})
		vouched(t, s, "cyn")
		if err := s.App.CountRankings(t.Context()); err != nil {
			t.Fatal(err)
		}
		now := state("bob")
		want(t, now, m{"data.ranking.keepers": 1, "data.count": 2, "data.average": 4.5, "data.others": 1, "data.ranking.lower_bound": .26})
		if points, score := now.At("data.ranking.rating_points").(float64)+now.At("data.ranking.keeper_points").(float64), now.At("data.ranking.score").(float64); points < score-.02 || points > score+.02 {
			t.Errorf("%v is not the sum of its parts, %v", score, points)
		}
	})
}

// Somebody reports, somebody in charge decides; what is hidden is seen by its member alone and counts no more.
func TestReportedRatings(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		publishedLines(t, s)
		vouched(t, s, "bob", "cyn")
		ratable(t, s, "bob", "ada/garden")
		id := s.As(t, "bob").Post(ratings+"/save", m{"item_id": "ada/garden", "stars": 1, "text": "Buy at evil.example."}).OK(t).Str("data.rating_id")
		report := func(user, reason string) *apitest.Reply {
			return s.As(t, user).Post(ratings+"/report", m{"item_id": "ada/garden", "rating_id": id, "reason": reason})
		}
		report("cyn", "  ").Want(t, 422, "invalid_request")
		for range 2 {
			want(t, report("cyn", "It is advertising.").OK(t), m{"data.rating_id": id, "data.reported": true})
		}
		s.Clock.Advance(time.Second)
		report("ada", "It is not about the item.").OK(t)
		browser := consoleFor(t, s)
		inCharge(t, s, "rita", "reviewer")
		rita := browser()
		rita.want(401, "unauthorized", "GET", "/console/api/ratings", nil)
		rita.signIn("rita")
		all := rita.want(200, "", "GET", "/console/api/ratings", nil)["ratings"].([]any)
		if len(all) != 1 || all[0].(m)["reports"] != 2.0 || all[0].(m)["reported_by"] != "cyn" || all[0].(m)["item_id"] != "ada/garden" {
			t.Fatalf("%v", all)
		}
		path := "/console/api/ratings/" + id
		rita.want(403, "permission_denied", "POST", path+"/hide", m{"note": "Advertising."})
		rita.confirm()
		rita.want(422, "invalid_request", "POST", path+"/hide", m{})
		rita.want(404, "not_found", "POST", "/console/api/ratings/none/keep", m{})
		// Nobody decides about what is said of their own item, or what they said themselves.
		for _, user := range []string{"ada", "bob"} {
			if err := s.App.GrantRole(t.Context(), user, "reviewer"); err != nil {
				t.Fatal(err)
			}
			own := browser()
			own.want(200, "", "POST", "/console/api/login", m{"user_id": user, "password": apitest.Password})
			own.want(200, "", "POST", "/console/api/confirm", m{"password": apitest.Password})
			own.want(403, "permission_denied", "POST", path+"/hide", m{"note": "It is unkind."})
			own.want(403, "permission_denied", "POST", path+"/keep", m{})
		}
		rita.want(200, "", "POST", path+"/hide", m{"note": "Advertising."})
		if all := rita.want(200, "", "GET", "/console/api/ratings", nil)["ratings"].([]any); len(all) != 0 {
			t.Errorf("%v", all)
		}
		want(t, s.Nobody(t).Get(ratings, "item_id", "ada/garden").OK(t), m{"data.count": 0, "data.others": 0, "data.ratings": []any{}})
		want(t, s.As(t, "bob").Get(ratings, "item_id", "ada/garden").OK(t), m{"data.own.rating.hidden": true, "data.own.rating.counts": false})
		told := s.As(t, "bob").Get("/api/notifications").OK(t)
		if want(t, told, m{"data.events.0.kind": "rating_hidden"}); !strings.Contains(told.Str("data.events.0.message"), "Advertising.") {
			t.Errorf("%s", told.Body)
		}
		report("cyn", "Again.").Want(t, 404, "not_found")
		// Saying it again does not bring it back into sight.
		want(t, s.As(t, "bob").Post(ratings+"/save", m{"item_id": "ada/garden", "stars": 5}).OK(t), m{"data.hidden": true, "data.counts": false})
		rita.want(200, "", "POST", path+"/keep", m{})
		want(t, s.Nobody(t).Get(ratings, "item_id", "ada/garden").OK(t), m{"data.count": 1, "data.average": 5})
		acts := rita.want(200, "", "GET", "/console/api/acts", nil)["acts"].([]any)
		if acts[0].(m)["action"] != "rating.kept" || acts[1].(m)["action"] != "rating.hidden" {
			t.Errorf("%v", acts[:2])
		}
		// Vouching is the operator's; whoever is shut out counts no more.
		rita.want(403, "permission_denied", "POST", "/console/api/members/bob/unvouch", m{})
		inCharge(t, s, "otto", "operator")
		otto := browser()
		otto.signIn("otto")
		otto.confirm()
		count := func() int { return s.Nobody(t).Get(ratings, "item_id", "ada/garden").OK(t).Int("data.count") }
		otto.want(200, "", "POST", "/console/api/members/bob/unvouch", m{})
		if count() != 0 {
			t.Error("who is not vouched for counts")
		}
		otto.want(200, "", "POST", "/console/api/members/bob/vouch", m{})
		otto.want(404, "not_found", "POST", "/console/api/members/nobody/vouch", m{})
		if count() != 1 {
			t.Error("who is vouched for does not count")
		}
		otto.want(200, "", "POST", "/console/api/members/bob/disable", m{})
		if count() != 0 {
			t.Error("who is shut out counts")
		}
	})
}

// Removed ratings go after a day, and an erased member takes along what they said, what was said against it, and their answers.
func TestRatingsEnd(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		publishedLines(t, s)
		vouched(t, s, "bob", "cyn")
		ids := map[string]string{}
		for _, user := range []string{"bob", "cyn"} {
			ratable(t, s, user, "ada/garden")
			ids[user] = s.As(t, user).Post(ratings+"/save", m{"item_id": "ada/garden", "stars": 5, "text": "words of " + user}).OK(t).Str("data.rating_id")
			s.As(t, "ada").Post(ratings+"/answer", m{"item_id": "ada/garden", "rating_id": ids[user], "text": "words of ada"}).OK(t)
		}
		s.As(t, "ada").Post(ratings+"/report", m{"item_id": "ada/garden", "rating_id": ids["cyn"], "reason": "I say so."}).OK(t)
		s.As(t, "cyn").Post(ratings+"/remove", m{"item_id": "ada/garden"}).OK(t)
		s.Clock.Advance(23 * time.Hour)
		sweep := func() {
			t.Helper()
			if err := s.App.CountRankings(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if sweep(); s.Count(t, "rating") != 2 {
			t.Error("it is gone before its day is over")
		}
		s.Clock.Advance(2 * time.Hour)
		if sweep(); s.Count(t, "rating") != 1 || s.Count(t, "rating_report") != 0 {
			t.Error("it stays for ever")
		}
		erase := func(user string) {
			t.Helper()
			if err := s.Store.Write(t.Context(), func(tx *store.Tx) error { return tx.SetEraseAt(user, 1) }); err != nil {
				t.Fatal(err)
			}
			if err := s.App.SweepOnce(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if erase("ada"); s.Count(t, "rating WHERE answer <> ''") != 0 || s.Count(t, "rating") != 1 {
			t.Error("an answer outlives who gave it")
		}
		if erase("bob"); s.Count(t, "rating") != 0 || s.Count(t, "ranking WHERE counted <> 0 OR stars <> 0") != 0 {
			t.Error("a rating outlives its member")
		}
		if strings.Contains(s.Rows(t, "rating", "rating_report"), "words of") {
			t.Error("the words are still there")
		}
	})
}

// Nobody rates without end.
func TestRatingsHaveAQuota(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	s.Import(t, review.ImportOptions{}, apitest.Line(m{"id": "two/rated", "version": "2.0.0", "locales": m{"en-US": m{"title": "Two", "description": "Two.", "prompt": "You count."}}}))
	ratable(t, s, "ada", "two/rated")
	ada := s.As(t, "ada")
	for i := range 200 {
		ada.Post(ratings+"/save", m{"item_id": "two/rated", "stars": 1 + i%5}).OK(t)
	}
	ada.Post(ratings+"/save", m{"item_id": "two/rated", "stars": 1}).Want(t, 429, "rate_limited")
	want(t, ada.Get(ratings, "item_id", "two/rated").OK(t), m{"data.own.rating.version": "2.0.0"})
	quotas := fmt.Sprint(ada.Get("/api/member/quotas").OK(t).At("data.quotas"))
	if !strings.Contains(quotas, "kind:ratings") || !strings.Contains(quotas, "used:200") {
		t.Error(quotas)
	}
}

// An author who takes an answer back and gives it again reaches the one who rated once a day; what cannot be seen is not kept.
func TestAnswersAreNoWayToWrite(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		in := prepared(t, s, operation(t, "answerRating"), "ada")
		ada := s.As(t, "ada")
		answer := func(text string) *apitest.Reply {
			t.Helper()
			return ada.Post("/api/market/ratings/answer", m{"item_id": in["item_id"], "rating_id": in["rating_id"], "text": text}).OK(t)
		}
		told := func(want int) {
			t.Helper()
			if n := s.Count(t, "notification WHERE kind = 'rating_answered' AND user_id = 'cyn'"); n != want {
				t.Errorf("cyn was told %d times, want %d", n, want)
			}
		}
		for range 10 {
			answer("Look at https://ada.example.")
			answer("")
		}
		told(1)
		for range 25 { // a session that is used lasts
			s.Clock.Advance(time.Hour)
			ada.Get("/api/account").OK(t)
		}
		want(t, answer("\u202ea\x1b]0;b\a\u2066c d 👩\u200d🚀\r\ne"), m{"data.answer": "a]0;bc d 👩\u200d🚀\ne"})
		told(2)
	})
}

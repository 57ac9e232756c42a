package httpapi_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/learning/anki"
	"stoa/internal/learning/graph"
)

// Reviews go out as FSRS's optimizers take them and come into another server's learner with the same cards: the same file goes out there,
// the same states follow, and a second time nothing changes.
func TestReviewsGoOutAndIn(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		came, _ := readPackage(t, capitals)
		cards := anki.Names(&came)
		for _, user := range []string{"ada", "bob"} {
			s.As(t, user).Post(ankiIn, m{"content_base64": base64.StdEncoding.EncodeToString(capitals)}).OK(t)
		}
		for i, word := range []string{"again", "hard", "good", "easy", "good", "again", "good"} {
			s.Clock.Advance(30 * time.Hour)
			ada := s.As(t, "ada")
			atom := graph.AtomID("ada", cards[i%len(cards)].DocumentID+"::")
			ada.Post("/api/knowledge/session/action", m{"action": m{"kind": "quiz", "atomId": atom}, "outcome": word, "responseTimeMs": 1000 + i}).OK(t)
		}
		var out, again bytes.Buffer
		if n, err := s.Home(t, "ada").WriteReviewLog(t.Context(), "ada", &out); err != nil || n != 7 {
			t.Fatalf("%d %v", n, err)
		}
		for _, part := range []string{",1,0,1000\n", ",2,0,1001\n", ",4,3,1003\n"} {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%q is not in\n%s", part, out.String())
			}
		}
		caller := core.Caller{UserID: "operator"}
		taken, err := s.Home(t, "bob").TakeReviewLog(t.Context(), caller, "bob", strings.NewReader(out.String()+"99,1700000000000,3,0,0\n"))
		if err != nil || taken.Taken != 7 || taken.Unknown != 1 || taken.Reviews != 8 {
			t.Errorf("%+v %v", taken, err)
		}
		if _, err := s.Home(t, "bob").WriteReviewLog(t.Context(), "bob", &again); err != nil || again.String() != out.String() {
			t.Errorf("%v went out as\n%s\nnot\n%s", err, again.String(), out.String())
		}
		if taken, err := s.Home(t, "bob").TakeReviewLog(t.Context(), caller, "bob", &out); err != nil || taken.Taken != 0 || taken.Older != 7 {
			t.Errorf("a second time: %+v %v", taken, err)
		}
		// The same by the page.
		bob := s.As(t, "bob")
		file := bob.Get("/api/knowledge/reviews/export").OK(t)
		if string(file.Body) != again.String() || !strings.HasPrefix(file.Header.Get("Content-Type"), "text/csv") || !strings.Contains(file.Header.Get("Content-Disposition"), "revlog.csv") {
			t.Errorf("%v\n%s", file.Header, file.Body)
		}
		bring := func(text string) *apitest.Reply {
			return bob.Post("/api/knowledge/reviews/import", m{"filename": "revlog.csv", "content_base64": base64.StdEncoding.EncodeToString([]byte(text))})
		}
		want(t, bring(again.String()).OK(t), m{"data.reviews": 7, "data.taken": 0, "data.older": 7, "data.unknown": 0})
		s.As(t, "cyn").Post(ankiIn, m{"content_base64": base64.StdEncoding.EncodeToString(capitals)}).OK(t)
		bob = s.As(t, "cyn")
		want(t, bring(again.String()+"99,1700000000000,3,0,0\n").OK(t), m{"data.reviews": 8, "data.taken": 7, "data.older": 0, "data.unknown": 1})
		bring("card_id,review_time,review_rating\n1,1,9\n").Want(t, 422, "invalid_request")
		if why, n, err := s.Home(t, "bob").CheckLearner(t.Context(), "bob"); why != "" || n != 7 || err != nil {
			t.Errorf("%q %d %v", why, n, err)
		}
		if _, err := s.Home(t, "bob").TakeReviewLog(t.Context(), caller, "bob", strings.NewReader("card_id,review_time,review_rating\n1,1,9\n")); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Error(err)
		}
	})
}
